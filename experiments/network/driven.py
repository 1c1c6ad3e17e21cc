"""A swarm that drives on a bad network, each robot with all its nodes on board and wired to its wheels; the floor knows the truth."""

import contextlib
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.flight import Seed
from swarm_control.core.geometry import Array
from swarm_control.ros.graph.plan import plan

from .namespaces import WIRED
from .radio import Air, Programs, Radio

TRUTH = "truth.csv"
POSES, PORT = 20, 5000
"""Looks of the motion capture in a second; the first robot's port."""

CUT = 1
"""The robot that is cut off."""

UNDERWAY, BLACKOUT = 2.0, 5.0
"""When (s) after the first robots have begun to move it is cut off, and how long."""


@dataclass(frozen=True)
class Driven:
    """A run. ``summary``: as the floor knows it; ``stop``: how long (s) after it was cut off the robot has come to rest, NaN when it has
    not; ``dead``: nodes that have died.
    """

    summary: dict[str, Any]
    stop: float
    dead: int


def drive(folder: Path, scenario: str, changes: tuple[str, ...], air: Air, seconds: float, seed: Seed) -> Driven:
    """Drive a scenario until all have arrived, for ``seconds`` at most; once it is under way the second robot is cut off."""
    with on_wheels(folder, scenario, (*changes, "duration=600"), air, seed) as (floor, names):
        truth = folder / TRUTH
        floor.until(lambda: np.count_nonzero(rates(truth, len(names)).any(axis=1)) > len(names) // 2, 240.0)
        floor.wait(UNDERWAY)
        floor.until(lambda: abs(rates(truth, len(names))[CUT]).sum() > 2.0, 30.0)
        floor.cut(CUT + 1)
        cut = time.time()
        floor.wait(BLACKOUT)
        floor.cut(CUT + 1, False)
        back = time.time()
        floor.wait(seconds - UNDERWAY - BLACKOUT)
        dead = len(floor.dead())
        floor.end("emulate")
    summary = json.loads((folder / "truth" / "summary.json").read_text())
    return Driven(summary, stopping_time(truth, names[CUT], cut, back), dead)


@contextlib.contextmanager
def on_wheels(folder: Path, scenario: str, changes: tuple[str, ...], air: Air, seed: Seed) -> Iterator[tuple[Radio, tuple[str, ...]]]:
    """A scenario's robots, each a machine of its own that is wired to its emulated wheels, and the floor, machine 0; and robots' names.

    Poses come from motion capture at the floor (1 mm, 0.3°), by air; what a robot is told by its own nodes goes by wire. What the wheels
    truly do is written to :data:`TRUTH` in ``folder``, and to a folder ``truth`` when ``emulate`` is ended.
    """
    from swarm_control.scenario.loader import load_prepared

    link = f"hardware.wheels.link=tcp://{WIRED}.1:{PORT // 10}{{index}}"
    changes = (*changes, f"seed={seed}", link, "hardware.tracker.source=pose_array", "hardware.tracker.topic=/poses")
    names = load_prepared(scenario, changes)[1].fleet.names
    specs = plan(scenario, changes, "none", onboard=names, drivers=("wheel_driver", "tracker"), aggregate=True)
    machines: list[Programs] = [{} for _ in range(len(names) + 1)]
    for spec in specs:
        robot = spec.namespace.strip("/")
        machines[names.index(robot) + 1 if robot in names else 0][spec.full_name] = spec
    settings = [word for change in changes for word in ("--set", change)]
    machines[0]["emulate"] = [
        sys.executable, "-m", "swarm_control.cli.main", "emulate", scenario, *settings, "--tcp", str(PORT), "--host", f"{WIRED}.1",
        "--seed", str(seed), "--poses", str(POSES), "--slip", "0.02", "--truth", str(folder / TRUTH), "--out", str(folder / "truth"),
    ]  # fmt: skip
    with Radio(machines, air, "", seed, wired=True) as floor:
        yield floor, names


def rates(truth: Path, robots: int) -> Array:
    """How fast the wheels turn now (N, 2) rad/s."""
    if not truth.exists():
        return np.zeros((robots, 2))
    with truth.open("rb") as file:
        file.seek(0, 2)
        file.seek(max(file.tell() - 200 * robots, 0))
        lines = file.read().decode().splitlines()[1:-1][-robots:]
    rows = [line.split(",")[5:] for line in lines if not line.startswith("time")]
    return np.array(rows, float) if len(rows) == robots else np.zeros((robots, 2))


def stopping_time(truth: Path, name: str, cut: float, back: float) -> float:
    """How long (s) after ``cut`` the robot's wheels have come to rest for good; NaN when they turn until it is ``back``."""
    times = turning(truth, name, cut, back)
    return float("nan") if times and back - times[-1] < 0.1 else max(times, default=cut) - cut


def turning(truth: Path, name: str, begin: float, end: float) -> list[float]:
    """When (s) between ``begin`` and ``end`` the robot's wheels were turning."""
    rows = [line.split(",") for line in truth.read_text().splitlines()[1:-1]]
    return [float(row[0]) for row in rows if row[1] == name and begin < float(row[0]) < end and any(map(float, row[5:]))]
