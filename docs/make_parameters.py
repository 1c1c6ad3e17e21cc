"""Write ``docs/parameters.md`` from the schema: ``python docs/make_parameters.py``."""

import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

from swarm_control.core.parameters import Spec, specs
from swarm_control.core.social.laws import Law
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.hardware import Hardware
from swarm_control.scenario.schema import Arena, Control, Failure, Goal, Landmarks, Phase, RobotGroup, Scenario, Simulator, Start

SECTIONS = (
    ("Scenario", "", Scenario), ("Made-to-measure world", "world.", Arena), ("Robots", "robots[].", RobotGroup),
    ("Start", "robots[].start.", Start), ("Landmarks", "landmarks[].", Landmarks), ("Goals", "goals[].", Goal),
    ("Phases", "phases[].", Phase),
    ("Simulator", "simulator.", Simulator),
    ("Failures", "simulator.failures[].", Failure), ("Control", "control.", Control),
    ("Hardware", "hardware.", Hardware), ("Bodies", "bodies.", Bodies), ("Force laws", "control.social.laws[].", Law),
)  # fmt: skip

NESTED = (Control, Hardware, Bodies)
"""Sections whose groups' parameters are listed, too."""


def page() -> str:
    """The whole page."""
    lines = [
        "# Parameters", "", "Made from the schema by `python docs/make_parameters.py`. Keys of `control` are also the names of the ROS "
        "parameters, without the `control.`.", "",
    ]  # fmt: skip
    for title, prefix, cls in SECTIONS:
        lines += [f"## {title}", "", *_table(cls, prefix), ""]
    return "\n".join(lines)


def _table(cls: type, prefix: str) -> list[str]:
    rows = ["| key | default | unit | expected | what it is |", "|---|---|---|---|---|"]
    rows += [_row(prefix, spec) for spec in specs(cls)]
    for f in fields(cls):
        group = f.default_factory() if callable(f.default_factory) else None  # type: ignore[misc]
        if cls in NESTED and is_dataclass(group):
            rows += _rows(type(group), f"{prefix}{f.name}.")
    return rows


def _rows(cls: type, prefix: str) -> list[str]:
    """A group's own parameters, then those of the groups in it."""
    rows = [_row(prefix, spec) for spec in specs(cls)]
    for f in fields(cls):
        if callable(f.default_factory) and is_dataclass(f.default_factory):
            rows += _rows(f.default_factory, f"{prefix}{f.name}.")  # type: ignore[arg-type]
    return rows


def _row(prefix: str, spec: Spec) -> str:
    default = list(spec.default) if isinstance(spec.default, tuple) else spec.default
    return f"| `{prefix}{spec.name}` | {default} | {spec.unit} | {spec.expected()} | {spec.help} |"


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "parameters.md"
    target.write_text(page() + "\n", encoding="utf-8")
