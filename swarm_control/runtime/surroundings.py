"""What the robots know besides their neighbours: goals, groups, the map and the ways on it, how their kinds answer."""

from functools import cached_property, partial

from swarm_control.core.fields import make_map
from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid
from swarm_control.core.motion import Motion, gains, leads
from swarm_control.core.routes import Routes
from swarm_control.core.state import Fleet, Map, Society, Surroundings
from swarm_control.runtime.orders import Orders
from swarm_control.scenario.schema import Control


class MapReader:
    """What a squad knows: the map and all that its behaviours have made of it, each thing computed when it is first asked for."""

    def __init__(self, fleet: Fleet, grid: Grid | None, society: Society | None = None) -> None:
        self.fleet = fleet
        self.society = society
        self.grid = grid
        self._gains: tuple[Motion, float, Array] | None = None
        self._lead: tuple[Motion, Array | None] | None = None

    def surroundings(self, orders: Orders, control: Control) -> Surroundings:
        """What the robots know besides their neighbours."""
        return Surroundings(
            self.fleet, orders.goal, orders.target, self.map, self.society, gains=partial(self._answer, control.motion, control.period),
            route=None if self._routes is None else self._routes.direction, lag=orders.lag,
            limited=bool(control.perception.changed), lead=self._leads(control.motion), gain=control.accumulation.gain,
        )  # fmt: skip

    @cached_property
    def map(self) -> Map | None:
        """The map; None in open space. Each squad has its own: squads with different goals do not make one another forget their ways."""
        return None if self.grid is None else make_map(self.grid)

    @cached_property
    def _routes(self) -> Routes | None:
        return None if self.map is None else Routes(self.map, float(self.fleet.radius.max(initial=0.0)))

    def _answer(self, motion: Motion, period: float) -> Array:
        """How the robots' kinds answer in a group, see :func:`~swarm_control.core.motion.gains`; the last table is kept."""
        if self._gains is None or self._gains[:2] != (motion, period):
            self._gains = motion, period, gains(self.fleet, motion, period)
        return self._gains[2]

    def _leads(self, motion: Motion) -> Array | None:
        """How far the robots' control points are ahead, see :func:`~swarm_control.core.motion.leads`; the last array is kept."""
        if self._lead is None or self._lead[0] != motion:
            self._lead = motion, leads(self.fleet, motion)
        return self._lead[1]
