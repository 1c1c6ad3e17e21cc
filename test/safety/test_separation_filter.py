from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from swarms import fleet, mapped, room, see, swarm

from swarm_control.core.geometry import Array, limit_norm, norm, rotate
from swarm_control.core.grid import Grid
from swarm_control.core.motion import Motion
from swarm_control.core.robot import RobotModel
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.core.walldistance import WallDistance
from swarm_control.robots import ROBOTS
from swarm_control.safety.command import command
from swarm_control.safety.separation_filter import SeparationFilter, keep_apart, nearest_allowed, stopping_speed


@given(st.floats(1e-6, 10.0), st.floats(0.01, 10.0), st.floats(0.001, 0.5))
def test_the_stopping_speed_uses_up_the_gap(gap, braking, period):
    s = stopping_speed(gap, braking, period)
    assert s >= 0.0 and s * period + s * s / (2.0 * braking) == pytest.approx(gap, rel=1e-6)
    assert stopping_speed(-gap, braking, period) == 0.0


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 6))
def test_the_allowed_velocity_is_the_nearest_one(seed, count):
    """p is the point of a convex set nearest to w if, and only if, (w − p)·(z − p) ≤ 0 for every z of the set."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(-np.pi, np.pi, count)
    normal, bound, wish = np.stack((np.cos(angle), np.sin(angle)), axis=-1), rng.uniform(0.0, 0.5, count), rng.normal(size=2)
    found = np.array(nearest_allowed(wish, normal, bound, count))
    others = np.vstack((rng.normal(0.0, 1.0, (500, 2)), found + rng.normal(0.0, 0.01, (500, 2)), np.zeros((1, 2)), wish[None]))
    allowed = others[(others @ normal.T <= bound + 1e-12).all(axis=1)]
    assert (normal @ found <= bound + 1e-9).all() and len(allowed) > 0
    assert ((allowed - found) @ (wish - found)).max() <= 1e-9


def filtered(position, velocity, acceleration, map=None, **params):
    state = swarm(position, velocity)
    commands, changed = command(
        state, np.array(acceleration, float), fleet(len(state)), map, Motion(heading_gain=0.0), SeparationFilter(enabled=True, **params),
        0.1,
    )  # fmt: skip
    return commands.twist[:, :2], changed


def test_who_is_far_from_everything_is_left_alone():
    twist, changed = filtered([(0, 0), (3, 0)], [(0.5, 0), (-0.5, 0)], np.zeros((2, 2)))
    assert twist.tolist() == [[0.5, 0.0], [-0.5, 0.0]] and not changed.any()


def test_robots_that_meet_head_on_are_slowed_to_what_their_half_of_the_gap_allows():
    twist, changed = filtered([(0, 0), (0.4, 0)], [(0.9, 0.3), (-0.9, 0.3)], np.zeros((2, 2)), margin=0.02, braking=0.5)
    allowed = stopping_speed(0.5 * (0.4 - 0.1 - 0.02), 0.5 * 4.0, 0.1)
    assert twist == pytest.approx(np.array([(allowed, 0.3), (-allowed, 0.3)])) and changed.all()


def test_the_one_behind_may_count_on_the_braking_way_of_the_one_in_front():
    twist, _ = filtered([(0, 0), (0.3, 0)], [(0.6, 0), (0.6, 0)], np.zeros((2, 2)), margin=0.02, braking=0.5)
    v, late = twist[0, 0], (0.6 - twist[0, 0]) / 4.0  # it slows down with 4 m/s² to v, goes on for the rest of 0.1 s, and stops with 2 m/s²
    way = 0.5 * (0.6 + v) * late + v * (0.1 - late) + v * v / (2 * 2.0)
    assert way == pytest.approx(0.5 * 0.18 + 0.6**2 / (2 * 4.0), abs=5e-4) and twist[1, 0] == 0.6


def test_touching_robots_may_part_and_not_approach():
    for speed, expected in ((0.5, 0.0), (-0.5, -0.5)):
        twist, _ = filtered([(0, 0), (0.11, 0)], [(speed, 0), (0, 0)], np.zeros((2, 2)), margin=0.02)
        assert twist[0] == pytest.approx([expected, 0.0])


def obey(robots: Fleet, model: RobotModel, pose: Array, velocity: Array, twist: Array, dt: float) -> tuple[Array, Array]:
    """Pose and velocity after ``dt`` of a twist that the robots follow as their acceleration permits."""
    most = robots.max_acceleration * dt
    if model.name == "omni":
        heading = pose[:, 2] + 0.5 * twist[:, 2] * dt
        planar = velocity[:, :2] + limit_norm(rotate(twist[:, :2], heading) - velocity[:, :2], most)
        return np.column_stack((pose[:, :2] + planar * dt, pose[:, 2] + twist[:, 2] * dt)), np.column_stack((planar, twist[:, 2]))
    speed = (np.stack((np.cos(pose[:, 2]), np.sin(pose[:, 2])), axis=-1) * velocity[:, :2]).sum(axis=1)
    forward = speed + np.clip(twist[:, 0] - speed, -most, most)
    after = model.predict(pose, np.column_stack((forward, 0.0 * forward, twist[:, 2])), dt)
    return after, np.column_stack((forward * np.cos(after[:, 2]), forward * np.sin(after[:, 2]), twist[:, 2]))


def fly(robots: Fleet, start: Array, grid: Grid | None, seed: int, period: float, steps: int) -> tuple[float, float, float]:
    """Least gap between footprints, least gap to walls, and mean way in a closed loop of robots that chase places anywhere.

    A robot's velocity follows its command as its acceleration permits; nothing else keeps robots apart.
    """
    rng, n, side = np.random.default_rng(seed), len(robots), 2.0 * np.abs(start).max()
    pose, velocity = np.column_stack((start, np.zeros(n))), np.zeros((n, 3))
    map, walls = (None, None) if grid is None else (mapped(grid), WallDistance(grid))
    params, separation_filter, model = Motion(look_ahead=0.05), SeparationFilter(enabled=True, radius=1.5), ROBOTS[robots.model[0]]
    goal = rng.uniform(-side / 2, side / 2, (n, 2))
    touch = robots.radius[:, None] + robots.radius
    np.fill_diagonal(touch, -np.inf)
    apart, clear, way = np.inf, np.inf, 0.0
    for _ in range(steps):
        moved_on = rng.random(n) < 0.02
        goal[moved_on] = rng.uniform(-side / 2, side / 2, (int(moved_on.sum()), 2))
        offset = goal - pose[:, :2]
        wish = 20.0 * (offset / np.maximum(norm(offset), 1e-9)[:, None] * robots.max_speed[:, None] - velocity[:, :2])
        twist = command(SwarmState.of(0.0, pose, velocity), wish, robots, map, params, separation_filter, period)[0].twist
        before = pose
        for _ in range(5):
            pose, velocity = obey(robots, model, pose, velocity, twist, period / 5)
        apart = min(apart, float((cdist(pose[:, :2], pose[:, :2]) - touch).min()))
        clear = clear if walls is None else min(clear, float((walls.distance(pose[:, :2]) - robots.radius).min()))
        way += float(norm(pose[:, :2] - before[:, :2]).mean())
    return apart, clear, way


def crowd(n: int, model: str, side: float, seed: int, grid: Grid | None) -> tuple[Fleet, Array]:
    """Robots of many sizes, speeds and accelerations, on free places of a lattice."""
    rng = np.random.default_rng(seed)
    robots = replace(
        fleet(n, model), radius=rng.uniform(0.03, 0.12, n), max_speed=rng.uniform(0.5, 1.5, n), max_acceleration=rng.uniform(2.0, 4.0, n)
    )  # fmt: skip
    ticks = np.linspace(-side / 2 + 0.2, side / 2 - 0.2, int(side / 0.28))
    places = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
    if grid is not None:
        places = places[WallDistance(grid).distance(places) > 0.2]
    return robots, rng.permutation(places)[:n]


@pytest.mark.parametrize(("seeds", "period"), [((0, 1), 0.02), ((2, 3), 0.05), ((4, 5), 0.1)])
def test_a_crowd_that_obeys_never_touches_itself_or_the_walls(seeds, period):
    grid, ways = room((0.5, 0.8, -0.6, 0.6), side=3.1), []
    for seed in seeds:
        robots, start = crowd(40, "omni", 3.0, seed, grid)
        apart, clear, way = fly(robots, start, grid, seed, period, 800)
        assert apart > 0.0 and clear > 0.0
        ways.append(way)
    assert np.mean(ways) > 100 * period, "nor is everybody stuck"


@pytest.mark.parametrize("seed", range(3))
def test_differential_drives_do_not_touch_either(seed):
    grid = room(side=4.1)
    robots, start = crowd(25, "differential", 4.0, seed, grid)
    apart, clear, _ = fly(robots, start, grid, seed, 0.05, 600)
    assert apart > 0.0 and clear > 0.0


def test_plans_leave_room_for_what_measurements_of_both_may_be_off():
    """Three standard deviations of each; where nothing is filtered, nothing."""
    exact = SeparationFilter(enabled=True, margin=0.1).room
    assert exact > 0.1 and SeparationFilter(enabled=True, margin=0.1, noise=0.01).room == pytest.approx(exact + 6 * 0.01)
    assert SeparationFilter(margin=0.1, noise=0.01).room == 0.0


@pytest.mark.parametrize("ahead", [0, 1])
def test_who_goes_towards_the_end_of_a_corridor_brakes_for_it_though_the_sides_are_nearer(ahead):
    occupied = np.zeros((40, 120), bool)
    occupied[[14, 25]] = occupied[:, 100] = True  # 0.5 m wide, to x = 5 m; or all turned, to y = 5 m
    along, params = np.eye(2)[ahead], SeparationFilter(enabled=True, margin=0.02)
    state = swarm([4.3 * along + 1.0 * along[::-1]], [along])
    for brakes in (True, False):
        grid = Grid(occupied.T if ahead else occupied, (0.0, 0.0), 0.05)
        given = see(state), np.array([0.1]), np.array([2.0]), mapped(grid), params, np.array([0.1])
        (allowed,), changed = keep_apart(1.2 * along[None], state.velocity[:, :2], state.position, *given, np.array([brakes]))
        if brakes:
            slow = stopping_speed(5.0 - 4.3 - 0.12, 0.5 * 2.0, 0.1)
            assert allowed == pytest.approx(slow * along, abs=0.05) and changed.all()
        else:
            assert allowed.tolist() == (1.2 * along).tolist() and not changed.any(), "somebody else sees to it"
