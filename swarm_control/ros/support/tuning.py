"""Tuning the nodes of a running graph: their parameters as they now are, and changes with an answer."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rcl_interfaces.msg import ParameterEvent
from rcl_interfaces.srv import GetParameters, SetParametersAtomically
from rclpy.parameter import parameter_value_to_python

from swarm_control.errors import InputError
from swarm_control.ros.graph.kinds import KINDS, owners
from swarm_control.ros.support.parameters import ros_parameter
from swarm_control.ros.support.services import Services
from swarm_control.scenario.groups import Controls, bare

ALIVE = 10.0
"""A node that has said nothing for longer (s) counts as gone."""

Answer = Callable[[bool, str], None]


@dataclass
class _Change:
    """A change under way: which nodes have not answered yet, and what others had against it."""

    answer: Answer
    left: set[str]
    against: list[str]


class Tuner:
    """Knows the ``control`` trees as they stand in the nodes of ``namespaces``, and changes it."""

    def __init__(self, node: Any, controls: Controls, namespaces: Sequence[str], services: Services) -> None:
        self.controls = controls
        self._namespaces, self._services, self._node = tuple(namespaces), services, node
        self._specs = {name: spec for name, spec, _ in controls.flatten()}
        self._heard: dict[str, tuple[str, float]] = {}
        node.create_subscription(ParameterEvent, "/parameter_events", self._hear_event, 100)

    def hear(self, name: str, process: str) -> None:
        """A node has said that it is alive; the parameters of one that has just been started are asked for."""
        space, _, kind = name.rpartition("/")
        if kind not in KINDS or space not in {*self._namespaces, "/swarm"}:
            return
        if self._heard.get(name, ("", 0.0))[0] != process:
            self._ask(name, kind)
        self._heard[name] = process, time.monotonic()

    def alive(self, name: str) -> bool:
        """Whether the node has been heard lately."""
        return time.monotonic() - self._heard.get(name, ("", -1e9))[1] < ALIVE

    def set(self, changes: dict[str, Any], answer: Answer) -> None:
        """Change parameters in the nodes that own them, all or none in each; ``answer`` gets whether it was done, and what was wrong."""
        try:
            wished = self.controls.change(changes, "parameters")
            if "period" in changes:
                raise InputError("parameters: period", "it lasts for a whole run, expected other parameters")
        except InputError as error:
            answer(False, str(error).removeprefix("parameters: "))
            return
        new = {name: value for name, _, value in wished.flatten() if name in changes}
        targets: dict[str, dict[str, Any]] = {}
        for name, value in new.items():
            found = [f"{space}/{kind}" for kind in owners(name) for space in {*self._namespaces, "/swarm"}]
            found = [target for target in found if self.alive(target)]
            if not found:
                answer(False, f"{name} belongs to the node {' or '.join(owners(name))}, which is not running")
                return
            for target in found:
                targets.setdefault(target, {})[name] = value
        under_way = _Change(answer, set(targets), [])
        for target, part in targets.items():
            self._send(target, part, under_way)

    def _send(self, target: str, changes: dict[str, Any], under_way: _Change) -> None:
        request = SetParametersAtomically.Request()
        request.parameters = [ros_parameter(name, self._specs[name], value).to_parameter_msg() for name, value in changes.items()]

        def answered(response: Any) -> None:
            if response is None:
                under_way.against.append(f"{target} does not answer")
            elif not response.result.successful:
                under_way.against.append(f"{target} refused: {response.result.reason}")
            else:
                self._adopt(changes)
            under_way.left.discard(target)
            if not under_way.left:
                under_way.answer(not under_way.against, "; ".join(under_way.against))

        name = f"{target}/set_parameters_atomically"
        self._services.call(SetParametersAtomically, name, request, answered, key=" ".join(sorted(changes)))

    def _ask(self, target: str, kind: str) -> None:
        names = [name for name in self._specs if bare(name).split(".")[0] in KINDS[kind].groups]
        if not names:
            return

        def answered(response: Any) -> None:
            if response is not None and len(response.values) == len(names):
                values = map(parameter_value_to_python, response.values)
                self._adopt({name: value for name, value in zip(names, values) if value is not None})

        self._services.call(GetParameters, f"{target}/get_parameters", GetParameters.Request(names=names), answered, patience=20.0)

    def _hear_event(self, event: ParameterEvent) -> None:
        name = self._node.within(event.node)
        space, _, kind = (name or "").rpartition("/")
        if kind not in KINDS or space not in {*self._namespaces, "/swarm"}:
            return
        heard = {p.name: parameter_value_to_python(p.value) for p in (*event.new_parameters, *event.changed_parameters)}
        self._adopt({name: value for name, value in heard.items() if kind in owners(name) and value is not None})
        if name in self._heard:
            self._heard[name] = self._heard[name][0], time.monotonic()

    def _adopt(self, changes: dict[str, Any]) -> None:
        known = {name: list(value) if hasattr(value, "tolist") else value for name, value in changes.items() if name in self._specs}
        try:
            self.controls = self.controls.change(known, "heard")
        except InputError as error:
            self._node.get_logger().warning(f"a value that does not fit: {error}")
