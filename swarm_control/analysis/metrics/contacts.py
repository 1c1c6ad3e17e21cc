"""Contacts of footprints."""

from swarm_control.analysis.metric import Measure, RunFacts, register_metric
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet, SwarmState


@register_metric("contacts", Measure("collisions", "", "contact episodes of robots with robots and walls", better="less"), order=10)
class Contacts:
    """Collisions, as the engine counts them.

    None, unknown, where no engine counts: bodies that touch do not overlap, so that whoever measures where they are, by wheels or by a
    camera, would have to do so without any error.
    """

    def __init__(self, fleet: Fleet, grid: Grid | None) -> None:
        pass

    def add(self, state: SwarmState, formation_error: float | None) -> None:
        """The engine counts."""

    def values(self, run: RunFacts) -> dict[str, int | None]:
        """Contact episodes so far."""
        return {"collisions": run.collisions}
