"""Robots as URDF, for programs that draw them. The one link is the middle of the footprint on the floor, as the robot's pose."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, tostring

from swarm_control.core.geometry import Array
from swarm_control.core.robot import ROBOTS
from swarm_control.core.state import Fleet
from swarm_control.world.names import robot_name

HEIGHT, NOSE, WHEEL, WIDTH = 0.8, 0.4, 0.35, 0.2
"""Height of a body, side of the block that shows where it is ahead, radius and width of a wheel, in radii of the footprint."""

COLOURS = {"body": "0.25 0.45 0.75 1", "nose": "0.95 0.95 0.95 1", "wheel": "0.15 0.15 0.15 1"}


@dataclass(frozen=True)
class Piece:
    """A thing that is seen of a robot, at ``place`` (3,) m and ``turn`` (3, 3) in the frame of its pose.

    ``shape`` and ``size`` (m): a sphere's radius, a cylinder's radius and length, along z, a box' sides; none of a mesh, which is in the
    ``file``, a URI. ``colour`` (4,): red, green, blue, opacity.
    """

    shape: str
    size: tuple[float, ...]
    place: Array
    turn: Array
    colour: Array
    file: str = ""


SIZES = {"sphere": ("radius",), "cylinder": ("radius", "length"), "box": ("size",), "mesh": ()}
"""The attributes of each shape in URDF."""


def urdf(fleet: Fleet, robot: int, pieces: Sequence[Piece] = ()) -> str:
    """The description of a robot (its number): the link ``<name>/base_link``; m. It shows the ``pieces``; without any, a cylinder as wide
    as the footprint, what is ahead, and the wheels of those on two.
    """
    if pieces:
        return _pieced(robot_name(fleet.names[robot]), pieces)
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


def _pieced(name: str, pieces: Sequence[Piece]) -> str:
    """The description of a robot of this ``name`` that is made of ``pieces``."""
    root = Element("robot", name=name)
    link = SubElement(root, "link", name=f"{name}/base_link")
    for piece in pieces:
        visual = SubElement(link, "visual")
        SubElement(visual, "origin", xyz=_text(*piece.place), rpy=_text(*_angles(piece.turn)))
        numbers = [_text(*piece.size)] if piece.shape == "box" else [_text(size) for size in piece.size]
        sizes = dict(zip(SIZES[piece.shape], numbers, strict=True)) | ({"filename": piece.file} if piece.file else {})
        SubElement(SubElement(visual, "geometry"), piece.shape, sizes)
        colour = _text(*piece.colour)
        SubElement(SubElement(visual, "material", name=colour), "color", rgba=colour)
    return tostring(root, encoding="unicode")


def _angles(turn: Array) -> tuple[float, float, float]:
    """Roll, pitch and yaw (rad) about fixed axes of a rotation (3, 3)."""
    pitch = math.asin(min(max(-float(turn[2, 0]), -1.0), 1.0))
    if abs(turn[2, 0]) > 1.0 - 1e-9:  # straight up or down: all of the rest is roll
        return math.atan2(float(math.copysign(1.0, pitch) * turn[0, 1]), float(turn[1, 1])), pitch, 0.0
    return math.atan2(float(turn[2, 1]), float(turn[2, 2])), pitch, math.atan2(float(turn[1, 0]), float(turn[0, 0]))


def _part(link: Element, colour: str, at: tuple[float, float, float], shape: str, turn: str = "0 0 0", **sizes: str) -> None:
    visual = SubElement(link, "visual")
    SubElement(visual, "origin", xyz=_text(*at), rpy=turn)
    SubElement(SubElement(visual, "geometry"), shape, sizes)
    SubElement(visual, "material", name=colour)


def _text(*numbers: float) -> str:
    return " ".join(f"{number:.6g}" for number in numbers)
