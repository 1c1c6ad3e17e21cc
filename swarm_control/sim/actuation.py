"""What robots make of a command within their bounds, one kernel per motion model.

Each reads command, pose and velocity of its robots and writes their moves (displacement, m), yaw and velocity after ``dt``. The move
is that of ``MODELS[…].predict`` for the twist that the bounds leave over: a constant twist follows an arc, whose chord has the mean
velocity ``sinc(ω·dt/2)·R(θ + ω·dt/2)·(v, w)``. A command with a value that is not finite counts as zero.
"""

import numpy as np
from numba import njit, prange

from swarm_control.core.compiled import Kernel
from swarm_control.core.geometry import Array
from swarm_control.core.state import Fleet, SwarmState


def actuate(state: SwarmState, twist: Array, fleet: Fleet, dt: float) -> tuple[Array, Array, Array]:
    """Return ``move`` (N, 2) m, ``pose`` (N, 3) and ``velocity`` (N, 3) that ``twist`` (N, 3) leads to in ``dt`` (s), contacts aside."""
    move, pose, velocity = np.empty((len(fleet), 2)), np.empty((len(fleet), 3)), np.empty((len(fleet), 3))
    limits = (fleet.max_speed, fleet.max_acceleration, fleet.max_turn_rate, fleet.wheel_base)
    for name, robots in fleet.models.items():
        ACTUATION[name](len(robots), robots, twist, state.pose, state.velocity, limits, dt, move, pose, velocity)
    return move, pose, velocity


@njit(cache=True, inline="always")
def _heard(twist, i):  # type: ignore[no-untyped-def]
    if np.isfinite(twist[i, 0]) and np.isfinite(twist[i, 1]) and np.isfinite(twist[i, 2]):
        return twist[i, 0], twist[i, 1], twist[i, 2]
    return 0.0, 0.0, 0.0


@njit(cache=True, inline="always")
def _wrap(angle: float) -> float:
    return angle if -np.pi <= angle < np.pi else (angle + np.pi) % (2.0 * np.pi) - np.pi


@njit(cache=True, inline="always")
def _sinc(half: float) -> float:
    return np.sin(half) / half if abs(half) > 1e-6 else 1.0 - half * half / 6.0


@njit(cache=True, inline="always")
def _clip(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)


@njit(cache=True, inline="always")
def _approach(x, y, goal_x, goal_y, most):  # type: ignore[no-untyped-def]
    """The point nearest to the goal at most ``most`` from (x, y), and how far that is."""
    dx, dy = goal_x - x, goal_y - y
    way = np.sqrt(dx * dx + dy * dy)
    if way <= most:
        return goal_x, goal_y, way
    return x + dx * most / way, y + dy * most / way, most


@njit(cache=True, inline="always")
def _shorten(x, y, limit):  # type: ignore[no-untyped-def]
    length = np.sqrt(x * x + y * y)
    return (x * limit / length, y * limit / length) if length > limit else (x, y)


def _omni_loop(robots, twist, old_pose, old_velocity, limits, dt, move, pose, velocity):  # type: ignore[no-untyped-def]
    """Any velocity up to the top speed; its change (world frame) is bounded: |Δv| ≤ a·dt. The velocity is the one at the step's end."""
    max_speed, max_acceleration, max_turn_rate, _ = limits
    for k in prange(len(robots)):
        i = robots[k]
        forward, left, rate = _heard(twist, i)
        forward, left = _shorten(forward, left, max_speed[i])
        rate = _clip(rate, max_turn_rate[i])
        half = 0.5 * rate * dt
        c, s = np.cos(old_pose[i, 2] + 2.0 * half), np.sin(old_pose[i, 2] + 2.0 * half)
        vx, vy, _ = _approach(
            old_velocity[i, 0], old_velocity[i, 1], c * forward - s * left, s * forward + c * left, max_acceleration[i] * dt
        )
        # the chord of the arc lies half a step's turn before the velocity at its end
        c, s, chord = np.cos(half), np.sin(half), _sinc(half) * dt
        move[i, 0], move[i, 1] = chord * (c * vx + s * vy), chord * (c * vy - s * vx)
        pose[i, 0], pose[i, 1], pose[i, 2] = old_pose[i, 0] + move[i, 0], old_pose[i, 1] + move[i, 1], _wrap(old_pose[i, 2] + 2.0 * half)
        velocity[i, 0], velocity[i, 1], velocity[i, 2] = vx, vy, rate


@njit(cache=True, inline="always")
def _along(i, old_pose, old_velocity):  # type: ignore[no-untyped-def]
    """Speed along the heading."""
    return np.cos(old_pose[i, 2]) * old_velocity[i, 0] + np.sin(old_pose[i, 2]) * old_velocity[i, 1]


@njit(cache=True, inline="always")
def _roll(i, speed, rate, old_pose, dt, move, pose, velocity):  # type: ignore[no-untyped-def]
    """Roll without slipping for ``dt``; the velocity is along the heading at the step's end."""
    half = 0.5 * rate * dt
    c, s, ch, sh = np.cos(old_pose[i, 2]), np.sin(old_pose[i, 2]), np.cos(half), np.sin(half)
    chord = _sinc(half) * speed * dt
    c, s = c * ch - s * sh, s * ch + c * sh
    move[i, 0], move[i, 1] = chord * c, chord * s
    c, s = c * ch - s * sh, s * ch + c * sh
    pose[i, 0], pose[i, 1], pose[i, 2] = old_pose[i, 0] + move[i, 0], old_pose[i, 1] + move[i, 1], _wrap(old_pose[i, 2] + 2.0 * half)
    velocity[i, 0], velocity[i, 1], velocity[i, 2] = speed * c, speed * s, rate


def _differential_loop(robots, twist, old_pose, old_velocity, limits, dt, move, pose, velocity):  # type: ignore[no-untyped-def]
    """Two wheels at v ± ω·b/2, scaled together to the top speed; |Δv| ≤ a·dt, and turning gets what v leaves of the wheels' speed."""
    max_speed, max_acceleration, max_turn_rate, wheel_base = limits
    for k in prange(len(robots)):
        i = robots[k]
        wish, _, rate = _heard(twist, i)
        over = max((abs(wish) + 0.5 * wheel_base[i] * abs(rate)) / max_speed[i], abs(rate) / max_turn_rate[i], 1.0)
        speed = _along(i, old_pose, old_velocity)
        speed += _clip(wish / over - speed, max_acceleration[i] * dt)
        rate = _clip(rate / over, 2.0 * max(max_speed[i] - abs(speed), 0.0) / wheel_base[i])
        _roll(i, speed, rate, old_pose, dt, move, pose, velocity)


def _car_loop(robots, twist, old_pose, old_velocity, limits, dt, move, pose, velocity):  # type: ignore[no-untyped-def]
    """Speed up to the top speed, |Δv| ≤ a·dt, turning no tighter than at full lock: |ω| ≤ |v|·max_turn_rate/max_speed."""
    max_speed, max_acceleration, max_turn_rate, _ = limits
    for k in prange(len(robots)):
        i = robots[k]
        wish, _, rate = _heard(twist, i)
        speed = _along(i, old_pose, old_velocity)
        speed += _clip(_clip(wish, max_speed[i]) - speed, max_acceleration[i] * dt)
        rate = _clip(rate, min(abs(speed) / max_speed[i], 1.0) * max_turn_rate[i])
        _roll(i, speed, rate, old_pose, dt, move, pose, velocity)


def _point_mass_loop(robots, twist, old_pose, old_velocity, limits, dt, move, pose, velocity):  # type: ignore[no-untyped-def]
    """A constant force turns the velocity u into the commanded w in t = |w − u|/a, exactly integrated: u·t + (w − u)·t/2 + w·(dt − t).

    There is no turning.
    """
    max_speed, max_acceleration, _, _ = limits
    for k in prange(len(robots)):
        i = robots[k]
        forward, left, _ = _heard(twist, i)
        forward, left = _shorten(forward, left, max_speed[i])
        c, s = np.cos(old_pose[i, 2]), np.sin(old_pose[i, 2])
        ux, uy, most = old_velocity[i, 0], old_velocity[i, 1], max_acceleration[i] * dt
        vx, vy, change = _approach(ux, uy, c * forward - s * left, s * forward + c * left, most)
        ramp = 0.5 * dt * change / most
        move[i, 0], move[i, 1] = vx * dt - ramp * (vx - ux), vy * dt - ramp * (vy - uy)
        pose[i, 0], pose[i, 1], pose[i, 2] = old_pose[i, 0] + move[i, 0], old_pose[i, 1] + move[i, 1], old_pose[i, 2]
        velocity[i, 0], velocity[i, 1], velocity[i, 2] = vx, vy, 0.0


ACTUATION = {
    "omni": Kernel(_omni_loop), "differential": Kernel(_differential_loop), "car": Kernel(_car_loop),
    "point_mass": Kernel(_point_mass_loop),
}  # fmt: skip
"""By motion model, as in ``core.motion.MODELS``."""
TURNS_IN_PLACE = ("omni", "differential")
"""Models whose robots can turn while something is in their way."""
