"""Robots whose odometry is in frames of their own (REP 105), which begin where each of them was switched on."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, norm, rotate
from swarm_control.ros.messages.cdr import OdometryWriter

from . import PAGE
from .stand_ins import stand_ins

DOMAIN = 90
APART, HALL = 1.0, 5.0
"""Least distance (m) of two robots at the start, and side (m) of the square in which they start."""

ON_THE_WAY, STANDING = 40.0, 5.0
"""How long (s) robots have to arrive, and how long it is watched that they do not move."""

NEAR = 0.5
"""The middle of a group that has arrived is this near (m) to its goal."""


class LocalWriter(OdometryWriter):
    """Odometry of robots, each in a frame of its own that begins at ``origin`` (N, 3): m, m, rad in the map."""

    def __init__(self, children: Sequence[str], origin: Array) -> None:
        super().__init__("odom", children)
        self._origin = origin

    def write(self, which: Sequence[int], times: Sequence[float], values: Array, covariances: Array | None = None) -> list[bytes]:
        """As the map's, but from each robot's own origin; a twist is in the robot's frame, and so the same."""
        local = values.copy()
        local[:, :2] = rotate(values[:, :2] - self._origin[:, :2], -self._origin[:, 2])
        half = np.arctan2(values[:, 5], values[:, 6]) - 0.5 * self._origin[:, 2]
        local[:, 3:7] = np.column_stack((np.zeros((len(values), 2)), np.sin(half), np.cos(half)))
        return super().write(which, times, local, covariances)


@dataclass(frozen=True)
class Told:
    """What robots did whose frames the scenario knows as ``setting`` says.

    ``off``: distance (m) of their middle from the goal in the end; ``moved``: the longest way (m) of one; ``took`` (s) until they had
    arrived, None: not; ``named``: how many of the robots were named in a line, ``lines`` in how many; ``contacts``.
    """

    setting: str
    off: float
    moved: float
    took: float | None
    named: int
    lines: int
    contacts: int


@experiment("ros_frames", "odometry in frames of the robots' own: known, unknown, mistaken", PAGE, reported_on=range(100, 106))
def ros_frames(lab: Lab) -> Finding:
    """Real nodes; simulated robots at random places and headings publish odometry that begins at zero."""
    seeds = lab.seeds(quick=1)
    found: dict[tuple[Seed, str], tuple[str, int, Told]] = {}
    cases = [(seed, setting) for seed in seeds for setting in ("start", "auto", "map")]
    for done, (seed, setting) in enumerate(cases, start=1):
        found[seed, setting] = _told(seed, setting)
        lab.progress(done, len(cases))
    known, unknown, wrong = ([(n, one) for (_, s), (_, n, one) in found.items() if s == setting] for setting in ("start", "auto", "map"))
    return Finding(
        "Odometry in frames of the robots' own",
        "Not in the papers.",
        ("seed", "robots", "`hardware.odometry.frame`", "arrived after (s)", "middle off the goal (m)", "longest way (m)", "named",
         "contacts"),
        tuple(
            (str(seed), swarm, f"`{one.setting}`", "–" if one.took is None else f"{one.took:.1f}", f"{one.off:.2f}", f"{one.moved:.2f}",
             f"{one.named} of {robots}", str(one.contacts))
            for (seed, _), (swarm, robots, one) in found.items()
        ),
        {
            "robots whose frames begin at the scenario's start poses arrive without a touch": all(
                one.took is not None and not one.contacts for _, one in known
            ),
            "robots whose frame nobody knows do not move": all(one.moved < 1e-6 for _, one in unknown),
            "each of them is named, in one line": all(one.named == one.lines == n for n, one in unknown),
            "taken for the map's, such frames lead robots astray": all(one.took is None for _, one in wrong),
        },
        (Bars("middle off the goal", "m", tuple(str(seed) for seed in seeds), {
            setting: np.array([found[seed, setting][2].off for seed in seeds]) for setting in ("start", "auto", "map")}),),
        {"off_known": max(one.off for _, one in known), "off_wrong": min(one.off for _, one in wrong)},
        f"Three to eight robots, all omnidirectional or all differential, at random places at least {APART:g} m apart in a square of "
        f"{HALL:g} m, with random headings; the goal is 6 m from its middle. Arrived: their middle is within {NEAR:g} m of the goal, "
        f"within {ON_THE_WAY:g} s. With `auto` the frame `odom` is known to nobody, as no `tf` is published. The last setting is a mistake "
        "on purpose: it shows what the first line would look like if frames were not read.",
    )  # fmt: skip


def _scenario(seed: Seed, setting: str) -> tuple[dict[str, object], str, Array, Array]:
    """A scenario at random, the robots' model, their start poses (N, 3), m and rad, and the goal (2,) m."""
    random = np.random.default_rng(int(seed))
    count, places = int(random.integers(3, 9)), np.empty((0, 2))
    while len(places) < count:
        place = random.uniform(-0.5 * HALL, 0.5 * HALL, 2)
        if norm(places - place).min(initial=np.inf) > APART:
            places = np.vstack((places, place))
    degrees = random.uniform(-180.0, 180.0, count)
    course, model = random.uniform(-np.pi, np.pi), str(random.choice(["omni", "differential"]))
    goal = 6.0 * np.array([np.cos(course), np.sin(course)])
    poses = np.column_stack((places, np.radians(degrees)))
    start = {"pattern": "poses", "poses": np.column_stack((places, degrees)).tolist()}
    data = {
        "duration": 600.0, "seed": int(seed), "goals": [{"position": goal.tolist()}],
        "robots": [{"count": count, "model": model, "start": start}],
        "control": {
            "separation": {"weight": 0.5, "distance": 0.4}, "arrival": {"weight": 2.0}, "separation_filter": {"enabled": True},
        },
        "hardware": {"odometry": {"frame": setting}},
    }  # fmt: skip
    return data, model, poses, goal


def _told(seed: Seed, setting: str) -> tuple[str, int, Told]:
    data, model, poses, goal = _scenario(seed, setting)
    with stand_ins(data, DOMAIN, lambda frames: LocalWriter(frames, poses)) as found:
        took, began = None, time.monotonic()
        while took is None and time.monotonic() < began + (STANDING if setting == "auto" else ON_THE_WAY):
            found.spin()
            took = time.monotonic() - began if _off(found.robots.pose, goal) < NEAR else None
        contacts, end, named = found.robots.contacts, found.robots.pose, found.named
    who = {line.split(" stands: ")[0].split()[-1] for line in named}
    return f"{len(poses)} {model}", len(poses), Told(setting, _off(end, goal), found.way, took, len(who), len(named), contacts)


def _off(pose: Array, goal: Array) -> float:
    return float(np.hypot(*(pose[:, :2].mean(axis=0) - goal)))
