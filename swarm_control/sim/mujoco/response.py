"""How robots answer a change of their command: delay, rise, limits; identified by watching them (Brogan & Hodgins, Fig. 6).

Several robots, a little apart in time, are given the same step; what is fitted is the mean of their answers, so that the rhythm of
steps and pedals falls out.
"""

from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, rotate, wrap
from swarm_control.core.state import Commands, SwarmState
from swarm_control.sim.mujoco.herd import HerdEngine
from swarm_control.sim.planar import PlanarEngine

SETTLE = 6.0
"""How long (s) robots get used to their first command."""
SPREAD = 0.5
"""Robots get the step at times spread over this (s)."""
AXES = ("speed", "sideways", "turn")
Engine = PlanarEngine | HerdEngine


@dataclass(frozen=True)
class Response:
    """An answer to a step ``from_`` one command ``to`` another, m/s or rad/s.

    ``time`` (T,) s from the step on; ``answer`` (T,): mean over robots. ``delay`` (s): until a tenth of the way is made and kept;
    ``rise`` (s): from there to nine tenths; ``final``: mean of the last second; ``overshoot``: share of the way; ``steepest``: greatest
    rate over ``rise``, m/s² or rad/s². NaN where the answer never gets there. ``falls``: robots that fell.
    """

    from_: float
    to: float
    time: Array
    answer: Array
    delay: float
    rise: float
    final: float
    overshoot: float
    steepest: float
    falls: int


def respond(engine: Engine, axis: str, before: float, after: float, duration: float, base: Array, settle: float = SETTLE) -> Response:
    """Give the robots of ``engine`` a step along ``axis`` and fit what they do.

    ``base`` (3,): the command on the other axes. Robots keep their bearing by the command's turn rate, 1/s times what they are off by.
    """
    engine.reset()
    n, dt = len(engine.fleet), engine.dt
    late = np.linspace(0.0, SPREAD, n, endpoint=False)
    course = engine.truth().pose[:, 2].copy()
    k = AXES.index(axis)
    steps = round((settle + SPREAD + duration) / dt)
    time, answer = np.arange(steps) * dt, np.empty((steps, n))
    for step in range(steps):
        truth = engine.truth()
        answer[step] = reading(truth, course, axis)
        wish = np.where(time[step] >= settle + late, after, before)
        twist = np.tile(base, (n, 1))
        twist[:, k] = wish
        if axis != "turn":
            twist = _steer(twist, truth, course)
        engine.step(Commands(twist))
    length = int(duration / dt)
    first = np.round((settle + late) / dt).astype(int)
    mean = np.zeros(length)
    for i, start in enumerate(first):
        mean += answer[start : start + length, i] / n
    down = engine.truth().fallen
    return fit(dt * np.arange(float(length)), mean, float(mean[0]), after, 0 if down is None else int(down.sum()))


def reading(truth: SwarmState, course: Array, axis: str) -> Array:
    """What the robots do (n,) along an axis of their ``course`` (n,) rad: m/s, or rad/s."""
    if axis == "turn":
        return truth.velocity[:, 2]
    along = rotate(truth.velocity[:, :2], -course)
    return along[:, 0] if axis == "speed" else along[:, 1]


def fit(time: Array, answer: Array, before: float, after: float, falls: int = 0) -> Response:
    """Delay, rise and limits of an ``answer`` (T,) at ``time`` (T,) to a step from ``before`` to ``after``."""
    way = after - before
    last = answer[time >= time[-1] - 1.0].mean()
    share = (answer - before) / (last - before) if abs(last - before) > 1e-9 else np.zeros_like(answer)
    tenth, nine = _from_on(time, share, 0.1), _reached(time, share, 0.9)
    rise = nine - tenth
    rate = np.gradient(_smooth(answer, max(int(0.1 * np.fmax(rise, 0.02) / (time[1] - time[0])), 1)), time)
    steepest = float(np.abs(rate).max())
    overshoot = float(max((share.max() - 1.0), 0.0))
    return Response(before, before + way, time, answer, float(tenth), float(rise), float(last), overshoot, steepest, falls)


def _steer(twist: Array, truth: SwarmState, course: Array) -> Array:
    """The command in the robots' frames, when ``twist`` is along their course, with a turn back to it."""
    off = wrap(course - truth.pose[:, 2])
    return np.column_stack((rotate(twist[:, :2], off), twist[:, 2] + off))


def _from_on(time: Array, share: Array, level: float) -> float:
    """The time from which ``share`` is above ``level`` for good."""
    below = np.flatnonzero(share < level)
    if not len(below):
        return float(time[0])
    return float(time[below[-1] + 1]) if below[-1] + 1 < len(time) else float("nan")


def _reached(time: Array, share: Array, level: float) -> float:
    """When ``share`` first is above ``level``."""
    above = np.flatnonzero(share >= level)
    return float(time[above[0]]) if len(above) else float("nan")


def _smooth(values: Array, width: int) -> Array:
    kernel = np.ones(width) / width
    return np.convolve(np.pad(values, (width // 2, width - 1 - width // 2), mode="edge"), kernel, mode="valid")

