"""A tutorial of ``docs``, followed word for word: its YAML files are written, its shell commands run in their order, in one folder."""

import os
import re
import shlex
import signal
import subprocess
from pathlib import Path

import forked_swarm

BLOCK = re.compile(r"^```(yaml|sh)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def follow(page: str, folder: Path) -> dict[str, str]:
    """What each command of ``docs/<page>`` printed, the last time that it ran; ``AssertionError`` where one fails.

    A line that ends in ``&`` runs beside the next ones from its first line of output on, until ``kill -INT %1``.
    """
    text = (Path(__file__).parents[2] / "docs" / page).read_text(encoding="utf-8")
    printed: dict[str, str] = {}
    env = {**os.environ, "PATH": forked_swarm.path()}
    beside: subprocess.Popen | None = None
    try:
        for kind, block in BLOCK.findall(text):
            if kind == "yaml":
                (folder / re.match(r"# (\S+)\n", block)[1]).write_text(block, encoding="utf-8")
                continue
            for command in block.splitlines():
                if command.endswith(" &"):
                    beside = subprocess.Popen(shlex.split(command[:-2]), cwd=folder, env=env, stdout=subprocess.PIPE, text=True)
                    beside.stdout.readline()
                elif command == "kill -INT %1":
                    beside.send_signal(signal.SIGINT)
                    printed[shlex.join(beside.args)] = beside.communicate(timeout=60)[0]
                else:
                    done = subprocess.run(command, shell=True, cwd=folder, env=env, capture_output=True, text=True, timeout=180)
                    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
                    printed[command] = done.stdout
    finally:
        if beside is not None and beside.poll() is None:
            beside.kill()
            beside.communicate()
    return printed
