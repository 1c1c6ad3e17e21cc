"""Parameters that nodes must refuse: of a wrong type, out of bounds, not finite, unknown. Seeded."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue

from swarm_control.core.parameters import Spec
from swarm_control.ros.graph.kinds import KINDS
from swarm_control.ros.support.parameters import ros_type
from swarm_control.scenario.schema import Control
from swarm_control.scenario.tree import flatten

NAMES = (" ", "nothing", "separation", "separation.weight.weight", "groups.nobody.separation.weight", "x" * 10_000, "ü", "/", "a..b")
"""Names of no parameter. Not the empty one, which rclpy takes for declared, and sets."""

NO_TYPE = 77
"""A type of values that there is not."""

_STRANGE = {
    ParameterType.PARAMETER_BOOL: ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=True),
    ParameterType.PARAMETER_STRING: ParameterValue(type=ParameterType.PARAMETER_STRING, string_value="x" * 100_000),
    ParameterType.PARAMETER_BYTE_ARRAY: ParameterValue(type=ParameterType.PARAMETER_BYTE_ARRAY, byte_array_value=[b"\xff"]),
    ParameterType.PARAMETER_NOT_SET: ParameterValue(),
    NO_TYPE: ParameterValue(type=NO_TYPE),
}
"""Values of types that few parameters have, or none."""


@dataclass(frozen=True)
class BadSettings:
    """Parameters that are to be set at once, and what is wrong with one of them."""

    what: str
    parameters: tuple[Parameter, ...]


def bad_settings(random: np.random.Generator, kind: str, count: int) -> Iterator[BadSettings]:
    """``count`` sets of parameters for a node of this ``kind``, each of which must be refused as a whole."""
    own = [(name, spec) for name, spec, _ in flatten(Control()) if name.split(".")[0] in KINDS[kind].groups]
    for _ in range(count):
        if not own or random.random() < 0.25:
            name = str(random.choice(np.array(NAMES, object)))
            yield BadSettings("unknown name", (Parameter(name=name, value=_double(1.0)),))
            continue
        name, spec = own[random.integers(len(own))]
        beyond = _beyond(spec)
        if beyond and random.random() < 0.5:
            yield BadSettings("out of bounds", (Parameter(name=name, value=_double(float(random.choice(beyond)))),))
        else:
            types = [code for code in _STRANGE if code != ros_type(spec).value]
            yield BadSettings("wrong type", (Parameter(name=name, value=_STRANGE[int(random.choice(types))]),))


def _double(value: float) -> ParameterValue:
    return ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)


def _beyond(spec: Spec) -> list[float]:
    """Numbers that this parameter must not have; none if it is no number."""
    if spec.type is not float:
        return []
    ends = ([spec.low - 1.0] if math.isfinite(spec.low) else []) + ([spec.high + 1.0] if math.isfinite(spec.high) else [])
    return [math.nan, math.inf, -math.inf, *ends]
