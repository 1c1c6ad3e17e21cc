"""A design's scenario, run: where its robots are in the end."""

from pathlib import Path

from swarm_control.core.geometry import Array


def end_of(scenario: Path, seed: int) -> tuple[Array, int]:
    """Where the robots of a ``scenario`` with ``seed`` are at its end, (N, 2) m, and how many collisions there were."""
    from swarm_control.analysis.simulation import Simulation

    simulation = Simulation(scenario, seed=seed)
    simulation.run()
    return simulation.state.position, int(simulation.metrics()["collisions"])
