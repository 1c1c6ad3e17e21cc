from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swarms import random_swarm, swarm

from swarm_control.core.ground import FreeGround, places_around
from swarm_control.core.leaders import Leaders, assign_goals, hull

GOAL = np.array([10.0, 0.0])


def subgoals(target, radius, count):
    return places_around(target, radius, count, 1e-3, FreeGround(None), 0.0)


def leaders(state, radius=0.5, target=GOAL, **params):
    goal = assign_goals(state, target, subgoals(target, radius, Leaders(**params).number(len(state))), Leaders(**params))
    return goal, np.flatnonzero(np.isfinite(goal).all(axis=1))


def test_subgoals_are_equidistant_on_the_circle():
    points = subgoals(GOAL, 0.5, 6)
    assert np.hypot(*(points - GOAL).T) == pytest.approx(np.full(6, 0.5))
    assert np.hypot(*(points - np.roll(points, 1, axis=0)).T) == pytest.approx(np.full(6, 0.5))


def test_with_a_global_urge_everybody_goes_to_the_centre():
    goal, led = leaders(swarm([(0, 0), (1, 5), (2, 2)], valid=np.array([True, False, True])))
    assert led.tolist() == [0, 2] and (goal[led] == GOAL).all()


@pytest.mark.parametrize("method", ["nearest", "hull"])
def test_without_a_goal_or_without_robots_nobody_leads(method):
    assert leaders(swarm([(0, 0), (1, 1)]), target=np.full(2, np.nan), count=1, method=method)[1].size == 0
    assert leaders(swarm(np.zeros((0, 2))), count=3, method=method)[1].size == 0
    assert leaders(swarm([(0, 0)], valid=np.zeros(1, bool)), count=1, method=method)[1].size == 0


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 4))
def test_the_nearest_lead_each_once_with_the_least_sum_of_distances(seed, count):
    state = random_swarm(np.random.default_rng(seed), 6, 4.0)
    goal, led = leaders(state, count=count)
    points = subgoals(GOAL, 0.5, count)
    assert len(led) == count and len(np.unique(goal[led], axis=0)) == count
    total = np.hypot(*(goal[led] - state.position[led]).T).sum()
    best = min(np.hypot(*(state.position[list(chosen)] - points).T).sum() for chosen in permutations(range(6), count))
    assert total == pytest.approx(best)


def test_hull_leaders_lie_on_the_hull_though_others_are_nearer():
    square = [(0, 0), (4, 0), (4, 4), (0, 4)]
    state = swarm([(2.0, 2.0), (2.5, 2.0), (2.0, 2.5), *square])
    assert set(leaders(state, count=2, target=np.array([2.4, 2.2]), method="nearest")[1]) <= {0, 1, 2}
    assert set(leaders(state, count=2, target=np.array([2.4, 2.2]), method="hull")[1]) <= {3, 4, 5, 6}


def test_there_are_no_more_leaders_than_candidates():
    state = swarm([(0, 0), (1, 0), (0, 1), (0.2, 0.2)])
    assert len(leaders(state, count=4)[1]) == 4
    assert leaders(state, count=4, method="hull")[1].tolist() == [0, 1, 2]


@pytest.mark.parametrize("points", [[(0, 0)], [(0, 0), (1, 1)], [(0, 0), (1, 1), (2, 2)], [(1, 1)] * 5])
def test_points_without_area_are_all_on_their_hull(points):
    assert hull(np.array(points, float)).tolist() == list(range(len(points)))


def test_leaders_change_as_the_flock_moves():
    before, after = swarm([(9, 0), (0, 0)]), swarm([(20, 0), (9, 0)])
    assert leaders(before, count=1)[1].tolist() == [0] and leaders(after, count=1)[1].tolist() == [1]


def test_many_leaders_of_a_large_swarm_are_the_best_ones_too():
    """Beyond a million pairs only the nearest of each subgoal are looked at: the sum must stay that of the full problem."""
    from scipy.optimize import linear_sum_assignment

    state = random_swarm(np.random.default_rng(5), 60_000, 100.0)
    goal, led = leaders(state, count=20, radius=8.0)
    points = subgoals(GOAL, 8.0, 20)
    distance = np.hypot(*(state.position[:, None] - points).transpose(2, 0, 1))
    assert len(led) == 20
    assert np.hypot(*(goal[led] - state.position[led]).T).sum() == pytest.approx(distance[linear_sum_assignment(distance)].sum())


def test_a_part_that_has_lost_sight_of_the_rest_is_led_by_its_own_foremost():
    """Nine robots near the goal, three far from it and from the nine; a third of all lead."""
    near = np.column_stack((np.repeat([6.0, 6.5, 7.0], 3), np.tile([-0.5, 0.0, 0.5], 3)))
    far = np.array([[-5.0, 0.0], [-4.0, 0.2], [-4.5, -0.5]])
    state = swarm(np.vstack((near, far)))
    goal = assign_goals(state, GOAL, subgoals(GOAL, 0.5, 4), Leaders(count=4, per=0), sight=1.5)
    leading = np.flatnonzero(np.isfinite(goal[:, 0]))
    assert leading[leading >= 9].tolist() == [10], "the foremost of the three, and nobody else of them"
    assert (leading < 9).sum() == 4
