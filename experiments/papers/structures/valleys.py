"""Virtual structures: does the search stick where J has several valleys? Against scipy's minimisers from one start and from many."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core import targets
from swarm_control.core.geometry import Array, rotate, wrap
from swarm_control.core.state import Fleet
from swarm_control.formation.displace import Displace, displace
from swarm_control.formation.problem import DisplacementProblem
from swarm_control.formation.shapes import shape

from . import PAGE
from .dense_search import dense, scattered
from .search import BIAS, FOUND, PERIOD, r3

METHODS = ("Nelder-Mead", "BFGS", "Powell")
STARTS = 6
"""How many starts many are."""


class Clamped:
    """The robots of the paper (§4.2): the arc to the target, both wheels scaled to the top speed, each clamped to its acceleration."""

    def __getattr__(self, name: str) -> Any:
        """All else is as it is."""
        return getattr(targets, name)

    def reach(self, pose: Array, target: Array, previous: Array, fleet: Fleet, period: float, horizon: float) -> Array:
        """Where robots end, (K, n, 2) m; see :func:`swarm_control.core.targets.reach`."""
        step = rotate(target - pose[:, :2], -pose[:, 2])
        back = step[..., 0] < 0.0
        angle = wrap(np.arctan2(step[..., 1], step[..., 0]) + np.pi * back)
        way = np.hypot(step[..., 0], step[..., 1]) / np.sinc(angle / np.pi) * np.where(back, -1.0, 1.0)
        wheels = _wheels(way / horizon, 2.0 * angle / horizon, fleet)
        wheels = wheels / np.maximum(np.abs(wheels).max(axis=-1) / fleet.max_speed, 1.0)[..., None]
        before, gain = _wheels(previous[:, 0], previous[:, 2], fleet), (period * fleet.max_acceleration)[:, None]
        wheels = np.clip(wheels, before - gain, before + gain)
        forward, half = wheels.mean(axis=-1) * horizon, 0.5 * (wheels[..., 1] - wheels[..., 0]) / fleet.wheel_base * horizon
        chord = np.stack((forward * np.sinc(half / np.pi), np.zeros_like(forward)), axis=-1)
        end: Array = pose[:, :2] + rotate(chord, pose[:, 2] + half)
        return end


@dataclass(frozen=True)
class ProblemKind:
    """Problems: ``horizon`` (s), ``bias``, whether robots ``oppose`` each other along one line and stand, whether wheels are ``clamped``
    as in the paper, or ``saturated``: already at top speed.
    """

    horizon: float
    bias: float
    oppose: bool = False
    clamped: bool = False
    saturated: bool = False


KINDS = {
    "control loop": ProblemKind(0.3, BIAS), "opposite headings, at rest, one period": ProblemKind(0.1, BIAS, oppose=True),
    "saturated wheels, one period, bias 0.01": ProblemKind(0.1, 0.01, saturated=True),
    "plain clamping, one period": ProblemKind(0.1, BIAS, clamped=True),
}  # fmt: skip


@experiment("formation_valleys", "where the cost has several valleys: does the search stick", PAGE, reported_on=range(100, 101))
@each_seed
def valleys(lab: Lab, seed: Seed) -> Finding:
    """Share of problems that each search ends more than 1 % above the best known, by kind."""
    count, cells = (2, 9) if lab.quick else (20, 21)
    tables = dict(zip(KINDS, lab.map(study, [(kind, count, cells, seed) for kind in KINDS.values()])))
    names = tuple(next(iter(tables.values())))
    missed = {kind: {name: float((gap > FOUND).mean()) for name, gap in table.items()} for kind, table in tables.items()}
    rows = tuple(
        (kind, name, f"{100 * missed[kind][name]:.0f} %", f"{100 * gap.mean():.2f} %", f"{100 * gap.max():.1f} %")
        for kind, table in tables.items() for name, gap in table.items()
    )  # fmt: skip
    smooth = [kind for kind, what in KINDS.items() if not what.clamped]
    return Finding(
        "Does the search stick where the cost has several valleys?",
        "The surface gets complex when robots point in different ways; a minimiser may end in a local minimum.",
        ("problems", "search", "more than 1 % above the best known", "mean gap", "worst gap"), rows,
        {
            "as robots are steered here, ours sticks in at most 3 %": max(missed[kind]["ours"] for kind in smooth) <= 0.03,
            "nowhere does ours stick more often than the best of scipy's minimisers from one start": all(
                table["ours"] <= min(table[method] for method in METHODS) for table in missed.values()),
        },
        (Bars("more than 1 % above the best known", "share (%)", tuple(KINDS), {
            name: 100 * np.array([missed[kind][name] for kind in KINDS]) for name in names}),),
        {f"missed_{k}": missed[kind]["ours"] for k, kind in enumerate(KINDS)},
        "The paper's plain clamping makes the valleys; no search from one start copes with it, ours included. Our robots' commands end "
        "nearest to their targets instead, which leaves a surface on which ours does not stick. "
        f"{count} problems of each kind, as in formation_search. Many starts are {STARTS}, the first where the structure stands, the "
        "others drawn around the way to the wish; the best end counts. The best known is the least of all searches and of a dense grid.",
    )  # fmt: skip


def study(what: tuple[ProblemKind, int, int, Seed]) -> dict[str, Array]:
    """Gaps to the best known J, as shares of J of staying, of each search on each problem; ``what``: kind, how many, cells, seed."""
    kind, count, cells, seed = what
    rng = np.random.default_rng(seed)
    problems = [_problem(kind, rng) for _ in range(count)]
    found = {"ours": np.array([displace(problem, Displace())[1] for problem in problems])}
    for method in METHODS:
        ends = np.array([[_minimise(problem, start, method) for start in _starts(problem, seed)] for problem in problems])
        found |= {method: ends[:, 0], f"{method}, {STARTS} starts": ends.min(axis=1)}
    best = np.minimum(np.array([dense(problem, cells)[1] for problem in problems]), np.min(list(found.values()), axis=0))
    stay = np.array([float(problem.cost(problem.pose[None])[0]) for problem in problems])
    return {name: (values - best) / stay for name, values in found.items()}


def _problem(kind: ProblemKind, rng: np.random.Generator) -> DisplacementProblem:
    n = int(rng.choice([3, 4, 6, 10]))
    made = scattered(shape("circle", n, 0.6), r3(n), Clamped() if kind.clamped else targets, PERIOD, kind.horizon, kind.bias, rng)  # type: ignore[arg-type]
    pose, previous, robots = made.robots.pose.copy(), made.robots.previous.copy(), made.robots
    if kind.oppose:
        pose[:, 2], previous = rng.uniform(-np.pi, np.pi) + np.pi * (np.arange(n) % 2), np.zeros_like(previous)
    if kind.saturated:
        previous[:, 0] = robots.fleet.max_speed * rng.choice([-1.0, 1.0], n)
    return replace(made, robots=replace(robots, pose=pose, previous=previous))


def _starts(problem: DisplacementProblem, seed: Seed) -> Array:
    """Where minimisers start (S, 3), as displacements in m (the turn by the structure's size)."""
    rng, size = np.random.default_rng([seed, 1]), problem.size
    wish = problem.step * np.array([1.0, 1.0, size])
    drawn = rng.normal(size=(STARTS - 1, 3)) * np.linalg.norm(wish) + 0.5 * wish
    return np.concatenate((np.zeros((1, 3)), drawn))


def _minimise(problem: DisplacementProblem, start: Array, method: str) -> float:
    from scipy.optimize import minimize

    scale = np.array([1.0, 1.0, 1.0 / problem.size])

    def cost(x: Array) -> float:
        return float(problem.cost((problem.pose + 0.01 * x * scale)[None])[0]) * 1e4

    return float(minimize(cost, 100.0 * start, method=method).fun) * 1e-4


def _wheels(forward: Array, rate: Array, fleet: Fleet) -> Array:
    """Speeds (…, n, 2) m/s of the left and the right wheel."""
    half = 0.5 * fleet.wheel_base * rate
    return np.stack((forward - half, forward + half), axis=-1)
