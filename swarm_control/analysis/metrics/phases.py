"""The stages of a run."""

from typing import Any

from swarm_control.analysis.metric import Measure, RunFacts, register_metric
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet, SwarmState


@register_metric(
    "phases",
    Measure("phases", "", "goals, phases and events: name, start and end (s) of each"),
    Measure("jam_time", "s", "for how long a robot that was on its way to a goal did not get on; null without goals", better="less"),
    Measure("jams", "", "how often a robot on its way stood for 5 s or went round and round; null without goals", better="less"),
    order=70,
)
class Phases:
    """What the run was made of: goals, phases, events, jams."""

    def __init__(self, fleet: Fleet, grid: Grid | None) -> None:
        pass

    def add(self, state: SwarmState, formation_error: float | None) -> None:
        """The mission keeps watch."""

    def values(self, run: RunFacts) -> dict[str, Any]:
        """As the mission has it."""
        return {"phases": run.phases, "jam_time": run.jam_time, "jams": run.jams}
