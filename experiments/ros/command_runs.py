"""``swarm run`` as a person starts it: a process, what it says, and what it leaves."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from swarm_control.errors import Failed

ENDING = 20.0
"""Longest time (s) that a run has to end after Ctrl-C."""


class CommandRun:
    """A ``swarm run`` with these ``words``, in the background; its results go into ``folder``. Use as a context manager."""

    def __init__(self, folder: Path, domain: int, *words: str) -> None:
        os.environ.update(ROS_DOMAIN_ID=str(domain), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
        folder.mkdir(parents=True, exist_ok=True)
        self.results, self._said = folder / "results", folder / "said.txt"
        command = [sys.executable, "-m", "swarm_control.cli.main", "run", *words, "--out", str(self.results)]
        with self._said.open("wb") as said:
            self._process = subprocess.Popen(command, stdout=said, stderr=said, stdin=subprocess.DEVNULL, start_new_session=True)

    def __enter__(self) -> "CommandRun":
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    @property
    def said(self) -> str:
        """What it has printed."""
        return self._said.read_text(errors="replace")

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    def end(self) -> None:
        """End it as Ctrl-C does."""
        if not self.over:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @property
    def heard(self) -> float:
        """Time (s) that the results so far reach to; 0 before the first."""
        try:
            return float(json.loads((self.results / "summary.json").read_text())["duration"])
        except (FileNotFoundError, ValueError):
            return 0.0

    def summary(self) -> dict[str, Any]:
        """Its results. ``Failed`` with the last line that it has said where there are none."""
        try:
            return dict(json.loads((self.results / "summary.json").read_text()))
        except FileNotFoundError:
            raise Failed(f"swarm run left no results: {(self.said.strip().splitlines() or ['it said nothing'])[-1]}") from None


def wait_for(condition: Callable[[], Any], patience: float, runs: Sequence[CommandRun] = (), pause: float = 0.1) -> Any:
    """What ``condition()`` gives when that is something; ``Failed`` after ``patience`` (s), or when one of the ``runs`` has ended."""
    end = time.monotonic() + patience
    while not (found := condition()):
        ended = next((run for run in runs if run.over), None)
        if time.monotonic() > end or ended is not None:
            raise Failed(f"waited {patience:g} s in vain: {' | '.join((ended or runs[0]).said.splitlines()[-3:]) if runs else ''}")
        time.sleep(pause)
    return found
