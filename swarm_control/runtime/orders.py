"""What directors want of their flocks, and of the whole swarm."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.scenario.groups import Flock


@dataclass(frozen=True)
class Orders:
    """What the director wants now: ``goal`` (N, 2) m per robot, NaN for those that feel no urge, around ``target`` (2,) m, NaN when
    there is no goal; world frame. ``arrived`` (N,): who is at the present goal. ``done``: the last goal has been reached. ``lag`` (N,):
    how far stragglers do, as in ``Surroundings``.
    """

    goal: Array
    target: Array
    goal_index: int
    arrived: BoolArray
    done: bool
    lag: IntArray


@dataclass(frozen=True)
class SwarmOrders:
    """The orders of all flocks together: ``goal`` (N, 2) m of each robot, ``arrived`` (N,), ``done``: all flocks are; ``lag`` (N,); and
    ``of`` each.
    """

    goal: Array
    arrived: BoolArray
    done: bool
    lag: IntArray
    of: tuple[Orders, ...]

    def table(self, flocks: Sequence[Flock]) -> tuple[Array, IntArray, Array, IntArray, IntArray]:
        """``goal`` (N, 2), ``lag`` (N,), each flock's target (F, 2) m and the number of its goal (F,), and whose robot each is (N,)."""
        owner = np.zeros(len(self.goal), np.int64)
        for number, flock in enumerate(flocks):
            owner[flock.robots] = number
        target, index = np.array([one.target for one in self.of]), np.array([one.goal_index for one in self.of], np.int64)
        return self.goal, self.lag, target, index, owner


def orders_from(goal: Array, lag: IntArray, target: Array, index: IntArray) -> SwarmOrders:
    """Orders as nodes hear them: ``goal`` (N, 2) m of each robot, how they ``lag`` (N,), and of each flock its ``target`` (F, 2) m and
    number ``index`` (F,).
    """
    nobody = np.zeros(len(goal), bool)
    each = tuple(Orders(goal, place, int(number), nobody, False, lag) for place, number in zip(target, index))
    return SwarmOrders(goal, nobody, False, lag, each)


def no_orders(robots: int, flocks: int) -> SwarmOrders:
    """Nobody has anywhere to go."""
    nowhere = np.full((robots, 2), np.nan), np.full((flocks, 2), np.nan)
    return orders_from(nowhere[0], np.zeros(robots, np.int64), nowhere[1], np.zeros(flocks, np.int64))
