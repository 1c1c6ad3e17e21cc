"""Velocities that half-planes permit: the nearest to a wished one, or where none is permitted the one least against the worst of them.

A line is a row (nx, ny, b) with n of unit length; it permits the velocities with ``n·v ≥ b``, m/s. Lines are taken one after another, and
the best velocity is kept (linear programming in two dimensions: de Berg, Cheong, van Kreveld & Overmars 2008, ch. 4; with what is to be
done where nothing is permitted: van den Berg, Guy, Lin & Manocha 2011).
"""

import numpy as np

from swarm_control.core.compiled import njit


@njit(cache=True)
def _on_line(lines, k, wx, wy, most):  # type: ignore[no-untyped-def]
    """On line k the point nearest to (wx, wy) that the lines before it and the disc ``most`` permit: whether there is one, x, y."""
    nx, ny, b = lines[k, 0], lines[k, 1], lines[k, 2]
    square = most * most - b * b
    if square < 0.0:
        return False, 0.0, 0.0
    high = np.sqrt(square)
    low = -high
    for j in range(k):
        slope = lines[j, 1] * nx - lines[j, 0] * ny
        rest = lines[j, 2] - b * (lines[j, 0] * nx + lines[j, 1] * ny)
        if abs(slope) < 1e-9:
            if rest > 0.0:
                return False, 0.0, 0.0
        elif slope > 0.0:
            low = max(low, rest / slope)
        else:
            high = min(high, rest / slope)
        if low > high:
            return False, 0.0, 0.0
    s = min(max(wy * nx - wx * ny, low), high)
    return True, b * nx - s * ny, b * ny + s * nx


@njit(cache=True)
def nearest_velocity(lines, count, wx, wy, most):  # type: ignore[no-untyped-def]
    """The velocity nearest to (wx, wy), no faster than ``most``, that keeps the first ``count`` of the lines (K, 3).

    The first line that cannot be kept beside those before it, ``count`` if there is none, and the velocity x, y that keeps those.
    """
    scale = min(1.0, most / max(np.sqrt(wx * wx + wy * wy), 1e-12))
    x, y = scale * wx, scale * wy
    for k in range(count):
        if lines[k, 0] * x + lines[k, 1] * y < lines[k, 2]:
            found, on_x, on_y = _on_line(lines, k, wx, wy, most)
            if not found:
                return k, x, y
            x, y = on_x, on_y
    return count, x, y


@njit(cache=True)
def least_bad_velocity(lines, first, walls, count, x, y, most):  # type: ignore[no-untyped-def]
    """The velocity x, y, no faster than ``most``, that is least against the worst of the lines, where not all can be kept.

    (x, y) keeps those before ``first``. The first ``walls`` lines are kept whatever it costs the others.
    """
    worst, level = 0.0, np.empty((count, 3))
    for i in range(first, count):
        nx, ny, b = lines[i, 0], lines[i, 1], lines[i, 2]
        if b - nx * x - ny * y <= worst:
            continue
        rows = 0
        for j in range(i):
            mx, my, c = lines[j, 0], lines[j, 1], lines[j, 2]
            if j >= walls:  # no more against it than against line i
                mx, my, c = mx - nx, my - ny, c - b
                size = np.sqrt(mx * mx + my * my)
                if size < 1e-9:
                    continue
                mx, my, c = mx / size, my / size, c / size
            level[rows, 0], level[rows, 1], level[rows, 2] = mx, my, c
            rows += 1
        done, on_x, on_y = nearest_velocity(level, rows, 1e6 * nx, 1e6 * ny, most)
        if done == rows:
            x, y = on_x, on_y
        worst = b - nx * x - ny * y
    return x, y


@njit(cache=True)
def nearest_allowed(wish, normal, bound, count):  # type: ignore[no-untyped-def]
    """Point nearest to ``wish`` (2,) with ``normal[k]·v ≤ bound[k]`` for k < count, in whatever order; zero when there is none."""
    best_x, best_y, best = 0.0, 0.0, np.inf
    for a in range(-1, count):
        for b in range(a, count):
            if a < 0 and b >= 0:
                break
            if a < 0:
                x, y = wish[0], wish[1]
            elif a == b:
                over = normal[a, 0] * wish[0] + normal[a, 1] * wish[1] - bound[a]
                x, y = wish[0] - over * normal[a, 0], wish[1] - over * normal[a, 1]
            else:
                det = normal[a, 0] * normal[b, 1] - normal[a, 1] * normal[b, 0]
                if abs(det) < 1e-9:
                    continue
                x = (bound[a] * normal[b, 1] - bound[b] * normal[a, 1]) / det
                y = (bound[b] * normal[a, 0] - bound[a] * normal[b, 0]) / det
            far = (x - wish[0]) ** 2 + (y - wish[1]) ** 2
            if far < best or (far == best and (x, y) < (best_x, best_y)):
                free = True
                for k in range(count):
                    if normal[k, 0] * x + normal[k, 1] * y > bound[k] + 1e-12:
                        free = False
                        break
                if free:
                    best_x, best_y, best = x, y, far
        if a < 0 and best == 0.0:
            break
    return best_x, best_y
