"""The node plan: which processes make up a running swarm. ``swarm run`` and ``launch/swarm.launch.py`` both read it.

Nothing here needs ROS, so that a plan can be made, shown and tested anywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from swarm_control.scenario.schema import Scenario

SIMULATORS = ("embedded", "stage", "gazebo", "none")
HOSTED = "/swarm"
"""Namespace of nodes that serve the whole swarm."""

PARENT = "SWARM_CONTROL_PARENT"
"""Environment variable with the process whose end ends a node."""

SHARED = ("goals", "swarm_state", "status", "structure/cmd_vel")
"""Relative topics that onboard nodes share with the hosted ones."""


@dataclass(frozen=True)
class NodeSpec:
    """One node process. ``arguments`` are its own, ``parameters`` and ``remappings`` those of ROS."""

    executable: str
    name: str
    namespace: str
    arguments: tuple[str, ...]
    parameters: dict[str, Any] = field(default_factory=dict)
    remappings: tuple[tuple[str, str], ...] = ()

    @property
    def full_name(self) -> str:
        """Name in the graph, with its namespace."""
        return f"{self.namespace.rstrip('/')}/{self.name}"

    @property
    def module(self) -> str:
        """The module that runs as this process."""
        return f"swarm_control.nodes.{self.executable}"

    def ros_arguments(self) -> list[str]:
        """The command line after the node's own arguments."""
        rules = [("__node", self.name), ("__ns", self.namespace), *self.remappings]
        words = ["--ros-args"]
        for left, right in rules:
            words += ["-r", f"{left}:={right}"]
        for name, value in self.parameters.items():
            words += ["-p", f"{name}:={str(value).lower() if isinstance(value, bool) else value}"]
        return words


def plan(
    scenario: str, overrides: Sequence[str] = (), simulator: str = "embedded", *, speed: float = 1.0, wait: float = 60.0,
    onboard: Sequence[str] = (), formation: bool = False, watchers: int = 0,
) -> tuple[NodeSpec, ...]:  # fmt: skip
    """Return the processes for a ``scenario`` (name or path) with ``overrides`` (``PATH=VALUE``).

    With the ``embedded`` simulator all runs on simulated time at ``speed``, and its ``swarm_state`` is listened to; it waits at most
    ``wait`` (s) for all robots' first commands. With ``stage`` and ``gazebo``, which are started elsewhere, and with ``none`` (real
    robots) the robots' own ``odom`` is; Gazebo and Stage bring a clock of their own. ``onboard``: names of robots, in the order of the
    fleet, that each run neighbourhood, behaviours and motion model in their own namespace. ``formation``: whether the scenario has
    one at any time, see :func:`forms`; then virtual_structure runs, too. ``watchers``: how many others must hear the simulator from
    its first state on; time starts when they, and the nodes, are there.
    """
    if simulator not in SIMULATORS:
        raise ValueError(f"{simulator!r} found, expected one of {', '.join(SIMULATORS)}")
    words: list[str] = ["--scenario", str(scenario)]
    for change in overrides:
        words += ["--set", change]
    common = {"use_sim_time": simulator != "none", "source": "swarm_state" if simulator == "embedded" else "odom"}
    found = [
        NodeSpec(kind, kind, namespace, (*words, *robots), common, tuple((name, f"{HOSTED}/{name}") for name in shared))
        for namespace, robots, shared in _places(onboard)
        for kind in ("neighbourhood", "behaviours", *(["virtual_structure"] if formation else []), "motion_model")
    ]
    director = {**common, "onboard": True} if onboard else common
    found.append(NodeSpec("director", "director", HOSTED, tuple(words), director))
    if simulator == "embedded":
        options: dict[str, Any] = {"speed": float(speed), "wait": float(wait)}
        if watchers:
            options["listeners"] = watchers + sum(spec.executable != "behaviours" for spec in found)
        found.append(NodeSpec("simulator", "simulator", HOSTED, tuple(words), options))
    return tuple(found)


def forms(scenario: Scenario) -> bool:
    """Whether robots keep a formation at any time."""
    return scenario.control.formation.enabled or any("formation.enabled" in phase.set for phase in scenario.phases)


def _places(onboard: Sequence[str]) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Namespace, own arguments and shared topics of each group of nodes that serve robots."""
    if not onboard:
        return [(HOSTED, (), ())]
    return [(f"/{name}", ("--robots", str(k)), SHARED) for k, name in enumerate(onboard)]
