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
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array

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


@experiment("safety_soak", "memory, files and threads of long runs", PAGE, reported_on=range(100, 101))
def safety_soak(lab: Lab) -> Finding:
    """``swarm run`` with dashboard and recording in real time, beside it ``swarm simulate`` as fast as it can."""
    (seed,) = lab.seeds(quick=1)[:1]
    real, accelerated = (QUICK, QUICK) if lab.quick else (REAL, ACCELERATED)
    with tempfile.TemporaryDirectory() as name:
        programs = {
            "swarm run": _start(Path(name), "run", seed, 0, "--dashboard", "--record", str(Path(name) / "run.mcap")),
            "swarm simulate": _start(Path(name), "simulate", seed, 19),
        }
        ends = {"swarm run": real, "swarm simulate": accelerated}
        try:
            watched = _watch(programs, ends, lab)
            ticks = _simulated(Path(name) / "simulate")
        finally:
            for process in programs.values():
                process.kill()
                process.wait()
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
        "Long runs",
        "Not in the papers.",
        ("process", "watched, s", "memory, MB", "growth, MB/h (95 %)", "files", "threads"),
        rows,
        {
            f"no process grows by more than {FLAT:g} MB an hour": all(slope[0] <= FLAT for slope in slopes),
            "no process keeps files open": all(one.grown(one.files) <= 0 for one in some),
            "no process keeps threads": all(one.grown(one.threads) <= 0 for one in some),
        },
        (Curves("memory", "s", "MB", {one.name: _curve(one) for one in some}),),
        {"growth_max": max(slope[0] for slope in slopes), "simulated": ticks},
        f"{ROBOTS} robots; the first {RUNNING_IN:.0%} of the time, in which programs load what they need, does not count. "
        f"`swarm simulate` came to {ticks:.0f} s of simulated time. `swarm run` takes the memory for trajectory and series at its start; "
        "`swarm simulate`, which keeps the same, as they grow, until they are thinned: it is long past that.",
    )


def _curve(one: Process) -> tuple[Array, Array, None]:
    return np.array(one.time) - one.time[0], np.array(one.memory), None


def _start(folder: Path, verb: str, seed: Seed, niceness: int, *options: str) -> subprocess.Popen[bytes]:
    what = ("--robots", str(ROBOTS), "--seed", str(int(seed)), "--set", "duration=1e6")
    words = (verb, SCENARIO, *what, "--out", str(folder / verb), *options)
    with (folder / f"{verb}.txt").open("w") as lines:
        return subprocess.Popen(
            ["nice", "-n", str(niceness), sys.executable, "-m", "swarm_control.cli.main", *words],
            stdout=lines, stderr=subprocess.STDOUT,
            env={**os.environ, "ROS_DOMAIN_ID": str(DOMAIN), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"},
        )  # fmt: skip


def _watch(programs: dict[str, subprocess.Popen[bytes]], ends: dict[str, float], lab: Lab) -> list[Process]:
    """Look at the programs and their children until the time of each is over."""
    found: dict[int, Process] = {}
    began, longest = time.monotonic(), max(ends.values())
    while (now := time.monotonic() - began) < longest:
        for name, process in programs.items():
            if now > ends[name]:
                process.send_signal(signal.SIGINT)
            elif process.poll() is None:
                for number in (process.pid, *_children(process.pid)):
                    one = found.setdefault(number, Process(name))
                    one.name = name if number == process.pid else _name(number, name)
                    _look(one, number, now)
        lab.progress(int(now), int(longest))
        time.sleep(EVERY)
    return list(found.values())


def _children(parent: int) -> list[int]:
    try:
        own = [int(word) for word in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    except OSError:
        return []
    return [number for child in own for number in (child, *_children(child))]


def _name(number: int, parent: str) -> str:
    try:
        words = Path(f"/proc/{number}/cmdline").read_text().split("\0")
    except OSError:
        return parent
    nodes = [word.split(":=")[1] for word in words if word.startswith("__node:=")]
    return nodes[0] if nodes else f"{parent}: {words[2].split('.')[-1]}" if words[1:2] == ["-m"] else parent


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
