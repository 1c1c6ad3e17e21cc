"""What squads with parameters of their own made of one swarm, put together: each robot's row is that of its squad."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from swarm_control.core.behaviour import BEHAVIOURS
from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.state import Accumulated, Neighbourhoods, Requests

Rows = TypeVar("Rows", bound=NDArray[Any])


class Members(Protocol):
    """Anything that has ``robots`` (indices): a squad, or its part of a tick."""

    @property
    def robots(self) -> IntArray: ...  # noqa: D102


def merge_rows(parts: Sequence[Rows], squads: Sequence[Members]) -> Rows:
    """Of arrays (N, …), each squad's rows of its own."""
    if len(parts) == 1:
        return parts[0]
    made = parts[0].copy()
    for part, squad in zip(parts, squads):
        made[squad.robots] = part[squad.robots]
    return made


def merge_seen(parts: Sequence[Neighbourhoods], squads: Sequence[Members]) -> Neighbourhoods:
    """Whom each robot perceives with the senses of its squad."""
    if len(parts) == 1:
        return parts[0]
    n = len(parts[0].start) - 1
    count = np.zeros(n, np.int64)
    for part, squad in zip(parts, squads):
        count[squad.robots] = part.count[squad.robots]
    start = np.concatenate(([0], np.cumsum(count)))
    made = Neighbourhoods(
        start, np.empty(start[-1], np.int64), np.empty((start[-1], 2)), np.empty((start[-1], 2)), np.empty(start[-1])
    )  # fmt: skip
    for part, squad in zip(parts, squads):
        mine = np.isin(part.owner, squad.robots)
        place = start[part.owner[mine]] + np.flatnonzero(mine) - part.start[part.owner[mine]]
        made.index[place], made.offset[place] = part.index[mine], part.offset[mine]
        made.velocity[place], made.distance[place] = part.velocity[mine], part.distance[mine]
    return made


def merge_requests(parts: Sequence[Requests], squads: Sequence[Members]) -> Requests:
    """What every behaviour of any squad requests; zero for robots whose squad does not have it."""
    if len(parts) == 1:
        return parts[0]
    names = _names([part.names for part in parts])
    return Requests(names, _stack(names, [(part.names, part.acceleration) for part in parts], squads))


def merge_accumulated(parts: Sequence[Accumulated], squads: Sequence[Members]) -> Accumulated:
    """What each robot gets of it."""
    if len(parts) == 1:
        return parts[0]
    names = _names([part.names for part in parts])
    share = _stack(names, [(part.names, part.share) for part in parts], squads)
    return Accumulated(names, merge_rows([part.total for part in parts], squads), share)


def _names(each: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """In the order of the registry."""
    used = {name for names in each for name in names}
    return tuple(name for name in BEHAVIOURS if name in used)


def _stack(names: tuple[str, ...], parts: Sequence[tuple[tuple[str, ...], Array]], squads: Sequence[Members]) -> Array:
    made = np.zeros((len(names), *parts[0][1].shape[1:]))
    for (own, values), squad in zip(parts, squads):
        for name, row in zip(own, values):
            made[names.index(name), squad.robots] = row[squad.robots]
    return made
