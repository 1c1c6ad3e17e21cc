"""Worlds written for Stage: read back they are the same, and what Stage makes of commands is what the embedded engine makes of them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from swarm_control.core.grid import Grid
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.errors import InputError
from swarm_control.robots import ROBOTS
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.sim.planar import PlanarEngine
from swarm_control.world import read_world
from swarm_control.world.names import robot_name
from swarm_control.world.stage_writer import write_stage
from swarm_control.world.worldfile import parse

DRIVES = sorted(name for name, model in ROBOTS.items() if model.stage)
IN_FOLDER = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def fleet_of(models, names=None, radius=0.1, speed=0.8, acceleration=2.0, turn=3.0, base=0.15):
    def column(value):
        return np.full(len(models), float(value))

    names = names or tuple(f"robot_{k}" for k in range(len(models)))
    return Fleet(tuple(names), tuple(models), *map(column, (radius, speed, acceleration, turn, base)))


def cells(grid):
    """Wall cells as points in the world."""
    rows, columns = np.nonzero(grid.occupied)
    return np.round(np.array(grid.origin) + grid.resolution * np.stack((columns, rows), axis=-1), 6).tolist()


@pytest.mark.parametrize("scenario", ["maze_hard", "migrate_mixed", "flock_walls", "scale"])
def test_a_scenario_read_back_is_the_same(tmp_path, scenario):
    loaded = load(scenario, ["robots=20"])
    setup = prepare(loaded.scenario, loaded.source)
    path = tmp_path / "it.world"
    written = write_stage(path, setup.fleet, setup.start.pose, setup.grid, loaded.scenario.simulator.dt)
    assert written == [path, tmp_path / "it.png"]
    world = read_world(path)
    assert sorted(cells(world.occupancy(setup.grid.resolution))) == sorted(cells(setup.grid))
    assert world.interval_sim == pytest.approx(loaded.scenario.simulator.dt)
    assert tuple(robot.name for robot in world.robots) == setup.fleet.names
    np.testing.assert_allclose([robot.pose for robot in world.robots], setup.start.pose, atol=1e-8)
    np.testing.assert_allclose([robot.size for robot in world.robots], 2.0 * setup.fleet.radius[:, None] * [1, 1], atol=1e-8)
    v = setup.fleet.max_speed[0]
    for robot in world.robots:
        assert (robot.drive, robot.localization, robot.localization_origin) == ("omni", "gps", (0.0, 0.0, 0.0))
        assert robot.velocity_bounds[0] == robot.velocity_bounds[1] == pytest.approx((-v, v))
        assert robot.velocity_bounds[2][1] == pytest.approx(setup.fleet.max_turn_rate[0])
        assert robot.acceleration_bounds[0][1] == pytest.approx(setup.fleet.max_acceleration[0])
    again = prepare(replace(loaded.scenario, world=str(path), robots=()), loaded.source)
    np.testing.assert_allclose(again.start.pose, setup.start.pose, atol=1e-8)
    np.testing.assert_allclose(again.fleet.radius, setup.fleet.radius)


@IN_FOLDER
@given(
    arrays(bool, st.tuples(st.integers(1, 8), st.integers(1, 8))), st.floats(0.02, 2.0),
    st.tuples(st.floats(-30, 30), st.floats(-30, 30)),
)  # fmt: skip
def test_any_map_read_back_has_the_same_walls(tmp_path, occupied, resolution, origin):
    grid = Grid(occupied, origin, resolution)
    pose = np.array([[origin[0] - 5.0, origin[1], 0.0]])
    written = write_stage(tmp_path / "any.world", fleet_of(["omni"]), pose, grid, 0.01)
    assert len(written) == 1 + occupied.any()
    world = read_world(written[0])
    rows, columns = np.nonzero(occupied)
    area = sum(polygon_area(wall) for wall in world.walls)
    assert area == pytest.approx(occupied.sum() * resolution**2, rel=1e-6, abs=1e-12)
    if occupied.any():
        corners = np.concatenate(world.walls)
        low = np.array(origin) + resolution * np.array([columns.min(), rows.min()])
        high = np.array(origin) + resolution * np.array([columns.max() + 1, rows.max() + 1])
        np.testing.assert_allclose([corners.min(axis=0), corners.max(axis=0)], [low, high], atol=1e-6)


def polygon_area(corners):
    x, y = corners.T
    return 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


@IN_FOLDER
@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50), st.floats(-math.pi, math.pi)), min_size=1, max_size=5), st.data())
def test_any_robots_read_back_are_the_same(tmp_path, poses, data):
    models = [data.draw(st.sampled_from(DRIVES)) for _ in poses]
    fleet = fleet_of(models, radius=data.draw(st.floats(0.01, 2.0)), speed=data.draw(st.floats(0.01, 5.0)))
    write_stage(tmp_path / "robots.world", fleet, np.array(poses), None, 0.02)
    world = read_world(tmp_path / "robots.world")
    found = np.array([robot.pose for robot in world.robots])
    np.testing.assert_allclose(found[:, :2], np.array(poses)[:, :2], atol=1e-8)
    np.testing.assert_allclose(np.cos(found[:, 2] - np.array(poses)[:, 2]), 1.0, atol=1e-12)
    for robot, model in zip(world.robots, models):
        assert robot.drive == ROBOTS[model].stage.writes
        assert robot.velocity_bounds[0][1] == pytest.approx(fleet.max_speed[0], abs=1e-8)
        assert robot.velocity_bounds[1][1] == pytest.approx(fleet.max_speed[0] if robot.drive == "omni" else 0.0, abs=1e-8)
        assert max(robot.size) / 2 == pytest.approx(fleet.radius[0], abs=1e-8)


def test_stages_traps(tmp_path):
    """Degrees; no exponents; no velocity that would not last; a model's own update interval, which is 100 ms where nothing is said."""
    pose = np.array([[1e-7, -2.5e-10, 0.5 * math.pi], [3.0, 0.0, -math.pi]])
    write_stage(tmp_path / "it.world", fleet_of(["omni", "differential"]), pose, None, 0.02, speed=2.0)
    root = parse(tmp_path / "it.world").root
    first, second = (child for child in root.children if child.type == "position")
    assert first.properties["pose"].values == (1e-7, 0.0, 0.0, 90.0)
    assert second.properties["pose"].values[3] == -180.0
    assert "velocity" not in first.properties
    assert root.properties["interval_sim"].values == first.properties["update_interval"].values == (20.0,)
    assert root.properties["speedup"].values == (2.0,)
    text = (tmp_path / "it.world").read_text()
    assert "e-" not in text.split("define")[0] and "color " not in text  # named colours need a file of Stage's


def test_turning_of_a_differential_drive_is_what_its_wheels_leave(tmp_path):
    fleet = fleet_of(["differential", "point_mass"], speed=0.1, base=0.2, turn=3.0)
    write_stage(tmp_path / "it.world", fleet, np.array([[0.0, 0, 0], [1.0, 0, 0]]), None, 0.01)
    wheels, mass = read_world(tmp_path / "it.world").robots
    assert wheels.velocity_bounds[2] == pytest.approx((-1.0, 1.0))
    assert mass.velocity_bounds[2] == (0.0, 0.0)


@pytest.mark.parametrize(
    ("fleet", "complaint"),
    [
        (fleet_of(["omni", "hopper"]), "hopper found, which Stage cannot express; expected car, differential, omni, point_mass"),
        (fleet_of(["omni"] * 2, ("a b", "a_b")), "a b and a_b are both a_b in ROS"),
    ],
)
def test_what_cannot_be_written_is_one_line(tmp_path, fleet, complaint):
    with pytest.raises(InputError, match="robots: ") as error:
        write_stage(tmp_path / "it.world", fleet, np.array([[0.0, 0, 0], [1.0, 0, 0]]), None, 0.01)
    assert complaint in str(error.value) and not (tmp_path / "it.world").exists()


def test_names_are_ones_that_ros_takes(tmp_path):
    write_stage(tmp_path / "it.world", fleet_of(["omni"], ("position:0",)), np.zeros((1, 3)), None, 0.01)
    assert read_world(tmp_path / "it.world").robots[0].name == robot_name("position:0") == "position_0"


def stage_step(pose, twist, drives, bounds, dt):
    """Stage 4.3, ModelPosition::Update and Move: velocities within velocity_bounds, then one Euler step in the robot's own frame."""
    twist = np.clip(twist, bounds[:, :, 0], bounds[:, :, 1])
    twist[:, 1] *= drives == "omni"
    c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    return pose + dt * np.stack((c * twist[:, 0] - s * twist[:, 1], s * twist[:, 0] + c * twist[:, 1], twist[:, 2]), axis=-1)


@pytest.mark.parametrize("dt", [0.01, 0.05])
def test_stage_and_the_embedded_engine_take_the_same_path(tmp_path, dt):
    """Same world, same commands within the limits: headings are equal, and paths no further apart than half a step explains.

    Stage moves along the heading at the step's beginning, the engine along the arc's chord: each step's way is turned by ω·dt/2. A point
    mass moves with the step's mean velocity, Stage with that of its end: Δv·dt/2. So the distance is at most (∫|v·ω|dt + Σ|Δv|)·dt/2.
    """
    models = ["omni", "differential", "omni", "point_mass"]
    fleet, T = fleet_of(models, acceleration=4.0), round(8.0 / dt)
    pose = np.column_stack((np.arange(4) * 20.0, np.zeros(4), np.linspace(-3, 3, 4)))
    write_stage(tmp_path / "it.world", fleet, pose, None, dt)
    world = read_world(tmp_path / "it.world")
    bounds, drives = np.array([robot.velocity_bounds for robot in world.robots]), np.array([robot.drive for robot in world.robots])
    engine = PlanarEngine(fleet, SwarmState.of(0.0, pose, np.zeros_like(pose)), None, dt)
    stage, time, apart, turned = np.array([robot.pose for robot in world.robots]), np.arange(T) * dt, np.zeros(4), 0.0
    way, bound = np.zeros(4), np.zeros(4)
    ramp = np.minimum(time, 1.0)[:, None]
    forward = ramp * 0.4 * np.cos(np.outer(time, [0.7, 0.5, 0.9, 0.6]))
    left = ramp * 0.3 * np.sin(np.outer(time, [0.4, 0.0, 0.6, 0.5]))
    rate = ramp * 1.5 * np.sin(np.outer(time, [0.8, 1.1, 0.5, 0.0]) + 0.5) * [1, 1, 1, 0]
    left[:, 1], last = 0.0, np.zeros((2, 4))
    for k in range(T):
        twist = np.stack((forward[k], left[k], rate[k]), axis=-1)
        engine.step(Commands(twist))
        before, stage = stage, stage_step(stage, twist, drives, bounds, dt)
        way += np.hypot(*(stage - before)[:, :2].T)
        truth = engine.truth().pose
        apart = np.maximum(apart, np.hypot(*(truth - stage)[:, :2].T))
        bound += 0.5 * dt * (np.abs(np.hypot(forward[k], left[k]) * rate[k]) * dt + np.hypot(forward[k] - last[0], left[k] - last[1]))
        last = forward[k], left[k]
        turned = max(turned, float(np.abs(np.sin(0.5 * (truth - stage)[:, 2])).max()))
    assert way.min() > 1.5 and turned < 1e-7
    assert (apart <= bound).all()
    assert apart.max() < dt  # m: a step's way at 1 m/s
