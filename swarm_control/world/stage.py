"""Interpretation of a Stage world file: entities become walls and robots in the world frame, in SI units."""

import math
from collections import Counter
from pathlib import Path

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.errors import InputError
from swarm_control.world import defaults, values
from swarm_control.world.bodies import Pose, compose, place, read_body
from swarm_control.world.layout import Lattice, World
from swarm_control.world.notices import macros_ignored, surplus_values, unused_keys
from swarm_control.world.robots import WorldRobot, read_robot
from swarm_control.world.worldfile import Entity, WorldFile, parse


def read_world(path: str | Path) -> World:
    """Read the Stage world file at ``path``. InputError with ``file:line`` for anything amiss."""
    file = parse(path)
    reader = _Reader(file)
    for child in file.root.children:
        reader.visit(child, (0.0, 0.0, 0.0), "", carried=False)
    reader.refuse_namesakes()
    robots = tuple(robot for robot, _ in reader.robots)
    return World(
        path=Path(path),
        walls=tuple(reader.walls),
        robots=robots,
        interval_sim=values.positive(file.root, "interval_sim", defaults.INTERVAL_SIM) / 1000.0,
        resolution=values.positive(file.root, "resolution", defaults.RESOLUTION),
        bounds=_bounds(reader.walls, robots),
        notices=(*reader.notices, *macros_ignored(file), *surplus_values(file), *unused_keys(file)),
        lattice=reader.lattice,
    )


class _Reader:
    """Walks the tree of entities and gathers walls and robots in the world frame."""

    def __init__(self, file: WorldFile) -> None:
        self.file = file
        self.units = values.read_units(file.root)
        self.walls: list[Array] = []
        self.robots: list[tuple[WorldRobot, Entity]] = []
        self.notices: list[str] = []
        self.lattice: Lattice | None = None
        # Models by their parent's name and type; Stage makes the ground the first model.
        self.counts = Counter({("", "model"): 1})
        self._widest = 0.0

    def visit(self, entity: Entity, frame: Pose, prefix: str, carried: bool) -> None:
        """One entity, given in ``frame``; ``prefix`` ends its parent's name. What robots carry is no wall."""
        if entity.type == "window" or (entity.type in ("block", "sensor") and prefix):
            return
        if entity.type not in defaults.BODY_TYPES | defaults.DEVICE_TYPES:
            raise self._unknown(entity)
        name, pose = self._name(entity, prefix), compose(frame, self._pose(entity, "pose"))
        origin, size = self._pose(entity, "origin"), self._size(entity)
        if entity.type == "position":
            self.robots.append((read_robot(entity, name, pose, origin, size, self.units), entity))
        elif entity.type == "model" and not carried:
            self._add_walls(entity, compose(pose, origin), size)
        for child in entity.children:
            self.visit(child, pose, f"{name}.", carried or entity.type != "model")

    def refuse_namesakes(self) -> None:
        """InputError if two robots bear one name."""
        first: dict[str, Entity] = {}
        for robot, entity in self.robots:
            other = first.setdefault(robot.name, entity)
            if other is not entity:
                raise InputError(
                    entity.where, f'expected a name of its own, "{robot.name}" is the robot of {other.where}'
                )

    def _add_walls(self, entity: Entity, pose: Pose, size: tuple[float, float]) -> None:
        if not values.flag(entity, "obstacle_return", True):
            if "bitmap" in entity.properties:
                self.notices.append(f"{entity.where}: obstacle_return 0, so its bitmap is no wall")
            return
        body = read_body(entity, size, self.file.folder, self.units)
        if "bitmap" in entity.properties and not body.dark:
            self.notices.append(
                f"{entity.properties['bitmap'].where}: the bitmap has no dark pixel, so no walls"
            )
        placed = [place(polygon, pose) for polygon in body.polygons]
        self.walls += placed
        if body.pixel is None or abs(math.remainder(pose[2], math.pi / 2)) > 1e-9:
            return
        width, height = body.pixel
        if size[0] * size[1] > self._widest and math.isclose(width, height, rel_tol=1e-9):
            self._widest = size[0] * size[1]
            x, y = np.concatenate(placed).min(axis=0)
            self.lattice = Lattice(float(x), float(y), width)

    def _pose(self, entity: Entity, key: str) -> Pose:
        x, y, _, heading = values.numbers(entity, key, "llla", self.units) or (0.0, 0.0, 0.0, 0.0)
        return x, y, heading

    def _size(self, entity: Entity) -> tuple[float, float]:
        x, y, _ = values.numbers(entity, "size", "lll", self.units) or (*defaults.SIZE, 1.0)
        if min(x, y) <= 0.0:
            raise InputError(
                entity.properties["size"].where, f"size: expected x and y above 0, found [{x:g} {y:g}] m"
            )
        return x, y

    def _name(self, entity: Entity, prefix: str) -> str:
        """Stage's name of a model: parent.name, /name without its parent, parent.type:count if not stated."""
        count = self.counts[prefix, entity.type]
        self.counts[prefix, entity.type] += 1
        name = values.text(entity, "name", f"{entity.type}:{count}")
        return name[1:] if name.startswith("/") else prefix + name

    def _unknown(self, entity: Entity) -> InputError:
        if entity.type in ("block", "sensor"):
            return InputError(entity.where, f"expected {entity.type} only inside a model")
        known = sorted(defaults.BODY_TYPES | defaults.DEVICE_TYPES) + list(self.file.macros)
        return InputError(
            entity.where, f"no such type of model: {entity.type}; expected one of {', '.join(known)}"
        )


def _bounds(walls: list[Array], robots: tuple[WorldRobot, ...]) -> tuple[float, float, float, float]:
    """(x lowest, y lowest, x highest, y highest) of walls and circles round robots; zeros if none."""
    corners = list(walls)
    for robot in robots:
        centre, radius = np.array(compose(robot.pose, robot.origin)[:2]), math.hypot(*robot.size) / 2
        corners.append(np.stack((centre - radius, centre + radius)))
    points = np.concatenate(corners) if corners else np.zeros((1, 2))
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return float(x0), float(y0), float(x1), float(y1)
