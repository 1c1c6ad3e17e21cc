"""Arrival at the last goal."""

from swarm_control.analysis.metric import Measure, RunFacts, register_metric
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet, SwarmState


@register_metric(
    "arrival_at_goal",
    Measure("arrived_fraction", "", "share of the robots at the last goal; once it is reached, the most since then", better="more"),
    Measure("arrival_time", "s", "when the last goal was reached", better="less"),
    order=50,
)
class ArrivalAtGoal:
    """Who arrived at the last goal, and when."""

    def __init__(self, fleet: Fleet, grid: Grid | None) -> None:
        pass

    def add(self, state: SwarmState, formation_error: float | None) -> None:
        """The mission keeps watch."""

    def values(self, run: RunFacts) -> dict[str, float | None]:
        """As the mission has it; None without goals."""
        return {"arrived_fraction": run.arrived_fraction, "arrival_time": run.arrival_time}
