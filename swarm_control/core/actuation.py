"""What robots make of a command within their bounds: each model's kernel, put together for a fleet.

A kernel is called with (robots, twist, pose, velocity, limits, dt, move, pose after, velocity after): it reads command, pose and velocity
of its ``robots`` (indices) and writes their moves (displacement, m), poses and velocities after ``dt``. ``limits`` are the fleet's top
speeds, accelerations, turn rates and wheel bases. The move is that of the model's ``predict`` for the twist that the bounds leave over:
a constant twist follows an arc, whose chord has the mean velocity ``sinc(ω·dt/2)·R(θ + ω·dt/2)·(v, w)``. A command with a value that
is not finite counts as zero. The compiled functions below are what kernels are made of.
"""

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array
from swarm_control.core.robot import ROBOTS
from swarm_control.core.state import Fleet, SwarmState


def actuate(state: SwarmState, twist: Array, fleet: Fleet, dt: float) -> tuple[Array, Array, Array]:
    """Return ``move`` (N, 2) m, ``pose`` (N, 3) and ``velocity`` (N, 3) that ``twist`` (N, 3) leads to in ``dt`` (s), contacts aside."""
    move, pose, velocity = np.empty((len(fleet), 2)), np.empty((len(fleet), 3)), np.empty((len(fleet), 3))
    limits = (fleet.max_speed, fleet.max_acceleration, fleet.max_turn_rate, fleet.wheel_base)
    for model, robots in fleet.models.items():
        kernel = ROBOTS[model].actuate
        assert kernel is not None, f"{model} is not moved in the plane"
        kernel(len(robots), robots, twist, state.pose, state.velocity, limits, dt, move, pose, velocity)
    return move, pose, velocity


@njit(cache=True, inline="always")
def heard(twist, i):  # type: ignore[no-untyped-def]
    """The command of robot i; zero where a value of it is not finite."""
    if np.isfinite(twist[i, 0]) and np.isfinite(twist[i, 1]) and np.isfinite(twist[i, 2]):
        return twist[i, 0], twist[i, 1], twist[i, 2]
    return 0.0, 0.0, 0.0


@njit(cache=True, inline="always")
def wrap(angle: float) -> float:
    """The angle (rad) in [−π, π)."""
    return angle if -np.pi <= angle < np.pi else (angle + np.pi) % (2.0 * np.pi) - np.pi


@njit(cache=True, inline="always")
def sinc(half: float) -> float:
    """``sin(half)/half``."""
    return np.sin(half) / half if abs(half) > 1e-6 else 1.0 - half * half / 6.0


@njit(cache=True, inline="always")
def clip(value: float, limit: float) -> float:
    """The value within ±``limit``."""
    return min(max(value, -limit), limit)


@njit(cache=True, inline="always")
def approach(x, y, goal_x, goal_y, most):  # type: ignore[no-untyped-def]
    """The point nearest to the goal at most ``most`` from (x, y), and how far that is."""
    dx, dy = goal_x - x, goal_y - y
    way = np.sqrt(dx * dx + dy * dy)
    if way <= most:
        return goal_x, goal_y, way
    return x + dx * most / way, y + dy * most / way, most


@njit(cache=True, inline="always")
def shorten(x, y, limit):  # type: ignore[no-untyped-def]
    """The vector, no longer than ``limit``."""
    length = np.sqrt(x * x + y * y)
    return (x * limit / length, y * limit / length) if length > limit else (x, y)


@njit(cache=True, inline="always")
def along(i, old_pose, old_velocity):  # type: ignore[no-untyped-def]
    """Speed along the heading."""
    return np.cos(old_pose[i, 2]) * old_velocity[i, 0] + np.sin(old_pose[i, 2]) * old_velocity[i, 1]


@njit(cache=True, inline="always")
def roll(i, speed, rate, old_pose, dt, move, pose, velocity):  # type: ignore[no-untyped-def]
    """Roll without slipping for ``dt``; the velocity is along the heading at the step's end."""
    half = 0.5 * rate * dt
    c, s, ch, sh = np.cos(old_pose[i, 2]), np.sin(old_pose[i, 2]), np.cos(half), np.sin(half)
    chord = sinc(half) * speed * dt
    c, s = c * ch - s * sh, s * ch + c * sh
    move[i, 0], move[i, 1] = chord * c, chord * s
    c, s = c * ch - s * sh, s * ch + c * sh
    pose[i, 0], pose[i, 1], pose[i, 2] = old_pose[i, 0] + move[i, 0], old_pose[i, 1] + move[i, 1], wrap(old_pose[i, 2] + 2.0 * half)
    velocity[i, 0], velocity[i, 1], velocity[i, 2] = speed * c, speed * s, rate
