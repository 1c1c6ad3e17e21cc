"""The scenario's ``control`` tree as ROS parameters: declared from the schema, checked all at once, kept in step with the other nodes.

A node declares the groups that it owns (:data:`SECTIONS`) under their dotted names, with descriptors made from the declarations in
``core``. A change through the standard services is checked as a whole by :mod:`swarm_control.scenario.tree`; it takes effect on the
next tick, or is refused with the reason and changes nothing. The changes that other nodes of the namespace make to their groups are
heard on ``/parameter_events``, so that every node knows the whole tree and can tell settings that contradict each other.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, ParameterEvent, ParameterValue, SetParametersResult
from rclpy.parameter import Parameter, parameter_value_to_python

from swarm_control.core.behaviours import BEHAVIOURS
from swarm_control.core.parameters import Spec
from swarm_control.errors import InputError
from swarm_control.scenario.consistency import contradictions
from swarm_control.scenario.schema import Control
from swarm_control.scenario.tree import change, flatten, to_text

SECTIONS: dict[str, tuple[str, ...]] = {
    "neighbourhood": ("perception", "safety"),
    "behaviours": (*BEHAVIOURS, "accumulation"),
    "virtual_structure": ("formation", "safety"),
    "motion_model": ("motion", "separation_filter", "safety"),
    "director": ("leaders",),
    "gather": ("safety",),
    "witness": (),
    "simulator": ("safety",),
    "wheel_driver": ("safety",),
    "dashboard": (),
    "tracker": (),
    "floor": (),
    "recorder": (),
    "markers": (),
    "player": (),
}
"""The groups of the ``control`` tree that each kind of node owns; all have ``period``."""

_ARRAYS = (
    Parameter.Type.BYTE_ARRAY, Parameter.Type.BOOL_ARRAY, Parameter.Type.INTEGER_ARRAY, Parameter.Type.DOUBLE_ARRAY,
    Parameter.Type.STRING_ARRAY,
)  # fmt: skip
_TYPES = {float: Parameter.Type.DOUBLE, int: Parameter.Type.INTEGER, bool: Parameter.Type.BOOL, str: Parameter.Type.STRING}


def owners(name: str) -> tuple[str, ...]:
    """The kinds of node that own the parameter with this dotted name."""
    return tuple(kind for kind, sections in SECTIONS.items() if name.split(".")[0] in sections)


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
    """A node's part of the ``control`` tree as ROS parameters; :attr:`control` is the whole tree as it now stands.

    :attr:`changed` is called after changes, :attr:`allowed` with the tree that they would lead to: it raises ``InputError`` against it.
    """

    def __init__(self, node: Any, kind: str, control: Control) -> None:
        self.control = control
        self.changed: Callable[[], None] = lambda: None
        self.allowed: Callable[[Control], None] = lambda control: None
        self._node = node
        sections = SECTIONS[kind]
        self._own = {name: spec for name, spec, _ in flatten(control) if name == "period" or name.split(".")[0] in sections}
        self._warned: set[str] = set(contradictions(control))
        for name, spec, value in flatten(control):
            if name in self._own:
                self._declare(name, spec, value)
        self._adopt({name: node.get_parameter(name).value for name in self._own})
        if hasattr(node, "add_pre_set_parameters_callback"):
            node.add_pre_set_parameters_callback(self._widen)
        node.add_on_set_parameters_callback(self._check)
        node.create_subscription(ParameterEvent, "/parameter_events", self._hear, 100)

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
        changed = change(self.control, changes, str(self._node.get_name()))
        self.allowed(changed)
        self.control = changed

    def _widen(self, given: list[Parameter]) -> list[Parameter]:
        """Whole numbers will do where numbers are declared, and an empty list, which does not tell its type, for any list."""
        return [self._widened(parameter) for parameter in given]

    def _widened(self, parameter: Parameter) -> Parameter:
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
        changes = {parameter.name: parameter.value for parameter in given if parameter.name in self._own}
        try:
            self._adopt({name: list(value) if hasattr(value, "tolist") else value for name, value in changes.items()})
        except InputError as error:
            return SetParametersResult(successful=False, reason=str(error))
        if changes:
            self._warn()
            self.changed()
        return SetParametersResult(successful=True)

    def _warn(self) -> None:
        found = contradictions(self.control)
        for text in found:
            if text not in self._warned:
                self._node.get_logger().warning(text)
        self._warned = set(found)

    def _hear(self, event: ParameterEvent) -> None:
        """Note what another node of this namespace has set."""
        namespace, _, name = event.node.rpartition("/")
        if name not in SECTIONS or name == self._node.get_name() or (namespace or "/") != self._node.get_namespace():
            return
        changes = {p.name: _plain(p.value) for p in (*event.new_parameters, *event.changed_parameters) if name in owners(p.name)}
        try:
            # an empty list is announced without a value first
            self._adopt({key: value for key, value in changes.items() if key not in self._own and value is not None})
        except InputError as error:
            self._node.get_logger().warning(f"{event.node} holds a value that does not fit here: {error}")
        self._warned = set(contradictions(self.control))


def _plain(value: ParameterValue) -> Any:
    found: Any = parameter_value_to_python(value)
    return list(found) if hasattr(found, "tolist") else found
