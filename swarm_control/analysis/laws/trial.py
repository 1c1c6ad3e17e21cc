"""A design's scenario, run: where its robots are in the end."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from swarm_control.core.geometry import Array


def end_of(scenario: Path, seed: int, changes: Mapping[str, Any] | None = None) -> tuple[Array, int]:
    """Where the robots of a ``scenario`` with ``seed`` are at its end, (N, 2) m, and how many collisions there were.

    ``changes``: dotted name → value, as of :class:`~swarm_control.analysis.simulation.Simulation`.
    """
    from swarm_control.analysis.simulation import Simulation

    simulation = Simulation(scenario, seed=seed, set=changes)
    simulation.run()
    return simulation.state.position, int(simulation.metrics()["collisions"])
