"""The curves: closed forms, and the same as counting all pairs."""

import numpy as np
import pytest

from swarm_control.core.state import SwarmState
from swarm_control.dashboard.frames import METRICS
from swarm_control.dashboard.measures import Measures


def state(position, velocity=None, valid=None):
    position = np.asarray(position, float)
    n = len(position)
    velocity = np.zeros((n, 2)) if velocity is None else np.asarray(velocity, float)
    return SwarmState.of(0.0, np.column_stack((position, np.zeros(n))), np.column_stack((velocity, np.zeros(n))), valid)


def row(measures, *arguments, **more):
    return dict(zip(METRICS, measures.row(state(*arguments), **more)[0]))


def test_two_robots():
    found = row(Measures(np.array([0.1, 0.2])), [[0, 0], [3, 4]], [[1, 0], [0, 1]], formation_error=0.5)
    assert found["gap"] == pytest.approx(4.7) and found["order"] == pytest.approx(np.sqrt(0.5)) and found["speed"] == 1.0
    assert found["formation_error"] == 0.5 and np.isnan(found["collisions"]) and np.isnan(found["lateness"])


def test_a_large_robot_further_off_has_the_smaller_gap():
    assert row(Measures(np.array([0.1, 0.1, 1.5])), [[0, 0], [1, 0], [-2, 0]])["gap"] == pytest.approx(0.4)


@pytest.mark.parametrize("seed", range(5))
def test_the_gap_is_the_least_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    position, radius = rng.uniform(0, 10, (60, 2)), rng.uniform(0.05, 0.8, 60)
    a, b = np.triu_indices(60, 1)
    gaps = np.hypot(*(position[a] - position[b]).T) - radius[a] - radius[b]
    found = row(Measures(radius), position)
    assert found["gap"] == pytest.approx(gaps.min()) and np.isnan(found["collisions"]), "what overlaps as it is seen need not touch"


def test_robots_that_are_not_heard_do_not_count():
    valid = np.array([True, True, False])
    found = row(Measures(np.full(3, 0.1)), [[0, 0], [2, 0], [0.1, 0]], [[1, 0], [1, 0], [-9, 0]], valid)
    assert found["gap"] == pytest.approx(1.8) and found["order"] == 1.0 and found["speed"] == 1.0
    lonely = row(Measures(np.full(1, 0.1)), [[0, 0]], counted=7)
    assert np.isnan(lonely["gap"]) and np.isnan(lonely["order"]) and lonely["collisions"] == 7
