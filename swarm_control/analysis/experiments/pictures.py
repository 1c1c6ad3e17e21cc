"""Pictures of findings: all panels of one in a single picture, in pixels and in lines."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.experiments import charts
from swarm_control.analysis.experiments.charts import GOAL, START
from swarm_control.analysis.experiments.finding import Bars, Curves, Finding, Paths, Photo, Snapshot, Surface, Tracks
from swarm_control.core.geometry import Array
from swarm_control.files import replacing
from swarm_control.runtime.gathering import places_of

LEADER, FOLLOWER, WALL = "#d62728", "#1f77b4", "#3c3c3c"
SIDE = 3.6
"""Width and height of a panel, inches."""


def draw(finding: Finding, path: Path) -> list[Path]:
    """Write the panels of ``finding`` as a PNG to ``path`` and as an SVG beside it; return both paths."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    count = len(finding.panels)
    photos, wide = (any(isinstance(panel, kind) for panel in finding.panels) for kind in (Photo, Bars))
    columns = 2 if photos else min(count, 4 if count in (4, 7, 8) else 3)
    rows = -(-count // columns)
    stretch = 2.4 if wide else 1.45 if photos else 1.0
    figure = Figure(figsize=(stretch * SIDE * columns, 1.08 * SIDE * rows), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    for k, panel in enumerate(finding.panels):
        axes = figure.add_subplot(rows, columns, k + 1)
        axes.set_title(panel.title, fontsize=10, loc="left")
        DRAWN_BY[type(panel)](axes, panel)
        axes.tick_params(labelsize=8)
    written = [path, path.with_suffix(".svg")]
    for one in written:
        with replacing(one) as temporary, rc_context({"svg.hashsalt": path.stem, "svg.fonttype": "none"}):
            figure.savefig(temporary, format=one.suffix[1:], metadata={"Date": None} if one.suffix == ".svg" else None)
    return written


def _draw_paths(axes: Any, panel: Paths) -> None:
    flight = panel.flight
    if flight.grid is not None:
        shade = np.where(flight.grid.occupied[..., None], [0.24, 0.24, 0.24, 1.0], [1.0, 1.0, 1.0, 0.0])
        axes.imshow(shade, origin="lower", extent=flight.grid.extent, interpolation="nearest", zorder=0)
    _draw_lines(axes, panel)
    _draw_robots(axes, panel)
    _draw_goals(axes, panel)
    low, high = _view(panel)
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_aspect("equal")


def _draw_snapshot(axes: Any, panel: Snapshot) -> None:
    from matplotlib import colormaps
    from matplotlib.collections import EllipseCollection, LineCollection

    flight, society = panel.flight, panel.flight.society
    now, begun = flight.at(panel.time), flight.at(panel.time - panel.trail)
    everything = np.vstack((flight.position.reshape(-1, 2), society.landmark))
    low, high = (panel.half * np.array([[-1, -1], [1, 1]])) if panel.half else (everything.min(axis=0), everything.max(axis=0))
    middle, half = 0.5 * (low + high), max(0.53 * float((high - low).max()), 0.5)
    if flight.grid is not None:
        shade = np.where(flight.grid.occupied[..., None], [0.24, 0.24, 0.24, 1.0], [1.0, 1.0, 1.0, 0.0])
        axes.imshow(shade, origin="lower", extent=flight.grid.extent, interpolation="nearest", zorder=0)
    kinds = np.unique(society.robot)
    colours = [colormaps["tab10"](int(np.searchsorted(kinds, kind)) % 10) for kind in society.robot]
    axes.plot(*society.landmark.T, "s", color=WALL, markersize=2.5, zorder=1)
    axes.plot(*panel.crossed.T, "x", color=GOAL, markersize=7, zorder=3)
    paths = flight.position[begun : now + 1].transpose(1, 0, 2)
    if now > begun:
        axes.add_collection(LineCollection(list(paths), colors=colours, linewidths=0.7, alpha=0.7, zorder=2))
    least = 0.014 * half * min(1.0, np.sqrt(400.0 / flight.robots))  # to be seen; of many, each less
    wide = 2.0 * np.maximum(flight.radius, least)
    axes.add_collection(EllipseCollection(
        wide, wide, np.zeros_like(wide), units="xy", offsets=flight.position[now], offset_transform=axes.transData, facecolor=colours,
        edgecolor="none", zorder=5,
    ))  # fmt: skip
    axes.set_xlim(middle[0] - half, middle[0] + half)
    axes.set_ylim(middle[1] - half, middle[1] + half)
    axes.set_aspect("equal")


def _draw_lines(axes: Any, panel: Paths) -> None:
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection

    flight = panel.flight
    width = float(np.clip(3.5 / np.sqrt(flight.robots), 0.5, 1.4))
    if panel.leaders:
        pieces = np.stack((flight.position[:-1], flight.position[1:]), axis=2).reshape(-1, 2, 2)
        sides = list(np.where(flight.leads[1:].reshape(-1), LEADER, FOLLOWER))
        axes.add_collection(LineCollection(list(pieces), colors=sides, linewidths=width, alpha=0.45, zorder=2))
        return
    shades = colormaps["tab10" if flight.robots <= 10 else "tab20"]
    colours = [shades(k % shades.N) for k in range(flight.robots)]
    axes.add_collection(LineCollection(list(flight.position.transpose(1, 0, 2)), colors=colours, linewidths=width, alpha=0.85, zorder=2))


def _draw_robots(axes: Any, panel: Paths) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle

    flight, (low, high) = panel.flight, _view(panel)
    size = np.maximum(flight.radius, 0.008 * (high[0] - low[0]))
    leads = flight.leads[-1] if panel.leaders else np.zeros(flight.robots, bool)
    faces = [LEADER if lead else (FOLLOWER if panel.leaders else "#111111") for lead in leads]
    start = [Circle(place, r) for place, r in zip(flight.position[0], size)]
    end = [Circle(place, r) for place, r in zip(flight.position[-1], size)]
    axes.add_collection(PatchCollection(start, facecolor="none", edgecolor=START, linewidth=0.7, zorder=3))
    axes.add_collection(PatchCollection(end, facecolor=faces, edgecolor="none", zorder=5))


def _draw_goals(axes: Any, panel: Paths) -> None:
    from matplotlib.patches import Circle

    for k, goal in enumerate(panel.flight.goals):
        places = places_of(goal, panel.flight.robots)
        (x, y), alone = places[0], len(places) == 1
        axes.plot(*places.T, "+", color=GOAL, markersize=8 if alone else 5, linestyle="", zorder=4 if alone else 6)
        if alone:
            axes.add_patch(Circle((x, y), goal.radius, facecolor="none", edgecolor=GOAL, linewidth=1.0, zorder=4))
        if len(panel.flight.goals) > 1:
            axes.annotate(str(k + 1), (x, y), (5, 5), textcoords="offset points", color=GOAL, fontsize=9, zorder=6)


def _view(panel: Paths) -> tuple[Array, Array]:
    """Lower left and upper right corner of what a panel shows, a square, m."""
    flight = panel.flight
    points = flight.position.reshape(-1, 2)
    if panel.zoom > 0.0:
        middle, half = np.median(flight.position[-1], axis=0), 0.5 * panel.zoom
    else:
        points = np.vstack((points, *(places_of(goal, flight.robots) for goal in flight.goals)))
        if flight.grid is not None and flight.grid.extent[1] <= 6.0:
            points = np.vstack((points, np.array(flight.grid.extent).reshape(2, 2).T))
        low, high = points.min(axis=0), points.max(axis=0)
        middle, half = 0.5 * (low + high), max(0.53 * float((high - low).max()), 0.5)
    return middle - half, middle + half


DRAWN_BY: dict[type, Callable[[Any, Any], None]] = {
    Paths: _draw_paths, Snapshot: _draw_snapshot, Curves: charts.draw_curves, Tracks: charts.draw_tracks, Surface: charts.draw_surface,
    Bars: charts.draw_bars, Photo: charts.draw_photo,
}  # fmt: skip
"""What draws each kind of panel."""
