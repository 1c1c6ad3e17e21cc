import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.analysis.cluster import executors
from swarm_control.analysis.tuning.journal import Journal
from swarm_control.analysis.tuning.objective import Constraint, Objective, Score, Term, objective_of
from swarm_control.analysis.tuning.objective_function import OBJECTIVES, measured, register_objective
from swarm_control.analysis.tuning.search import Candidate, Flights, TuningProblem, _Search
from swarm_control.analysis.tuning.space import Dimension, Space, changes, space_of
from swarm_control.errors import InputError

SUMMARY = {
    "scenario": "test", "duration": 60.0, "collisions": 2, "min_separation": 0.3, "min_clearance": None, "polarization": 0.9,
    "arrived_fraction": 0.5, "arrival_time": None, "formation_error_mean": None,
}  # fmt: skip


@given(st.floats(1e-3, 1e3), st.floats(1.01, 1e3), st.floats(0, 1), st.booleans())
def test_place_and_value_are_inverse(low, factor, share, log):
    dimension = Dimension("x", low, low * factor, log, False, low)
    value = dimension.value(share)
    assert low <= value <= low * factor
    assert dimension.value(dimension.place(value)) == pytest.approx(value, rel=2e-5)  # values have six digits
    assert [dimension.value(0.0), dimension.value(1.0)] == pytest.approx([low, low * factor], rel=1e-5)


def test_a_logarithmic_range_has_its_geometric_mean_in_the_middle():
    assert Dimension("x", 0.01, 100.0, True, False, 1.0).value(0.5) == pytest.approx(1.0)


def test_space_of_a_scenario_starts_at_its_values():
    texts = ["separation.weight=0:1", "control.separation.distance=0.1:1:log", "leaders.count=0:4", "robots.0.max_speed=0.5:1"]
    space = space_of("migrate_mixed", ["separation.distance=0.5"], texts)
    assert space.start == {"separation.weight": 0.2, "control.separation.distance": 0.5, "leaders.count": 3, "robots.0.max_speed": 0.8}
    assert space.values(space.middle)["leaders.count"] == 3
    assert changes({"leaders.count": 3, "separation.weight": 0.25}) == ["leaders.count=3", "separation.weight=0.25"]


def test_what_a_group_or_a_phase_does_not_set_starts_at_what_it_follows(tmp_path):
    """Also of a number written without a point, which is none that may only be whole."""
    file = tmp_path / "groups.yaml"
    file.write_text(
        "robots: [{count: 3, group: red}, {count: 3, group: blue, start: {center: [9, 0]}}]\n"
        "control: {alignment: {weight: 0.3}, formation: {spacing: 0.7}}\n"
        "groups: {red: {control: {separation: {weight: 2}}}}\n"
        "phases: [{start: 2, set: {separation.weight: 4}}, {start: 1, set: {alignment.weight: 1}}]\n"
    )
    started = {
        "groups.red.alignment.weight": 0.3, "groups.red.separation.weight": 2.0, "groups.red.formation.spacing": 0.7,
        "groups.blue.alignment.weight": 0.3, "phases.0.set.alignment.weight": 1.0, "phases.0.set.groups.red.cohesion.weight": 0.0,
        "phases.1.set.separation.weight": 0.0,
    }  # fmt: skip
    space = space_of(str(file), [], [f"{path}=0.1:9" for path in started])
    assert space.start == started and not any(dimension.whole for dimension in space.dimensions)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("separation.weight", "expected PATH=LOW:HIGH"), ("separation.weight=1:0", "LOW below HIGH"),
        ("separation.weight=0:1:log", "above 0"), ("separation.weight=a:b", "expected PATH=LOW:HIGH"),
        ("separation.weigth=0:1", "unknown key"), ("separation.weight=-5:1", "separation.weight"), ("leaders.method=0:1", "leaders.method"),
    ],
)  # fmt: skip
def test_bad_parameters_are_one_line(text, message):
    with pytest.raises(InputError, match=message):
        space_of("migrate_mixed", [], [text])


@pytest.mark.parametrize(
    ("terms", "constraints", "message"),
    [
        (["speed"], [], "expected one of collisions"), (["arrival_time=-1"], [], "weight above 0"),
        (["arrival_time=x"], [], "weight above 0"), (["arrival_time"], ["collisions<1"], "expected METRIC<=BOUND"),
        (["arrival_time"], ["collisions<=few"], "expected a number"),
    ],
)  # fmt: skip
def test_bad_objectives_are_one_line(terms, constraints, message):
    with pytest.raises(InputError, match=message):
        objective_of(terms, constraints)


def test_less_or_more_is_better_as_the_measure_has_it():
    objective = objective_of(["min_separation=2", "collisions"], ["arrived_fraction>=0.9", "collisions<=5"])
    assert objective.score([SUMMARY, SUMMARY]) == Score(pytest.approx(0.8), pytest.approx(2.0 - 2 * 0.3))
    assert objective.score([]).cost == math.inf


def test_arriving_never_is_worse_than_late_and_better_the_more_arrive():
    late, half, none = ({**SUMMARY, **found} for found in (
        {"arrival_time": 60.0, "arrived_fraction": 1.0}, {"arrived_fraction": 0.5}, {"arrived_fraction": 0.0},
    ))  # fmt: skip
    times = [measured(summary, "arrival_time") for summary in (late, half, none)]
    assert times == [60.0, 90.0, 120.0]
    with pytest.raises(InputError, match="does not have this measure"):
        measured(SUMMARY, "formation_error_mean")
    with pytest.raises(InputError, match="does not have this measure"):
        objective_of([], ["collisions<=0"]).score([{**SUMMARY, "collisions": None}])


class Bowl:
    """Flights over a bowl: the cost is the distance to (0.3, 0.7), and x must be at least 0.5."""

    def __init__(self, objective):
        self.objective, self.flown = objective, 0

    def fly(self, candidates, seeds, done):
        found = []
        for values in candidates:
            x, y = values["x"], values["y"]
            summaries = [{**SUMMARY, "arrival_time": math.hypot(x - 0.3, y - 0.7), "min_separation": x} for _ in seeds]
            self.flown += len(seeds)
            found.append(Candidate(values, self.objective.score(summaries), tuple(summaries)))
        return found


@pytest.mark.parametrize(("constraints", "best"), [((), (0.3, 0.7)), ((Constraint("min_separation", ">=", 0.5),), (0.5, 0.7))])
def test_the_search_finds_the_minimum_within_constraints(constraints, best):
    objective = Objective((Term("arrival_time", 1.0),), constraints)
    space = Space((Dimension("x", 0.0, 1.0, False, False, 0.05), Dimension("y", 0.0, 1.0, False, False, 0.05)))
    problem = TuningProblem("bowl", (), space, objective, (0, 1), 0)
    flights = Bowl(objective)
    result = _Search(problem, flights, 240, 1, lambda *_: None).run((2,))
    assert np.allclose([result.best.values["x"], result.best.values["y"]], best, atol=0.01)
    assert result.best.score.violation == 0.0
    assert len(result.candidates) == 241 and flights.flown == 2 * 241 + 2
    assert result.candidates[0].values == {"x": 0.05, "y": 0.05}


def test_the_journal_gives_back_what_it_was_told(tmp_path):
    path, problem = tmp_path / "runs.jsonl", {"scenario": "a"}
    journal = Journal(path, problem)
    journal.add({"x": 0.1}, 0, {"collisions": 1})
    journal.add({"x": 0.1}, 1, {"collisions": 2})
    journal.close()
    with path.open("a") as file:
        file.write('{"values": {"x": 0.2}, "se')  # cut off
    again = Journal(path, problem)
    assert (again.get({"x": 0.1}, 0), again.get({"x": 0.1}, 1), again.get({"x": 0.2}, 0)) == ({"collisions": 1}, {"collisions": 2}, None)
    again.add({"x": 0.2}, 0, {"collisions": 3})
    again.close()
    assert len(Journal(path, problem)) == 3
    with pytest.raises(InputError, match="another tuning"):
        Journal(path, {"scenario": "b"})


@pytest.mark.parametrize("text", ["not json\n", '{"problem": {"scenario": "a"}}\n{"values": 3}\n'])
def test_a_journal_that_is_none_is_refused_and_kept(tmp_path, text):
    path = tmp_path / "runs.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=r"runs\.jsonl"):
        Journal(path, {"scenario": "a"})
    assert path.read_text() == text


def test_runs_that_fail_make_a_candidate_infinitely_bad(tmp_path):
    objective = objective_of(["collisions"], [])
    space = Space((Dimension("leaders.count", 0.0, 20.0, False, True, 3.0),))
    journal = Journal(tmp_path / "runs.jsonl", {})
    flights = Flights(TuningProblem("migrate_mixed", ("duration=0.5",), space, objective, (0,), 0), journal, executors(1))
    done = SimpleNamespace(runs=0)
    good, bad = flights.fly([{"leaders.count": 2}, {"leaders.count": 20}], (0,), lambda: setattr(done, "runs", done.runs + 1))
    flights.close()
    assert good.score == Score(0.0, 0.0) and bad.score.violation == math.inf and done.runs == 2
    assert "expected at most 10" in json.dumps(bad.summaries)


def test_an_objective_of_ones_own_is_minimised_and_can_be_a_constraint():
    @register_objective
    def lateness(summary):
        """How late they are."""
        return summary["arrival_time"] - 10.0

    try:
        objective = objective_of(["lateness=2"], ["lateness<=1"])
        early, late = SUMMARY | {"arrival_time": 8.0}, SUMMARY | {"arrival_time": 14.0}
        assert objective.score([early]) == Score(0.0, -4.0) and objective.score([late]) == Score(3.0, 8.0)
    finally:
        OBJECTIVES.remove("lateness")
