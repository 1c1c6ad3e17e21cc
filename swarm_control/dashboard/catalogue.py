"""The declarations of all parameters as JSON, of which the page makes its sliders."""

import math
from dataclasses import is_dataclass
from typing import Any

from swarm_control.core.parameters import Spec
from swarm_control.scenario.groups import Controls
from swarm_control.scenario.tree import to_text

KINDS = {float: "number", int: "integer", bool: "boolean", str: "text", tuple: "list"}
ITEMS: dict[type, str] = {float: "number", str: "text"}
FIXED = ("period",)
"""Parameters that last for a whole run."""


def catalogue(controls: Controls) -> list[dict[str, Any]]:
    """Name, kind, default, unit, bounds, choices, help and what is expected, of every parameter in the trees' order."""
    return [entry(name, spec) for name, spec, _ in controls.flatten()]


def entry(name: str, spec: Spec) -> dict[str, Any]:
    """One declaration; bounds that are infinite are None."""
    low, high = (bound if math.isfinite(bound) else None for bound in (spec.low, spec.high))
    return {
        "name": name, "kind": KINDS[spec.type], "default": plain(spec.default), "unit": spec.unit, "low": low, "high": high,
        "choices": list(spec.choices), "item": ITEMS.get(spec.item, "mapping"), "help": spec.help,
        "expected": spec.expected(), "fixed": name in FIXED,
    }  # fmt: skip


def values(controls: Controls) -> dict[str, Any]:
    """Values of all parameters by dotted name."""
    return {name: plain(value) for name, _, value in controls.flatten()}


def plain(value: Any) -> Any:
    """A value in JSON's types; members of a list of mappings are YAML texts."""
    return [to_text(item) if is_dataclass(item) else item for item in value] if isinstance(value, tuple) else value
