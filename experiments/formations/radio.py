"""Onboard robots that hear only those within the range of their radios: how well, and how fast, they agree on their structure."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.simulation import TickRecord, simulate
from swarm_control.core.geometry import Array, norm
from swarm_control.formation.shapes import SHAPES
from swarm_control.runtime.agreement import nudge
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare

from . import PAGE

CHOSEN = range(1001)
"""Seeds on which consensus was made and mended."""
ROBOTS, SPACING, PERIOD, DELAY = 10, 0.6, 0.1, 0.1
RANGES = (0.5, 0.9, 1.3, 100.0)
"""Radio ranges, m. The first is less than the spacing: nobody is heard. The second just connects all; with the last everybody is heard."""
NAMES = ("line", "circle", "grid")
"""Shapes; robots start on their points."""
LATER = 6.0
"""So long (s) after all have begun, every robot's structure is moved off at random: 5 cm and 3° each way, standard deviation."""
LOSSES = (0.0, 0.3, 0.5)
"""Shares of messages that are lost."""
AGREED = 0.2
"""Robots have agreed when they differ by this share of what they differed by then."""


@dataclass(frozen=True)
class Agreeing:
    """A run: its ``seed``, the robots' ``model`` and ``shape``, the ``reach`` (m) of their radios and the share of messages ``lost``."""

    seed: Seed
    model: str
    shape: str
    reach: float
    lost: float


@dataclass(frozen=True)
class Agreement:
    """What came of it: λ₂ of the Metropolis weights' Laplacian, mean formation error and mean disagreement (m) before robots are moved off,
    time (s) to agree then and the time that λ₂ allows, whether all arrived, the longest way (m) of a robot, contacts.
    """

    connectivity: float
    error: float
    apart: float
    agreed: float
    allowed: float
    arrived: bool
    way: float
    contacts: int


def connectivity(position: Array, reach: float) -> float:
    """λ₂ of the Laplacian of Metropolis weights between robots (N, 2) m within ``reach`` (m) of each other."""
    near = (norm(position[:, None] - position[None]) <= reach) & ~np.eye(len(position), dtype=bool)
    degree = near.sum(axis=1)
    weight = near / (1.0 + np.maximum(degree[:, None], degree[None]))
    return float(np.linalg.eigvalsh(np.diag(weight.sum(axis=1)) - weight)[1])


def allowed(connected: float, lost: float) -> float:
    """Within how long (s) consensus alone agrees, with the delay and with messages lost."""
    ticks = round(DELAY / PERIOD)
    rate = connected * (1.0 - lost) * np.sin(np.pi / (4.0 * ticks + 2.0))
    return float("inf") if rate < 1e-9 else float(PERIOD * (np.log(AGREED) / np.log(1.0 - min(rate, 0.99)) + 2.0 * ticks + 1.0))


def disagreement(frame: TickRecord) -> float:
    """Root mean square (m) over robots and points of how far each robot has a point from where all have it on average."""
    parts = [controller.structures for controller in frame.formation.controllers]
    if not all(parts):
        return float("nan")
    points = np.array([[dict(zip(one[0].names, one[0].world))[name] for name in parts[0][0].names] for one in parts])
    return float(np.sqrt((norm(points - points.mean(axis=0)) ** 2).mean()))


class _Onlooker:
    """Looks on, and once moves off what robots believe."""

    def __init__(self, draw: Agreeing) -> None:
        self._draw, self._rng, self._since = draw, np.random.default_rng([draw.seed, 43]), np.nan
        self.moved_at: int | None = None
        self.moved = 0.0
        self.connectivity = 0.0
        self.apart: list[float] = []
        self.error: list[float] = []

    def __call__(self, frame: TickRecord, metrics: Any) -> None:
        self.apart.append(disagreement(frame))
        self.error.append(frame.formation.error(frame.truth) or 0.0)
        if np.isnan(self._since) and np.isfinite(self.apart[-1]):
            self._since = frame.truth.time
        if self.moved_at is None and frame.truth.time >= self._since + LATER:
            self.moved_at = len(self.apart)
            position = frame.truth.position
            self.connectivity = connectivity(position, self._draw.reach)
            far = norm(position[:, None] - position[None]) > self._draw.reach
            for k, controller in enumerate(frame.formation.controllers):
                nudge(controller.parts[0], self._rng.normal(0.0, (0.05, 0.05, np.deg2rad(3.0))), 0.0, far[k])
            self.moved = disagreement(frame)


def run(draw: Agreeing) -> Agreement:
    """Make the run, until all have arrived or its time is over."""
    poses = [[x, y, 0.0] for x, y in SHAPES[draw.shape](ROBOTS, SPACING).tolist()]
    start = f"start: {{pattern: poses, poses: {poses}}}"
    body = "radius: 0.1, wheel_base: 0.16, max_speed: 0.3, max_acceleration: 0.6, max_turn_rate: 2.4"
    network = f"noise_position: 0.002, noise_heading: 1, delay: {DELAY}, loss: {draw.lost}, radio_range: {draw.reach}"
    loaded = load("formation_translate", (
        f"robots=[{{count: {ROBOTS}, model: {draw.model}, {body}, {start}}}]", f"formation.shape={draw.shape}", f"seed={draw.seed}",
        f"formation.spacing={SPACING}", "formation.repeat=1", "goals=[{position: [3, 0]}]", f"simulator={{onboard: true, {network}}}",
        f"duration={40 if draw.reach > SPACING else 5}", f"control.period={PERIOD}",
    ))  # fmt: skip
    watch = _Onlooker(draw)
    outcome = simulate(loaded, prepare(loaded.scenario, loaded.source), until_arrival=True, watch=watch)
    place, at = outcome.recorder.trajectory().pose[:, :, :2], watch.moved_at
    apart, error = np.array(watch.apart), np.array(watch.error)
    agreed = np.flatnonzero(apart[at:] <= AGREED * watch.moved) if at is not None else np.zeros(0)
    quiet = slice(max(at - round(LATER / PERIOD), 0), at) if at is not None else slice(0, 0)
    return Agreement(
        watch.connectivity, _mean(error[quiet]), _mean(apart[quiet]), PERIOD * float(agreed[0] + 1) if agreed.size else float("inf"),
        allowed(watch.connectivity, draw.lost), outcome.summary["arrived_fraction"] == 1.0, float(norm(place - place[0]).max()),
        int(outcome.summary["collisions"]),
    )  # fmt: skip


def _mean(values: Array) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


@experiment("formation_radio", "onboard robots that hear only those in radio range agree by consensus", PAGE, chosen_on=CHOSEN,
            reported_on=range(1001, 1006))  # fmt: skip
def formation_radio(lab: Lab) -> Finding:
    """For each seed: every range, shape and model, with and without lost messages."""
    seeds = lab.seeds(quick=1)
    ranges, models, names = (RANGES[:2] + RANGES[-1:], ("omni",), NAMES[:1]) if lab.quick else (RANGES, ("omni", "differential"), NAMES)
    cases = [(model, shape, reach, lost) for model in models for shape in names for reach in ranges for lost in LOSSES]
    found = iter(lab.map(run, [Agreeing(seed, *case) for case in cases for seed in seeds]))
    runs = {case: [next(found) for _ in seeds] for case in cases}
    everything = [(case, one) for case, ones in runs.items() for one in ones]
    cut, joined = ([one for case, one in everything if (case[2] < SPACING) == off] for off in (True, False))
    error = {case: float(np.nanmean([one.error for one in ones])) for case, ones in runs.items() if case[2] > SPACING}
    return Finding(
        "Formations with short radios",
        "Not in the paper, where everybody hears everybody. Consensus over a connected graph contracts at a rate set by λ₂, and stays "
        "stable with a delay τ < π/(2·λ_max) (Olfati-Saber & Murray 2004).",
        ("robots", "shape", "range (m)", "lost", "λ₂", "arrived", "error (mm)", "disagreement (mm)", "time to agree (s)",
         "allowed by λ₂ (s)", "contacts"),
        tuple((*case[:2], f"{case[2]:g}", f"{case[3]:.0%}", *_row(ones)) for case, ones in runs.items()),
        {
            "all that are connected arrive": all(one.arrived for one in joined),
            "nobody touches anybody": not any(one.contacts for _, one in everything),
            "connected robots keep the formation within twice the error of robots that all hear each other": all(
                value <= 2.0 * error[(*case[:2], RANGES[-1], case[3])] for case, value in error.items()),
            "disagreement goes down at least as fast as λ₂ allows": all(one.agreed <= one.allowed for one in joined),
            "robots that hear nobody stand": all(one.way == 0.0 for one in cut),
        },
        (Bars("time to agree", "s", tuple(f"{reach:g} m" for reach in ranges[1:]), {
            f"{shape}, {lost:.0%} lost": np.array([_agreed(runs[models[0], shape, reach, lost]) for reach in ranges[1:]])
            for shape in names for lost in (LOSSES[0], LOSSES[-1])}),),
        {f"{case[0]}_{case[1]}_{case[2]:g}_{case[3]:g}": value for case, value in error.items()},
        f"{len(everything)} runs of {ROBOTS} robots, {SPACING:g} m apart, over 3 m; odometry with 2 mm and 1° of noise, 0.1 s late. "
        f"Error and disagreement (rms of points) are of the first {LATER:g} s, in which robots turn and speed up. Then each robot's "
        f"structure is moved off by 5 cm and 3°. Robots have agreed when they differ by {AGREED:.0%} of that. What they fit to "
        "those that they hear pulls them together as well, so they are faster than by consensus alone.",
    )  # fmt: skip


def _agreed(ones: list[Agreement]) -> float:
    """Mean time to agree (s)."""
    return round(float(np.mean([one.agreed for one in ones])), 1)


def _row(ones: list[Agreement]) -> tuple[str, ...]:
    columns = ((one.connectivity, 1e3 * one.error, 1e3 * one.apart, one.agreed, one.allowed) for one in ones)
    connected, error, apart, agreed, limit = np.mean(list(columns), axis=0)
    if np.isnan(error):
        return "–", f"{sum(one.arrived for one in ones)} of {len(ones)}", "–", "–", "–", "–", str(sum(one.contacts for one in ones))
    return (f"{connected:.3f}", f"{sum(one.arrived for one in ones)} of {len(ones)}", f"{error:.1f}", f"{apart:.1f}", f"{agreed:.1f}",
            f"{limit:.1f}", str(sum(one.contacts for one in ones)))  # fmt: skip
