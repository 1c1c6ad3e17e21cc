"""Goals that robots cannot get to, or perhaps not: a line for the user, before they try."""

from collections.abc import Sequence

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.grid import Grid
from swarm_control.core.ground import FreeGround
from swarm_control.core.state import Fleet
from swarm_control.safety.separation_filter import SIGMAS
from swarm_control.scenario.groups import Controls, Flock, Squad, in_formation
from swarm_control.scenario.safeguards import noise_left, wary_filter
from swarm_control.scenario.schema import Goal, Scenario


def out_of_reach(
    scenario: Scenario, controls: Controls, flocks: Sequence[Flock], grid: Grid | None, fleet: Fleet, start: Array
) -> tuple[str, ...]:  # fmt: skip
    """One line for each goal that is off the map, or that no way which is wide enough joins to where some of the robots ``start`` (N, 2) m.

    Robots need the margin of their separation filter to either side. Formations plan their ways themselves and say what they need.
    """
    if grid is None:
        return ()
    ground, rooms = FreeGround(grid), _rooms(grid)
    keeping, edge = in_formation(flocks, controls), 0.5 * grid.resolution
    low_x, high_x, low_y, high_y = grid.extent
    inside = start.clip((low_x + edge, low_y + edge), (high_x - edge, high_y - edge))  # who is off the map is free to get to its edge
    found: list[str] = []
    for number, flock in enumerate(flocks):
        own = bool(flock.name) and bool(scenario.groups[flock.name].goals)
        filter = wary_filter(controls.of(flock.name), scenario.simulator)
        left = noise_left(controls, flock.name, scenario.simulator, fleet.take(flock.robots))
        margin, noise = filter.margin * filter.enabled, SIGMAS * float(left.max()) * filter.enabled
        for k, goal in enumerate(flock.goals):
            where = f"{f'groups.{flock.name}.' if own else ''}goals[{k}].{'each' if goal.each else 'position'}"
            line = _line(goal, grid, rooms, inside[flock.robots]) or (
                "" if number in keeping else in_a_wall(grid, _places(goal, len(flock.robots)))
                or _narrow(goal, ground, inside[flock.robots], fleet.radius[flock.robots], margin, noise)
            )
            found += [f"{where}: {line}"] if line else []
    return tuple(dict.fromkeys(found))


def crowded(scenario: Scenario, controls: Controls, squads: Sequence[Squad], fleet: Fleet, start: Array) -> tuple[str, ...]:
    """One line for each squad most of whose robots ``start`` (N, 2) m nearer to others than the separation filter keeps them for noise."""
    filters = [(squad, wary_filter(controls.of(squad.name), scenario.simulator)) for squad in squads]
    noisy = [(squad, filter) for squad, filter in filters if filter.enabled and filter.noise > 0.0]
    if len(start) < 2 or not noisy:
        return ()
    from scipy.spatial import cKDTree

    distance, near = cKDTree(start).query(start, k=2)
    found = []
    for squad, filter in noisy:
        robots, other = squad.robots, near[squad.robots, 1]
        left = noise_left(controls, squad.name, scenario.simulator, fleet)
        noise = SIGMAS * (left[robots] + left[other])
        kept = fleet.radius[robots] + fleet.radius[other] + noise + filter.margin
        close = int((distance[robots, 1] < kept).sum())
        if 2 * close > len(robots):
            what = f"robots are kept {kept.max():.3g} m apart, {noise.max():.3g} m of it for noise of {filter.noise:g} m"
            where = f"groups.{squad.name}.control." if squad.name else "control."
            found.append(f"{where}separation_filter: {what}; {close} of {len(robots)} start nearer and may hold each other up")
    return tuple(found)


def always_late(scenario: Scenario) -> tuple[str, ...]:
    """A line where odometry never arrives or is always older than robots may go by, and so nobody moves."""
    delay, oldest = scenario.simulator.delay, scenario.control.safety.odometry_timeout
    if scenario.simulator.loss >= 1.0:
        return ("simulator.loss (1): no odometry arrives, and no robot moves",)
    if delay <= oldest:
        return ()
    line = f"simulator.delay ({delay:g} s) is more than safety.odometry_timeout ({oldest:g} s)"
    return (f"{line}: odometry is always too old, and no robot moves",)


def may_stand(controls: Controls, squads: Sequence[Squad], grid: Grid | None, fleet: Fleet) -> tuple[str, ...]:
    """One line for each squad that keeps a formation among walls, without planned ways, with robots that cannot turn on the spot."""
    if grid is None or not grid.occupied.any():
        return ()
    turns = fleet.column(lambda model: model.turns_in_place or not model.rolls)
    formations = [(squad, controls.of(squad.name).formation) for squad in squads]
    keeping = [squad for squad, kept in formations if kept.enabled and not kept.plan.enabled and not turns[squad.robots].all()]
    return tuple(
        f"{f'groups.{squad.name}.' if squad.name else ''}formation.enabled: among walls robots that cannot turn on the spot "
        f"({', '.join(sorted({fleet.model[k] for k in squad.robots if not turns[k]}))}) may be held up for good, and all the formation"
        for squad in keeping
    )  # fmt: skip


def _line(goal: Goal, grid: Grid, rooms: IntArray, start: Array) -> str:
    """What keeps all that are at ``start`` (n, 2) m, whatever their size, from a goal, or nothing."""
    places, count = _places(goal, len(start)), len(start)
    if off := off_the_map(grid, places):
        return off
    there = _room(rooms, grid, places)
    cut_off = int(((_room(rooms, grid, start) != there) & (there > 0)).sum())
    return f"no free way leads to {_named(goal)} from where {cut_off} of {count} robots start" if cut_off else ""


def off_the_map(grid: Grid, places: Array) -> str:
    """Which of ``places`` (n, 2) m is off the map, or nothing."""
    low_x, high_x, low_y, high_y = grid.extent
    off = np.flatnonzero(((places < (low_x, low_y)) | (places > (high_x, high_y))).any(axis=1))
    side = f"x {low_x:g} to {high_x:g} m, y {low_y:g} to {high_y:g} m"
    return f"({places[off[0]][0]:g}, {places[off[0]][1]:g}) m is off the map, {side}" if len(off) else ""


def in_a_wall(grid: Grid, places: Array) -> str:
    """Which of ``places`` (n, 2) m lies in a wall, or nothing."""
    walled = np.flatnonzero(_room(grid.occupied, grid, places))
    return f"({places[walled[0]][0]:g}, {places[walled[0]][1]:g}) m lies in a wall" if len(walled) else ""


def no_place(grid: Grid | None, place: Sequence[float], middle: bool) -> str:
    """Why nobody can be sent to ``place`` (m), or nothing; ``middle``: only a formation's middle is, which may be in a wall."""
    places = np.array([place], float)
    return "" if grid is None else off_the_map(grid, places) or ("" if middle else in_a_wall(grid, places))


def _narrow(goal: Goal, ground: FreeGround, start: Array, radius: Array, margin: float, noise: float) -> str:
    """What keeps robots of these ``radius`` (n,) m that are at ``start`` (n, 2) m from a goal, with a ``margin`` and ``noise`` (m)."""
    places, within = _places(goal, len(start)), goal.arrival_radius or goal.radius
    held: list[int] = []
    for need in np.unique(radius + margin + noise):
        (rows,) = np.nonzero(radius + margin + noise == need)
        own = ground.rooms_of(start[rows], float(need))
        ends = {place: ground.rooms_near(np.array(place), float(need), within) for place in {tuple(place) for place in places[rows]}}
        for k, room in zip(rows.tolist(), own.tolist()):  # who stands nearer to a wall gets away from it
            near = {room} if room else ground.rooms_near(start[k], float(need), float(need))
            held += [k] if near.isdisjoint(ends[tuple(places[k])]) else []
    if not held:
        return ""
    kept = " and ".join([f"{margin:g} m (separation_filter.margin)"] * (margin > 0.0) + [f"{noise:g} m for noise"] * (noise > 0.0))
    cells = "" if ground.grid is None else f"; the map's cells are {ground.grid.resolution:g} m"
    who = f"where {len(held)} of {len(start)} robots start"
    size = f"robots of {2.0 * float(radius[held].min()):g} m" + (f" and {kept} to either side" if kept else "")
    return f"no way with room for {size} leads to {_named(goal)} from {who}{cells}"


def _places(goal: Goal, count: int) -> Array:
    """Where each of ``count`` robots is to go, (n, 2) m."""
    places = np.array(goal.each if goal.each else goal.position, float).reshape(-1, 2)
    return places[:count] if goal.each else np.repeat(places, count, axis=0)


def _named(goal: Goal) -> str:
    return "their places" if goal.each else f"({goal.position[0]:g}, {goal.position[1]:g}) m"


def _rooms(grid: Grid) -> IntArray:
    """The rooms (H, W) between which no free cells lead, from 1; 0 in walls."""
    from scipy import ndimage

    return np.asarray(ndimage.label(~grid.occupied)[0])


def _room(rooms: IntArray | BoolArray, grid: Grid, places: Array) -> IntArray:
    """The number of the room that each of the ``places`` (n, 2) m is in, of those of the cells (H, W); 0 in walls."""
    cell = ((places - grid.origin) / grid.resolution).astype(int)
    return np.asarray(rooms[cell[:, 1].clip(0, rooms.shape[0] - 1), cell[:, 0].clip(0, rooms.shape[1] - 1)])
