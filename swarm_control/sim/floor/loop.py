"""The lab floor's loop in one process: image → tracker → controllers → wheel drivers → lines of the wheel protocol → R3s in MuJoCo."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.state import Commands, SwarmState
from swarm_control.hardware.connection import Connection
from swarm_control.hardware.odometry import WheelOdometry
from swarm_control.hardware.robot import Robot
from swarm_control.hardware.tracking.track import Tracking
from swarm_control.hardware.wheels import WheelDriver, chassis_of
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.setup import Setup
from swarm_control.sim.floor.floor import LabFloor
from swarm_control.sim.floor.objects import FloorObjects
from swarm_control.sim.floor.world import DT
from swarm_control.sim.hardware.firmware import Firmware

TURN = 5
"""So many steps pass from one look of the wheel drivers at their links to the next."""


class Wire:
    """A link to a robot in the same process."""

    def __init__(self, floor: LabFloor, firmware: Firmware) -> None:
        self.url = "wire:"
        self._floor, self._firmware = floor, firmware

    def open(self) -> None:
        """Nothing has to be done."""

    def fileno(self) -> int:
        """There is none."""
        return -1

    def read_lines(self) -> list[bytes]:
        """The line that the robot says now, if it says one."""
        line = self._firmware.tell(self._floor.time)
        return [] if line is None else [line.rstrip(b"\n")]

    def write_line(self, line: bytes) -> bool:
        """The robot hears ``line``."""
        self._firmware.hear(line.rstrip(b"\n"), self._floor.time)
        return True

    def close(self) -> None:
        """Nothing has to be done."""


class FloorLoop:
    """Engine and odometry of :func:`swarm_control.analysis.simulation.simulate` on a lab floor: the camera, the tracker and the wheel
    drivers of ROS's nodes, without ROS. Bit-identical for a seed.

    A picture is taken ``simulator.delay`` (s) before every tick: so long it takes until the controllers know what is in it. ``picture``
    is the last one, ``seen`` (N, 3) where the tracker saw the robots in the one before the last tick, and ``stood`` (N, 3) where they were.
    """

    unit = 1.0
    """How long (m) the model's unit of length is."""
    elevation = -50.0
    """From where films of a floor look (deg): over its walls."""

    def __init__(self, scenario: Scenario, setup: Setup) -> None:
        self.fleet, self.floor = setup.fleet, LabFloor(scenario, setup)
        self._scenario, self._start = scenario, setup.start
        self._steps = round(scenario.simulator.dt / DT)
        self._period = round(scenario.control.period / DT)
        self._early = min(round(scenario.simulator.delay / DT), self._period - 1)
        self.reset()

    def reset(self) -> None:
        """Put every robot back to where it started; time and collisions too."""
        n, wheels = len(self.fleet), self._scenario.hardware.wheels
        self.floor.reset()
        self._count = 0
        self._tracking = Tracking(self.floor.tracker, n, self._start.pose)
        self._drivers = []
        for k, firmware in enumerate(self.floor.firmware):
            chassis = chassis_of(wheels, self.fleet, k)
            connection = Connection(Wire(self.floor, firmware), wheels.silence)
            while not connection.up:
                connection.serve(0.0)
            driver = WheelDriver(chassis, self._scenario.control.safety.command_timeout)
            self._drivers.append(Robot(connection, driver, WheelOdometry(chassis, wheels, self._start.pose[k]), wheels))
        self._look()

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.floor.time

    @property
    def collisions(self) -> IntArray:
        """Contact episodes so far (N,)."""
        return self.floor.world.collisions

    @property
    def model(self) -> Any:
        """MuJoCo's model of the floor."""
        return self.floor.world.model

    @property
    def data(self) -> Any:
        """MuJoCo's state of the floor."""
        return self.floor.world.data

    @property
    def objects(self) -> FloorObjects | None:
        """What lies on the floor for robots to push; None for nothing."""
        return self.floor.world.objects

    def truth(self) -> SwarmState:
        """Where the robots really are and how they move."""
        return self.floor.world.truth()

    def step(self, commands: Commands) -> None:
        """Let ``simulator.dt`` pass; the wheel drivers hear ``commands`` at its beginning."""
        for robot, (forward, _, turn) in zip(self._drivers, commands.twist.tolist()):
            robot.driver.obey(forward, turn, self.time)
        for _ in range(self._steps):
            if self._count % TURN == 0:
                for robot in self._drivers:
                    robot.serve(self.time)
            self.floor.step()
            self._count += 1
            if (self._count + self._early) % self._period == 0:
                self._look()

    @property
    def measured(self) -> Array:
        """When each robot was last seen (N,), s."""
        return self._tracking.filter.time

    def observe(self, truth: SwarmState) -> SwarmState:
        """What the tracker makes of the last picture."""
        self.seen, self.stood = self._tracking.see(self.picture, self._taken)[0].pose, self._taken_at
        pose, velocity = self._tracking.filter.at(self._taken)
        return SwarmState.of(truth.time, pose, velocity)

    def _look(self) -> None:
        self.picture: NDArray[np.uint8] = self.floor.picture()
        self._taken, self._taken_at = self.time, self.truth().pose
