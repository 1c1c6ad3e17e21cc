"""What is registered as a metric is in the summary, after what is built in, and can be aimed at."""

import numpy as np
import pytest

import swarm_control as sc
from swarm_control.analysis.metric import FRAME, METRICS, Measure, register_metric
from swarm_control.analysis.tuning.objective import objective_of
from swarm_control.analysis.tuning.objective_function import OBJECTIVES

CONTRACT = [
    "scenario", "seed", "robots", "duration", "wall_time", "real_time_factor", "collisions", "min_separation", "min_clearance",
    "polarization", "arrived_fraction", "arrival_time", "formation_error_mean", "formation_error_std", "formation_error_max", "phases",
    "jam_time", "jams",
]  # fmt: skip
EFFORT = ["falls", "touches", "energy", "travel_speed", "straightness"]


@pytest.fixture
def top_speed():
    """A metric of one's own."""

    @register_metric("top_speed", Measure("top_speed", "m/s", "greatest speed of a robot", better="more"))
    class TopSpeed:
        """How fast the fastest was."""

        def __init__(self, fleet, grid):
            self.most = 0.0

        def add(self, state, formation_error):
            self.most = max(self.most, np.hypot(*state.velocity[:, :2].T).max())

        def values(self, run):
            return {"top_speed": self.most}

    yield
    METRICS.remove("top_speed")
    OBJECTIVES.remove("top_speed")


def test_it_comes_after_what_is_built_in_and_of_each_group(top_speed):
    sim = sc.Simulation("flocks_cross", duration=2.0).run()
    summary, speed = sim.metrics(), np.hypot(*np.moveaxis(sim.trajectory.velocity[..., :2], -1, 0)).max(axis=0)
    assert list(summary) == [*CONTRACT, "groups", "top_speed"] and list(summary["groups"]["red"]) == [*CONTRACT, "top_speed"]
    assert summary["top_speed"] == speed.max()
    assert [summary["groups"][name]["top_speed"] for name in ("red", "blue")] == [speed[:8].max(), speed[8:].max()]


def test_it_can_be_aimed_at(top_speed):
    objective = objective_of(["top_speed=2"], ["top_speed>=1"])
    assert (score := objective.score([{"top_speed": 0.75}])).cost == -1.5 and score.violation == 0.25


def test_keys_of_robots_that_can_fall_are_there_for_them_alone():
    assert list(sc.Simulation("migrate_boxes").metrics()) == [*CONTRACT, "groups"]
    assert list(sc.Simulation("herd_hoppers", robots=2).metrics()) == [*CONTRACT, *EFFORT, "groups"]


def test_every_key_of_the_summary_is_declared_with_help():
    measures = [measure for metric in METRICS.values() for measure in metric.measures]
    assert {measure.key for measure in measures} | set(FRAME) == {*CONTRACT, *EFFORT, "groups"}
    assert all(measure.help for measure in measures) and all(metric.help for metric in METRICS.values())


@pytest.mark.parametrize(("name", "measure", "said"), [
    ("contacts", Measure("hits", "", "x"), "registered already"),
    ("hits", Measure("collisions", "", "x"), "the summary has already"),
    ("hits", Measure("groups", "", "x"), "the summary has already"),
    ("two words", Measure("hits", "", "x"), "letters, digits and _"),
    ("hits", None, "no measure found"),
])  # fmt: skip
def test_what_cannot_be_is_refused_and_leaves_no_trace(name, measure, said):
    before = list(METRICS), list(OBJECTIVES)
    with pytest.raises(ValueError, match=said):

        @register_metric(name, *([measure] if measure else []))
        class Hits:
            """Hits."""

    assert (list(METRICS), list(OBJECTIVES)) == before


def test_a_measure_says_what_is_better_in_known_words():
    with pytest.raises(ValueError, match="expected less or more"):
        Measure("hits", "", "x", better="fewer")
