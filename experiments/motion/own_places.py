"""Places of their own: robots are sent from anywhere to anywhere in worlds that nobody has seen, each to another place."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy import ndimage

from swarm_control.analysis.experiments.finding import Finding, Paths, mean_sd
from swarm_control.analysis.experiments.flight import Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.fields import make_map
from swarm_control.core.geometry import Array, norm
from swarm_control.core.grid import Grid

from . import PAGE, SEEN
from .cases import MODELS, Found
from .generated import PIXEL, SIZE, draw, write_scenario
from .numbers import jams

WIDE = 0.3
"""All places are joined by ways with so much clearance (m)."""

REACHED, LONGEST = 0.15, 180.0
"""A robot is there within this (m) of its place; a run lasts so long (s) at most."""


WAYS = {
    "guidance": ("control.guidance.weight=1",),
    "reciprocal_avoidance": ("control.reciprocal_avoidance.weight=10", "control.perception.radius=30", "control.perception.count=40"),
}
"""By which behaviour robots go, with its settings."""


def scattered(map_grid: Grid, count: int, radius: float, rng: np.random.Generator) -> Array:
    """Places (count, 2) m of discs of this ``radius`` (m) on one part of the floor, a radius and 10 cm apart and 10 cm off the walls."""
    clearance = make_map(map_grid).clearance
    parts, _ = ndimage.label(clearance > WIDE)
    largest = int(np.argmax(np.bincount(parts.ravel())[1:])) + 1
    cells = rng.permutation(np.argwhere((parts == largest) & (clearance > radius + 0.1)))
    found: list[Array] = []
    for row, column in cells:
        place = np.array(map_grid.origin) + map_grid.resolution * (np.array([column, row]) + 0.5)
        if not found or norm(np.array(found) - place).min() > 3.0 * radius + 0.1:
            found.append(place)
        if len(found) == count:
            return np.array(found)
    return scattered(map_grid, count, 0.8 * radius, rng)


def scenario(seed: Seed, folder: Path) -> tuple[Path, int]:
    """A scenario file of a world and 2 to 39 robots of 7 to 24 cm, and their number."""
    rng, walls = np.random.default_rng([seed, 11]), draw(seed)
    grid = Grid(walls[::-1], (-SIZE / 2, -SIZE / 2), PIXEL)
    count, radius, speed = int(rng.integers(2, 40)), float(rng.uniform(0.035, 0.12)), float(rng.uniform(0.3, 1.2))
    starts, places = (scattered(grid, count, radius, rng) for _ in range(2))
    poses = np.column_stack((starts, rng.uniform(-180.0, 180.0, count))).tolist()
    group = {"count": count, "radius": radius, "max_speed": speed, "max_acceleration": 2.0, "start": {"pattern": "poses", "poses": poses}}
    file = write_scenario(
        walls, folder, f"places_{seed}", duration=LONGEST, robots=[group], control={"separation_filter": {"enabled": True}},
        goals=[{"each": places.ravel().tolist(), "arrival_radius": REACHED, "fraction": 1.0}],
    )  # fmt: skip
    return file, count


def _row(way: str, model: str, found: Sequence[Found]) -> tuple[str, ...]:
    arrived = 100 * float(np.mean([one.arrived for one in found]))
    whole, contacts = sum(one.arrived == 1.0 for one in found), sum(one.collisions for one in found)
    return way, model, f"{arrived:.1f} %", f"{whole} of {len(found)}", mean_sd(one.time for one in found), str(contacts)


@experiment("own_places", "robots sent each to a place of its own, in worlds that chance has made", PAGE, chosen_on=SEEN,
            reported_on=range(1000, 1030))  # fmt: skip
def own_places(lab: Lab) -> Finding:
    """Send 2 to 39 robots of every model from anywhere to anywhere; another world, number, size and speed for each seed."""
    seeds = lab.seeds(quick=2)
    with tempfile.TemporaryDirectory() as folder:
        files = [scenario(seed, Path(folder)) for seed in seeds]
        cases = [(way, model) for way in WAYS for model in MODELS]
        trials = [
            Trial(str(file), (f"robots.0.model={model}", *WAYS[way]), seed, until_arrival=True)
            for way, model in cases for (file, _), seed in zip(files, seeds)
        ]  # fmt: skip
        found = lab.measure(trials, jams)
        flights = lab.fly(trials[-2 * len(seeds) : -len(seeds)][:6])
    of_case = {case: found[k * len(seeds) : (k + 1) * len(seeds)] for k, case in enumerate(cases)}
    claims = {"no robot touches anything": not any(one.collisions for one in found)}
    claims |= {f"{way}, {model}: all get to their places": all(one.arrived == 1.0 for one in ns) for (way, model), ns in of_case.items()}
    return Finding(
        "Places of their own",
        "Not in the papers: robots are not a flock, but each has somewhere to go.",
        ("by", "robots", "arrived", "runs whole", "arrival (s)", "collisions"),
        tuple(_row(*case, ns) for case, ns in of_case.items()), claims,
        tuple(Paths(f"seed {seed}, {count} robots", flight) for seed, (_, count), flight in zip(seeds, files, flights)),
        {f"{way}_{model}_arrived": float(np.mean([one.arrived for one in ns])) for (way, model), ns in of_case.items()},
        f"{len(seeds)} worlds; 2 to 39 robots of 7 to 24 cm at up to 0.3 to 1.2 m/s, by one behaviour and the separation filter, at most "
        f"{LONGEST:g} s. All are to be within {100 * REACHED:g} cm of their places at once. Drawn are differential drives by "
        "reciprocal avoidance.",
    )  # fmt: skip
