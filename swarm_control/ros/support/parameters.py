"""The scenario's ``control`` tree as ROS parameters: declared from the schema, checked all at once, kept in step with the other nodes.

A node declares the groups that it owns (:mod:`swarm_control.ros.graph.kinds`) under their dotted names, with descriptors made from the
declarations in ``core``. A change through the standard services is checked as a whole by :mod:`swarm_control.scenario.tree`; it takes
effect on the next tick, or is refused with the reason and changes nothing. The changes that other nodes of the namespace make to their
groups are heard on ``/parameter_events``, so that every node knows the whole tree and can tell settings that contradict each other.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, ParameterEvent, ParameterValue, SetParametersResult
from rclpy.parameter import Parameter, parameter_value_to_python

from swarm_control.core.parameters import Spec
from swarm_control.errors import InputError
from swarm_control.ros.graph.kinds import KINDS, owners
from swarm_control.scenario.consistency import contradictions_of
from swarm_control.scenario.groups import Controls, bare
from swarm_control.scenario.schema import Control
from swarm_control.scenario.tree import to_text

_ARRAYS = (
    Parameter.Type.BYTE_ARRAY, Parameter.Type.BOOL_ARRAY, Parameter.Type.INTEGER_ARRAY, Parameter.Type.DOUBLE_ARRAY,
    Parameter.Type.STRING_ARRAY,
)  # fmt: skip
_TYPES = {float: Parameter.Type.DOUBLE, int: Parameter.Type.INTEGER, bool: Parameter.Type.BOOL, str: Parameter.Type.STRING}


def ros_type(spec: Spec) -> Parameter.Type:
    """The ROS type of a declaration."""
    if spec.type is tuple:
        return Parameter.Type.DOUBLE_ARRAY if spec.item is float else Parameter.Type.STRING_ARRAY
    return _TYPES[spec.type]


def ros_parameter(name: str, spec: Spec, value: Any) -> Parameter:
    """The ROS parameter for a value of the tree; members of a list of mappings are YAML texts."""
    if spec.type is tuple:
        value = [to_text(item) if is_dataclass(item) else item for item in value]
    return Parameter(name, ros_type(spec), value)


def describe(spec: Spec, read_only: bool = False) -> ParameterDescriptor:
    """The descriptor of a declaration: help and unit, range or choices."""
    described = ParameterDescriptor(type=ros_type(spec).value, read_only=read_only, additional_constraints=f"expected: {spec.expected()}")
    described.description = spec.help + (f" [{spec.unit}]" if spec.unit else "")
    if not (math.isfinite(spec.low) or math.isfinite(spec.high)):
        return described
    if spec.type is float:
        top = sys.float_info.max
        described.floating_point_range = [FloatingPointRange(from_value=max(spec.low, -top), to_value=min(spec.high, top))]
    elif spec.type is int:
        low, high = max(spec.low, -(2**63)), min(spec.high, 2**63 - 1)
        described.integer_range = [IntegerRange(from_value=int(low), to_value=int(high), step=1)]
    return described


class ControlParameters:
    """A node's part of the ``control`` trees as ROS parameters; :attr:`controls` are all of them as they now stand.

    A parameter of a group is called ``groups.<group>.<name>``; until it is set it follows the common one. :attr:`changed` is called after
    changes, :attr:`allowed` with what they would lead to: it raises ``InputError`` against it.
    """

    def __init__(self, node: Any, kind: str, controls: Controls) -> None:
        self.controls = controls
        self.changed: Callable[[], None] = lambda: None
        self.allowed: Callable[[Controls], None] = lambda controls: None
        self._followers: frozenset[str] = frozenset()
        self._node = node
        groups = KINDS[kind].groups
        flat = list(controls.flatten())
        self._own = {name: spec for name, spec, _ in flat if name == "period" or bare(name).split(".")[0] in groups}
        self._warned: set[str] = set(contradictions_of(self.controls))
        for name, spec, value in flat:
            if name in self._own:
                self._declare(name, spec, value)
        declared = {name: value for name, _, value in flat if name in self._own}
        given = {name: _list(node.get_parameter(name).value) for name in self._own}
        self._adopt({name: value for name, value in given.items() if value != ros_parameter(name, self._own[name], declared[name]).value})
        self._catch_up()
        self._late = not hasattr(node, "add_pre_set_parameters_callback")
        if not self._late:
            node.add_pre_set_parameters_callback(self._complete)
        node.add_on_set_parameters_callback(self._check)
        node.create_subscription(ParameterEvent, "/parameter_events", self._hear, 100)

    @property
    def control(self) -> Control:
        """The common tree."""
        return self.controls.common

    def set(self, changes: dict[str, Any]) -> str:
        """Set own parameters, all or none; return what was wrong, or nothing. Others' names are passed over."""
        own = [ros_parameter(name, self._own[name], value) for name, value in changes.items() if name in self._own and name != "period"]
        if not own:
            return ""
        result = self._node.set_parameters_atomically(own)
        return "" if result.successful else str(result.reason)

    def _declare(self, name: str, spec: Spec, value: Any) -> None:
        fixed = name == "period"
        parameter = ros_parameter(name, spec, value)
        given: Any = parameter.type_ if parameter.value == [] else parameter.value  # an empty list does not tell its type
        self._node.declare_parameter(name, given, describe(spec, read_only=fixed), ignore_override=fixed)
        if parameter.value == [] and self._node.get_parameter_or(name).value is None:
            self._node.set_parameters([parameter])

    def _adopt(self, changes: dict[str, Any]) -> None:
        changed = self.controls.change(changes, str(self._node.get_name()))
        self.allowed(changed)
        self.controls = changed

    def look(self) -> None:
        """Where a distribution has no callback before parameters are set, those that follow others are set now; called now and then."""
        if self._late:
            self._catch_up()

    def _complete(self, given: list[Parameter]) -> list[Parameter]:
        """The parameters to be set: those ``given``, widened, and those of groups that follow them."""
        wanted = [self._widened(parameter) for parameter in given]
        names = {parameter.name for parameter in given}
        further = [
            Parameter(follower, parameter.type_, parameter.value)
            for parameter in wanted if parameter.name in self._own and parameter.type_ is not Parameter.Type.NOT_SET
            for follower in self.controls.followers(parameter.name) if follower not in names
        ]  # fmt: skip
        self._followers = frozenset(parameter.name for parameter in further)
        return [*wanted, *further]

    def _catch_up(self) -> None:
        """Set the parameters of groups that follow others to what these are."""
        now = {name: value for name, _, value in self.controls.flatten() if name in self._own and name != bare(name)}
        wanted = [ros_parameter(name, self._own[name], value) for name, value in now.items()]
        behind = [one for one in wanted if _list(self._node.get_parameter(one.name).value) != one.value]
        if behind:
            self._followers = frozenset(one.name for one in behind)
            self._node.set_parameters(behind)

    def _widened(self, parameter: Parameter) -> Parameter:
        """Whole numbers will do where numbers are declared, and an empty list, which does not tell its type, for any list."""
        spec = self._own.get(parameter.name)
        if spec is None:
            return parameter
        wanted = ros_type(spec)
        if wanted is Parameter.Type.DOUBLE and parameter.type_ is Parameter.Type.INTEGER:
            return Parameter(parameter.name, wanted, float(parameter.value))
        if spec.type is tuple and parameter.type_ in _ARRAYS and len(parameter.value) == 0:
            return Parameter(parameter.name, wanted, [])
        if wanted is Parameter.Type.DOUBLE_ARRAY and parameter.type_ is Parameter.Type.INTEGER_ARRAY:
            return Parameter(parameter.name, wanted, [float(value) for value in parameter.value])
        return parameter

    def _check(self, given: list[Parameter]) -> SetParametersResult:
        own = self._own.keys() - self._followers
        changes = {parameter.name: _list(parameter.value) for parameter in given if parameter.name in own}
        try:
            self._adopt(changes)
        except InputError as error:
            return SetParametersResult(successful=False, reason=str(error))
        if changes:
            self._warn()
            self.changed()
        return SetParametersResult(successful=True)

    def _warn(self) -> None:
        found = contradictions_of(self.controls)
        for text in found:
            if text not in self._warned:
                self._node.get_logger().warning(text)
        self._warned = set(found)

    def _hear(self, event: ParameterEvent) -> None:
        """Note what another node of this namespace has set."""
        namespace, _, name = event.node.rpartition("/")
        if name not in KINDS or name == self._node.get_name() or (namespace or "/") != self._node.get_namespace():
            return
        changes = {p.name: _plain(p.value) for p in (*event.new_parameters, *event.changed_parameters) if name in owners(p.name)}
        try:
            # an empty list is announced without a value first
            self._adopt({key: value for key, value in changes.items() if key not in self._own and value is not None})
        except InputError as error:
            self._node.get_logger().warning(f"{event.node} holds a value that does not fit here: {error}")
        self._warned = set(contradictions_of(self.controls))


def _plain(value: ParameterValue) -> Any:
    return _list(parameter_value_to_python(value))


def _list(value: Any) -> Any:
    """A value in which arrays are lists."""
    return list(value) if hasattr(value, "tolist") else value
