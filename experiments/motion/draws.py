"""Random swarms: nobody touches anybody, whatever the size, speed, brakes, period and number."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.simulation import Simulation
from swarm_control.core.geometry import norm
from swarm_control.errors import InputError

from . import PAGE, SEEN

UNFILTERED = 20
"""So many of the draws are also made without the filter, at most."""

MIXTURES = {
    "differential": ("differential",), "car": ("car",), "differential and car": ("differential", "car"), "omni": ("omni",),
    "point_mass": ("point_mass",), "all four": ("differential", "car", "omni", "point_mass"),
}  # fmt: skip


@dataclass(frozen=True)
class Draw:
    """A random swarm: its ``seed``, its models, whether odometry is spoilt and the filter on; bounds of the number of robots and of how
    long it goes (s).
    """

    seed: Seed
    models: tuple[str, ...]
    late: bool
    filtered: bool = True
    robots: tuple[float, float] = (2, 200)
    seconds: tuple[float, float] = (5.0, 15.0)


def scenario(draw: Draw) -> dict[str, Any]:
    """Robots of one size, speed and strength that are urged to one place or to places of their own, in the open or among obstacles."""
    rng = np.random.default_rng([draw.seed, 99])
    bounds = draw.robots, (0.03, 0.4), (0.05, 4.0), (0.3, 8.0), (0.02, 0.5)
    n, radius, top, strength, period = (float(np.exp(rng.uniform(*np.log(pair)))) for pair in bounds)
    count, period, turn = int(n), round(period, 2), float(rng.uniform(1.0, 8.0))
    side = 6.0 * radius * np.sqrt(count) + 1.0
    simulator: dict[str, Any] = {"dt": 0.005 if period < 0.05 else 0.01}
    if draw.late:
        most = {"delay": 0.5, "loss": 0.5, "noise_position": 0.01, "noise_heading": 3.0, "noise_velocity": 0.03, "asynchronous": 1.0}
        simulator |= {name: float(rng.uniform(0.0, value)) for name, value in most.items() if rng.random() < 0.7}
    own = rng.uniform(-0.5 * side, 0.5 * side, 2 * count).tolist()
    share = [count // len(draw.models)] * len(draw.models)
    share[-1] += count - sum(share)
    body = {"radius": radius, "wheel_base": 1.6 * radius, "max_speed": top, "max_acceleration": strength, "max_turn_rate": turn}
    start = {"spacing": 2.3 * radius + 0.05, "heading_spread": 360.0}
    data: dict[str, Any] = {
        "duration": float(np.clip(3.0 * side / top, *draw.seconds)), "seed": int(draw.seed), "simulator": simulator,
        "robots": [{"count": k, "model": model, **body, "start": start} for k, model in zip(share, draw.models) if k],
        "control": {
            "period": period, "perception": {"radius": 3.0}, "seek": {"weight": float(rng.uniform(0.5, 10.0))},
            "separation_filter": {"enabled": draw.filtered}, "safety": {"odometry_timeout": 1.0},
        },
        "goals": [{"each": own, "radius": 0.05} if rng.random() < 0.5 else {"position": [0.0, 0.0]}],
    }  # fmt: skip
    if rng.random() < 0.5:
        area, size = (1.3 * side) ** 2 / count, max(0.2, 2.0 * radius)
        data["world"] = {"area_per_robot": float(area), "obstacle_area": float(side**2 / 6.0), "obstacle_radius": size}
    return data


def contacts(draw: Draw) -> tuple[int, float]:
    """Contacts of a run, and the robots' mean speed as a share of their top speed. ``InputError`` where there is no room for the robots."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "draw.yaml"
        file.write_text(yaml.safe_dump(scenario(draw)), encoding="utf-8")
        simulation = Simulation(file).run()
    top = simulation.setup.fleet.max_speed
    return int(simulation.metrics()["collisions"]), float((norm(simulation.trajectory.velocity[:, :, :2]) / top).mean())


def tried(draw: Draw) -> tuple[int, float] | None:
    """:func:`contacts`; None of a draw that is refused."""
    try:
        return contacts(draw)
    except InputError:
        return None


@experiment("random_swarms", "contacts of random swarms with the separation filter", PAGE, chosen_on=SEEN, reported_on=range(1000, 1100))
def random_swarms(lab: Lab) -> Finding:
    """Run random swarms of every mixture, with fresh odometry and with spoilt one; and fresh without the filter."""
    seeds = lab.seeds(quick=3)
    kinds = {"fresh": (False, True), "late": (True, True), "fresh, no filter": (False, False)}
    cases = {(name, kind): seeds[:UNFILTERED] if "no filter" in kind else seeds for name in MIXTURES for kind in kinds}
    measured = iter(lab.map(tried, [Draw(seed, MIXTURES[name], *kinds[kind]) for (name, kind), own in cases.items() for seed in own]))
    made = {case: [next(measured) for _ in own] for case, own in cases.items()}
    refused = sum(one is None for ones in made.values() for one in ones)
    found = {case: [one for one in ones if one is not None] for case, ones in made.items()}
    bad = {case: sum(hits > 0 for hits, _ in ns) for case, ns in found.items()}
    where = "".join(
        f" Contacts with {name}, {kind}: seeds {', '.join(str(int(seed)) for seed, one in zip(seeds, made[name, kind]) if one and one[0])}."
        for (name, kind), number in bad.items() if number and "no filter" not in kind
    )  # fmt: skip
    share = {case: float(np.mean([part for _, part in ns])) for case, ns in found.items()}
    alike = {name: float(np.mean([one[1] for one in made[name, "fresh"][:UNFILTERED] if one is not None])) for name in MIXTURES}
    rows = tuple(
        (name, kind, f"{bad[name, kind]} of {len(ns)}", str(sum(hits for hits, _ in ns)), f"{100 * share[name, kind]:.0f} %")
        for (name, kind), ns in found.items()
    )
    claims = {
        "robots never touch anything with fresh odometry": not any(bad[name, "fresh"] for name in MIXTURES),
        "robots never touch anything with late odometry": not any(bad[name, "late"] for name in MIXTURES),
        "without the filter they do": all(bad[name, "fresh, no filter"] for name in MIXTURES),
        "they get somewhere: in the same draws at least half as fast as without the filter": all(
            alike[name] >= 0.5 * share[name, "fresh, no filter"] for name in MIXTURES
        ),
    }
    series = {kind: np.array([100.0 * bad[name, kind] / len(found[name, kind]) for name in MIXTURES]) for kind in kinds}
    return Finding(
        "Random swarms",
        "Not in the papers: 2 to 200 robots of 3 to 40 cm, 0.05 to 4 m/s, 0.3 to 8 m/s², periods of 0.02 to 0.5 s, in the open or among "
        "obstacles.",
        ("robots", "odometry", "runs with a contact", "contacts", "mean speed, of the top speed"),
        rows, claims, (Bars("runs with a contact", "% of runs", tuple(MIXTURES), series),),
        {f"{name}_{kind}".replace(" ", "_").replace(",", ""): float(bad[name, kind]) for name, kind in cases},
        f"{2 * len(MIXTURES) * len(seeds)} runs with the filter: {len(seeds)} draws of each kind, the same for all; at most "
        f"{UNFILTERED} of them without it. {refused} runs are refused: there is no room for the robots. Late: each of these with a chance "
        "of 70 %: up to 0.5 s late, up to half lost, noise of up to 1 cm, 3° and 3 cm/s, commands taken after 1 to 2 periods of each "
        "robot's own. Robots are urged by `seek` alone, straight at each other and at walls, so most of them stand before long."
        + where,
    )  # fmt: skip
