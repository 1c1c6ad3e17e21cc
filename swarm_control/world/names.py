"""Names as other programs take them: of robots, and of files beside a world."""

import re
from collections.abc import Sequence
from pathlib import Path

from swarm_control.errors import InputError

TOPIC = re.compile(r"(/[A-Za-z_][A-Za-z0-9_]*)+")
"""A topic's name as ROS has it, from the root; it has no two underscores on end either."""


LONGEST, LONGEST_ROBOT = 200, 100
"""Letters of a topic's name, and of a robot's, at most: ROS takes 247 for a topic with all that is before it."""


def is_topic(name: str) -> bool:
    """Whether it is the full name of a topic."""
    return TOPIC.fullmatch(name) is not None and "__" not in name and len(name) <= LONGEST


def robot_name(name: str) -> str:
    """A robot's name as a ROS namespace: what ROS does not allow, two underscores on end too, becomes one underscore."""
    token = re.sub(r"[^A-Za-z0-9]+", "_", name)
    return token if token[:1].isalpha() or token[:1] == "_" else f"robot_{token}"


def robot_names(names: Sequence[str]) -> list[str]:
    """The names of all robots as ROS namespaces. ``InputError`` when two become the same, or one is too long."""
    found: dict[str, str] = {}
    for name in names:
        if len(name) > LONGEST_ROBOT:
            raise InputError("robots", f"{name[:20]}… has {len(name)} letters, expected at most {LONGEST_ROBOT} in a robot's name")
        other = found.setdefault(robot_name(name), name)
        if other != name:
            raise InputError("robots", f"{other} and {name} are both {robot_name(name)} in ROS, expected names that stay apart")
    return list(found)


def bridge_of(world: Path) -> Path:
    """The configuration of the bridge to ROS for the file of a world of Gazebo. Worlds in one folder have one each."""
    return world.with_suffix(".bridge.yaml")
