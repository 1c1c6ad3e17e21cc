import subprocess
import sys

import pytest


@pytest.fixture
def swarm(tmp_path):
    """Call ``swarm`` as a user would, in a process of its own."""

    def call(*arguments: str, cwd=tmp_path, timeout: float = 120.0) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "swarm_control.cli.main", *map(str, arguments)]
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=timeout)

    return call
