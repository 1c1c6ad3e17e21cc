"""Ways from anywhere to anywhere: which robot takes which point, and when each is where, so that none touches another or a wall.

Robots are assigned by the least sum of squared distances and go straight, all at once (Turpin, Michael, Kumar: CAPT, Int. J. Robotics
Research 33(1), 2014). Where that is too close, they go by way of knots at which they are farther apart (:mod:`.parting`). Robots that roll
turn on the spot before each leg (:mod:`.spot_turns`), so that legs stay straight. Where walls are in the way, legs come from a search
(:mod:`.among_walls`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from swarm_control.core.geometry import Array, IntArray, norm
from swarm_control.core.state import Fleet, Map
from swarm_control.formation.drive import Drive
from swarm_control.formation.forming.among_walls import Walls, open_floor, paths, shortest, steps
from swarm_control.formation.forming.assignment import squares
from swarm_control.formation.forming.driving_apart import driven_apart
from swarm_control.formation.forming.legs import Ramp, free, nearest
from swarm_control.formation.forming.parting import expanded, relaxed
from swarm_control.formation.forming.pulling_out import pulled_out
from swarm_control.formation.forming.spot_turns import SHORT, Turners
from swarm_control.formation.forming.straighten import lone_shortcuts, straightened
from swarm_control.formation.forming.timed import legs, timed
from swarm_control.formation.timetable import Timetable, UnreachableError

PAIRS = 30_000_000
"""Pushing apart may look at so many pairs on so many legs; more robots get fewer sweeps. Once there is a way, so many pairs are looked at
for a quicker one.
"""

ENOUGH = 1.05
"""Ways that take so many times as long as straight ones to the same places, without turns, are not improved on."""

ROOMIER = (0.15, 0.3, 0.5)
"""Cars try to be by so many of their turning radii farther apart while they turn: more moves in less room, or longer ways."""


@dataclass(frozen=True)
class Rearrangement:
    """``robot`` (N,): which robot, row of the start, takes each goal point; ``schedule``: places of the robots, in their own order.

    While robots turn on the spot towards their next leg, their places stand still.
    """

    robot: IntArray
    schedule: Timetable


def rearrange(
    start: Array, goal: Array, fleet: Fleet, map: Map | None = None, *, room: float, drive: Drive, robot: IntArray | None = None,
    leave: Array | None = None,
) -> Rearrangement:  # fmt: skip
    """The quickest free way found from the poses ``start`` (N, 3) to the points ``goal`` (N, 2) m, world frame.

    ``room`` (m) is what footprints are to keep from each other, and from the walls of ``map``. Robots that begin with less of it get no
    nearer, and leave at once. ``robot`` (N,): who takes each point; None: as is best. ``leave`` (N, 2): where robots will go from
    their points, to which they turn in the end. Raises
    :class:`~swarm_control.formation.timetable.UnreachableError`.
    """
    _check(start, goal, fleet)
    problem = Problem.of(start, fleet, room, drive, map)
    if problem.walls is not None:
        problem.walls.check(goal)
    best = problem.best(_in_the_open(problem, goal, robot), leave)
    if best is None and (map is not None or not problem.turners.car.any()):
        walls = problem.walls or open_floor(problem.keep, np.vstack((start[:, :2], goal)))
        best = problem.best(_among_walls(problem, walls, goal, robot), leave)
    if best is None:
        others = "each other" if map is None else "each other and from walls"
        close = ", and have the room that cars need to turn" if problem.turners.car.any() else ""
        raise UnreachableError(f"no way was found on which {len(start)} robots keep {room:g} m from {others}{close}")
    return best


@dataclass(frozen=True)
class Problem:
    """N robots at ``start`` (N, 3) that are to ``keep`` (N,) m around them: half of the room, and the footprint."""

    start: Array
    keep: Array
    turners: Turners
    walls: Walls | None

    @classmethod
    def of(cls, start: Array, fleet: Fleet, room: float, drive: Drive, map: Map | None) -> "Problem":
        """What is asked, in the terms of the search."""
        walls = None if map is None else Walls(map, fleet.radius + room)
        return cls(np.asarray(start, float), fleet.radius + 0.5 * room, Turners.of(fleet, drive), walls)

    def place(self, goal: Array, robot: IntArray) -> Array:
        """Where each robot ends, (N, 2) m; :class:`UnreachableError` if that is too near to another."""
        end = np.empty_like(goal)
        end[robot] = goal
        if len(end) > 1:
            worst = nearest(np.array([end, end]), self.keep)
            first, second = worst.first, worst.second
            far, want = norm(end[first] - end[second]), self.keep[first] + self.keep[second]
            if far < want - 1e-6:
                i, j = sorted(int(np.flatnonzero(robot == k)[0]) for k in (first, second))
                raise UnreachableError(f"points {i} and {j} of the structure are {far:.3g} m apart, {want:.3g} m wanted")
        return end

    def best(self, candidates: Iterable[tuple[IntArray, Array]], leave: Array | None) -> Rearrangement | None:
        """The quickest of several ``candidates``, each the robots (N,) that take the points, and knots (K, N, 2) m; None if there is none
        that all robots can go. The search ends with one that takes :data:`ENOUGH`, or that has looked at :data:`PAIRS`.

        ``leave`` (N, 2), directions from the points: a last leg of no length to speak of has robots turn so.
        """
        best, chosen, least = None, np.empty(0, np.int64), np.inf
        most = PAIRS // len(self.start) ** 2
        for tried, (robot, knots) in enumerate(candidates):
            if best is not None and tried >= most:
                break
            straight = Ramp.of(norm(knots[-1] - knots[0]), self.turners.limits).duration
            if not free(knots, self.keep) or (self.walls is not None and not self.walls.clear(knots)):
                continue
            if leave is not None:
                last = knots[-1].copy()
                last[robot] += 1.1 * SHORT * leave
                knots = np.concatenate((knots, last[None]))
            spare = np.full(knots.shape[:2], np.inf) if self.walls is None else self.walls.spare(knots)
            made = legs(knots, self.start[:, 2], self.turners, self.keep, spare, least)
            if made is not None and made.duration < least - 1e-9:
                best, chosen, least = made, robot, made.duration
                if least <= ENOUGH * straight:
                    break
        return None if best is None else Rearrangement(chosen, timed(best, self.turners))


def _check(start: Array, goal: Array, fleet: Fleet) -> None:
    if not len(start) == len(goal) == len(fleet):
        raise ValueError(f"{len(goal)} points and {len(start)} poses for {len(fleet)} robots; as many of each were expected")
    if not (np.isfinite(start).all() and np.isfinite(goal).all()):
        raise ValueError("every robot needs a finite pose, and every point finite coordinates")
    for model, robots in fleet.of_models:
        if not model.stops:
            raise UnreachableError(f"robot {fleet.names[robots[0]]} cannot stand: a {model.name} takes no place in a structure at rest")


def _in_the_open(problem: Problem, goal: Array, given: IntArray | None) -> Iterator[tuple[IntArray, Array]]:
    """Who takes each of the points ``goal`` (N, 2) m, those ``given`` or as is best, and knots (K, N, 2) m of free ways in the open."""
    begin, keep, cars, radius = problem.start[:, :2], problem.keep, problem.turners.car, problem.turners.radius
    robot = squares(begin, goal) if given is None else given
    end = problem.place(goal, robot)
    for knots in _ways(begin, end, keep, keep, PAIRS):
        yield robot, knots
    if cars.any():
        for more in ROOMIER:
            wider = keep + np.where(cars, more * radius, 0.0)
            for knots in expanded(begin, end, keep, wider):
                yield robot, knots
            for place in pulled_out(problem.start, keep, wider, cars):
                for knots in _ways(place, end, keep, wider, PAIRS // 20):
                    yield robot, np.concatenate((begin[None], knots))
            for out in driven_apart(problem.start, keep, wider, cars):
                taking = squares(out[-1], goal) if given is None else given
                for knots in _ways(out[-1], problem.place(goal, taking), keep, wider, PAIRS // 20):
                    yield taking, np.concatenate((out[:-1], knots))


def _ways(begin: Array, end: Array, keep: Array, wider: Array, pairs: int) -> Iterator[Array]:
    """From ``begin`` straight, by way of knots pushed apart (at most so many ``pairs``), or by expanded ones that are ``wider`` apart."""
    direct, most = np.array([begin, end]), pairs // len(begin) ** 2
    if free(direct, keep):
        yield direct
    else:
        for between in (1, 2, 4):
            made = relaxed(begin, end, keep, between, max(most // (between + 1), 10))
            if made is not None:
                yield made
    yield from expanded(begin, end, keep, wider)


def _among_walls(problem: Problem, walls: Walls, goal: Array, robot: IntArray | None) -> Iterator[tuple[IntArray, Array]]:
    """Who takes each point, and knots (K, N, 2) m of free ways round walls."""
    n, begin = len(goal), problem.start[:, :2]
    pairs = np.ones((n, n), bool)
    if robot is not None:
        pairs = np.zeros((n, n), bool)
        pairs[robot, np.arange(n)] = True
    found = paths(walls, begin, goal, pairs)
    chosen = shortest(found.length) if robot is None else robot
    end, cars = problem.place(goal, chosen), problem.turners.car
    for more in (0.0, ROOMIER[0]) if cars.any() else (0.0,):
        keep = problem.keep + np.where(cars, more * problem.turners.radius, 0.0)
        for way in steps(walls, found, begin, end, chosen, keep):
            for each in (way, lone_shortcuts(way, walls, keep)):
                yield chosen, straightened(each, walls, keep, problem.turners)
