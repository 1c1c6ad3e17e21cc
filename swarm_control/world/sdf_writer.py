"""Writer of Gazebo worlds (SDF 1.7, for gz-sim and Gazebo classic 11) and of the configuration of the bridge to ROS."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import yaml

from swarm_control.core.geometry import Array
from swarm_control.core.grid import Grid
from swarm_control.core.state import Fleet
from swarm_control.errors import InputError
from swarm_control.world.bitmap import rectangles
from swarm_control.world.names import robot_name, robot_names
from swarm_control.world.sdf_models import SdfRobot, add, add_robot, add_shape
from swarm_control.world.sdf_plugins import PLUGINS, add_systems

STEP = 0.004
"""Step of Gazebo's physics, s: as long as small wheels roll right. The clock ticks once a step, and every node hears it."""
MAX_BOXES = 20_000


def write_sdf(
    path: Path, name: str, fleet: Fleet, pose: Array, grid: Grid | None, period: float, *, speed: float = 1.0, plugins: str = "gz"
) -> None:
    """Write the world called ``name`` to ``path``.

    ``pose`` (N, 3): where the robots start, m and rad, world frame. ``period``: time from one command to the next, s.
    ``speed``: simulated seconds per second. ``plugins``: one of :data:`PLUGINS`. ``InputError`` for what cannot be expressed.
    """
    root = ElementTree.Element("sdf", version="1.7")
    world = add(root, "world", name=robot_name(name))
    _add_surroundings(world, speed)
    if plugins == "gz":
        add_systems(world)
    if grid is not None and grid.occupied.any():
        _add_walls(world, walls(grid, str(path)), max(0.3, 4.0 * float(fleet.radius.max())))
    limits = zip(fleet.radius, fleet.max_speed, fleet.max_acceleration, fleet.max_turn_rate, fleet.wheel_base, strict=True)
    for robot, model, (x, y, yaw), values in zip(robot_names(fleet.names), fleet.model, pose, limits, strict=True):
        made = SdfRobot(robot, model, (float(x), float(y), float(yaw)), *map(float, values))
        PLUGINS[plugins](add_robot(world, made), made, period)
    ElementTree.indent(root)
    path.write_text('<?xml version="1.0"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n", encoding="utf-8")


def write_bridge(path: Path, fleet: Fleet) -> None:
    """Write the configuration of ``ros_gz_bridge parameter_bridge``: the clock, and every robot's odometry and commands."""
    lines = [_line("/clock", "/clock", "rosgraph_msgs/msg/Clock", "gz.msgs.Clock", "GZ_TO_ROS")]
    for name in robot_names(fleet.names):
        lines.append(_line(f"/{name}/odom", f"/model/{name}/odometry", "nav_msgs/msg/Odometry", "gz.msgs.Odometry", "GZ_TO_ROS"))
        lines.append(_line(f"/{name}/cmd_vel", f"/model/{name}/cmd_vel", "geometry_msgs/msg/Twist", "gz.msgs.Twist", "ROS_TO_GZ"))
    path.write_text(yaml.safe_dump(lines, sort_keys=False), encoding="utf-8")


def walls(grid: Grid, where: str) -> Array:
    """The walls of a map as rectangles (M, 4) that do not overlap: x lowest, y lowest, x highest, y highest, m.

    Runs of cells along one axis are joined across the other, along whichever axis makes fewer. ``InputError`` at ``where`` when there
    are more than 20,000.
    """
    (x0, y0), r = grid.origin, grid.resolution
    along_x, along_y = rectangles(grid.occupied[::-1], where), rectangles(grid.occupied.T, where)
    along_x = along_x + np.array([0.0, len(grid.occupied)])
    along_y = np.stack((-along_y[..., 1], along_y[..., 0]), axis=-1)  # the picture's rows are the map's columns
    found = along_x if len(along_x) <= len(along_y) else along_y
    if len(found) > MAX_BOXES:
        raise InputError(where, f"{len(found)} rectangles of walls found, expected at most {MAX_BOXES}")
    corners = found * r + np.array([x0, y0])
    return np.hstack((corners.min(axis=1), corners.max(axis=1)))


def _line(ros: str, gz: str, ros_type: str, gz_type: str, direction: str) -> dict[str, str]:
    return {"ros_topic_name": ros, "gz_topic_name": gz, "ros_type_name": ros_type, "gz_type_name": gz_type, "direction": direction}


def _add_surroundings(world: ElementTree.Element, speed: float) -> None:
    """Physics, light and floor."""
    physics = add(world, "physics", name="default", type="ode")
    add(physics, "max_step_size", STEP)
    add(physics, "real_time_factor", speed)
    add(physics, "real_time_update_rate", speed / STEP)
    light = add(world, "light", name="sun", type="directional")
    add(light, "pose", (0.0, 0.0, 10.0, 0.0, 0.0, 0.0))
    add(light, "diffuse", "0.9 0.9 0.9 1")
    add(light, "direction", (-0.4, 0.2, -0.9))
    floor = add(world, "model", name="floor")
    add(floor, "static", True)
    link = add(floor, "link", name="link")
    for kind in ("collision", "visual"):
        plane = add(add(add(link, kind, name=f"floor_{kind}"), "geometry"), "plane")
        add(plane, "normal", (0.0, 0.0, 1.0))
        add(plane, "size", (1000.0, 1000.0))


def _add_walls(world: ElementTree.Element, boxes: Array, height: float) -> None:
    model = add(world, "model", name="map")
    add(model, "static", True)
    link = add(model, "link", name="walls")
    for k, (x0, y0, x1, y1) in enumerate(boxes.tolist()):
        pose = (0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.5 * height, 0.0, 0.0, 0.0)
        add_shape(link, f"wall_{k}", pose, "box", 0.5, size=(x1 - x0, y1 - y0, height))
