"""The measures behind the page on the walking hexapod, on cases whose answer is known; every experiment has its place."""

import numpy as np
import pytest

from swarm_control.analysis.experiments import EXPERIMENTS
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.intervals import share_interval
from swarm_control.gait.oscillators import pattern, phases
from swarm_control.scenario.loader import load
from swarm_experiments.papers.hexapod import grounds
from swarm_experiments.papers.hexapod.gaits import in_tripods, rules
from swarm_experiments.papers.hexapod.numerics import straightness
from swarm_experiments.papers.hexapod.pictures import diagram, margin


@pytest.mark.parametrize("frequency", [2.0, 5.0, 10.0])
def test_rules_measured_of_oscillators_are_those_that_they_are_made_of(frequency):
    stepping, _ = pattern(phases(6, frequency, 0.05, 0.2), np.full(16000, frequency), 0.00025, 0.05, 0.05, 2.0)
    found = rules(stepping[4000:], 0.00025)
    assert found.interval == pytest.approx((0.05, 0.0), abs=0.0006)
    assert found.across == pytest.approx((0.5, 0.0), abs=0.004)
    assert found.step == pytest.approx((0.05, 0.0), abs=0.0006)
    assert found.frequency[0] == pytest.approx(frequency, rel=0.01)
    assert found.early < 0.01
    assert (in_tripods(stepping[4000:]).mean() > 0.95) == (frequency == 10.0)


def test_the_margin_of_a_square_and_a_triangle():
    square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
    assert margin(np.array([1.0, 1.2]), square) == pytest.approx(0.8)
    assert margin(np.array([3.0, 1.0]), square) == pytest.approx(-1.0)
    assert margin(np.array([1.5, 1.0]), square[:3]) == pytest.approx(0.5 / np.sqrt(2.0))
    assert margin(np.array([1.0, 1.0]), square[:2]) == pytest.approx(-1.0), "two feet do not support"
    assert margin(np.zeros(2), square[:0]) < 0.0


def test_a_diagram_is_white_where_legs_step():
    stepping = np.zeros((400, 6), bool)
    dark = diagram(stepping, 0.002)
    bright = diagram(~stepping, 0.002)
    assert dark.shape == bright.shape and bright.mean() > dark.mean() + 100.0


def test_a_line_is_straight_and_a_parabola_less():
    x = np.arange(4.0, 40.0)
    assert straightness(x, 3.0 * x + 1.0) == pytest.approx(1.0) and straightness(x, (x - 20.0) ** 2) < 0.5


def test_all_experiments_of_the_page_are_there():
    names = ("gaits", "walking", "springs", "command", "reflexes", "terrain", "tuning", "numerics", "flock", "grounds", "disturbed")
    assert {name for name, e in EXPERIMENTS.items() if e.page.name == "hexapod"} == {f"hexapod_{name}" for name in names}


def test_every_ground_is_a_scenario_and_each_leg_is_lost_in_turn():
    for name in grounds.GROUNDS:
        made = grounds.trials(name, [Seed(seed) for seed in range(2000, 2012)])
        assert len({trial.changes for trial in made}) == (6 if "lost" in name else 1)
        for trial in made[:6]:
            assert load(trial.scenario, trial.changes).scenario.bodies.terrain.friction == 0.7


def test_wilsons_interval_is_that_of_the_tables():
    assert share_interval(58, 60) == pytest.approx((0.8864, 0.9908), abs=2e-4)
    assert share_interval(0, 10)[0] == pytest.approx(0.0) and share_interval(10, 10)[1] == pytest.approx(1.0)
