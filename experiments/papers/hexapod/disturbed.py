"""Insects that are pushed as they cross hills, and that stop and turn on a steep slope; by the parameters of hexapod_terrain."""

from dataclasses import dataclass, replace

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding, mean_sd
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.loader import load
from swarm_control.sim.mujoco.hexapod_walk import Insects, with_hexapod

from . import PAGE

SPEED, COURSE = 0.018, 2.0
"""Commanded speed (m/s); the heading is kept by so much turn rate per angle (1/s)."""
PUSH, LASTS, EVERY = 0.5, 0.1, 1.0
"""Of the weight, for so long (s), at times that are so far apart (s) on average; to any side, horizontal."""
WALK, CROSSED = 6.0, 2.0 / 3.0
"""A walk under pushes lasts so long (s); so much of the commanded way counts as success."""
STOP, TURN, ON, RATE = 3.0, np.pi / 2, 3.0, 0.5
"""On the slope: it stands for so long (s), turns by so much (rad) at a rate (rad/s), goes on for so long (s)."""
TICK = 0.01


@dataclass(frozen=True)
class DisturbedInsect:
    """An insect, with feet that stick or slide, from a ``seed``; pushed, or on a ``slope`` (deg) in place of hills."""

    seed: Seed
    sticks: bool = True
    push: float = 0.0
    slope: float = 0.0


def terrain_bodies(roughness: float, sticks: bool = True, slope: float = 0.0) -> Bodies:
    """Ground and insect of hexapod_terrain, with so high hills (m), a slope (deg), and feet that stick or not."""
    bodies = load("hexapod_terrain").scenario.bodies
    ground = replace(bodies.terrain, roughness=roughness, slope=slope)
    return replace(bodies if sticks else with_hexapod(bodies, feet__adhesion=0.0), terrain=ground)


def pushed(trial: DisturbedInsect) -> float:
    """Share of the commanded way that was made over hills of 1.2 cm; 0 of who has fallen."""
    insects = Insects(terrain_bodies(0.012, trial.sticks), 1, trial.seed, tick=TICK)
    rng, data = np.random.default_rng([trial.seed, 21]), insects.data
    force, left, walk = np.zeros(3), 0.0, insects.walk((SPEED, 0.0, 0.0), TICK, COURSE)
    begun = walk.pose[0, 0, 0]
    for _ in range(round(WALK / TICK)):
        if left <= 0.0 and rng.random() < TICK / EVERY:
            angle, left = rng.uniform(-np.pi, np.pi), LASTS
            force = trial.push * insects.kind.walker.weight * np.array((np.cos(angle), np.sin(angle), 0.0))
        data.xfrc_applied[insects.kind.bodies[0], :3] = force if left > 0.0 else 0.0
        left -= TICK
        walk = insects.walk((SPEED, 0.0, 0.0), TICK, COURSE)
    return 0.0 if walk.fallen[0] else float(walk.pose[-1, 0, 0] - begun) / (SPEED * WALK)


def halted(trial: DisturbedInsect) -> tuple[float, float, float]:
    """On a slope, after walking up it: drift while it stands (m), error of a turn of 90° (rad), share of the way made after it, across."""
    insects = Insects(terrain_bodies(0.0, trial.sticks, trial.slope), 1, trial.seed, tick=TICK)
    insects.walk((SPEED, 0.0, 0.0), 2.0, COURSE)
    insects.walk((0.0, 0.0, 0.0), 0.5)
    stood = insects.walk((0.0, 0.0, 0.0), STOP).pose[[0, -1], 0]
    for _ in range(round(1.5 * TURN / RATE / TICK)):
        off = TURN - insects.kind.pose(insects.data)[0, 2]
        insects.walk((0.0, 0.0, float(np.clip(COURSE * off, -RATE, RATE))), TICK)
    turned = insects.walk((0.0, 0.0, 0.0), TICK).pose[0, 0]
    went = insects.walk((SPEED, 0.0, 0.0), ON).pose[-1, 0]
    drift, way = float(np.hypot(*(stood[1] - stood[0])[:2])), float(went[1] - turned[1])
    return drift, float(abs(turned[2] - TURN)), way / (SPEED * ON)


@experiment("hexapod_disturbed", "pushes on hills; stopping and turning on a slope of 20°", PAGE, chosen_on=range(1000, 1100),
            reported_on=range(2000, 2020))  # fmt: skip
def disturbed(lab: Lab) -> Finding:
    """Pushes while walking over hills; halts and turns on slopes."""
    seeds = lab.seeds()
    pushes = {"no pushes": (True, 0.0), f"pushed by {PUSH:g} of the weight": (True, PUSH), "the same, feet slide": (False, PUSH)}
    ways = lab.map(pushed, [DisturbedInsect(s, sticks, push) for sticks, push in pushes.values() for s in seeds])
    way = np.array(ways).reshape(len(pushes), -1)
    slopes = {"20° up": (True, 20.0), "20° down": (True, -20.0), "20° up, feet slide": (False, 20.0)}
    found = lab.map(halted, [DisturbedInsect(s, sticks, 0.0, slope) for sticks, slope in slopes.values() for s in seeds])
    halts = np.array(found).reshape(len(slopes), -1, 3)
    rows = [(name, f"{100 * (way[k] >= CROSSED).mean():.0f}", mean_sd(100 * way[k], 0), "–", "–") for k, name in enumerate(pushes)]
    rows += [(name, "–", mean_sd(100 * halts[k, :, 2], 0), mean_sd(1e3 * halts[k, :, 0], 2), mean_sd(np.rad2deg(halts[k, :, 1]), 1))
             for k, name in enumerate(slopes)]  # fmt: skip
    return Finding(
        "Pushes and slopes",
        "Not in the paper.",
        ("insect", "crossed (%)", "way made, of the commanded (%)", "drift while told to stand (mm)", "error of a turn of 90° (°)"),
        tuple(rows),
        _claims(way, halts),
        (Bars("way made", "of the commanded (%)", tuple(pushes), {"mean": 100 * way.mean(axis=1)}),
         Bars("way made after stopping and turning", "of the commanded (%)", tuple(slopes), {"mean": 100 * halts[:, :, 2].mean(axis=1)})),
        {"pushed": float((way[1] >= CROSSED).mean()), "drift": float(halts[:2, :, 0].max()), "turn": float(halts[:2, :, 1].max())},
        f"{len(seeds)} grounds and starts each, by the parameters of the scenario hexapod_terrain, hills of 1.2 cm. A push is a horizontal "
        f"force on the trunk of {PUSH:g} of the weight to any side for {LASTS:g} s, one every {EVERY:g} s on average, in a walk of "
        f"{WALK:g} s at {100 * SPEED:g} cm/s; crossed: {CROSSED:.0%} of that way. On the slope the insect walks up or down for 2 s, stands "
        f"for {STOP:g} s, turns by 90° and goes on across the slope for {ON:g} s.",
    )  # fmt: skip


def _claims(way: Array, halts: Array) -> dict[str, bool]:
    """What holds of ways under pushes (case, run), and of drift, turn and way on slopes (case, run, 3)."""
    return {
        "pushed, at least 90 % cross": bool((way[1] >= CROSSED).mean() >= 0.9),
        "on a slope of 20° who is told to stop drifts by less than 2 mm in 3 s": bool(halts[:2, :, 0].max() < 2e-3),
        "turns there by 90° are right within 5°": bool(halts[:2, :, 1].max() < np.deg2rad(5.0)),
        "and then it goes on: at least half of the commanded way": bool(halts[:2, :, 2].min() > 0.5),
    }
