"""Passive objects in the picture of a run: outlines at the start, at the end, and faint ones between."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, rotate
from swarm_control.scenario.objects import PassiveObject

BETWEEN = 12
"""Faint outlines of each object at most, spread evenly over its way."""

COLOUR = "#8c564b"


def draw_objects(axes: Any, objects: Sequence[PassiveObject], pose: Array) -> Array:
    """Draw ``objects`` along their poses (T, K, 3); returns the corners (M, 2) m of all that was drawn, for the frame."""
    from matplotlib.patches import Polygon

    drawn = [np.empty((0, 2))]
    for k, one in enumerate(objects):
        way = np.append(0.0, np.cumsum(np.hypot(*np.diff(pose[:, k, :2], axis=0).T)))
        between: Sequence[int] = np.searchsorted(way, np.linspace(0.0, way[-1], BETWEEN + 2)[1:-1]).tolist() if way[-1] > 0.0 else []
        marks = [*((int(t), 0.3, 0.6, "-") for t in between), (0, 1.0, 1.1, "--"), (len(way) - 1, 1.0, 1.5, "-")]
        for instant, alpha, width, style in marks:
            corners = outline(one, pose[instant, k])
            axes.add_patch(Polygon(corners, fill=False, edgecolor=COLOUR, alpha=alpha, linewidth=width, linestyle=style, zorder=3))
            drawn.append(corners)
    return np.vstack(drawn)


def outline(one: PassiveObject, pose: Array) -> Array:
    """The rim (M, 2) m of an object at ``pose`` (3,): x, y (m), yaw (rad)."""
    if one.radius > 0.0:
        angle = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
        rim = one.radius * np.column_stack((np.cos(angle), np.sin(angle)))
    else:
        rim = 0.5 * np.array(one.size) * np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    return np.asarray(pose[:2] + rotate(rim, pose[2]))
