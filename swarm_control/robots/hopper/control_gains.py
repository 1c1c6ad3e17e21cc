"""What the one-legged robot's control needs to know, as compiled code takes it."""

import math
from typing import NamedTuple

import numpy as np

from swarm_control.core.geometry import Array
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
    thrust_force: float
    upright: float
    """Cosine of the tilt beyond which the robot has fallen."""
    lean_x: float
    lean_y: float
    lean_w: float


def gains(hopper: Hopper, mass: float, foot: float, length: float, gravity: Array, friction: float) -> Gains:
    """Gains of a robot of ``mass`` (kg) and leg ``length`` (m) under ``gravity`` (3,) m/s² on ground of ``friction``.

    ``foot`` (kg) of the mass is at rest with the foot when the robot leaves the ground, and is then taken along by the rest.

    Where gravity is not along −z, ``lean`` is the quaternion that turns the vertical to z: control is in a frame that is upright.
    """
    h, g = hopper, float(np.linalg.norm(gravity))
    x, y, z = -gravity / g
    w = math.sqrt(0.5 * (1.0 + z))
    return Gains(
        h.spring, h.damping, mass, g, length, math.sqrt(2.0 * g * h.apex) * mass / (mass - foot), h.thrust_limit, h.retraction,
        h.attitude_gain, h.attitude_damping, h.yaw_gain, h.yaw_damping, h.swing_gain, h.swing_damping, h.grip,
        h.grip * 2.0 / 3.0 * friction * h.sole, h.step_gain, h.step_bias, h.step_error, h.top_speed, h.top_turn,
        h.hip_torque or math.inf, h.thrust_force or math.inf, math.cos(math.radians(h.tilt)), 0.5 * y / w, -0.5 * x / w, w,
    )  # fmt: skip
