"""What a shell is told when it asks for the rest of a word."""

import os
import shutil
import subprocess
import sys

import pytest

from swarm_control.cli import main

pytest.importorskip("argcomplete")


def completed(folder, line):
    """What may follow, as argcomplete's scripts ask for it."""
    asked = {
        "_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_SHELL": "bash", "_ARGCOMPLETE_STDOUT_FILENAME": str(folder / "said"),
        "COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9",
    }  # fmt: skip
    done = subprocess.run([sys.executable, "-m", "swarm_control.cli.main"], env=os.environ | asked, cwd=folder, capture_output=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return (folder / "said").read_text().split()


@pytest.mark.parametrize(("line", "words"), [
    ("swarm si", ["simulate"]), ("swarm send for", ["form"]), ("swarm simulate migrate_boxes --no-pic", []),
    ("swarm simulate migrate_b", ["migrate_boxes"]), ("swarm run own", ["own.yaml"]), ("swarm run flock_frame --simulator gaz", ["gazebo"]),
    ("swarm simulate own.yaml --set separation.w", ["separation.weight="]), ("swarm experiment random_sw", ["random_swarms"]),
    ("swarm tune own.yaml --param control.separation.w", ["control.separation.weight="]), ("swarm node motion_m", ["motion_model"]),
])  # fmt: skip
def test_a_word_that_is_begun_is_completed(tmp_path, line, words):
    (tmp_path / "own.yaml").write_text("robots: [{count: 2}]\n")
    assert completed(tmp_path, line) == words


def test_every_command_is_offered(tmp_path):
    assert set(completed(tmp_path, "swarm ")) >= set(main.COMMANDS)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_what_it_can_read(shell, capsys):
    assert main.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "swarm" in script and "_ARGCOMPLETE" in script
    if program := shutil.which(shell):
        assert subprocess.run([program, "-n"], input=script, text=True, capture_output=True).returncode == 0


def test_without_argcomplete_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "argcomplete", None)
    assert main.main(["completion", "bash"]) == 2
    assert "pip install argcomplete" in capsys.readouterr().err
