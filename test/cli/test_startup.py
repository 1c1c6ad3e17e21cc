"""The command line is there at once: it imports a command's modules when the command is called, and what takes long when it is used."""

import itertools
import os
import resource
import subprocess
import sys
import types

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.behaviours import BEHAVIOURS
from swarm_control.cli import catalogue
from swarm_control.cli.main import COMMANDS, main

HEAVY = {"numba", "scipy", "matplotlib", "shapely", "PIL", "mujoco", "cv2", "rclpy", "aiohttp", "ruamel"}


def modules_of(*arguments):
    """The modules that are there when a command has ended."""
    last = "atexit.register(lambda: print(*sys.modules, file=sys.stderr))"
    code = f"import sys, atexit; {last}; from swarm_control.cli.main import main; main({arguments!r})"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr.split())


def test_help_imports_no_command():
    found = modules_of("--help")
    assert "swarm_control.cli.main" in found
    assert not {name for name in found if name.startswith("swarm_control.cli.")} - {"swarm_control.cli.main"}
    assert not found & (HEAVY | {"numpy", "yaml"})


def test_the_list_imports_nothing_heavy():
    found = modules_of("list")
    assert "swarm_control.behaviours.cohesion" in found
    assert not found & (HEAVY | {"yaml", "hashlib"})
    assert not {name for name in found if name.startswith("numpy.")}, "a file that registers something uses numpy when it is imported"


def test_what_a_plugin_uses_of_numpy_when_it_is_imported_is_there():
    use = "import numpy; import numpy as np; from numpy.typing import NDArray; import numpy.linalg; assert np.linalg is numpy.linalg"
    late = "assert before.full(2, before.inf).sum() == numpy.inf and sys.modules['numpy'] is not before and before.linalg is np.linalg"
    begin = "import sys; from swarm_control.cli.main import main; main(['list']); import numpy as before"
    assert subprocess.run([sys.executable, "-c", f"{begin}; {use}; {late}"], capture_output=True, timeout=60).returncode == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_s_help_imports_no_other_command(command):
    found = modules_of(command, "--help")
    others = {f"swarm_control.cli.{module}" for module, _ in COMMANDS.values()} - {f"swarm_control.cli.{COMMANDS[command][0]}"}
    assert not found & (others | HEAVY)


@pytest.fixture(scope="module")
def cost(tmp_path_factory):
    """Processor time (s) of a command, the least of five runs: what others do on the machine counts little. Bytecode is there, and numpy
    has as many threads as it has for a user.
    """
    cache = tmp_path_factory.mktemp("bytecode")
    env = {**os.environ, "PYTHONPYCACHEPREFIX": str(cache)}
    for name in ("PYTHONDONTWRITEBYTECODE", "OPENBLAS_NUM_THREADS"):
        env.pop(name, None)

    def measure(*words):
        found = []
        for _ in range(6):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, *words], env=env, check=True, stdout=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(found[1:])

    return measure


def test_help_costs_little_more_than_python_itself(cost):
    assert cost("-m", "swarm_control.cli.main", "--help") < 4.0 * cost("-c", "pass")


def test_the_list_costs_little_more_than_numpy(cost):
    assert cost("-m", "swarm_control.cli.main", "list") < 1.5 * cost("-c", "import numpy")


def shown(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_help_names_every_command(capsys):
    text = " ".join(shown(capsys, "--help").split())
    assert all(f"{name} {help}" in text for name, (_, help) in COMMANDS.items())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(capsys, command):
    text = " ".join(shown(capsys, command, "--help").split())
    assert text.startswith(f"usage: swarm {command} ") and f"Example: swarm {command}" in text


def test_the_list_is_in_the_order_of_priority(capsys):
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.split("\n")
    begin = lines.index("Behaviours") + 1
    assert [line.split()[0] for line in lines[begin : begin + len(BEHAVIOURS)]] == list(BEHAVIOURS)


def test_the_list_shows_every_registry(capsys, monkeypatch):
    module = types.ModuleType("far_away")
    module.THINGS = {"lamp": types.SimpleNamespace(help="It shines"), "kettle": types.SimpleNamespace(help="It boils")}
    monkeypatch.setitem(sys.modules, "far_away", module)
    monkeypatch.setitem(catalogue.REGISTRIES, "Things", ("far_away", "THINGS"))
    assert main(["list"]) == 0
    assert capsys.readouterr().out.endswith("\nThings\n  lamp    It shines\n  kettle  It boils\n")


@pytest.mark.parametrize(("text", "expected"), [
    ("name: a\nrobots:\n  - {description: not this}\ndescription: 'this: one'\nworld: [\n", "this: one"),
    ("list: [description, description]\nbase: &a description\nother: *a\ndescription: one\n", "one"),
    ("description:\n  folded: no\n", ""),
    ("# a: b\ndescription: plain words, at 2 m/s\nseed: 1\n", "plain words, at 2 m/s"),
    ("description: goes on\n\n  here\nseed: 1\n", "goes on\nhere"),
    ("description: ends # here\nseed: 1\n", "ends"),
    ("description: a\nseed: 1\n", "a"),
    ("name: a\n", ""),
    ("name: [\n", "cannot be read:"),
])  # fmt: skip
def test_a_description_is_the_file_s_own(tmp_path, text, expected):
    file = tmp_path / "a.yaml"
    file.write_text(text)
    found = catalogue.description(file)
    assert found.startswith(expected) and bool(found) == bool(expected)


TEXTS = st.text(st.sampled_from("ab1 \n#:-,.'[\"|>&*é\t\u2028"), max_size=12)


@given(TEXTS, TEXTS)
def test_words_that_are_read_without_yaml_are_those_of_yaml(text, rest):
    data = f"description: {text}\n{rest}"
    found = catalogue.PLAIN.match(data)
    if found:
        first = itertools.takewhile(lambda event: not isinstance(event, yaml.ScalarEvent) or event.value != found[1], yaml.parse(data))
        assert [event.value for event in first if isinstance(event, yaml.ScalarEvent)] == ["description"]
