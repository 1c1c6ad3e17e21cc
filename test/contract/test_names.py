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
    ("sim/mujoco/hexapod_walk.py", "hexapod"),  # an insect alone, watched from all sides
    ("world/stage_writer.py", "omni"), ("world/robots.py", "omni"), ("world/robots.py", "car"),  # drives of Stage's format
    ("analysis/simulation.py", "arrival"),  # until all have arrived
    ("analysis/laws/structure.py", "social"), ("analysis/laws/written.py", "social"),  # scenarios made for that behaviour
    ("cli/bench.py", "social"),  # a benchmark of that name
}  # fmt: skip
READ = {
    ("runtime/gathering.py", "separation"),  # its distance is the room that a robot takes up when the flock has arrived
    ("runtime/director.py", "social"),  # landmarks that events have moved are its parameter
    ("scenario/society.py", "social"),  # laws speak of groups of the scenario, springs of its robots
    ("analysis/laws/prediction.py", "social"),  # what laws will come to
    ("ros/support/scene.py", "social"),  # rings of the laws in the picture
}  # fmt: skip
"""Whose parameters are read elsewhere, and for what."""


def modules():
    """Place and tree of each file that nothing registers from."""
    for path in ROOT.rglob("*.py"):
        place = path.relative_to(ROOT).as_posix()
        if place.split("/")[0] not in OWN:
            yield place, ast.parse(path.read_text(encoding="utf-8"))


def expect(found, allowed, what):
    assert found <= allowed, f"{what}: {sorted(found - allowed)}"
    assert found == allowed, f"allowed, but not found any more: {sorted(allowed - found)}"


def test_names_of_robots_and_behaviours_decide_nothing_elsewhere():
    found = {
        (place, node.value) for place, tree in modules() for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in {*ROBOTS, *BEHAVIOURS}
    }  # fmt: skip
    expect(found, ALLOWED, "names found where properties should be asked")


def test_parameters_of_a_behaviour_decide_nothing_elsewhere():
    found = {
        (place, node.value.attr) for place, tree in modules() for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute) and node.value.attr in BEHAVIOURS
    }  # fmt: skip
    expect(found, READ, "parameters of a behaviour read where all behaviours should be asked")
