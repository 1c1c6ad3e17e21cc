"""Odometry that is late, lost and noisy: every shipped flock, social swarm and formation, on two wheels and omnidirectional."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.paths import scenarios
from swarm_control.scenario.loader import load

from . import PAGE, SEEN

LATE = ("simulator.delay=0.3", "simulator.loss=0.3", "simulator.noise_position=0.01")
WAYS = {"fresh": (), "late": LATE, "late, no estimate": (*LATE, "estimation.enabled=false")}
SEEING = ("fresh", "late")
MODELS = ("omni", "differential")
LONGER, SHORTER = 1.5, 0.5
"""Late runs are to take no more than so many times as long as fresh ones, and where there is no goal to go at least this share as far."""


class Swarm(NamedTuple):
    """A shipped scenario: whether its robots have a ``goal``, are ``free`` of a formation, and are ``filtered`` by the filter."""

    name: str
    groups: int
    goal: bool
    free: bool
    filtered: bool


class LateCase(NamedTuple):
    """Robots of one ``model`` in a scenario, with odometry of one ``way``."""

    swarm: Swarm
    model: str
    way: str


class LateRun(NamedTuple):
    """Share arrived, when (s), collisions, and how far (m) robots went on average; no share and time without goals."""

    share: float | None
    time: float | None
    hits: int
    length: float

    @property
    def whole(self) -> bool:
        """Nobody touched anything, and all arrived where there is a goal."""
        return self.hits == 0 and self.share in (None, 1.0)


Found = dict[LateCase, list[LateRun]]


def swarms() -> list[Swarm]:
    """The shipped scenarios of robots that may be of any of :data:`MODELS`, but for those of traffic."""
    found = []
    for name in scenarios():
        made = load(name, ()).scenario
        if all(group.model in MODELS for group in made.robots) and not getattr(made.world, "scene", ""):
            goal = bool(made.goals or any(group.goals for group in made.groups.values()))
            forms = made.control.formation.enabled or any("formation" in group.control or group.formation for group in made.groups.values())
            found.append(Swarm(name, len(made.robots), goal, not forms, made.control.separation_filter.enabled))
    return found


def trial(case: LateCase, seed: Seed) -> Trial:
    """The run of a case, until everybody has arrived."""
    models = tuple(f"robots.{k}.model={case.model}" for k in range(case.swarm.groups))
    return Trial(case.swarm.name, (*models, *WAYS[case.way]), seed, until_arrival=True)


def measured(flight: Flight) -> LateRun:
    """What the experiment wants to know of a run."""
    found = flight.summary
    return LateRun(found["arrived_fraction"], found["arrival_time"], int(found["collisions"]), float(flight.path_length.mean()))


@experiment(
    "late_odometry", "all swarms with odometry 0.3 s late, 30 % lost, 1 cm noise", PAGE, chosen_on=SEEN, reported_on=range(1000, 1020)
)  # fmt: skip
def late_odometry(lab: Lab) -> Finding:
    """Fly every swarm with fresh odometry and with spoilt one; free flocks with goals also without the estimate."""
    seeds = lab.seeds(quick=1)
    known = [swarm for swarm in swarms() if not lab.quick or swarm.name in ("formation_failure", "flocks_cross")]
    cases = [LateCase(one, model, way) for one in known for model in MODELS for way in WAYS if way in SEEING or (one.goal and one.free)]
    runs = lab.measure([trial(case, seed) for case in cases for seed in seeds], measured)
    found = {case: runs[k * len(seeds) : (k + 1) * len(seeds)] for k, case in enumerate(cases)}
    wrong = {claim: [case for case in cases if case.way == "late" and not holds(found, case)] for claim, holds in CLAIMS.items()}
    blind = [case for case in cases if case.way == "late, no estimate" and any(run.whole for run in found[case])]
    short = [f"{claim}: not {', '.join(f'{case.swarm.name} ({case.model})' for case in cs)}" for claim, cs in wrong.items() if cs]
    return Finding(
        "Odometry that is late, lost and noisy",
        "Not in the papers: odometry 0.3 s late, 30 % of it lost, 1 cm of noise, as over a wireless network with a tracker.",
        ("scenario", "robots", "odometry", "filter", "arrived", "arrival (s)", "collisions, all runs", "way (m)", "whole runs"),
        tuple(_row(case, found[case]) for case in cases),
        {**{claim: not cs for claim, cs in wrong.items()}, "without the estimate, no late flock with a goal is whole": not blind},
        (_times("flocks", found, free=True), _times("formations", found, free=False)),
        {f"{case.swarm.name}_{case.model}": _whole(found[case]) / 100 for case in cases if case.way == "late"},
        f"Seeds: {len(seeds)}. The estimate moves each measurement on by the robot's own commands (`control.estimation`). Where no robot "
        "has a goal there is no arrival: there `way`, how far robots go on average, tells whether they get on. A whole run: nobody touches "
        f"anything, and all arrive where there is a goal. Falls short: {'; '.join(short) or 'nothing'}.",
    )  # fmt: skip


def _slow(found: Found, case: LateCase) -> float:
    """How many times as long as with fresh odometry the late runs take; infinite when one of them does not arrive."""
    fresh, late = ([run.time for run in found[case._replace(way=way)]] for way in ("fresh", "late"))
    known = [time for time in fresh if time is not None]
    missed = not known or any(time is None for time in late)
    return np.inf if missed else float(np.mean([time for time in late if time is not None]) / np.mean(known))


def _far(found: Found, case: LateCase) -> float:
    """How far, as a share, robots go of what they go with fresh odometry."""
    fresh, late = (np.mean([run.length for run in found[case._replace(way=way)]]) for way in ("fresh", "late"))
    return float(late / fresh)


def _times(title: str, found: Found, free: bool) -> Bars:
    """How long swarms with goals take with late odometry, those that are ``free`` of a formation or the others; NaN: not all arrive."""
    late = [case for case in found if case.way == "late" and case.swarm.goal and case.swarm.free == free]
    slow = {case: ratio if np.isfinite(ratio := _slow(found, case)) else np.nan for case in late}
    series = {model: np.array([slow[case] for case in late if case.model == model]) for model in MODELS}
    names = tuple(case.swarm.name.replace("_", "\n") for case in late if case.model == MODELS[0])
    return Bars(f"{title}: time with late odometry", "times as long as with fresh odometry", names, series)


CLAIMS: dict[str, Callable[[Found, LateCase], bool]] = {
    "with late odometry all arrive, where there is a goal": lambda found, case: all(run.share in (None, 1.0) for run in found[case]),
    "with late odometry nobody touches anything": lambda found, case: not any(run.hits for run in found[case]),
    f"late runs take no more than {LONGER} times as long as fresh ones": lambda found, case: (
        not case.swarm.goal or _slow(found, case) <= LONGER
    ),
    f"late robots without a goal go at least {SHORTER} times as far as fresh ones": lambda found, case: (
        case.swarm.goal or _far(found, case) >= SHORTER
    ),
}  # fmt: skip


def _whole(runs: list[LateRun]) -> float:
    """Per cent of runs that are whole; NaN of none."""
    return 100.0 * float(np.mean([run.whole for run in runs])) if runs else np.nan


def _row(case: LateCase, runs: list[LateRun]) -> tuple[str, ...]:
    arrived = f"{100 * np.mean([run.share or 0.0 for run in runs]):.0f} %" if case.swarm.goal else "no goal"
    return (
        case.swarm.name, case.model, case.way, "on" if case.swarm.filtered else "off", arrived, mean_sd(run.time for run in runs),
        str(sum(run.hits for run in runs)), mean_sd(run.length for run in runs), f"{_whole(runs):.0f} %",
    )  # fmt: skip
