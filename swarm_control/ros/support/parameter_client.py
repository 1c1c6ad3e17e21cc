"""Parameters of a running swarm from outside: a node that joins the graph for a moment, and asks or sets the nodes that own them."""

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from rcl_interfaces.srv import GetParameters, SetParametersAtomically
from rclpy.parameter import parameter_value_to_python

from swarm_control.errors import Failed, InputError, similar
from swarm_control.ros.graph.kinds import owners
from swarm_control.ros.support.graph_client import GraphClient
from swarm_control.ros.support.parameters import ros_parameter
from swarm_control.ros.support.services import Services
from swarm_control.scenario.groups import bare
from swarm_control.scenario.schema import Control
from swarm_control.scenario.tree import check, flatten

LISTEN = 1.5
"""How long (s) nodes are looked for from the first that is found: each announces itself once a second."""


class ParameterClient(GraphClient):
    """Reads and sets parameters of the ``control`` tree, by dotted name, on all nodes of the swarm below ``root`` that own them.

    Use as a context manager. ``patience`` (s): how long nodes have to be found, and to answer; ``Failed`` when they do not.
    """

    kind = "parameter_client"

    def __init__(self, root: str = "", patience: float = 10.0) -> None:
        super().__init__(root)
        self._specs = {name: spec for name, spec, _ in flatten(Control())}
        self._patience, self._asking = patience, Services(self)

    def get(self, names: Sequence[str]) -> dict[str, Any]:
        """The values as they now stand."""
        self._check(names)
        asked: dict[str, list[str]] = {}
        for name in names:
            asked.setdefault(self._owners([name])[0], []).append(name)
        found = self._call(GetParameters, "get_parameters", {node: GetParameters.Request(names=of) for node, of in asked.items()})
        values = {name: value for node, of in asked.items() for name, value in zip(of, found[node].values)}
        return {name: _plain(parameter_value_to_python(values[name])) for name in names}

    def set(self, changes: Mapping[str, Any]) -> list[str]:
        """Set ``changes`` wherever they belong, all of one node or none; which nodes took them. ``InputError`` with a node's reason."""
        self._check(changes)
        values = {name: check(self._specs[bare(name)], value, "swarm param set", name) for name, value in changes.items()}
        requests = {}
        for node in self._owners(changes):
            own = [name for name in values if node.rpartition("/")[2] in owners(name)]
            made = [ros_parameter(name, self._specs[bare(name)], values[name]).to_parameter_msg() for name in own]
            requests[node] = SetParametersAtomically.Request(parameters=made)
        for node, answer in self._call(SetParametersAtomically, "set_parameters_atomically", requests).items():
            if not answer.result.successful and answer.result.reason.startswith("Invalid access to undeclared"):
                raise InputError(node, f"no {' or '.join(changes)} found, expected the name of a group that the scenario has")
            if not answer.result.successful:
                raise InputError(node, answer.result.reason)
        return sorted(requests)

    def _check(self, names: Iterable[str]) -> None:
        for name in names:
            if bare(name) not in self._specs:
                raise InputError(name, f"unknown parameter{similar(bare(name), self._specs)}")
            if not owners(name):
                raise InputError(name, "fixed while the swarm runs, expected a parameter of a node, such as separation.weight")

    def _owners(self, names: Iterable[str]) -> list[str]:
        """The nodes that own any of the parameters, in their order."""
        kinds = {kind for name in names for kind in owners(name)}
        end, seen = time.monotonic() + self._patience, float("inf")
        while time.monotonic() < min(end, seen + LISTEN):
            self.serve(0.05)
            graph = [(name, space.rstrip("/")) for name, space in self.get_node_names_and_namespaces()]
            found = sorted(f"{space}/{name}".removeprefix(self.root) for name, space in graph if name in kinds and self._here(space))
            seen = min(seen, time.monotonic()) if found else float("inf")
        if not found:
            raise Failed(f"no {' or '.join(sorted(kinds))} found within {self._patience:g} s (ROS_DOMAIN_ID {self.domain})")
        return found

    def _here(self, space: str) -> bool:
        return space.rpartition("/")[0] == self.root

    def _call(self, kind: Any, service: str, requests: Mapping[str, Any]) -> dict[str, Any]:
        answers: dict[str, Any] = {}
        for node, request in requests.items():
            name = f"{node}/{service}"
            self._asking.call(kind, name, request, partial(answers.__setitem__, node), patience=self._patience)
        while len(answers) < len(requests):
            self.serve(0.02)
            self._asking.poll()
        silent = [node for node, answer in answers.items() if answer is None]
        if silent:
            raise Failed(f"no answer from {', '.join(silent)} within {self._patience:g} s")
        return answers


def _plain(value: Any) -> Any:
    return list(value) if hasattr(value, "tolist") else value
