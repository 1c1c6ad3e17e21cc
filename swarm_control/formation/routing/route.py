"""The way of a whole formation to a pose, planned beforehand: rigid where it fits, narrowed or in a column where it does not.

Candidates are made from the simplest on, and the first whose schedule is proved is taken: straight to the goal, rigid; along a path,
deformed as little as possible (:mod:`bending`); one robot after the other (:mod:`single_file`). On other routes the formation opens for
what stands in its way (:mod:`islands`), and closes behind it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from swarm_control.core.geometry import Array, norm, wrap
from swarm_control.core.state import Fleet, Map
from swarm_control.formation.drive import Drive
from swarm_control.formation.routing.along import trips
from swarm_control.formation.routing.islands import islands
from swarm_control.formation.routing.path_search import exact_map, search, way, widest
from swarm_control.formation.routing.path_smoothing import pulled, smoothed
from swarm_control.formation.routing.proof import TOLERANCE, Shortfall, tightest
from swarm_control.formation.routing.single_file import files
from swarm_control.formation.routing.task import STEP, RouteTask
from swarm_control.formation.routing.timing import derivatives, timed
from swarm_control.formation.structure import place
from swarm_control.formation.timetable import Timetable, UnreachableError

ACROSS = 4.0
"""A formation opens for what is at most so many times as far across as it reaches from its middle."""

TIGHTER = 1.05
"""A car's way may seem so much tighter than its turning circle where samples are rounded."""


@dataclass(frozen=True)
class Route:
    """A proved ``schedule``, its robots in the order of the points; ``bent``: greatest deformation, 0 rigid, 1 in a column or in a file."""

    schedule: Timetable
    bent: float


def plan_route(
    points: Array, pose: Array, goal: Array, fleet: Fleet, map: Map, *, room: float, drive: Drive, headway: float = 0.0
) -> Route:  # fmt: skip
    """The way of ``points`` (N, 2) m, structure's frame, from near ``pose`` (3,) to ``goal`` (3,); row i of ``fleet`` holds point i.

    Footprints keep ``room`` (m) from walls, exact squares of the grid, and from each other, all but a millimetre. In a column
    they keep ``headway`` (m) more, or a part of it, where it fits. Raises :class:`UnreachableError` with the reason.
    """
    task = RouteTask(np.asarray(points, float), np.asarray(pose, float), np.asarray(goal, float), fleet, map, room, drive, headway)
    _check_goal(task)
    route, short = _first(task, _candidates(task))
    if route is None:
        raise UnreachableError(_off_the_map(task) or _failed(task, short))
    return route


def plan_opening(
    points: Array, pose: Array, goal: Array, fleet: Fleet, map: Map, *, room: float, drive: Drive, headway: float = 0.0,
    within: float = np.inf,
) -> Route:  # fmt: skip
    """As :func:`plan_route`, but obstacles may pass between the robots, which takes at most ``within`` (s)."""
    task = RouteTask(np.asarray(points, float), np.asarray(pose, float), np.asarray(goal, float), fleet, map, room, drive, headway)
    _check_goal(task)
    quick = (route for route in _opened(task) if route.schedule.duration <= within)
    route = _first(task, quick)[0] if task.soonest <= within else None
    if route is None:
        raise UnreachableError("there is nothing to open for that makes a way shorter")
    return route


def _first(task: RouteTask, candidates: Iterator[Route]) -> tuple[Route | None, Shortfall | None]:
    """The first of the ``candidates`` that is proved; and where the best of those before it fell short."""
    best: Shortfall | None = None
    for route in candidates:
        short = tightest(route.schedule.place, task.fleet, task.map, task.room)
        if short.spare >= -TOLERANCE:
            return route, best
        if best is None or short.spare > best.spare:
            best = short
    return None, best


def _opened(task: RouteTask) -> Iterator[Route]:
    """Routes to be proved on which the formation opens for islands."""
    through = islands(task.map, ACROSS * task.extent) if len(task.points) > 1 else None
    if through is None:
        return
    for trip in trips(task, _trunk(replace(task, map=through.without)), through):
        if _drivable(task, trip.ways, STEP):
            yield Route(timed(trip.ways, trip.turn, STEP, task.fleet, task.drive), trip.bent)


def _candidates(task: RouteTask) -> Iterator[Route]:
    """Routes to be proved, the simplest first."""
    straight = _straight(task)
    if straight is not None and _drivable(task, straight, STEP):
        turn = np.linspace(0.0, float(wrap(task.goal[2] - task.pose[2])), len(straight))
        yield Route(timed(straight, turn, STEP, task.fleet, task.drive), 0.0)
    trunk = _trunk(task)
    for trip in trips(task, trunk):
        if _drivable(task, trip.ways, STEP):
            yield Route(timed(trip.ways, trip.turn, STEP, task.fleet, task.drive), trip.bent)
    for ways in files(task, trunk, task.widest):
        if _drivable(task, ways, STEP):
            yield Route(timed(ways, np.zeros(len(ways)), STEP, task.fleet, task.drive), 1.0)


def _straight(task: RouteTask) -> Array | None:
    """Ways (K, N, 2) m of the rigid structure straight to the goal, the short way round; None if it meets a wall."""
    begin = place(task.points, task.pose)
    if not task.free(begin):
        return None
    change = np.append(task.goal[:2] - task.pose[:2], wrap(task.goal[2] - task.pose[2]))
    far = float(norm(change[:2]) + task.extent * abs(change[2]))
    share = np.linspace(0.0, 1.0, max(int(np.ceil(far / STEP)), 1) + 1)
    ways = place(task.points, task.pose + share[:, None] * change)
    return ways if tightest(ways, task.fleet, task.map, task.room).spare >= -TOLERANCE else None


def _drivable(task: RouteTask, ways: Array, step: float) -> bool:
    """Whether cars can follow: no way bends tighter than their turning circle."""
    radius = task.tightest_turn
    if not radius.any() or len(ways) < 3:
        return True
    bound = radius > 0.0
    curvature = derivatives(ways[:, bound], step)[2]
    return bool((curvature * radius[bound] <= TIGHTER).all())


def _trunk(task: RouteTask) -> Array:
    """The short way of one robot, (P, 2) m, from the structure's place to its goal; ``UnreachableError`` if there is none."""
    resolution = task.map.grid.resolution
    middle = task.ends[int(np.argmin(norm(task.ends - task.ends.mean(axis=0))))]
    found = search(task.map, middle, task.widest, task.widest)
    for begin in (task.pose[:2], *place(task.points, task.pose)):
        path = way(found, begin, 2.0 * resolution)
        if path is not None:
            break
    else:
        raise UnreachableError(_off_the_map(task) or _closed(task, middle))
    for end, name in zip(task.ends, task.fleet.names):
        if way(found, end, 2.0 * resolution) is None:
            why = f"no way wide enough for one robot leads from the others' places to {name}'s at the goal, {_at(end)}"
            raise UnreachableError(_off_the_map(task) or why)
    path = np.vstack((path, middle))[1:] if len(path) > 1 else np.vstack((path, middle))
    return smoothed(pulled(path, task.walls, task.widest, task.keep), exact_map(task.map), (task.keep, task.keep), 0.05, 0.3, 1)


def _check_goal(task: RouteTask) -> None:
    """``UnreachableError`` unless the structure fits where it is to go."""
    apart = norm(task.ends[:, None] - task.ends) - task.pair + 1e9 * np.eye(len(task.ends))
    i, j = np.unravel_index(int(np.argmin(apart)), apart.shape)
    if apart[i, j] < -TOLERANCE:
        found, needed, names = apart[i, j] + task.pair[i, j], task.pair[i, j], task.fleet.names
        raise UnreachableError(f"{names[i]} and {names[j]} are {found:.2f} m apart in the formation, they need {needed:.2f} m")
    if not task.walls.walls:
        return
    clear = task.walls.distance(task.ends, 2.0 * task.widest)
    k = int(np.argmin(clear - task.need))
    if clear[k] < task.need[k] - TOLERANCE:
        where = "lies in a wall" if clear[k] < 1e-6 else f"is {clear[k]:.2f} m from a wall, it needs {task.need[k]:.2f} m"
        raise UnreachableError(f"{task.fleet.names[k]}'s place at the goal, {_at(task.ends[k])}, {where}")


def _off_the_map(task: RouteTask) -> str:
    """Who is to go to a place that is off the map; nothing where nobody is."""
    low_x, high_x, low_y, high_y = task.map.grid.extent
    off = (task.ends < (low_x, low_y)).any(axis=1) | (task.ends > (high_x, high_y)).any(axis=1)
    return f"{task.fleet.names[off.argmax()]}'s place at the goal, {_at(task.ends[off.argmax()])}, is off the map" if off.any() else ""


def _closed(task: RouteTask, middle: Array) -> str:
    wide, narrow = widest(task.map, task.pose[:2], middle)
    ways = f"from {_at(task.pose[:2])} to {_at(middle)}"
    if narrow is None:
        return f"there is no way {ways}: walls close it off"
    digits = next((k for k in (2, 3, 4) if f"{2.0 * wide:.{k}f}" != f"{2.0 * task.widest:.{k}f}"), 5)
    found, body = f"the widest is {2.0 * wide:.{digits}f} m wide at {_at(narrow)}", 2.0 * float(task.fleet.radius[task.need.argmax()])
    needed, beside = f"{2.0 * task.widest:.{digits}f} m are needed", f"{2.0 * task.widest - body:.{digits}f} m"
    lost = f"; as ways are planned by the map's cells, {task.map.grid.resolution:g} m, up to so much is lost" if wide >= task.widest else ""
    return f"no way {ways} is wide enough for one robot: {found}, {needed}, {beside} of it for room beside a robot of {body:g} m{lost}"


def _failed(task: RouteTask, short: Shortfall | None) -> str:
    if short is None:
        if task.tightest_turn.any():
            return f"all ways that were found bend tighter than cars turn, which need a radius of {task.tightest_turn.max():.2f} m"
        return f"one robot gets through, but near the start there are no free places for {len(task.points)} robots"
    (i, j), names = short.robots, task.fleet.names
    who = f"{names[i]} comes too near to a wall" if i == j else f"{names[i]} and {names[j]} come too near to each other"
    return f"one robot gets through, but no order of all was found: {who} at {_at(short.place)}, {-short.spare:.2g} m are lacking"


def _at(place: Array) -> str:
    return f"({place[0]:.2f}, {place[1]:.2f})"
