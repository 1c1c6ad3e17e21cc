"""Examples in docs/architecture.md keep the contract; files that docs and docstrings name, and scenarios of commands, are there."""

import re
import shlex
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest

from swarm_control import paths
from swarm_control.analysis.contract import check_behaviour, check_robot
from swarm_control.behaviours import BEHAVIOURS
from swarm_control.robots import ROBOTS
from swarm_control.scenario.loader import load

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "swarm_control"
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("*.md"), *PACKAGE.rglob("*.py")])
FILE = re.compile(r"`([A-Za-z_][\w.-]*(?:/[\w.-]+)+\.(?:py|md|yaml|json|toml|xml|js)|[a-z_]+(?:/[a-z_]+)*/)(?:: \w+)?`")
"""A path in backquotes, of a file or of a folder, perhaps with what is in it."""

MODULE = re.compile(r":(mod|class|func|data):`~?([.\w]+)`")

WITH_COMMANDS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "examples/README.md"]
WITH_COMMANDS.remove(ROOT / "docs/mistakes.md")  # they are wrong there, and tried by a test of their own
OF_SCENARIOS = r"^(?:\$ )?((?:\w+=\S+ )*swarm (?:simulate|run|tune|export) .*)$|`(swarm (?:simulate|run|tune|export) [^`]+)`"
"""Commands with a scenario: a line of their own in a block, or in the text."""


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


def commands():
    """(page, words) of every command that names a scenario of ours: no file, and no word in capitals that stands for one."""
    for page in WITH_COMMANDS:
        text = page.read_text(encoding="utf-8").replace("\\\n", " ")
        for line, inline in re.findall(OF_SCENARIOS, text, re.MULTILINE):
            words = shlex.split(inline or line, comments=True)
            words = words[words.index("swarm") :]
            if len(words) > 2 and re.fullmatch("[a-z][a-z0-9_]*", words[2]):
                yield pytest.param(words, id=f"{page.stem}: {' '.join(words[:3])}")


@pytest.mark.parametrize("words", list(commands()))
def test_a_command_in_the_docs_names_a_scenario_and_keys_that_exist(words):
    load(words[2], [value for option, value in pairwise(words) if option == "--set"])


def test_every_decision_has_a_number_of_its_own():
    """Records are named by it, so none may change or be given twice: they are 1 to as many as there are, in whatever order."""
    lines = (ROOT / "docs/decisions.md").read_text(encoding="utf-8").splitlines()
    numbers = [re.fullmatch(r"### (\d+)\. \S.*", line) for line in lines if line.startswith("### ")]
    assert len(numbers) > 180 and all(numbers)
    assert sorted(int(found[1]) for found in numbers) == list(range(1, len(numbers) + 1))


def test_the_docs_name_the_models_that_can_be_fenced():
    text = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    named = re.findall(r"`(\w+)`", re.findall(r"Robots of the models (.*?) can be fenced", text, re.DOTALL)[0])
    assert sorted(named) == sorted(name for name, model in ROBOTS.items() if model.stopping is not None and name not in paths.models())
