"""Two wheels and a target point: the forward map F of Lewis & Tan and its inverse, within the wheels' limits.

Compiled functions for one robot; :mod:`swarm_control.core.targets` puts them together for many. Positions are in the robot's frame, x
ahead, y left; ``half_base`` is half the distance between the wheels (the paper's r), ``gain`` the change of wheel speed that a period
allows, m/s.
"""

import numpy as np

from swarm_control.core.compiled import njit


@njit(cache=True)
def arc_for_point(dx, dy):  # type: ignore[no-untyped-def]
    """Arc that starts along the robot's axis and ends in (``dx``, ``dy``) m, robot's frame: (signed length m, turn θ rad).

    The forward map F (Lewis & Tan eqs 7–10, with the printed asin mended): ``Δx = R sin θ``, ``Δy = R(1 − cos θ)``, hence
    ``θ = 2·atan2(Δy, Δx)``. Of the two ways round the circle the one with |θ| ≤ π is taken, which for points behind the axle is the
    one in reverse. The length ``R·θ = chord·(θ/2)/sin(θ/2)`` is regular at θ = 0 and at ±π.
    """
    chord = np.sqrt(dx * dx + dy * dy)
    half = np.arctan2(dy, dx)
    if half > 0.5 * np.pi:
        half, chord = half - np.pi, -chord
    elif half < -0.5 * np.pi:
        half, chord = half + np.pi, -chord
    length = chord if abs(half) < 1e-9 else chord * half / np.sin(half)
    return length, 2.0 * half


@njit(cache=True)
def point_of_arc(left, right, half_base, dt):  # type: ignore[no-untyped-def]
    """Where wheel speeds ``left`` and ``right`` (m/s) lead in ``dt`` s: (Δx, Δy) m in the robot's frame, and θ rad (eqs 13–14, 7–8)."""
    turn = (right - left) / (2.0 * half_base) * dt
    half = 0.5 * turn
    chord = 0.5 * (left + right) * dt * (1.0 if abs(half) < 1e-9 else np.sin(half) / half)
    return chord * np.cos(half), chord * np.sin(half), turn


@njit(cache=True)
def limit_wheels(left, right, forward, rate, max_speed, gain, max_turn_rate, half_base):  # type: ignore[no-untyped-def]
    """Twist of wheel speeds scaled together to the limits (eq. 12), each then kept within ``gain`` (m/s) of the last twist's."""
    fastest = max(abs(left), abs(right)) / max_speed
    scale = 1.0 / max(1.0, fastest, abs(right - left) / (2.0 * half_base * max_turn_rate))
    old_left, old_right = forward - half_base * rate, forward + half_base * rate
    left = min(max(left * scale, old_left - gain), old_left + gain)
    right = min(max(right * scale, old_right - gain), old_right + gain)
    return 0.5 * (left + right), 0.0, (right - left) / (2.0 * half_base)


@njit(cache=True)
def steer(dx, dy, forward, rate, max_speed, gain, max_turn_rate, half_base, horizon):  # type: ignore[no-untyped-def]
    """Twist that drives the arc to the point (``dx``, ``dy``) m in the robot's frame within ``horizon`` s, or nearest to it.

    Equation: ``v_{r,l} = (R ± r)·θ/ΔT`` (eq. 11), r half the wheel base; ``forward`` and ``rate`` are the last twist. If the wheels
    cannot follow, the clamped speeds are moved on to those that end nearest to the point. Where a robot ends then depends smoothly
    on its target, and its distance to the target is the distance to the reachable region: what the displacement minimises. (The
    search is local; of two ways that are equally good to within about a per cent it may take the other.)
    """
    length, turn = arc_for_point(dx, dy)
    left, right = (length - half_base * turn) / horizon, (length + half_base * turn) / horizon
    v, _, w = limit_wheels(left, right, forward, rate, max_speed, gain, max_turn_rate, half_base)
    if abs(v - half_base * w - left) + abs(v + half_base * w - right) < 1e-12:
        return v, 0.0, w
    old_left, old_right = forward - half_base * rate, forward + half_base * rate
    low_left, high_left = min(max(old_left - gain, -max_speed), old_left), max(min(old_left + gain, max_speed), old_left)
    low_right, high_right = min(max(old_right - gain, -max_speed), old_right), max(min(old_right + gain, max_speed), old_right)
    left, right = _nearest(
        dx, dy, v - half_base * w, v + half_base * w, low_left, high_left, low_right, high_right, half_base, horizon
    )
    w = min(max((right - left) / (2.0 * half_base), -max_turn_rate), max_turn_rate)
    return 0.5 * (left + right), 0.0, w


@njit(cache=True)
def _nearest(dx, dy, left, right, low_left, high_left, low_right, high_right, half_base, dt):  # type: ignore[no-untyped-def]
    """Wheel speeds within their bounds whose arc ends nearest to (``dx``, ``dy``): Gauss–Newton from ``left``, ``right``.

    The end is ``v·ΔT·(sin θ, 1 − cos θ)/θ``; each step minimises the linearised distance exactly over the bounds.
    """
    best, best_left, best_right = 1e300, left, right
    for _ in range(4):
        v, turn = 0.5 * (left + right), (right - left) / (2.0 * half_base) * dt
        if abs(turn) < 1e-3:
            s, c, ds, dc = 1.0 - turn * turn / 6.0, 0.5 * turn, -turn / 3.0, 0.5 - turn * turn / 8.0
        else:
            sine, cosine = np.sin(turn), np.cos(turn)
            s, c = sine / turn, (1.0 - cosine) / turn
            ds, dc = (cosine - s) / turn, (sine - c) / turn
        ex, ey = v * dt * s - dx, v * dt * c - dy
        far = ex * ex + ey * ey
        if far >= best:
            break
        best, best_left, best_right = far, left, right
        lever = v * dt * dt / (2.0 * half_base)
        rx, ry, tx, ty = 0.5 * dt * s, 0.5 * dt * c, lever * ds, lever * dc
        step_left, step_right = _box_step(
            ex, ey, rx - tx, ry - ty, rx + tx, ry + ty, low_left - left, high_left - left, low_right - right, high_right - right
        )
        left, right = left + step_left, right + step_right
        if abs(step_left) + abs(step_right) < 1e-5:
            return left, right
    return best_left, best_right


@njit(cache=True)
def _box_step(ex, ey, ax, ay, bx, by, a0, a1, b0, b1):  # type: ignore[no-untyped-def]
    """(p, q) with ``a0 ≤ p ≤ a1``, ``b0 ≤ q ≤ b1`` that minimises ``‖e + a·p + b·q‖``: free, or on a bound that the free one breaks."""
    aa, bb, ab = ax * ax + ay * ay + 1e-18, bx * bx + by * by + 1e-18, ax * bx + ay * by
    ae, be = ax * ex + ay * ey, bx * ex + by * ey
    det = max(aa * bb - ab * ab, 1e-12 * aa * bb)
    p, q = (ab * be - bb * ae) / det, (ab * ae - aa * be) / det
    side_p, side_q = min(max(p, a0), a1), min(max(q, b0), b1)
    if side_p == p and side_q == q:
        return p, q
    best_p, best_q, best = 0.0, 0.0, 1e300
    if side_p != p:
        best_p, best_q = side_p, min(max(-(be + ab * side_p) / bb, b0), b1)
        x, y = ex + ax * best_p + bx * best_q, ey + ay * best_p + by * best_q
        best = x * x + y * y
    if side_q != q:
        p = min(max(-(ae + ab * side_q) / aa, a0), a1)
        x, y = ex + ax * p + bx * side_q, ey + ay * p + by * side_q
        if x * x + y * y < best:
            return p, side_q
    return best_p, best_q


@njit(cache=True)
def naive_steer(dx, dy, forward, rate, max_speed, gain, max_turn_rate, half_base, period, turn_gain):  # type: ignore[no-untyped-def]
    """Twist by the paper's naive wheel control (eqs 4–6): turn towards the point and go, both at once.

    ``v_{r,l} = ±K·θ_err + min(d_max, dist)·cos/ΔT`` with ``d_max = v_max·ΔT``, K = ``turn_gain`` (m/s per rad) and
    ``θ_err = atan(tan)`` in (−π/2, π/2): points behind are approached in reverse.
    """
    distance = np.sqrt(dx * dx + dy * dy)
    if distance < 1e-12:
        return limit_wheels(0.0, 0.0, forward, rate, max_speed, gain, max_turn_rate, half_base)
    cosine = dx / distance
    error = np.arctan(dy / dx) if abs(dx) > 1e-12 else np.sign(dy) * 0.5 * np.pi
    go = min(max_speed, distance / period) * cosine
    return limit_wheels(
        go - turn_gain * error, go + turn_gain * error, forward, rate, max_speed, gain, max_turn_rate, half_base
    )
