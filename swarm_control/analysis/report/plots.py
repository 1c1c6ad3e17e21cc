"""Plots of a report: measures over time, behaviours' shares, and runs side by side."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.report.groups import RunGroup, mean_and_interval
from swarm_control.analysis.report.measures import curves, shares
from swarm_control.analysis.report.runs import Run
from swarm_control.core.geometry import Array
from swarm_control.files import replacing

COMPARED = {
    "arrival_time": "arrival (s)", "collisions": "collisions", "min_separation": "least separation (m)",
    "polarization": "order (polarization)", "arrived_fraction": "share arrived", "formation_error_mean": "mean formation error (m)",
}  # fmt: skip
"""Measures of the summary that runs are compared by."""


def draw_measures(run: Run, path: Path) -> None:
    """Every measure over time in a panel of its own, phases marked."""
    found = curves(run)
    time, shared = shares(run)
    rows = len(found) + bool(shared)
    figure, panels = _figure(rows, 1, (8.6, 1.75 * rows + 0.4))
    for axes, (title, (instants, values)) in zip(panels, found.items()):
        axes.plot(instants, values, color="#1f77b4", linewidth=1.3)
        axes.set_title(title, fontsize=9, loc="left")
    if shared:
        _stack(panels[-1], time, shared)
    for axes in panels:
        _mark_phases(axes, run)
        axes.set_xlim(0.0, max(float(run.trajectory.time[-1]), 1e-6))
        axes.grid(alpha=0.25)
    panels[-1].set_xlabel("time (s)", fontsize=9)
    _save(figure, path)


def draw_comparison(groups: Sequence[RunGroup], path: Path) -> bool:
    """Mean of each measure by group, with the interval over seeds; whether there was anything to compare."""
    measures = [name for name in COMPARED if any(group.values(name).size for group in groups)]
    if not measures or sum(len(group.runs) for group in groups) < 2:
        return False
    columns = min(len(measures), 3)
    rows = -(-len(measures) // columns)
    figure, panels = _figure(rows, columns, (3.4 * columns, (0.5 + 0.32 * len(groups) + 0.9) * rows))
    for panel, (axes, name) in enumerate(zip(panels, measures)):
        for k, group in enumerate(groups):
            values = group.values(name)
            if values.size:
                mean, half = mean_and_interval(values)
                axes.plot(values, np.full(values.shape, k), "o", ms=3, color="#1f77b4", alpha=0.4)
                axes.errorbar(mean, k, xerr=half, fmt="D", ms=5, color="#d62728", capsize=3)
            elif group.unknown(name):
                axes.text(0.5, k, "unknown", transform=axes.get_yaxis_transform(), ha="center", va="center", fontsize=8, color="#555555")
        axes.set_title(COMPARED[name], fontsize=9, loc="left")
        labels = [group.label if panel % columns == 0 else "" for group in groups]
        axes.set_yticks(range(len(groups)), labels, fontsize=8)
        axes.set_ylim(len(groups) - 0.5, -0.5)
        axes.grid(alpha=0.25)
    for axes in panels[len(measures) :]:
        axes.set_visible(False)
    _save(figure, path)
    return True


def _stack(axes: Any, time: Array, shared: Mapping[str, Array]) -> None:
    axes.stackplot(time, *shared.values(), labels=list(shared), alpha=0.85)
    axes.set_title("what behaviours were granted, mean over robots (m/s²)", fontsize=9, loc="left")
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def _mark_phases(axes: Any, run: Run) -> None:
    for phase in run.summary.get("phases") or ():
        if phase["start"] and phase["start"] <= run.trajectory.time[-1]:
            axes.axvline(phase["start"], color="#888888", linewidth=0.9, linestyle="--")
            place = {"transform": axes.get_xaxis_transform(), "va": "bottom", "parse_math": False}
            axes.text(phase["start"], 1.0, f" {phase['name']}", fontsize=7, color="#555555", **place)


def _figure(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, list[Any]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    panels = list(np.ravel(figure.subplots(rows, columns, squeeze=False)))
    for axes in panels:
        axes.tick_params(labelsize=8)
    return figure, panels


def _save(figure: Any, path: Path) -> None:
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png")
