"""The examples in docs/architecture.md register what they say, and keep the contract."""

import re
from pathlib import Path

from swarm_control.analysis.contract import check_behaviour, check_robot
from swarm_control.behaviours import BEHAVIOURS
from swarm_control.robots import ROBOTS

TEXT = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text(encoding="utf-8")


def example(heading):
    section = TEXT.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)[0]


def run(heading):
    name = heading.replace(" ", "_").lower()
    space = {"__name__": name}
    exec(compile(example(heading), name, "exec"), space)


def test_the_behaviour_of_the_docs():
    run("Add a behaviour")
    try:
        check_behaviour(BEHAVIOURS["drift"])
    finally:
        BEHAVIOURS.remove("drift")


def test_the_robot_model_of_the_docs():
    run("Add a robot model")
    try:
        check_robot(ROBOTS["barge"])
    finally:
        ROBOTS.remove("barge")
