"""Robots as URDF, for programs that draw them. The one link is the middle of the footprint on the floor, as the robot's pose."""

import math
from xml.etree.ElementTree import Element, SubElement, tostring

from swarm_control.core.robot import ROBOTS
from swarm_control.core.state import Fleet
from swarm_control.world.names import robot_name

HEIGHT, NOSE, WHEEL, WIDTH = 0.8, 0.4, 0.35, 0.2
"""Height of a body, side of the block that shows where it is ahead, radius and width of a wheel, in radii of the footprint."""

COLOURS = {"body": "0.25 0.45 0.75 1", "nose": "0.95 0.95 0.95 1", "wheel": "0.15 0.15 0.15 1"}


def urdf(fleet: Fleet, robot: int) -> str:
    """The description of a robot (its number): the link ``<name>/base_link``; m. Robots on two wheels show them, walking ones none."""
    name, r = robot_name(fleet.names[robot]), float(fleet.radius[robot])
    root = Element("robot", name=name)
    for colour, rgba in COLOURS.items():
        SubElement(SubElement(root, "material", name=colour), "color", rgba=rgba)
    link = SubElement(root, "link", name=f"{name}/base_link")
    low = 0.5 * WHEEL * r
    _part(link, "body", (0.0, 0.0, low + 0.5 * HEIGHT * r), "cylinder", radius=_text(r), length=_text(HEIGHT * r))
    _part(link, "nose", (0.7 * r, 0.0, low + HEIGHT * r), "box", size=_text(NOSE * r, 0.5 * NOSE * r, 0.25 * NOSE * r))
    if ROBOTS[fleet.model[robot]].wheels and ROBOTS[fleet.model[robot]].body is None:
        for side in (0.5, -0.5):
            at, size = (0.0, side * float(fleet.wheel_base[robot]), WHEEL * r), {"radius": _text(WHEEL * r), "length": _text(WIDTH * r)}
            _part(link, "wheel", at, "cylinder", turn=_text(math.pi / 2, 0.0, 0.0), **size)
    return tostring(root, encoding="unicode")


def _part(link: Element, colour: str, at: tuple[float, float, float], shape: str, turn: str = "0 0 0", **sizes: str) -> None:
    visual = SubElement(link, "visual")
    SubElement(visual, "origin", xyz=_text(*at), rpy=turn)
    SubElement(SubElement(visual, "geometry"), shape, sizes)
    SubElement(visual, "material", name=colour)


def _text(*numbers: float) -> str:
    return " ".join(f"{number:.6g}" for number in numbers)
