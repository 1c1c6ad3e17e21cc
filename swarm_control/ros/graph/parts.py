"""Which processes of a plan run on which computer: all on one, or each robot's on its own and the rest on the operator's."""

from collections.abc import Sequence

from swarm_control.errors import InputError
from swarm_control.ros.graph.spec import HOSTED, NodeSpec, root_of

ALL, BASE, SIMULATION = "all", "base", "simulation"
"""Everything; the operator's nodes; what stands for the robots."""

ENGINES = ("simulator", "floor")
"""The project's own nodes that stand for robots."""


PROCESSES, OTHERS = 100, 4
"""Processes of ROS on one computer that find each other: Fast DDS has ports for so many in a domain. How many of them are left for others
than the swarm's nodes: who watches the run, and commands.
"""


def check_part(name: str, simulator: str, namespace: str) -> None:
    """``InputError`` for what a ``simulator`` cannot do: be a process among parts, or be below a ``namespace``."""
    if name != ALL and simulator == "mujoco":
        raise InputError("part", f"{name} found with mujoco, whose floor only the processes of one run find; expected {ALL}")
    if root_of(namespace) and simulator == "gazebo":
        raise InputError("namespace", f"{namespace} found with gazebo, whose bridge has names without one; expected another simulator")


def part(specs: Sequence[NodeSpec], name: str) -> tuple[NodeSpec, ...]:
    """The processes of one part of an onboard plan: :data:`ALL`, :data:`BASE`, :data:`SIMULATION`, or a robot's name.

    ``InputError`` for a name that no robot has, and for more processes than find each other on one computer.
    """
    found = tuple(specs) if name == ALL else _chosen(specs, name)
    if len(found) > PROCESSES - OTHERS:
        raise InputError(
            "robots", f"{len(found)} processes found for this computer, expected at most {PROCESSES - OTHERS}, which find each other; "
            "start robots that are onboard on more computers, each by --part or robot.launch.py, or fewer of them"
        )  # fmt: skip
    return found


def _chosen(specs: Sequence[NodeSpec], name: str) -> tuple[NodeSpec, ...]:
    engines = [spec for spec in specs if spec.executable in ENGINES or not spec.own]
    if name == SIMULATION:
        return tuple(engines)
    space = HOSTED if name == BASE else f"/{name}"
    found = tuple(spec for spec in specs if spec.namespace == space and spec not in engines)
    if not found:
        robots = sorted({spec.namespace[1:] for spec in specs if spec.namespace not in (HOSTED, "/")})
        shown = f"{', '.join(robots[:8])}{' …' if len(robots) > 8 else ''}" or "robots that are onboard"
        raise InputError("part", f"{name!r} found, expected {ALL}, {BASE}, {SIMULATION}, or one of {shown}")
    return found
