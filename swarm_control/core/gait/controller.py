"""The gait controller of many robots: one call per time step, from what legs feel to the torques of their springs.

Any unit of length; the same for everything.
"""

from dataclasses import dataclass, field

import numpy as np
from numba import njit, prange

from swarm_control.core.compiled import Kernel
from swarm_control.core.gait.oscillators import NONE, advance, begin_steps, continue_steps
from swarm_control.core.gait.programs import approach, foothold_speed, frequency_for, spring
from swarm_control.core.gait.reflexes import extension, stumbles
from swarm_control.core.geometry import Array, BoolArray


@dataclass(frozen=True)
class Walker:
    """What a robot with L legs walks by; the fields are those of the scenario's parameters, in any one unit of length.

    ``foothold`` (L, 2), ``table`` (L, 5, 10) of :func:`.leg.table`, ``press`` (L,), ``extension`` (L,) rad, ``load`` (L,), ``alive`` (L,);
    ``strength``, ``rise`` (5,); ``height`` of the hips; ``law`` of the springs.
    """

    foothold: Array
    table: Array
    alive: BoolArray
    press: Array
    extension: Array
    load: Array
    strength: Array
    rise: Array
    most: float
    law: int
    height: float
    interval: float
    step_time: float
    frequency: float
    coupling: float
    stride: float
    reach: float
    lift: float
    rise_share: float
    forward: float
    carry: float
    speed_gain: float
    turn_gain: float
    authority: float
    reflexes: bool
    patience: float
    stumble: float
    elevation: float

    @property
    def arm(self) -> float:
        """How far the outermost foothold is from the middle."""
        return float(np.hypot(*self.foothold.T).max())

    @property
    def top_speed(self) -> float:
        """Of a foot that uses all its reach at the greatest frequency."""
        return self.reach / (1.0 / self.frequency - self.step_time)

    def standing(self) -> Array:
        """Rest angles (L, 5) of legs that stand at their footholds."""
        depth = -self.press[:, None]
        angles: Array = self.table[..., 0] + self.table[..., 3] * depth + self.table[..., 6] * depth**2
        return angles

    def constants(self) -> Array:
        """All single numbers, in the kernel's order."""
        return np.array([
            self.most, self.law, self.interval, self.step_time, self.frequency, self.coupling, self.stride,
            self.speed_gain, self.turn_gain, self.authority, self.arm, self.top_speed,
            self.reflexes, self.height, self.patience, self.stumble, self.elevation,
            self.step_time, self.lift, self.rise_share, self.forward, self.carry,
        ], float)  # fmt: skip


PURSUIT, REFLEX, PROGRAM = slice(7, 12), slice(12, 17), slice(17, 22)
"""Where the numbers of each part of the control are among the constants."""


@dataclass
class Memory:
    """What the controllers of R robots with L legs remember, and what they last did.

    ``phase`` (R, L); ``step`` (R, L): progress of steps, −1 for legs that stand; ``rest`` (R, L, 5) rad; ``waited`` (R, L) s; ``raised``
    (R, L): by the elevator reflex; ``behind`` (R, 3): correction of the commanded speed and turn rate; ``stretched`` (R, L) rad: legs'
    extension; ``torque`` (R, L, 5): of the springs; ``frequency`` (R,) Hz; ``fired`` (R, 3): how often the
    step, load and elevator reflex acted.
    """

    phase: Array
    rest: Array
    step: Array = field(init=False)
    waited: Array = field(init=False)
    raised: Array = field(init=False)
    behind: Array = field(init=False)
    stretched: Array = field(init=False)
    torque: Array = field(init=False)
    frequency: Array = field(init=False)
    fired: Array = field(init=False)

    def __post_init__(self) -> None:
        robots, legs = self.phase.shape
        self.step = np.full((robots, legs), NONE)
        self.waited, self.raised, self.stretched = (np.zeros((robots, legs)) for _ in range(3))
        self.behind, self.fired, self.frequency = np.zeros((robots, 3)), np.zeros((robots, 3)), np.zeros(robots)
        self.torque = np.zeros(self.rest.shape)


def control(walker: Walker, memory: Memory, angle: Array, place: Array, load: Array, moving: Array, twist: Array, dt: float) -> None:
    """Let the controllers act for ``dt`` s: ``memory`` then has the springs' torques.

    For R robots with L legs: joint ``angle`` (R, L, 5) rad; ``place`` (R, L, 3) of feet in the body's frame; ``load`` (R, L) on feet;
    ``moving`` (R, 3): velocity forward, left and turn rate, in the body's frame, as measured, and as commanded, ``twist`` (R, 3).
    """
    m, w = memory, walker
    _control(
        len(angle), angle, place, load, moving, twist, dt, w.foothold, w.table, w.alive, w.press, w.extension, w.load, w.strength, w.rise,
        w.constants(), m.phase, m.step, m.rest, m.waited, m.raised, m.behind, m.stretched, m.torque, m.frequency, m.fired,
    )  # fmt: skip


@njit(cache=True)
def _fastest(goal, foothold):  # type: ignore[no-untyped-def]
    """Greatest speed over the ground of the footholds (L, 2) when the body moves by ``goal`` (3,)."""
    fastest = 0.0
    for k in range(len(foothold)):
        vx, vy = foothold_speed(goal[0], goal[1], goal[2], foothold[k, 0], foothold[k, 1])
        fastest = max(fastest, np.sqrt(vx * vx + vy * vy))
    return fastest


@njit(cache=True)
def _pursue(goal, behind, twist, moving, foothold, constants, dt):  # type: ignore[no-untyped-def]
    """Write what to aim at to ``goal`` (3,): the command, raised by how far the robot has fallen behind it, cut to what feet can do."""
    speed_gain, turn_gain, authority, arm, top = constants[PURSUIT]
    bound = authority * min(_fastest(twist, foothold), top)
    for c in range(3):
        gain, room = (turn_gain, bound / arm) if c == 2 else (speed_gain, bound)
        behind[c] = min(max(behind[c] + gain * (twist[c] - moving[c]) * dt, -room), room)
        goal[c] = twist[c] + behind[c]
    goal *= min(1.0, top / max(_fastest(goal, foothold), 1e-12))


@njit(cache=True)
def _reflect(  # type: ignore[no-untyped-def]
    goal, place, load, foothold, alive, farthest, heaviest, constants, dt, phase, step, waited, raised, stretched, fired, may
):  # fmt: skip
    """Reflexes of a robot's legs: which want to step at once, which ``may`` (L,) step, which are ``raised`` (L,)."""
    enabled, height, patience, stumble, elevation = constants[REFLEX]
    for k in range(len(phase)):
        vx, vy = foothold_speed(goal[0], goal[1], goal[2], foothold[k, 0], foothold[k, 1])
        stretched[k] = extension(place[k, 0] - foothold[k, 0], place[k, 1] - foothold[k, 1], height, vx, vy)
        may[k] = True
        if enabled == 0.0 or not alive[k]:
            continue
        if step[k] == NONE and phase[k] < 1.0 and stretched[k] > farthest[k]:
            phase[k] = 1.0
            fired[0] += 1.0
        if step[k] == NONE and phase[k] >= 1.0 and load[k] > heaviest[k] and waited[k] < patience:
            may[k] = False
            fired[1] += waited[k] == 0.0
            waited[k] += dt
        if raised[k] == 0.0 and stumbles(step[k], load[k], stumble):
            raised[k], step[k] = elevation, 0.0
            fired[2] += 1.0


@njit(cache=True)
def _move(goal, stance, foothold, table, press, constants, dt, phase, step, raised, f, rest):  # type: ignore[no-untyped-def]
    """The motor program of a leg: move its rest angles (5,) on for ``dt``; ``stance`` is how long it stands, s."""
    step_time, lift, rise, forward, carry = constants[PROGRAM]
    vx, vy = foothold_speed(goal[0], goal[1], goal[2], foothold[0], foothold[1])
    x, y = 0.5 * stance * vx, 0.5 * stance * vy
    if step == NONE:
        approach(rest, table, -x, -y, -press, max((1.0 - phase) / max(f, 1e-9), 4.0 * dt), dt)
    elif step < rise:
        approach(rest, table, 0.0, 0.0, lift + raised, (rise - step) * step_time, dt)
    elif step < forward:
        approach(rest, table, x, y, carry * (lift + raised), (forward - step) * step_time, dt)
    else:
        approach(rest, table, x, y, -press, (1.0 - step) * step_time, dt)


def _control_loop(  # type: ignore[no-untyped-def]
    angle, place, load, moving, twist, dt, foothold, table, alive, press, farthest, heaviest, strength, rise, constants,
    phase, step, rest, waited, raised, behind, stretched, torque, frequency, fired,
):  # fmt: skip
    most, law, interval, step_time, highest, coupling, stride = constants[:7]
    legs = phase.shape[1]
    for r in prange(len(phase)):
        goal, may, faster = np.empty(3), np.ones(legs, np.bool_), np.empty(legs)
        _pursue(goal, behind[r], twist[r], moving[r], foothold, constants, dt)
        f = frequency_for(_fastest(goal, foothold), stride, step_time, highest)
        frequency[r] = f
        advance(phase[r], f, interval, coupling, dt, faster)
        continue_steps(step[r], step_time, dt)
        if f > 0.0:
            _reflect(
                goal, place[r], load[r], foothold, alive, farthest, heaviest, constants, dt, phase[r], step[r], waited[r], raised[r],
                stretched[r], fired[r], may,
            )  # fmt: skip
        begin_steps(phase[r], step[r], alive, may)
        stance = 1.0 / f - step_time if f > 0.0 else 0.0
        for k in range(legs):
            if step[r, k] == NONE:
                raised[r, k] = 0.0
            else:
                waited[r, k] = 0.0
            _move(goal, stance, foothold[k], table[k], press[k], constants, dt, phase[r, k], step[r, k], raised[r, k], f, rest[r, k])
            for j in range(rest.shape[2]):
                torque[r, k, j] = spring(rest[r, k, j] - angle[r, k, j], strength[j], rise[j], most, law) if alive[k] else 0.0


_control = Kernel(_control_loop)
