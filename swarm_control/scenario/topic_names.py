"""What the topics of real robots are called: the names in ``hardware.topics``, with each robot's in place of the braces."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from string import Formatter

from swarm_control.errors import InputError
from swarm_control.scenario.hardware import RobotTopics
from swarm_control.world.names import is_topic, robot_name, robot_names

TEMPLATES = tuple(field.name for field in fields(RobotTopics) if field.name not in ("stamped", "shared"))
"""The keys that hold names."""


@dataclass(frozen=True)
class RealTopics:
    """What the drivers of real robots are told and heard on.

    ``renamed``: for each of :data:`TEMPLATES`, pairs of a standard name and the real one, of robots where they differ, by the robots'
    numbers. ``stamped``: what commands are, as ``hardware.topics.stamped`` says.
    """

    renamed: dict[str, dict[int, tuple[str, str]]]
    stamped: str


def topic_names(template: str, names: Sequence[str], key: str) -> list[str]:
    """The topic of each robot of ``names`` by a ``template``; ``InputError`` at ``key`` for one that gives no topics of their own."""
    try:
        parts = [part[1:] for part in Formatter().parse(template) if part[1] is not None]
        fields = {(field, spec if field == "robot" else "", change) for field, spec, change in parts}
        found = [template.format(robot=robot_name(name), index=k) for k, name in enumerate(names)]
    except (LookupError, TypeError, ValueError, AttributeError):
        fields, found = {("", "", None)}, []
    if not fields <= {("robot", "", None), ("index", "", None)}:
        raise InputError(key, f"{template!r} found, expected no more than {{robot}} and {{index}} in braces")
    for topic in found:
        if not is_topic(topic):
            expected = "expected the name of a topic, with a slash before it: letters, digits, underscores and slashes"
            raise InputError(key, f"{topic!r} found, {expected}")
    if len(set(found)) < len(found):
        raise InputError(key, f"{template!r} found, the same topic for all robots; expected {{robot}} or {{index}} in it")
    return found


def real_topics(
    topics: RobotTopics, names: Sequence[str], where: str = "hardware.topics", told: bool = False
) -> RealTopics:  # fmt: skip
    """The topics of the robots ``names``; ``InputError`` where they are none, or odometry's are commands' too.

    Shared ones begin with two slashes; ``told``: odometry is told by nodes of each swarm's own, and is not shared.
    """
    renamed, known = dict[str, dict[int, tuple[str, str]]](), dict[str, str]()
    if replace(topics, stamped="auto") == RobotTopics():
        return RealTopics(renamed, topics.stamped)
    robot_names(names)
    for kind in TEMPLATES:
        template, standard = getattr(topics, kind), getattr(RobotTopics(), kind)
        found = topic_names(template, names, f"{where}.{kind}")
        both = next((name for name in found if name in known), None)
        if both is not None:
            raise InputError(f"{where}.{kind}", f"{both} found, which hardware.topics.{known[both]} names, too; expected another")
        known |= dict.fromkeys(found, kind)
        if topics.shared and not (told and kind == "odom"):
            found = [f"/{name}" for name in found]
        pairs = zip(topic_names(standard, names, f"{where}.{kind}"), found)
        renamed[kind] = {k: (usual, real) for k, (usual, real) in enumerate(pairs) if usual != real}
    return RealTopics(renamed, topics.stamped)
