"""Markers for RViz and Foxglove, from the tables of a scene: few markers with many points each."""

from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from swarm_control.core.geometry import Array, rotate
from swarm_control.dashboard.frames import FALLEN, LEADER, Table
from swarm_control.ros.graph import topics

BLUE, RED, GREEN, GREY, PURPLE = (0.13, 0.36, 0.83), (0.85, 0.15, 0.13), (0.05, 0.55, 0.25), (0.55, 0.58, 0.62), (0.55, 0.2, 0.7)
PALETTE = ((0.12, 0.47, 0.71), (1.0, 0.5, 0.05), (0.17, 0.63, 0.17), (0.84, 0.15, 0.16), (0.58, 0.4, 0.74), (0.55, 0.34, 0.29),
           (0.89, 0.47, 0.76), (0.74, 0.74, 0.13), (0.09, 0.75, 0.81))  # fmt: skip
"""Colours of behaviours, in the order of their numbers."""

WEDGE = np.array([[1.3, 0.0], [-0.9, 0.8], [-0.9, -0.8]])
"""A robot's arrowhead, in radii of its footprint."""

REACH = 0.5
"""Length (m) of an arrow for 1 m/s²."""


def markers(tables: dict[Table, Array], names: list[str], radius: Array, stamp: Time) -> MarkerArray:
    """All markers of a scene; ``names`` of the behaviours, ``radius`` (N,) m of the footprints. Frame ``map``, metres."""
    robots = tables[Table.ROBOTS]
    known = np.isfinite(robots[:, :3]).all(axis=1)
    leads, fallen = (known & (robots[:, 6].astype(int) & bit > 0) for bit in (LEADER, FALLEN))
    thin = 0.15 * float(np.mean(radius))
    found = [
        _marker("robots", Marker.TRIANGLE_LIST, wedges(robots[known & ~leads & ~fallen], radius[known & ~leads & ~fallen]), BLUE, 1.0),
        _marker("leaders", Marker.TRIANGLE_LIST, wedges(robots[leads], radius[leads]), RED, 1.0),
        _marker("fallen", Marker.CUBE_LIST, robots[fallen, :2], GREY, 2.0 * float(np.mean(radius))),
        _marker("neighbours", Marker.LINE_LIST, _lines(tables, robots), GREY, thin, 0.5),
    ]
    if Table.TARGETS in tables:
        places = tables[Table.TARGETS][:, 1:3]
        found.append(_marker("places", Marker.SPHERE_LIST, places, PURPLE, 0.6 * float(np.mean(radius))))
    if Table.STRUCTURE in tables:
        cross = _axes(tables[Table.STRUCTURE], 6.0 * float(np.mean(radius)))
        found.append(_marker("structure", Marker.LINE_LIST, cross, PURPLE, 2.0 * thin))
    if Table.GOALS in tables:
        found.append(_marker("goals", Marker.SPHERE_LIST, tables[Table.GOALS][:, :2], GREEN, 2.0 * float(np.mean(radius))))
    found += _arrows(tables, names, robots, thin)
    for k, marker in enumerate(found):
        marker.header.frame_id, marker.header.stamp, marker.id = topics.FRAME, stamp, k
    return MarkerArray(markers=found)


def wedges(robots: Array, radius: Array) -> Array:
    """Corners (3n, 2) of arrowheads at the poses of ``robots`` (n, …)."""
    corners = rotate(np.broadcast_to(WEDGE, (len(robots), 3, 2)), robots[:, None, 2]) * radius[:, None, None]
    return (robots[:, None, :2] + corners).reshape(-1, 2)


def _lines(tables: dict[Table, Array], robots: Array) -> Array:
    """From every robot to each one that it perceives, as pairs of points (2m, 2)."""
    pairs = tables.get(Table.NEIGHBOURS, np.empty((0, 4)))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return np.stack((robots[pairs[:, 0].astype(int), :2], pairs[:, 2:4]), axis=1).reshape(-1, 2)


def _axes(structure: Array, length: float) -> Array:
    """A cross at each structure's pose, its longer arm ahead."""
    arms = length * np.array([[-0.5, 0.0], [1.0, 0.0], [0.0, -0.5], [0.0, 0.5]])
    return (structure[:, None, :2] + rotate(np.broadcast_to(arms, (len(structure), 4, 2)), structure[:, None, 2])).reshape(-1, 2)


def _arrows(tables: dict[Table, Array], names: list[str], robots: Array, thin: float) -> list[Marker]:
    """One marker for each behaviour: a line from every robot as long as what the behaviour was granted."""
    rows = tables.get(Table.ARROWS, np.empty((0, 4)))
    found = []
    for k, name in enumerate(names):
        mine = rows[rows[:, 1] == k]
        start = robots[mine[:, 0].astype(int), :2]
        lines = np.stack((start, start + REACH * mine[:, 2:4]), axis=1).reshape(-1, 2)
        found.append(_marker(name, Marker.LINE_LIST, lines, PALETTE[k % len(PALETTE)], thin))
    return found


def _marker(name: str, kind: int, points: Array, colour: tuple[float, float, float], size: float, alpha: float = 1.0) -> Marker:
    """A marker of the namespace ``name``; one without points takes away what was there."""
    points = points.reshape(-1, 2)
    group = {Marker.LINE_LIST: 2, Marker.TRIANGLE_LIST: 3}.get(kind, 1)
    whole = np.isfinite(points).all(axis=1).reshape(-1, group).all(axis=1)
    marker: Any = Marker(ns=name, type=kind, action=Marker.ADD if whole.any() else Marker.DELETE)
    marker.pose.orientation.w = 1.0
    marker.scale, marker.color = Vector3(x=size, y=size, z=size), ColorRGBA(r=colour[0], g=colour[1], b=colour[2], a=alpha)
    marker.points = [Point(x=x, y=y) for x, y in points.reshape(-1, group, 2)[whole].reshape(-1, 2).tolist()]
    return marker  # type: ignore[no-any-return]
