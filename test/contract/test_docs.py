"""The examples in docs/architecture.md register what they say and keep the contract; files that docs and docstrings name are there."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from swarm_control.analysis.contract import check_behaviour, check_robot
from swarm_control.behaviours import BEHAVIOURS
from swarm_control.robots import ROBOTS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "swarm_control"
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("*.md"), *PACKAGE.rglob("*.py")])
FILE = re.compile(r"`([A-Za-z_][\w.-]*(?:/[\w.-]+)+\.(?:py|md|yaml|json|toml|xml|js)|[a-z_]+(?:/[a-z_]+)*/)(?:: \w+)?`")
"""A path in backquotes, of a file or of a folder, perhaps with what is in it."""

MODULE = re.compile(r":(mod|class|func|data):`~?([.\w]+)`")


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


def is_there(name, page):
    return any((folder / name).exists() for folder in (ROOT, PACKAGE, ROOT / "docs", page.parent))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_are_named_are_there(page):
    named = set(FILE.findall(page.read_text(encoding="utf-8")))
    assert not [name for name in sorted(named) if not is_there(name, page)]


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_that_docstrings_name_are_there(path):
    here = ".".join(path.relative_to(ROOT).with_suffix("").parts[:-1])
    for kind, name in MODULE.findall(path.read_text(encoding="utf-8")):
        full = f"{here}{name}" if name.startswith(".") else name
        if full.startswith("swarm_control."):
            module = full if kind == "mod" else full.rpartition(".")[0]
            assert find_spec(module), f"{path}: {name}"
