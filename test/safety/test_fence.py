"""Robots stay inside a fence whatever they are told, and it is not felt far from it."""

from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from swarms import fleet, rotated, swarm

from swarm_control.core.actuation import actuate
from swarm_control.core.motion import Motion
from swarm_control.core.state import SwarmState
from swarm_control.safety.bounds import Safety
from swarm_control.safety.command import command, restrain
from swarm_control.safety.fence import clearance, keep_inside, polygon
from swarm_control.safety.separation_filter import SeparationFilter, stopping_speed

SEEDS = st.integers(0, 2**32)
ROBOTS = ("omni", "differential", "car", "point_mass")
SQUARE = (-1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0)
HORIZON = 0.2


def star(rng, corners):
    """A polygon with corners at any distance around the origin, mostly not convex; shrunk it may fall into parts."""
    angle = 2.0 * np.pi * (np.arange(corners) + rng.uniform(-0.4, 0.4, corners)) / corners
    return (rng.uniform(0.4, 2.5, corners) * np.stack((np.cos(angle), np.sin(angle)))).T


def crowd(rng, corners, model, n, margin):
    """Robots at rest anywhere on the floor inside, of many sizes and strengths."""
    robots = replace(
        fleet(n, model), radius=rng.uniform(0.02, 0.1, n), max_speed=rng.uniform(0.2, 2.0, n), max_acceleration=rng.uniform(0.5, 8.0, n)
    )  # fmt: skip
    places, floor = rng.uniform(-2.5, 2.5, (4000, 2)), shapely.Polygon(corners)
    spots = shapely.points(places)
    places = places[shapely.contains(floor, spots) & (shapely.distance(floor.exterior, spots) > 0.1 + margin)][:n]
    if len(places) < n:
        assume(False)
    return robots, np.column_stack((places, rng.uniform(-np.pi, np.pi, n)))


def wild(rng, n):
    """Twists of any kind, beyond all limits too."""
    return rng.normal(size=(n, 3)) * rng.choice((0.0, 0.3, 3.0, 30.0), (n, 3))


@settings(deadline=None, max_examples=30)
@given(SEEDS, st.integers(3, 12), st.sampled_from(ROBOTS), st.sampled_from((0.02, 0.05, 0.1)))
def test_nobody_ever_leaves_for_any_commands(seed, count, model, period):
    """Footprints stay inside the polygon itself while the engine moves the robots; now and then a command is the last for the horizon."""
    rng, n, margin = np.random.default_rng(seed), 20, 0.02
    corners = star(rng, count)
    robots, pose = crowd(rng, corners, model, n, margin)
    floor, went = shapely.Polygon(corners), []
    state, wish = SwarmState.of(0.0, pose, np.zeros((n, 3))), wild(rng, n)
    for _ in range(40):
        change = rng.random(n) < 0.2
        wish[change] = wild(rng, n)[change]
        twist, _ = keep_inside(wish, state.pose, state.velocity, robots, corners, margin, HORIZON)
        late = rng.random() < 0.1
        for _ in range(round((HORIZON if late else period) / 0.01)):
            _, pose, velocity = actuate(state, twist, robots, 0.01)
            state = SwarmState.of(0.0, pose, velocity)
            went.append(state.position)
    bodies = shapely.points(went)
    assert shapely.contains(floor, bodies).all()
    assert (shapely.distance(floor.exterior, bodies) > robots.radius).all()


NOTCHED = 2.0 * np.array([(-1, -1), (1, -1), (1, 1), (0.1, 1), (0, -0.2), (-0.1, 1), (-1, 1)])


@settings(deadline=None, max_examples=30)
@given(
    SEEDS, st.sampled_from(ROBOTS), st.floats(0.3, 5.0), st.floats(2.0, 50.0), st.floats(1.0, 50.0), st.integers(1, 10),
    st.floats(0.5, 4.0), st.booleans(),
)  # fmt: skip
@example(0, "point_mass", 4.3, 12.0, 6.0, 10, 1.13, False)
@example(0, "omni", 4.3, 12.0, 6.0, 10, 1.13, False)
@example(0, "differential", 5.0, 50.0, 50.0, 5, 4.0, True)
def test_nobody_comes_nearer_than_the_margin_however_fast_strong_or_late(seed, model, speed, strength, turn, ticks, patience, notched):
    """Also where the command's timeout is no whole number of periods, or of the fence's steps."""
    rng, n, margin, period = np.random.default_rng(seed), 20, 0.05, 0.01 * ticks
    corners = NOTCHED if notched else polygon(2.0 * np.array(SQUARE))
    robots = fleet(n, model, speed=speed, acceleration=strength, turn=turn)
    places = rng.uniform(-2.0, 2.0, (1000, 2))
    places = places[clearance(corners, places) > 0.15][:n]
    state = SwarmState.of(0.0, np.column_stack((places, rng.uniform(-np.pi, np.pi, n))), np.zeros((n, 3)))
    wish, floor, went = rng.normal(size=(n, 3)) * (speed, speed, turn), shapely.Polygon(corners), []
    for _ in range(60):
        change = rng.random(n) < 0.1
        wish[change] = (rng.normal(size=(n, 3)) * (speed, speed, turn))[change]
        told, _ = keep_inside(wish, state.pose, state.velocity, robots, corners, margin, max(patience, 1.0) * period, period)
        for _ in range(ticks):
            state = SwarmState.of(0.0, *actuate(state, told, robots, 0.01)[1:])
            went.append(state.position)
    bodies = shapely.points(went)
    assert shapely.contains(floor, bodies).all()
    assert (robots.radius + margin - shapely.distance(floor.exterior, bodies)).max() < 2e-4


@settings(deadline=None)
@given(SEEDS, st.integers(3, 12))
def test_the_signed_distance_is_the_polygons(seed, count):
    rng = np.random.default_rng(seed)
    corners, points = star(rng, count), rng.uniform(-3.0, 3.0, (50, 2))
    floor, places = shapely.Polygon(corners), shapely.points(points)
    sign = np.where(shapely.contains(floor, places), 1.0, -1.0)
    assert clearance(corners, points) == pytest.approx(sign * shapely.distance(floor.exterior, places), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.sampled_from(ROBOTS), st.floats(-np.pi, np.pi), st.tuples(st.floats(-50, 50), st.floats(-50, 50)))
def test_turned_and_moved_with_the_world_the_twists_are_the_same(seed, model, angle, shift):
    """The share is found in halves: a rounding error may move it by one of the smallest steps."""
    rng = np.random.default_rng(seed)
    corners = star(rng, 7)
    robots, pose = crowd(rng, corners, model, 20, 0.0)
    velocity = np.column_stack((rng.normal(0.0, 0.3, (20, 2)), np.zeros(20)))
    wish = wild(rng, 20)
    here, _ = keep_inside(wish, pose, velocity, robots, corners, 0.0, HORIZON)
    there, _ = keep_inside(
        wish, np.column_stack((rotated(pose[:, :2], angle) + shift, pose[:, 2] + angle)),
        np.column_stack((rotated(velocity[:, :2], angle), velocity[:, 2])), robots, rotated(corners, angle) + shift, 0.0, HORIZON,
    )  # fmt: skip
    same = np.isclose(here, there, rtol=1e-9, atol=1e-9 * (1.0 + np.abs(wish))).all(axis=1)
    assert same.mean() >= 0.95


@pytest.mark.parametrize("model", ROBOTS)
def test_far_from_the_fence_commands_are_unchanged_to_the_bit(model):
    rng, n = np.random.default_rng(5), 50
    state = swarm(rng.uniform(-10, 10, (n, 2)), rng.normal(0.0, 0.4, (n, 2)), rng.uniform(-np.pi, np.pi, n))
    acceleration, robots = rng.normal(0.0, 3.0, (n, 2)), fleet(n, model)
    large = Safety(fence=tuple(20.0 * np.array(SQUARE)))
    for step, wish in ((command, acceleration), (restrain, rng.normal(0.0, 0.5, (n, 3)))):
        free, _ = step(state, wish, robots, None, Motion(), SeparationFilter(), 0.05)
        fenced, changed = step(state, wish, robots, None, Motion(), SeparationFilter(), 0.05, large)
        assert fenced.twist.tobytes() == free.twist.tobytes() and not changed.any()


def test_towards_the_fence_speed_is_what_braking_allows_and_ends_in_a_stop():
    robots, corners = fleet(1), polygon(SQUARE)
    for gap in (0.4, 0.2, 0.1, 0.03, 0.005):
        speed = stopping_speed(gap, 4.0, HORIZON)
        pose, velocity = np.array([(0.95 - gap, 0.0, 0.0)]), np.array([(speed, 0.0, 0.0)])
        twist, changed = keep_inside(np.array([(1.0, 0.0, 0.0)]), pose, velocity, robots, corners, 0.0, HORIZON)
        assert changed[0] == (speed < 1.0)
        assert min(speed, 1.0) - 1.0 / 64 <= twist[0, 0] <= min(speed, 1.0) + 1e-9
    twist, _ = keep_inside(np.array([(1.0, 0.0, 0.0)]), np.array([(0.95, 0.0, 0.0)]), np.zeros((1, 3)), robots, corners, 0.0, HORIZON)
    assert twist[0, 0] == 0.0


@pytest.mark.parametrize("model", ROBOTS)
def test_outside_robots_may_only_move_inwards(model):
    """One is told to come in, one to go further out, one to go along the fence."""
    robots, corners = fleet(3, model), polygon(SQUARE)
    pose = np.array([(2.0, 0.0, np.pi), (2.0, 0.5, 0.0), (2.0, -0.5, 0.5 * np.pi)])
    wish = np.tile((0.5, 0.0, 0.0), (3, 1))
    state = SwarmState.of(0.0, pose, np.zeros((3, 3)))
    for _ in range(100):
        twist, _ = keep_inside(wish, state.pose, state.velocity, robots, corners, 0.05, HORIZON)
        for _ in range(5):
            state = SwarmState.of(0.0, *actuate(state, twist, robots, 0.01)[1:])
    assert state.pose[0, 0] < 0.9, "it has come in"
    assert np.array_equal(state.pose[1:], pose[1:]), "the others stand"


def test_the_last_word_is_the_fences_after_filter_and_behaviours():
    state = swarm([(0.9, 0.0), (0.0, 0.0)], velocity=[(0.0, 0.0), (0.5, 0.0)])
    for step, wish in ((command, np.full((2, 2), (40.0, 0.0))), (restrain, np.full((2, 3), (0.5, 0.0, 0.0)))):
        told, changed = step(state, wish, fleet(2), None, Motion(), SeparationFilter(enabled=True), 0.05, Safety(fence=SQUARE))
        assert told.twist[0, 0] == 0.0 and told.twist[1, 0] > 0.4
        assert told.fenced.tolist() == [True, False] and changed[0]


def test_robots_that_no_fence_holds_pass_one_that_is_for_others():
    """Each squad's commands are made with the whole fleet around it, and only its own are kept."""
    state, wish = swarm([(0.9, 0.0), (0.9, 0.5)]), np.full((2, 3), (3.0, 0.0, 0.0))
    robots = replace(fleet(2), model=("omni", "bicycle"))
    told, changed = restrain(state, wish, robots, None, Motion(), SeparationFilter(), 0.05, Safety(fence=SQUARE))
    assert changed.tolist() == [True, False] and np.array_equal(told.twist[1], wish[1])


@pytest.mark.parametrize(("corners", "said"), [
    ((0, 0, 1, 0, 1), "5 numbers"), ((0, 0, 1, 1), "4 numbers"), ((0, 0, 1, 0, 0, 0), "sides 0 and 1 meet"),
    ((0, 0, 1, 0, 2, 0), "sides 1 and 2 meet"), ((0, 0, 1, 1, 1, 0, 0, 1), "sides 0 and 2 meet"),
    ((0, 0, 0, 0, 1, 0, 1, 1), "sides 0 and 1 meet"), ((0, 0, 2, 0, 2, 2, 1, 0), "sides 0 and 2 meet"),
])  # fmt: skip
def test_a_fence_that_is_no_simple_polygon_is_refused(corners, said):
    with pytest.raises(ValueError, match=said):
        Safety(fence=tuple(map(float, corners)))
