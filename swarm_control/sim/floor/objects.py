"""Passive objects on the lab floor in MuJoCo: rigid bodies that slide, which robots' hulls and walls meet."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.scenario.objects import PassiveObject, object_names

HEIGHT = 0.15
"""Height of objects, m: less than the robots', so that they hide no marker."""


def body(name: str, given: PassiveObject) -> str:
    """MJCF of an object, its mass evenly spread."""
    x, y, turn = given.pose
    half = 0.5 * HEIGHT
    shape = f'type="cylinder" size="{given.radius:.9g} {half}"' if given.radius > 0.0 else (
        f'type="box" size="{0.5 * given.size[0]:.9g} {0.5 * given.size[1]:.9g} {half}"'
    )  # fmt: skip
    return f"""
      <body name="{name}" pos="{x:.9g} {y:.9g} {half}" euler="0 0 {np.deg2rad(turn):.12g}">
        <freejoint name="{name}"/>
        <geom name="{name}" {shape} mass="{given.mass:.9g}" friction="{given.grip:.9g}" priority="1" contype="2" conaffinity="3"
              rgba=".75 .6 .4 1"/>
      </body>"""


def contact(name: str, given: PassiveObject) -> str:
    """MJCF of its contact with the floor, which hulls and walls do not have: it slides and turns with Coulomb friction."""
    return f'<pair geom1="floor" geom2="{name}" condim="3" friction="{given.friction:.9g} {given.friction:.9g} 0 0 0" solref="0.005 1"/>'


class FloorObjects:
    """The objects of a floor's model: ``pose`` (K, 3) where they are."""

    def __init__(self, model: Any, data: Any, given: Sequence[PassiveObject]) -> None:
        joints = [model.joint(name) for name in object_names(given)]
        self._q = np.array([joint.qposadr[0] for joint in joints])
        self._data = data
        self.geoms = np.array([model.geom(name).id for name in object_names(given)])

    @property
    def pose(self) -> Array:
        """(K, 3): x, y (m), yaw (rad), world frame."""
        q = self._data.qpos
        w, x, y, z = (q[self._q + k] for k in (3, 4, 5, 6))
        return np.column_stack((q[self._q], q[self._q + 1], np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))))
