"""What a formation plans before it goes: how robots take their places, and the way of all of them through the map."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from swarm_control.core.geometry import Array, IntArray, norm, wrap
from swarm_control.core.state import Fleet, Map
from swarm_control.formation.fit import Fit, fit
from swarm_control.formation.forming.rearrange import rearrange
from swarm_control.formation.routing.proof import TOLERANCE
from swarm_control.formation.routing.route import Route, plan_opening, plan_route
from swarm_control.formation.structure import Structure, members, place
from swarm_control.formation.timetable import Timetable, UnreachableError, standing
from swarm_control.formation.walls import near_walls
from swarm_control.formation.way import PlannedWay
from swarm_control.runtime.pacing import following_gap, paced
from swarm_control.runtime.terms import Terms, narrowest

PLACED = 0.02
"""Robots that are this near (m) to their places have taken them."""

MORE_ROOM = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of the gap in which robots follow each other that a plan leaves between them besides, where the separation filter slows it."""

SLOWED = 1.2
"""A plan that the filter makes so many times as long is made again with more room."""

HINDERED = 1.5
"""A formation whose way the filter makes so many times as long, as its robots are near each other, is told so."""

FEW = 30
"""So many robots at most: plans of more take long."""

SQUARED, MOMENTS = Fit(), 100
"""How far robots are off the formation is looked at at so many moments of their way."""

WORTH = 0.8
"""A formation opens for an obstacle where it then takes at most this share of the time, or up to all of it if that deforms it less."""


@dataclass(frozen=True)
class Journey:
    """A ``structure`` whose points the robots may have dealt anew, and the ``way`` on which they go.

    The filter makes it ``slowed`` times as long. On a route the formation is deformed by up to ``bent``, and robots are off it by ``off``
    (m) in the mean.
    """

    structure: Structure
    way: PlannedWay
    slowed: float
    bent: float = 0.0
    off: float = 0.0


def form(structure: Structure, pose: Array, terms: Terms) -> Journey | None:
    """The ways of robots at ``pose`` (M, 3), in the order of the structure's names, to its points; None where they are there.

    Raises ``UnreachableError`` where there are none.
    """
    return _led(structure, pose, standing(structure.world), terms, PLACED, dealt=True)


def lead(
    structure: Structure, pose: Array, goal: Array, terms: Terms, straight: bool = True, dealt: bool = False
) -> Journey | None:  # fmt: skip
    """The ways to a structure at ``goal`` (3,), through the map; None where the rigid structure can go ``straight``, if it may. A close one
    had better have its ways planned, at a speed that the separation filter permits.

    Robots that can neither glide nor turn on the spot cannot follow a rigid structure just anywhere: each goes to its place at the goal by
    itself. ``dealt``: the places may be dealt anew, as nobody has taken one yet. Raises ``UnreachableError`` where there is no way, with
    the reason.
    """
    fleet = terms.fleet.take(members(structure.names, terms.fleet.names))
    bound = fleet.column(lambda model: model.rolls and not model.turns_in_place).any()
    free = straight and straight_is_free(structure, goal, fleet, terms)
    if terms.map is not None and (not free or _close(structure, fleet, terms)):
        for room in sorted({terms.room, terms.least}, reverse=True):
            try:
                return _told(_routed(structure, pose, goal, fleet, terms.map, replace(terms, room=room)), structure, fleet, terms)
            except UnreachableError:
                if not free and room == terms.least:
                    raise
    return _led(structure, pose, standing(place(structure.points, goal)), terms, PLACED, dealt) if bound or not straight else None


def _told(journey: Journey | None, structure: Structure, fleet: Fleet, terms: Terms) -> Journey | None:
    """The ``journey``, about which a line says by how much it is slower than it might be with more room between the robots."""
    if journey is not None and journey.slowed >= HINDERED and _close(structure, fleet, terms):
        has = narrowest(structure, terms.fleet)
        enough = terms.filter.room + following_gap(fleet, terms.drive, terms.filter, terms.period)
        warnings.warn(
            f"the separation filter makes the formation's way {journey.slowed:.1f} times as long: its robots are {has:.2f} m apart, "
            f"and from {enough:.2f} m on they may follow each other at full speed", RuntimeWarning, stacklevel=2,
        )  # fmt: skip
    return journey


def _close(structure: Structure, fleet: Fleet, terms: Terms) -> bool:
    """Whether two robots are so near each other in the structure that the filter lets one not follow the other at full speed: it would slow
    the one in one direction only, and the structure would stray from its straight way.
    """
    gap = following_gap(fleet, terms.drive, terms.filter, terms.period)
    return gap > 0.0 and narrowest(structure, terms.fleet) < terms.filter.room + gap


def _routed(structure: Structure, pose: Array, goal: Array, fleet: Fleet, map: Map, terms: Terms) -> Journey | None:
    """The ways through the map, on which the formation opens for obstacles where that is worth it."""
    given = (structure, pose, goal, fleet, map, terms)
    if not terms.opens:
        return _quickest(plan_route, *given)
    try:
        together = _quickest(plan_route, *given)
    except UnreachableError as refusal:
        try:
            return _quickest(plan_opening, *given)
        except UnreachableError:
            raise refusal from None
    if together is None:
        return None
    within = (WORTH + (1.0 - WORTH) * together.bent) * together.way.schedule.duration
    try:
        opened = _quickest(partial(plan_opening, within=within), *given)
    except UnreachableError:
        return together
    if opened is None or opened.way.schedule.duration > within:
        return together
    saves = opened.way.schedule.duration <= WORTH * together.way.schedule.duration
    return opened if saves or opened.off < together.off else together


def _quickest(
    plan: Callable[..., Route], structure: Structure, pose: Array, goal: Array, fleet: Fleet, map: Map, terms: Terms
) -> Journey | None:  # fmt: skip
    """The quickest ways of those with more or less room, as the filter slows robots that are near each other."""
    best: Journey | None = None
    headway = following_gap(fleet, terms.drive, terms.filter, terms.period)
    for share in MORE_ROOM if headway > 0.0 and len(structure) <= FEW else MORE_ROOM[:1]:
        room = terms.room + share * headway
        try:
            route = plan(structure.points, structure.pose, goal, fleet, map, room=room, drive=terms.drive, headway=headway)
            made = _led(structure, pose, route.schedule, terms, 0.0)
        except UnreachableError:
            if best is None:
                raise
            break
        if made is None:
            return None
        if best is None or made.way.schedule.duration < best.way.schedule.duration:
            best = replace(made, bent=route.bent, off=_off(structure.points, route.schedule))
        if made.slowed < SLOWED:
            break
    return best


def _off(points: Array, schedule: Timetable) -> float:
    """How far (m) robots on the ``schedule`` are in the mean from the ``points`` (N, 2) m of the rigid structure fitted to them."""
    places = schedule.sampled(np.linspace(0.0, schedule.duration, MOMENTS))
    return float(np.mean([fit(points, place, np.ones(len(points)), np.zeros(3), SQUARED).error for place in places]))


def straight_is_free(structure: Structure, goal: Array, fleet: Fleet, terms: Terms) -> bool:
    """Whether walls leave the rigid structure its straight way to ``goal`` (3,), turning evenly on it."""
    if terms.map is None:
        return True
    step = goal - structure.pose
    step[2] = wrap(step[2])
    length = float(norm(place(structure.points, goal) - structure.world).max()) + float(norm(structure.points).max()) * abs(float(step[2]))
    share = np.linspace(0.0, 1.0, int(np.ceil(length / (0.5 * terms.map.grid.resolution))) + 2)
    clearance, _ = near_walls(terms.map, place(structure.points, structure.pose + share[:, None] * step).reshape(-1, 2))
    return bool((clearance.reshape(len(share), -1) >= fleet.radius + terms.room).all())


def _led(structure: Structure, pose: Array, schedule: Timetable, terms: Terms, near: float, dealt: bool = False) -> Journey | None:
    """Robots at ``pose`` (M, 3) take their places at the beginning of ``schedule``, one column for each point, and go on by it.

    ``dealt``: also in the open the places are dealt anew among robots that are alike, for the least sum of squared ways; others cross.
    """
    start = schedule.place[0]
    robot: IntArray = np.arange(len(structure))
    fleet = terms.fleet.take(members(structure.names, terms.fleet.names))
    alike = len(fleet.models) == 1 and bool((fleet.radius == fleet.radius[0]).all())
    if (norm(start - pose[:, :2]) < max(near, 1e-9)).all():
        if schedule.duration == 0.0:
            return None
    else:
        given = None if alike and not terms.fixed and (dealt or terms.map is not None) else robot
        room = max(terms.room - 1.1 * TOLERANCE, 0.0)  # routes may fall short by so much
        made = rearrange(pose, start, fleet, terms.map, room=room, drive=terms.drive, robot=given, leave=schedule.departing())
        robot = made.robot
        schedule = made.schedule.of(robot).then(schedule)
    names = tuple(structure.names[k] for k in robot)
    slower = paced(schedule, fleet.take(robot), terms.map, terms.filter, terms.period)
    way = PlannedWay(slower, names, structure.points)
    return Journey(replace(structure, names=names), way, slower.duration / max(schedule.duration, 1e-9))
