"""The table of kinds of nodes: it has a row for each file, and everything that belongs to a kind follows from its row."""

import ast
import subprocess
import sys
from pathlib import Path

import swarm_control
from swarm_control.core.behaviour import BEHAVIOURS, Behaviour
from swarm_control.ros.graph.kinds import KINDS, owners
from swarm_control.ros.graph.plan import plan
from swarm_control.scenario.schema import Control
from swarm_control.scenario.tree import flatten

FOLDER = Path(swarm_control.__file__).parent / "ros" / "nodes"


def declared(path):
    """The ``kind`` that a node's class says it is."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "kind":
            return node.value.value
    return None


def test_each_file_is_a_row_and_each_row_a_file():
    files = {path.stem: declared(path) for path in FOLDER.glob("*.py") if path.stem != "__init__"}
    assert set(KINDS) == set(files)
    assert all(kind in (name, None) for name, kind in files.items()), files
    assert all(kind.name == name and kind.help and "\n" not in kind.help for name, kind in KINDS.items())


def test_every_parameter_has_an_owner_on_the_way_to_the_robots():
    names = [name for name, _, _ in flatten(Control()) if name != "period"]
    assert all(set(owners(name)) & {kind.name for kind in KINDS.values() if kind.chain} for name in names)
    groups = {name.split(".")[0] for name in names}
    assert {group for kind in KINDS.values() for group in kind.groups} == groups
    assert owners("nonsense.weight") == ()


def test_a_behaviour_that_is_registered_later_is_owned_at_once(monkeypatch):
    some, before = BEHAVIOURS["seek"], KINDS["behaviours"].groups
    monkeypatch.setattr(BEHAVIOURS, "_items", {**BEHAVIOURS, "late": Behaviour("late", some.params, some.request, 0.5)})
    assert set(KINDS["behaviours"].groups) == {*before, "late"} and owners("late.weight") == ("behaviours",)


def test_the_chain_is_what_a_plan_starts_between_odometry_and_commands():
    started = {spec.executable for spec in plan("formation_translate", simulator="none", formation=True)}
    assert {name for name, kind in KINDS.items() if kind.chain} == started


def test_the_table_needs_no_ros():
    code = "import sys; import swarm_control.ros.graph.kinds; sys.exit('rclpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
