from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swarms import fleet, mapped, rotated, swarm
from ticks import one_tick

from swarm_control.behaviours.guidance import ways
from swarm_control.core.geometry import wrap
from swarm_control.core.grid import Grid
from swarm_control.core.pipeline import Tick
from swarm_control.core.state import Surroundings, SwarmState
from swarm_control.scenario.schema import Control
from swarm_control.scenario.tree import change

N = 60
KINDS = ("omni", "differential", "point_mass")
WEIGHTS = {
    "separation.weight": 0.4, "alignment.weight": 0.2, "cohesion.weight": 0.3, "arrival.weight": 0.3, "potential_field.weight": 0.5,
    "steer_to_avoid.weight": 0.8, "guidance.weight": 0.3, "cruise.weight": 0.2, "perception.field_of_view": 300.0, "perception.count": 6,
    "separation_filter.enabled": True,
}  # fmt: skip


def make(seed: int, **settings_) -> tuple[SwarmState, Surroundings, Control]:
    """A swarm of three kinds of robots among obstacles, with every behaviour at work."""
    rng = np.random.default_rng(seed)
    grid = Grid(rng.random((100, 100)) < 0.004, (-5.0, -5.0), 0.1)
    map, target = mapped(grid), np.array([3.3, 2.1])
    state = swarm(rng.uniform(-4.0, 4.0, (N, 2)), rng.normal(0.0, 0.4, (N, 2)), rng.uniform(-np.pi, np.pi, N))
    robots = replace(
        fleet(N), model=tuple(rng.choice(KINDS, N)), radius=rng.uniform(0.03, 0.1, N), max_speed=rng.uniform(0.5, 1.5, N),
        max_acceleration=rng.uniform(0.5, 3.0, N),
    )  # fmt: skip
    goal = np.where(rng.random((N, 1)) < 0.3, target, np.nan)
    control = change(Control(), WEIGHTS | settings_, "test")
    return state, Surroundings(robots, goal, target, map), control


def run(state: SwarmState, around: Surroundings, control: Control) -> Tick:
    return one_tick(state, around, control, np.random.default_rng(0))


def assert_same(a: Tick, b: Tick, angle: float = 0.0) -> None:
    assert np.array_equal(a.intervened, b.intervened)
    assert np.allclose(rotated(a.accumulated.share, angle), b.accumulated.share, atol=1e-9)
    assert np.allclose(a.commands.twist, b.commands.twist, atol=1e-8)


@pytest.mark.parametrize("method", ["prioritised", "weighted"])
@pytest.mark.parametrize("seed", range(4))
def test_robots_have_no_rank(seed, method):
    state, around, control = make(seed, **{"accumulation.method": method})
    order = np.random.default_rng(seed).permutation(N)
    shuffled = SwarmState.of(0.0, state.pose[order], state.velocity[order])
    a, b = run(state, around, control), run(shuffled, replace(around, fleet=permuted(around, order), goal=around.goal[order]), control)
    assert np.allclose(a.accumulated.total[order], b.accumulated.total, atol=1e-9)
    assert np.allclose(a.commands.twist[order], b.commands.twist, atol=1e-8)
    assert np.array_equal(a.seen.count[order], b.seen.count)


def permuted(around: Surroundings, order: np.ndarray):
    robots = around.fleet
    arrays = {name: getattr(robots, name)[order] for name in ("radius", "max_speed", "max_acceleration", "max_turn_rate", "wheel_base")}
    return replace(robots, model=tuple(robots.model[k] for k in order), names=tuple(robots.names[k] for k in order), **arrays)


@pytest.mark.parametrize("seed", range(4))
def test_the_place_of_the_world_s_origin_does_not_matter(seed):
    state, around, control = make(seed)
    shift = np.array([1234.5, -77.25])
    grid = around.map.grid
    moved = replace(around.map, grid=Grid(grid.occupied, (grid.origin[0] + shift[0], grid.origin[1] + shift[1]), grid.resolution))
    there = replace(around, goal=around.goal + shift, target=around.target + shift, map=moved)
    assert_same(run(state, around, control), run(SwarmState.of(0.0, state.pose + np.append(shift, 0.0), state.velocity), there, control))


def turned(state: SwarmState, angle: float) -> SwarmState:
    pose = np.column_stack((rotated(state.position, angle), wrap(state.pose[:, 2] + angle)))
    return SwarmState.of(0.0, pose, np.column_stack((rotated(state.velocity[:, :2], angle), state.velocity[:, 2])))


@pytest.mark.parametrize("seed", range(4))
def test_north_is_like_east_also_with_a_map(seed, monkeypatch):
    state, around, control = make(seed)
    quarter = 0.5 * np.pi
    grid = Grid(np.rot90(around.map.grid.occupied, -1).copy(), around.map.grid.origin, around.map.grid.resolution)
    map = replace(around.map, grid=grid, clearance=np.ascontiguousarray(np.rot90(around.map.clearance, -1)))
    goal, target = rotated(around.goal, quarter), rotated(around.target, quarter)
    there = replace(around, goal=goal, target=target, map=map)
    here = run(state, around, control)
    field = rotated(np.rot90(ways(around.map, *around.target, 0.1, 0.4), -1), quarter).astype(np.float32)
    monkeypatch.setattr("swarm_control.behaviours.guidance.ways", lambda *_: np.ascontiguousarray(field))  # its sweeps go along the axes
    assert here.intervened.any() and here.accumulated.share.any(axis=(1, 2)).all()
    assert_same(here, run(turned(state, quarter), there, control), quarter)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32), st.floats(-np.pi, np.pi))
def test_no_direction_is_special_in_the_open(seed, angle):
    state, around, control = make(seed)
    open_space = replace(around, map=None)
    there = replace(open_space, goal=rotated(around.goal, angle), target=rotated(around.target, angle))
    assert_same(run(state, open_space, control), run(turned(state, angle), there, control), angle)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("entry", range(6))
def test_bad_odometry_stops_that_robot_and_leaves_the_others_as_if_it_were_not_there(value, entry):
    state, around, control = make(1)
    bad = 17
    pose, velocity = state.pose.copy(), state.velocity.copy()
    (pose if entry < 3 else velocity)[bad, entry % 3] = value
    spoilt = run(SwarmState.of(0.0, pose, velocity), around, control)
    rest = np.delete(np.arange(N), bad)
    without = SwarmState.of(0.0, state.pose[rest], state.velocity[rest])
    expected = run(without, replace(around, fleet=permuted(around, rest), goal=around.goal[rest]), control)
    assert spoilt.commands.twist[bad].tolist() == [0.0, 0.0, 0.0] and not spoilt.accumulated.share[:, bad].any()
    assert np.array_equal(spoilt.commands.twist[rest], expected.commands.twist)
    assert np.array_equal(spoilt.accumulated.share[:, rest], expected.accumulated.share)


def test_nobody_valid_means_nobody_moves():
    state, around, control = make(2)
    made = run(SwarmState.of(0.0, state.pose, state.velocity, np.zeros(N, bool)), around, control)
    assert not made.commands.twist.any() and len(made.seen.index) == 0


@pytest.mark.parametrize("n", [0, 1])
def test_the_smallest_swarms_work(n):
    state, around, control = make(3)
    few = np.arange(n)
    part = replace(around, fleet=permuted(around, few), goal=around.goal[few])
    made = run(SwarmState.of(0.0, state.pose[few], state.velocity[few]), part, control)
    assert made.commands.twist.shape == (n, 3) and np.isfinite(made.commands.twist).all()


def test_a_tick_changes_nothing_that_it_was_given():
    state, around, control = make(4)
    given_ = [a.copy() for a in (state.pose, state.velocity, around.goal, around.map.clearance, around.fleet.max_speed)]
    run(state, around, control)
    for before, after in zip(given_, (state.pose, state.velocity, around.goal, around.map.clearance, around.fleet.max_speed)):
        assert np.array_equal(before, after, equal_nan=True)
