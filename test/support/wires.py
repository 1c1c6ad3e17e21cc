"""Links without hardware, and robots on them, in a time of their own."""

import numpy as np

from swarm_control.hardware.connection import Connection
from swarm_control.hardware.odometry import Chassis, WheelOdometry
from swarm_control.hardware.robot import Robot
from swarm_control.hardware.wheels import WheelDriver
from swarm_control.scenario.hardware import Wheels
from swarm_control.sim.hardware.base import SlippingBase
from swarm_control.sim.hardware.firmware import Firmware

CHASSIS = Chassis(wheel_radius=0.05, wheel_base=0.25, ticks_per_turn=2048, max_speed=0.3, max_acceleration=0.6, max_turn_rate=2.4)
WHEELS = Wheels()


class Wire:
    """A link whose other end is two lists."""

    url = "wire:"

    def __init__(self):
        self.to_host, self.to_robot = [], []
        self.broken, self.tried, self.opened = False, 0, 0

    def open(self):
        self.tried += 1
        if self.broken:
            raise OSError("no carrier")
        self.opened += 1

    def read_lines(self):
        if self.broken:
            raise OSError("no carrier")
        lines, self.to_host = self.to_host, []
        return lines

    def write_line(self, line):
        self.to_robot.append(line.rstrip(b"\n"))
        return True

    def close(self):
        pass


def connected(link, silence=1.0):
    """A connection whose link is open, at time 0."""
    found = Connection(link, silence)
    settle(found, 0.0)
    return found


def settle(connection, now):
    """Serve a connection until it is open, or has failed to be."""
    connection.serve(now)
    while connection._opening is not None:
        connection._opening.thread.join()
        connection.serve(now)


class Pair:
    """A driver and a robot on a wire. ``there`` and ``back`` may spoil lines."""

    def __init__(self, *, slip=0.0, wheels=WHEELS, ticks=(0, 0), there=lambda line: line, back=lambda line: line, chassis=CHASSIS):
        self.wire, self.now = Wire(), 0.0
        self.base = SlippingBase(chassis.wheel_radius, chassis.wheel_base, np.zeros(3), slip, np.random.default_rng(1))
        self.firmware = Firmware(self.base, chassis.ticks_per_turn, 1, 0.0, ticks=ticks)
        self.driver = WheelDriver(chassis, timeout=0.2)
        self.robot = Robot(connected(self.wire), self.driver, WheelOdometry(chassis, wheels, np.zeros(3)), wheels)
        self.there, self.back, self.odometry = there, back, []

    def run(self, seconds, twist=None, dt=0.005, before=lambda: None):
        """Let time pass; ``twist`` is commanded all along."""
        for _ in range(round(seconds / dt)):
            self.now += dt
            before()
            if twist is not None:
                self.driver.obey(*twist, self.now)
            found = self.robot.serve(self.now)
            if found is not None:
                self.odometry.append(found)
            lines, self.wire.to_robot = self.wire.to_robot, []
            for line in filter(None, map(self.there, lines)):
                self.firmware.hear(line, self.now)
            told = self.firmware.tell(self.now)
            told = told and self.back(told)
            if told:
                self.wire.to_host.append(told.rstrip(b"\n"))


Pair().run(0.1, (0.1, 0.0))  # compiles what is compiled, before anything is timed
