"""Robots as models of SDF 1.7. A model's frame is the middle of the footprint on the floor, so that its pose is the robot's."""

import math
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from swarm_control.core.robot import ROBOTS
from swarm_control.errors import InputError

DENSITY = 500.0
"""Density of robots, kg/m³."""
WHEEL, WIDTH, CLEARANCE, CASTER = 0.35, 0.2, 0.2, 0.12
"""Radius and width of a wheel, height of the body above the floor and radius of a caster, in radii of the footprint."""
BODIES, WHEELS = 1, 2
"""Bits by which parts collide. Wheels meet the floor alone: they are spheres there, wider than they look."""
LEVEL = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class SdfRobot:
    """A robot: ``name`` as in ROS, ``pose`` x, y (m), yaw (rad), kind and limits as in :class:`~swarm_control.core.state.Fleet`."""

    name: str
    model: str
    pose: tuple[float, float, float]
    radius: float
    max_speed: float
    max_acceleration: float
    max_turn_rate: float
    wheel_base: float

    @property
    def wheeled(self) -> bool:
        """Whether it stands on wheels; others glide on casters, without friction, with the velocity that they are told."""
        return ROBOTS[self.model].gazebo == "wheels"


def add(parent: Element, tag: str, text: object = None, **attributes: str) -> Element:
    """Add an element; ``text`` may be a string, a number, a switch, or a tuple of numbers."""
    found = SubElement(parent, tag, attributes)
    if text is not None:
        found.text = " ".join(map(_text, text)) if isinstance(text, tuple) else _text(text)
    return found


def add_shape(link: Element, name: str, pose: tuple[float, ...], shape: str, friction: float, **sizes: object) -> None:
    """Add a collision and a visual of one shape: ``box``, ``cylinder`` or ``sphere`` with its ``sizes``; ``friction`` 0 slides."""
    _add_collision(link, name, pose, shape, friction, BODIES, **sizes)
    _add_visual(link, name, pose, shape, **sizes)


def add_robot(world: Element, robot: SdfRobot) -> Element:
    """Add the model of a robot, without what moves it. ``InputError`` for models that are not known here."""
    if not ROBOTS[robot.model].gazebo:
        known = ", ".join(sorted(model.name for model in ROBOTS.values() if model.gazebo))
        raise InputError("robots", f"{robot.model} found, which Gazebo cannot express; expected {known}")
    wheeled, r = robot.wheeled, robot.radius
    model = add(world, "model", name=robot.name)
    add(model, "pose", (*robot.pose[:2], 0.0, 0.0, 0.0, robot.pose[2]))
    base = add(model, "link", name="base_link")
    # the weight of what rolls sits below its axles, so that at rest it stands on its wheels alone
    _add_inertia(base, (0.0, 0.0, (CLEARANCE if wheeled else 0.5) * r, *LEVEL), r, r)
    add_shape(base, "body", (0.0, 0.0, (CLEARANCE + 0.5) * r, *LEVEL), "cylinder", 0.0, radius=r, length=r)
    # two casters a hundredth of the radius above the floor, or six on it: a body that lies there itself rocks, on three it tips over
    count, out, gap = (2, 0.7, 0.01) if wheeled else (6, 0.87, 0.0)
    for k in range(count):
        x, y = out * r * math.cos(2.0 * math.pi * k / count), out * r * math.sin(2.0 * math.pi * k / count)
        add_shape(base, f"caster_{k}", (x, y, (CASTER + gap) * r, *LEVEL), "sphere", 0.0, radius=CASTER * r)
    if wheeled:
        for name, side in (("left", 1.0), ("right", -1.0)):
            _add_wheel(model, name, 0.5 * side * robot.wheel_base, r)
    return model


def _add_wheel(model: Element, name: str, y: float, r: float) -> None:
    """A wheel at ``y`` whose axle, the link's z, points to the left, so that it rolls forward at positive speed.

    It rolls on a sphere, which touches the floor in one point. A wide cylinder rolls on its outer edge, and the robot turns too little.
    """
    link = add(model, "link", name=f"{name}_wheel")
    add(link, "pose", (0.0, y, WHEEL * r, -0.5 * math.pi, 0.0, 0.0))
    middle = (0.0, 0.0, 0.0, *LEVEL)
    _add_inertia(link, middle, WHEEL * r, WIDTH * r)
    _add_collision(link, "wheel", middle, "sphere", 1.0, WHEELS, radius=WHEEL * r)
    _add_visual(link, "wheel", middle, "cylinder", radius=WHEEL * r, length=WIDTH * r)
    joint = add(model, "joint", name=f"{name}_joint", type="revolute")
    add(joint, "parent", "base_link")
    add(joint, "child", f"{name}_wheel")
    axis = add(joint, "axis")
    add(axis, "xyz", (0.0, 0.0, 1.0))
    limit = add(axis, "limit")
    add(limit, "lower", -1e16)
    add(limit, "upper", 1e16)


def _add_collision(link: Element, name: str, pose: tuple[float, ...], shape: str, friction: float, bits: int, **sizes: object) -> None:
    surface = add(_add_part(link, f"{name}_collision", "collision", pose, shape, sizes), "surface")
    add(add(surface, "contact"), "collide_bitmask", bits)
    ode = add(add(surface, "friction"), "ode")
    add(ode, "mu", friction)
    add(ode, "mu2", friction)


def _add_visual(link: Element, name: str, pose: tuple[float, ...], shape: str, **sizes: object) -> None:
    shade = "0.25 0.41 0.88 1" if name == "body" else "0.3 0.3 0.3 1"
    material = add(_add_part(link, f"{name}_visual", "visual", pose, shape, sizes), "material")
    add(material, "ambient", shade)
    add(material, "diffuse", shade)


def _add_part(link: Element, name: str, kind: str, pose: tuple[float, ...], shape: str, sizes: dict[str, object]) -> Element:
    """A ``kind``, collision or visual; no two parts of a link may share a ``name``."""
    part = add(link, kind, name=name)
    add(part, "pose", pose)
    geometry = add(add(part, "geometry"), shape)
    for key, value in sizes.items():
        add(geometry, key, value)
    return part


def _add_inertia(link: Element, pose: tuple[float, ...], radius: float, length: float) -> None:
    """Mass and moments of a solid upright cylinder."""
    mass = DENSITY * math.pi * radius * radius * length
    inertial = add(link, "inertial")
    add(inertial, "pose", pose)
    add(inertial, "mass", mass)
    inertia, across = add(inertial, "inertia"), mass * (3.0 * radius * radius + length * length) / 12.0
    for key, value in (("ixx", across), ("iyy", across), ("izz", 0.5 * mass * radius * radius), ("ixy", 0.0), ("ixz", 0.0), ("iyz", 0.0)):
        add(inertia, key, value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.10g}" if abs(value) > 1e-12 else "0"
    return str(value)
