"""Posture: how deep standing legs reach. A leg that finds no ground searches for it; all together carry the trunk, by what they feel.

Depths are below the ground that motor programs take for granted, positive downward.
"""

import numpy as np

from swarm_control.core.compiled import njit


@njit(cache=True)
def search(step, load, missed, deeper, bare, constants, dt):  # type: ignore[no-untyped-def]
    """Move the depth ``deeper`` (L,) on of legs that stand without load, for as long as ``missed`` (L,) s; it is taken back as they lift.

    They feel less than ``bare`` for longer than ``after`` (s), then reach down at ``speed``, by ``most``.
    """
    after, speed, most, step_time = constants
    for k in range(len(step)):
        if step[k] >= 0.0:
            missed[k] = 0.0
            deeper[k] = max(deeper[k] - 2.0 * most * dt / step_time, 0.0)
        elif load[k] > bare:
            missed[k] = 0.0
        else:
            missed[k] += dt
            if missed[k] > after:
                deeper[k] = min(deeper[k] + speed * dt, most)


@njit(cache=True)
def carry(step, alive, place, load, foothold, ground, bare, posture, constants, dt):  # type: ignore[no-untyped-def]
    """Move the ``posture`` (4,) on: how much deeper all feet reach, and more by their x and y (per length); what of the weight they miss.

    The plane through the feet that bear is taken to where the trunk, standing, has it: ``ground`` below its middle, parallel to it. Legs
    that bear less than a ``sag`` of the ``weight``, over a ``time`` (s), do not carry the trunk: it lies on the ground, and is lifted at
    ``speed``; otherwise its height goes ``back`` with that time constant (s).
    """
    height, level, room, sag, speed, time, back, weight = constants
    n, mx, my, mz, total = 0, 0.0, 0.0, 0.0, 0.0
    for k in range(len(step)):
        total += load[k]
        if alive[k] and step[k] < 0.0 and load[k] > bare:
            n += 1
            mx, my, mz = mx + foothold[k, 0], my + foothold[k, 1], mz + place[k, 2] - ground
    posture[3] += dt / (time + dt) * (weight - total - posture[3])
    if n > 0:
        mx, my, mz = mx / n, my / n, mz / n
        posture[0] += height * mz * dt
    xx, yy, xz, yz = 1e-9, 1e-9, 0.0, 0.0
    for k in range(len(step)):
        if alive[k] and step[k] < 0.0 and load[k] > bare:
            x, y, z = foothold[k, 0] - mx, foothold[k, 1] - my, place[k, 2] - ground - mz
            xx, yy, xz, yz = xx + x * x, yy + y * y, xz + x * z, yz + y * z
    if n > 2:
        posture[1] += level * xz / xx * dt
        posture[2] += level * yz / yy * dt
    if posture[3] > (1.0 - sag) * weight:
        posture[0] += speed * posture[3] / weight * dt
    else:
        posture[0] -= posture[0] * dt / back
    arm = np.abs(foothold).max()
    posture[0] = min(max(posture[0], -room), room)
    for axis in range(1, 3):
        posture[axis] = min(max(posture[axis], -room / arm), room / arm)


@njit(cache=True)
def depth(posture, deeper, x, y):  # type: ignore[no-untyped-def]
    """How deep a leg with its foothold at ``x``, ``y`` reaches."""
    return deeper + posture[0] + posture[1] * x + posture[2] * y
