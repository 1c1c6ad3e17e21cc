"""Robots of a world file: Stage's ``position`` models with their limits, after model_position.cc."""

from dataclasses import dataclass

from swarm_control.errors import InputError
from swarm_control.world import defaults, values
from swarm_control.world.bodies import Pose
from swarm_control.world.worldfile import Entity

Bounds = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]
"""Lowest and highest value of x, y and yaw."""


@dataclass(frozen=True)
class WorldRobot:
    """A robot as a world file states it.

    ``pose``: x, y (m), yaw (rad) in the world frame. ``size``: length, width (m) of the box centred at
    ``origin``, a pose in the robot's frame. ``drive``: omni, diff or car (with ``wheelbase``, m).
    ``velocity_bounds``, ``acceleration_bounds``: vx, vy (m/s, m/s²), yaw rate (rad/s, rad/s²) in the robot's
    frame. ``localization``: gps or odom. ``localization_origin``: pose in the world frame, or None where
    Stage takes the start pose. ``odom_error``: x, y, heading as written in the file, or None. ``color``: name
    as in the file, or #rrggbb.
    """

    name: str
    pose: Pose
    size: tuple[float, float]
    origin: Pose = (0.0, 0.0, 0.0)
    drive: str = defaults.DRIVE
    wheelbase: float = defaults.WHEELBASE
    velocity_bounds: Bounds = defaults.VELOCITY_BOUNDS
    acceleration_bounds: Bounds = defaults.ACCELERATION_BOUNDS
    localization: str = defaults.LOCALIZATION
    localization_origin: Pose | None = None
    odom_error: tuple[float, float, float] | None = None
    color: str = defaults.COLOR


def read_robot(
    entity: Entity, name: str, pose: Pose, origin: Pose, size: tuple[float, float], units: values.Units
) -> WorldRobot:
    """Robot of a ``position`` entity at ``pose`` in the world frame. InputError for senseless values."""
    place = values.numbers(entity, "localization_origin", "llla", units)
    error = values.numbers(entity, "odom_error", "ffff", units)
    return WorldRobot(
        name=name,
        pose=pose,
        size=size,
        origin=origin,
        drive=values.choice(entity, "drive", ("omni", "diff", "car"), defaults.DRIVE),
        wheelbase=values.positive(entity, "wheelbase", defaults.WHEELBASE / units.length) * units.length,
        velocity_bounds=_bounds(entity, "velocity_bounds", defaults.VELOCITY_BOUNDS, units),
        acceleration_bounds=_bounds(entity, "acceleration_bounds", defaults.ACCELERATION_BOUNDS, units),
        localization=values.choice(entity, "localization", ("gps", "odom"), defaults.LOCALIZATION),
        localization_origin=None if place is None else (place[0], place[1], place[3]),
        odom_error=None if error is None else (error[0], error[1], error[3]),
        color=_color(entity, units),
    )


def _bounds(entity: Entity, key: str, default: Bounds, units: values.Units) -> Bounds:
    stated = values.numbers(entity, key, "llllllaa", units)
    if stated is None:
        return default
    bounds = ((stated[0], stated[1]), (stated[2], stated[3]), (stated[6], stated[7]))
    if any(low > high for low, high in bounds):
        raise InputError(
            entity.properties[key].where, f"{key}: expected each lowest value before its highest"
        )
    return bounds


def _color(entity: Entity, units: values.Units) -> str:
    """Stage's rule (color.cc): ``color`` if stated, else ``color_rgba`` with channels 0 to 1, else red."""
    channels = values.numbers(entity, "color_rgba", "ffff", units)
    name = values.text(entity, "color", "")
    if name or channels is None:
        return name or defaults.COLOR
    return "#" + "".join(f"{round(255 * min(max(channel, 0.0), 1.0)):02x}" for channel in channels[:3])
