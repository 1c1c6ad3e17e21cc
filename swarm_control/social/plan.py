"""What the forces of a tick take from parameters and groups alone: made once, and not again until these change."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.state import Society
from swarm_control.social.alike import numbers
from swarm_control.social.laws import Law
from swarm_control.social.moves import Move, moved
from swarm_control.social.summation import by_tree
from swarm_control.social.table import LawTable, law_table

plain = lru_cache(maxsize=8)(Society.plain)
"""The same society for the same number of robots."""


@dataclass(frozen=True)
class LawPlan:
    """Who feels what of whom.

    ``society``: the groups, after all moves; ``kind`` (N + M,) of robots and then landmarks; ``feel`` (F,): numbers of the robots that do
    not lead; ``turns``: laws by the angle (rad) that their forces are turned by; ``alike``: for
    :func:`~swarm_control.social.alike.resultant`, None where that does not apply.
    """

    society: Society
    kind: IntArray
    feel: IntArray
    turns: tuple[tuple[float, LawTable], ...]
    alike: Array | None


def make_plan(
    society: Society, laws: Sequence[Law], moves: Sequence[Move], core: float, threshold: float, method: str
) -> LawPlan:  # fmt: skip
    """Plan for robots and landmarks of a ``society`` after ``moves``; the other parameters are those of the behaviour ``social``."""
    society = moved(society, moves)
    angles = dict.fromkeys(law.turn for law in laws)
    turns = tuple((np.deg2rad(turn), law_table(tuple(law for law in laws if law.turn == turn), society.kinds)) for turn in angles)
    robots = len(society.robot)
    few = not by_tree(method, robots, robots // 4)  # looked at once, four times as many pairs take as long as a tree
    one = few and list(angles) == [0.0] and not len(society.landmark) and not society.leads.any()
    return LawPlan(
        society, np.concatenate((society.robot, society.landmark_kind)), np.flatnonzero(~society.leads), turns,
        numbers(turns[0][1], core, threshold) if one else None,
    )  # fmt: skip
