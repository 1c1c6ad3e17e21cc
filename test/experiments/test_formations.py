"""The experiments with virtual structures, quick: what the page says holds; times are left to the page, they are the machine's."""

import numpy as np
import pytest
from found_again import found_again

from swarm_control.core.formation.study import scattered
from swarm_control.experiments import EXPERIMENTS
from swarm_control.experiments.drill import drill
from swarm_control.experiments.flight import Trial
from swarm_control.experiments.formation_search import BIAS, HORIZON, PERIOD, SEARCHES, r3, shape, targets
from swarm_control.experiments.lab import Lab

NAMES = [name for name, experiment in EXPERIMENTS.items() if experiment.group == "virtual_structures"]


@pytest.fixture(scope="module")
def lab():
    with Lab(quick=True) as lab:
        yield lab


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_the_page_says_holds(name, lab, tmp_path):
    found_again(name, lab, tmp_path, lambda claim: "faster" in claim or (" ms" in claim and "delay" not in claim))


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
    found = {name: find(problem) for name, find in SEARCHES.items()}
    assert max(found.values()) < stay
    assert max(found.values()) == pytest.approx(min(found.values()), rel=0.02)
