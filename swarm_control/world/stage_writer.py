"""Writer of Stage ``.world`` files: a map and robots as Stage 4.3, and :func:`~swarm_control.world.read_world`, take them."""

import math
from pathlib import Path

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid
from swarm_control.core.robot import ROBOTS
from swarm_control.core.state import Fleet
from swarm_control.errors import InputError
from swarm_control.world.names import robot_names

CORNERS = 16
"""Corners of the polygon that stands for a round footprint; its sides are 2 % of the radius inside."""


def write_stage(path: Path, fleet: Fleet, pose: Array, grid: Grid | None, dt: float, speed: float = 1.0) -> list[Path]:
    """Write the world to ``path`` and its map, if it has walls, beside it as a bitmap of the same name; return the files.

    ``pose`` (N, 3): where the robots start, m and rad, world frame. ``dt``: step of the simulation, s, which Stage keeps in whole
    milliseconds for its robots. ``speed``: simulated seconds per second of Stage's window. ``InputError`` for models that Stage has not.
    """
    for model, _ in fleet.of_models:
        if model.stage is None:
            known = ", ".join(sorted(one.name for one in ROBOTS.values() if one.stage is not None))
            raise InputError("robots", f"{model.name} found, which Stage cannot express; expected {known}")
    names = robot_names(fleet.names)
    kinds = [_kind(fleet, k, dt) for k in range(len(fleet))]
    label = {kind: f"kind_{k}" for k, kind in enumerate(dict.fromkeys(kinds))}
    parts, written = [_top(fleet, dt, speed), _window(pose, grid)], [path]
    if grid is not None and grid.occupied.any():
        written.append(path.with_name(f"{path.stem}.png"))
        parts.append(_map(written[1], grid))
    parts += [f"define {label[kind]} position\n(\n{kind})\n" for kind in label]
    robots = "".join(
        f'{label[kind]} ( name "{name}" pose [{_n(x)} {_n(y)} 0 {_n(math.degrees(yaw))}] )\n'
        for kind, name, (x, y, yaw) in zip(kinds, names, pose, strict=True)
    )
    path.write_text("\n".join([*parts, robots]), encoding="utf-8")
    return written


def _n(value: float) -> str:
    """A number without an exponent, which Stage's reader does not know."""
    text = f"{value:.9f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _top(fleet: Fleet, dt: float, speed: float) -> str:
    cell = min(0.01, 0.25 * float(fleet.radius.min()))
    return f"interval_sim {_n(1e3 * dt)}    # ms\nresolution {_n(cell)}    # m, cells of the collision map\nspeedup {_n(speed)}\n"


def _window(pose: Array, grid: Grid | None) -> str:
    """A window that shows everything."""
    points = [pose[:, :2].min(axis=0) - 1.0, pose[:, :2].max(axis=0) + 1.0]
    if grid is not None:
        points += [np.array(grid.extent[0::2]), np.array(grid.extent[1::2])]
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    (x, y), scale = 0.5 * (low + high), 700.0 / float((high - low).max())
    return f"window\n(\n  size [800 800]\n  center [{_n(x)} {_n(y)}]\n  scale {_n(scale)}\n)\n"


def _map(path: Path, grid: Grid) -> str:
    """Save the bitmap and return its model: what its dark pixels span is what Stage scales to ``size``."""
    from PIL import Image

    Image.fromarray(np.where(grid.occupied[::-1], 0, 255).astype(np.uint8)).save(path)
    rows, columns = np.nonzero(grid.occupied)
    low = np.array(grid.origin) + grid.resolution * np.array([columns.min(), rows.min()])
    high = np.array(grid.origin) + grid.resolution * np.array([columns.max() + 1, rows.max() + 1])
    (x, y), (width, height) = 0.5 * (low + high), high - low
    return f"""model
(
  name "map"
  bitmap "{path.name}"    # dark pixels are walls
  size [{_n(width)} {_n(height)} 1]
  pose [{_n(x)} {_n(y)} 0 0]
  color_rgba [0.3 0.3 0.3 1]
  gui_move 0
)
"""


def _kind(fleet: Fleet, k: int, dt: float) -> str:
    """What robots of one kind have in common. The round footprint is a polygon, as a Stage model is a square otherwise."""
    model, radius = ROBOTS[fleet.model[k]], float(fleet.radius[k])
    assert model.stage is not None
    v, a, turn = float(fleet.max_speed[k]), float(fleet.max_acceleration[k]), float(fleet.max_turn_rate[k])
    lever = 0.5 * float(fleet.wheel_base[k]) if model.wheels else radius
    if model.wheels:
        turn = min(turn, v / lever)
    side = model.stage.writes == "omni"
    turn = math.degrees(turn) if model.stage.turns else 0.0
    spin = math.degrees(a / lever)
    angle = 2.0 * np.pi * np.arange(CORNERS) / CORNERS
    points = "".join(f"    point[{i}] [{_n(math.cos(t))} {_n(math.sin(t))}]\n" for i, t in enumerate(angle))
    return f"""  size [{_n(2 * radius)} {_n(2 * radius)} {_n(2 * radius)}]
  origin [0 0 0 0]
  block
  (
    points {CORNERS}
{points}    z [0 1]
  )
  drive "{model.stage.writes}"
  update_interval {max(round(1e3 * dt), 1)}    # ms; else commands and odometry wait up to 100 ms
  localization "gps"
  localization_origin [0 0 0 0]
  velocity_bounds {_bounds(v, v * side, turn)}
  acceleration_bounds {_bounds(a, a * side, spin)}
  color_rgba [0.25 0.41 0.88 1]
  gui_nose 1
"""


def _bounds(x: float, y: float, turn: float) -> str:
    """Lowest and highest of forward, left, up (m) and turn (degrees)."""
    return f"[{_n(-x)} {_n(x)} {_n(-y)} {_n(y)} 0 0 {_n(-turn)} {_n(turn)}]"
