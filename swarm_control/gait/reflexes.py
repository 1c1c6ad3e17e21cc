"""Reflexes: what a leg feels makes it step, keeps it from stepping, or lifts it higher (section 3.2); and how they are calibrated."""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array, BoolArray

USUAL = 0.95
"""Share of steps whose load at their beginning is usual; a foot that was just set down may feel a jolt."""
FORWARD = (0.35, 0.75)
"""Share of a step's time in which the leg is on its way forward and should feel nothing."""


@njit(cache=True)
def extension(x, y, height, vx, vy):  # type: ignore[no-untyped-def]
    """Angle (rad) by which a leg is stretched behind its foothold, seen from ``height`` above it.

    ``x``, ``y``: where the foot is relative to the foothold; ``vx``, ``vy``: velocity of the foothold over the ground.
    """
    speed = np.sqrt(vx * vx + vy * vy)
    return 0.0 if speed < 1e-9 else np.arctan2(-(x * vx + y * vy) / speed, height)


@njit(cache=True)
def stumbles(progress, load, least, lag, held):  # type: ignore[no-untyped-def]
    """Whether a stepping leg meets something on its way forward: its foot feels more than ``least``, or its hip lags more than ``held``."""
    return FORWARD[0] < progress < FORWARD[1] and (load > least or lag > held)


@dataclass(frozen=True)
class Thresholds:
    """What sets reflexes off, for each of L legs: ``extension`` (L,) rad, ``load`` (L,)."""

    extension: Array
    load: Array


def calibrate(extension: Array, load: Array, stepping: BoolArray, margin: float = 0.2) -> Thresholds:
    """Thresholds beyond what an undisturbed walk shows; the left and right leg of a pair get the same.

    ``extension`` (T, L) rad, ``load`` (T, L) and which legs were ``stepping`` (T, L) are a walk's record. The step reflex acts beyond
    the largest extension of standing legs, the load-bearing reflex beyond the load at the beginning of all but the heaviest twentieth
    of steps, each by a ``margin``, a share of it. ``ValueError`` if a leg never stepped. (Section 4.1 asks for it; not done there.)
    """
    begun = stepping[1:] & ~stepping[:-1]
    if not begun.any(axis=0).all():
        raise ValueError(f"legs {np.flatnonzero(~begun.any(axis=0)).tolist()} did not step in the record, expected a walk of all legs")
    farthest = np.where(stepping, -np.inf, extension).max(axis=0)
    heaviest = np.array([np.quantile(load[:-1, k][begun[:, k]], USUAL) for k in range(load.shape[1])])
    farthest, heaviest = (np.repeat(values.reshape(-1, 2).max(axis=1), 2) for values in (farthest, heaviest))
    return Thresholds((1.0 + margin) * farthest, (1.0 + margin) * heaviest)
