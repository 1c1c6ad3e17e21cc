"""Coupled oscillators, one per leg: Wilson's rules as relations of phase and time that neighbours keep (section 3.2).

A leg's phase runs from 0, where its step begins, to 1, where it wants to step again. Between legs across the body the relation is one of
phase, half a period; between adjacent legs of a side it is one of time, a constant interval. What the gait looks like is left to the one
frequency that drives all.
"""

import numpy as np

from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.geometry import Array, BoolArray

PLACED = 0.9
"""Share of its step after which a leg counts as put down."""
NONE = -1.0
"""Progress of the step of a leg that stands."""


@njit(cache=True)
def rate(phase, leg, frequency, interval, coupling):  # type: ignore[no-untyped-def]
    """dθ/dt (1/s) of an oscillator among those with ``phase`` (L,), never backward.

    ``θ̇ = f·(1 + κ/2π·Σ sin 2π(θ_j − θ − ψ_j))``: ψ = ½ across the body, ψ = f·interval behind the leg behind (rules 1, 2, 5).
    """
    lag = frequency * interval
    pull = np.sin(2.0 * np.pi * (phase[leg ^ 1] - phase[leg] - 0.5))
    if leg + 2 < len(phase):
        pull += np.sin(2.0 * np.pi * (phase[leg + 2] - phase[leg] - lag))
    if leg >= 2:
        pull += np.sin(2.0 * np.pi * (phase[leg - 2] - phase[leg] + lag))
    return frequency * max(1.0 + coupling / (2.0 * np.pi) * pull, 0.0)


@njit(cache=True)
def advance(phase, frequency, interval, coupling, dt, faster):  # type: ignore[no-untyped-def]
    """Move the phases (L,) on by ``dt``, none beyond 1; ``faster`` (L,) is room to work."""
    for leg in range(len(phase)):
        faster[leg] = rate(phase, leg, frequency, interval, coupling)
    for leg in range(len(phase)):
        phase[leg] = min(phase[leg] + faster[leg] * dt, 1.0)


@njit(cache=True)
def clear(step, alive, leg):  # type: ignore[no-untyped-def]
    """Whether the legs beside this one, on its side and across, stand or are being put down (rules 1 and 2); ``step`` (L,) progress."""
    for other in (leg ^ 1, leg + 2, leg - 2):
        if 0 <= other < len(step) and alive[other] and step[other] != NONE and step[other] < PLACED:
            return False
    return True


@njit(cache=True)
def begin_steps(phase, step, alive, may):  # type: ignore[no-untyped-def]
    """Begin the steps of those legs whose phase has come and that ``may`` (L,); those behind first. A phase that has to wait stays 1."""
    for leg in range(len(phase) - 1, -1, -1):
        if phase[leg] >= 1.0 and step[leg] == NONE and (not alive[leg] or (may[leg] and clear(step, alive, leg))):
            phase[leg] = 0.0
            step[leg] = 0.0 if alive[leg] else NONE


@njit(cache=True)
def continue_steps(step, step_time, dt):  # type: ignore[no-untyped-def]
    """Move steps (L,) on; they take the same time whatever the frequency (rule 3) and are always completed."""
    for leg in range(len(step)):
        if step[leg] != NONE:
            step[leg] += dt / step_time
            if step[leg] >= 1.0 - 1e-9:
                step[leg] = NONE


def phases(legs: int, frequency: float, interval: float, common: float = 0.0) -> Array:
    """Phases (L,) that keep all relations exactly at a ``frequency``, the right front leg's being ``common``."""
    pair, side = np.divmod(np.arange(legs), 2)
    return np.asarray((common + 0.5 * (side == 0) + pair * frequency * interval) % 1.0)


def pattern(
    start: Array, frequency: Array, dt: float, interval: float, step_time: float, coupling: float
) -> tuple[BoolArray, Array]:  # fmt: skip
    """Which legs step, (T, L), and the phases (T, L), of oscillators on their own from ``start`` (L,), driven by ``frequency`` (T,) Hz.

    ``interval`` and ``step_time`` in s; no body and no reflexes.
    """
    shape = len(frequency), len(start)
    stepping, phase = np.zeros(shape, bool), np.zeros(shape)
    _pattern(1, start.copy(), frequency, dt, interval, step_time, coupling, stepping, phase)
    return stepping, phase


def _pattern_loop(phase, frequency, dt, interval, step_time, coupling, stepping, phases):  # type: ignore[no-untyped-def]
    legs = len(phase)
    for _ in prange(1):
        step, faster = np.full(legs, NONE), np.empty(legs)
        may = np.ones(legs, np.bool_)
        for t in range(len(frequency)):
            advance(phase, frequency[t], interval, coupling, dt, faster)
            continue_steps(step, step_time, dt)
            begin_steps(phase, step, may, may)
            for leg in range(legs):
                stepping[t, leg] = step[leg] != NONE
                phases[t, leg] = phase[leg]


_pattern = Kernel(_pattern_loop)
