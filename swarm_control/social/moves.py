"""Landmarks that change their groups during a run, as a mine that has become safe does."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from swarm_control.core.parameters import param
from swarm_control.core.state import Society


@dataclass(frozen=True)
class Move:
    """A landmark is in other groups than at the start. ``ValueError`` without a group."""

    landmark: int = param(0, "number of the landmark, from 0, in the scenario's order", low=0, high=10**7)
    group: str = param("", "groups that it is in, with commas between")

    def __post_init__(self) -> None:
        if not all(name.strip() for name in self.group.split(",")):
            raise ValueError(f"group: {self.group!r} found, expected names of groups with commas between")

    @property
    def groups(self) -> frozenset[str]:
        """The groups that it is in."""
        return frozenset(name.strip() for name in self.group.split(","))


def moved(society: Society, moves: Sequence[Move]) -> Society:
    """The ``society`` after these ``moves``, in their order; those of landmarks that there are not have no effect."""
    if not moves:
        return society
    kinds, landmark_kind = list(society.kinds), society.landmark_kind.copy()
    for move in moves:
        if move.groups not in kinds:
            kinds.append(move.groups)
        if move.landmark < len(landmark_kind):
            landmark_kind[move.landmark] = kinds.index(move.groups)
    return replace(society, kinds=tuple(kinds), landmark_kind=landmark_kind)
