"""A drawing as a course: the paths of an SVG file, one after the other, in millimetres, y downwards as drawings have it."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np

from swarm_control.core.geometry import Array
from swarm_control.errors import InputError
from swarm_control.formation.itinerary import Itinerary

UNIT, FINE = 0.001, 0.002
"""Length (m) of a unit of the drawing, and how fine (m) its curves are sampled."""


def from_svg(text: str, where: str) -> Itinerary:
    """The course of the only ``<path>`` of a drawing; the structure's heading is 0 all the way."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise InputError(where, "a document type found, expected an SVG file without")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{where}: line {error.position[0]}", "not well-formed XML found, expected an SVG file") from None
    paths = [item for item in root.iter() if item.tag.rpartition("}")[2] == "path"]
    if len(paths) != 1:
        raise InputError(where, f"{len(paths)} paths found, expected one <path>")
    if any("transform" in item.attrib for item in root.iter()):
        raise InputError(where, "an attribute transform found, expected coordinates as they are to be (millimetres)")
    line = next((k for k, row in enumerate(text.splitlines(), 1) if re.search(r"<([\w.-]+:)?path\b", row)), 1)
    return Itinerary(_poses(paths[0].get("d", ""), f"{where}: line {line}: d"), None)


def _poses(d: str, where: str) -> Array:
    try:
        from svg.path import Move, parse_path
    except ImportError:
        raise InputError(where, "svg.path is not installed, expected it for drawings: pip install swarm_control[drawing]") from None
    try:
        segments = [segment for segment in parse_path(d) if segment.length() > 0.0 or isinstance(segment, Move)]
        if any(isinstance(segment, Move) for segment in segments[1:]):
            raise InputError(where, "a gap found, expected one stroke")
        drawn = [segment for segment in segments if not isinstance(segment, Move)]
        counts = [max(int(np.ceil(segment.length() * UNIT / FINE)), 1) for segment in drawn]
        places = [segment.point(k / n) for segment, n in zip(drawn, counts) for k in range(1, n + 1)]
        places = [drawn[0].point(0.0), *places] if drawn else []
    except InputError:
        raise
    except Exception as error:  # svg.path raises whatever its parts do
        raise InputError(where, f"{d[:40]!r} found ({error}), expected an SVG path") from None
    if not places or not np.isfinite(places).all():
        raise InputError(where, f"{d[:40]!r} found, expected an SVG path of some length")
    return UNIT * np.array([(place.real, -place.imag, 0.0) for place in places])
