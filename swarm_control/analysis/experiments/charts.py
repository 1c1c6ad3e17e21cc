"""Panels of a finding that are charts, on matplotlib's axes: curves, bars, ways on the floor, lines of equal cost, photographs."""

from typing import Any

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Curves, Photo, Surface, Tracks

GOAL, START = "#d62728", "#777777"
DOTS = 60
"""Curves of more points than these are drawn without dots."""

WIDE = 100.0
"""Bars whose values differ by more than this factor are drawn on a logarithmic scale."""


def draw_curves(axes: Any, panel: Curves) -> None:
    """Curves with dots and intervals where there are few points."""
    for label, (x, y, half) in panel.curves.items():
        few = len(x) <= DOTS
        axes.errorbar(x, y, half, marker="o" if few else "", linewidth=1.5 if few else 0.8, markersize=4, capsize=3, label=label)
    axes.set_xlabel(panel.x_label, fontsize=9)
    axes.set_ylabel(panel.y_label, fontsize=9)
    axes.set_ylim(bottom=0.0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


def draw_tracks(axes: Any, panel: Tracks) -> None:
    """Ways on the floor, one colour each, and thin polygons."""
    for shape in panel.shapes:
        axes.plot(*np.vstack((shape, shape[:1])).T, color=START, linewidth=0.8)
    for label, points in panel.tracks.items():
        axes.plot(*points.T, linewidth=1.2, label=label)
    axes.set_xlabel("x (m)", fontsize=9)
    axes.set_ylabel("y (m)", fontsize=9)
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(alpha=0.3)
    if panel.tracks:
        axes.legend(fontsize=8)


def draw_surface(axes: Any, panel: Surface) -> None:
    """Lines of equal value, and marks."""
    lines = axes.contour(panel.x, panel.y, panel.value, levels=18, cmap="viridis", linewidths=0.9)
    axes.figure.colorbar(lines, ax=axes, shrink=0.8).ax.tick_params(labelsize=7)
    axes.plot(*panel.marks.T, "x", color=GOAL, markersize=7)
    axes.set_xlabel(panel.x_label, fontsize=9)
    axes.set_ylabel(panel.y_label, fontsize=9)
    axes.set_aspect("equal")


def draw_photo(axes: Any, panel: Photo) -> None:
    """A picture with tracks in pixels."""
    height, width, _ = panel.picture.shape
    axes.imshow(panel.picture)
    for k in range(panel.track.shape[1]):
        axes.plot(*panel.track[:, k].T, color=f"C{k}", linewidth=1.2)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    if panel.axes:
        axes.set_xlabel("px", fontsize=9)
    else:
        axes.set_axis_off()


def draw_bars(axes: Any, panel: Bars) -> None:
    """Groups of bars with their values: linear, but logarithmic where one is more than :data:`WIDE` times another."""
    place, width = np.arange(len(panel.labels)), 0.8 / len(panel.series)
    for k, (label, heights) in enumerate(panel.series.items()):
        bars = axes.bar(place + (k - 0.5 * (len(panel.series) - 1)) * width, heights, width, label=label)
        axes.bar_label(bars, fmt="%.3g", fontsize=7)
    sizes = np.abs(np.concatenate(list(panel.series.values()))) if panel.series else np.zeros(0)
    sizes = sizes[np.isfinite(sizes) & (sizes > 0.0)]
    if len(sizes) and sizes.max() > WIDE * sizes.min():
        axes.set_yscale("symlog", linthresh=10.0 ** np.floor(np.log10(sizes.min())))
    axes.margins(y=0.1)
    axes.set_xticks(place, panel.labels, rotation=15)
    axes.set_ylabel(panel.y_label, fontsize=9)
    axes.grid(axis="y", alpha=0.3)
    if any(panel.series):
        axes.legend(fontsize=8)
