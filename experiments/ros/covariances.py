"""Robots whose odometry is noisy, and says so by its covariance."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, norm
from swarm_control.ros.messages.cdr import OdometryWriter

from . import PAGE
from .stand_ins import stand_ins

DOMAIN = 92
AWAY, WATCHED = 2.0, 20.0
"""The goal is so far (m) from the middle of the robots' start, and they are watched for so long (s)."""

NEAR = 0.3
"""The middle of robots that have arrived is this near (m) to the goal."""

PERIOD = 0.05
"""Odometry comes so often, s."""


class NoisyWriter(OdometryWriter):
    """Odometry in the map's frame with errors that last for about ``lasting`` (s), of standard deviations ``position`` (m) along x and
    along y, and ``heading`` (rad), which its covariances tell.
    """

    def __init__(self, children: Sequence[str], seed: Seed, position: float, heading: float, lasting: float) -> None:
        super().__init__("map", children)
        self._random = np.random.default_rng(int(seed))
        self._deviation = np.array([position, position, heading])
        self._kept = float(np.exp(-PERIOD / lasting)) if lasting > 0.0 else 0.0
        self._off = self._deviation * self._random.normal(size=(len(children), 3))
        covariance = np.zeros((len(children), 2, 6, 6))
        covariance[:, 0, (0, 1, 5), (0, 1, 5)] = self._deviation**2
        self._covariance = covariance

    def write(self, which: Sequence[int], times: Sequence[float], values: Array, covariances: Array | None = None) -> list[bytes]:
        """As the truth, with errors; they are a first-order Gauss-Markov process."""
        fresh = self._deviation * self._random.normal(size=self._off.shape)
        self._off = self._kept * self._off + np.sqrt(1.0 - self._kept**2) * fresh
        noisy = values.copy()
        noisy[:, :2] += self._off[:, :2]
        half = np.arctan2(values[:, 5], values[:, 6]) + 0.5 * self._off[:, 2]
        noisy[:, 3:7] = np.column_stack((np.zeros((len(values), 2)), np.sin(half), np.cos(half)))
        return super().write(which, times, noisy, self._covariance)


@dataclass(frozen=True)
class Gathered:
    """How robots crowd at a goal: how far ``off`` (m) it their middle is at best, how ``wide`` they stand in the end (m, mean distance from
    their middle), and ``contacts``.
    """

    used: bool
    off: float
    wide: float
    contacts: int


@experiment("ros_covariances", "noisy odometry that says so by its covariance, used and not", PAGE, reported_on=range(500, 506))
def ros_covariances(lab: Lab) -> Finding:
    """Real nodes; simulated robots crowd at a common goal, by odometry with random errors."""
    seeds = lab.seeds(quick=1)
    cases = [(seed, used) for seed in seeds for used in (True, False)]
    found: dict[tuple[Seed, bool], tuple[str, Gathered]] = {}
    for done, case in enumerate(cases, start=1):
        found[case] = _crowded(*case)
        lab.progress(done, len(cases))
    used, unused = ([one for (_, way), (_, one) in found.items() if way == choice] for choice in (True, False))
    return Finding(
        "Odometry that tells of its noise",
        "Not in the papers.",
        ("seed", "robots, their noise and how long it lasts", "covariance used", "middle off the goal (m)", "from their middle (m)",
         "contacts"),
        tuple(
            (str(seed), swarm, "yes" if one.used else "no", f"{one.off:.2f}", f"{one.wide:.2f}", str(one.contacts))
            for (seed, _), (swarm, one) in found.items()
        ),
        {
            "where covariances are used nobody touches anybody": not any(one.contacts for one in used),
            "all get to the goal": all(one.off < NEAR for one in (*used, *unused)),
            "where they are not used robots touch": any(one.contacts for one in unused),
        },
        (Bars("contacts", "", tuple(str(seed) for seed in seeds), {
            name: np.array([float(found[seed, way][1].contacts) for seed in seeds])
            for name, way in (("used", True), ("not used", False))}),),
        {"contacts_used": sum(one.contacts for one in used), "contacts_unused": sum(one.contacts for one in unused)},
        f"6 to 12 robots, omnidirectional or differential, that all go to one point {AWAY:g} m away by arrival and the separation filter, "
        f"and are watched for {WATCHED:g} s; errors of position of 1 to 3 cm and of heading of up to 3°, which last for up to 2 s; the "
        "robots' covariances tell their standard deviations. `separation_filter.noise` is not set. Not used: "
        f"`hardware.odometry.use_covariance` is false, the default. At the goal: their middle is within {100 * NEAR:g} cm of it.",
    )  # fmt: skip


def _crowded(seed: Seed, used: bool) -> tuple[str, Gathered]:
    random = np.random.default_rng(int(seed))
    count, model = int(random.integers(6, 13)), str(random.choice(["omni", "differential"]))
    position, heading, lasting = random.uniform(0.01, 0.03), np.radians(random.uniform(0.0, 3.0)), random.uniform(0.0, 2.0)
    data = {
        "duration": 600.0, "seed": int(seed), "goals": [{"position": [AWAY, 0.0]}],
        "robots": [{"count": count, "model": model, "max_speed": 0.5, "start": {"pattern": "grid", "spacing": 0.35}}],
        "control": {"period": PERIOD, "arrival": {"weight": 4.0}, "separation_filter": {"enabled": True}},
        "hardware": {"odometry": {"frame": "map", "max_deviation": 0.2, "use_covariance": used}},
    }  # fmt: skip
    with stand_ins(data, DOMAIN, lambda frames: NoisyWriter(frames, seed, position, heading, lasting)) as found:
        began, off = time.monotonic(), []
        while time.monotonic() < began + WATCHED:
            found.spin()
            off.append(float(np.hypot(*(found.robots.pose[:, :2].mean(axis=0) - (AWAY, 0.0)))))
        contacts, place = found.robots.contacts, found.robots.pose[:, :2]
    return f"{count} {model}, {100 * position:.1f} cm, {np.degrees(heading):.1f}°, {lasting:.1f} s", Gathered(
        used, min(off), float(norm(place - place.mean(axis=0)).mean()), contacts
    )
