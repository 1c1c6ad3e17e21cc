"""Social potential fields: how often the forces balance before robots are where they should be, and what helps them out."""

from collections.abc import Callable

import numpy as np

from swarm_control.analysis.experiments.finding import Finding, Snapshot
from swarm_control.analysis.experiments.flight import Flight, Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.safety.fence import clearance, polygon
from swarm_control.scenario.loader import load
from swarm_control.scenario.tree import to_text

from . import PAGE
from .behaviours import bound_cluster, lattice_hole, mixing, protection
from .guard import watch
from .mines import clearing

SIDEWAYS = "{acts_on: transporters, of: walls, terms: [-0.06, 3], turn: 90}"
"""A force along walls, to be added to the one that repels."""
COARSE = ("simulator.dt=0.05", "period=0.1")
"""A tick twice as long as the scenarios', for many runs."""
WALL = "-0.15, -3, 0.15, -3, 0.15, 3, -0.15, 3"
POCKET = "-2, 2, 0, 2, 0, -2, -2, -2, -2, -2.3, 0.3, -2.3, 0.3, 2.3, -2, 2.3"
SHAPES = {"three walls (bypass_walls)": "", "a wall of 6 m across the way": WALL, "a pocket, 2 m deep": POCKET}
ESCAPES: dict[str, tuple[str, ...]] = {"none": (), "noise": ("simulator.noise_position=0.05",), "sideways": ()}
"""Noise of 5 cm in the measured positions; or the sideways force."""


def arrived(flight: Flight) -> bool:
    """Whether all robots are at the goal."""
    return bool(flight.summary["arrived_fraction"] == 1.0)


def round_wall(flight: Flight) -> bool:
    """Whether all are there and none has gone through the wall."""
    return arrived(flight) and _outside(flight, WALL)


def round_pocket(flight: Flight) -> bool:
    """Whether all are there and none has gone through the pocket's walls."""
    return arrived(flight) and _outside(flight, POCKET)


def ringed(flight: Flight) -> bool:
    """Whether the guards stand in an even ring when the invader sets out."""
    seen = watch(flight)
    return seen.ring < 0.3 and seen.gap < 30.0


def escorted(flight: Flight) -> bool:
    """Whether the leader is amid the guards all the way."""
    return protection(flight)[0] == 1.0


def organised(flight: Flight) -> bool:
    """Whether the units are apart, each at its place."""
    _, _, strange, off, _ = mixing(flight)
    return strange == 0.0 and off < 0.3


def cleared(flight: Flight) -> bool:
    """Whether every mine is safe."""
    return bool(np.isfinite(clearing(flight).safe).all())


def filled(flight: Flight) -> bool:
    """Whether all robots are in the L and leave no hole in it."""
    _, share, hole, _ = bound_cluster(flight)
    return share == 1.0 and hole < 1.5 * lattice_hole(flight.robots)


OTHERS: dict[str, Callable[[Flight], bool]] = {
    "guard_castle": ringed, "escort": escorted, "reorganise": organised, "demine": cleared, "cluster_shape": filled,
}  # fmt: skip
WALLED: dict[str, Callable[[Flight], bool]] = dict(zip(SHAPES, (arrived, round_wall, round_pocket)))


@experiment("social_minima", "how often forces balance too early, and ways out", PAGE, chosen_on=range(100), reported_on=range(100, 200))
def minima(lab: Lab) -> Finding:
    """A hundred starts of each scenario, and of walls that trap, with and without an escape."""
    seeds = lab.seeds()
    rate: dict[tuple[str, str], float] = {}
    for shape, judge in WALLED.items():
        for escape in ESCAPES:
            rate[shape, escape] = float(np.mean(lab.measure([_walled(shape, escape, seed) for seed in seeds], judge)))
    for name, right in OTHERS.items():
        rate[name, "none"] = float(np.mean(lab.measure([Trial(name, COARSE, seed) for seed in seeds], right)))
    walls = list(SHAPES)
    shown = [(walls[1], "none"), (walls[1], "sideways"), (walls[2], "none"), (walls[2], "sideways")]
    flights = lab.fly([_walled(shape, escape, seeds[0]) for shape, escape in shown])
    return Finding(
        "Local minima, and ways out",
        "Not in the paper: how often the forces balance too early, and what helps.",
        ("scenario", *(f"ended elsewhere, escape: {escape} (%)" for escape in ESCAPES)),
        tuple(
            (name, *(f"{100 - 100 * rate[name, escape]:.0f}" if (name, escape) in rate else "–" for escape in ESCAPES))
            for name in (*WALLED, *OTHERS)
        ),
        {
            **{f"{name} never ends elsewhere": rate[name, "none"] == 1.0 for name in (walls[0], *OTHERS)},
            "a wall across the way traps the group, from most starts": rate[walls[1], "none"] < 0.5,
            "so does a pocket": rate[walls[2], "none"] < 0.5,
            "a sideways force leads round the wall, always": rate[walls[1], "sideways"] == 1.0,
            "and out of the pocket": rate[walls[2], "sideways"] == 1.0,
            "and does no harm where nothing traps": rate[walls[0], "sideways"] == 1.0,
            "noise of the measured positions leads out of either trap, at least sometimes": min(
                rate[wall, "noise"] - rate[wall, "none"] for wall in walls[1:]
            ) > 0.05,
        },
        tuple(Snapshot(f"{shape}, {escape}", flight, 200.0, 200.0) for (shape, escape), flight in zip(shown, flights)),
        {f"{name}_{escape}": value for (name, escape), value in rate.items()},
        f"{len(seeds)} starts; in front of walls the group's place is drawn too, 1.5 by 7 m. To pass means that all arrive within 90 s and "
        "nobody goes through a wall (wall and pocket are landmarks alone). In cluster_shape a place farther than 1.5 times the lattice's "
        "from any robot counts as ended elsewhere, too. The sideways term is a law of the walls with turn: 90.",
    )  # fmt: skip


def _walled(shape: str, escape: str, seed: Seed) -> Trial:
    x, y = np.random.default_rng(seed).uniform([-6.5, -3.5], [-5.0, 3.5])
    outline = SHAPES[shape]
    marks = f"{{group: walls, shape: outline, spacing: 0.25, points: [{outline}]}}"
    alone = ("world=null", f"landmarks=[{{group: goal, points: [6.3, 0]}}, {marks}]") if outline else ()
    laws = [to_text(law) for law in load("bypass_walls").scenario.control.social.laws]
    added = (f"social.laws=[{', '.join((*laws, SIDEWAYS))}]",) if escape == "sideways" else ESCAPES[escape]
    return Trial("bypass_walls", (*COARSE, *alone, *added, f"robots.0.start.center=[{x:.3f}, {y:.3f}]"), seed, True)


def _outside(flight: Flight, outline: str) -> bool:
    corners = polygon([float(number) for number in outline.split(",")])
    return bool((clearance(corners, flight.position.reshape(-1, 2)) < 0.0).all())
