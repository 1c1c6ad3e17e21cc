"""A leg as a chain of hinges: where its foot is, the angles that put it somewhere, and a table of them for motor programs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array

JOINTS = ("swing", "twist", "lift", "knee", "ankle")
"""From the hip outward. Swing is about the body's vertical, positive forward; twist about the coxa; the others bend the leg's plane,
positive up."""
STIFF = np.array([1.0, 3.0, 1.0, 1.0, 4.0])
"""How unwillingly each joint moves where several motions put the foot to the same place: mostly with swing, lift and knee."""


@dataclass(frozen=True)
class Leg:
    """A leg's lengths, cm, and how it is held with all angles zero.

    ``side``: 1 left, −1 right. ``hip`` (3,) in the body's frame; ``links`` (4,): lengths of coxa, femur, tibia, tarsus; ``azimuth`` (rad)
    of the leg's plane ahead of sideways; ``bend`` (4,) rad: angle of each link above the one before, the coxa's above the horizontal.
    """

    side: float
    hip: Array
    links: Array
    azimuth: float
    bend: Array

    def heading(self) -> float:
        """Direction of the leg's plane in the body's frame, rad."""
        return self.side * (0.5 * np.pi - self.azimuth)


@dataclass(frozen=True)
class Chains:
    """The same of L legs, as compiled functions take it: ``side`` and ``heading`` (L,), ``hip`` (L, 3), ``links`` and ``bend`` (L, 4)."""

    side: Array
    heading: Array
    hip: Array
    links: Array
    bend: Array

    @staticmethod
    def of(legs: Sequence[Leg]) -> "Chains":
        """Those of ``legs``."""
        columns = zip(*((leg.side, leg.heading(), leg.hip, leg.links, leg.bend) for leg in legs))
        return Chains(*(np.array(column, float) for column in columns))


def foot(leg: Leg, angles: Array) -> Array:
    """Where the tip of the tarsus is, (n, 3) cm in the body's frame, for joint ``angles`` (n, 5) rad.

    The plane of the leg swings, the part of the leg beyond the coxa's axis is twisted about it, and links add up in that plane.
    """
    swing, twist = leg.heading() - leg.side * angles[:, 0], leg.side * angles[:, 1]
    droop = leg.bend[0]
    femur = leg.bend[1] + angles[:, 2]
    tibia = femur + leg.bend[2] + angles[:, 3]
    tarsus = tibia + leg.bend[3] + angles[:, 4]
    along = leg.links[0] + sum(length * np.cos(bend) for length, bend in zip(leg.links[1:], (femur, tibia, tarsus)))
    up = sum(length * np.sin(bend) for length, bend in zip(leg.links[1:], (femur, tibia, tarsus)))
    across, up = -np.sin(twist) * up, np.cos(twist) * up
    out, z = np.cos(droop) * along - np.sin(droop) * up, np.sin(droop) * along + np.cos(droop) * up
    x, y = np.cos(swing) * out - np.sin(swing) * across, np.sin(swing) * out + np.cos(swing) * across
    return np.asarray(leg.hip + np.stack((x, y, z), axis=-1))


def jacobian(leg: Leg, angles: Array) -> Array:
    """How the foot moves with the joints, (n, 3, 5) cm/rad, by central differences."""
    small = 1e-5
    columns = [(foot(leg, angles + small * e) - foot(leg, angles - small * e)) / (2.0 * small) for e in np.eye(5)]
    return np.stack(columns, axis=-1)


def angles_for(leg: Leg, target: Array, start: Array) -> Array:
    """Angles (n, 5) that bring the foot to ``target`` (n, 3) cm, or as near as it gets; of those, near ``start`` (5,).

    Newton's steps of least weighted size, damped, 40 at most.
    """
    angles = np.tile(start, (len(target), 1))
    give = 1.0 / STIFF
    for _ in range(40):
        error = target - foot(leg, angles)
        size = np.linalg.norm(error, axis=1, keepdims=True)
        if size.max() < 1e-10:
            break
        error = error * np.minimum(1.0, 0.2 / np.maximum(size, 1e-12))
        j = jacobian(leg, angles)
        squared = np.einsum("nij,j,nkj->nik", j, give, j) + 1e-9 * np.eye(3)
        angles = angles + give * np.einsum("nij,ni->nj", j, np.linalg.solve(squared, error[..., None])[..., 0])
    return angles


POWERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 0, 0], [0, 2, 0], [0, 0, 2], [1, 1, 0], [1, 0, 1], [0, 1, 1]])
"""Exponents of the foot's x, y and z in the table's terms."""


def mirrored(made: Array) -> Array:
    """The table of the leg across the body: the same angles for a foot at the other y."""
    return made * (-1.0) ** POWERS[:, 1]


def table(leg: Leg, foothold: Array, start: Array, reach: float, low: float, high: float) -> tuple[Array, float]:
    """Joint angles as a quadratic function of where the foot is, and the greatest error of the foot that it makes, cm.

    Coefficients (5, 10) of the terms :data:`POWERS` in the foot's place relative to its ``foothold`` (3,): up to ``reach`` (cm) along
    x and y, and from ``low`` to ``high`` (cm) in height. ``start`` (5,): angles near those at the foothold.
    """
    middle = angles_for(leg, foothold[None], start)[0]
    sides, heights = np.linspace(-reach, reach, 5), np.linspace(low, high, 4)
    offset = np.stack(np.meshgrid(sides, sides, heights, indexing="ij"), axis=-1).reshape(-1, 3)
    offset = offset[np.hypot(offset[:, 0], offset[:, 1]) <= reach + 1e-9]
    wanted = angles_for(leg, foothold + offset, middle)
    terms = np.prod(offset[:, None] ** POWERS, axis=2)
    fitted = np.linalg.lstsq(terms, wanted, rcond=None)[0]
    error = np.linalg.norm(foot(leg, terms @ fitted) - foothold - offset, axis=1).max()
    return fitted.T.copy(), float(error)
