"""``swarm`` as users call it: in this process, where every import is there already, or in one of its own."""

import subprocess
import sys

import pytest
from forked_swarm import forked_swarm

from swarm_control.cli.main import main


@pytest.fixture
def swarm(tmp_path, monkeypatch, capfd):
    """Call ``swarm`` in a folder of its own; what it leaves behind as ``subprocess.run`` has it. What it does not catch is raised."""

    def call(*arguments: object) -> subprocess.CompletedProcess:
        command = list(map(str, arguments))
        with monkeypatch.context() as patch:
            patch.chdir(tmp_path)
            patch.setattr(sys, "argv", ["swarm", *command])
            capfd.readouterr()
            try:
                code = main()
            except SystemExit as ended:
                code = ended.code
            said = capfd.readouterr()
        return subprocess.CompletedProcess(command, code or 0, said.out, said.err)

    return call


@pytest.fixture
def process(tmp_path):
    """Call ``swarm`` as a user's shell does, in a process of its own."""

    def call(*arguments: object) -> subprocess.CompletedProcess:
        command = [*forked_swarm(), *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120.0)

    return call
