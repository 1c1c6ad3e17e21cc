"""The benchmarks run, and their rival is an oracle: the same five behaviours by all pairs in plain numpy."""

import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


@pytest.mark.parametrize("seed", range(3))
def test_all_pairs_and_cells_want_the_same(seed):
    from all_pairs import AllPairs
    from ours import Swarm

    swarm = Swarm(300, f"seed={seed}")
    swarm.restart()
    pairs = AllPairs(swarm)
    wanted, made = pairs.requests(), swarm.step().requests
    assert set(made.names) == set(wanted) and len(made.names) == 5
    for name, values in zip(made.names, made.acceleration):
        expected = getattr(swarm.control, name).weight * wanted[name]
        if name == "steer_to_avoid":
            same = np.isclose(values, expected, atol=1e-9).all(axis=1)
            assert same.mean() > 0.98, "a way may be sampled to be free that is not by a fraction of a cell"
            assert values.any() and expected.any()
        else:
            assert np.allclose(values, expected, atol=1e-9), name


def test_the_scenario_has_about_ten_neighbours_at_any_size():
    from ours import Swarm

    for robots in (1000, 8000):
        swarm = Swarm(robots)
        swarm.restart()
        assert 8.0 < swarm.step().seen.count.mean() < 12.0


def test_the_table_and_the_comparisons_are_printed(capsys):
    import tick

    tick.table((10, 1000), 1)
    tick.against_all_pairs(60, 1)
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("1,000 ") and "≤ 1" in line for line in lines)
    assert any("all-pairs" in line for line in lines) and any("ratio" in line and line.endswith("×") for line in lines)


def test_what_filter_and_estimator_cost_is_printed_as_ratios(capsys):
    import overhead

    overhead.table((10,), 1)
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.split()[:2] for line in lines] == [["10", "omni"], ["10", "differential"]]
    assert all(line.count("×") == 2 for line in lines)


def test_both_controllers_hear_the_same_and_differ_in_the_switch_alone(monkeypatch):
    import overhead

    heard = []
    tick = overhead.Controller.tick
    monkeypatch.setattr(overhead.Controller, "tick", lambda self, observed: heard.append((self, observed)) or tick(self, observed))
    before, after, ratio = overhead.compare(10, "omni", "estimation.enabled", 0.2, 1)
    (plain, first), (full, second) = heard[-2:]
    assert first is second and first.measured is not None and first.measured[0] < first.state.time - 0.15
    assert not plain.controls.common.estimation.enabled and full.controls.common.estimation.enabled
    assert plain.controls.common.separation_filter.enabled and min(before, after, ratio) > 0.0


def test_without_navground_the_rest_is_printed_and_this_is_said(capsys, monkeypatch):
    import tick

    monkeypatch.setitem(sys.modules, "navground", None)
    tick.against_navground((10,), 1)
    assert capsys.readouterr().out.startswith("navground: not installed")


def test_the_forces_are_those_of_all_pairs_in_numpy_and_are_timed(capsys):
    import social

    for robots, method in ((200, "direct"), (3000, "tree")):
        step = social.Step(robots, summation=method)
        exact = social.by_numpy(step.position)
        assert np.allclose(exact, social.by_numpy_axes(step.position), rtol=1e-10, atol=1e-10)
        error = np.linalg.norm(step() - exact, axis=1) / np.linalg.norm(exact, axis=1)
        assert np.median(error) < (1e-12 if method == "direct" else 1e-3)
    social.table((100, 1000), 1)
    social.against("numpy", social.by_numpy, (100,), 1)
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("1,000 ") and "≤ 1" in line for line in lines) and "ratio" in lines[-1]


def test_pyswarming_by_one_power_wants_the_same():
    """With one power and one neighbour, as it adds up the magnitudes of the neighbours before."""
    behaviors = pytest.importorskip("pyswarming.behaviors", reason="pyswarming is not installed")
    here, there = np.zeros(3), np.array([[3.0, 4.0, 0.0]])
    assert np.allclose(behaviors.inverse_power(here, there, np.array([2.0]), np.array([2.0])), [0.048, 0.064, 0.0])
