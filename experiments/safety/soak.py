"""Long runs: whether memory, open files and threads of every process stay as they are."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array
from swarm_control.errors import Failed

from . import PAGE

REAL, ACCELERATED, QUICK = 1200.0, 3600.0, 20.0
"""How long (s) nodes run in real time, and a simulation as fast as it can."""

ROBOTS = 50
DOMAIN = 89
SCENARIO = "flock_frame"
RUNNING_IN = 0.25
"""Share of the time in which programs load what they need; it does not count."""

EVERY = 2.0
"""Time (s) between two looks."""

FLAT = 2.0
"""Memory (MB/h) by which a process may grow: 48 MB a day."""

HOUR, MEGABYTE = 3600.0, 2**20


@dataclass
class Process:
    """What a process had at each ``time`` (s): ``memory`` (MB, resident), open ``files``, ``threads``."""

    name: str
    time: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    files: list[int] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)

    @property
    def later(self) -> slice:
        """The looks that count."""
        return slice(int(len(self.time) * RUNNING_IN), None)

    def slope(self) -> tuple[float, float, float]:
        """Growth of memory (MB/h): the median of the slopes of all pairs (Theil and Sen), and its interval of 95 %."""
        from scipy.stats import theilslopes

        if len(self.time[self.later]) < 3:
            return 0.0, 0.0, 0.0
        found = theilslopes(self.memory[self.later], self.time[self.later])
        return found[0] * HOUR, found[2] * HOUR, found[3] * HOUR

    def grown(self, counts: list[int]) -> int:
        """By how many the median of the last quarter is more than that of the first that counts."""
        some = np.array(counts[self.later])
        quarter = max(len(some) // 4, 1)
        return int(np.median(some[-quarter:]) - np.median(some[:quarter]))


@experiment("safety_soak", "memory, files and threads of nodes in a long run", PAGE, reported_on=range(100, 101))
def safety_soak(lab: Lab) -> Finding:
    """``swarm run`` with dashboard and recording, in real time."""
    watched, _ = _watch("run", REAL, lab, "--dashboard", "--record", "run.mcap")
    return _finding("Long runs", watched, "Robots and nodes in real time, with dashboard and recording.")


@experiment("safety_soak_fast", "memory, files and threads of a long simulation", PAGE, reported_on=range(100, 101))
def safety_soak_fast(lab: Lab) -> Finding:
    """``swarm simulate`` as fast as it can."""
    watched, simulated = _watch("simulate", ACCELERATED, lab)
    told = f"`swarm simulate` came to {simulated:.0f} s of simulated time, long past where it begins to thin what it keeps."
    return _finding("Long simulations", watched, told)


def _finding(title: str, watched: list[Process], told: str) -> Finding:
    some = [one for one in watched if len(one.time) > 3]
    slopes = [one.slope() for one in some]
    rows = tuple(
        (
            one.name, f"{one.time[-1] - one.time[0]:.0f}", f"{np.median(one.memory[one.later]):.0f}",
            f"{slope[0]:+.2f} ({slope[1]:+.2f} to {slope[2]:+.2f})", f"{one.grown(one.files):+d}", f"{one.grown(one.threads):+d}",
        )
        for one, slope in zip(some, slopes, strict=True)
    )  # fmt: skip
    return Finding(
        title,
        "Not in the papers.",
        ("process", "watched, s", "memory, MB", "growth, MB/h (95 %)", "files", "threads"),
        rows,
        {
            f"no process grows by more than {FLAT:g} MB an hour": all(slope[0] <= FLAT for slope in slopes),
            "no process keeps files open": all(one.grown(one.files) <= 0 for one in some),
            "no process keeps threads": all(one.grown(one.threads) <= 0 for one in some),
        },
        (Curves("memory", "s", "MB", {one.name: _curve(one) for one in some}),),
        {"growth_max": max(slope[0] for slope in slopes)},
        f"{told} {ROBOTS} robots; the first {RUNNING_IN:.0%} of the time, in which programs load what they need, does not count.",
    )


def _curve(one: Process) -> tuple[Array, Array, None]:
    return np.array(one.time) - one.time[0], np.array(one.memory), None


def _watch(verb: str, seconds: float, lab: Lab, *options: str) -> tuple[list[Process], float]:
    """Look at ``swarm`` ``verb`` and its children for so long; and the time (s) that its results came to."""
    (seed,) = lab.seeds(quick=1)[:1]
    seconds = QUICK if lab.quick else seconds
    found: dict[int, Process] = {}
    what = ("--robots", str(ROBOTS), "--seed", str(int(seed)), "--set", "duration=1e6", "--out", "out")
    with tempfile.TemporaryDirectory() as folder:
        program = subprocess.Popen(
            [sys.executable, "-m", "swarm_control.cli.main", verb, SCENARIO, *what, *options],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "ROS_DOMAIN_ID": str(DOMAIN), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"},
        )  # fmt: skip
        try:
            began = time.monotonic()
            while (now := time.monotonic() - began) < seconds and program.poll() is None:
                for number in (program.pid, *_children(program.pid)):
                    one = found.setdefault(number, Process(""))
                    one.name = f"swarm {verb}" if number == program.pid else _name(number) or one.name
                    _look(one, number, now)
                lab.progress(int(now), int(seconds))
                time.sleep(EVERY)
            if program.poll() is not None:
                raise Failed(f"swarm {verb} has ended by itself after {now:.0f} s")
            simulated = _simulated(Path(folder) / "out")
        finally:
            program.send_signal(signal.SIGINT)
            program.wait(60.0)
    return list(found.values()), simulated


def _children(parent: int) -> list[int]:
    try:
        own = [int(word) for word in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    except OSError:
        return []
    return [number for child in own for number in (child, *_children(child))]


def _name(number: int) -> str:
    """What a process is called: the node, or the module."""
    try:
        words = Path(f"/proc/{number}/cmdline").read_text().replace("\0", " ").split()
    except OSError:
        return ""
    nodes = [word.split(":=")[1] for word in words if word.startswith("__node:=")]
    return nodes[0] if nodes else next((word.split(".")[-1] for word in words if word.startswith("swarm_control.")), "")


def _look(one: Process, number: int, now: float) -> None:
    try:
        status = dict(line.split(":", 1) for line in Path(f"/proc/{number}/status").read_text().splitlines())
        files = len(os.listdir(f"/proc/{number}/fd"))
    except OSError:
        return
    if "VmRSS" in status:
        one.time.append(now)
        one.memory.append(float(status["VmRSS"].split()[0]) * 1024 / MEGABYTE)
        one.files.append(files)
        one.threads.append(int(status["Threads"]))


def _simulated(folder: Path) -> float:
    """Time (s) that the simulation came to."""
    import json

    try:
        return float(json.loads((folder / "summary.json").read_text())["duration"])
    except FileNotFoundError:
        return 0.0
