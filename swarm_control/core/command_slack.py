"""How far robots can be from where their commands lead when they obey each of them now at once, now late.

A robot's velocity goes towards the one u that it is told, in its own frame, by at most a·t in a time t. Let E be how far another robot,
with the same commands, can be from it that obeys any of them up to ``latency`` later. Told the same, the other one catches up: of what
both still had to change it makes a·t. Told the command before, u', it does so towards u', and the two are farther apart by at most
``min(‖u − u'‖, 2·a·t)``. So with d and d' how far the velocity was from u and from u', not more than a·t each,

    E ← max(max(0, E + d − a·t), max(0, E + d' − a·t) + min(‖u − u'‖, 2·a·t)).
"""

from collections.abc import Callable

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, norm, rotate, wrap
from swarm_control.core.state import Fleet, SwarmState

Each = Callable[[Array, Array, Array, tuple[Array, Array], tuple[Array, Array]], None]
"""What is called for each command: (time (N,) s, the command and the one before it, poses and velocities before and after)."""


def _rolling(fleet: Fleet) -> tuple[BoolArray, Array]:
    """Who moves along its heading only (N,), and how tightly (N,) 1/m those turn that have to go for it; 0: the others."""
    tightest = fleet.max_turn_rate / fleet.max_speed
    return fleet.column(lambda model: model.rolls), np.where(fleet.column(lambda model: model.turns_on_the_move), tightest, 0.0)


class CommandSlack:
    """Adds up over commands to a ``fleet`` of N robots what it can amount to that they are obeyed up to ``latency`` (s) late.

    :attr:`velocity` (N,) m/s, :attr:`position` (N,) m and :attr:`heading` (N,) rad: how far robots can be from where they are held to be.
    """

    def __init__(self, fleet: Fleet, latency: float) -> None:
        self._fleet, self._latency = fleet, latency
        self._rolls, self._curvature = fleet.once(_rolling)
        self._off = np.zeros(len(fleet))
        self.position, self.velocity, self.heading = np.zeros(len(fleet)), np.zeros(len(fleet)), np.zeros(len(fleet))

    def note(self, time: Array, told: Array, before: Array, start: tuple[Array, Array], end: tuple[Array, Array]) -> None:
        """Add a command, see :data:`Each`; a command that is not known is what the robot did."""
        (pose, old), (after, new) = start, end
        was, now = rotate(old[:, :2], -pose[:, 2]), rotate(new[:, :2], -after[:, 2])
        wish, wished = self._wish(told, was, old[:, 2]), self._wish(before, was, old[:, 2])
        most, late = self._fleet.max_acceleration * time, np.maximum(self._latency / np.maximum(time, 1e-9), 1.0) * (time > 0.0)
        askew = np.minimum(self.heading * norm(wish[:, :2]), 2.0 * most)
        apart = np.minimum(norm(wish[:, :2] - wished[:, :2]), 2.0 * most) * late
        behind = np.maximum(self._off + np.minimum(norm(wished[:, :2] - was), most) - most, 0.0) + apart
        off = np.maximum(np.maximum(self._off + norm(now - was) - most, 0.0), behind) + np.where(self._rolls, 0.0, askew)
        between = np.maximum(self._off, off)
        fastest = self._curvature * (np.maximum(norm(was), norm(now)) + between)
        turn = np.abs(wish[:, 2] - wished[:, 2])
        turn = np.where(self._curvature > 0.0, np.minimum(turn, 2.0 * fastest), turn)
        self.heading += self._latency * np.maximum(turn, np.abs(new[:, 2] - old[:, 2])) + self._curvature * between * time
        self.position += between * time + self.heading * norm(after[:, :2] - pose[:, :2])
        self._off = off
        self.velocity = off + self.heading * norm(new[:, :2])

    def between(self, belief: SwarmState, ahead: SwarmState) -> Array:
        """How far (N, 3) place (m), velocity (m/s) and heading (rad) are off a ``belief`` at most, where commands lead ``ahead``."""
        turned = np.abs(wrap(belief.pose[:, 2] - ahead.pose[:, 2]))
        return np.column_stack((
            self.position + norm(belief.position - ahead.position),
            self.velocity + norm(belief.velocity[:, :2] - ahead.velocity[:, :2]), self.heading + turned,
        ))  # fmt: skip

    def _wish(self, told: Array, velocity: Array, rate: Array) -> Array:
        """What is ``told`` (N, 3), within the top speeds; where not known ``velocity`` (N, 2), own frame, and turn ``rate`` (N,)."""
        known = np.isfinite(told.sum(axis=1))
        wish = np.where(known[:, None], told, np.column_stack((velocity, rate)))
        wish[:, 1] = np.where(self._rolls, velocity[:, 1], wish[:, 1])
        wish[:, :2] *= np.minimum(self._fleet.max_speed / np.maximum(norm(wish[:, :2]), 1e-12), 1.0)[:, None]
        return wish
