"""Goals that robots cannot get to, or perhaps not: a line for the user, before they try."""

from collections.abc import Sequence

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet
from swarm_control.scenario.groups import Controls, Squad
from swarm_control.scenario.schema import Goal, Scenario


def out_of_reach(scenario: Scenario, grid: Grid | None, start: Array) -> tuple[str, ...]:
    """One line for each goal that is off the map, or that no free cells join to where some of the robots ``start`` (N, 2) m."""
    if grid is None:
        return ()
    from scipy import ndimage

    rooms, _ = ndimage.label(~grid.occupied)
    own = [("", scenario.goals), *((f"groups.{name}.", group.goals) for name, group in scenario.groups.items())]
    return tuple(
        f"{where}goals[{k}].position: {line}"
        for where, goals in own for k, goal in enumerate(goals) if not goal.each and (line := _line(goal, grid, rooms, start))
    )  # fmt: skip


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
    place = np.array(goal.position)
    low_x, high_x, low_y, high_y = grid.extent
    if not (low_x <= place[0] <= high_x and low_y <= place[1] <= high_y):
        return f"({place[0]:g}, {place[1]:g}) m is off the map, x {low_x:g} to {high_x:g} m, y {low_y:g} to {high_y:g} m"
    there = _room(rooms, grid, place[None])[0]
    cut_off = int((_room(rooms, grid, start) != there).sum()) if there else 0
    return f"no free way leads to ({place[0]:g}, {place[1]:g}) m from where {cut_off} of {len(start)} robots start" if cut_off else ""


def _room(rooms: IntArray, grid: Grid, places: Array) -> IntArray:
    """The number of the room that each of the ``places`` (n, 2) m is in; 0 in walls."""
    cell = ((places - grid.origin) / grid.resolution).astype(int)
    return np.asarray(rooms[cell[:, 1].clip(0, rooms.shape[0] - 1), cell[:, 0].clip(0, rooms.shape[1] - 1)])
