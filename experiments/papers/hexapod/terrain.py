"""Insects on uneven ground, with all their legs and with one lost, with and without reflexes (McKenna & Zeltzer, sections 3.2 and 4)."""

from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, interval, mean_sd
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.terrain import Terrain
from swarm_control.sim.mujoco.hexapod_walk import Insects, with_hexapod

from . import PAGE

ROUGHNESS = (0.008, 0.012, 0.016)
"""Highest to lowest of the ground, m; hills are 3 cm apart. The body's underside is 0.26 cm over level ground."""
SPEED, DURATION, COURSE = 0.03, 2.5, 2.0
"""Commanded speed (m/s), for so long (s); the heading is kept by so much turn rate per angle (1/s)."""
CROSSED = 2.0 / 3.0
"""Share of the commanded way that counts as success."""


@dataclass(frozen=True)
class Crossing:
    """An insect on ground of its own: ``roughness`` (m), legs ``lost``, ``reflexes`` or none, feet's ``adhesion`` (dyn)."""

    roughness: float
    seed: Seed
    reflexes: bool = True
    lost: tuple[str, ...] = ()
    adhesion: float = 0.0
    slope: float = 0.0
    speed: float = SPEED


def cross(trial: Crossing) -> tuple[float, Array]:
    """Share of the commanded way that was made straight ahead; how often step, load and elevator reflex acted (3,)."""
    rough = trial.roughness
    ground = Terrain(friction=0.7, roughness=rough, wavelength=0.03, extent=0.5, slope=trial.slope)
    changes = {"reflexes__enabled": trial.reflexes, "legs__lost": trial.lost, "feet__adhesion": trial.adhesion}
    insects = Insects(with_hexapod(Bodies(terrain=ground), **changes), 1, trial.seed, tick=0.01)
    walk = insects.walk((trial.speed, 0.0, 0.0), DURATION, COURSE)
    return float(walk.pose[-1, 0, 0] - walk.pose[0, 0, 0]) / (trial.speed * DURATION), walk.fired[0]


@experiment("hexapod_terrain", "success against roughness, with and without reflexes (Fig. 8)", PAGE, reported_on=range(20, 40))
def terrain(lab: Lab) -> Finding:
    """Success against roughness; a slope with and without sticky feet."""
    seeds, roughness = lab.seeds(), ROUGHNESS[:2] if lab.quick else ROUGHNESS
    cases = {
        "all legs, no reflexes": (False, ()), "all legs, reflexes": (True, ()),
        "left_2 lost, no reflexes": (False, ("left_2",)), "left_2 lost, reflexes": (True, ("left_2",)),
    }  # fmt: skip
    trials = [Crossing(r, s, reflexes, lost) for reflexes, lost in cases.values() for r in roughness for s in seeds]
    found = lab.map(cross, trials)
    share = np.array([ahead for ahead, _ in found]).reshape(len(cases), len(roughness), len(seeds))
    fired = np.array([acted for _, acted in found]).reshape(len(cases), len(roughness), len(seeds), 3).mean(axis=2)
    success = (share >= CROSSED).mean(axis=2)
    hills = lab.map(cross, [Crossing(0.0, s, True, (), sticky, 20.0) for sticky in (0.0, 1000.0) for s in seeds[:3]])
    up = np.array([ahead for ahead, _ in hills]).reshape(2, -1)
    rows = [
        (name, f"{100 * r:.1f}", mean_sd(100 * share[k, i], 0), f"{100 * success[k, i]:.0f}", "–" if not cases[name][0] else
         " / ".join(f"{n:.0f}" for n in fired[k, i]))
        for k, name in enumerate(cases) for i, r in enumerate(roughness)
    ]  # fmt: skip
    rows += [(f"slope of 20° up, {feet}", "level", mean_sd(100 * up[k], 0), f"{100 * (up[k] >= CROSSED).mean():.0f}", "–")
             for k, feet in enumerate(("sliding feet", "sticky feet"))]  # fmt: skip
    heights, runs = 100.0 * np.array(roughness), share[0].size
    crossed = np.round(success.mean(axis=1) * runs).astype(int)
    gained = 100.0 * (share[1::2] - share[::2]).reshape(2, -1)
    gain = [f"{values.mean():.0f} ± {interval(values):.0f}" for values in gained]
    return Finding(
        "Uneven ground (section 4.2, Fig. 8)",
        "Uneven ground is crossed in the wave gait by the compliance of springs alone, with sticky feet lest it slides down the hill; "
        "reflexes raise robustness, with missing legs too, but were tried in a kinematic model only.",
        ("insect", "roughness (cm)", "way made, of the commanded (%)", "crossed (%)", "step / load / elevator reflexes"),
        tuple(rows),
        _claims(success, roughness, up),
        (
            Curves("runs that crossed", "roughness (cm)", "share (%)",
                   {n: (heights, 100.0 * success[k], None) for k, n in enumerate(cases)}),
            Curves("way made", "roughness (cm)", "share of the commanded (%)",
                   {n: (heights, 100.0 * share[k].mean(axis=1), None) for k, n in enumerate(cases)}),
        ),
        {"plain": float(success[0].mean()), "reflexes": float(success[1].mean()), "lost": float(success[2].mean()),
         "lost_reflexes": float(success[3].mean()), "slope_slide": float(up[0].mean()), "slope_stick": float(up[1].mean())},
        f"Crossed of {runs} runs, with all legs: {crossed[0]} without reflexes and {crossed[1]} with them, which make {gain[0]} points "
        f"more of the commanded way on the same ground (mean, 95 % confidence); with a leg lost: {crossed[2]} and {crossed[3]}, {gain[1]} "
        f"points. {len(seeds)} grounds and starts each, "
        f"{100 * SPEED:g} cm/s for {DURATION:g} s, friction 0.7; crossed: {CROSSED:.0%} of that way straight ahead. Reflexes are counted "
        "per run. On the slope 3 runs each.",
    )  # fmt: skip


def _claims(success: Array, roughness: tuple[float, ...], up: Array) -> dict[str, bool]:
    """What holds of the shares that crossed (case, roughness), and of the way made up the slope (sliding and sticky feet, run)."""
    return {
        "compliance alone crosses 0.8 cm of roughness, three times the room under the body, in 4 of 5 runs":
            bool(success[0, list(roughness).index(0.008)] >= 0.8),
        "with reflexes at least as many runs succeed, over all roughnesses": bool(success[1].mean() >= success[0].mean()),
        "with a leg lost, too": bool(success[3].mean() >= success[2].mean()),
        "up a slope of 20° feet that stick make more way than feet that slide": bool(up[1].mean() > up[0].mean()),
    }  # fmt: skip
