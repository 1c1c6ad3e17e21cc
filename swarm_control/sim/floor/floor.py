"""A lab floor: R3s in MuJoCo that hear and speak the wheel protocol, and a camera over them. Nothing here is as ideal as on paper.

Robots differ within their tolerances, markers are stuck on by hand, the camera is calibrated by four points read to a pixel, its pictures
are noisy. All of it is drawn from the scenario's seed.
"""

import json
from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.geometry import Array, norm, wrap
from swarm_control.errors import InputError
from swarm_control.formation.design import designs
from swarm_control.scenario.groups import flocks, in_formation, squads, stages
from swarm_control.scenario.hardware import Tracker
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.setup import Setup
from swarm_control.sim.floor.marks import marks
from swarm_control.sim.floor.r3 import R3, built
from swarm_control.sim.floor.world import FloorPlan, FloorWorld, r3_of
from swarm_control.sim.hardware.firmware import Firmware
from swarm_control.sim.mujoco.camera import Overhead, Pictures, over
from swarm_control.sim.mujoco.canvas import renderer

ASKEW = (0.001, 0.001, 0.5)
"""Standard deviations with which markers are stuck on: ahead, to the left (m), heading (deg)."""
LEAST = {"aruco": ("marker_size", 15, 2.0**0.5), "spots": ("spot_diameter", 6, 1.0)}
"""The parameter for the width of markers, how wide (px) they must be in a picture to be found, and how wide, in radii, a robot can wear."""


class R3Base:
    """One R3 of a floor as the wheel protocol's firmware drives it: a ``Base``. It moves when the floor does."""

    def __init__(self, world: FloorWorld, robot: int, failed: Callable[[], bool]) -> None:
        self._world, self._robot, self._failed = world, robot, failed

    def step(self, dt: float, left: float, right: float) -> tuple[float, float]:
        """Set the wheels' rates (rad/s) from now on; return the wheels' angles, rad. A robot that has failed stands."""
        robots, data = self._world.robots, self._world.data
        robots.drive_one(data, self._robot, (0.0, 0.0) if self._failed() else (left, right))
        angle = robots.wheel_angle(data)[self._robot]
        return float(angle[0]), float(angle[1])

    def where(self) -> tuple[float, float, float]:
        """Where the robot truly is: x, y (m) and yaw (rad)."""
        x, y, yaw = self._world.robots.pose(self._world.data)[self._robot]
        return float(x), float(y), float(yaw)


class LabFloor:
    """The floor of a scenario. ``tracker``: what a tracker has to know of it; ``firmware`` (N,): the robots' ends of the wheel protocol."""

    def __init__(self, scenario: Scenario, setup: Setup) -> None:
        renderer()  # before MuJoCo is imported, which is less clear about it
        n, rng = len(setup.fleet), np.random.default_rng([scenario.seed, 5])
        r3 = r3_of(setup.fleet, scenario.hardware.wheels)
        self.overhead, self.tracker = seen_by(scenario, setup, r3)
        askew = rng.normal(size=(n, 3)) * ASKEW * [1.0, 1.0, np.pi / 180.0]
        robots = tuple(built(r3, rng) for _ in range(n))
        worn = marks(self.tracker, n, askew)
        self.world = FloorWorld(FloorPlan(setup.fleet, setup.start, robots, setup.grid, worn, self.overhead, scenario.objects))
        self._pictures = Pictures(self.world.model, self.overhead, scenario.seed)
        self._ticks, self._failures = r3.ticks, scenario.simulator.failures
        self.reset()

    def reset(self) -> None:
        """Put every robot back to where it started and switch it off and on; time and collisions too."""
        self.world.reset()
        names = self.world.plan.fleet.names
        self.firmware = [Firmware(R3Base(self.world, k, self._failing(name)), self._ticks, k, 0.0) for k, name in enumerate(names)]

    def _failing(self, name: str) -> Callable[[], bool]:
        mine = [(failure.start, failure.end) for failure in self._failures if failure.robot == name]
        return lambda: any(start <= self.world.time + 1e-9 < end for start, end in mine)

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.world.time

    def step(self) -> None:
        """Let one time step (:data:`~swarm_control.sim.floor.world.DT`) pass."""
        for firmware in self.firmware:
            firmware.step(self.world.time)
        self.world.step()

    def picture(self) -> NDArray[np.uint8]:
        """What the camera sees now (H, W, 3), RGB."""
        return self._pictures.take(self.world.data)

    def close(self) -> None:
        """Give the camera back."""
        self._pictures.close()


def seen_by(scenario: Scenario, setup: Setup, r3: R3) -> tuple[Overhead, Tracker]:
    """The camera over the scenario's floor, and the scenario's tracker as it must be set for it."""
    overhead = over(setup.fleet, setup.start, scenario.goals, setup.grid, widest(scenario, setup))
    tracker = replace(scenario.hardware.tracker, source="camera", marker_height=r3.height, floor=overhead.calibration())
    name, pixels, radii = LEAST[tracker.markers]
    size, pixel, most = getattr(tracker, name), (overhead.height - r3.height) / overhead.focal_length, radii * r3.radius
    least = 0.01 * np.ceil(100.0 * pixels * pixel)
    if size < pixels * pixel or size > most + 1e-9:
        found = f"{size:g} m found, {size / pixel:.0f} px wide from the {overhead.height:.1f} m from which all of the floor is seen"
        fits = f"{most:.2f} m, which lies on a robot of radius {r3.radius:g} m"
        expected = f"expected {least:.2f} m to {fits}" if least <= most else (
            f"needed are {least:.2f} m, more than {fits}; expected a smaller map, goals that are nearer, or larger robots"
        )  # fmt: skip
        raise InputError(f"hardware.tracker.{name}", f"{found}; {expected}")
    return overhead, tracker


def widest(scenario: Scenario, setup: Setup) -> float:
    """How far (m) robots are to be from the middle of their formation, in the widest of the scenario; zero without one."""
    farthest, teams = 0.0, flocks(scenario, squads(scenario.groups, setup.society))
    for controls, _ in stages(scenario, scenario.name):
        for number in in_formation(teams, controls):
            own = tuple(setup.fleet.names[robot] for robot in teams[number].robots)
            for design in designs(controls.of(teams[number].name).formation, setup.fleet.names, scenario.name, own):
                if design.points is not None:
                    farthest = max(farthest, float(norm(design.points - design.points.mean(axis=0)).max()))
    return farthest


def wiring(scenario: Scenario, setup: Setup, host: str) -> list[str]:
    """What a scenario's drivers have to know of its floor, as changes to the scenario (``PATH=VALUE``); its robots are at ``host``.

    Where computers are slow so is the floor's time, but not the drivers'; they are patient.
    """
    tracker = seen_by(scenario, setup, r3_of(setup.fleet, scenario.hardware.wheels))[1]
    calibration = {f"tracker.floor.{f.name}": getattr(tracker.floor, f.name) for f in fields(tracker.floor)}
    values = {
        "wheels.link": f"tcp://{host}:5{{index:04d}}", "wheels.silence": 10, "tracker.source": tracker.source, "tracker.topic": "",
        "tracker.marker_height": tracker.marker_height, **calibration,
    }  # fmt: skip
    return [f"hardware.{path}={json.dumps(value)}" for path, value in values.items()]


def misplaced(measured: Array, truth: Array) -> tuple[float, float]:
    """Root mean square of a tracker's errors, of ``measured`` (…, 3) against the ``truth``: position (m) and heading (rad)."""
    error = measured - truth
    return float(np.sqrt((error[..., :2] ** 2).sum(axis=-1).mean())), float(np.sqrt((wrap(error[..., 2]) ** 2).mean()))
