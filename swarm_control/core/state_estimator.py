"""Where robots are now, from odometry that is late and noisy: below the tick, for all behaviours.

A measurement is moved on from its stamp to now by what the robot has been told since (Smith predictor): its own commands, through its
model with its bounds on speed and acceleration. A robot whose commands are not known goes on along its arc. The estimate of the last
tick is moved on in the same way and goes ``gain`` of the way to the measurement. A surprise beyond ``gate`` is no noise — a robot that
was held or carried away — and is believed at once. Odometry that is younger than a control period passes as it is. Robots that obey only
a while after they were told (``command_delay``) are estimated for the moment when they will obey what they are told now.

Positions that are noisy are smoothed even when they are fresh, of robots that do what they are told (``core/smoothing.py``).
"""

from collections import deque
from dataclasses import replace

import numpy as np

from swarm_control.core.actuation import actuate
from swarm_control.core.command_slack import CommandSlack, Each
from swarm_control.core.estimation import EXACT, MEMORY, Estimation, Noise
from swarm_control.core.geometry import Array, BoolArray, IntArray, norm, rotate, wrap
from swarm_control.core.smoothing import ODD, PositionSmoother, disobeying
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.core.targets import predict

STEP = 0.025
"""Longest time (s) in which a robot's velocity is taken to be the one at the end of it."""

TICK = 1e-3
"""Times (s) are told apart to this: robots whose odometry was stamped together are moved on together."""


class StateEstimator:
    """Estimates the states of a ``fleet`` at each tick, a ``period`` (s) after the last.

    Tell it of each tick's commands with :meth:`note_commands`. :attr:`presumed` is the last estimate with those that have fallen silent:
    they have obeyed since; those whose commands are not known stand. Who has never been heard is invalid in it. :attr:`left` is the share
    (N,) of the standard deviation of measured positions that is left in the last estimate; None: all of it, as nothing is smoothed.
    Set :attr:`deviation` to the standard deviations (N, 2) of position (m) and heading (rad) that odometry tells of itself, None: of none;
    the larger they are the less is believed of what is late.
    """

    def __init__(self, fleet: Fleet, period: float) -> None:
        self._fleet = fleet
        self._late = period - TICK
        self._rolls = fleet.column(lambda model: model.actuate is not None)
        self._sent: deque[tuple[float, Array]] = deque()
        self._belief: SwarmState | None = None
        self._stamp = np.zeros(len(fleet))
        self._measured: SwarmState | None = None
        self._doubt = np.zeros((len(fleet), 3))
        self._smoother = PositionSmoother(len(fleet))
        self.presumed: SwarmState | None = None
        self.left: Array | None = None
        self.deviation: Array | None = None

    def note_commands(self, time: float, twist: Array) -> None:
        """From ``time`` (s) on robots have been told ``twist`` (N, 3), robots' frames; NaN: not known."""
        while self._sent and self._sent[0][0] >= time - TICK:  # time was set back
            self._sent.clear()
        self._sent.append((time, twist))
        while len(self._sent) > 1 and self._sent[1][0] < time - MEMORY:
            self._sent.popleft()

    def warm(self, state: SwarmState) -> None:
        """Compile what is needed; nothing is noted."""
        self._follow(state.pose, state.velocity, np.zeros_like(state.pose), TICK)

    def __call__(self, state: SwarmState, measured: Array | None, params: Estimation, noise: Noise = EXACT) -> SwarmState:
        """The state at ``state.time`` from poses and velocities ``measured`` at (N,) s; None: all of them now. Who is invalid stays so.

        ``noise`` of positions is smoothed; without any, what is fresh is taken as it is.
        """
        self._measured = self.left = None
        found = state if measured is None or not params.enabled else self._estimate(state, measured, params, noise)
        self.presumed = self._with_silent(found)
        return found

    def doubt(self, latency: float, velocity: float = 0.0, heading: float = 0.0) -> Array:
        """How far (m), and by how much velocity (m/s) and heading (rad), the last estimate is off (N, 3).

        If robots obeyed each command up to ``latency`` (s) later, and if ``velocity`` (m/s) and ``heading`` (rad) were measured so wrong,
        from which they have been moved on: the heading by as much more than that. Of those that have fallen silent what it was before.
        """
        late = self._measured
        if late is None or self._belief is None:
            self._doubt = np.zeros((len(self._stamp), 3))
            return self._doubt
        since = np.where(late.valid, self._stamp, late.time)
        gone, off = norm(self._belief.position - late.position), np.zeros((len(since), 3))
        if latency > 0.0:
            slack = CommandSlack(self._fleet, latency)
            off = slack.between(self._belief, self._moved_on(late, since, each=slack.note))
        off[:, 0] += velocity * (late.time - since) + heading * gone
        self._doubt = np.where(late.valid[:, None], off, self._doubt)
        return self._doubt

    @property
    def _told(self) -> BoolArray:
        """Who (N,) obeys commands that are known."""
        return self._rolls & np.isfinite(self._sent[-1][1]).all(axis=1) if self._sent else np.zeros(len(self._stamp), bool)

    def _with_silent(self, found: SwarmState) -> SwarmState:
        """What was ``found``, and of the others where they are presumed to be."""
        before = self.presumed
        if before is None or found.complete or found.time < before.time - TICK:
            return found
        silent = before.valid & ~found.valid
        if not silent.any():
            return found
        before = replace(before, velocity=np.where((silent & ~self._told)[:, None], 0.0, before.velocity))
        ahead = self._moved_on(before, np.full(len(found), before.time), found.time)
        pose, velocity = (
            np.where(silent[:, None], own, heard) for own, heard in ((ahead.pose, found.pose), (ahead.velocity, found.velocity))
        )  # fmt: skip
        return SwarmState.of(found.time, pose, velocity, found.valid | silent, found.fallen)

    def _estimate(self, state: SwarmState, measured: Array, params: Estimation, noise: Noise) -> SwarmState:
        if self._belief is not None and state.time < self._belief.time - TICK:
            self._belief, self._smoother = None, PositionSmoother(len(state))
        stamp = np.where(state.valid, np.minimum(measured, state.time), state.time)
        late = 0.0 if params.command_delay > 0.0 else self._late
        stamp = np.where(state.time - stamp < late, state.time, stamp)
        stamp = stamp - max(params.command_delay, 0.0)  # what a robot obeyed then it had been told so long before
        fresh = bool((stamp == state.time).all())
        found = state if fresh else self._moved_on(state, stamp)
        self._measured = None if fresh else state
        if self._belief is not None and not (fresh and noise.position == 0.0):
            found = self._blended(found, stamp, params, noise)
        if noise.position > 0.0:
            self.left = self._smoother.left
        self._stamp = np.where(state.valid, stamp, -np.inf)
        self._belief = found
        return found

    def _blended(self, seen: SwarmState, stamp: Array, params: Estimation, noise: Noise) -> SwarmState:
        """The last estimate, moved on to now and corrected by what has been measured since."""
        assert self._belief is not None
        ahead = self._moved_on(self._belief, np.full(len(seen), self._belief.time), seen.time)
        known = self._belief.valid & seen.valid
        surprise = seen.pose - ahead.pose
        surprise[:, 2] = wrap(surprise[:, 2])
        said = np.zeros(len(seen)) if self.deviation is None else self.deviation[:, 0]
        gate = np.where(self._told, np.maximum(params.gate, ODD * np.maximum(noise.position, said)), params.gate)
        gain = params.gain if self.deviation is None else np.vectorize(params.share)(said)
        odd = np.maximum(norm(surprise[:, :2]) / gate, np.abs(surprise[:, 2]) / np.deg2rad(params.gate_heading)) > 1.0
        new = stamp > self._stamp + 0.5 * TICK
        trust = np.where(new, np.where(odd, 1.0, gain), 0.0)
        trust = np.where(known & (stamp < seen.time), trust, 1.0)[:, None]
        pose = ahead.pose + trust * surprise
        pose[:, 2] = wrap(pose[:, 2])
        velocity = ahead.velocity + trust * (seen.velocity - ahead.velocity)
        if noise.position > 0.0:
            gone, sure = norm(ahead.position - self._belief.position), self._told & known & ~odd
            astray = sure & (stamp == seen.time) & disobeying(seen.velocity[:, :2], ahead.velocity[:, :2], noise)
            share = self._smoother.shares(surprise[:, :2], gone, self._belief.time, seen.time, new, sure, params, noise, astray)
            pose[:, :2] = ahead.position + share[:, None] * surprise[:, :2]
        return SwarmState.of(seen.time, pose, velocity, seen.valid, seen.fallen)

    def _moved_on(self, state: SwarmState, since: Array, until: float | None = None, each: Each | None = None) -> SwarmState:
        """The state, of which each row is of ``since`` (N,) s, at ``until`` (s): obeying what was told meanwhile.

        ``each`` is called for each command: see :data:`~.command_slack.Each`.
        """
        until = state.time if until is None else until
        pose, velocity = state.pose, state.velocity
        sent = [(-np.inf, np.full((len(state), 3), np.nan)), *self._sent]
        oldest = since.min(initial=until)
        for (_, earlier), (begin, twist), end in zip([sent[0], *sent], sent, [*(time for time, _ in sent[1:]), until]):
            if end <= oldest:
                continue
            left = np.round((min(end, until) - np.maximum(since, begin)) / TICK) * TICK
            alike, before = bool((left == left[:1]).all()), (pose, velocity)
            for time in left[:1] if alike else np.unique(left):
                if time > 0.0:
                    pose, velocity = self._follow(pose, velocity, twist, float(time), None if alike else left == time)
            if each is not None:
                each(np.maximum(left, 0.0), twist, earlier, before, (pose, velocity))
        return SwarmState.of(until, pose, velocity, state.valid, state.fallen)

    def _follow(self, pose: Array, velocity: Array, twist: Array, time: float, moved: BoolArray | None = None) -> tuple[Array, Array]:
        """Poses and velocities of those ``moved`` (N,), None: all, after ``time`` (s): obeying, or on the arc that they are on."""
        told, steps = self._rolls & np.isfinite(twist).all(axis=1), int(np.ceil(time / STEP - 1e-9))
        ahead, onward, obeying = pose, velocity, None if told.all() else np.flatnonzero(told)
        for _ in range(steps):
            ahead, onward = self._step(ahead, onward, twist, time / steps, obeying)
        if moved is None:
            return ahead, onward
        return np.where(moved[:, None], ahead, pose), np.where(moved[:, None], onward, velocity)

    def _step(self, pose: Array, velocity: Array, twist: Array, dt: float, obeying: IntArray | None) -> tuple[Array, Array]:
        """Poses and velocities after ``dt`` (s) of all, of whom some obey (indices), None: all of them do."""
        if obeying is None:
            return actuate(SwarmState(0.0, pose, velocity, self._rolls), twist, self._fleet, dt)[1:]
        own = np.column_stack((rotate(velocity[:, :2], -pose[:, 2]), velocity[:, 2]))
        ahead = predict(pose, own, np.full(len(pose), dt))
        onward = np.column_stack((rotate(own[:, :2], ahead[:, 2]), own[:, 2]))
        if obeying.size:
            some = SwarmState(0.0, pose[obeying], velocity[obeying], self._rolls[obeying])
            _, ahead[obeying], onward[obeying] = actuate(some, twist[obeying], self._fleet.take(obeying), dt)
        return ahead, onward
