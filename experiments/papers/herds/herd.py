"""Groups whose members have dynamics: who they are, how they start, what they are judged by, and steady state (Brogan & Hodgins §5)."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, Snapshot, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import Experiment, register_experiment
from swarm_control.core.geometry import Array, norm
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.setup import prepare
from swarm_control.scenario.tree import to_data

from . import PAGE

OBSTACLE = np.array([50.0, 0.0])
"""Where the disc of the world ``herd.world`` is, m."""
SCATTER = "whose places at the start differ by up to 10 cm from seed to seed"
ROUND = (0.95, 1.05)
"""Ratio of the bounding box's sides within which the paper takes a group to have formed a circle."""


@dataclass(frozen=True)
class Herd:
    """A kind of group: ``word`` for it, and what the paper says of its steady state.

    That is: ``ratio`` at each ``time`` (s), and since when it is a ``circle`` (s). ``note``: what is different here.
    """

    word: str
    time: tuple[float, ...]
    ratio: tuple[float, ...]
    circle: str
    said: str
    note: str = ""


HERDS = {
    "points": Herd(
        "point masses", (0.0, 7.0, 14.0, 21.0), (0.78, 0.98, 0.99, 0.99), "< 7", "The point masses formed a circle in under 7 s."
    ),
    "hoppers": Herd(
        "one-legged robots", (0.0, 7.0, 14.0, 21.0), (0.78, 0.78, 0.93, 0.97), "> 14", "The robots needed slightly more than 14 s."
    ),
    "bicycles": Herd(
        "bicyclists", (0.0, 20.0, 40.0, 60.0), (1.33, 1.96, 1.56, 1.27), "> 60",
        "After 60 s the bicyclists were an ellipse that slowly became more circular.",
        " Ours are not stretched at first.",
    ),
}  # fmt: skip


def of_each_kind(
    name: str, help: str, kinds: Sequence[str] = tuple(HERDS)
) -> Callable[[Callable[[Lab, str], Finding]], Callable[[Lab, str], Finding]]:
    """Decorate a function of a lab and a kind to register it as an experiment ``herd_<name>_<kind>`` for each of ``kinds``."""

    def decorate(work: Callable[[Lab, str], Finding]) -> Callable[[Lab, str], Finding]:
        for kind in kinds:
            register_experiment(Experiment(f"herd_{name}_{kind}", f"{HERDS[kind].word}: {help}", _of_kind(work, kind), PAGE))
        return work

    return decorate


def _of_kind(work: Callable[[Lab, str], Finding], kind: str) -> Callable[[Lab], Finding]:
    return lambda lab: work(lab, kind)


def box_ratio(position: Array) -> Array:
    """Ratio (...,) of the x to the y dimension of the box around robots at ``position`` (..., N, 2) m."""
    sides = np.ptp(position, axis=-2)
    return np.asarray(sides[..., 0] / sides[..., 1])


def settled(time: Array, ratio: Array) -> float:
    """When (s) ``ratio`` (T,) comes to be that of a circle for good; NaN if it never does."""
    out = np.flatnonzero((ratio < ROUND[0]) | (ratio > ROUND[1]))
    since = int(out[-1]) + 1 if out.size else 0
    return float(time[since]) if since < len(time) else float("nan")


def spacing(position: Array, count: int) -> tuple[float, float]:
    """Mean distance (m) of robots (N, 2) from their ``count`` nearest, and from the very nearest."""
    distance = np.sort(norm(position[:, None] - position), axis=1)[:, 1:]
    return float(distance[:, :count].mean()), float(distance[:, 0].mean())


def harm(flight: Flight) -> tuple[float, float, float]:
    """Collisions, falls, and the least distance (m) between two robots."""
    s = flight.summary
    return s["collisions"], s.get("falls") or 0, s["min_separation"]


def harm_cells(found: list[tuple[float, float, float]]) -> tuple[str, str, str]:
    """Cells of a table for the sums of collisions and falls over runs, and the least distance (m)."""
    return str(sum(int(f[0]) for f in found)), str(sum(int(f[1]) for f in found)), f"{min(f[2] for f in found):.2f}"


def unharmed(found: list[tuple[float, float, float]]) -> dict[str, bool]:
    """The claims that all groups make."""
    return {"no collision, in any run": sum(f[0] for f in found) == 0, "nobody falls": sum(f[1] for f in found) == 0}


def block(scenario: str, count: int, gap: float, front: float, side: float, seed: Seed) -> str:
    """A change to a scenario: ``count`` of its robots start as a round piece of a hexagonal grid, along x.

    ``gap`` (m) apart, with the foremost at x = ``front`` and the middle at y = ``side`` (m), but for what ``seed`` makes of it, see
    :func:`scattered`.
    """
    i, j = np.meshgrid(np.arange(-20, 21), np.arange(-20, 21))
    lattice = gap * np.column_stack(((i + 0.5 * (j % 2)).ravel(), (np.sqrt(0.75) * j).ravel()))
    place = lattice[np.argsort(norm(lattice - 0.1 * gap), kind="stable")[:count], ::-1]
    return _placed(load(scenario).scenario, place - (place[:, 0].max() - front, place[:, 1].mean() - side), seed)


def scattered(scenario: str, seed: Seed, side: float = 0.0) -> str:
    """A change to a scenario: its robots start ``side`` (m) to the left, and up to 10 cm off along each axis, as ``seed`` has it."""
    loaded = load(scenario)
    place = prepare(loaded.scenario, loaded.source).start.position
    return _placed(loaded.scenario, place + np.array((0.0, side)), seed)


def _placed(scenario: Scenario, place: Array, seed: Seed) -> str:
    """The change that puts robots near ``place`` (N, 2) m."""
    place = place + np.random.default_rng([seed, 7]).uniform(-0.1, 0.1, place.shape)
    poses = tuple((x, y, 0.0) for x, y in place.round(4).tolist())
    group = scenario.robots[0]
    start = replace(group.start, pattern="poses", poses=poses)
    return "robots=" + json.dumps([to_data(replace(group, count=len(place), start=start))])


def among_themselves(flight: Flight) -> Flight:
    """The flight as seen by who moves along with the middle of the group."""
    return replace(flight, position=flight.position - flight.position.mean(axis=1, keepdims=True))


@of_each_kind("steady", "from a grid to a steady group (Brogan & Hodgins, Fig. 8)")
def steady(lab: Lab, kind: str) -> Finding:
    """From a grid to a steady group, everybody seeing everybody."""
    herd, seeds = HERDS[kind], lab.seeds()
    flights = lab.fly([Trial(f"herd_{kind}", (scattered(f"herd_{kind}", seed),), seed) for seed in seeds])
    ratios = np.array([box_ratio(flight.position) for flight in flights])
    at = np.array([[ratio[flight.at(t)] for t in herd.time] for flight, ratio in zip(flights, ratios)])
    since = [settled(flight.time, ratio) for flight, ratio in zip(flights, ratios)]
    found = [harm(flight) for flight in flights]
    shown, far = among_themselves(flights[0]), 1.1 * float(np.abs(among_themselves(flights[0]).position).max())
    return Finding(
        f"Steady state: {herd.word} (section 5, figure 8)",
        "Each individual at a distance from all others, a group forms a disc; it is a circle when the ratio of its bounding box is 0.95 to "
        f"1.05. {herd.said}",
        ("", *(f"x : y after {t:g} s" for t in herd.time), "circle from (s)", "collisions", "falls", "least distance (m)"),
        (("paper", *(f"{ratio:.2f}" for ratio in herd.ratio), herd.circle, "0", "0", "–"),
         ("ours", *(mean_sd(column, 3) for column in at.T), mean_sd(since), *harm_cells(found))),
        claims(kind, at, since) | unharmed(found),
        (*(Snapshot(f"after {t:g} s", shown, t, 0.0, half=far) for t in herd.time),
         Curves("sides of the bounding box", "time (s)", "x : y", {
             "ours": (flights[0].time, ratios.mean(axis=0), None), "paper": (np.array(herd.time), np.array(herd.ratio), None)})),
        {f"ratio_{t:g}": float(value) for t, value in zip(herd.time, at.mean(axis=0))},
        f"{len(seeds)} seeds, {flights[0].robots} {herd.word}, {SCATTER}. The paper does not tell the wished distance D: 5 m here."
        + herd.note,
    )  # fmt: skip


def claims(kind: str, at: Array, since: list[float]) -> dict[str, bool]:
    """What the paper says of a kind's ratios ``at`` (runs, times) and of when they are a circle's, and whether it holds."""
    latest = float(np.max(np.nan_to_num(since, nan=np.inf)))
    if kind == "points":
        return {"a circle in less than 7 s, in every run": latest < 7.0,
                "the ratios are the paper's within 0.02": bool(np.abs(at.mean(axis=0) - HERDS[kind].ratio).max() < 0.02)}  # fmt: skip
    if kind == "hoppers":
        return {"a circle in less than 15 s, in every run": latest < 15.0,
                "a circle after 21 s, in every run": bool(((at[:, 3] > ROUND[0]) & (at[:, 3] < ROUND[1])).all())}  # fmt: skip
    return {"the group is stretched before it becomes rounder": bool(at[:, 1].mean() > max(at[:, 0].mean(), at[:, 3].mean())),
            "after 60 s it is rounder than after 20 s, in every run":
                bool((np.abs(np.log(at[:, 3])) < np.abs(np.log(at[:, 1]))).all())}  # fmt: skip
