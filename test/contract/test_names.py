"""No robot model and no behaviour is known by its name outside the place that registers it."""

import ast
from pathlib import Path

import swarm_control
from swarm_control.behaviours import BEHAVIOURS
from swarm_control.robots import ROBOTS

ROOT = Path(swarm_control.__file__).parent
OWN = ("behaviours", "robots", "experiments")
"""Folders that things register from, and studies of particular robots and behaviours."""
ALLOWED = {
    ("scenario/schema.py", "omni"),  # the default model of robots
    ("cli/emulate.py", "differential"),  # the default robot that is emulated
    ("sim/mujoco/hexapod_walk.py", "hexapod"),  # an insect alone, watched from all sides
    ("world/stage_writer.py", "omni"), ("world/robots.py", "omni"), ("world/robots.py", "car"),  # drives of Stage's format
    ("analysis/simulation.py", "arrival"),  # until all have arrived
    ("cli/bench.py", "social"),  # a benchmark of that name
}  # fmt: skip


def test_names_of_robots_and_behaviours_decide_nothing_elsewhere():
    found = set()
    for path in ROOT.rglob("*.py"):
        place = path.relative_to(ROOT).as_posix()
        if place.split("/")[0] in OWN:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in {*ROBOTS, *BEHAVIOURS}:
                found.add((place, node.value))
    assert found <= ALLOWED, f"names found where properties should be asked: {sorted(found - ALLOWED)}"
    assert found == ALLOWED, f"allowed, but not found any more: {sorted(ALLOWED - found)}"
