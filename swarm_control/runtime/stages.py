"""The stages of a tick that remember something from one tick to the next. The nodes run one each, the controller all of them.

Each serves the whole swarm, squad by squad where groups have parameters of their own; with one squad it is what ``core`` does.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from swarm_control.core.grid import Grid
from swarm_control.core.merge import merge_seen
from swarm_control.core.perception import DelayBuffer, Perception, perceive
from swarm_control.core.pipeline import FormationLaw, Part
from swarm_control.core.state import Fleet, Map, Neighbourhoods, SwarmState
from swarm_control.runtime.orders import SwarmOrders
from swarm_control.runtime.surroundings import MapReader
from swarm_control.scenario.groups import Controls, Flock, Squad
from swarm_control.scenario.setup import Setup


class PerceptionStage:
    """From the robots' states to whom each of them perceives; ``seed`` is that of noise and losses.

    Squads with the same senses perceive together: what is random is the same as if they were one.
    """

    def __init__(self, fleet: Fleet, squads: tuple[Squad, ...], seed: int) -> None:
        self._fleet, self._squads = fleet, squads
        self._rng = np.random.default_rng([seed, 2])
        self._past = [DelayBuffer() for _ in squads]

    def __call__(self, state: SwarmState, controls: Controls, grid: Grid | None) -> Neighbourhoods:
        """Whom each robot perceives; ``grid``: the map, whose walls may hide others."""
        senses = [controls.of(squad.name).perception for squad in self._squads]
        pasts = [buffer.recall(state, params.delay) for buffer, params in zip(self._past, senses)]
        seen: dict[Perception, Neighbourhoods] = {}
        for params, past in zip(senses, pasts):
            if params not in seen:
                seen[params] = perceive(state, params, self._rng, self._fleet.radius, past, grid)
        return next(iter(seen.values())) if len(seen) == 1 else merge_seen([seen[params] for params in senses], self._squads)


class Knowledge:
    """What the robots know besides their neighbours: the map's fields, goals, groups, each squad by its own parameters.

    ``grid``: the map. ``flock``: the number of each squad's flock.
    """

    def __init__(self, setup: Setup, squads: tuple[Squad, ...], flocks: tuple[Flock, ...], grid: Grid | None) -> None:
        self._squads = squads
        self.grid = grid
        self._readers = [MapReader(setup.fleet, grid, setup.society) for _ in squads]
        self.flock = [next(k for k, flock in enumerate(flocks) if number in flock.squads) for number in range(len(squads))]
        self._squad = None
        if len(squads) > 1:
            self._squad = np.empty(len(setup.fleet), np.int64)
            for number, squad in enumerate(squads):
                self._squad[squad.robots] = number

    def parts(
        self, orders: SwarmOrders, controls: Controls, laws: Mapping[int, FormationLaw] = MappingProxyType({}),
        swarm: SwarmState | None = None,
    ) -> tuple[Part, ...]:  # fmt: skip
        """The squads in a tick. ``laws``: how flocks (numbers) keep their formations. ``swarm``: everybody, where that is known."""
        found = []
        for squad, reader, flock in zip(self._squads, self._readers, self.flock):
            control = controls.of(squad.name)
            around = reader.surroundings(replace(orders.of[flock], goal=orders.goal, lag=orders.lag), control)
            if self._squad is not None or swarm is not None:
                around = replace(around, squad=self._squad, swarm=swarm)
            found.append(Part(squad.robots, control, around, laws.get(flock)))
        return tuple(found)

    def map(self, number: int) -> Map | None:
        """The map as squad ``number`` reads it."""
        return self._readers[number].map
