"""Reciprocal avoidance: nobody is met within the horizon if both do their half, with the least change; right of the way past others."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from swarms import around, fleet, mapped, room, see, swarm

from swarm_control.behaviours.reciprocal_avoidance import PARTING, ReciprocalAvoidance, reciprocal_avoidance
from swarm_control.core.routes import Routes

RADIUS = 0.05  # of `fleet`, m
ON = ReciprocalAvoidance(weight=10.0, aside=35.0, aside_oncoming=35.0)
STRAIGHT = ReciprocalAvoidance(weight=10.0, aside=0.0, aside_oncoming=0.0, horizon=2.0)
REACH = 2 * RADIUS + STRAIGHT.margin


def wish(state, goal, map=None, params=ON):
    """The velocities that robots want, (N, 2) m/s."""
    return reciprocal_avoidance(state, see(state, radius=9.0), around(fleet(len(state)), goal, map), params) + state.velocity[:, :2]


def boundary(place):
    """Points (K, 2) m/s of the boundary of the relative velocities that lead nearer than REACH to one at ``place`` within the horizon.

    And the normals there, away from them (K, 2).
    """
    far, bearing = np.hypot(*place), np.arctan2(place[1], place[0])
    half = np.arccos(REACH / far)
    angle = bearing + np.pi + np.linspace(-half, half, 4001)
    arc = np.column_stack((np.cos(angle), np.sin(angle)))
    points, normals = [(place + REACH * arc) / STRAIGHT.horizon], [arc]
    for end in (arc[0], arc[-1]):
        touch = place + REACH * end
        points.append(touch / STRAIGHT.horizon * np.linspace(1.0, 12.0, 4001)[:, None])
        normals.append(np.tile(end, (4001, 1)))
    return np.vstack(points), np.vstack(normals)


def half_planes(state):
    """What robot 0 may do, n (K, 2) and b (K,) of n·v ≥ b, by looking at every point of the boundaries."""
    found = []
    for k in range(1, len(state)):
        points, normals = boundary(state.position[k] - state.position[0])
        relative = state.velocity[0, :2] - state.velocity[k, :2]
        at = np.argmin(np.hypot(*(points - relative).T))
        found.append((*normals[at], normals[at] @ (state.velocity[0, :2] + 0.5 * (points[at] - relative))))
    return np.array(found)[:, :2], np.array(found)[:, 2]


def clear(state, velocity):
    """The least distance (m) between any two within the horizon if they go on at ``velocity`` (N, 2)."""
    i, j = np.triu_indices(len(state), 1)
    x, v = state.position[j] - state.position[i], velocity[j] - velocity[i]
    time = np.clip(-(x * v).sum(1) / np.maximum((v * v).sum(1), 1e-12), 0.0, STRAIGHT.horizon)
    return np.hypot(*(x + time[:, None] * v).T).min()


def test_alone_it_goes_straight_at_top_speed_and_comes_to_rest():
    assert wish(swarm([(0, 0)], [(0.3, 0.2)]), (3.0, 4.0))[0] == pytest.approx([0.6, 0.8])
    assert wish(swarm([(0, 0)]), (0.1, 0.0))[0] == pytest.approx([0.1 / ON.slowing_time, 0.0])
    assert not wish(swarm([(1, 1)], [(0.5, 0)]), (1.0, 1.0)).any()
    assert wish(swarm([(0, 0)], [(0.5, 0)]), np.nan)[0] == pytest.approx([0.5, 0.0])


def test_two_that_meet_both_keep_right_and_who_follows_goes_straight():
    pair = swarm([(-1, 0), (1, 0)], [(1, 0), (-1, 0)])
    left, right = wish(pair, [(9.0, 0.0), (-9.0, 0.0)])
    assert np.arctan2(*left[::-1]) == pytest.approx(-np.deg2rad(ON.aside)) and right == pytest.approx(-left)
    column = swarm([(0, 0), (0.5, 0)], [(1, 0), (1, 0)])
    assert wish(column, [(9.0, 0.0), (9.0, 0.0)]) == pytest.approx(np.array([[1.0, 0.0], [1.0, 0.0]]))


@pytest.mark.parametrize(
    ("side", "bearing", "pace", "far"),
    [(16, 62, 0.3, True), (16, 118, 0.3, True), (16, -90, 0.3, True), (16, 58, 0.3, False), (16, 90, 0.2, False), (26, 0, 1.0, True)],
)  # fmt: skip
def test_beside_walls_those_who_meet_keep_less_to_the_right_unless_somebody_goes_across(side, bearing, pace, far):
    """Across is at 60° to 120° to the way, and no slower than a quarter of the top speed, here 1 m/s; beside walls is within 10 m."""
    third = pace * np.array([np.cos(np.deg2rad(bearing)), np.sin(np.deg2rad(bearing))])
    state, goals = swarm([(-1, 0), (1, 0), (-4, 3)], [(1, 0), (-1, 0), third]), [(6.0, 0.0), (-6.0, 0.0), (np.nan, np.nan)]
    map = mapped(room(side=side, resolution=0.1))
    here = wish(state, goals, map, ReciprocalAvoidance(weight=10.0, aside_oncoming=7.0))[0]
    assert np.arctan2(*here[::-1]) == pytest.approx(-np.deg2rad(ON.aside if far else 7.0))


@given(st.integers(0, 10_000))
def test_two_that_both_do_their_half_do_not_meet_within_the_horizon(seed):
    rng = np.random.default_rng(seed)
    bearing, distance = rng.uniform(-np.pi, np.pi), rng.uniform(1.01 * REACH, 1.0)
    state = swarm([(0, 0), distance * np.array([np.cos(bearing), np.sin(bearing)])], rng.uniform(-0.4, 0.4, (2, 2)))
    velocity = wish(state, rng.uniform(-3, 3, (2, 2)), params=STRAIGHT)
    assert clear(state, velocity) >= REACH - 1e-9


def test_who_is_too_close_to_another_and_would_be_exactly_on_it_backs_off_by_half_of_what_parts_them():
    way = np.array([0.6, 0.8])
    state = swarm([(0, 0), 0.04 * way], [0.04 / PARTING * way, (0, 0)])
    course = wish(state, [tuple(9.0 * way), tuple(0.04 * way)], params=STRAIGHT)[0]
    assert course == pytest.approx((0.04 - 0.5 * REACH) / PARTING * way)


@given(st.integers(0, 10_000))
def test_it_takes_the_nearest_velocity_to_the_wished_one_or_what_is_least_against_the_worst(seed):
    rng = np.random.default_rng(seed)
    count = rng.integers(1, 9)
    angle, distance = rng.uniform(-np.pi, np.pi, count), rng.uniform(1.05 * REACH, 0.8, count)
    others = distance[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))
    state = swarm(np.vstack(([0, 0], others)), rng.uniform(-0.7, 0.7, (count + 1, 2)))
    goal = rng.uniform(-5, 5, (count + 1, 2))
    got, wished = wish(state, goal, params=STRAIGHT)[0], goal[0] / max(np.hypot(*goal[0]), STRAIGHT.slowing_time)
    n, b = half_planes(state)
    against = (b - n @ got).max()
    r, a = np.meshgrid(np.linspace(0, 1, 60), np.linspace(-np.pi, np.pi, 121))
    tried = np.column_stack(((r * np.cos(a)).ravel(), (r * np.sin(a)).ravel()))
    worst = (b - tried @ n.T).max(axis=1)
    assert np.hypot(*got) <= 1.0 + 1e-9
    if against <= 2e-3 and (worst <= 0.0).any():
        assert np.hypot(*(got - wished)) <= np.hypot(*(tried[worst <= 0.0] - wished).T).min() + 4e-3
    else:
        assert against <= max(worst.min(), 0.0) + 4e-3


@pytest.mark.parametrize("turn", [0.7, 2.0, -1.3])
def test_it_turns_with_the_world(turn):
    rng = np.random.default_rng(3)
    x, v, g = rng.uniform(-2, 2, (3, 12, 2))
    c, s = np.cos(turn), np.sin(turn)
    rotation = np.array([[c, -s], [s, c]])
    assert wish(swarm(x @ rotation.T, v @ rotation.T), g @ rotation.T) == pytest.approx(wish(swarm(x, v), g) @ rotation.T, abs=1e-6)


def test_those_that_are_too_close_part():
    pair = swarm([(0, 0), (1.5 * RADIUS, 0)])
    velocity = wish(pair, [(9.0, 0.0), (-9.0, 0.0)])
    assert velocity[0, 0] < -0.1 and velocity[1, 0] > 0.1
    same = swarm([(1, 2), (1, 2)])
    assert np.isfinite(wish(same, [(9.0, 0.0), (-9.0, 0.0)])).all()


def test_where_a_wall_is_in_the_way_it_takes_the_way_round_it():
    state, map = swarm([(-1.0, 0.0)]), mapped(room((0.5, 0.7, -1.0, 1.0)))
    led = replace(around(fleet(1), (3.0, 0.0), map), route=Routes(map, RADIUS).direction)
    way = Routes(map, RADIUS).direction(state.pose, np.array([[3.0, 0.0]]))
    assert abs(way[0, 1]) > 0.3 and reciprocal_avoidance(state, see(state), led, ON) == pytest.approx(way, abs=1e-6)
    beyond = replace(led, goal=np.array([[-3.0, 0.0]]))
    assert reciprocal_avoidance(state, see(state), beyond, ON)[0] == pytest.approx([-1.0, 0.0]), "nothing is in the way"


@pytest.mark.parametrize("x", [0.3, 0.36, 0.38])
def test_a_wall_is_not_met_within_the_horizon(x):
    course = wish(swarm([(x, 0.0)]), (3.0, 0.0), mapped(room((0.5, 0.7, -1.0, 1.0), resolution=0.01)))[0]
    assert course[0] <= (0.5 - RADIUS - ON.margin - x) / ON.horizon + 0.01 / ON.horizon


@pytest.mark.parametrize("upwards", [False, True])
def test_beside_a_wall_on_the_right_it_keeps_straight_on(upwards):
    close = RADIUS + ON.margin - 0.1
    turned = np.array([[0.0, 1.0], [-1.0, 0.0]]) if upwards else np.eye(2)
    map = mapped(room((0.1, 0.2, -3.0, 3.0) if upwards else (-3.0, 3.0, -0.2, -0.1)))
    meeting = swarm(np.array([(-0.5, close), (0.5, close + 0.4)]) @ turned, np.array([(1.0, 0.0), (-1.0, 0.0)]) @ turned)
    course = wish(meeting, np.array([(2.5, close), (-2.5, close + 0.4)]) @ turned, map)[0] @ turned.T
    assert abs(course[1]) < 0.1 and course[0] > 0.9


@pytest.mark.parametrize("turn", [30.0, 120.0, -50.0])
def test_a_wall_behind_it_does_not_keep_it_from_going_aside(turn):
    way, behind = (np.array([np.cos(np.deg2rad(turn + add)), np.sin(np.deg2rad(turn + add))]) for add in (0.0, 160.0))
    x, y = 0.3 * behind
    map = mapped(room((x - 0.06, x + 0.06, y - 0.06, y + 0.06), resolution=0.02))
    meeting = swarm([(0, 0), 1.5 * way], [way, -way])
    course = wish(meeting, [tuple(3.0 * way), tuple(-2.0 * way)], map)[0]
    assert np.rad2deg(np.arctan2(*course[::-1])) == pytest.approx(turn - ON.aside, abs=1e-6) and np.hypot(*course) == pytest.approx(1.0)


@pytest.mark.parametrize("turn", [30.0, 120.0, -50.0])
def test_a_wall_on_the_side_to_which_it_would_turn_keeps_it_on_its_way(turn):
    way, aside = (np.array([np.cos(np.deg2rad(turn + add)), np.sin(np.deg2rad(turn + add))]) for add in (0.0, -ON.aside))
    x, y = 0.6 * aside
    map = mapped(room((x - 0.08, x + 0.08, y - 0.08, y + 0.08), resolution=0.02))
    meeting = swarm([(0, 0), 1.5 * way], [way, -way])
    course = wish(meeting, [tuple(3.0 * way), tuple(-2.0 * way)], map)[0]
    assert turn - 0.35 * ON.aside < np.rad2deg(np.arctan2(*course[::-1])) < turn - 0.1 * ON.aside
