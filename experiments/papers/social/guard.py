"""Social potential fields: guards round a castle, and an invader who seeks their weak side (Reif & Wang, §3.5)."""

from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, Snapshot, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, norm

from . import PAGE
from .behaviours import widest_gap

INVASION = 30.0
"""When (s) the invader sets out."""
NEAR = 8.0
"""An invader within this (m) of the castle has met the guards."""

INVADER = "{count: 1, group: invader, radius: 0.1, max_acceleration: 2.0, start: {pattern: poses, poses: [[12, 3, 180]]}}"
ATTACK = "{acts_on: invader, of: castle, terms: [0.8, 0.2]}"
ALONE = (f"robots=[{INVADER}]", "social.laws=[]", f"phases=[{{name: invasion, start: {INVASION}, set: {{social.laws: [{ATTACK}]}}}}]")
"""The scenario without guards."""
RING = ("robots.0.start={pattern: ring, radius: 3.0}",)
"""The guards stand in their ring from the start."""
POSTS = "[-2, -2, 2, -2, 2, 0, 0, 0, 0, 2, -2, 2]"
"""Outline of a castle, with a landmark on each metre of its 16 m: forces of the scenario are shared among these."""
HOLD = ("{acts_on: guards, of: castle, equilibrium: 3.0, repulsion: 4, attraction: 1, strength: 0.15}, "
        "{acts_on: guards, of: guards, terms: [-0.3, 2]}")  # fmt: skip
SIEGE = (
    "landmarks=[{group: castle, shape: outline, spacing: 1.0, points: " + POSTS + "}]",
    "robots.0={count: 30, group: guards, radius: 0.1, max_speed: 0.4, max_acceleration: 2.0, start: {pattern: ring, radius: 5}}",
    "robots.1={count: 3, group: invader, radius: 0.1, max_acceleration: 2.0, "
    "start: {pattern: poses, poses: [[12, 3, 180], [-9, 9, 0], [-2, -13, 90]]}}",
    f"social.laws=[{HOLD}]", f"phases.1.set={{social.laws: [{HOLD}, "
    "{acts_on: guards, of: invader, equilibrium: 0.7, repulsion: 3, attraction: 1, strength: 2.0}, "
    "{acts_on: invader, of: castle, terms: [0.05, 0.2]}, {acts_on: invader, of: guards, terms: [-0.8, 3]}]}",
)  # fmt: skip
"""A castle with corners, and three invaders."""


@dataclass(frozen=True)
class Guarding:
    """Measures of one run.

    ``closest`` (m): closest approach of any invader to a landmark of the castle; ``swept`` (deg): angle covered round the castle once
    the guards were met, mean of all invaders, and ``weaker``: share of it that led to the side with fewer guards within 90°. ``ring``
    (m): deviation of guards from their mean distance when the invader sets out, and ``gap`` (deg) the widest between two.
    """

    closest: float
    swept: float
    weaker: float
    ring: float
    gap: float
    collisions: int


@experiment("social_guard", "guards round a castle against an invader who seeks the weak side (§3.5)", PAGE, reported_on=range(100, 120))
def guarding(lab: Lab) -> Finding:
    """Invasions with and without guards, from two starts, and of a castle with corners."""
    seeds = lab.seeds()
    few = seeds[: max(len(seeds) // 4, 1)]
    cases = {"guards from a disc": ((), 1, 1, seeds), "guards from a ring": (RING, 1, 1, few), "no guards": (ALONE, 0, 1, seeds),
             "L-shaped castle, 3 invaders": (SIEGE, 1, 3, few)}  # fmt: skip
    trials = [invasion(changes, seed, group, count) for changes, group, count, runs in cases.values() for seed in runs]
    measured = iter(lab.measure(trials, watch))
    found = {name: [next(measured) for _ in runs] for name, (*_, runs) in cases.items()}
    flight, siege, bare = lab.fly([Trial("guard_castle", changes, seeds[0]) for changes in ((), SIEGE, ALONE)])
    disc, ring, alone, corners = found.values()
    least = min(g.closest for g in disc)
    return Finding(
        "Guarding a castle (section 3.5)",
        "Guards from anywhere converge to a ring round the castle. An invader is drawn to the castle and repelled by guards, who go to "
        "him; the end is dynamic, guards chase the invader and he moves round to find weaker points. Variations are a castle of any shape "
        "and several invaders.",
        ("case", "runs", "invader's closest approach (m)", "least", "angle he moves round (deg)", "of it to the weaker side (%)",
         "ring: spread of radius (m)", "widest gap (deg)", "collisions"),
        tuple(_row(name, gs) for name, gs in found.items()),
        {
            "without guards the invader is in the castle (closest approach below 0.1 m)": max(g.closest for g in alone) < 0.1,
            "with guards he never comes nearer than the ring of 3 m": least > 3.0,
            "from a disc guards form the same ring as from a ring: spread below 0.3 m, no gap above 30°": all(
                g.ring < 0.3 and g.gap < 30.0 for g in (*disc, *ring)
            ),
            "the end is dynamic: he moves more than 180° round the castle, on average": float(np.mean([g.swept for g in disc])) > 180.0,
            "he seeks the weak side: most of the way leads to the side with fewer guards": float(np.mean([g.weaker for g in disc])) > 0.5,
            "a castle with corners is kept from three invaders, by 1 m and more": min(g.closest for g in corners) > 1.0,
            "no collision": not sum(g.collisions for gs in found.values() for g in gs),
        },
        (*(Snapshot(f"{t:g} s", flight, t, half=8.5) for t in (0.0, 29.0, 40.0, 60.0, 90.0, 110.0)),
         Snapshot("L-shaped castle, 100 s", siege, 100.0, 10.0, half=9.5), _approach(flight, bare)),
        {"closest": least, "closest_alone": max(g.closest for g in alone), "swept": float(np.mean([g.swept for g in disc])),
         "weaker": float(np.mean([g.weaker for g in disc]))},
        f"{len(seeds)} seeds for guards scattered over a disc of 5.5 m and for none, {len(few)} elsewhere; 20 guards; the invader sets out "
        f"after {INVASION:g} s, from another direction in each run; the L is held by 30 against three.",
    )  # fmt: skip


def invasion(changes: tuple[str, ...], seed: Seed, group: int, count: int) -> Trial:
    """A run in which ``count`` invaders, ``group`` of the robots, come from directions that depend on the seed, 12 m away."""
    angles = 2.4 * seed + 2.1 * np.arange(count)
    places = ", ".join(f"[{12.0 * np.cos(angle):.3f}, {12.0 * np.sin(angle):.3f}, 0]" for angle in angles)
    return Trial("guard_castle", (*changes, f"robots.{group}.start.poses=[{places}]"), seed)


def watch(flight: Flight) -> Guarding:
    """Take the measures of an invasion."""
    castle, invaders, guards = (flight.landmarks("castle"), flight.members("invader"), flight.members("guards"))
    offset = flight.position - castle.mean(axis=0)
    closest = norm(flight.position[:, invaders][:, :, None] - castle).min()
    hits = int(flight.summary["collisions"])
    if len(guards) == 0:
        return Guarding(float(closest), np.nan, np.nan, np.nan, np.nan, hits)
    moves = [slides(offset[:, k], offset[:, guards]) for k in invaders]
    swept, weaker = (float(np.mean([move[j] for move in moves])) for j in range(2))
    before = offset[flight.at(INVASION), guards]
    return Guarding(float(closest), swept, weaker, float(norm(before).std()), float(widest_gap(before)), hits)


def slides(invader: Array, guards: Array) -> tuple[float, float]:
    """Angle (deg) that an invader at ``invader`` (T, 2) m has moved round the castle since he met the guards (T, n, 2), and the share of
    it to the side with fewer of them; NaN where there is none.
    """
    bearing = np.unwrap(np.arctan2(invader[:, 1], invader[:, 0]))
    met = int(np.argmax(norm(invader) < NEAR))
    step = np.diff(bearing[met:])
    side = np.arctan2(guards[met:-1, :, 1], guards[met:-1, :, 0]) - bearing[met:-1, None]
    side = (side + np.pi) % (2.0 * np.pi) - np.pi
    left, right = ((side > 0.0) & (side < 0.5 * np.pi)).sum(axis=1), ((-0.5 * np.pi < side) & (side < 0.0)).sum(axis=1)
    told = left != right
    to_weaker = np.abs(step)[told & (np.sign(step) == np.sign(right - left))].sum()
    total = np.abs(step)[told].sum()
    return float(np.rad2deg(np.abs(step).sum())), float(to_weaker / total) if total > 0.0 else np.nan


def _approach(flight: Flight, bare: Flight) -> Curves:
    """The invader's distance from the castle over time, with and without guards."""
    lines: dict[str, tuple[Array, Array, Array | None]] = {}
    for name, run in (("guards", flight), ("no guards", bare)):
        castle, invader = run.landmarks("castle"), run.members("invader")[0]
        lines[name] = (run.time, norm(run.position[:, invader] - castle[0]), None)
    return Curves("invader's distance from the castle", "time (s)", "distance (m)", lines)


def _row(name: str, gs: list[Guarding]) -> tuple[str, ...]:
    return (
        name, str(len(gs)), mean_sd((g.closest for g in gs), 2), f"{min(g.closest for g in gs):.2f}", mean_sd((g.swept for g in gs), 0),
        mean_sd((100 * g.weaker for g in gs), 0), mean_sd((g.ring for g in gs), 2), mean_sd((g.gap for g in gs), 0),
        str(sum(g.collisions for g in gs)),
    )  # fmt: skip
