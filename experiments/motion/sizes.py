"""Robots of any size: flocks of robots up to half a metre wide, with distances counted between footprints and between centres."""

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, Paths, mean_sd
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array

from . import PAGE, SEEN
from .cases import MODELS, Crowd, fly, found_in, trial_of

SCENARIOS = ("migrate_boxes", "migrate_mixed")
RADII = (0.0375, 0.1, 0.175, 0.25)
LAWS = {"between footprints": (), "between centres": ("separation.body_width=200",)}
ROBOTS = 10


def body(radius: float) -> tuple[str, str]:
    """Settings for robots of this ``radius`` (m)."""
    return f"robots.0.radius={radius}", f"robots.0.wheel_base={1.6 * radius}"


@experiment("any_size", "flocks of robots from 7.5 to 50 cm wide", PAGE, chosen_on=SEEN, reported_on=range(1000, 1005))
def any_size(lab: Lab) -> Finding:
    """Fly flocks of robots of every size, with distances from footprint to footprint and, as a comparison, from centre to centre."""
    seeds, radii = lab.seeds(quick=1), (0.175,) if lab.quick else RADII
    every = [Crowd(scenario, model, ROBOTS) for scenario in SCENARIOS for model in MODELS]
    found = {
        (case, radius, law): runs
        for radius in radii for law, changes in LAWS.items()
        for case, runs in fly(lab, every, seeds, found_in, *body(radius), *changes).items()
    }  # fmt: skip
    whole = {key: np.mean([one.arrived == 1.0 for one in ns]) for key, ns in found.items()}
    rows = tuple(
        (case.scenario, case.model, f"{200 * radius:.3g} cm", law, f"{100 * np.mean([one.arrived for one in ns]):.0f} %",
         f"{sum(one.arrived == 1.0 for one in ns)} of {len(ns)}", mean_sd(one.time for one in ns), str(sum(one.collisions for one in ns)))
        for (case, radius, law), ns in found.items()
    )  # fmt: skip
    claims = {"no robot touches anything, in any run": not any(one.collisions for ns in found.values() for one in ns)}
    for model in MODELS:
        mine = [key for key in found if key[0].model == model and key[2] == "between footprints"]
        claims[f"{model}: all arrive in every run, whatever their size"] = all(whole[key] == 1.0 for key in mine)
    wide = [key for key in found if key[1] >= 0.175 and key[2] == "between centres"]
    claims["of robots of 35 cm and more, no flock arrives whole with distances between centres"] = not any(whole[key] for key in wide)
    shown = [trial_of(Crowd("migrate_mixed", model, ROBOTS), seeds[0], *body(0.175)) for model in MODELS]
    panels = tuple(Paths(f"migrate_mixed, 35 cm, {model}", flight) for model, flight in zip(MODELS, lab.fly(shown)))
    curves: dict[str, tuple[Array, Array, Array | None]] = {
        f"{model}, {law}": (
            200.0 * np.array(radii),
            np.array([100 * np.mean([whole[Crowd(name, model, ROBOTS), r, law] for name in SCENARIOS]) for r in radii]), None,
        )
        for model in MODELS for law in LAWS
    }  # fmt: skip
    return Finding(
        "Robots of any size",
        "The papers' robots are 7.5 cm wide. `separation.body_width`: what robots are wider than it comes on top of separation's distance.",
        ("scenario", "robots", "width", "distances", "arrived", "runs whole", "arrival (s)", "collisions"),
        rows, claims, (*panels, Curves("runs whole", "width of the robots (cm)", "% of runs", curves)),
        {f"{case.scenario}_{case.model}_{200 * r:.0f}cm_{law.split()[1]}": float(share) for (case, r, law), share in whole.items()},
        f"{len(seeds)} seeds, ten robots. All else is as the scenarios are shipped, walls and speeds, too.",
    )  # fmt: skip
