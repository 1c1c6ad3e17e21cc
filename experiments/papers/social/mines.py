"""Social potential fields: robots find mines, hold near them until they are safe, and keep clear of safe ones (Reif & Wang, §3.7)."""

from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.experiments.finding import Finding, Snapshot, mean_sd
from swarm_control.analysis.experiments.flight import Flight, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array, norm

from . import PAGE

DISTANCE, RANGE = 0.7, 1.8
"""Distances (m) from which a mine is deactivated, and from which it is found."""
HOLD, LEAVE = 5.0, 10.0
"""How long (s) that takes, and after which time from then on robots are to be clear of it."""


@dataclass(frozen=True)
class Clearing:
    """What became of the mines. ``safe`` (k,) s: when each became safe, NaN: never; ``search`` (k,) s: from found to safe.

    ``held`` (m): mean distance of the nearest robot while a mine was deactivated; ``nearest`` (m): nearest that anybody came to a mine
    that was not safe; ``clear`` (m): nearest to a safe one, ``LEAVE`` later; ``collisions``.
    """

    safe: Array
    search: Array
    held: float
    nearest: float
    clear: float
    collisions: int


@experiment("social_demine", "mines are found, made safe and left (§3.7)", PAGE)
def demining(lab: Lab) -> Finding:
    """Sweep a mine field."""
    seeds = lab.seeds()
    flight = lab.fly([Trial("demine", (), seeds[0])])[0]
    found = lab.measure([Trial("demine", (), seed) for seed in seeds], clearing)
    safe, mine = clearing(flight).safe, flight.landmarks("mine")
    share = [float(np.isfinite(c.safe).mean()) for c in found]
    last = [float(c.safe.max()) for c in found]
    return Finding(
        "Demining (section 3.7)",
        "Robots find mines within their range, approach to the deactivating distance and stay there; a safe mine repels them.",
        ("mines made safe (%)", "all safe after (s)", "from found to safe (s)", "held at (m)", "nearest to a live mine (m)",
         f"nearest to a safe one, {LEAVE:g} s later (m)", "collisions"),
        ((mean_sd(100 * s for s in share), mean_sd(last), mean_sd(np.concatenate([c.search for c in found])),
          mean_sd((c.held for c in found), 2), f"{min(c.nearest for c in found):.2f}", f"{min(c.clear for c in found):.2f}",
          str(sum(c.collisions for c in found))),),
        {
            "every mine is made safe": min(share) == 1.0,
            f"robots hold at the deactivating distance: the nearest is 0.3 to {DISTANCE:g} m off": all(
                0.3 < c.held < DISTANCE for c in found
            ),
            "nobody runs over a live mine (0.1 m)": min(c.nearest for c in found) > 0.1,
            "safe mines are kept clear of, by more than 0.3 m": min(c.clear for c in found) > 0.3,
            "no collision": sum(c.collisions for c in found) == 0,
        },
        tuple(Snapshot(f"{t:g} s", flight, t, 8.0, mine[safe <= t]) for t in (0.0, 25.0, 45.0, 65.0, 95.0, 130.0)),
        {"safe": min(share), "last": max(last), "clear": min(c.clear for c in found)},
        f"{len(seeds)} seeds; 16 robots, 12 mines, found within {RANGE:g} m, safe after somebody has been within {DISTANCE:g} m for "
        f"{HOLD:g} s. A leading robot sweeps the field in two lanes. Mines change their group by an event of the scenario.",
    )  # fmt: skip


def clearing(flight: Flight) -> Clearing:
    """Take the measures of a flight over a mine field."""
    mine = flight.landmarks("mine")
    safe = np.full(len(mine), np.nan)
    for stage in flight.summary["phases"]:
        if stage["name"].endswith(": safe"):
            safe[int(stage["name"].split()[1].rstrip(":"))] = stage["start"]
    sappers = flight.position[:, flight.members("sappers")]
    distance = np.stack([norm(sappers - place).min(axis=1) for place in mine], axis=1)
    time = flight.time[:, None]
    seen = flight.time[np.argmax(distance <= RANGE, axis=0)]
    held = distance[(time > safe - HOLD) & (time <= safe)]
    live = distance[~(time > safe)]
    clear = distance[time > safe + LEAVE]
    nearest, off = float(live.min(initial=np.inf)), float(clear.min(initial=np.inf))
    return Clearing(safe, safe - seen, float(held.mean()), nearest, off, int(flight.summary["collisions"]))
