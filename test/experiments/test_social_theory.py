"""The experiments with the theory of social potential fields, quick: what the page says holds, and how its numbers are made."""

import numpy as np
import pytest
from found_again import found_again

from swarm_control.analysis.experiments.flight import Trial, fly
from swarm_control.social.connectivity import trilaterated
from swarm_control.social.density import equilibrium
from swarm_control.social.disc import normal
from swarm_control.social.laws import Law
from swarm_control.social.springs import embedding, springs
from swarm_experiments.papers.social.harvest import covered, unevenness
from swarm_experiments.papers.social.rest import rest, ring_error, settle, shares
from swarm_experiments.papers.social.springs import come_to_rest

MISSED = {
    "and also if it is late and lost",
}  # fmt: skip
"""What the page itself says does not hold."""


@pytest.mark.study
@pytest.mark.parametrize("name", ["social_springs", "social_carry", "social_harvest"])
def test_what_the_page_says_holds(name, lab, tmp_path):
    found_again(name, lab, tmp_path, MISSED)


@pytest.mark.study
@pytest.mark.parametrize(("repulsion", "attraction"), [(2, 1), (5, 1)])
def test_simulated_robots_lie_as_theory_says(repulsion, attraction):
    law = Law(equilibrium=1.0, repulsion=repulsion, attraction=attraction)
    disc = equilibrium(law, 500)
    cluster = rest((law, disc, 0))
    assert cluster.left < 0.05
    assert ring_error(disc, cluster.r) < 0.05
    assert np.quantile(cluster.r, 0.95) == pytest.approx(float(disc.holding(np.array(0.95))), rel=0.03)
    assert cluster.r.max() == pytest.approx(disc.rim(), rel=0.05)
    wrong = equilibrium(law, 350)
    assert ring_error(wrong, cluster.r) > 0.1


def test_shares_of_robots_drawn_from_a_density_are_one():
    disc = normal(3.0, np.array([1.0, 0.3]), 0.5, 4000.0)
    drawn = disc.holding((np.arange(4000) + 0.5) / 4000)
    share, expected = shares(disc, drawn)
    assert expected.sum() == pytest.approx(4000.0, rel=1e-6)
    assert share == pytest.approx(np.ones(len(share)), abs=0.01)
    assert ring_error(disc, drawn) < 0.01


def test_damped_swarms_rest_each_by_itself():
    """Two of them in bowls of different depth: each ends at its bottom, as it does alone."""
    depth = np.array([1.0, 25.0])[:, None, None]
    start = np.random.default_rng(0).normal(size=(2, 5, 2))
    together = settle(lambda x: -depth * (x - 1.0), start, 0.1, 1e-9)
    assert np.allclose(together, 1.0, atol=1e-8)
    assert np.allclose(settle(lambda x: -(x - 1.0), start[0], 0.1, 1e-9), together[0], atol=1e-8)


def test_damped_robots_come_to_rest_in_the_embedding():
    place = np.random.default_rng(4).uniform(-1.0, 1.0, (12, 2))
    held, leaders = springs(place, trilaterated(place), natural=False), np.array([0, 3, 7])
    aim = embedding(held, leaders, place[leaders])
    start = np.random.default_rng(5).uniform(-1.0, 1.0, (3, 12, 2))
    start[:, leaders] = place[leaders]
    assert np.allclose(come_to_rest(held, leaders, start), aim, atol=1e-5)


@pytest.mark.study
def test_the_line_sweeps_its_first_strip_evenly():
    flight = fly(Trial("harvest_line", ("duration=50",), 0))
    assert flight.summary["collisions"] == 0
    assert unevenness(flight).mean() < 0.05
    assert 0.46 < covered(flight) < 0.5
    alone = fly(Trial("harvest_line", ("duration=50", "social.weight=0", "alignment.weight=0"), 0))
    assert covered(alone) < 0.12
