"""Groups of robots and landmarks: who is in which, where landmarks are, and whether the force laws speak of groups that exist."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from swarm_control.core.geometry import Array, norm
from swarm_control.core.state import Society, Way
from swarm_control.errors import InputError
from swarm_control.safety.fence import polygon
from swarm_control.scenario.schema import Control, Landmarks, RobotGroup, Scenario
from swarm_control.social.laws import Law
from swarm_control.social.spring_links import wrong_springs


def group_names(text: str, where: str) -> frozenset[str]:
    """The names in ``text``, separated by commas; none when it is empty."""
    names = [name.strip() for name in text.split(",")] if text.strip() else []
    if not all(names):
        raise InputError(where, f"{text!r} found, expected names of groups with commas between")
    return frozenset(names)


def check_forces(scenario: Scenario, control: Control, where: str) -> None:
    """Raise ``InputError`` for laws, and springs between single robots, that do not fit the scenario; ``where``: the control tree."""
    _check_laws(scenario, control.social.laws, f"{where}social.laws")
    if wrong := wrong_springs(control.social.springs, sum(group.count for group in scenario.robots)):
        raise InputError(f"{where}social.springs", wrong)


def _check_laws(scenario: Scenario, laws: Sequence[Law], where: str) -> None:
    """Raise ``InputError`` when one of the ``laws`` names a group that has no members, or acts on landmarks."""
    robots = frozenset().union(*(group_names(group.group, where) for group in scenario.robots))
    later = (event.becomes for event in scenario.events)
    landmarks = frozenset().union(*(group_names(text, where) for text in (*(points.group for points in scenario.landmarks), *later)))
    for k, law in enumerate(laws):
        for key, name, known in (("acts_on", law.acts_on, robots), ("of", law.of, robots | landmarks)):
            if name and name not in known:
                found = "group of landmarks, which feel nothing," if name in landmarks else "group without members"
                choices = f"expected one of {', '.join(sorted(known))}" if known else "but no robots are in a group"
                raise InputError(f"{where}[{k}].{key}", f"{name!r}, a {found} found, {choices}")


def check_society(scenario: Scenario, where: str) -> None:
    """Raise ``InputError`` for groups, ways and landmarks that cannot be."""
    for k, group in enumerate(scenario.robots):
        place = f"{where}: robots[{k}]"
        group_names(group.group, f"{place}.group")
        if group.way and group.role != "leading":
            raise InputError(f"{place}.way", "a way of ordinary robots found, expected one of leading robots only")
        if any(later[2] <= earlier[2] for earlier, later in pairwise(group.way)):
            raise InputError(f"{place}.way", "times that do not grow found, expected each later than the one before")
    for k, points in enumerate(scenario.landmarks):
        place = f"{where}: landmarks[{k}]"
        if not group_names(points.group, f"{place}.group"):
            raise InputError(f"{place}.group", "landmarks in no group found, expected one, which laws can name")
        landmark_points(points, place)
    _check_events(scenario, where)
    check_forces(scenario, scenario.control, f"{where}: control.")


def _check_events(scenario: Scenario, where: str) -> None:
    robots = frozenset().union(*(group_names(group.group, where) for group in scenario.robots))
    marks = frozenset().union(*(group_names(points.group, where) for points in scenario.landmarks))
    for k, event in enumerate(scenario.events):
        place = f"{where}: events[{k}]"
        if not group_names(event.becomes, f"{place}.becomes"):
            raise InputError(f"{place}.becomes", "no group found, expected one, which laws can name")
        marks |= group_names(event.becomes, place)
        for key, name, known in (("of", event.of, marks), ("by", event.by, robots | {""})):
            if name not in known:
                raise InputError(f"{place}.{key}", f"{name!r} found, expected one of {', '.join(sorted(known - {''})) or 'no groups'}")


def landmark_points(landmarks: Landmarks, where: str) -> Array:
    """The points (M, 2) m, world frame, that ``landmarks`` stand for."""
    if landmarks.shape == "circle":
        angle = 2.0 * np.pi * np.arange(landmarks.count) / landmarks.count
        return np.array(landmarks.center) + landmarks.radius * np.stack((np.cos(angle), np.sin(angle)), axis=-1)
    least = {"points": 1, "line": 2, "outline": 3}[landmarks.shape]
    if len(landmarks.points) % 2 or len(landmarks.points) < 2 * least:
        expected = f"expected x and y of at least {least} point{'s' if least > 1 else ''}"
        raise InputError(f"{where}.points", f"{len(landmarks.points)} numbers found, {expected}")
    points = np.array(landmarks.points).reshape(-1, 2)
    if landmarks.shape == "points":
        return points
    if landmarks.shape == "outline":
        try:
            points = polygon(landmarks.points)
        except ValueError as error:
            raise InputError(f"{where}.points", str(error)) from None
        points = np.vstack((points, points[:1]))
    return _along(points, landmarks.spacing, closed=landmarks.shape == "outline")


def _along(corners: Array, spacing: float, closed: bool) -> Array:
    """Points on the way through ``corners`` (K, 2) m: all of these, and as many between as keep neighbours within ``spacing`` (m)."""
    found = []
    for a, b in pairwise(corners):
        pieces = max(int(np.ceil(norm(b - a) / spacing - 1e-9)), 1)
        found.append(a + (b - a) * (np.arange(pieces) / pieces)[:, None])
    return np.vstack(found if closed else [*found, corners[-1:]])


def make_society(groups: Sequence[RobotGroup], position: Array, landmarks: Sequence[Landmarks], where: str) -> Society:
    """Who belongs to which groups; ``groups`` of robots in the order of the fleet, which starts at ``position`` (N, 2) m."""
    sets = [group_names(group.group, where) | {""} for group in groups]
    points = [landmark_points(item, where) for item in landmarks]
    marks = [group_names(item.group, where) for item, at in zip(landmarks, points) for _ in at]
    kinds = tuple(sorted({*sets, *marks}, key=sorted))
    number = {kind: k for k, kind in enumerate(kinds)}
    leads = np.repeat([group.role == "leading" for group in groups], [group.count for group in groups])
    robot = np.repeat(np.array([number[kind] for kind in sets], np.int64), [group.count for group in groups])
    mark = np.array([number[kind] for kind in marks], np.int64)
    return Society(kinds, robot, np.vstack([np.empty((0, 2)), *points]), mark, leads, _ways(groups, position))


def _ways(groups: Sequence[RobotGroup], position: Array) -> tuple[Way, ...]:
    found, first = [], 0
    for group in groups:
        robots = np.arange(first, first + group.count)
        first += group.count
        if group.role == "leading":
            middle = position[robots].mean(axis=0)
            way = np.array(group.way or [(*middle, 0.0)])
            found.append(Way(robots, position[robots] - middle, way[:, 2], way[:, :2]))
    return tuple(found)
