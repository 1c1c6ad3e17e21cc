"""The topics of real robots in a node plan: what their drivers call them, as remappings of the project's own nodes."""

from dataclasses import replace

from swarm_control.ros.graph.spec import NodeSpec
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.setup import Setup
from swarm_control.scenario.topic_names import RealTopics, real_topics
from swarm_control.world.names import robot_names

TOUCHING = {
    "odom": (
        "neighbourhood", "behaviours", "virtual_structure", "motion_model", "director", "aggregator", "dashboard", "markers",
        "tracker", "wheel_driver",
    ),
    "cmd_vel": ("motion_model", "wheel_driver"),
}  # fmt: skip
"""Nodes with the robots' topics, by the keys of ``hardware.topics``. Guards are told the names by who commands."""


def topics_of(loaded: Loaded, setup: Setup, simulator: str) -> RealTopics | None:
    """What the topics of the scenario's robots are called; None where they are a simulator's, which are always the same.

    ``InputError`` where ROS cannot tell two robots apart by their names.
    """
    robot_names(setup.fleet.names)
    if simulator != "none":
        return None
    hardware = loaded.scenario.hardware
    return real_topics(hardware.topics, setup.fleet.names, told=hardware.tracker.source != "none")


def renamed(spec: NodeSpec, topics: RealTopics | None) -> NodeSpec:
    """A node that finds the robots' ``topics``, those of commands of the robots that it serves; None: as it is."""
    if topics is None:
        return spec
    rules = []
    for kind, pairs in topics.renamed.items():
        mine = _served(spec) if kind == "cmd_vel" else None
        if spec.executable in TOUCHING[kind]:
            rules += [rule for robot, rule in pairs.items() if mine is None or robot == mine]
    commands = {"commands": topics.stamped} if spec.executable == "motion_model" else {}
    return replace(spec, remappings=(*spec.remappings, *rules), parameters={**spec.parameters, **commands})


def _served(spec: NodeSpec) -> int | None:
    """The robot that a node onboard serves; None: it serves all."""
    words = spec.arguments
    return int(words[words.index("--robots") + 1]) if "--robots" in words else None


def rules_of(topics: RealTopics | None) -> tuple[tuple[str, str], ...]:
    """Every remapping, for a node that is in no plan."""
    return () if topics is None else tuple(rule for pairs in topics.renamed.values() for rule in pairs.values())
