"""The experiments with virtual structures, quick: what the page says holds; times are left to the page, they are the machine's."""

import numpy as np
import pytest
from found_again import found_again

from swarm_control.analysis.experiments import EXPERIMENTS
from swarm_control.analysis.experiments.flight import UNSEEDED, Trial
from swarm_experiments.papers.structures.dense_search import scattered
from swarm_experiments.papers.structures.drill import drill
from swarm_experiments.papers.structures.figures import by_wheels, reachable, surface
from swarm_experiments.papers.structures.search import BIAS, HORIZON, PERIOD, r3, searches, shape, targets

NAMES = [name for name, experiment in EXPERIMENTS.items() if experiment.page.name == "virtual_structures"]


@pytest.mark.study
@pytest.mark.parametrize("name", NAMES)
def test_what_the_page_says_holds(name, lab, tmp_path):
    few = name == "formation_valleys"  # two problems of each kind do not tell who sticks more often
    found_again(
        name, lab, tmp_path,
        lambda claim: claim.startswith("Fig. 14: it turns") or "faster" in claim or (" ms" in claim and "delay" not in claim)
        or (few and claim.startswith("nowhere")),
    )  # fmt: skip


def test_a_drill_is_repeatable_and_sees_what_happens():
    trial = Trial("formation_failure", ("duration=8",), seed=3)
    one, two = drill(trial), drill(trial)
    assert np.array_equal(one.error, two.error) and len(one.time) == 80
    assert not one.failed[:50].any() and one.failed[-1]
    assert one.error[-1] == pytest.approx(one.summary["formation_error_max"], rel=0.2)
    assert np.isnan(one.lag).all() and (one.spread == 0.0).all()


def test_every_search_minimises_the_same_cost():
    problem = scattered(shape("circle", 4, 0.6), r3(4), targets, PERIOD, HORIZON, BIAS, np.random.default_rng(5))
    stay = float(problem.cost(problem.pose[None])[0])
    found = {name: find(problem) for name, find in searches(UNSEEDED).items()}
    assert max(found.values()) < stay
    assert max(found.values()) == pytest.approx(min(found.values()), rel=0.02)


def test_wheels_lead_where_the_papers_equations_say():
    base = 0.25
    at = by_wheels(np.array([0.1, 0.1, -0.1]), np.array([0.1, 0.2, 0.1]), base, 1.0)
    assert at[0] == pytest.approx([0.1, 0.0]) and at[2] == pytest.approx([0.0, 0.0], abs=1e-12), "straight ahead, and turning on the spot"
    turned = 0.1 / base
    assert at[1] == pytest.approx([0.15 / turned * np.sin(turned), 0.15 / turned * (1.0 - np.cos(turned))])
    assert reachable()[1] < 1e-9


@pytest.mark.study
def test_the_cost_of_one_robot_at_rest_is_nothing_on_its_axis_and_without_a_bias():
    found = surface((0.0,), 0.0)
    assert found.value.min() == pytest.approx(0.0, abs=1e-9) and found.least[0, 1] == pytest.approx(0.0, abs=1e-9)
    assert found.value[:, ::-1] == pytest.approx(found.value, abs=1e-6), "ahead and back are alike"
    assert surface((0.2, 0.5 * np.pi), 0.03).falls > found.falls > 0.0
