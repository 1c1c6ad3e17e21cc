"""Whose goals are next: the goals of a run in their order, dealt to the whole formation or to its parts."""

import itertools
from collections.abc import Sequence

from swarm_control.scenario.schema import Goal


class Agenda:
    """The list ``goals`` and how many of them, counting every round, are ``behind`` the formation: reached, or given up, ``missed``.

    Goals in a row that name a part are for a formation that has split, the others for the whole. A list without parts is the whole's;
    it goes on with it where it was when it is one again. ``sent``: an operator has put a goal in the place of all.
    """

    def __init__(self, goals: Sequence[Goal]) -> None:
        self.goals = list(goals)
        self.dealt = any(goal.part for goal in goals)
        self.behind = self.missed = 0
        self.sent = False

    def send(self, goal: Goal, behind: int) -> None:
        """Only ``goal`` is left, after so many that are ``behind`` the formation; all rounds are over with it."""
        self.goals, self.dealt, self.sent, self.behind, self.missed = [goal] * (behind + 1), False, True, behind, 0

    def rounds(self, repeat: int) -> int:
        """How often the list is gone through: ``repeat`` times, unless it counts every round itself."""
        return 1 if self.sent else repeat

    def deal(self, split: bool, count: int, repeat: int, first: bool = False) -> list[list[Goal]]:
        """Goals of ``count`` structures from here on, of all ``repeat`` rounds.

        Those of the other kind that would be next are given up, unless this is the ``first`` deal: then they are waited for. A list
        without parts is handed out itself, one round of it.
        """
        if not self.dealt:
            return [[] for _ in range(count)] if split else [self.goals]
        left = (self.goals * self.rounds(repeat))[self.behind :]
        kind = [goal.part > 0 for goal in left]
        if split and not any(kind):
            return [[] for _ in range(count)]
        skip = 0 if first else kind.index(split) if split in kind else len(kind)
        self.behind, self.missed = self.behind + skip, self.missed + skip
        run = list(itertools.takewhile(lambda goal: (goal.part > 0) == split, left[skip:]))
        return [[goal for goal in run if goal.part == k + split] for k in range(count)]
