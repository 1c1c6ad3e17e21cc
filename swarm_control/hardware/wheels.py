"""The wheel driver: twists become wheel speeds within limits, encoder counts become odometry. No ROS, no clock: time is an argument."""

import math

from swarm_control.core.state import Fleet
from swarm_control.hardware.odometry import Chassis
from swarm_control.hardware.protocol import BOUNDS, WheelSpeeds
from swarm_control.robots.differential.wheels import limit_wheels
from swarm_control.scenario.hardware import Wheels


def chassis_of(wheels: Wheels, fleet: Fleet, robot: int) -> Chassis:
    """The chassis of a robot of the fleet: what ``wheels`` says, and the robot's own where it says nothing."""
    sayable = 1e-3 * BOUNDS[WheelSpeeds]["left"][1] * wheels.wheel_radius
    return Chassis(
        wheels.wheel_radius, wheels.wheel_base or float(fleet.wheel_base[robot]), wheels.ticks_per_turn,
        min(wheels.max_wheel_speed or float(fleet.max_speed[robot]), sayable),
        wheels.max_wheel_acceleration or float(fleet.max_acceleration[robot]), float(fleet.max_turn_rate[robot]),
    )  # fmt: skip


class WheelDriver:
    """One robot's commands: the last twist, as wheel speeds that the robot can follow, and nothing when there is none that is fresh."""

    def __init__(self, chassis: Chassis, timeout: float) -> None:
        self.chassis, self.timeout = chassis, timeout
        self._wish, self._told = (0.0, 0.0), (0.0, 0.0)
        self._heard = -math.inf

    def obey(self, forward: float, turn: float, now: float) -> None:
        """Take a twist as heard ``now`` (s): speed ahead (m/s), turn rate (rad/s). One that is not finite stops the robot."""
        finite = math.isfinite(forward) and math.isfinite(turn)
        self._wish, self._heard = (forward, turn) if finite else (0.0, 0.0), now if finite else -math.inf

    def halt(self) -> None:
        """Stop at once, and until the next twist."""
        self._wish, self._told, self._heard = (0.0, 0.0), (0.0, 0.0), -math.inf

    def fresh(self, now: float) -> bool:
        """Whether there is a twist to be obeyed."""
        return 0.0 <= now - self._heard <= self.timeout

    def speeds(self, now: float, dt: float) -> tuple[float, float]:
        """Rates of the left and right wheel (rad/s) to be told ``now``, ``dt`` (s) after the last ones.

        Both wheels are scaled together to the limits of speed and turn rate, which keeps the arc; then each changes by no more
        than its acceleration allows (Lewis & Tan eq. 12). Without a fresh twist the wheels stop at once.
        """
        chassis, half = self.chassis, 0.5 * self.chassis.wheel_base
        if not self.fresh(now):
            self.halt()
            return 0.0, 0.0
        forward, turn = self._wish
        v, _, w = limit_wheels(
            forward - half * turn, forward + half * turn, *self._told, chassis.max_speed, chassis.max_acceleration * dt,
            chassis.max_turn_rate, half,
        )  # fmt: skip
        self._told = (v, w)
        return (v - half * w) / chassis.wheel_radius, (v + half * w) / chassis.wheel_radius
