"""Groups of each kind that are driven to their limits: who they are, what is made harder, and how a run ends."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.flight import Flight, Seed, Trial
from swarm_control.core.geometry import Array

SETTLED, LASTS = 10.0, 30.0
"""When (s) the group turns, and how long a run lasts."""
APART = 2.0
"""A group has parted when somebody, or some of them, are so many wished distances from the rest."""
ENDS = ("falls", "collisions", "parted")


@dataclass(frozen=True)
class Probe:
    """A group of a kind: ``count`` robots of a ``model`` at ``speed`` (m/s), who wish to be ``distance`` (m) from ``visible`` others.

    ``gap`` (m): between nearest neighbours at the start; ``turn`` (deg) within ``turn_time`` (s): what they do in every run;
    ``robots``, ``control``: further settings of theirs; ``hard``: by the name of a measure, its values, from mild to hard.
    """

    word: str
    model: str
    count: int
    speed: float
    distance: float
    visible: int
    gap: float
    turn: float
    turn_time: float
    robots: Mapping[str, Any]
    hard: Mapping[str, tuple[float, ...]]
    control: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Demand:
    """Something that is made harder: its ``unit``, and the settings that a value is ``set`` to, or another that is given there.

    ``relative``: what of the probe's own the value is a share of.
    """

    unit: str
    set: tuple[str, ...]
    relative: str = ""


AT_ONCE = (45.0, 90.0, 135.0, 180.0)
DELAYS, NOISES, SLOPES = (0.1, 0.2, 0.5, 1.0, 2.0), (0.02, 0.05, 0.1, 0.2, 0.4), (5.0, 10.0, 15.0, 20.0, 30.0)
SHARES, FRICTIONS = (0.8, 0.6, 0.5, 0.4, 0.3), (0.6, 0.4, 0.3, 0.2, 0.1)
FASTER, TIMES = (1.25, 1.5, 2.0, 3.0), (10.0, 5.0, 2.0, 1.0, 0.0)
PLANE = {"turn at once": AT_ONCE, "turn of 90° within": TIMES, "D": SHARES, "speed": FASTER, "delay": DELAYS, "noise": NOISES}
GROUND = {"friction": FRICTIONS, "slope": SLOPES}
DEMANDS = {
    "turn at once": Demand("°", ("turn", "turn_time=0")), "turn of 90° within": Demand("s", ("turn=90", "turn_time")),
    "D": Demand("of its own", ("grouping.distance",), "distance"), "n": Demand("", ("perception.count",)),
    "speed": Demand("of its own", ("grouping.speed",), "speed"), "acceleration": Demand("m/s²", ("robots.0.max_acceleration",)),
    "friction": Demand("", ("bodies.terrain.friction",)), "slope": Demand("°", ("bodies.terrain.slope",)),
    "delay": Demand("s", ("perception.delay",)), "noise": Demand("of D", ("perception.noise_position",), "distance"),
}
PROBES = {
    "points": Probe(
        "point masses", "point_mass", 20, 2.0, 3.0, 6, 2.2, 45.0, 0.0, {"radius": 0.3, "max_speed": 50, "max_acceleration": 1000},
        {**PLANE, "n": (4, 3, 2, 1), "acceleration": (100.0, 30.0, 10.0, 3.0, 1.0)},
    ),
    "hoppers": Probe(
        "one-legged robots", "hopper", 20, 2.0, 3.0, 6, 2.2, 45.0, 0.0, {"radius": 0.3, "max_speed": 2.5, "max_acceleration": 2.5},
        {**PLANE, **GROUND, "n": (4, 3, 2, 1), "acceleration": (4.0, 6.0, 10.0, 20.0), "speed": (1.25, 1.5, 2.0)},
    ),
    "bicycles": Probe(
        "bicyclists", "bicycle", 18, 7.5, 3.5, 9, 3.0, 22.5, 10.0,
        {"radius": 0.5, "max_speed": 12, "max_acceleration": 3, "max_turn_rate": 1},
        {**PLANE, **GROUND, "turn at once": (22.5, *AT_ONCE), "n": (6, 4, 3, 2, 1), "acceleration": (5.0, 8.0, 12.0, 20.0),
         "speed": (0.8, 0.6, 0.4, 1.25, 1.5)},
    ),
    "insects": Probe(
        "insects", "hexapod", 8, 0.03, 0.1, 4, 0.09, 45.0, 0.0,
        {"radius": 0.02, "max_speed": 0.055, "max_acceleration": 0.5, "max_turn_rate": 1.5, "wheel_base": 0.024},
        {**PLANE, **GROUND, "n": (3, 2, 1), "acceleration": (1.0, 2.0, 5.0), "speed": (1.25, 1.5, 1.8)},
        {"motion.look_ahead": 0.02, "simulator.dt": 0.01},
    ),
    "quadrupeds": Probe(
        "Go2 quadrupeds", "go2", 10, 0.5, 2.0, 5, 1.5, 45.0, 0.0, {}, {**PLANE, **GROUND, "n": (4, 3, 2, 1), "speed": (1.25, 1.5, 2.0)},
    ),
}  # fmt: skip
"""By kind. The paper's own turns: 45° at once, of bicyclists 22.5° within 10 s; D and n as in its smallest groups."""


def trial(kind: str, seed: Seed, measure: str = "", value: float = 0.0) -> Trial:
    """A run of a kind of group in which a ``measure`` has a ``value``; none: as it is."""
    probe = PROBES[kind]
    told: dict[str, Any] = {
        "grouping.weight": 1, "grouping.distance": probe.distance, "grouping.speed": probe.speed, "perception.count": probe.visible,
        "perception.radius": 1000, "duration": LASTS, "turn": probe.turn, "turn_time": probe.turn_time, **probe.control,
    }  # fmt: skip
    if measure:
        known = DEMANDS[measure]
        for place in known.set:
            name, _, fixed = place.partition("=")
            told[name] = float(fixed) if fixed else value * getattr(probe, known.relative) if known.relative else value
    heading, within = told.pop("turn"), told.pop("turn_time")
    turn = {"grouping.heading": heading, "grouping.turn_from": 0, "grouping.turn_start": SETTLED, "grouping.turn_time": within}
    phases = [{"name": "turn", "start": SETTLED, "set": turn}]
    start = {"pattern": "poses", "poses": _block(probe, seed), "speed": probe.speed if measure != "speed" else told["grouping.speed"]}
    group = {"count": probe.count, "model": probe.model, **probe.robots, "start": start}
    own = [f"{name}={json.dumps(value)}" for name, value in told.items()]
    return Trial("herd_points", (f"robots={json.dumps([group])}", *own, f"phases={json.dumps(phases)}"), seed)


def _block(probe: Probe, seed: Seed) -> list[list[float]]:
    """Places (m) and headings (deg) on a hexagonal grid, each up to a twentieth of the gap off, as the seed has it."""
    side = np.arange(-6, 7)
    i, j = np.meshgrid(side, side)
    lattice = probe.gap * np.column_stack(((i + 0.5 * (j % 2)).ravel(), (np.sqrt(0.75) * j).ravel()))
    place = lattice[np.argsort(np.hypot(*(lattice - 0.1 * probe.gap).T), kind="stable")[: probe.count]]
    place = place + probe.gap * np.random.default_rng([seed, 9]).uniform(-0.05, 0.05, place.shape)
    return np.column_stack((place, np.zeros(len(place)))).round(5).tolist()


def ending(flight: Flight) -> dict[str, int]:
    """Falls and collisions of a run, and whether the group has parted."""
    summary, position = flight.summary, flight.position
    wished = float(next(change for change in flight.trial.changes if change.startswith("grouping.distance=")).partition("=")[2])
    apart = widest_gap(position[-1]) > max(APART * wished, 1.5 * widest_gap(position[flight.at(SETTLED)]))
    return {"falls": int(summary.get("falls") or 0), "collisions": int(summary["collisions"]), "parted": int(apart)}


def widest_gap(position: Array) -> float:
    """The longest link (m) of the shortest net that joins all of (N, 2) m: what parts them most."""
    from scipy.sparse.csgraph import minimum_spanning_tree

    apart = np.hypot(*(position[:, None] - position).transpose(2, 0, 1))
    return float(minimum_spanning_tree(apart).toarray().max())
