"""Where the structure is wanted: to a pose, along a timed path, at a velocity, in a force field.

Each order answers with the pose that it wants the structure to have one horizon ahead; :func:`~swarm_control.formation.limits.limit`
then keeps every point of the structure within what its robot can do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from swarm_control.core.geometry import Array, norm, rotate, wrap
from swarm_control.core.parameters import param
from swarm_control.formation.structure import place


@dataclass(frozen=True)
class Drive:
    """Parameters of the structure's motion."""

    max_speed: float = param(100.0, "no point of the structure is to go faster", unit="m/s", low=0.001, high=100.0)
    max_turn_rate: float = param(100.0, "the structure is not to turn faster", unit="rad/s", low=0.001, high=100.0)
    speed_share: float = param(0.85, "share of the robots' top speed that the structure uses", low=0.01, high=1.0)
    acceleration_share: float = param(0.5, "share of the robots' top acceleration that the structure uses", low=0.01, high=1.0)
    tolerance: float = param(0.004, "the structure is there when all its points are this near", unit="m", low=1e-6, high=10.0)
    wall_margin: float = param(0.03, "footprints are not wished nearer to walls than this", unit="m", low=0.0, high=10.0)
    align_within: float = param(
        2.0, "robots that turn on the spot point this near their way before the structure leaves; 180: it leaves at once", unit="deg",
        low=0.1, high=180.0,
    )  # fmt: skip
    look_ahead: float = param(
        0.03, "where a horizon's way is shorter, robots that roll are led back to their course over this way", unit="m", low=0.0, high=10.0
    )
    corner: float = param(
        45.0, "the structure stops where the way of such a robot bends by more at once; 180: nowhere", unit="deg", low=1.0,
        high=180.0,
    )  # fmt: skip
    patience: float = param(0.0, "a timed path stands still while the structure lags by more; 0: it goes on", unit="m", low=0.0, high=100.0)


class Order(Protocol):
    """What the structure is told to do. It sees the structure held by its pivot: ``pose`` is that point's, ``points`` are about it."""

    @property
    def brakes(self) -> bool:
        """Whether the structure is to brake in time for the end."""

    def aim(self, points: Array, pose: Array, clock: float, horizon: float) -> Array:
        """Wished pose (3,) one ``horizon`` (s) ahead, ``clock`` (s) after the order; ``points`` (N, 2) m, ``pose`` (3,) now."""

    def end(self, clock: float) -> Array | None:
        """The pose (3,) at which the order ends; None while there is none."""


@dataclass(frozen=True)
class ToPose:
    """Go to ``goal`` (3,), straight, the short way round, and stay there."""

    goal: Array
    brakes: ClassVar[bool] = True

    def aim(self, points: Array, pose: Array, clock: float, horizon: float) -> Array:
        """The goal."""
        return np.array([self.goal[0], self.goal[1], pose[2] + wrap(self.goal[2] - pose[2])])

    def end(self, clock: float) -> Array | None:
        """The goal."""
        return self.goal


@dataclass(frozen=True)
class Path:
    """Be at ``poses`` (P, 3) at ``times`` (P,) s after the order, increasing; linear in between, so the yaw is not to be wrapped.

    ``waits``: its clock begins when robots that roll have turned towards its beginning.
    """

    times: Array
    poses: Array
    waits: bool = False
    brakes: ClassVar[bool] = True

    def at(self, clock: float) -> Array:
        """The pose (3,) at ``clock`` (s)."""
        return np.array([np.interp(clock, self.times, self.poses[:, k]) for k in range(3)])

    def leaving(self, points: Array, far: float) -> Array:
        """Its first pose (3,) at which a point has gone as ``far`` (m), or the last one."""
        gone = norm(place(points, self.poses) - place(points, self.poses[0])).max(axis=1) >= far
        found: Array = self.poses[int(gone.argmax()) if gone.any() else -1]
        return found

    def aim(self, points: Array, pose: Array, clock: float, horizon: float) -> Array:
        """The path's pose one horizon later; the yaw the one nearest to the structure's."""
        wish = self.at(clock + horizon)
        wish[2] = pose[2] + wrap(wish[2] - pose[2])
        return wish

    def end(self, clock: float) -> Array | None:
        """The last pose, once its time has come."""
        return self.poses[-1] if clock >= self.times[-1] else None


RETURN = 1.0
"""Time constant (s) of the return to a place that is held: soon enough, and slow enough for wheels that point elsewhere."""


@dataclass(frozen=True)
class Velocity:
    """Move with ``twist`` (3,): vx, vy (m/s), ω (rad/s); along the structure's axes, or the world's when ``world``.

    With ``pivot`` (2,) m, world frame, the turn is about that point instead of the structure's origin. With ``heading`` (rad), the
    structure's yaw when the order was given, the yaw is held: a robot that stops does not make the others circle around it. With
    ``place`` (2,) m the structure returns to that place within about :data:`RETURN`: many small errors do not carry off one that turns.
    """

    twist: Array
    world: bool = False
    pivot: Array | None = None
    heading: float | None = None
    place: Array | None = None
    brakes: ClassVar[bool] = False

    def aim(self, points: Array, pose: Array, clock: float, horizon: float) -> Array:
        """The pose after one horizon of this velocity: exact for constant twists, also about a pivot."""
        turn = self.twist[2] * horizon
        if self.heading is not None:
            turn = float(wrap(self.heading + self.twist[2] * (clock + horizon) - pose[2]))
        moved = self.twist[:2] * horizon
        if not self.world:
            moved = rotate(moved * np.sinc(0.5 * turn / np.pi), pose[2] + 0.5 * turn)
        if self.pivot is not None:
            moved = moved + rotate(pose[:2] - self.pivot, turn) - (pose[:2] - self.pivot)
        if self.place is not None:
            moved = min(horizon / RETURN, 1.0) * (self.place - pose[:2])
        return np.append(pose[:2] + moved, pose[2] + turn)

    def end(self, clock: float) -> Array | None:
        """A velocity never ends."""
        return None


@dataclass(frozen=True)
class Field:
    """Be moved by a force field as a rigid body would, slowly: ``force`` (N, 2) → (N, 2) gives the force at points (m, world frame).

    Equation: ``v = mobility·mean f``, ``ω = mobility·Σ q×f/Σ‖q‖²``, q the points about their centroid; mobility in m/s per unit of force.
    """

    force: Callable[[Array], Array]
    mobility: float = 1.0
    brakes: ClassVar[bool] = False

    def aim(self, points: Array, pose: Array, clock: float, horizon: float) -> Array:
        """The pose after one horizon of the field's velocity."""
        world = place(points, pose)
        f, q = self.force(world), world - world.mean(axis=0)
        spread = (q * q).sum()
        rate = self.mobility * (q[:, 0] * f[:, 1] - q[:, 1] * f[:, 0]).sum() / spread if spread > 0.0 else 0.0
        return Velocity(np.append(self.mobility * f.mean(axis=0), rate), True, world.mean(axis=0)).aim(points, pose, clock, horizon)

    def end(self, clock: float) -> Array | None:
        """A field never ends."""
        return None


def turning(pose: Array, pivot: Array, angle: float, duration: float) -> Path:
    """A path that turns a structure at ``pose`` (3,) by ``angle`` (rad) about ``pivot`` (2,) m in ``duration`` (s), gently at both ends."""
    s = np.linspace(0.0, 1.0, 201)
    turn = angle * s * s * (3.0 - 2.0 * s)
    return Path(duration * s, np.column_stack((pivot + rotate(pose[:2] - pivot, turn), pose[2] + turn)))


def remaining(points: Array, pose: Array, end: Array) -> float:
    """How far (m) the structure is from ``end`` (3,): the largest distance of a point from its place there."""
    return float(norm(place(points, pose) - place(points, end)).max())


def at_most(pose: Array, end: Array, far: float) -> float:
    """How far (m) at most a point within ``far`` (m) of the structure's origin is from its place at ``end`` (3,)."""
    return float(norm(pose[:2] - end[:2])) + far * abs(float(wrap(pose[2] - end[2])))
