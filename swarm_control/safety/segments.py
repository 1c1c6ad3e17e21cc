"""Nearest points of segments."""


from swarm_control.core.compiled import njit


@njit(cache=True)
def closest(ax, ay, bx, by, ux, uy):  # type: ignore[no-untyped-def]
    """Nearest points of the segments from (0, 0) to (ax, ay) and from (bx, by) to (bx + ux, by + uy): shares of the way along each."""
    aa, uu, au = ax * ax + ay * ay, ux * ux + uy * uy, ax * ux + ay * uy
    ab, ub = ax * bx + ay * by, ux * bx + uy * by
    det = aa * uu - au * au
    s = min(max((ab * uu - ub * au) / det, 0.0), 1.0) if det > 1e-18 else 0.0
    t = (s * au - ub) / uu if uu > 1e-18 else 0.0
    t = min(max(t, 0.0), 1.0)
    s = min(max((ab + t * au) / aa, 0.0), 1.0) if aa > 1e-18 else 0.0
    if uu > 1e-18:
        t = min(max((s * au - ub) / uu, 0.0), 1.0)
    return s, t
