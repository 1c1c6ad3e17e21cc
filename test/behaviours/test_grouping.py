"""Grouping against the paper's equations, written out robot by robot, and what must not matter to it."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swarms import around, fleet, random_swarm, rotated, see, swarm

from swarm_control.behaviours.grouping import Grouping, grouping, heading, place
from swarm_control.core.state import Surroundings, SwarmState

QUICK = settings(deadline=None, max_examples=50)
SEEDS = st.integers(0, 2**32)
GAINS = (3.0, 0.7, 0.4)


def surround(n: int, obstacles=None, gains=GAINS, radius: float = 0.3) -> Surroundings:
    table = np.tile(np.array(gains or GAINS), (n, 1))
    return replace(around(fleet(n, radius=radius), map=None if obstacles is None else standing(obstacles)), gains=gains and (lambda: table))


def standing(obstacles) -> Any:
    """A map of nothing but round bodies (K, 3)."""
    return SimpleNamespace(once=lambda make: np.array(obstacles, float))


def ask(state: SwarmState, surroundings: Surroundings, count: int = 0, **params):
    return grouping(state, see(state, radius=1000.0, count=count), surroundings, Grouping(**params))


def aside(position, obstacles, **params) -> np.ndarray:
    """Where robots that go along x, each on its own, are pushed by obstacles alone, (n, 2) m."""
    pushed = []
    for point in np.atleast_2d(position):
        settings_ = {"speed": 2.0, "sight": 5.0, "clearance": 1.0} | params
        pushed.append(ask(swarm(point, velocity=(2.0, 0.0)), surround(1, obstacles, (1.0, 1.0, 0.0)), **settings_)[0])
    return np.array(pushed)


@QUICK
@given(SEEDS, st.integers(2, 12), st.floats(0.0, 9.0))
def test_the_place_wished_is_the_weighted_mean_of_the_paper(seed, n, distance):
    """x_d = Σ (x_i + D·û_i)/d_i² / Σ 1/d_i², û_i from i to the robot."""
    state = random_swarm(np.random.default_rng(seed), n, 10.0)
    wished = []
    for me in range(n):
        others = [k for k in range(n) if k != me]
        d = np.array([np.linalg.norm(state.position[me] - state.position[k]) for k in others])
        points = [state.position[k] + distance * (state.position[me] - state.position[k]) / r for k, r in zip(others, d)]
        wished.append(np.average(points, axis=0, weights=1.0 / d**2))
    assert np.allclose(state.position + place(see(state, radius=1000.0), distance), wished, atol=1e-9)


@QUICK
@given(SEEDS, st.floats(0.1, 5.0), st.floats(0.0, 2.0))
def test_the_request_is_that_of_predicted_errors(seed, position, horizon):
    rng = np.random.default_rng(seed)
    state, (kp, kv) = random_swarm(rng, 9, 8.0), (position, 0.3)
    got = ask(state, surround(9, gains=(kp, kv, horizon)), distance=2.0, speed=1.5, heading=30.0)
    goal = 1.5 * np.array([np.cos(np.pi / 6), np.sin(np.pi / 6)])
    velocity = state.velocity[:, :2]
    others = (velocity.sum(axis=0) - velocity) / 8.0
    predicted = state.position + velocity * horizon
    wished = state.position + place(see(state, radius=1000.0), 2.0) + others * horizon
    assert np.allclose(got, kp * (wished - predicted) + kv * (goal - velocity), atol=1e-9)


def test_a_hopper_s_gains_give_its_equation_14():
    """ẋ_d = ẋ + ½[(ẋ_g − ẋ) + e/(t_s/2 + t_f)], reached in one step."""
    stance, flight = 0.17, 0.3
    step = stance + flight
    state = swarm([(0, 0), (3, 1)], velocity=[(1.7, 0.2), (2.1, -0.1)])
    got = ask(state, surround(2, gains=(0.5 / step / (0.5 * stance + flight), 0.5 / step, step)), distance=5.0, speed=2.0)
    x, v = state.position, state.velocity[:, :2]
    away = (x[0] - x[1]) / np.linalg.norm(x[0] - x[1])
    e = np.array([x[1] + 5.0 * away + v[1] * step - x[0] - v[0] * step, x[0] - 5.0 * away + v[0] * step - x[1] - v[1] * step])
    assert np.allclose(v + got * step, v + 0.5 * ((2.0, 0.0) - v + e / (0.5 * stance + flight)), atol=1e-12)


@QUICK
@given(SEEDS, st.floats(-np.pi, np.pi))
def test_origin_axes_and_order_do_not_matter(seed, angle):
    rng = np.random.default_rng(seed)
    state, obstacles = random_swarm(rng, 15, 12.0), np.column_stack((rng.uniform(-9, 9, (3, 2)), rng.uniform(0.2, 2.0, 3)))
    params = {"distance": 3.0, "speed": 2.0, "sight": 4.0}
    plain, shift = ask(state, surround(15, obstacles), heading=20.0, **params), np.array([40.0, -7.0])
    moved = SwarmState.of(
        0.0, np.column_stack((rotated(state.position, angle) + shift, state.pose[:, 2])),
        np.column_stack((rotated(state.velocity[:, :2], angle), state.velocity[:, 2])),
    )  # fmt: skip
    there = np.column_stack((rotated(obstacles[:, :2], angle) + shift, obstacles[:, 2]))
    assert np.allclose(rotated(plain, angle), ask(moved, surround(15, there), heading=20.0 + np.rad2deg(angle), **params), atol=1e-7)
    order = rng.permutation(15)
    shuffled = SwarmState.of(0.0, state.pose[order], state.velocity[order])
    assert np.allclose(plain[order], ask(shuffled, surround(15, obstacles), heading=20.0, **params), atol=1e-9)


def test_a_robot_alone_and_at_the_group_s_velocity_wants_nothing():
    assert not ask(swarm((3, 4), velocity=(2.0, 0.0)), surround(1), speed=2.0).any()


def test_kinds_without_gains_of_their_own_take_those_of_the_parameters():
    state = swarm([(0, 0), (2, 0)], velocity=[(1, 0), (0, 0)])
    own = np.array([(np.nan, np.nan, 0.05), GAINS])
    got = ask(state, replace(surround(2), gains=lambda: own), distance=5.0, position_gain=2.0, velocity_gain=0.5)
    assert got == pytest.approx(np.array([(2.0 * (-3.0 - 0.05) - 0.5, 0.0), (3.0 * (3.0 + 0.4), 0.0)]))
    nobody_knows = ask(state, surround(2, gains=None), distance=5.0, position_gain=2.0, velocity_gain=0.5)
    assert nobody_knows == pytest.approx(np.array([(2.0 * -3.0 - 0.5, 0.0), (6.0, 0.0)]))


def test_coincident_robots_part():
    request = ask(swarm([(1, 1), (1, 1)]), surround(2), distance=2.0)
    assert np.isfinite(request).all() and (request[0] == -request[1]).all() and request[0].any()


def test_the_group_turns_at_a_steady_rate_within_the_time_given():
    params = Grouping(heading=-45.0, turn_from=45.0, turn_start=40.0, turn_time=10.0)
    assert np.rad2deg([heading(params, t) for t in (0.0, 40.0, 42.5, 45.0, 50.0, 99.0)]) == pytest.approx([45, 45, 22.5, 0, -45, -45])
    assert heading(replace(params, turn_time=0.0), 0.0) == pytest.approx(-np.pi / 4)


def test_an_obstacle_pushes_to_the_robot_s_side_and_the_more_the_nearer_it_is():
    """±D_obs/d² aside (equation 5), but no further than R + clearance = 2 m + 0.3 m + 1 m."""
    disc = [(10.0, 0.0, 2.0)]
    for x, way in ((4.0, 36.0 / 36.04), (6.0, 36.0 / 16.04), (7.5, 3.3), (9.9, 3.3)):
        assert aside([(x, 0.2), (x, -0.2)], disc) == pytest.approx(np.array([(0.0, way), (0.0, -way)]))


@QUICK
@given(st.floats(3.1, 9.9), st.floats(0.0, 12.0), st.floats(0.0, 12.0))
def test_nobody_further_out_is_pushed_more_and_nobody_level_with_the_obstacle_is_left_out(x, one, other):
    """So those within are not pressed against those without: these move aside too."""
    inner, outer = aside([(x, min(one, other)), (x, max(one, other))], [(10.0, 0.0, 2.0)], sight=15.0)[:, 1]
    assert inner >= outer > 0.0


def test_an_obstacle_is_known_to_all_as_soon_as_one_who_stands_sees_it():
    disc = surround(2, [(10.0, 0.0, 2.0)], (1.0, 1.0, 0.0))

    def pushed(first: tuple[float, float], fallen: bool = False) -> np.ndarray:
        state = replace(swarm([first, (-6.0, -3.0)], velocity=[(2.0, 0.0)] * 2), fallen=np.array([fallen, False]))
        return grouping(state, see(state, radius=0.1), disc, Grouping(speed=2.0, sight=5.0))[:, 1]

    assert pushed((4.0, 2.0)) == pytest.approx([36.0 / 40.0, -36.0 / 265.0])
    assert pushed((3.0, 2.0)) == pytest.approx(0.0), "5.3 m to its edge"
    assert pushed((4.0, 2.0), fallen=True) == pytest.approx(0.0)


def test_behind_an_obstacle_robots_are_drawn_to_the_middle():
    """Not before the obstacle is passed, R = 2.3 m behind its middle, nor for longer than the distance set."""
    disc = [(10.0, 0.0, 2.0)]
    pulled = aside([(17.0, 4.0), (17.0, -4.0), (12.2, 4.0), (12.4, 4.0), (40.0, 4.0)], disc, rejoin=0.25, rejoin_distance=15.0)
    assert pulled == pytest.approx(np.array([(0.0, -1.0), (0.0, 1.0), (0.0, 0.0), (0.0, -1.0), (0.0, 0.0)]))


def test_room_is_made_for_each_visible_neighbour_in_the_rectangle_before_the_obstacle():
    """The first robot looks at (10, 0) from (6, 2): two are in the rectangle, others behind it, beside it, beyond it and across."""
    others = [(7.0, 1.0), (8.0, 0.5), (5.0, 1.0), (8.0, 2.5), (10.5, 1.0), (8.0, -0.5)]
    state = swarm([(6.0, 2.0), *others], velocity=[(2.0, 0.0)] * 7)
    surroundings = surround(7, [(10.0, 0.0, 2.0)], (1.0, 1.0, 0.0))
    common = {"speed": 2.0, "distance": 0.0, "sight": 5.0, "clearance": 1.5}
    with_room = ask(state, surroundings, neighbour_room=0.5, **common)[0]
    assert with_room - ask(state, surroundings, neighbour_room=0.0, **common)[0] == pytest.approx((0.0, 1.0))
    seen = ask(state, surroundings, 1, neighbour_room=0.5, **common) - ask(state, surroundings, 1, neighbour_room=0.0, **common)
    assert seen[0] == pytest.approx((0.0, 0.5)), "of the two only the nearest is visible"


def test_the_fallen_are_obstacles_to_the_others_and_not_to_themselves():
    state = swarm([(0.0, 0.1), (2.0, 0.0)], velocity=[(2.0, 0.0), (0.0, 0.0)])
    fallen = replace(state, fallen=np.array([False, True]))
    body = surround(2, [(2.0, 0.0, 0.3)], (1.0, 1.0, 0.0))
    nobody = replace(body, map=None)
    request = grouping(fallen, see(fallen, radius=10.0), nobody, Grouping(speed=2.0, sight=5.0))
    assert request[0] == pytest.approx((0.0, 1.6)), "36/d² would be further than 0.3 m + 0.3 m + 1 m"
    assert request[1] == pytest.approx((2.0, 0.0))
    assert request[0] == pytest.approx(grouping(fallen, see(fallen, radius=10.0), body, Grouping(speed=2.0, sight=5.0))[0] / 2.0)


def test_what_lies_out_of_a_robot_s_own_sight_is_known_to_it_from_the_others():
    """Onboard, a robot's own state is all that its tick holds: obstacles near others, and who has fallen, come from all robots' states."""
    state = swarm([(0.0, 0.1), (20.0, 0.3), (4.0, 0.0), (30.0, 0.0)], velocity=[(2.0, 0.0)] * 4)
    hosted = replace(state, fallen=np.array([False, False, True, False]))
    alone = SwarmState.of(0.0, state.pose, state.velocity, np.arange(4) == 0)
    body, params = surround(4, [(22.0, 0.0, 0.3)], (1.0, 1.0, 0.0)), Grouping(speed=2.0, sight=5.0)
    nobody = see(swarm(state.position * 1e3), radius=1.0)
    told = grouping(alone, nobody, replace(body, swarm=hosted), params)
    assert told[0].tolist() == grouping(hosted, nobody, body, params)[0].tolist()
    assert told[0, 1] > 0.1 > abs(grouping(alone, nobody, body, params)[0, 1])
