"""The structures of a formation's parts: first, and when it splits or merges."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.core.state import Fleet, Map, SwarmState
from swarm_control.formation.design import Change, Design, impose, reconfigure
from swarm_control.formation.memory import FormationMemory
from swarm_control.formation.parameters import FormationParameters
from swarm_control.formation.structure import Structure, members
from swarm_control.formation.walls import near_walls
from swarm_control.runtime.side_by_side import side_by_side
from swarm_control.runtime.structure_controller import StructureController
from swarm_control.runtime.terms import room_of
from swarm_control.safety.separation_filter import SeparationFilter
from swarm_control.scenario.schema import Goal


@dataclass(frozen=True)
class Wanted:
    """What the parameters say of members and ``shape``, and of the ``split``."""

    shape: tuple[object, ...] = ()
    split: tuple[float, ...] = ()

    @classmethod
    def of(cls, params: FormationParameters) -> "Wanted":
        """What these parameters say."""
        return cls((params.members, params.shape, params.spacing, params.points), params.split)


def sorted_out(
    asked: Sequence[Design], state: SwarmState, fleet: Fleet, params: FormationParameters, map: Map | None, filter: SeparationFilter,
    goals: Sequence[Goal],
) -> Structure | None:  # fmt: skip
    """The first structure, of all the parts ``asked`` for, where their robots are among each other: they take their places together, and
    are parts after that. None where each part can see to itself, and where walls leave no room for them side by side.
    """
    if len(asked) < 2 or not params.plan.enabled or any(design.points is None for design in asked):
        return None
    parts = [impose(design, state.position[members(design.names, fleet.names)]) for design in asked]
    gap = max(room_of(part, fleet, params, filter)[0] for part in parts)
    radius = float(fleet.radius.max())

    def clear(points: Array) -> bool:
        return map is None or bool((near_walls(map, points)[0] >= radius + gap).all())

    return side_by_side(parts, state.position, fleet.names, goals, max(params.spacing, 2.0 * radius + gap), clear)


def settled(part: StructureController) -> bool:
    """Whether the robots of a structure have taken their places, or cannot."""
    return bool(part.problem) or (part.planner.formed and part.planner.way is None)


def regrouped(
    asked: Design, parts: Sequence[StructureController], names: tuple[str, ...], state: SwarmState, keep: bool
) -> tuple[Change, FormationMemory | None]:  # fmt: skip
    """The structure ``asked`` for, made of those ``parts`` that have its robots now, and what they remember.

    ``names``: of the fleet. ``keep``: robots that come out of one structure keep the points that they have there.
    """
    sources = [part for part in parts if not set(asked.names).isdisjoint(part.structure.names)]
    if not sources:
        structure = impose(asked, state.position[members(asked.names, names)])
        return Change(structure, structure.points), None
    memory = _joined(sources)
    if keep and len(sources) == 1:
        structure = _only(sources[0].structure, asked.names)
        return Change(structure, structure.points), memory
    whole = reduce(Structure.merge, (part.structure for part in sources))
    return reconfigure(asked, whole, names, state.position), memory


def _only(structure: Structure, names: tuple[str, ...]) -> Structure:
    """The part of the structure that these robots make, around its own middle."""
    chosen = tuple(name for name in structure.names if name in names)
    return (structure if len(chosen) == len(structure) else structure.split(chosen)[0]).centred()


def _joined(parts: list[StructureController]) -> FormationMemory | None:
    """What the robots of several structures remember when they become one: it moves on at their mean velocity."""
    memories = [part.memory for part in parts]
    if any(memory is None for memory in memories):
        return None
    size = np.array([len(part.structure) for part in parts], float)
    velocity = size @ np.array([memory.velocity for memory in memories if memory is not None]) / size.sum()
    return None if memories[0] is None else replace(memories[0], velocity=velocity)
