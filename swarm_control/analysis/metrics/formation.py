"""How well formations are kept."""

from swarm_control.analysis.metric import Measure, RunFacts, register_metric
from swarm_control.analysis.moments import Moments
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet, SwarmState


@register_metric(
    "formation",
    Measure("formation_error_mean", "m", "distance of robots from their places in the formation, mean over time", better="less"),
    Measure("formation_error_std", "m", "its standard deviation over time", better="less"),
    Measure("formation_error_max", "m", "its greatest value", better="less"),
    order=60,
)
class FormationError:
    """How far robots were from their places in the formation."""

    def __init__(self, fleet: Fleet, grid: Grid | None) -> None:
        self._error = Moments()

    def add(self, state: SwarmState, formation_error: float | None) -> None:
        """Take note of ticks in formation."""
        if formation_error is not None:
            self._error.add(formation_error)

    def values(self, run: RunFacts) -> dict[str, float | None]:
        """Over all ticks in formation; None without any."""
        error = self._error
        return {"formation_error_mean": error.mean, "formation_error_std": error.std, "formation_error_max": error.most}
