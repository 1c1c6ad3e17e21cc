"""Random swarms of all planar models and mixtures: with the filter nobody touches anything, without it they do."""

import pytest

from swarm_experiments.motion.draws import MIXTURES, Draw, contacts

DRAWS = 10
SMALL = {"robots": (2, 16), "seconds": (1.0, 2.5)}
"""Short, but robots enough to meet: without the filter 109 of 120 draws touch."""


@pytest.mark.parametrize("late", [False, True], ids=["fresh", "late"])
@pytest.mark.parametrize("name", MIXTURES)
def test_nobody_touches_anything(name, late):
    touched = [seed for seed in range(DRAWS) if contacts(Draw(seed, MIXTURES[name], late, **SMALL))[0]]
    assert not touched, f"draws with contacts: {touched}"


def test_without_the_filter_they_do():
    found = [contacts(Draw(seed, MIXTURES["all four"], late=False, filtered=False, **SMALL))[0] for seed in range(10)]
    assert sum(hits > 0 for hits in found) > 8
