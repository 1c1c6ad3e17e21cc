"""The scenario hexapod_terrain on many grounds: hills, blocks, steps, gaps and slopes, with each leg lost, and with feet that slide."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Flight, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.analysis.intervals import share_interval

from . import PAGE

TERRAIN = "bodies.terrain."
LEGS = ("left_1", "right_1", "left_2", "right_2", "left_3", "right_3")
FEW = 20
"""Seeds of the grounds for which no share was wanted, at most."""
LOST = "lost"
"""Stands for the leg that a seed lacks."""


def form(name: str, height: float, wavelength: float) -> tuple[str, ...]:
    """Changes that make a ground of a form, so high (m), of a wavelength (m)."""
    return f"{TERRAIN}form={name}", f"{TERRAIN}roughness={height}", f"{TERRAIN}wavelength={wavelength}"


ROUGHER = (f"{TERRAIN}roughness=0.016",)
SLIDING = ("bodies.hexapod.feet.adhesion=0",)
GROUNDS: Mapping[str, tuple[str, ...]] = {
    "hills, 1.2 cm": (), "hills, 1.6 cm": ROUGHER, "a leg lost, 1.2 cm": (LOST,), "a leg lost, 1.6 cm": (LOST, *ROUGHER),
    "blocks, 0.41 cm": form("blocks", 0.0041, 0.015), "checks, 0.41 cm": form("checks", 0.0041, 0.015),
    "checks, 0.52 cm": form("checks", 0.0052, 0.015), "steps, 0.4 cm": form("steps", 0.004, 0.05),
    "gaps, 0.37 cm": form("gaps", 0.02, 0.011), "gaps, 0.5 cm": form("gaps", 0.02, 0.015),
    "20° up": (f"{TERRAIN}roughness=0", f"{TERRAIN}slope=20"), "20° down": (f"{TERRAIN}roughness=0", f"{TERRAIN}slope=-20"),
    "hills, 1.2 cm, feet slide": SLIDING, "hills, 1.6 cm, feet slide": SLIDING + ROUGHER,
    "a leg lost, 1.2 cm, feet slide": (LOST, *SLIDING), "blocks, 0.41 cm, feet slide": form("blocks", 0.0041, 0.015) + SLIDING,
    "20° up, feet slide": (f"{TERRAIN}roughness=0", f"{TERRAIN}slope=20", *SLIDING),
}  # fmt: skip
"""Changes to the scenario, by the ground and its height, of gaps their width."""
WANTED = {"hills, 1.2 cm": 58 / 60, "hills, 1.6 cm": 58 / 60, "a leg lost, 1.2 cm": 54 / 60}
"""Shares that were to be reached."""


def trials(name: str, seeds: Sequence[Any]) -> list[Trial]:
    """The runs on one of the grounds: of seed k without the leg k modulo 6, where one is lost."""
    return [
        Trial("hexapod_terrain", tuple(_leg(change, seed) for change in GROUNDS[name]), seed, True)
        for seed in (seeds if name in WANTED else seeds[:FEW])
    ]


def _leg(change: str, seed: int) -> str:
    return f"bodies.hexapod.legs.lost=[{LEGS[seed % len(LEGS)]}]" if change == LOST else change


def crossing(flight: Flight) -> tuple[bool, float]:
    """Whether the insect has come to the goal, and after how long, s."""
    arrived = bool(flight.summary["arrived_fraction"])
    return arrived, float(flight.summary["arrival_time"]) if arrived else float("nan")


@experiment(
    "hexapod_grounds", "who arrives over hills, blocks, steps, gaps, slopes, and with a leg lost", PAGE, chosen_on=range(1000, 1100),
    reported_on=range(2000, 2060),
)  # fmt: skip
def grounds(lab: Lab) -> Finding:
    """Arrival on every ground."""
    seeds = lab.seeds(quick=2)
    names = list(GROUNDS)[: 3 if lab.quick else None]
    made = [trial for name in names for trial in trials(name, seeds)]
    found = iter(lab.measure(made, crossing))
    results = {name: [next(found) for _ in trials(name, seeds)] for name in names}
    share = {name: float(np.mean([arrived for arrived, _ in runs])) for name, runs in results.items()}
    return Finding(
        "Many grounds",
        "Not in the paper, whose insect crosses uneven ground in a film (Fig. 8) with the compliance of its springs. Wanted were 58 of 60 "
        "on hills of 1.2 and 1.6 cm, and 54 of 60 with any one leg lost.",
        ("ground", "arrived", "95 % interval (%)", "after (s), mean"),
        tuple(_row(name, runs) for name, runs in results.items()),
        {f"{name}: at least {wanted:.0%} arrive": share[name] >= wanted for name, wanted in WANTED.items() if name in share},
        (Bars("arrived", "share (%)", tuple(share), {"insects": 100.0 * np.array(list(share.values()))}),),
        {f"share_{k}": value for k, value in enumerate(share.values())},
        "40 cm to the goal within a minute, at 1.8 cm/s at most; whole legs touch the ground, and each standing foot sticks to it with up "
        "to 2000 dyn, the insect's weight, but where feet slide. The control knows what noisy sensors read, 4 ms later, and nothing else. "
        "Each seed is a ground and a beginning of the gait; seed k lacks leg k modulo 6 where one is "
        "lost. Blocks and checks have sides of 1.5 cm; blocks are up to so high, checks in turn high and low. Steps are 5 cm long, gaps of "
        "0.37 cm come every 1.1 cm, those of 0.5 cm every 1.5 cm, 2 cm deep. By the body's length, the fly of FlyGym (Wang-Chen et al. "
        "2024) is given gaps of 0.35 cm every 1.5 cm, and blocks of 1.5 cm of which every other one is 0.52 cm higher: the checks.",
    )  # fmt: skip


def _row(name: str, runs: Sequence[tuple[bool, float]]) -> tuple[str, ...]:
    arrived, count = sum(ok for ok, _ in runs), len(runs)
    low, high = share_interval(arrived, count)
    times = [time for ok, time in runs if ok]
    return name, f"{arrived} of {count}", f"{100 * low:.0f} to {100 * high:.0f}", f"{np.mean(times):.1f}" if times else "–"
