"""Which nodes of a plan share a process."""

from collections.abc import Sequence
from dataclasses import replace

from swarm_control.ros.graph.kinds import KINDS
from swarm_control.ros.graph.spec import HOSTED, NodeSpec

ROBOT = "robot"
"""The kind of process in which the nodes run that decide how one robot moves."""

DECIDING = KINDS[ROBOT].holds
"""These nodes, for one robot or for all."""


def together(nodes: Sequence[NodeSpec]) -> tuple[NodeSpec, ...]:
    """The processes in which ``nodes`` run: those that decide for a robot onboard share one, :mod:`swarm_control.ros.nodes.robot`. Every
    other node has one of its own, above all who stops robots.
    """
    decide = {node.full_name: node for node in nodes if node.namespace != HOSTED and node.executable in DECIDING}
    spaces = {node.namespace: [one for one in decide.values() if one.namespace == node.namespace] for node in decide.values()}
    found = [spaces.pop(node.namespace, []) if node.full_name in decide else [node] for node in nodes]
    return tuple(_shared(group) if len(group) > 1 else group[0] for group in found if group)


def _shared(nodes: Sequence[NodeSpec]) -> NodeSpec:
    """One process for ``nodes`` of one robot, which have arguments in common."""
    parameters = {key: value for node in nodes for key, value in node.parameters.items()}
    rules = tuple(dict.fromkeys(rule for node in nodes for rule in node.remappings))
    arguments = ("--nodes", ",".join(node.executable for node in nodes), *nodes[0].arguments)
    return replace(nodes[0], executable=ROBOT, name=ROBOT, arguments=arguments, parameters=parameters, remappings=rules, nodes=tuple(nodes))
