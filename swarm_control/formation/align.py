"""Turn before you go: robots that roll, and can turn where they stand, point along their way before the structure leaves.

A wheel cannot go sideways: a structure that leaves while its robots still turn leaves them behind, by centimetres. So from standstill
they first turn on the spot, and at a corner the structure stops for it. A way behind a robot is driven backwards.
"""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, norm, rotate, wrap
from swarm_control.formation.drive import Drive, Order, Path, ToPose, Velocity
from swarm_control.formation.robots import Robots
from swarm_control.formation.structure import Structure, place

CLEAR, OFF = 2.0, 5.0
"""In tolerances: a way that is shorter than the first has no direction; a robot further off its point has to get there first."""

IDLE = 0.05
"""Robots whose points go slower than this share of the fastest need not turn: what they do is too little to be seen."""


def bearings(points: Array, pose: Array, twist: Array, heading: Array) -> Array:
    """Heading (M,) rad that points need, the one of ahead and back that is nearer to ``heading`` (M,), when the structure at ``pose`` (3,)
    moves with ``twist`` (3,), world frame; NaN where a point hardly moves.
    """
    arm = rotate(points, pose[2])
    way = twist[:2] + twist[2] * np.stack((-arm[:, 1], arm[:, 0]), axis=-1)
    speed = norm(way)
    turn = wrap(np.arctan2(way[:, 1], way[:, 0]) - heading)
    turn = np.where(np.abs(turn) > 0.5 * np.pi, wrap(turn + np.pi), turn)
    return np.where(speed > IDLE * speed.max(initial=0.0), heading + turn, np.nan)


@dataclass(frozen=True)
class Turning:
    """Who has to turn for an ``order``: ``held`` is the structure about its pivot, ``squad`` its M robots, ``distance`` (M,) m how far they
    are from their points (NaN: those that have failed, for whom nobody waits), ``tolerance`` (m) as in the structure's parameters,
    ``clock`` (s) the order's.
    """

    order: Order
    held: Structure
    squad: Robots
    distance: Array
    tolerance: float
    params: Drive
    clock: float

    def corner(self, last: Array, twist: Array) -> bool:
        """Whether a structure that moved with ``last`` (3,) is to stop before it moves with ``twist`` (3,): a robot's way bends too far."""
        if not last.any() or self.params.corner == 180.0 or isinstance(self.order, Path) or not self._clear:
            return False
        points, pose = self.held.points, self.held.pose
        before = bearings(points, pose, last, np.zeros(len(points)))
        bend = np.abs(bearings(points, pose, twist, before) - before)
        return bool((self._turn & np.isfinite(self.distance) & (bend > np.deg2rad(self.params.corner))).any())

    def departing(self, aim: Array, ready: BoolArray) -> tuple[Array | None, BoolArray]:
        """Headings (M,) rad to take before a structure at rest leaves for ``aim`` (3,), None: it may go; and who is ``ready`` (M,).

        Who was ready once stays so: with noise there is never a moment at which all of many seem to be. Robots that need not turn are.
        """
        if not self._clear:
            return None, np.zeros(len(ready), bool)
        aim = self.order.leaving(self.held.points, CLEAR * self.tolerance) if isinstance(self.order, Path) else aim
        heading = bearings(self.held.points, self.held.pose, aim - self.held.pose, self.squad.pose[:, 2])
        heading = np.where(self._turn, heading, np.nan)
        off = np.abs(heading - self.squad.pose[:, 2])
        ready = ready | np.isnan(self.distance) | ~(off > np.deg2rad(self.params.align_within))
        return (None if ready.all() else heading), ready

    @property
    def _turn(self) -> BoolArray:
        """Who rolls, and can turn where it stands (M,)."""
        return self.squad.fleet.column(lambda model: model.rolls and model.turns_in_place)

    @property
    def _clear(self) -> bool:
        """Whether the way's direction is clear and all robots are in their places. Timetables do not wait."""
        if not np.nanmax(np.append(self.distance, 0.0)) < OFF * self.tolerance:
            return False
        if isinstance(self.order, Path):
            return self.order.waits and self.clock == 0.0
        if not isinstance(self.order, (ToPose, Velocity)):
            return False
        wish = self.order.aim(self.held.points, self.held.pose, 0.0, self.squad.horizon)
        return bool(norm(place(self.held.points, wish) - self.held.world).max() >= CLEAR * self.tolerance)
