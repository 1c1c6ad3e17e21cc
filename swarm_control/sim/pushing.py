"""How discs push a box or a disc over the floor: the quasi-static limit surface of friction, contact by contact.

Slow things on a floor have no inertia worth the name: friction with the floor balances the pushes. The forces and moments (f, m) under
which an object slides lie on its limit surface, and its twist is normal to it (Goyal, Ruina & Papadopoulos 1991). With the ellipsoid
``f²/F² + m²/(c·F)² = 1`` (Lee & Cutkosky 1991; Lynch & Mason 1996) a push by λ along n at the arm r from the middle moves the
object by ``λ·n`` and turns it by ``λ·(r × n)/c²``, whatever F is. ``c`` (m) is the mean distance of the object's floor from its middle.

Robots go where they go, so λ ≥ 0 is such that the disc does not overlap the object. Several contacts are solved one after the other
until nothing changes (projected Gauss–Seidel). Friction with a rim drags along it, by no more than ``grip·λ``.
"""

import numpy as np

from swarm_control.core.compiled import jit, njit

ROUNDS, EXACT = 100, 1e-10
"""Rounds over all contacts at most, and the greatest change (m) with which they end."""

TOLERANCE = 1e-5
"""How deep (m) a robot may be in an object at the end of a step."""


@njit(cache=True, inline="always")
def surface(x, y, pose, shape):  # type: ignore[no-untyped-def]
    """Of the point (x, y) and an object: signed distance (m), inward normal, and the nearest point of its rim, from its middle.

    ``shape``: half length, half width (m), radius (m; above zero: round), c² (m²).
    """
    dx, dy = x - pose[0], y - pose[1]
    if shape[2] > 0.0:
        far = np.sqrt(dx * dx + dy * dy)
        ox, oy = (dx / far, dy / far) if far > 1e-12 else (1.0, 0.0)
        return far - shape[2], -ox, -oy, shape[2] * ox, shape[2] * oy
    c, s = np.cos(pose[2]), np.sin(pose[2])
    u, v = c * dx + s * dy, c * dy - s * dx
    nu, nv = max(-shape[0], min(u, shape[0])), max(-shape[1], min(v, shape[1]))
    eu, ev = u - nu, v - nv
    far = np.sqrt(eu * eu + ev * ev)
    if far > 1e-12:
        eu, ev = eu / far, ev / far
    elif shape[0] - abs(u) < shape[1] - abs(v):
        far, eu, ev = abs(u) - shape[0], (1.0 if u >= 0.0 else -1.0), 0.0
        nu = shape[0] * eu
    else:
        far, eu, ev = abs(v) - shape[1], 0.0, (1.0 if v >= 0.0 else -1.0)
        nv = shape[1] * ev
    return far, s * ev - c * eu, -s * eu - c * ev, c * nu - s * nv, s * nu + c * nv


@njit(cache=True, inline="always")
def extent(shape):  # type: ignore[no-untyped-def]
    """Greatest distance (m) of the object's rim from its middle."""
    return shape[2] if shape[2] > 0.0 else np.sqrt(shape[0] * shape[0] + shape[1] * shape[1])


@njit(cache=True)
def meets(pose, shape, before, after, radius):  # type: ignore[no-untyped-def]
    """Robots that may touch the object on their ways (M,), and into how many parts these are to be cut so that no disc jumps over it."""
    near, count, parts = np.empty(len(before), np.int64), 0, 1.0
    thick = shape[2] if shape[2] > 0.0 else min(shape[0], shape[1])
    longest = 0.0
    for i in range(len(before)):
        mx, my = after[i, 0] - before[i, 0], after[i, 1] - before[i, 1]
        longest = max(longest, np.sqrt(mx * mx + my * my))
    for i in range(len(before)):
        mx, my = after[i, 0] - before[i, 0], after[i, 1] - before[i, 1]
        way = np.sqrt(mx * mx + my * my)
        dx, dy = before[i, 0] - pose[0], before[i, 1] - pose[1]
        if np.sqrt(dx * dx + dy * dy) <= extent(shape) + radius[i] + way + 2.0 * longest:
            near[count], count = i, count + 1
            parts = max(parts, np.ceil(way / (0.5 * min(thick, radius[i]))))
    return near[:count], int(parts)


@jit
def rest(pose, shape, before, after, radius):  # type: ignore[no-untyped-def]
    """How deep each robot (N,) m would go into an object that stands, on its way from ``before`` to ``after`` (N, 2)."""
    deep = np.zeros(len(before))
    near, parts = meets(pose, shape, before, after, radius)
    for part in range(parts):
        share = (part + 1.0) / parts
        for i in near:
            x, y = before[i, 0] + share * (after[i, 0] - before[i, 0]), before[i, 1] + share * (after[i, 1] - before[i, 1])
            deep[i] = max(deep[i], radius[i] - surface(x, y, pose, shape)[0])
    return deep


@jit
def push(start, shape, grip, before, after, radius):  # type: ignore[no-untyped-def]
    """Where an object comes to be as robots go from ``before`` to ``after`` (N, 2), and how deep each is in it on its way (N,) m.

    Ends where one comes to be deeper than :data:`TOLERANCE`: the object has no way out there.
    """
    pose, deep = start.copy(), np.zeros(len(before))
    near, parts = meets(pose, shape, before, after, radius)
    force = np.zeros((len(near), 2))  # λ along the normal and along the rim, m
    for part in range(parts):
        begin = pose.copy()
        force[:] = 0.0
        share = (part + 1.0) / parts
        for _ in range(ROUNDS):
            most = 0.0
            for k in range(len(near)):
                i = near[k]
                mx, my = after[i, 0] - before[i, 0], after[i, 1] - before[i, 1]
                x, y = before[i, 0] + share * mx, before[i, 1] + share * my
                most = max(most, _contact(pose, begin, shape, grip, x, y, mx / parts, my / parts, radius[i], force[k]))
            if most < EXACT:
                break
        for i in near:
            x, y = before[i, 0] + share * (after[i, 0] - before[i, 0]), before[i, 1] + share * (after[i, 1] - before[i, 1])
            deep[i] = max(deep[i], radius[i] - surface(x, y, pose, shape)[0])
        if len(near) > 0 and deep.max() > TOLERANCE:
            break
    return pose, deep


@njit(cache=True)
def _contact(pose, begin, shape, grip, x, y, mx, my, radius, force):  # type: ignore[no-untyped-def]
    """Resolve one contact, of a disc at (x, y) that has moved by (mx, my); changes ``pose`` and ``force``, returns by how much (m)."""
    far, nx, ny, rx, ry = surface(x, y, pose, shape)
    gap = far - radius
    if gap > 0.0 and force[0] == 0.0:
        return 0.0
    arm = rx * ny - ry * nx
    wanted = max(force[0] - gap / (1.0 + arm * arm / shape[3]), 0.0)
    change = wanted - force[0]
    force[0] = wanted
    _shift(pose, change, nx, ny, arm, shape)
    tx, ty = -ny, nx
    arm = rx * ty - ry * tx
    turn = pose[2] - begin[2]
    slip = (pose[0] - begin[0] - turn * ry - mx) * tx + (pose[1] - begin[1] + turn * rx - my) * ty
    most = grip * force[0]
    wanted = max(-most, min(force[1] - slip / (1.0 + arm * arm / shape[3]), most))
    drag = wanted - force[1]
    force[1] = wanted
    _shift(pose, drag, tx, ty, arm, shape)
    return max(abs(change), abs(drag))


@njit(cache=True, inline="always")
def _shift(pose, by, x, y, arm, shape):  # type: ignore[no-untyped-def]
    """Move an object as a push by ``by`` (m) along (x, y) with this arm (m) does."""
    pose[0] += by * x
    pose[1] += by * y
    pose[2] += by * arm / shape[3]
