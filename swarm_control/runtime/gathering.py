"""How a flock gathers at its goal: within which radius robots have arrived, and where its leaders go."""

from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, norm
from swarm_control.core.ground import HEXAGON, FreeGround, places_around
from swarm_control.core.state import SwarmState
from swarm_control.scenario.schema import Control, Goal

LEADERS_APART = 0.5
"""Subgoals are apart by this share of the flock's spacing, so that there is room for the others around them; and by two footprints."""

NARROW = 2.0
"""A flock that has room on one side of ways narrower than so many widths gathers on that side: who is before a door has not arrived."""

TIGHT = 1.1
"""It has room where robots fit that are so many widths apart."""


class Gathering:
    """Room for a flock of robots whose footprints have the radius ``body`` (m) on the ``ground`` around its goals."""

    def __init__(self, ground: FreeGround, body: float) -> None:
        self.ground = ground
        self._body = body
        self._clearance = NARROW * body
        self._radius: tuple[Any, float] = (None, 0.0)
        self._hall: tuple[Any, int] = (None, 0)
        self._points: tuple[Any, Array] = (None, np.empty((0, 2)))
        self._been: tuple[Any, BoolArray] = (None, np.empty(0, bool))

    def radius(self, goal: Goal, control: Control, robots: int) -> float:
        """Radius (m) within which robots have arrived at ``goal``: its own, or room for the whole flock; of places for each: the goal's.

        A disc of n robots packed hexagonally at distance D has the radius ``D·√(n·√3/(2π))``; ``arrival_room`` times as much, and more
        where walls take of it.
        """
        if goal.arrival_radius > 0.0 or goal.each:
            return goal.arrival_radius or goal.radius
        spacing = control.separation.spacing(self.ground.area, robots, self._body)
        key = goal.position, goal.arrival_room, spacing, robots
        if self._radius[0] != key:
            area = goal.arrival_room**2 * HEXAGON * spacing**2 * robots
            hall = self._hall_of(goal, robots)
            self._radius = key, max(goal.radius, self.ground.radius(np.array(goal.position), area, hall, self._clearance))
        return self._radius[1]

    def _hall_of(self, goal: Goal, robots: int) -> int:
        """The number of the hall in which the flock gathers at ``goal``; 0 where none has room for it."""
        key = goal.position, robots
        if self._hall[0] != key:
            area = HEXAGON * (TIGHT * 2.0 * self._body) ** 2 * robots
            self._hall = key, self.ground.hall(np.array(goal.position), self._clearance, area)
        return self._hall[1]

    def subgoals(self, goal: Goal, control: Control, robots: int) -> Array:
        """Where the leaders of the flock go (K, 2) m: on the goal's circle, and around it when that is full."""
        count = control.leaders.number(robots)
        apart = max(LEADERS_APART * control.separation.spacing(self.ground.area, robots, self._body), 4.0 * self._body)
        within = self.radius(goal, control, robots) - self._body
        key = goal.position, goal.radius, count, apart, within
        if self._points[0] != key:
            target, room = np.array(goal.position), 1.5 * self._body
            self._points = key, places_around(target, goal.radius, count, apart, self.ground, room, within)
        return self._points[1]

    def arrived(self, goal: Goal, state: SwarmState, control: Control, away: BoolArray | None = None) -> BoolArray:
        """Which robots (N,) are at ``goal``, or ``away``; within the room for a flock, but in another room than the goal, or
        in another hall if there is room for all of them in the goal's, nobody is.
        """
        place = places_of(goal, len(state)) if goal.each else np.array(goal.position)
        there = np.asarray((norm(state.position - place) <= self.radius(goal, control, len(state))) & state.valid)
        if not goal.each and there.any():
            there[there] = self.inside(goal, state.position[there], len(state))
        return there if away is None else there | away

    def urge_back(self, goal: Goal, arrived: BoolArray, urged: Array) -> None:
        """Urge whom the others have pushed out of the room at the ``goal`` back: write to ``urged`` (N, 2) m, NaN where nobody is urged.

        ``arrived`` (N,): who is in it.
        """
        key = goal.position, len(arrived)
        been = self._been[1] if self._been[0] == key else np.zeros(len(arrived), bool)
        urged[been & ~arrived & np.isnan(urged[:, 0])] = goal.position
        self._been = key, been | arrived

    def inside(self, goal: Goal, places: Array, robots: int) -> BoolArray:
        """Which ``places`` (n, 2) m, within the radius at which so many robots arrive at a common ``goal``, are on its side of walls."""
        if goal.arrival_radius > 0.0:
            return np.ones(len(places), bool)
        joined = self.ground.joined(np.array(goal.position), places, self._body)
        return joined & self.ground.in_hall(places, self._hall_of(goal, robots), self._clearance)


def places_of(goal: Goal, robots: int) -> Array:
    """The place of each robot (n, 2) m, world frame, at a goal that has one for each, or that is one robot's."""
    return np.array(goal.each or goal.position).reshape(-1, 2)[:robots]
