"""What becomes of nodes, and of results, when the supervisor, the launch or its terminal ends: however it ends, and with hung nodes."""

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.errors import Failed
from swarm_control.paths import share

from . import PAGE

EACH, QUICK = 10, 1
"""Runs of a seed."""

DOMAIN = 88
SCENARIO = "flock_frame"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
"""Out of memory; ended by another program; terminal or remote login closed; Ctrl-C."""

LAUNCH = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
service, values = LaunchService(argv=sys.argv[2:]), [tuple(word.split(":=", 1)) for word in sys.argv[2:]]
file = PythonLaunchDescriptionSource(sys.argv[1])
service.include_launch_description(LaunchDescription([IncludeLaunchDescription(file, launch_arguments=values)]))
sys.exit(service.run())
"""
"""What ``ros2 launch`` does, without its command line."""

BEGINNING, ENDING = 90.0, 20.0
"""Longest time (s) until all runs, and until all is gone."""

A_SECOND = 1.0
LOST = 1.0
"""Time (s) of results that a crash may cost."""


@dataclass(frozen=True)
class Ended:
    """A run by ``parent`` that got a ``signal``, with a node ``held`` still ("" for none): after which time (s) all nodes were ``gone``,
    and the parent had ``ended``, too, infinite: not; how long (s) nodes ``outlived`` it; how much (s) of its results was ``lost``, None
    where there were none to keep.
    """

    parent: str
    signal: str
    held: str
    gone: float
    ended: float
    outlived: float
    lost: float | None


@experiment("safety_parents", "supervisor and launch killed, ended and left by their terminal", PAGE, reported_on=range(100, 106))
def safety_parents(lab: Lab) -> Finding:
    """Real processes; every second run has a node that is held still (SIGSTOP) as it ends."""
    seeds = lab.seeds(quick=1)
    found: list[Ended] = []
    for done, seed in enumerate(seeds, start=1):
        random = np.random.default_rng(int(seed))
        found += [_ended(random) for _ in range(QUICK if lab.quick else EACH)]
        lab.progress(done, len(seeds))
    parents, signals = sorted({one.parent for one in found}), sorted({one.signal for one in found})
    rows = tuple(_row(found, parent, name) for parent in parents for name in signals)
    outlived = np.array([one.outlived for one in found])
    lost = np.array([one.lost for one in found if one.lost is not None])
    without = "" if _can_launch() else "launch_ros was not installed: `ros2 launch` was not tried. "
    return Finding(
        "When what started the nodes ends",
        "Not in the papers.",
        ("started by", "signal", "runs", "with a node held still", "nodes gone after", "all ended after", "outlived by", "results lost"),
        tuple(row for row in rows if row[2] != "0"),
        {
            "no node outlives its parent by more than 1 s": bool((outlived <= A_SECOND).all()),
            "no node of ros2 launch is there 1 s after the signal": all(one.gone <= A_SECOND for one in found if one.parent != "swarm run"),
            "less than 1 s of results is lost": bool((lost < LOST).all()),
        },
        (Bars("nodes outlived their parent", "s", ("p50", "max"), {"": np.array([np.median(outlived), outlived.max()])}),),
        {"outlived_max": float(outlived.max()), "lost_max": float(lost.max(initial=0.0)), "runs": float(len(found))},
        f"{without}With SIGTERM, SIGHUP and SIGINT the supervisor waits for its nodes and writes results. `ros2 launch` never ends "
        "(inf) when Ctrl-C comes while it is starting a process; its nodes do.",
    )  # fmt: skip


def _row(found: list[Ended], parent: str, name: str) -> tuple[str, ...]:
    some = [one for one in found if (one.parent, one.signal) == (parent, name)]
    lost = [one.lost for one in some if one.lost is not None]
    held = sum(bool(one.held) for one in some)

    def most(times: list[float]) -> str:
        return f"≤ {max(times, default=0.0):.2f} s"

    return (
        parent, name, str(len(some)), str(held), *(most([getattr(one, key) for one in some]) for key in ("gone", "ended", "outlived")),
        most(lost) if lost else "",
    )  # fmt: skip


def _can_launch() -> bool:
    """Whether launch is installed, and knows this package."""
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    known = any((Path(prefix) / "share" / "ament_index" / "resource_index" / "packages" / "swarm_control").exists() for prefix in prefixes)
    return known and importlib.util.find_spec("launch_ros") is not None


def _ended(random: np.random.Generator) -> Ended:
    """One run that is ended at a random moment."""
    robots, number = int(random.integers(5, 31)), SIGNALS[random.integers(len(SIGNALS))]
    parent = str(random.choice(["swarm run", "ros2 launch"])) if _can_launch() else "swarm run"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "lines").open("w") as lines:
            process = subprocess.Popen(
                _words(parent, robots, folder), stdout=lines, stderr=subprocess.STDOUT, start_new_session=True,
                env={**os.environ, "ROS_DOMAIN_ID": str(DOMAIN), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"},
                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # nohup before the experiment is not meant for them
            )  # fmt: skip
        try:
            _begin(process, folder, parent)
            time.sleep(float(random.uniform(0.0, 3.0)))
            nodes = _nodes()
            held = int(random.choice(sorted(nodes))) if random.random() < 0.5 else 0
            if held:
                os.kill(held, signal.SIGSTOP)
            ran, began = _told(folder), time.monotonic()
            if number == signal.SIGINT:  # Ctrl-C reaches all that are in the terminal's foreground, as launch presumes
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
            gone, ended, outlived = _ends(process, began)
            lost = max(ran - _kept(folder), 0.0) if parent == "swarm run" else None
            return Ended(parent, number.name, nodes.get(held, ""), gone, ended, outlived, lost)
        finally:
            process.kill()
            process.wait()
            for left in _nodes():
                os.kill(left, signal.SIGKILL)


def _words(parent: str, robots: int, folder: Path) -> list[str]:
    if parent == "ros2 launch":
        file = str(share() / "launch" / "swarm.launch.py")
        return [sys.executable, "-c", LAUNCH, file, f"scenario:={SCENARIO}", f"robots:={robots}"]
    program = [sys.executable, "-m", "swarm_control.cli.main"]
    return [*program, "run", SCENARIO, "--robots", str(robots), "--set", "duration=600", "--out", str(folder / "run")]


def _begin(process: subprocess.Popen[bytes], folder: Path, parent: str) -> None:
    """Wait until all runs."""
    began = time.monotonic()
    while not (_told(folder) > 1.0 if parent == "swarm run" else len(_nodes()) > 5):
        if process.poll() is not None or time.monotonic() - began > BEGINNING:
            raise Failed(f"{parent} did not begin: " + " | ".join((folder / "lines").read_text().splitlines()[-3:]))
        time.sleep(0.05)


def _told(folder: Path) -> float:
    """Time (s) that the console has reached."""
    found: list[str] = re.findall(r"t = +(\d+\.\d)", (folder / "lines").read_text())
    return float(found[-1]) if found else 0.0


def _kept(folder: Path) -> float:
    """Time (s) that the results reach to."""
    try:
        return float(json.loads((folder / "run" / "summary.json").read_text())["duration"])
    except FileNotFoundError:
        return 0.0


def _ends(process: subprocess.Popen[bytes], began: float) -> tuple[float, float, float]:
    """After which time (s) all nodes were gone, and the process had ended, too; and for how long (s) there still were nodes without it."""
    gone = alone = np.inf
    while True:
        now, over, nodes = time.monotonic() - began, process.poll() is not None, _nodes()
        gone = np.inf if nodes else min(gone, now)
        alone = min(alone, now) if over else np.inf
        if (over and not nodes) or now > ENDING:
            return gone, now if over and not nodes else np.inf, max(gone - alone, 0.0) if over else 0.0
        time.sleep(0.01)


def _nodes() -> dict[int, str]:
    """Node processes of this domain, and the programs that they run."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"ROS_DOMAIN_ID={DOMAIN}\0" in (entry / "environ").read_text():
                words = (entry / "cmdline").read_text().replace("\0", " ")
                if "swarm_control.ros.nodes." in words:
                    found[int(entry.name)] = words.split("swarm_control.ros.nodes.")[1].split()[0]
        except OSError:
            continue
    return found
