"""The virtual structure: points in its own frame, one for each robot, and how it is reconfigured."""

from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from swarm_control.core.geometry import Array, IntArray, rotate, wrap

COINCIDENT = 1e-6
"""Points nearer to each other than this (m) are the same point."""


@dataclass(frozen=True)
class Structure:
    """A rigid formation of N ≥ 1 points, each held by the robot of that name.

    ``points`` (N, 2) m in the structure's frame; ``names`` (N,) of the robots; ``pose`` (3,) x, y (m), yaw (rad) of the structure's
    frame in the world. Raises ``ValueError`` for repeated points or names, for lengths that differ, and for values that are not finite.
    """

    points: Array
    names: tuple[str, ...]
    pose: Array

    def __post_init__(self) -> None:
        points, pose = np.asarray(self.points, float), np.asarray(self.pose, float)
        check_points(points)
        if len(self.names) != len(points):
            raise ValueError(f"structure has {len(points)} points but {len(self.names)} robots; one robot for each point was expected")
        if len(set(self.names)) != len(self.names):
            raise ValueError("structure names a robot twice; one point for each robot was expected")
        if pose.shape != (3,) or not np.isfinite(pose).all():
            raise ValueError("structure's pose must be three finite numbers: x, y, yaw")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "pose", pose)

    def __len__(self) -> int:
        return len(self.points)

    @property
    def world(self) -> Array:
        """The points in the world frame, (N, 2) m."""
        return place(self.points, self.pose)

    def centred(self) -> "Structure":
        """The same structure with the origin of its frame at the centroid of its points."""
        middle = self.points.mean(axis=0)
        return self if np.abs(middle).max() < 1e-12 else self.about(middle)

    def about(self, pivot: Array) -> "Structure":
        """The same structure with the origin of its frame at ``pivot`` (2,) m of the present frame; nothing is checked."""
        if not pivot.any():
            return self
        return self.deformed(self.points - pivot, np.append(self.pose[:2] + rotate(pivot, self.pose[2]), self.pose[2]))

    def at(self, pose: Array) -> "Structure":
        """The same structure at another ``pose`` (3,); nothing is checked, for the control loop."""
        moved = copy(self)
        object.__setattr__(moved, "pose", pose)
        return moved

    def deformed(self, points: Array, pose: Array) -> "Structure":
        """The same robots with other ``points`` (N, 2) m, at another ``pose`` (3,); nothing is checked, for the control loop."""
        moved = self.at(pose)
        object.__setattr__(moved, "points", points)
        return moved

    def index(self, name: str) -> int:
        """Which point the robot ``name`` holds; ``ValueError`` if none."""
        if name not in self.names:
            raise ValueError(f"robot {name!r} is not in the structure; expected one of {', '.join(self.names)}")
        return self.names.index(name)

    def add(self, name: str, point: Array) -> "Structure":
        """With one more robot at ``point`` (2,) m, structure's frame; others keep their points."""
        return replace(self, points=np.vstack((self.points, point)), names=(*self.names, name))

    def drop(self, name: str) -> "Structure":
        """Without the robot ``name``; the others keep their points. ``ValueError`` when it is the last."""
        k = self.index(name)
        if len(self) == 1:
            raise ValueError("the last robot cannot be dropped; a structure has at least one point")
        return replace(self, points=np.delete(self.points, k, axis=0), names=self.names[:k] + self.names[k + 1 :])

    def reposition(self, name: str, point: Array) -> "Structure":
        """With robot ``name`` at another ``point`` (2,) m, structure's frame."""
        points = self.points.copy()
        points[self.index(name)] = point
        return replace(self, points=points)

    def merge(self, other: "Structure") -> "Structure":
        """Both in one structure, as they stand now; its frame is this one's."""
        points = rotate(other.world - self.pose[:2], -self.pose[2])
        return replace(self, points=np.vstack((self.points, points)), names=self.names + other.names)

    def split(self, names: tuple[str, ...]) -> tuple["Structure", "Structure"]:
        """The structure of these robots, and the one of the rest; both frames are this one's. Neither part may be empty."""
        chosen = np.zeros(len(self), bool)
        chosen[[self.index(name) for name in names]] = True
        if not chosen.any() or chosen.all():
            raise ValueError("a split needs at least one robot on each side")
        first, rest = (Structure(self.points[c], tuple(np.array(self.names)[c].tolist()), self.pose) for c in (chosen, ~chosen))
        return first, rest


def check_points(points: Array) -> None:
    """``ValueError`` unless ``points`` are N ≥ 1 different finite points (N, 2)."""
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 1:
        raise ValueError(f"structure has points of shape {points.shape}; a list of at least one [x, y] was expected")
    if not np.isfinite(points).all():
        raise ValueError(f"point {int(np.argmin(np.isfinite(points).all(axis=1)))} of the structure is not finite")
    order = np.lexsort((points[:, 1], points[:, 0]))
    # in order of x only neighbours within the tolerance can coincide
    for step in range(1, len(points)):
        ahead, here = points[order[step:]], points[order[:-step]]
        near = ahead[:, 0] - here[:, 0] < COINCIDENT
        if not near.any():
            break
        same = near & (np.abs(ahead[:, 1] - here[:, 1]) < COINCIDENT)
        if same.any():
            k = int(np.argmax(same))
            i, j = sorted((int(order[k]), int(order[k + step])))
            raise ValueError(f"points {i} and {j} of the structure coincide; every robot needs a point of its own")


def place(points: Array, pose: Array) -> Array:
    """Points (N, 2) of a structure at ``pose`` (..., 3) in the world frame, (..., N, 2) m."""
    c, s = np.cos(pose[..., 2, None]), np.sin(pose[..., 2, None])
    x, y = points[:, 0], points[:, 1]
    return np.stack((pose[..., 0, None] + c * x - s * y, pose[..., 1, None] + s * x + c * y), axis=-1)


def members(names: tuple[str, ...], fleet: tuple[str, ...]) -> IntArray:
    """Index in ``fleet`` (N,) of the robot that holds each point, ``names`` (M,); ``ValueError`` if there is none of that name."""
    if names == fleet:
        return np.arange(len(fleet))
    where = {name: k for k, name in enumerate(fleet)}
    missing = [name for name in names if name not in where]
    if missing:
        raise ValueError(f"structure needs robot {missing[0]!r}, which is not there; there are {', '.join(fleet)}")
    return np.array([where[name] for name in names], np.int64)


def inverse(pose: Array) -> Array:
    """The pose (3,) of the world in a frame that is at ``pose`` (3,)."""
    return np.append(rotate(-pose[:2], -pose[2]), -pose[2])


def compose(pose: Array, local: Array) -> Array:
    """World pose (3,) of a frame that is at ``local`` (3,) in the frame at ``pose`` (3,)."""
    return np.append(pose[:2] + rotate(local[:2], pose[2]), wrap(pose[2] + local[2]))
