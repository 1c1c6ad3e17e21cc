"""From ways to a timed schedule: as fast as speeds, turns and accelerations of all robots permit, at rest at both ends."""

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array
from swarm_control.core.state import Fleet
from swarm_control.formation.drive import Drive
from swarm_control.formation.timetable import Timetable, standing

SAMPLE = 0.05
"""Places of a schedule are at most so far apart in time, s."""

ROUNDS = 5
"""So often the pace is cut where accelerations have come out too large."""

MOVES = 0.05
"""A robot that goes less than this share of the common progress has no direction worth a limit."""


def timed(ways: Array, turn: Array, step: float, fleet: Fleet, drive: Drive) -> Timetable:
    """The schedule of ``ways`` (K, N, 2) m, given at a common progress q of ``step`` each; ``turn`` (K,) rad is the whole's heading there.

    With w = dq/dt each robot's speed is ``‖P'‖·w`` and its acceleration ``P''·w² + P'·dw/dt``. Speeds (of the faster wheel, where there are
    wheels), turn rates, and each part of the acceleration with its share of the limit bound w; a pass forward and one backward bound dw/dt
    (Bobrow et al. 1985, with the two parts of the acceleration bounded apart).
    """
    if len(ways) < 2:
        return standing(ways[0])
    if len(ways) == 2:  # at both of them everybody stands
        ways, turn, step = np.stack((ways[0], ways.mean(axis=0), ways[1])), np.array([turn[0], turn.mean(), turn[1]]), 0.5 * step
    fastest, gain = progress_limits(ways, turn, step, fleet, drive)
    top = np.minimum(drive.speed_share * fleet.max_speed, drive.max_speed)
    allowed = drive.acceleration_share * fleet.max_acceleration
    for _ in range(ROUNDS):
        pace = _profile(fastest, gain, step)
        time = np.concatenate(([0.0], np.cumsum(2.0 * step / (pace[1:] + pace[:-1]))))
        clock = np.linspace(0.0, time[-1], max(int(np.ceil(time[-1] / SAMPLE)), 1) + 1)
        progress = _progress(clock, time, pace, step) / step
        place = cubic(ways, progress)
        over = _over(place, float(clock[1]), top, allowed)
        if over.max(initial=0.0) <= 1.0:
            break
        # slower where both parts of the acceleration add up, and a little before and after
        at = np.interp(np.arange(len(ways)), progress, np.append(over, 1.0))
        fastest = np.minimum(fastest, pace / np.sqrt(_widened(at)))
        gain = gain / np.maximum(_widened(at), 1.0)
    # what is left after the last round is stretched away
    return Timetable(clock * np.sqrt(max(float(over.max(initial=0.0)), 1.0)), place)


def _over(place: Array, dt: float, top: Array, allowed: Array) -> Array:
    """Greatest acceleration of a robot at each sample but the last, in terms of what is ``allowed`` (N,) m/s², or squared speed in terms of
    the ``top`` speed's (N,) m/s. Before and after, they stand.
    """
    still = np.concatenate((place[:1], place, place[-1:]))
    second = still[2:] - 2.0 * still[1:-1] + still[:-2]
    sharp = (np.hypot(second[..., 0], second[..., 1]) / dt**2 / allowed).max(axis=1)[:-1]
    step = np.diff(place, axis=0)
    fast = (np.hypot(step[..., 0], step[..., 1]) / dt / top).max(axis=1)
    return np.asarray(np.maximum(sharp, fast**2))


def _widened(values: Array) -> Array:
    from scipy import ndimage

    result: Array = np.maximum(ndimage.maximum_filter1d(values, 5), 1.0)
    return result


def progress_limits(ways: Array, turn: Array, step: float, fleet: Fleet, drive: Drive) -> tuple[Array, Array]:
    """Greatest dq/dt (K,) 1/s and d²q/dt² (K,) 1/s² at each sample of the ways."""
    rolls, wheels = fleet.column(lambda model: model.rolls), fleet.column(lambda model: model.wheels)
    speed, bend, curvature = derivatives(ways, step)
    top = np.minimum(drive.speed_share * fleet.max_speed, drive.max_speed)
    brake = drive.acceleration_share * fleet.max_acceleration / np.sqrt(2.0)
    rate = np.where(rolls, curvature * speed, 0.0)
    with np.errstate(divide="ignore"):
        limits = np.minimum(top / (speed + np.where(wheels, 0.5 * fleet.wheel_base, 0.0) * rate), np.sqrt(brake / bend))
        limits = np.minimum(limits, 0.9 * fleet.max_turn_rate / rate).min(axis=1)
        whole = np.abs(np.gradient(turn, step)) if len(turn) > 1 else np.zeros(1)
        limits = np.minimum(limits, drive.max_turn_rate / whole)
        gain = (brake / speed).min(axis=1)
    return np.minimum(limits, 1e3), np.minimum(gain, 1e3)


def derivatives(ways: Array, step: float) -> tuple[Array, Array, Array]:
    """‖dP/dq‖ (K, N), ‖d²P/dq²‖ (K, N) and the ways' curvature (K, N) 1/m; the latter zero where a robot hardly moves."""
    forward = np.gradient(ways, step, axis=0)
    speed = np.maximum(np.hypot(forward[..., 0], forward[..., 1]), 1e-9)
    second = np.zeros_like(ways)
    second[1:-1] = (ways[2:] - 2.0 * ways[1:-1] + ways[:-2]) / step**2
    bend = np.maximum(np.hypot(second[..., 0], second[..., 1]), 1e-9)
    cross = np.abs(forward[..., 0] * second[..., 1] - forward[..., 1] * second[..., 0])
    return speed, bend, np.where(speed > MOVES, cross / np.maximum(speed, MOVES) ** 3, 0.0)


@njit(cache=True)
def _profile(fastest, gain, step):  # type: ignore[no-untyped-def]
    """dq/dt (K,) at most ``fastest`` (K,), from rest to rest, changing by at most ``gain`` (K,) per s; a little above zero at the ends."""
    pace = fastest.copy()
    last = len(pace) - 1
    least = 1e-9
    pace[0], pace[last] = least, least
    for k in range(1, last + 1):
        pace[k] = min(pace[k], np.sqrt(pace[k - 1] ** 2 + 2.0 * min(gain[k], gain[k - 1]) * step))
    for k in range(last - 1, -1, -1):
        pace[k] = min(pace[k], np.sqrt(pace[k + 1] ** 2 + 2.0 * min(gain[k], gain[k + 1]) * step))
    return pace


def _progress(clock: Array, time: Array, pace: Array, step: float) -> Array:
    """Progress at each ``clock`` (C,): between samples dq/dt changes evenly with time."""
    k = np.clip(np.searchsorted(time, clock, side="right") - 1, 0, len(time) - 2)
    span = np.maximum(time[k + 1] - time[k], 1e-12)
    gone = np.clip(clock - time[k], 0.0, span)
    result: Array = np.asarray(k * step + np.clip(pace[k] * gone + 0.5 * (pace[k + 1] - pace[k]) / span * gone**2, 0.0, step), float)
    return result


def cubic(values: Array, index: Array) -> Array:
    """Values (K, ...) at places between them, ``index`` (...) in samples: cubic pieces through all of them with central slopes."""
    if len(values) < 3:
        values = np.linspace(values[0], values[-1], 3)
        index = index if len(values) < 2 else 2.0 * index
    slope = np.gradient(values, axis=0)
    k = np.clip(index.astype(int), 0, len(values) - 2)
    t = np.expand_dims(index - k, tuple(range(index.ndim, index.ndim + values.ndim - 1)))
    low, high = values[k], values[k + 1]
    result: Array = (
        low + t * t * (3.0 - 2.0 * t) * (high - low) + t * (1.0 - t) * ((1.0 - t) * slope[k] - t * slope[k + 1])
    )  # fmt: skip
    return result
