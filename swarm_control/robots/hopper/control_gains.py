"""What the one-legged robot's control needs to know, as compiled code takes it."""

import math
from typing import NamedTuple

from swarm_control.robots.hopper.body import FOOT, KNEE, LENGTH, LOWER, MASS, UPPER
from swarm_control.robots.hopper.body_parameters import Hopper


class Gains(NamedTuple):
    """What the control needs to know: parameters of :class:`Hopper`, or derived."""

    spring: float
    damping: float
    mass: float
    gravity: float
    length: float
    lift: float
    """Speed upwards that the body is to have when the foot leaves the ground, m/s."""
    thrust_limit: float
    retraction: float
    attitude: float
    attitude_rate: float
    yaw: float
    yaw_rate: float
    swing: float
    swing_rate: float
    grip: float
    cling: float
    """Torque per load by which the foot may be turned on the ground, m."""
    step_gain: float
    step_bias: float
    step_error: float
    top_speed: float
    top_turn: float
    hip_torque: float
    hip_speed: float
    thrust_force: float
    thrust_speed: float
    upright: float
    """Cosine of the tilt beyond which the robot has fallen."""
    tilt_time: float
    speed_time: float
    skid: float
    debounce: float
    drop: float
    """How far the centre of mass is below the hip while the leg is as long as its spring, m."""
    share: float
    """The lower leg's share of the mass."""
    ball: float
    """Radius of the foot, m."""


def gains(hopper: Hopper, gravity: float, friction: float) -> Gains:
    """Gains of a robot under ``gravity`` (m/s²) on ground of ``friction``.

    The lower leg is at rest with the foot when the robot leaves the ground, and is then taken along by the rest.
    """
    h, lower = hopper, LOWER.mass
    return Gains(
        h.spring, h.damping, MASS, gravity, LENGTH, math.sqrt(2.0 * gravity * h.apex) * MASS / (MASS - lower), h.thrust_limit,
        h.retraction, h.attitude_gain, h.attitude_damping, h.yaw_gain, h.yaw_damping, h.swing_gain, h.swing_damping, h.grip,
        h.grip * 2.0 / 3.0 * friction * h.sole, h.step_gain, h.step_bias, h.step_error, h.top_speed, h.top_turn,
        h.hip_torque or math.inf, h.hip_speed or math.inf, h.thrust_force or math.inf, h.thrust_speed or math.inf,
        math.cos(math.radians(h.tilt)), h.tilt_time, h.speed_time, h.skid, h.debounce,
        (UPPER.mass * UPPER.drop + lower * (KNEE + LOWER.drop)) / MASS, lower / MASS, FOOT,
    )  # fmt: skip
