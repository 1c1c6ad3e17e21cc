"""The picture of a sweep: each measure over each parameter, means with their intervals."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.metrics import METRICS
from swarm_control.analysis.sweep.design import Axis
from swarm_control.analysis.sweep.table import Row, combinations_of, mean_of
from swarm_control.analysis.tuning.space import Dimension
from swarm_control.files import replacing

BINS = 8
"""Parts, of about as many runs each, that what was drawn of a range is cut into."""


def draw(path: Path, rows: Sequence[Row], axes: Sequence[Axis], measures: Sequence[str], title: str) -> Path:
    """Draw a panel for each measure (row) and parameter (column), over all values of the other parameters; write it as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    units = {measure.key: measure.unit for metric in METRICS.values() for measure in metric.measures}
    figure = Figure(figsize=(4.0 * len(axes) + 0.6, 2.7 * len(measures) + 0.6), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(measures), len(axes), squeeze=False, sharey="row", sharex="col")
    for across, measure in zip(panels, measures):
        unit = units.get(measure.rpartition(".")[2], "")
        across[0].set_ylabel(f"{measure} ({unit})" if unit else measure)
        for panel, axis in zip(across, axes):
            _panel(panel, [row for row in rows if row.get(measure) is not None], axis, measure)
    for panel, axis in zip(panels[-1], axes):
        panel.set_xlabel(axis.path)
    figure.suptitle(title, fontsize=10)
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png")
    return path


def _panel(panel: Any, rows: Sequence[Row], axis: Axis, measure: str) -> None:
    """Runs as pale dots; means with their intervals, which may reach beyond what is shown."""
    values = [value for (value,) in combinations_of(rows, (axis.path,))]
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
    place = {value: float(value) if numbers else float(k) for k, value in enumerate(values)}
    panel.plot([place[row[axis.path]] for row in rows], [float(row[measure]) for row in rows], "o", ms=3, color="#1f77b4", alpha=0.3)
    panel.set_ylim(panel.get_ylim())
    parts = _parts(rows, axis.path) if isinstance(axis, Dimension) else list(combinations_of(rows, (axis.path,)).values())
    means = sorted((float(np.mean([place[row[axis.path]] for row in part])), mean_of(part, measure)) for part in parts)
    shown = [(x, mean) for x, mean in means if mean is not None]
    panel.errorbar(
        [x for x, _ in shown], [mean.value for _, mean in shown], yerr=[mean.half or 0.0 for _, mean in shown], fmt="o-", ms=4,
        capsize=3, color="#d62728",
    )  # fmt: skip
    if isinstance(axis, Dimension) and axis.log:
        panel.set_xscale("log")
    elif not numbers:
        panel.set_xticks(list(place.values()), [str(value) for value in place])
    panel.grid(alpha=0.3)


def _parts(rows: Sequence[Row], path: str) -> list[list[Row]]:
    """The rows in order of a parameter, cut into parts of about the same number, of four runs at least."""
    ordered = sorted(rows, key=lambda row: float(row[path]))
    cuts = np.linspace(0, len(ordered), min(BINS, max(len(ordered) // 4, 1)) + 1).astype(int)
    return [ordered[low:high] for low, high in pairwise(cuts) if high > low]
