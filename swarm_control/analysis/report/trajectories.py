"""Picture of a run: where the robots went, time as colour, on the map."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.recording import Trajectory
from swarm_control.analysis.report.objects import COLOUR, draw_objects
from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid
from swarm_control.files import replacing
from swarm_control.scenario.objects import PassiveObject

MOST_ROBOTS = 3000
"""More robots than this are thinned evenly in the picture."""
MOST_PIECES = 300_000
"""Paths are drawn with about this many straight pieces in all."""
LEAST_DOT = 0.0015
"""Robots are drawn with at least this share of the picture's side as radius, so that they are seen in a wide world."""
START, END, GOAL = "#440154", "#f28e2b", "#d62728"
"""Colours of robots where they start and end, and of goals."""
LANDMARK = "#7f7f7f"


def save(figure: Any, path: Path) -> None:
    """Write the ``figure`` as a PNG to ``path``."""
    with replacing(Path(path)) as temporary:
        figure.savefig(temporary, format="png", bbox_inches="tight")


def draw(
    trajectory: Trajectory, grid: Grid | None, goals: Sequence[tuple[float, float, float]], radius: Array, title: str,
    landmarks: Array | None = None, objects: Sequence[PassiveObject] = (),
) -> Any:  # fmt: skip
    """A figure of matplotlib: paths by time, robots at the start (hollow) and at the end (filled), walls and goals.

    ``goals``: x, y and radius (m) of each; ``radius`` (N,) m of the robots' footprints; ``landmarks`` (M, 2) m. World frame, metres.
    ``objects`` are drawn where the trajectory tells of them.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    total = len(trajectory.names)
    shown = np.unique(np.linspace(0, total - 1, min(total, MOST_ROBOTS)).round().astype(np.int64))
    stride = max(-(-len(trajectory.time) * len(shown) // MOST_PIECES), 1)
    instants = np.unique(np.append(np.arange(0, len(trajectory.time), stride), len(trajectory.time) - 1))
    time, position = trajectory.time[instants], trajectory.pose[instants][:, shown, :2]
    figure = Figure(figsize=(9.0, 7.6), dpi=160, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    if grid is not None:
        _draw_map(axes, grid)
    _draw_goals(axes, goals)
    _draw_paths(figure, axes, time, position)
    marks = np.empty((0, 2)) if landmarks is None else landmarks
    axes.plot(*marks.T, "s", color=LANDMARK, markersize=2.5, zorder=1)
    rims = draw_objects(axes, objects if trajectory.object_pose.size else (), trajectory.object_pose)
    span = _frame(axes, grid, goals, np.vstack((position.reshape(-1, 2), marks, rims)), float(np.max(radius)))
    _draw_robots(axes, position, np.maximum(radius, LEAST_DOT * span)[shown])
    _draw_legend(axes, bool(goals), bool(len(marks)), bool(len(rims)))
    count = f"{total:,} robot{'s' if total > 1 else ''}" + (f", {len(shown):,} of them shown" if len(shown) < total else "")
    axes.set_title(f"{title} — {count}, {time[-1] - time[0]:.1f} s", fontsize=12, loc="left")
    return figure


def _draw_map(axes: Any, grid: Grid) -> None:
    from matplotlib.colors import ListedColormap

    axes.imshow(
        grid.occupied, cmap=ListedColormap(["#ffffff", "#3c3c3c"]), vmin=0, vmax=1, origin="lower", extent=grid.extent,
        interpolation="antialiased", interpolation_stage="rgba", zorder=0,
    )  # fmt: skip


def _draw_goals(axes: Any, goals: Sequence[tuple[float, float, float]]) -> None:
    from matplotlib.patches import Circle

    for k, (x, y, radius) in enumerate(goals):
        axes.add_patch(Circle((x, y), radius, facecolor="#d6272814", edgecolor=GOAL, linewidth=1.4, zorder=4))
        axes.plot(x, y, "+", color=GOAL, markersize=9, zorder=4)
        if len(goals) > 1:
            axes.annotate(str(k + 1), (x, y), (4, 4), textcoords="offset points", color=GOAL, fontsize=10, zorder=6)


def _draw_paths(figure: Any, axes: Any, time: Array, position: Array) -> None:
    """One collection of straight pieces, the latest on top, coloured by the time in their middle."""
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection
    from matplotlib.colors import ListedColormap

    robots = position.shape[1]
    pieces = np.stack((position[:-1], position[1:]), axis=2).reshape(-1, 2, 2)
    width = float(np.clip(14.0 / np.sqrt(robots), 0.35, 1.6))
    colours = ListedColormap(colormaps["viridis"](np.linspace(0.0, 0.94, 256)))  # the last yellow is too pale on white
    lines = LineCollection(list(pieces), cmap=colours, linewidths=width, capstyle="round", rasterized=True, zorder=2)
    lines.set_array(np.repeat(0.5 * (time[:-1] + time[1:]), robots))
    lines.set_clim(time[0], time[-1] if len(time) > 1 else time[0] + 1.0)
    axes.add_collection(lines)
    figure.colorbar(lines, ax=axes, label="time (s)", shrink=0.85, pad=0.02)


def _draw_robots(axes: Any, position: Array, radius: Array) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle

    thin = float(np.clip(8.0 / np.sqrt(len(radius)), 0.2, 0.9))
    start = [Circle(place, r) for place, r in zip(position[0], radius)]
    end = [Circle(place, r) for place, r in zip(position[-1], radius)]
    axes.add_collection(PatchCollection(start, facecolor="none", edgecolor=START, linewidth=thin, zorder=3))
    axes.add_collection(PatchCollection(end, facecolor=END, edgecolor="#202020", linewidth=0.7 * thin, zorder=5))


def _draw_legend(axes: Any, goals: bool, landmarks: bool, objects: bool) -> None:
    from matplotlib.lines import Line2D

    def dot(label: str, face: str, edge: str, marker: str = "o") -> Line2D:
        return Line2D([], [], linestyle="none", marker=marker, markerfacecolor=face, markeredgecolor=edge, label=label)

    handles = [dot("start", "none", START), dot("end", END, "#202020")] + [dot("goal", "#d6272814", GOAL)] * goals
    handles += [dot("landmark", LANDMARK, LANDMARK, "s")] * landmarks
    handles += [dot("object", "none", COLOUR, "s")] * objects
    axes.legend(handles=handles, loc="upper right", bbox_to_anchor=(1.02, -0.035), ncol=5, frameon=False, fontsize=9, handletextpad=0.1)


def _frame(axes: Any, grid: Grid | None, goals: Sequence[tuple[float, float, float]], position: Array, radius: float) -> float:
    """Equal axes that show everything: map, paths and goals; returns their larger side, m."""
    places = [position.reshape(-1, 2)] + [np.array([[x - r, y - r], [x + r, y + r]]) for x, y, r in goals]
    if grid is not None:
        places.append(np.array(grid.extent).reshape(2, 2).T)
    points = np.vstack(places)
    low, high = points.min(axis=0) - 1.5 * radius, points.max(axis=0) + 1.5 * radius
    span = float((high - low).max())
    pad = np.maximum(0.3 * span - 0.5 * (high - low), 0.02 * span if grid is None else 0.0)
    axes.set_xlim(low[0] - pad[0], high[0] + pad[0])
    axes.set_ylim(low[1] - pad[1], high[1] + pad[1])
    axes.set_aspect("equal")
    axes.set_xlabel("x (m)")
    axes.set_ylabel("y (m)")
    axes.tick_params(labelsize=9)
    return span
