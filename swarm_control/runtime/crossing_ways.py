"""Two formations, or parts of one, whose planned ways cross, or lead through the same gap: who goes first, and who waits where.

Each part keeps its way; only its clock may be held (path-velocity decomposition; O'Donnell & Lozano-Pérez, ICRA 1989). A pair of clocks is
a point of the parts' coordination diagram, of which pairs are free where no robot of the one is near one of the other. A part goes on as
long as from there both can still come to the end of their ways, without turning back. Where no such way is left both go on, and their
robots give way to each other as others do.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from swarm_control.core.compiled import njit
from swarm_control.core.geometry import Array, BoolArray
from swarm_control.core.state import Fleet
from swarm_control.formation.memory import FormationMemory
from swarm_control.formation.structure import members
from swarm_control.formation.way import PlannedWay
from swarm_control.runtime.structure_controller import StructureController

KNOWN = 1.0
"""Parts of which nothing has been heard for so long (s) are not waited for."""

STUCK = 10.0
"""A way on which robots get on no farther for so long (s), though it is not held, is not waited for: they are taken to stand."""

STEP, MOST, PAIRS = 0.25, 400, 1e8
"""Clocks are looked at in steps of so long (s), or longer: a way has so many of them at most, and so many pairs of robots are looked at."""

AHEAD = 3
"""Robots may be so many steps ahead of their clock, on which they come to rest."""


@dataclass(frozen=True)
class Diagram:
    """``passes`` (I, J): whether from these steps of two clocks, ``steps`` (2,) s each, both ways can be gone to their ends."""

    ways: tuple[PlannedWay, PlannedWay]
    steps: tuple[float, float]
    passes: BoolArray

    @classmethod
    def of(cls, ways: tuple[PlannedWay, PlannedWay], fleet: Fleet, room: float) -> "Diagram":
        """Of two ways, whose footprints are to keep ``room`` (m)."""
        most = min(MOST, np.sqrt(PAIRS / (len(ways[0].names) * len(ways[1].names))))
        steps = [max(STEP, way.schedule.duration / most) for way in ways]
        places = [
            way.schedule.sampled(np.arange(0.0, way.schedule.duration + step, step)) for way, step in zip(ways, steps, strict=True)
        ]  # fmt: skip
        radius = [fleet.radius[members(way.names, fleet.names)] for way in ways]
        near = ~_free(*places, *radius, room)
        for _ in range(AHEAD):
            near[:-1] |= near[1:]
            near[:, :-1] |= near[:, 1:]
        return cls(ways, (steps[0], steps[1]), _passes(~near))

    def leads_on(self, clocks: tuple[float, float]) -> bool:
        """Whether both ways can be gone to their ends from these clocks (s)."""
        i, j = self._cell(clocks, 0)
        return bool(self.passes[i, j])

    def held(self, clocks: tuple[float, float]) -> tuple[bool, bool]:
        """Which of the two is to wait at these clocks (s): the second, if it is one of them, and both can still come to their ends."""
        (i, j), (after, then) = self._cell(clocks, 0), self._cell(clocks, 1)
        first, second = bool(self.passes[after, j]), bool(self.passes[i, then])
        if not self.passes[i, j] or (first and second and self.passes[after, then]):
            return False, False
        return not first, first

    def _cell(self, clocks: tuple[float, float], ahead: int) -> tuple[int, int]:
        """The steps at which the clocks (s) are, or so many ``ahead``."""
        i, j = (min(int(clock / step) + ahead, n - 1) for clock, step, n in zip(clocks, self.steps, self.passes.shape, strict=True))
        return i, j


class Keeper(Protocol):
    """Who keeps a formation, of these ``parts``, and knows how their ways cross."""

    parts: list[StructureController]
    crossing: "CrossingWays"


class CrossingWays:
    """What is known of the ways of all parts of the formations that these ``keepers`` keep, two at a time."""

    def __init__(self, keepers: Sequence[Keeper]) -> None:
        self._keepers = keepers
        self._diagrams: dict[tuple[str, str], Diagram] = {}
        self._apart: dict[frozenset[str], bool] = {}
        self._moved: dict[str, tuple[float, float]] = {}
        self._waiting: set[str] = set()

    def under_way(self, parts: Sequence[StructureController]) -> tuple[str, ...]:
        """The robots, by name, that are on planned ways which these ``parts`` can be let past."""
        mine = {min(part.structure.names) for part in parts}
        ways = {min(part.structure.names): part.planner.way for keeper in self._keepers for part in keeper.parts}
        blocked = {name for pair, apart in self._apart.items() if not apart and mine & pair for name in pair - mine}
        return tuple(robot for name, way in ways.items() if way is not None and name not in blocked for robot in way.names)

    def held(self, parts: Sequence[StructureController], fleet: Fleet, room: float, time: float) -> list[bool]:
        """Which of the ``parts`` are to wait at ``time`` (s): of those that are on planned ways, as others are."""
        ways = self._ways(time)
        waits, stuck = dict.fromkeys(ways, False), {name for name in ways if time - self._moved[name][1] > STUCK}
        for i, j in itertools.combinations(sorted(ways), 2):
            (one, clock), (other, then) = ways[i], ways[j]
            known = self._diagrams.get((i, j))
            if known is None or known.ways[0] is not one or known.ways[1] is not other:
                known = self._diagrams[i, j] = Diagram.of((one, other), fleet, room)
            self._apart[frozenset((i, j))] = apart = known.leads_on((clock, then)) and not stuck & {i, j}
            first, second = known.held((clock, then)) if apart else (False, False)
            waits[i], waits[j] = waits[i] or first, waits[j] or second
        self._waiting = {name for name, held in waits.items() if held and not all(waits.values())}
        return [min(part.structure.names) in self._waiting for part in parts]

    def _ways(self, time: float) -> dict[str, tuple[PlannedWay, float]]:
        """The ways of parts that are on one, with their clocks (s), by the name of a robot."""
        found = {
            min(part.structure.names): (part.planner.way, part.memory.clock)
            for keeper in self._keepers for part in keeper.parts
            if part.planner.way is not None and part.memory is not None and time - part.memory.time < KNOWN
        }  # fmt: skip
        for name, (_, clock) in found.items():
            if self._moved.get(name, (np.nan, 0.0))[0] != clock or name in self._waiting:
                self._moved[name] = clock, time
        return found


def share(keepers: Sequence[Keeper]) -> None:
    """Let these, who are in one place, see to each other's ways as well."""
    crossing = CrossingWays(keepers)
    for keeper in keepers:
        keeper.crossing = crossing


def hold(part: StructureController, before: FormationMemory) -> None:
    """Have the clock of the ``part`` wait where it was ``before`` the last step."""
    part.planner.wait()
    if part.memory is not None:
        part.memory = replace(part.memory, clock=before.clock)


@njit(cache=True)
def _free(a: Array, b: Array, first: Array, second: Array, room: float) -> BoolArray:
    """At which steps (I, J) robots at ``a`` (I, N, 2) and ``b`` (J, M, 2) m, of these radii (m), keep ``room`` (m) from each other."""
    free = np.ones((len(a), len(b)), np.bool_)
    for i in range(len(a)):
        for j in range(len(b)):
            for n in range(a.shape[1]):
                for m in range(b.shape[1]):
                    need = first[n] + second[m] + room
                    x, y = a[i, n, 0] - b[j, m, 0], a[i, n, 1] - b[j, m, 1]
                    if x * x + y * y < need * need:
                        free[i, j] = False
                        break
                if not free[i, j]:
                    break
    return free


@njit(cache=True)
def _passes(free: BoolArray) -> BoolArray:
    """From which steps (I, J) one clock after the other, never back, leads through ``free`` ones to the last."""
    passes = free.copy()
    for i in range(len(free) - 1, -1, -1):
        for j in range(free.shape[1] - 1, -1, -1):
            last = i == len(free) - 1 and j == free.shape[1] - 1
            on = last or (i + 1 < len(free) and passes[i + 1, j]) or (j + 1 < free.shape[1] and passes[i, j + 1])
            passes[i, j] = free[i, j] and on
    return passes
