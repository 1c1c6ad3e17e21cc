"""Panels of a finding that are charts, on matplotlib's axes: curves, bars, ways on the floor, lines of equal cost, photographs."""

from collections.abc import Collection
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Curves, Photo, Surface, Tracks

GOAL, START = "#d62728", "#777777"
DOTS = 60
"""Curves of more points than these are drawn without dots."""

WIDE = 100.0
"""Values that differ by more than this factor are drawn as dots on a logarithmic scale, on which the length of a bar says nothing."""

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#000000", "#f0e442")
"""Colours that people with any colour vision can tell apart (Okabe & Ito 2008)."""

DASHES = ("-", "--", ":")
"""Lines of the same colour differ in these."""

LETTERS = 54
"""So many fit into one line of a legend."""


def draw_curves(axes: Any, panel: Curves) -> None:
    """Curves with dots and intervals where there are few points."""
    _tell_apart(axes)
    for label, (x, y, half) in panel.curves.items():
        few = len(x) <= DOTS
        axes.errorbar(x, y, half, marker="o" if few else "", linewidth=1.5 if few else 0.8, markersize=4, capsize=3, label=label)
    axes.set_xlabel(panel.x_label, fontsize=9)
    axes.set_ylabel(panel.y_label, fontsize=9)
    axes.set_ylim(bottom=0.0)
    axes.grid(alpha=0.3)
    _name_below(axes, panel.curves)


def draw_tracks(axes: Any, panel: Tracks) -> None:
    """Ways on the floor, one colour each, and thin polygons."""
    _tell_apart(axes)
    for shape in panel.shapes:
        axes.plot(*np.vstack((shape, shape[:1])).T, color=START, linewidth=0.8)
    for label, points in panel.tracks.items():
        axes.plot(*points.T, linewidth=1.2, label=label)
    axes.set_xlabel("x (m)", fontsize=9)
    axes.set_ylabel("y (m)", fontsize=9)
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(alpha=0.3)
    _name_below(axes, panel.tracks)


def _tell_apart(axes: Any) -> None:
    axes.set_prop_cycle(color=COLOURS * len(DASHES), linestyle=[dashes for dashes in DASHES for _ in COLOURS])


def _name_below(axes: Any, names: Collection[str]) -> None:
    """A legend below the axes, where it hides no line."""
    if names:
        columns = int(np.clip(LETTERS // (max(map(len, names)) + 4), 1, 3))
        axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=columns, frameon=False, columnspacing=1.0)


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
    """Groups of bars with their values; dots on a logarithmic scale where one is more than :data:`WIDE` times another."""
    axes.set_prop_cycle(color=COLOURS)
    sizes = np.abs(np.concatenate(list(panel.series.values()))) if panel.series else np.zeros(0)
    sizes = sizes[np.isfinite(sizes) & (sizes > 0.0)]
    wide = len(sizes) and sizes.max() > WIDE * sizes.min()
    if wide:
        axes.set_yscale("symlog", linthresh=10.0 ** np.floor(np.log10(sizes.min())))
    groups, width = np.arange(len(panel.labels)), 0.8 / max(len(panel.series), 1)
    for k, (label, heights) in enumerate(panel.series.items()):
        place = groups + (k - 0.5 * (len(panel.series) - 1)) * width
        if wide:
            axes.plot(place, heights, "o", markersize=6, label=label, clip_on=False)
            for x, y in zip(place, heights):
                axes.annotate(f"{y:.3g}", (x, y), (0, 6), textcoords="offset points", ha="center", fontsize=7)
        else:
            axes.bar_label(axes.bar(place, heights, width, label=label), fmt="%.3g", fontsize=7)
    axes.margins(y=0.1)
    axes.set_xticks(groups, panel.labels, rotation=15)
    axes.set_ylabel(panel.y_label, fontsize=9)
    axes.grid(axis="y", alpha=0.3)
    if any(panel.series):
        axes.legend(fontsize=8, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, frameon=False, borderaxespad=0.2)
