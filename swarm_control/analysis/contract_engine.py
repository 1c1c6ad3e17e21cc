"""What robots that the planar engine moves must keep to: prediction, braking, the fence; and what every exported model must."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.core.actuation import actuate
from swarm_control.core.geometry import Array, norm, rotate, wrap
from swarm_control.core.robot import RobotModel
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.safety.fence import clearance, keep_inside
from swarm_control.world import read_world
from swarm_control.world.sdf_writer import write_sdf
from swarm_control.world.stage_writer import write_stage

STEP = 0.01
HORIZON, MARGIN = 0.2, 0.02


def check_prediction(model: RobotModel, fleet: Fleet, twist: Array, rng: np.random.Generator) -> None:
    """Robots that move with a ``twist`` (N, 3) and go on with it end where the model's prediction says."""
    n, steps = len(fleet), 50
    slow = twist * np.minimum(1.0, 0.5 * fleet.max_acceleration / np.maximum(norm(twist[:, :2]) * np.abs(twist[:, 2]), 1e-9))[:, None]
    pose = np.column_stack((rng.uniform(-3.0, 3.0, (n, 2)), rng.uniform(-np.pi, np.pi, n)))
    state = SwarmState.of(0.0, pose, np.column_stack((rotate(slow[:, :2], pose[:, 2]), slow[:, 2])))
    for _ in range(steps):
        _, after, velocity = actuate(state, slow, fleet, STEP)
        state = SwarmState.of(state.time + STEP, after, velocity)
    end = model.predict(pose, slow, steps * STEP)
    same = np.allclose(state.pose[:, :2], end[:, :2], atol=1e-9) and np.allclose(wrap(state.pose[:, 2] - end[:, 2]), 0.0, atol=1e-9)
    assert same, f"{model.name}: the engine moves it otherwise than predict says, expected the same end after {steps * STEP:g} s"


def check_braking(model: RobotModel, fleet: Fleet, rng: np.random.Generator) -> None:
    """Told to stop, robots are at rest within v²/2a and a step's way; a command that is no number is one to stop."""
    n = len(fleet)
    speed = rng.uniform(0.1, 1.0, n) * fleet.max_speed
    pose = np.column_stack((np.zeros((n, 2)), rng.uniform(-np.pi, np.pi, n)))
    velocity = np.column_stack((rotate(np.column_stack((speed, np.zeros(n))), pose[:, 2]), np.zeros(n)))
    state = SwarmState.of(0.0, pose, velocity)
    zero, nonsense = np.zeros((n, 3)), np.tile((np.nan, 0.0, 0.3), (n, 1))
    same = all(np.array_equal(*pair) for pair in zip(actuate(state, zero, fleet, STEP), actuate(state, nonsense, fleet, STEP)))
    assert same, f"{model.name}: a command that is not finite acts, expected it to count as a stop"
    if not model.stops:
        return
    way, longest = np.zeros(n), speed**2 / (2.0 * fleet.max_acceleration) + speed * STEP
    for _ in range(int(np.ceil((speed / fleet.max_acceleration).max() / STEP)) + 1):
        move, after, velocity = actuate(state, zero, fleet, STEP)
        state, way = SwarmState.of(0.0, after, velocity), way + norm(move)
    assert not state.velocity.any(), f"{model.name}: it still moves after the time that braking takes, expected it to stand"
    assert (way <= longest * (1.0 + 1e-9)).all(), f"{model.name}: it needs more way than v²/2a to stop"


def check_fence(model: RobotModel, fleet: Fleet, rng: np.random.Generator, fences: int = 8) -> None:
    """Footprints stay inside any polygon for any commands, also when a command is the last for as long as it is obeyed."""
    n = len(fleet)
    for _ in range(fences):
        corners = polygon_around(rng, 12.0 * float(fleet.radius.max()))
        state = SwarmState.of(0.0, np.column_stack((np.zeros((n, 2)), rng.uniform(-np.pi, np.pi, n))), np.zeros((n, 3)))
        wish = wild(rng, fleet)
        for _ in range(60):
            change = rng.random(n) < 0.2
            wish[change] = wild(rng, fleet)[change]
            twist, _ = keep_inside(wish, state.pose, state.velocity, fleet, corners, MARGIN, HORIZON)
            for _ in range(round((HORIZON if rng.random() < 0.1 else 0.05) / STEP)):
                _, pose, velocity = actuate(state, twist, fleet, STEP)
                state = SwarmState.of(0.0, pose, velocity)
                out = fleet.radius - clearance(corners, state.position)
                assert (out <= 1e-9).all(), f"{model.name}: a footprint leaves the fence by {out.max():.3g} m, expected none to"


def polygon_around(rng: np.random.Generator, size: float) -> Array:
    """Corners (K, 2) m of a polygon around the origin, mostly not convex, whose border is at least 0.3 ``size`` from it."""
    while True:
        k = int(rng.integers(3, 9))
        angle = 2.0 * np.pi * (np.arange(k) + rng.uniform(-0.4, 0.4, k)) / k
        corners: Array = (size * rng.uniform(0.5, 1.5, k) * np.stack((np.cos(angle), np.sin(angle)))).T
        if clearance(corners, np.zeros((1, 2)))[0] > 0.3 * size:
            return corners


def wild(rng: np.random.Generator, fleet: Fleet) -> Array:
    """Twists (N, 3) of any kind, beyond all limits too."""
    limits = np.column_stack((fleet.max_speed, fleet.max_speed, fleet.max_turn_rate))
    found: Array = limits * rng.normal(size=(len(fleet), 3)) * rng.choice((0.0, 0.3, 1.0, 10.0), (len(fleet), 3))
    return found


def check_export(model: RobotModel, fleet: Fleet) -> None:
    """What Stage and Gazebo are said to be able to express is written, and Stage's world is read back."""
    pose = np.column_stack((np.arange(float(len(fleet))), np.zeros((len(fleet), 2))))
    with tempfile.TemporaryDirectory() as folder:
        if model.stage is not None:
            world = read_world(write_stage(Path(folder) / "contract.world", fleet, pose, None, 0.01)[0])
            _check_read(model, world.robots, fleet, pose)
        if model.gazebo:
            from xml.etree import ElementTree

            file = Path(folder) / "contract.sdf"
            write_sdf(file, "contract", fleet, pose, None, 0.05)
            names = {element.get("name") for element in ElementTree.parse(file).iter("model")}
            assert set(fleet.names) <= names, f"{model.name}: robots are missing in Gazebo's world, expected {', '.join(fleet.names)}"


def _check_read(model: RobotModel, robots: Any, fleet: Fleet, pose: Array) -> None:
    assert model.stage is not None
    names = tuple(robot.name for robot in robots)
    assert names == fleet.names, f"{model.name}: Stage's world has robots {names}, expected {fleet.names}"
    drives = {robot.drive for robot in robots}
    assert drives == {model.stage.writes}, f"{model.name}: Stage's world has drives {drives}, expected {model.stage.writes}"
    places = np.array([robot.pose for robot in robots])
    assert np.allclose(places, pose, atol=1e-6), f"{model.name}: Stage's world has robots elsewhere than they were written"
