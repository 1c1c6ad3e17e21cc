"""What a whole swarm is to do: a director for each flock, and the parameters that hold as phases and events pass."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, norm
from swarm_control.core.grid import Grid
from swarm_control.core.ground import FreeGround
from swarm_control.core.state import HELD, Society, SwarmState
from swarm_control.runtime.director import Director
from swarm_control.runtime.mission_state import Progress
from swarm_control.runtime.orders import SwarmOrders
from swarm_control.runtime.right_of_way import RightOfWay
from swarm_control.runtime.stragglers import AHEAD
from swarm_control.scenario.groups import Controls, Squad, flocks
from swarm_control.scenario.schema import Goal, Scenario

NOBODY_SENT: Mapping[str, tuple[int, Sequence[Goal], bool]] = MappingProxyType({})
"""No flock was sent anywhere by an operator."""


def nearest_goal(targets: Array, point: Sequence[float]) -> int:
    """The number of the flock that a goal set at ``point`` (m) is for: whose present one, of ``targets`` (F, 2) m, is the nearest; the
    first where nobody has any.
    """
    away = norm(targets - np.array(point))
    return int(np.argmin(np.where(np.isfinite(away), away, np.inf)))


Visits = Mapping[int, tuple[int, int, int]]
"""Of flocks in formation, by number: goals behind them, how many there are, and how many had to be given up."""


class Mission:
    """Takes every flock from goal to goal, and the parameters from phase to phase."""

    def __init__(self, scenario: Scenario, society: Society, squads: Sequence[Squad], grid: Grid | None = None) -> None:
        self.flocks, self._squads = flocks(scenario, squads), squads
        self._robots = len(society.robot)
        self._share = np.full(self._robots, np.nan)
        self._whole = Director(replace(scenario, goals=()), society)
        ground = FreeGround(grid)
        self.directors = [Director(replace(scenario, goals=flock.goals, phases=(), events=()), None, ground) for flock in self.flocks]
        self._width = 2.0 * max((group.radius for group in scenario.robots), default=0.0)
        self._right_of_way, self._last = RightOfWay(self._robots, self._width), np.inf

    def controls(self, controls: Controls, time: float) -> Controls:
        """``controls`` with what phases and events have changed up to ``time`` (s)."""
        return self._whole.control(controls, time)

    def update(
        self, state: SwarmState, controls: Controls, visits: Visits | None = None, away: BoolArray | None = None
    ) -> SwarmOrders:  # fmt: skip
        """Look at the swarm and give orders; ``visits``: how far the flocks that keep a formation have come. Nobody waits for robots that
        are ``away`` (N,): they count as arrived.
        """
        self._whole.watch(state)
        goal, arrived, lag = np.full((self._robots, 2), np.nan), np.zeros(self._robots, bool), np.zeros(self._robots, np.int64)
        made = []
        for k, (flock, director) in enumerate(zip(self.flocks, self.directors)):
            part = state.take(flock.robots)
            if visits is not None and k in visits:
                orders = director.follow(part, *visits[k])
            else:
                orders = director.update(part, controls.of(flock.name), None if away is None else away[flock.robots])
            goal[flock.robots], arrived[flock.robots], lag[flock.robots] = orders.goal, orders.arrived, orders.lag
            self._share[flock.robots] = director.fraction if visits is not None and k in visits else orders.arrived
            made.append(orders)
        lag[self._give_way(state, goal)] = HELD
        going = [orders for orders, director in zip(made, self.directors) if director.goals]
        return SwarmOrders(goal, arrived, bool(going) and all(orders.done for orders in going), lag, tuple(made))

    def _give_way(self, state: SwarmState, goal: Array) -> list[int]:
        """Of robots of all flocks that hold each other up, one goes first: write to ``goal`` (N, 2) m where the others go back to. Returns
        who is to stand.
        """
        if state.time < self._last:
            self._right_of_way = RightOfWay(self._robots, self._width)
        self._last = state.time
        way, waited = np.full(self._robots, np.inf), np.zeros(self._robots)
        for flock, director in zip(self.flocks, self.directors):
            if held := director.stragglers.take_held():
                way[flock.robots], waited[flock.robots] = held
        self._right_of_way.look(state.time, state.position, way, waited, goal)
        return self._right_of_way.lead(state.time, state.position, AHEAD * self._width, goal)

    @property
    def fraction(self) -> float | None:
        """Share of the robots with goals that have arrived; None where nobody has goals."""
        known = [(len(flock.robots), d.fraction) for flock, d in zip(self.flocks, self.directors) if d.fraction is not None]
        return known[0][1] if len(known) == 1 else sum(n * f for n, f in known) / sum(n for n, _ in known) if known else None

    @property
    def place(self) -> str:
        """Where each flock is on its way, in words."""
        known = [(flock, director) for flock, director in zip(self.flocks, self.directors) if director.goals]
        words = (f"{f.name}: goal {d.index + 1} of {len(d.goals)}".removeprefix(": ") for f, d in known)
        return ", ".join(words) or "no goals"

    def nearest(self, x: float, y: float) -> int:
        """The number of the flock that a goal at (x, y) m is for."""
        return nearest_goal(np.array([director.target for director in self.directors]), (x, y))

    def move_goal(self, x: float, y: float) -> str:
        """Put the nearest of the present goals at (x, y) m, world frame; which one it was. A flock that had arrived sets out again."""
        chosen = self.nearest(x, y)
        self.directors[chosen].move_goal(x, y)
        return f"{self.flocks[chosen].name}: goal {self.directors[chosen].index + 1}".removeprefix(": ")

    def progress(self) -> tuple[Progress, dict[str, Progress]]:
        """How far all flocks together have come, and, where there are several, each of them and each group that goes with others (by name,
        empty for robots that have no goals of their own).
        """
        each = [director.state() for director in self.directors]
        whole = self._whole.state()
        entries = [*whole.phases]
        for flock, one in zip(self.flocks, each):
            named = f"{flock.name}: " if flock.name else ""
            entries += [replace(entry, name=f"{named}{entry.name}") for entry in one.phases]
        going = [one for one, director in zip(each, self.directors) if director.goals]
        times = [one.arrival_time for one in going if one.arrival_time is not None]
        swarm = Progress(
            each[0].goal_index, each[0].goals, bool(going) and all(one.done for one in going), self.fraction,
            max(times) if times and len(times) == len(going) else None, max((one.jam_time or 0.0 for one in going), default=None),
            sum(one.jams or 0 for one in going) if going else None, tuple(sorted(entries, key=lambda entry: entry.start)), whole.moves,
        )  # fmt: skip
        found = {flock.name: one for flock, one in zip(self.flocks, each)}
        for squad in self._squads:
            if squad.name not in found:
                share = None if found[""].arrived_fraction is None else float(self._share[squad.robots].mean())
                found[squad.name] = replace(found[""], arrived_fraction=share)
        return swarm, {} if found.keys() == {""} else found

    def resume(
        self, swarm: Progress, groups: Mapping[str, Progress], sent: Mapping[str, tuple[int, Sequence[Goal], bool]] = NOBODY_SENT,
        applied: bool = False,
    ) -> None:  # fmt: skip
        """Go on from the progress of another mission of this scenario; see :meth:`Director.resume`. ``sent``: by flock."""
        phases = tuple(entry for entry in swarm.phases if entry.kind != "goal")
        self._whole.resume(Progress(phases=phases, moves=swarm.moves), applied=applied)
        for flock, director in zip(self.flocks, self.directors):
            known = groups.get(flock.name) if groups else replace(swarm, moves=())
            if known is None:
                raise ValueError(f"a mission without the group {flock.name!r} found")
            goals = tuple(entry for entry in known.phases if entry.kind == "goal")
            director.resume(replace(known, phases=goals), sent.get(flock.name))

    def results(self) -> dict[str, Any]:
        """``arrived_fraction``, ``arrival_time`` and ``phases`` for the summary, of all flocks together."""
        return self.progress()[0].results()

    def results_of(self, group: str) -> dict[str, Any] | None:
        """The same of one group; None for one that there is not."""
        found = self.progress()[1].get(group)
        return None if found is None else found.results()
