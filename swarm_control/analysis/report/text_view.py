"""A running swarm as text, for a terminal: where robots are on the map, what they are doing, and how the nodes are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.core.grid import Grid
from swarm_control.core.state import SwarmState
from swarm_control.runtime.mission_state import MissionState

ARROWS = "→↗↑↖←↙↓↘"
"""A robot by its heading, from 0° on."""
WALL, GOAL, FALLEN = "█", "×", "✝"
WIDE = 2.0
"""A character's height, in its widths."""
RESTING = 0.01
"""Robots that are slower (m/s) stand."""
SILENT = 2.5
"""Nodes say once a second how they are; one that has not for so long (s) is silent."""
USUAL = {"", "0", "False", "running"}
"""What of a node's status is left out: nothing to tell."""


@dataclass
class View:
    """What is known of a swarm. ``state``: that of the robots, None before anything was heard. ``nodes``: of each node how long ago
    (s) it has spoken, and what it said. ``stopped``: whether the swarm is held; None: not known.
    """

    state: SwarmState | None = None
    grid: Grid | None = None
    mission: MissionState = field(default_factory=MissionState)
    stopped: bool | None = None
    nodes: dict[str, tuple[float, str, Mapping[str, str]]] = field(default_factory=dict)


def screen(view: View, columns: int, lines: int) -> str:
    """The view in so many columns and lines of text."""
    if view.state is None:
        return "\n".join(line[:columns] for line in ["nothing heard of the robots yet", *_nodes(view)])
    head, nodes = _head(view, view.state), _nodes(view)
    map = _map(view, view.state, columns, max(lines - len(head) - len(nodes) - 1, 5))
    return "\n".join(line[:columns] for line in [*head, *map, *nodes])


def _head(view: View, state: SwarmState) -> list[str]:
    heard, speed = state.valid, np.hypot(*state.velocity[:, :2].T)
    held = {None: "", True: "   STOPPED: swarm stop --release lets it go", False: ""}[view.stopped]
    moving = int((speed[heard] > RESTING).sum())
    silent = np.flatnonzero(~heard)
    lines = [f"t = {state.time:.1f} s   {len(state)} robots, {moving} of them moving{held}"]
    if len(silent):
        lines.append(f"NO ODOMETRY OF {_some([str(k) for k in silent])}")
    if state.fallen is not None:
        lines.append(f"FALLEN: {_some([str(k) for k in np.flatnonzero(state.fallen)])}")
    parts = {"": view.mission.swarm, **view.mission.groups}
    for name, progress in parts.items():
        if progress.target is not None:
            share = "" if progress.arrived_fraction is None else f": {100.0 * progress.arrived_fraction:.0f} % have arrived"
            jams = f", {progress.jams} jams of {progress.jam_time:g} s in all" if progress.jams else ""
            place = f"({progress.target[0]:g}, {progress.target[1]:g}) m"
            lines.append(f"{name and f'{name}: '}goal {progress.goal_index + 1} of {len(progress.goals)} at {place}{share}{jams}")
    lines += [f"task {one.task.id}: {one.task.kind}, {one.state}" for one in view.mission.tasks if one.state == "running"]
    return lines


def _some(names: Sequence[str]) -> str:
    return "robots " + ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _map(view: View, state: SwarmState, columns: int, lines: int) -> list[str]:
    """The floor, north up: walls, goals and robots; of several in one place their number."""
    goals = [progress.target for progress in (view.mission.swarm, *view.mission.groups.values()) if progress.target is not None]
    seen = np.vstack((state.pose[state.valid, :2], np.array(goals, float).reshape(-1, 2)))
    if view.grid is not None:
        x0, x1, y0, y1 = view.grid.extent
        seen = np.vstack((seen, [(x0, y0), (x1, y1)]))
    if not len(seen):
        return []
    low, high = seen.min(axis=0), seen.max(axis=0)
    wide = max(float((high[0] - low[0]) / columns), float((high[1] - low[1]) / (WIDE * lines)), 1e-3)
    size = np.array([wide, WIDE * wide])
    across, rows = np.maximum(np.round((high - low) / size), 1.0).astype(int)
    shown = np.full((rows, across), " ")

    def cell(place: Array) -> tuple[IntArray, IntArray]:
        x, y = np.clip(((place - low) / size).astype(int), 0, (across - 1, rows - 1)).T
        return y, x

    if view.grid is not None:
        grid = view.grid
        i, j = np.nonzero(grid.occupied)
        shown[cell(np.array(grid.origin) + grid.resolution * (np.column_stack((j, i)) + 0.5))] = WALL
        x, y = low[0] + size[0] * (np.arange(across) + 0.5), low[1] + size[1] * (np.arange(rows) + 0.5)
        j, i = (((at - start) / grid.resolution).astype(int) for at, start in zip((x, y), grid.origin))
        within = ((i >= 0) & (i < len(grid.occupied)))[:, None] & (j >= 0) & (j < grid.occupied.shape[1])
        there = grid.occupied[i.clip(0, len(grid.occupied) - 1)][:, j.clip(0, grid.occupied.shape[1] - 1)]
        shown[within & there] = WALL  # where characters are finer than cells
    for goal in goals:
        shown[cell(np.array(goal))] = GOAL
    count = np.zeros((rows, across), int)
    for k in np.flatnonzero(state.valid):
        at = cell(state.pose[k, :2])
        count[at] += 1
        fallen = state.fallen is not None and state.fallen[k]
        shown[at] = FALLEN if fallen else ARROWS[round(float(state.pose[k, 2]) / (np.pi / 4.0)) % 8]
    for row, column in zip(*np.nonzero(count > 1)):
        shown[row, column] = str(min(int(count[row, column]), 9))
    return ["".join(line).rstrip() for line in shown[::-1]]


def _nodes(view: View) -> list[str]:
    """A line for each node with what is not as usual; silent ones first."""
    width = max(map(len, view.nodes), default=0)
    lines = []
    for name, (age, said, values) in sorted(view.nodes.items(), key=lambda node: (node[1][0] < SILENT, node[0])):
        told = f"SILENT for {age:.0f} s" if age >= SILENT else "" if said in USUAL else said
        more = "  ".join(f"{key} {value}" for key, value in values.items() if value not in USUAL and key not in ("time", "ticks"))
        lines.append(f"{name:<{width}}  {told}{'  ' if told else ''}{more}")
    return lines
