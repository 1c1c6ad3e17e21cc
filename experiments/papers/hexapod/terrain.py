"""Insects on uneven ground: compliance alone in a wave gait, as in the paper's Fig. 8, and the control of the scenario hexapod_terrain."""

from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.experiments.finding import Curves, Finding, Photo, mean_sd
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.terrain import Terrain
from swarm_control.sim.mujoco.hexapod_walk import Insects, with_hexapod

from . import PAGE
from .disturbed import COURSE, CROSSED, SPEED, terrain_bodies
from .pictures import frames

ROUGHNESS = (0.008, 0.012, 0.016, 0.02)
"""Highest to lowest of the ground, m; hills are 3 cm apart. The underside of the paper's insect is 0.26 cm over level ground."""
DURATION = 6.0
"""s."""
STICKS = 1000.0
"""What holds the paper's feet, dyn."""
SHOWN = 0.012
"""Roughness of the ground in the picture, m."""
COMPLIANT, SHIPPED, SLIDING = "compliance alone", "hexapod_terrain", "hexapod_terrain, feet slide"


@dataclass(frozen=True)
class Crossing:
    """An insect of one ``make`` on ground of its own, of a ``roughness`` (m), with legs ``lost``."""

    make: str
    roughness: float
    seed: Seed
    lost: tuple[str, ...] = ()


def bodies_of(trial: Crossing) -> Bodies:
    """Insect and ground. By compliance alone goes the insect of the defaults, without reflexes or posture, with feet that stick."""
    if trial.make == COMPLIANT:
        ground = Terrain(friction=0.7, roughness=trial.roughness, wavelength=0.03, extent=0.6)
        bodies = with_hexapod(Bodies(terrain=ground), reflexes__enabled=False, feet__adhesion=STICKS)
    else:
        bodies = terrain_bodies(trial.roughness, trial.make == SHIPPED)
    return with_hexapod(bodies, legs__lost=trial.lost)


def cross(trial: Crossing) -> tuple[float, Array]:
    """Share of the commanded way that was made straight ahead; how often step, load and elevator reflex acted (3,)."""
    insects = Insects(bodies_of(trial), 1, trial.seed, tick=0.01)
    walk = insects.walk((SPEED, 0.0, 0.0), DURATION, COURSE)
    return float(walk.pose[-1, 0, 0] - walk.pose[0, 0, 0]) / (SPEED * DURATION), walk.fired[0]


@experiment("hexapod_terrain", "compliance alone and with all reflexes, by roughness (Fig. 8)", PAGE, reported_on=range(2000, 2020))
def terrain(lab: Lab) -> Finding:
    """Success against roughness."""
    seeds, roughness = lab.seeds(), ROUGHNESS[:3] if lab.quick else ROUGHNESS
    cases = {COMPLIANT: (), SHIPPED: (), SLIDING: (), f"{COMPLIANT}, left_2 lost": ("left_2",), f"{SHIPPED}, left_2 lost": ("left_2",)}
    trials = [Crossing(name.split(", left")[0], r, s, lost) for name, lost in cases.items() for r in roughness for s in seeds]
    found = lab.map(cross, trials)
    share = np.array([ahead for ahead, _ in found]).reshape(len(cases), len(roughness), len(seeds))
    fired = np.array([acted for _, acted in found]).reshape(*share.shape, 3).mean(axis=2)
    success, heights = (share >= CROSSED).mean(axis=2), 100.0 * np.array(roughness)
    at = {name: k for k, name in enumerate(cases)}
    views = [Photo(f"{name}: 1.2 cm, after 0, 2, 4 and 6 s", frames(bodies_of(Crossing(name, SHOWN, seeds[0])), seeds[0]),
                   np.empty((0, 0, 2)), axes=False) for name in (COMPLIANT, SHIPPED)]  # fmt: skip
    return Finding(
        "Uneven ground (section 4.2, Fig. 8)",
        "Uneven ground is crossed in the wave gait by the compliance of springs alone, with sticky feet lest it slides down the hill; "
        "reflexes raise robustness, with missing legs too, but were tried in a kinematic model only.",
        ("insect", "roughness (cm)", "way made, of the commanded (%)", "crossed (%)", "step / load / elevator reflexes"),
        tuple((name, f"{100 * r:.1f}", mean_sd(100 * share[k, i], 0), f"{100 * success[k, i]:.0f}",
               "–" if COMPLIANT in name else " / ".join(f"{n:.0f}" for n in fired[k, i]))
              for name, k in at.items() for i, r in enumerate(roughness)),
        _claims({name: success[k] for name, k in at.items()}),
        (Curves("runs that crossed", "roughness (cm)", "share (%)", {n: (heights, 100.0 * success[k], None) for n, k in at.items()}),
         *views),
        {f"crossed_{k}": float(success[k].mean()) for k in range(len(cases))},
        f"{len(seeds)} grounds and starts each, {100 * SPEED:g} cm/s for {DURATION:g} s, a wave gait, friction 0.7; crossed: "
        f"{CROSSED:.0%} of that way straight ahead. Compliance alone: the insect that walks on level ground, its feet held with "
        f"{STICKS:g} dyn; no leg knows that the ground is uneven. hexapod_terrain is the scenario's insect: trunk and steps higher, "
        "all reflexes, search and posture, feet held with 2000 dyn but where they slide. Reflexes are counted per run. The page's "
        "part on many grounds goes on to a goal 40 cm away.",
    )  # fmt: skip


def _claims(success: dict[str, Array]) -> dict[str, bool]:
    """What holds of the shares that crossed, by insect, for each roughness."""
    return {
        "compliance alone crosses 0.8 cm of roughness, three times the room under the body, in 4 of 5 runs":
            bool(success[COMPLIANT][0] >= 0.8),
        "the control of hexapod_terrain crosses no fewer over all, with all legs":
            bool(success[SHIPPED].mean() >= success[COMPLIANT].mean()),
        "and with a leg lost": bool(success[f"{SHIPPED}, left_2 lost"].mean() >= success[f"{COMPLIANT}, left_2 lost"].mean()),
        "it crosses 1.2 cm in 9 of 10 runs": bool(success[SHIPPED][1] >= 0.9),
    }  # fmt: skip
