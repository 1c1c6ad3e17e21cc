"""Crossing traffic to measure: robots whose ways cross, with starts, goals and walls that grow with their number, size and speed."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from swarm_control.core.geometry import Array, rotate
from swarm_control.core.grid import Grid
from swarm_control.scenario.schema import Arena, Goal, RobotGroup, Scenario


@dataclass(frozen=True)
class TrafficScene:
    """Where n robots start and go to, (n, 2) m each, and the walls between: rectangles (k, 4) m, x0, y0, x1, y1; in a frame around all."""

    start: Array
    goal: Array
    walls: Array


def antipodal(n: int, gap: float) -> TrafficScene:
    """Everybody goes from a circle to the opposite point of it."""
    angle = 2.0 * np.pi * np.arange(n) / n
    start = max(n * gap / (2.0 * np.pi), 4.0 * gap) * np.column_stack((np.cos(angle), np.sin(angle)))
    return TrafficScene(start, -start, np.empty((0, 4)))


def crossing(n: int, gap: float) -> TrafficScene:
    """Four columns cross one another, each from its side to the opposite one."""
    arm, each = np.arange(n) % 4, -(-n // 4)
    abreast = int(np.ceil(np.sqrt(each)))
    block, depth = _block(n, 4, abreast, gap)
    near = 0.5 * abreast * gap + 3.0 * gap
    start, goal = _shifted(block, -near), _shifted(block, near + depth)
    turn = np.array(0.5 * np.pi * arm, float)
    return TrafficScene(rotate(start, turn), rotate(goal, turn), np.empty((0, 4)))


def corridor(n: int, gap: float) -> TrafficScene:
    """Two columns meet in a corridor; its width grows with the root of their number."""
    abreast = int(np.ceil(np.sqrt(-(-n // 2))))
    block, depth = _block(n, 2, abreast, gap)
    near, half = 4.0 * gap, 0.5 * (abreast + 1) * gap
    start, goal = _shifted(block, -near), _shifted(block, near + depth)
    side = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)[:, None]
    end, wall = near + depth + 2.0 * gap, half + 0.5 * gap
    walls = np.array([[-end, half, end, wall], [-end, -wall, end, -half]])
    return TrafficScene(side * start, side * goal, walls)


def doorway(n: int, gap: float) -> TrafficScene:
    """Two rooms change places through one door, which is two robots wide."""
    abreast = int(np.ceil(np.sqrt(-(-n // 2))))
    block, depth = _block(n, 2, abreast, gap)
    near, half = 3.0 * gap, max(0.5 * (abreast + 1), 3.0) * gap
    start, goal = _shifted(block, -near), _shifted(block, near + depth)
    side = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)[:, None]
    end, thick = near + depth + 2.0 * gap, 0.25 * gap
    walls = [[-end, half, end, half + thick], [-end, -half - thick, end, -half]]
    walls += [[-end - thick, -half, -end, half], [end, -half, end + thick, half]]
    walls += [[-thick, gap, thick, half], [-thick, -half, thick, -gap]]
    return TrafficScene(side * start, side * goal, np.array(walls))


MAKERS: dict[str, Callable[[int, float], TrafficScene]] = {made.__name__: made for made in (antipodal, crossing, corridor, doorway)}
"""The scenes by the names that ``world.scene`` knows."""


def _block(n: int, sides: int, abreast: int, gap: float) -> tuple[Array, float]:
    """Places (n, 2) m of robots dealt to ``sides``, in rows ``abreast`` that end at x = 0, heading for +x; and how deep they are."""
    row, column = np.divmod(np.arange(n) // sides, abreast)
    return np.column_stack((-row * gap, (column - 0.5 * (abreast - 1)) * gap)), float(row.max(initial=0)) * gap


def _shifted(points: Array, x: float) -> Array:
    return points + np.array([x, 0.0])


def gap_of(robots: tuple[RobotGroup, ...], spacing: float) -> float:
    """Distance (m) between robots at the start: ``spacing`` footprints, and the way in which the fastest can stop."""
    widest = 2.0 * max(group.radius for group in robots)
    return spacing * widest + max(group.max_speed**2 / (2.0 * group.max_acceleration) for group in robots)


def populated(scenario: Scenario) -> Scenario:
    """The scenario with the starts and goals of its scene; those that it has itself stay."""
    world = scenario.world
    if not isinstance(world, Arena) or not world.scene or not scenario.robots:
        return scenario
    count = sum(group.count for group in scenario.robots)
    gap = gap_of(scenario.robots, world.spacing)
    scene = MAKERS[world.scene](count, gap)
    jitter = np.random.default_rng([scenario.seed, 7]).uniform(-0.1, 0.1, (count, 2)) * gap
    start = scene.start + jitter
    heading = np.rad2deg(np.arctan2(*(scene.goal - start).T[::-1]))
    poses = np.column_stack((start, heading))
    ends = np.cumsum([group.count for group in scenario.robots])
    robots = tuple(
        group if group.start.pattern == "poses" else
        replace(group, start=replace(group.start, pattern="poses", poses=tuple(map(tuple, poses[end - group.count : end].tolist()))))
        for group, end in zip(scenario.robots, ends)
    )  # fmt: skip
    places = Goal(each=tuple(scene.goal.ravel().tolist()), radius=0.4 * gap, fraction=1.0)
    return replace(scenario, robots=robots, goals=scenario.goals or (places,))


def scene_grid(scenario: Scenario, world: Arena) -> Grid | None:
    """The walls of a scene; None where there are none."""
    count, gap = sum(group.count for group in scenario.robots), gap_of(scenario.robots, world.spacing)
    walls = MAKERS[world.scene](count, gap).walls
    if not len(walls):
        return None
    cell = min(world.resolution, 0.125 * gap)
    low, high = walls[:, :2].min(axis=0) - 2.0 * cell, walls[:, 2:].max(axis=0) + 2.0 * cell
    columns, rows = np.ceil((high - low) / cell).astype(int)
    occupied = np.zeros((rows, columns), bool)
    for x0, y0, x1, y1 in walls:
        (j, i), (m, k) = np.floor((np.array([x0, y0]) - low) / cell).astype(int), np.ceil((np.array([x1, y1]) - low) / cell).astype(int)
        occupied[i:k, j:m] = True
    return Grid(occupied, (float(low[0]), float(low[1])), cell)
