"""Node ``wheel_driver``: cmd_vel to the wheels of real robots, and their encoders back as odometry."""

import argparse
import sys
import time
from functools import partial
from typing import ClassVar

import numpy as np
from std_srvs.srv import SetBool

from swarm_control.core.geometry import Array
from swarm_control.errors import InputError
from swarm_control.hardware.connection import Connection
from swarm_control.hardware.link import Link
from swarm_control.hardware.odometry import WheelOdometry
from swarm_control.hardware.protocol import BATTERY, FAULT
from swarm_control.hardware.robot import Robot, RobotOdometry, links
from swarm_control.hardware.wheels import WheelDriver, chassis_of
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr
from swarm_control.ros.support.node import SwarmNode, serve
from swarm_control.ros.support.stop_state import StopState

LOOK = 0.005
"""Time (s) between looks at the links."""

PLANAR = np.ix_((0, 1, 5), (0, 1, 5))
"""Where x, y and yaw are in a covariance (6, 6) of x, y, z and the turns about them."""

FORWARD = np.ix_((0, 5), (0, 5))
"""Where speed ahead and turn rate are."""


class WheelDriverNode(SwarmNode):
    """Drives the wheels of robots over serial, TCP or UDP links; publishes their odometry. Stops them when commands fail to come."""

    kind: ClassVar[str] = "wheel_driver"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        hardware, fleet = self.scenario.hardware, self.setup.fleet
        if not hardware.wheels.link:
            raise InputError("hardware.wheels.link", "none found, expected the robots' link")
        stamped = self.option("stamped", False, "robots are commanded by TwistStamped in place of Twist")
        self._tracked = hardware.tracker.source != "none"
        self.names = [fleet.names[k] for k in self.served]
        found = links(hardware.wheels, fleet, self.served)
        self.driven = [self._robot(int(k), link) for k, link in zip(self.served, found)]
        topic = topics.WHEEL_ODOM if self._tracked else topics.ODOM
        self._odom = [topics.publisher(self, topic, name) for name in self.names]
        self._writers = [_writer(name, self._tracked) for name in self.names]
        self._out_of_time, self._held = 0, False
        self._ups = [0] * len(self.names)
        self._stops = StopState(self, self._halt)
        self.create_service(SetBool, "~/stop", self._stop)
        for k, name in enumerate(self.names):
            topics.subscribe(
                self, topics.CMD_VEL_STAMPED if stamped else topics.CMD_VEL, partial(self._obey, k, bool(stamped)), name, raw=True
            )
        self.every(LOOK, self._look)

    def _robot(self, k: int, link: Link) -> Robot:
        wheels = self.scenario.hardware.wheels
        chassis = chassis_of(wheels, self.setup.fleet, k)
        driver = WheelDriver(chassis, self.control.safety.command_timeout)
        return Robot(Connection(link, 2.0 * wheels.silence), driver, WheelOdometry(chassis, wheels, self.setup.start.pose[k]), wheels)

    def _obey(self, k: int, stamped: bool, data: bytes) -> None:
        """A command has come. One with a stamp that is further from now than ``safety.command_timeout``, past or future, is not obeyed."""
        if self._held or self._stops.stopped or not self._stops.known:
            return
        twist = cdr.read_twist_stamped(data) if stamped else cdr.read_twist(data)
        stamp, timeout = cdr.read_stamp(data) if stamped else 0.0, self.control.safety.command_timeout
        if stamp > 0.0 and not abs(self.now - stamp) <= timeout:
            self._out_of_time += 1
            text = f"{self.names[k]}: a command stamped {stamp - self.now:+.3f} s from now is not obeyed"
            self.get_logger().warning(text, throttle_duration_sec=5.0)
            return
        self.driven[k].driver.timeout = timeout
        self.driven[k].driver.obey(twist[0], twist[5], time.monotonic())

    def _look(self) -> None:
        """Serve every link."""
        for k, robot in enumerate(self.driven):
            found = robot.serve(time.monotonic())
            if found is not None:
                self._publish(k, found)
            if robot.connection.opened > self._ups[k]:
                self._ups[k] = robot.connection.opened
                self.get_logger().info(f"{self.names[k]}: connected to {robot.connection.url}")

    def _publish(self, k: int, odometry: RobotOdometry) -> None:
        stamp = self.now - (time.monotonic() - odometry.time)
        self._odom[k].publish(self._writers[k].write([0], [stamp], _values(odometry), _covariances(odometry))[0])

    def _halt(self) -> None:
        """Stop the wheels at once, where they have to stand."""
        if self._held or self._stops.stopped:
            for robot in self.driven:
                robot.driver.halt()
                robot.tell(time.monotonic())

    def _stop(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        """``~/stop``: true stops these wheels at once and holds, false lets go."""
        self._held = bool(request.data)
        self._halt()
        response.success, response.message = True, "stopped" if self._held else "running"
        return response

    def report(self) -> None:
        """Lines that could not be used, links opened anew, round trips since the last report, and robots that are not heard."""
        now = time.monotonic()
        counters = [robot.counters for robot in self.driven]
        silent = [name for name, robot in zip(self.names, self.driven) if robot.silent(now)]
        trips = [trip for counter in counters for trip in counter.round_trips]
        last = next((f"{name}: {counter.last_bad}" for name, counter in zip(self.names, counters) if counter.last_bad), "")
        values = {
            "robots": len(self.driven), "robots_silent": len(silent), "silent": ", ".join(silent[:8]) + (" …" if len(silent) > 8 else ""),
            "lines_heard": sum(c.heard for c in counters), "lines_bad": sum(c.bad for c in counters),
            "lines_old": sum(c.old for c in counters), "lines_lost": sum(c.lost for c in counters), "last_bad": last,
            "reconnects": sum(max(robot.connection.opened - 1, 0) for robot in self.driven),
            "last_error": next((f"{r.connection.url}: {r.connection.error}" for r in self.driven if r.connection.error), ""),
            "round_trip_mean_ms": 1e3 * float(np.mean(trips)) if trips else float("nan"),
            "round_trip_max_ms": 1e3 * max(trips, default=float("nan")),
            "counts_rejected": sum(robot.odometry.rejected for robot in self.driven),
            "counts_rebased": sum(robot.odometry.rebased for robot in self.driven),
            "clock_resets": sum(robot.clock.resets for robot in self.driven), "commands_out_of_time": self._out_of_time,
            "robots_faulty": sum(bool(robot.status & FAULT) for robot in self.driven),
            "batteries_low": sum(bool(robot.status & BATTERY) for robot in self.driven),
        }  # fmt: skip
        for counter in counters:
            counter.round_trips.clear()
        self.status.write(values, "stopped" if self._held else self._stops.word, "warn" if silent else "ok")

    def close(self) -> None:
        """Leave no wheel turning."""
        for robot in self.driven:
            robot.driver.halt()
            robot.tell(time.monotonic())
            robot.connection.close()


def _writer(name: str, tracked: bool) -> cdr.OdometryWriter:
    """Beside a tracker the wheels' odometry drifts off in a frame of its own."""
    robot = topics.robot_name(name)
    return cdr.OdometryWriter(f"{robot}/odom" if tracked else topics.FRAME, [f"{robot}/base_link"])


def _values(odometry: RobotOdometry) -> Array:
    """Numbers of ``RobotOdometry`` (1, 13)."""
    x, y, yaw = odometry.pose
    forward, turn = odometry.twist
    return np.array([[x, y, 0.0, 0.0, 0.0, np.sin(0.5 * yaw), np.cos(0.5 * yaw), forward, 0.0, 0.0, 0.0, 0.0, turn]])


def _covariances(odometry: RobotOdometry) -> Array:
    """Covariances (1, 2, 6, 6) of pose and twist: what moves in the plane, and nothing for what cannot."""
    found = np.zeros((1, 2, 6, 6))
    found[0, 0][PLANAR] = odometry.covariance
    found[0, 1][FORWARD] = odometry.twist_covariance
    return found


def main() -> int:
    """Run the node."""
    return serve(WheelDriverNode)


if __name__ == "__main__":
    sys.exit(main())
