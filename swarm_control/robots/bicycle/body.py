"""A bicyclist for MuJoCo: the bodies of bicycle and rider, from Tables 3 and 4 of Brogan & Hodgins.

The bicycle's frame of coordinates has its origin on the ground in the middle between the wheels, x ahead, y left, z up. Joints' angles are
zero where the tables measure: a rider who stands upright. A positive angle about y turns what is above the joint forwards.

Of the tables, three things are not taken as printed. The row "fork to front wheel" repeats the hand's: the front hub is put level with the
rear one by head angle and fork offset. The saddle at 0.028 m would bend the knees by 171°: it is a parameter, higher. The masses of the
bicycle are not given: they are an ordinary one's.
"""

from dataclasses import dataclass

import numpy as np

from swarm_control.robots.bicycle.body_parameters import Bicycle

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Segment:
    """A link of the rider: mass (kg), moments of inertia (kg m²), and from its centre of mass its ``proximal`` joint, m, on the left side.

    The signs of y, for which the table has only ±, are those that put each centre of mass between its joints, knees inward.
    """

    mass: float
    inertia: Vector
    proximal: Vector


PELVIS = Segment(16.61, (0.23, 0.18, 0.16), (0.0, 0.0, -0.15))
TORSO = Segment(29.27, (0.73, 0.63, 0.32), (0.012, 0.0, -0.22))
HEAD = Segment(5.89, (0.030, 0.033, 0.023), (-0.009, 0.0, -0.064))
UPPER_LEG = Segment(8.35, (0.15, 0.16, 0.025), (0.024, 0.006, 0.120))
LOWER_LEG = Segment(4.16, (0.055, 0.056, 0.007), (0.005, -0.019, 0.165))
FOOT = Segment(1.34, (0.002, 0.008, 0.007), (-0.046, -0.009, 0.048))
UPPER_ARM = Segment(2.79, (0.025, 0.025, 0.0050), (-0.0002, -0.056, 0.120))
LOWER_ARM = Segment(1.21, (0.0050, 0.0054, 0.0012), (-0.025, -0.007, 0.090))
HAND = Segment(0.551, (0.002, 0.002, 0.001), (-0.026, 0.0, 0.085))
WAIST, NECK, SHOULDER, HIP = (0.023, 0.0, 0.103), (0.012, 0.0, 0.32), (-0.048, 0.164, 0.12), (0.005, 0.098, -0.11)
KNEE, ANKLE, ELBOW, WRIST = (-0.05, -0.019, -0.21), (-0.002, 0.009, -0.25), (-0.005, 0.036, -0.17), (0.012, 0.014, -0.11)
"""Distal joints from the centres of mass of pelvis, torso, torso, pelvis, upper and lower leg, upper and lower arm; left side, m."""

SADDLE, REAR, FORK, CRANK = -0.15, (-0.42, -0.36), (0.46, 0.09), (0.022, -0.36)
"""Saddle (x alone), rear hub, head of the fork and crank from the frame's centre of mass: x and z, m."""
FORK_CENTRE = (0.05, -0.108)
"""Centre of mass of fork and handlebar from the head of the fork: x and z, m. The front hub is level with the rear one."""
GRIP, SOLE, PALM, TREAD = (-0.03, 0.22, 0.16), (0.05, 0.0, -0.05), (0.01, 0.0, -0.03), 0.110
"""Grip from the head of the fork; ball of the foot and palm from their centres of mass; pedal to the left of the frame; m."""
RIM, TYRE = 0.85, 0.025
"""Radius of gyration of a wheel as a share of its radius; half width of a tyre, an ellipsoid, m."""
FRAME_INERTIA, FORK_INERTIA, CRANK_MASS, BEARING = (0.35, 0.85, 0.55), (0.15, 0.13, 0.04), 1.0, 0.005
"""Of an ordinary bicycle's frame and fork with handlebar, kg m², about their centres of mass; crank with pedals, kg; friction of
a hub, N m s."""
SIDES = (("left", 1.0), ("right", -1.0))
ARM = ("shoulder_y", "shoulder_x", "shoulder_z", "elbow", "wrist_y", "wrist_x")
LEG = ("hip_y", "hip_x", "knee", "ankle")
TRUNK = ("saddle", "waist", "neck")


@dataclass(frozen=True)
class Layout:
    """Where things are on a bicycle: x and z, m."""

    centre: tuple[float, float]
    rear: tuple[float, float]
    head: tuple[float, float]
    front: tuple[float, float]
    crank: tuple[float, float]
    saddle: tuple[float, float]

    @property
    def base(self) -> float:
        """Wheel base, m."""
        return self.front[0] - self.rear[0]


def layout(bicycle: Bicycle) -> Layout:
    """Put the wheels on the ground, their middle over the origin."""
    angle, r = np.deg2rad(bicycle.head_angle), bicycle.wheel_radius
    drop = FORK[1] - REAR[1]
    front = FORK[0] + drop / np.tan(angle) + bicycle.fork_offset / np.sin(angle)
    x, z = -0.5 * (REAR[0] + front), r - REAR[1]
    at = [(float(x + dx), float(z + dz)) for dx, dz in ((0.0, 0.0), REAR, FORK, (front, REAR[1]), CRANK, (SADDLE, bicycle.seat_height))]
    return Layout(*at)


def trail(bicycle: Bicycle) -> float:
    """How far the front tyre touches behind the steering axis, m."""
    angle = np.deg2rad(bicycle.head_angle)
    return float((bicycle.wheel_radius * np.cos(angle) - bicycle.fork_offset) / np.sin(angle))


def numbers(*values: float) -> str:
    """Numbers of an MJCF attribute."""
    return " ".join(f"{value:.9g}" for value in values)


def minus(a: Vector, b: Vector, side: float = 1.0) -> Vector:
    """From b to a on the left (``side`` 1) or on the right (−1)."""
    return a[0] - b[0], side * (a[1] - b[1]), a[2] - b[2]


def flip(joint: str, side: float) -> float:
    """What an angle of the left side is multiplied by on the ``side``: axes x and z point the other way in a mirror."""
    return side if joint.endswith(("_x", "_z")) else 1.0


def mirrored(v: Vector, side: float) -> Vector:
    """A vector of the left side on the right side (``side`` −1), or as it is (1)."""
    return v[0], side * v[1], v[2]
