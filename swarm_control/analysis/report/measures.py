"""Measures over time, from a trajectory."""

import numpy as np

from swarm_control.analysis.metrics.polarization import polarization
from swarm_control.analysis.report.runs import Run
from swarm_control.core.geometry import Array, norm
from swarm_control.core.state import SwarmState

INSTANTS = 1500
"""Curves have about as many points."""


def curves(run: Run) -> dict[str, tuple[Array, Array]]:
    """Title with unit → (time (s), value), of all that can be said of ``run``."""
    trajectory = run.trajectory
    chosen = np.unique(np.linspace(0, len(trajectory.time) - 1, INSTANTS).round().astype(int))
    time, pose, velocity = trajectory.time[chosen], trajectory.pose[chosen], trajectory.velocity[chosen]
    found = {"mean speed (m/s)": (time, norm(velocity[:, :, :2]).mean(axis=1))}
    if len(trajectory.names) > 1:
        states = [SwarmState.of(float(t), p, v) for t, p, v in zip(time, pose, velocity)]
        order = np.array([np.nan if (value := polarization(state)) is None else value for state in states])
        found["order (polarization)"] = (time, order)
        found["smallest gap between robots (m)"] = (time, np.array([_gap(state.position, run.radius) for state in states]))
    for name, title in (("formation_error", "formation error (m)"), ("arrived", "share arrived")):
        if name in run.series and np.isfinite(run.series[name]).any():
            found[title] = (run.series["time"], run.series[name])
    return found


def shares(run: Run) -> tuple[Array, dict[str, Array]]:
    """Time (s), and behaviour → mean acceleration (m/s²) that it was granted; empty where that was not recorded."""
    found = {name.removeprefix("share/"): np.nan_to_num(column) for name, column in run.series.items() if name.startswith("share/")}
    return run.series.get("time", np.empty(0)), found


def _gap(position: Array, radius: Array) -> float:
    """Smallest distance (m) between two footprints: that of the nearest few of each, as footprints differ little."""
    from scipy.spatial import cKDTree

    k = min(4, len(position))
    distance, index = cKDTree(position).query(position, k=k)
    return float((distance[:, 1:] - radius[:, None] - radius[index[:, 1:]]).min())
