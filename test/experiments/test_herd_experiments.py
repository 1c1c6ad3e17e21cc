"""The herd experiments, with one seed and point masses: what the page says holds, and its files can be written."""

import json

import numpy as np
import pytest

from swarm_control.analysis.experiments import EXPERIMENTS
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.page import save, write_pages
from swarm_control.scenario.loader import load
from swarm_experiments.papers.herds.limits import harmed, sweep
from swarm_experiments.papers.herds.probes import PROBES, trial, widest_gap


class Alone(Lab):
    """A lab without worker processes."""

    def map(self, work, items):
        return [work(item) for item in items]


@pytest.mark.study
@pytest.mark.parametrize("name", ["herd_steady_points", "herd_turn_points", "herd_obstacle_points"])
def test_what_the_page_says_of_point_masses_holds(name, tmp_path):
    finding = EXPERIMENTS[name].run(Alone(quick=True, seeds=1, first_seed=0))
    assert finding.claims and all(finding.claims.values())
    assert all(len(row) == len(finding.columns) for row in finding.rows)
    picture, *_, record = save(name, finding, "swarm experiment", tmp_path)
    assert picture.read_bytes().startswith(b"\x89PNG") and json.loads(record.read_text())["claims"] == finding.claims
    (page,) = write_pages(tmp_path)
    assert finding.title in page.read_text()


def test_every_kind_has_its_experiments():
    kinds = {kind: {name.split("_")[1] for name in EXPERIMENTS if name.startswith("herd_") and name.endswith(f"_{kind}")}
             for kind in ("points", "hoppers", "bicycles")}  # fmt: skip
    assert kinds["points"] == kinds["hoppers"] == {"steady", "turn", "obstacle", "aside", "sizes", "spacing", "limits"}
    assert kinds["bicycles"] == {"steady", "turn", "obstacle", "aside", "limits"}


def test_a_group_has_parted_when_some_are_far_from_the_rest():
    line = np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (4.5, 0.0)])
    assert widest_gap(line) == pytest.approx(2.5) and widest_gap(line[:3]) == pytest.approx(1.0)


def test_values_next_to_where_it_breaks_are_tried_on_all_seeds():
    class Breaks:
        """From a delay of half a second on, nobody stays on his feet; told by the last number of what is set."""

        def measure(self, trials, work):
            late = [next((float(c.partition("=")[2]) for c in trial.changes if c.startswith("perception.delay")), 0.0) for trial in trials]
            return [{"falls": int(one >= 0.5), "collisions": 0, "parted": 0} for one in late]

    found = sweep(Breaks(), "points", ["delay"], list(range(20)))["delay"]
    assert {value: len(runs) for value, runs in found.items()} == {0.1: 4, 0.2: 20, 0.5: 20, 1.0: 4, 2.0: 4}
    assert [value for value, runs in found.items() if any(map(harmed, runs))] == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("kind", list(PROBES))
def test_every_demand_on_a_group_is_a_scenario(kind):
    for demand, values in {"": (0.0,), **PROBES[kind].hard}.items():
        for value in values:
            made = trial(kind, 5, demand, value)
            assert load(made.scenario, made.changes).scenario.robots[0].count == PROBES[kind].count
