"""The gait controller of many robots: one call per period, from what legs feel to the rest angles of their springs.

Any unit of length; the same for everything.
"""

import numpy as np

from swarm_control.core.compiled import Kernel, njit, prange
from swarm_control.core.geometry import Array
from swarm_control.gait.odometry import Felt
from swarm_control.gait.oscillators import NONE, advance, begin_steps, continue_steps
from swarm_control.gait.posture import carry, depth, search
from swarm_control.gait.programs import approach, foothold_speed, frequency_for, reach
from swarm_control.gait.reflexes import extension, stumbles
from swarm_control.gait.walker import POSTURE, PROGRAM, PURSUIT, REFLEX, SEARCH, Walker, WalkerState


def control(walker: Walker, memory: WalkerState, felt: Felt, twist: Array, dt: float) -> None:
    """Let the controllers of R robots act for ``dt`` s: ``memory`` then has the rest angles of their springs.

    They know what is ``felt``, and nothing else. ``twist`` (R, 3): velocity forward, left and turn rate as commanded. A command beyond what
    feet can do is cut to it, in its direction; one that is not finite is to stand.
    """
    m, w = memory, walker
    _control(
        len(m.phase), felt.angle, felt.place, felt.load, felt.moving, twist, dt, w.foothold, w.table, w.alive, w.press, w.extension,
        w.load, w.constants(), m.phase, m.step, m.rest, m.waited, m.raised, m.missed, m.deeper, m.depth, m.posture, m.behind, m.stretched,
        m.frequency, m.fired, m.limited,
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
def _heed(twist, foothold, top, wish):  # type: ignore[no-untyped-def]
    """Write what of the command ``twist`` (3,) feet can do at speeds up to ``top`` to ``wish`` (3,); whether that is not all of it."""
    largest = 0.0
    for c in range(3):
        if not np.isfinite(twist[c]):
            wish[:] = 0.0
            return True
        largest = max(largest, abs(twist[c]))
    wish[:] = twist
    if largest == 0.0:
        return False
    share = top / largest / _fastest(twist / largest, foothold)  # of numbers that can be squared
    if share < 1.0:
        wish[:] = share * twist
    return share < 1.0


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
    goal, place, load, lag, foothold, alive, farthest, heaviest, constants, dt, phase, step, waited, raised, stretched, fired, may
):  # fmt: skip
    """Reflexes of a robot's legs: which want to step at once, which ``may`` (L,) step, which are ``raised`` (L,)."""
    enabled, height, patience, stumble, held, elevation = constants[REFLEX]
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
        if raised[k] == 0.0 and stumbles(step[k], load[k], stumble, lag[k], held):
            raised[k], step[k] = elevation, 0.0
            fired[2] += 1.0


@njit(cache=True)
def _move(goal, stance, foothold, table, press, constants, dt, phase, step, raised, f, place, sunk, rest):  # type: ignore[no-untyped-def]
    """The motor program of a leg: move its rest angles (5,) on for ``dt``.

    ``stance`` is how long it stands, s; ``press``: how deep; ``sunk``: by how much deeper than before.
    """
    step_time, lift, rise, forward, carried, retraction = constants[PROGRAM]
    vx, vy = foothold_speed(goal[0], goal[1], goal[2], foothold[0], foothold[1])
    x, y = 0.5 * stance * vx, 0.5 * stance * vy
    if step == NONE:
        approach(rest, table, -x, -y, -press, max((1.0 - phase) / max(f, 1e-9), 4.0 * dt), dt)
        if sunk != 0.0:
            reach(rest, table, place[0] - foothold[0], place[1] - foothold[1], -press, sunk)
    elif step < rise:
        back = -retraction / max(np.sqrt(vx * vx + vy * vy), 1e-9) if raised > 0.0 else 0.0
        approach(rest, table, back * vx, back * vy, lift + raised, (rise - step) * step_time, dt)
    elif step < forward:
        approach(rest, table, x, y, carried * (lift + raised), (forward - step) * step_time, dt)
    else:
        approach(rest, table, x, y, -press, (1.0 - step) * step_time, dt)


def _control_loop(  # type: ignore[no-untyped-def]
    angle, place, load, moving, twist, dt, foothold, table, alive, press, farthest, heaviest, constants, phase, step, rest, waited, raised,
    missed, deeper, depths, posture, behind, stretched, frequency, fired, limited,
):  # fmt: skip
    interval, step_time, highest, coupling, stride, ground, bare = constants[:7]
    legs = phase.shape[1]
    for r in prange(len(phase)):
        goal, wish, may, faster = np.empty(3), np.empty(3), np.ones(legs, np.bool_), np.empty(legs)
        limited[r] = _heed(twist[r], foothold, constants[PURSUIT][4], wish)
        _pursue(goal, behind[r], wish, moving[r], foothold, constants, dt)
        f = frequency_for(_fastest(goal, foothold), stride, step_time, highest)
        frequency[r] = f
        advance(phase[r], f, interval, coupling, dt, faster)
        continue_steps(step[r], step_time, dt)
        if f > 0.0:
            lag = np.abs(rest[r, :, 0] - angle[r, :, 0])
            _reflect(
                goal, place[r], load[r], lag, foothold, alive, farthest, heaviest, constants, dt, phase[r], step[r], waited[r], raised[r],
                stretched[r], fired[r], may,
            )  # fmt: skip
        begin_steps(phase[r], step[r], alive, may)
        if constants[REFLEX][0] != 0.0:
            search(step[r], load[r], missed[r], deeper[r], bare, constants[SEARCH], dt)
            carry(step[r], alive, place[r], load[r], foothold, ground, bare, posture[r], constants[POSTURE], dt)
        stance = 1.0 / f - step_time if f > 0.0 else 0.0
        for k in range(legs):
            if step[r, k] == NONE:
                raised[r, k] = 0.0
            else:
                waited[r, k] = 0.0
            now = depth(posture[r], deeper[r, k], foothold[k, 0], foothold[k, 1])
            sunk, depths[r, k] = now - depths[r, k], now
            _move(
                goal, stance, foothold[k], table[k], press[k] + now, constants, dt, phase[r, k], step[r, k], raised[r, k], f, place[r, k],
                sunk, rest[r, k],
            )  # fmt: skip


_control = Kernel(_control_loop)
