"""The separation filter of robots that roll: nearest points against a solver, stopping always allowed, no contact whatever is wished."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from swarm_control.core.fields import make_map
from swarm_control.core.grid import Grid
from swarm_control.core.motion import Motion
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.core.walldistance import WallDistance
from swarm_control.safety.command import command, restrain
from swarm_control.safety.segments import closest
from swarm_control.safety.separation_filter import SeparationFilter
from swarm_control.safety.stopping_ways import free_way
from swarm_control.sim.planar import PlanarEngine

ON = SeparationFilter(enabled=True)
numbers = st.floats(-3.0, 3.0)


@given(st.tuples(*[numbers] * 6))
def test_the_nearest_points_of_two_segments(values):
    ax, ay, bx, by, ux, uy = values
    distance = lambda st: np.hypot(bx + st[1] * ux - st[0] * ax, by + st[1] * uy - st[0] * ay)  # noqa: E731
    s, t = closest(*values)
    assert 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0
    tries = [minimize(lambda st: distance(st) ** 2, (p, q), bounds=[(0, 1), (0, 1)], tol=1e-14).x for p in (0.1, 0.9) for q in (0.1, 0.9)]
    assert distance((s, t)) <= min(map(distance, tries)) + 1e-6


def fleet(models, rng, radius=0.1):
    n = len(models)
    names = tuple(f"robot_{k}" for k in range(n))
    top, brake = np.full(n, rng.uniform(0.1, 3.0)), np.full(n, rng.uniform(0.3, 8.0))
    return Fleet(names, tuple(models), np.full(n, radius), top, brake, np.full(n, rng.uniform(1.0, 8.0)), np.full(n, 1.6 * radius))


def drive(robots, wish, seconds, period, grid=None, params=ON, seed=0):
    """Let robots that want ``wish(k, state)`` (N, 3) drive; the contacts that they had, and the way that they made on average (m)."""
    rng, n = np.random.default_rng(seed), len(robots)
    spots = [(0.35 * (k % 6) - 0.9, 0.35 * (k // 6) - 0.9) for k in range(n)]
    start = SwarmState.of(0.0, np.column_stack((spots, rng.uniform(-np.pi, np.pi, n))), np.zeros((n, 3)))
    engine = PlanarEngine(robots, start, grid, period / 4)
    map = None if grid is None else make_map(grid)
    way = 0.0
    for k in range(round(seconds / period)):
        state = engine.truth()
        made, _ = restrain(state, wish(k, state), robots, map, Motion(), params, period)
        for _ in range(4):
            engine.step(Commands(made.twist))
        way += float(np.hypot(*(engine.truth().position - state.position).T).mean())
    return int(engine.collisions.sum()), way


def pushed(robots, seed):
    """Everybody wants to go to a point that changes now and then, at full speed; some want nonsense."""
    rng = np.random.default_rng(seed)
    goals = rng.uniform(-1.0, 1.0, (40, 2))

    def wish(k, state):
        to = goals[k // 40 % 40] - state.position
        turn = (np.arctan2(to[:, 1], to[:, 0]) - state.pose[:, 2] + np.pi) % (2.0 * np.pi) - np.pi
        twist = np.column_stack((robots.max_speed * np.cos(turn), np.zeros(len(turn)), 4.0 * turn))
        twist[0] = robots.max_speed[0] * rng.uniform(-1, 1), 0.0, rng.uniform(-8, 8)
        return twist

    return wish


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 14), st.sampled_from([0.02, 0.05, 0.1, 0.2]), st.sampled_from(["differential", "car", "both"]))
def test_whatever_is_wished_nobody_touches_anybody(seed, n, period, kind):
    rng = np.random.default_rng(seed)
    models = [kind] * n if kind != "both" else ["differential", "car"] * (n // 2) + ["car"] * (n % 2)
    robots = fleet(models, rng)
    contacts, _ = drive(robots, pushed(robots, seed), 8.0, period, seed=seed)
    assert contacts == 0


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 10), st.sampled_from([0.02, 0.1, 0.2]), st.sampled_from(["differential", "car"]))
def test_walls_are_not_touched_either(seed, n, period, model):
    rng = np.random.default_rng(seed)
    occupied = np.zeros((60, 60), bool)
    occupied[[0, -1], :] = occupied[:, [0, -1]] = True
    occupied[44:50, 10:50] = True
    grid = Grid(occupied, (-1.5, -1.5), 0.05)
    robots = fleet([model] * n, rng)
    contacts, _ = drive(robots, pushed(robots, seed), 8.0, period, grid, seed=seed)
    assert contacts == 0


def test_without_the_filter_they_would():
    robots = fleet(["differential"] * 10, np.random.default_rng(1))
    off = SeparationFilter(enabled=False)
    assert drive(robots, pushed(robots, 1), 8.0, 0.05, params=off)[0] > 3


def test_robots_still_get_somewhere():
    robots = fleet(["differential"] * 6, np.random.default_rng(5))
    _, free = drive(robots, pushed(robots, 5), 8.0, 0.05, params=SeparationFilter(enabled=False))
    _, held = drive(robots, pushed(robots, 5), 8.0, 0.05)
    assert held > 0.3 * free


def test_two_that_pass_on_their_true_footprints_are_left_alone():
    """Side by side, a hand's breadth apart, in opposite directions: no control point ahead of an axle makes them wider."""
    robots = Fleet(("a", "b"), ("differential",) * 2, np.full(2, 0.1), np.ones(2), np.full(2, 2.0), np.full(2, 4.0), np.full(2, 0.16))
    pose = np.array([[-0.5, 0.0, 0.0], [0.5, 0.26, np.pi]])
    state = SwarmState.of(0.0, pose, np.array([[0.4, 0.0, 0.0], [-0.4, 0.0, 0.0]]))
    wish = np.array([[0.4, 0.0, 0.0], [0.4, 0.0, 0.0]])
    for _ in range(20):
        _, changed = restrain(state, wish, robots, None, Motion(), ON, 0.05)
        assert not changed.any()
        moved = state.pose + 0.05 * np.column_stack((state.velocity[:, :2], np.zeros(2)))
        state = SwarmState.of(state.time + 0.05, moved, state.velocity)


def test_noise_takes_room():
    robots = Fleet(("a", "b"), ("differential",) * 2, np.full(2, 0.1), np.ones(2), np.full(2, 2.0), np.full(2, 4.0), np.full(2, 0.16))
    state = SwarmState.of(0.0, np.array([[0.0, 0.0, 0.0], [0.34, 0.0, 0.0]]), np.zeros((2, 3)))
    wish = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    speeds = [
        restrain(state, wish, robots, None, Motion(), SeparationFilter(enabled=True, noise=noise), 0.05)[0].twist[0, 0]
        for noise in (0.0, 0.018)
    ]
    assert speeds[0] > 0.2 and speeds[1] < 0.1


@pytest.mark.parametrize("model", ["omni", "point_mass", "differential", "car"])
@pytest.mark.parametrize(("behind", "ahead"), [(4.0, 1.0), (10.0, 0.2), (4.0, 4.0)])
def test_who_brakes_well_does_not_run_into_who_brakes_badly(model, behind, ahead):
    """The one ahead is slower, and comes to rest late: the one behind must not be there before."""
    two = np.ones(2)
    robots = Fleet(("a", "b"), (model,) * 2, 0.1 * two, np.array([2.0, 0.8]), np.array([behind, ahead]), np.array([6.0, 0.3]), 0.16 * two)
    start = SwarmState.of(0.0, np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 0.0], [0.8, 0.0, 0.0]]))
    engine, least = PlanarEngine(robots, start, None, 0.01), np.inf
    for k in range(200):
        state = engine.truth()
        wish = np.array([[2.0, 0.0, 0.0], [0.8 if k < 100 else 0.0, 0.0, 0.0]])
        made, _ = restrain(state, wish, robots, None, Motion(), ON, 0.05)
        for _ in range(5):
            engine.step(Commands(made.twist))
        least = min(least, float(np.hypot(*np.diff(engine.truth().position, axis=0)[0])) - 0.2)
    assert engine.collisions.sum() == 0 and 0.0 < least < 1.0


@pytest.mark.parametrize("model", ["car", "differential", "omni"])
@pytest.mark.parametrize("slant", [25.0, 45.0, 65.0, 80.0])
def test_who_starts_beside_a_slanting_wall_gets_away_from_it(model, slant):
    """From as near as a flock starts, driving away from it at 20°: past the corners of the wall's squares, which are nearer."""
    n, h, turn = 24, 0.05, np.radians(slant)
    middle = h * (np.arange(160) + 0.5) - 4.0
    x, y = np.meshgrid(middle, middle)
    map = make_map(Grid(np.cos(turn) * y - np.sin(turn) * x > 0.0, (-4.0, -4.0), h))
    one = np.ones(n)
    radius = 0.0375
    robots = Fleet(tuple("abcdefghijklmnopqrstuvwx"), (model,) * n, radius * one, 0.6 * one, 2.0 * one, 6.0 * one, 0.06 * one)
    away, on = np.array([np.sin(turn), -np.cos(turn)]), np.array([np.cos(turn), np.sin(turn)])
    walls = WallDistance(map.grid)
    pose = np.empty((n, 3))
    for k in range(n):  # a little farther than the filter's margin
        place = -2.5 * on + 0.2 * k * on
        outward = place + np.arange(0.0, 0.3, 0.0005)[:, None] * away
        pose[k, :2] = outward[walls.distance(outward, 0.3) > radius + ON.margin][0]
        pose[k, 2] = turn - np.radians(20.0)
    engine = PlanarEngine(robots, SwarmState.of(0.0, pose, np.zeros((n, 3))), map.grid, 0.01)
    for _ in range(120):
        state = engine.truth()
        made, _ = restrain(state, np.tile((0.2, 0.0, 0.0), (n, 1)), robots, map, Motion(), ON, 0.05)
        for _ in range(5):
            engine.step(Commands(made.twist))
    assert engine.collisions.sum() == 0
    assert ((engine.truth().position - pose[:, :2]) @ away > 0.2).all()


@pytest.mark.parametrize("model", ["omni", "differential"])
def test_nobody_stands_for_ever_along_a_wall(model):
    """Its nose a little towards the wall that it is next to, and its goal along it."""
    occupied = np.zeros((80, 80), bool)
    occupied[60:, :] = True
    map = make_map(Grid(occupied, (-2.0, -2.0), 0.05))
    one = np.ones(1)
    robots = Fleet(("a",), (model,), 0.1 * one, 0.8 * one, 2.0 * one, 6.0 * one, 0.16 * one)
    engine = PlanarEngine(robots, SwarmState.of(0.0, np.array([[-1.0, 0.844, 0.06]]), np.zeros((1, 3))), map.grid, 0.01)
    for _ in range(300):
        state = engine.truth()
        made, _ = command(state, np.array([[0.2, 0.19]]), robots, map, Motion(), ON, 0.05)
        for _ in range(5):
            engine.step(Commands(made.twist))
    assert engine.truth().position[0, 0] > 0.0 and engine.collisions.sum() == 0


@pytest.mark.parametrize("model", ["omni", "differential"])
@pytest.mark.parametrize(("cells", "through"), [(5, True), (4, True), (2, False)])
@pytest.mark.parametrize("off", [0.0, 0.02])
def test_a_way_between_walls_is_as_wide_as_their_squares_leave_it(model, cells, through, off):
    """The robot needs 13.4 cm with its margins, between posts of cells of 5 cm. By the interpolated clearance 4 cells leave no more."""
    occupied = np.zeros((80, 80), bool)
    occupied[40 + cells :, 50] = occupied[:40, 50] = True
    map, one = make_map(Grid(occupied, (-2.0, -2.0), 0.05)), np.ones(1)
    robots = Fleet(("a",), (model,), 0.047 * one, 0.8 * one, 2.0 * one, 6.0 * one, 0.08 * one)
    middle = 0.025 * cells
    engine = PlanarEngine(robots, SwarmState.of(0.0, np.array([[0.0, middle + off, 0.0]]), np.zeros((1, 3))), map.grid, 0.01)
    for _ in range(200):
        state = engine.truth()
        wanted = np.array([[1.0, middle]]) - state.position - state.velocity[:, :2]
        made, _ = command(state, wanted, robots, map, Motion(), ON, 0.05)
        for _ in range(5):
            engine.step(Commands(made.twist))
    assert (engine.truth().position[0, 0] > 0.8) == through and engine.collisions.sum() == 0


@settings(max_examples=100)
@given(st.integers(0, 2**32))
def test_a_way_that_is_free_keeps_its_room_to_walls_or_gets_no_nearer(seed):
    """Also of robots that are too near, at corners and slants of a coarse map."""
    rng = np.random.default_rng(seed)
    grid = Grid(rng.random((14, 14)) < rng.uniform(0.02, 0.2), (-0.7, -0.7), 0.1)
    row, column = np.nonzero(grid.occupied)
    centre = np.column_stack((column, row)) * 0.1 - 0.65
    nobody, map = (np.empty((0, 2)), np.empty(0)), make_map(grid)

    def distance(points):
        beyond = np.maximum(np.abs(points[:, None] - centre) - 0.05, 0.0)
        return np.linalg.norm(beyond, axis=2).min(axis=1, initial=9.0)

    for _ in range(40):
        start, room = rng.uniform(-0.6, 0.6, 2), rng.uniform(0.03, 0.2)
        way = np.cumsum(rng.normal(0.0, 0.05, (2, 2)), axis=0)
        least, give = rng.uniform(0.02, room), rng.choice([1e-9, 0.02])
        walls = (grid.occupied, map.clearance, -0.7, -0.7, 0.1, *start, least, give)
        along = np.linspace(0.0, 1.0, 50)[:, None]
        nearest = distance(start + np.vstack((along * way[0], way[0] + along * (way[1] - way[0])))).min()
        need = min(least, distance(start[None])[0])
        free = free_way(way, 2, 0.0, (0.0, 0.0, 0.0), walls, room, *nobody, 0)
        assert nearest > need - 0.01 * room if free else nearest < room + 0.1


@pytest.mark.parametrize(
    ("off", "covered", "aside", "expected"),
    [(0.0, 0.0, 0.0, True), (0.1, 0.0, 0.0, False), (0.1, 0.0, 0.018, False), (0.1, 0.0, 0.024, True), (0.1, 0.3, 0.0, True)],
)
def test_who_is_nearer_to_a_wall_than_it_knows_comes_no_nearer_whatever_its_heading(off, covered, aside, expected):
    """A centre 5 cm from a wall that it is to keep 12 cm from goes 20 cm along it in two steps, and so far (m) away from it."""
    occupied = np.zeros((40, 40), bool)
    occupied[30:] = True
    grid = Grid(occupied, (-2.0, -3.0), 0.1)
    map, way = make_map(grid), np.array([[0.1, -aside / 2.0], [0.2, -aside]])
    walls = (grid.occupied, map.clearance, -2.0, -3.0, 0.1, 0.0, -0.05, 0.12, 1e-9)
    assert free_way(way, 2, off, (0.0, 0.0, covered), walls, 0.15, np.empty((0, 2)), np.empty(0), 0) is expected


@pytest.mark.parametrize("model", ["omni", "differential"])
def test_who_hears_commands_late_begins_to_brake_earlier(model):
    """Two that meet head on, each obeying what it was told two periods ago."""
    two = np.ones(2)
    robots = Fleet(("a", "b"), (model,) * 2, 0.1 * two, two, 2.0 * two, 4.0 * two, 0.16 * two)
    nearest = {}
    for latency in (0.0, 0.2):
        params = SeparationFilter(enabled=True, latency=latency)
        pose = np.array([[-1.5, 0.0, 0.0], [1.5, 0.0, np.pi]])
        engine = PlanarEngine(robots, SwarmState.of(0.0, pose, np.zeros((2, 3))), None, 0.025)
        told = [np.zeros((2, 3))] * 2
        for _ in range(60):
            made, _ = restrain(engine.truth(), np.array([[1.0, 0.0, 0.0]] * 2), robots, None, Motion(), params, 0.1)
            told = [*told[1:], made.twist]
            for _ in range(4):
                engine.step(Commands(told[0]))
        nearest[latency] = engine.collisions.any()
    assert nearest == {0.0: True, 0.2: False}


@pytest.mark.parametrize("model", ["differential", "omni"])
@pytest.mark.parametrize("room", [0.03, 0.05, 0.1])
def test_robots_that_pass_side_by_side_are_left_alone(model, room):
    """At 0.8 m/s each, with a little more than the margin between them."""
    one = np.ones(2)
    robots = Fleet(("one", "other"), (model,) * 2, 0.1 * one, 0.8 * one, 4.0 * one, 6.0 * one, 0.1 * one)
    pose = np.array([[-1.0, 0.0, 0.0], [1.0, 0.2 + room, np.pi]])
    engine = PlanarEngine(robots, SwarmState.of(0.0, pose, np.zeros((2, 3))), None, 0.01)
    for _ in range(60):
        made, changed = restrain(engine.truth(), np.tile((0.8, 0.0, 0.0), (2, 1)), robots, None, Motion(), ON, 0.05)
        assert not changed.any()
        for _ in range(5):
            engine.step(Commands(made.twist))
    assert engine.collisions.sum() == 0 and engine.truth().position[0, 0] > 1.2


@pytest.mark.parametrize("model", ["differential", "omni"])
def test_who_comes_to_somebody_in_its_way_slows_down_by_and_by(model):
    """It may brake with 2 m/s², half of what it can, and need not in one go."""
    one = np.ones(2)
    robots = Fleet(("one", "other"), (model,) * 2, 0.1 * one, 0.8 * one, 4.0 * one, 6.0 * one, 0.1 * one)
    engine = PlanarEngine(robots, SwarmState.of(0.0, np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), np.zeros((2, 3))), None, 0.01)
    speed = [0.0]
    for _ in range(56):
        made, _ = restrain(engine.truth(), np.array([(0.8, 0.0, 0.0), (0.0, 0.0, 0.0)]), robots, None, Motion(), ON, 0.05)
        for _ in range(5):
            engine.step(Commands(made.twist))
        speed.append(float(engine.truth().velocity[0, 0]))
    assert max(speed) > 0.79 and (np.diff(speed) / 0.05).min() > -2.0
    assert engine.truth().position[0, 0] == pytest.approx(0.8 - ON.margin, abs=0.01)
