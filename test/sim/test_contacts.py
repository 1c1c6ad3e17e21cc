import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from teams import at, drive, fleet, random_swarm, random_twist

from swarm_control.core.geometry import norm
from swarm_control.core.grid import Grid
from swarm_control.core.state import Commands, SwarmState
from swarm_control.core.walldistance import WallDistance
from swarm_control.sim.planar import PlanarEngine


def least_gap(position, radius):
    gap = norm(position[:, None] - position[None]) - radius[:, None] - radius[None]
    return (gap + np.where(np.eye(len(gap)), np.inf, 0.0)).min()


def wall_grid(column: int = 20) -> Grid:
    """A wall across a floor of 4 m × 2 m, 0.1 m thick, from x = column/10."""
    occupied = np.zeros((20, 40), bool)
    occupied[:, column] = True
    return Grid(occupied, (0.0, 0.0), 0.1)


@given(st.integers(0, 2**32), st.booleans())
@settings(max_examples=120, deadline=None)
def test_nothing_ever_overlaps_not_even_on_the_way(seed, walls):
    team, start, grid, rng = random_swarm(seed, walls)
    engine = PlanarEngine(team, start, grid, float(rng.choice([0.01, 0.1])))
    room = None if grid is None else WallDistance(grid)
    for _ in range(15):
        twist = random_twist(rng, len(team))
        for _ in range(3):
            before = engine.truth().position
            after = drive(engine, twist).position
            for t in (0.25, 0.5, 0.75, 1.0):
                between = before + t * (after - before)
                assert least_gap(between, team.radius) > -1e-12
                if room is not None:
                    assert (room.distance(between) - team.radius > -1e-12).all()


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_the_order_of_the_robots_does_not_matter(seed):
    team, start, grid, rng = random_swarm(seed, True)
    order = rng.permutation(len(team))
    shuffled = SwarmState.of(0.0, start.pose[order], start.velocity[order])
    one, other = PlanarEngine(team, start, grid, 0.05), PlanarEngine(team.take(order), shuffled, grid, 0.05)
    for _ in range(20):
        twist = random_twist(rng, len(team))
        one.step(Commands(twist))
        other.step(Commands(twist[order]))
        assert (one.truth().pose[order] == other.truth().pose).all()
        assert (one.truth().velocity[order] == other.truth().velocity).all()
        assert one.collisions.sum() == other.collisions.sum()


@given(st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_the_same_run_gives_the_same_bits_also_after_a_reset(seed):
    team, start, grid, rng = random_swarm(seed, True)
    twists = [random_twist(rng, len(team)) for _ in range(10)]
    engine = PlanarEngine(team, start, grid, 0.05)
    runs = []
    for _ in range(2):
        engine.reset()
        assert engine.time == 0.0
        assert engine.collisions.sum() == 0
        assert (engine.truth().pose == start.pose).all()
        for twist in twists:
            engine.step(Commands(twist))
        runs.append((engine.truth().pose.tobytes(), engine.truth().velocity.tobytes(), engine.collisions.tobytes()))
    assert runs[0] == runs[1]


@pytest.mark.parametrize("offset", [0.0, 0.0199])
def test_robots_head_on_never_tunnel_however_fast(offset):
    team = fleet(radius=0.01, max_speed=100.0, max_acceleration=1e6, n=2)
    engine = PlanarEngine(team, at((-1.0, 0.0, 0.0), (1.0, offset, np.pi)), None, 0.1)
    state = drive(engine, ((100.0, 0.0, 0.0),) * 2, 20)
    assert state.pose[0, 0] < state.pose[1, 0]
    assert engine.collisions.tolist() == [1, 0]


def test_robots_that_pass_with_room_are_not_stopped():
    team = fleet(radius=0.01, max_speed=100.0, max_acceleration=1e6, n=2)
    engine = PlanarEngine(team, at((-1.0, 0.0, 0.0), (1.0, 0.0201, np.pi)), None, 0.1)
    state = drive(engine, ((100.0, 0.0, 0.0),) * 2)
    assert state.pose[:, 0] == pytest.approx([9.0, -9.0])
    assert engine.collisions.sum() == 0


def test_a_wall_is_not_tunnelled_however_fast():
    team = fleet(radius=0.05, max_speed=100.0, max_acceleration=1e6)
    engine = PlanarEngine(team, at((1.0, 1.0, 0.0)), wall_grid(), 0.1)
    assert drive(engine, (100.0, 0.0, 0.0), 5).pose[0, 0] == 1.0
    assert engine.collisions.tolist() == [1]


def test_a_wall_stops_at_the_last_step_that_fits_and_without_sliding():
    engine = PlanarEngine(fleet(max_acceleration=1e6), at((1.0, 1.0, 0.0)), wall_grid(), 0.03)
    state = drive(engine, (1.0, 0.2, 0.5), 60)
    wall = 2.0 - 0.1
    assert wall - 0.03 * np.hypot(1.0, 0.2) <= state.pose[0, 0] < wall
    assert (state.velocity[0, :2] == 0.0).all()
    assert state.velocity[0, 2] == 0.5
    resting = state.pose[0]
    turned = drive(engine, (1.0, 0.2, 0.5)).pose[0]
    assert (turned[:2] == resting[:2]).all()
    assert turned[2] == pytest.approx(resting[2] + 0.015)


def test_a_blocked_car_does_not_turn():
    engine = PlanarEngine(fleet("car", max_acceleration=1e6), at((1.89, 1.0, 0.0)), wall_grid(), 0.05)
    state = drive(engine, (1.0, 0.0, 1.0), 5)
    assert state.pose[0].tolist() == [1.89, 1.0, 0.0]
    assert (state.velocity == 0.0).all()


def test_a_robot_along_a_wall_that_it_touches_runs_free():
    engine = PlanarEngine(fleet(), at((1.9, 0.5, np.pi / 2)), wall_grid(), 0.05)
    assert drive(engine, (1.0, 0.0, 0.0), 20).pose[0, 1] > 1.3
    assert engine.collisions.sum() == 0


def test_a_stopped_robot_stops_those_behind_it_in_the_same_step():
    """Five in a row, bumper to bumper, all at full speed; the first meets a wall."""
    gap, dt = 1e-3, 0.1
    x = 1.9 - 1e-3 - (0.2 + gap) * np.arange(5)
    poses = np.column_stack((x, np.full(5, 1.0), np.zeros(5)))
    velocity = np.tile([1.0, 0.0, 0.0], (5, 1))
    engine = PlanarEngine(fleet(n=5), at(poses, velocity=velocity), wall_grid(), dt)
    state = drive(engine, velocity)
    assert (state.pose == poses).all()
    assert (state.velocity == 0.0).all()
    assert engine.collisions.tolist() == [2, 1, 1, 1, 0]


def test_robots_one_behind_the_other_at_the_same_speed_are_not_in_contact():
    poses = np.column_stack((0.2001 * np.arange(6), np.zeros((6, 2))))
    velocity = np.tile([1.0, 0.0, 0.0], (6, 1))
    engine = PlanarEngine(fleet(n=6), at(poses, velocity=velocity), None, 0.05)
    assert drive(engine, velocity, 10).pose[:, 0] == pytest.approx(poses[:, 0] + 0.5)
    assert engine.collisions.sum() == 0


def test_an_episode_counts_once_until_the_robots_have_parted():
    engine = PlanarEngine(fleet(n=2, max_acceleration=100.0), at((0.0, 0.0, 0.0), (0.3, 0.0, np.pi)), None, 0.01)
    against, apart = ((1.0, 0.0, 0.0),) * 2, ((-1.0, 0.0, 0.0),) * 2
    drive(engine, against, 50)
    assert engine.collisions.tolist() == [1, 0]
    gap = least_gap(engine.truth().position, engine.fleet.radius)
    drive(engine, np.multiply(apart, 0.1), 4)
    assert least_gap(engine.truth().position, engine.fleet.radius) == pytest.approx(gap + 0.008)
    drive(engine, against, 20)
    assert engine.collisions.tolist() == [1, 0]
    drive(engine, apart, 20)
    drive(engine, against, 50)
    assert engine.collisions.tolist() == [2, 0]


def test_episodes_with_walls_count_for_the_robot():
    engine = PlanarEngine(fleet(n=2), at((1.5, 0.5, 0.0), (0.5, 1.5, 0.0)), wall_grid(), 0.02)
    drive(engine, ((1.0, 0.0, 0.0), (-0.2, 0.0, 0.0)), 60)
    assert engine.collisions.tolist() == [1, 0]
    drive(engine, ((-1.0, 0.0, 0.0), (0.0, 0.0, 0.0)), 20)
    drive(engine, ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)), 60)
    assert engine.collisions.tolist() == [2, 0]


def test_robots_that_overlap_at_the_start_can_part_but_get_no_closer():
    start = at((0.0, 0.0, 0.0), (0.15, 0.0, 0.0))
    engine = PlanarEngine(fleet(n=2), start, None, 0.02)
    assert (drive(engine, ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)), 5).pose == start.pose).all()
    assert engine.collisions.tolist() == [1, 0]
    assert least_gap(drive(engine, ((-1.0, 0.0, 0.0), (0.0, 0.0, 0.0)), 20).position, engine.fleet.radius) > 0.1
    coincident = PlanarEngine(fleet(n=2), at((0.0, 0.0, 0.0), (0.0, 0.0, np.pi)), None, 0.02)
    assert least_gap(drive(coincident, ((1.0, 0.0, 0.0),) * 2, 20).position, coincident.fleet.radius) > 0.0


def test_a_robot_that_starts_in_a_wall_can_leave_it():
    engine = PlanarEngine(fleet(), at((1.95, 1.0, 0.0)), wall_grid(), 0.02)
    assert drive(engine, (-1.0, 0.0, 0.0), 40).pose[0, 0] < 1.5
    assert engine.collisions.tolist() == [1]


def test_outside_the_map_is_free_floor():
    engine = PlanarEngine(fleet(n=2), at((-30.0, 7.0, 0.0), (1e4, -1e4, 0.0)), wall_grid(), 0.05)
    state = drive(engine, ((1.0, 0.0, 0.0),) * 2, 40)
    assert (state.pose[:, 0] - [-30.0, 1e4] > 1.5).all()
    engine = PlanarEngine(fleet(), at((-0.5, 1.0, 0.0)), wall_grid(0), 0.05)
    assert drive(engine, (1.0, 0.0, 0.0), 40).pose[0, 0] < -0.1


@pytest.mark.parametrize("far", [(1e5, 1e5), (-1e5, 3e4), (0.0, -1e6)])
def test_stragglers_far_from_the_swarm_collide_too(far):
    rng = np.random.default_rng(0)
    crowd = np.stack(np.meshgrid(np.arange(20) * 0.25, np.arange(20) * 0.25), axis=-1).reshape(-1, 2)
    pair = np.array([far, np.add(far, (0.5, 0.0))])
    poses = np.column_stack((np.vstack((crowd, pair)), rng.uniform(-3.0, 3.0, 402)))
    poses[-2:, 2] = 0.0, np.pi
    twist = np.zeros((402, 3))
    twist[-2:, 0] = 1.0
    engine = PlanarEngine(fleet(n=402), at(poses), None, 0.05)
    state = drive(engine, twist, 30)
    assert least_gap(state.position, engine.fleet.radius) >= 0.0
    assert engine.collisions[-2] == engine.collisions.sum() == 1


def test_large_and_small_robots_meet():
    engine = PlanarEngine(fleet(radius=[1.0, 0.05], n=2), at((0.0, 0.0, 0.0), (3.0, 0.9, np.pi)), None, 0.02)
    state = drive(engine, ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), 300)
    assert 0.0 <= least_gap(state.position, engine.fleet.radius) < 0.02
    assert engine.collisions.tolist() == [1, 0]


def test_the_parallel_kernels_give_the_same_bits(monkeypatch):
    import swarm_control.core.compiled as compiled

    def run():
        team, start, grid, rng = random_swarm(11, True)
        engine = PlanarEngine(team, start, grid, 0.05)
        for _ in range(10):
            engine.step(Commands(random_twist(rng, len(team))))
        return engine.truth().pose.tobytes(), engine.collisions.tobytes()

    serial = run()
    monkeypatch.setattr(compiled, "PARALLEL_FROM", 0)
    assert run() == serial
