"""Draw short runs at random: a scenario, its robots and any of the parameters that change what robots do.

A draw is what ``Simulation`` takes: (scenario, duration, changes). Draws that the scenario's checks refuse are mended by leaving out what
they name, so that every draw runs.
"""

import random

from swarm_control.analysis.simulation import Simulation
from swarm_control.errors import InputError
from swarm_control.scenario.loader import load
from swarm_control.scenario.tree import flatten

FLOCKS = (
    "flock_frame", "flock_walls", "flock_mixed", "flocks_cross", "migrate_boxes", "migrate_mixed", "multi_goal", "traffic_antipodal",
    "traffic_crossing", "traffic_corridor", "traffic_doorway",
)  # fmt: skip
SOCIAL = ("bypass_walls", "cluster", "demine", "escort", "guard_castle", "harvest_line", "reorganise")
FORMATIONS = (
    "formation_circle", "formation_rotate", "formation_translate", "formation_field", "formation_merge", "formation_docking",
    "formation_obstacles", "formation_failure", "formation_beside_flock",
)  # fmt: skip
HERDS = ("herd_points_turn", "herd_points_obstacle", "herd_bicycles_turn", "herd_crossing")
KINDS = (FLOCKS, 0.5, 2.0), (FORMATIONS, 0.25, 1.5), (SOCIAL, 0.15, 2.0), (HERDS, 0.1, 0.5)
"""Scenarios, how often they are drawn, and for how long (s) they run."""

PLACES = {
    "omni": {}, "differential": {"robots.0.model": "differential"}, "car": {"robots.0.model": "car", "robots.0.max_turn_rate": 3.0},
}  # fmt: skip
SPOILT = {
    "delay": 0.2, "loss": 0.3, "asynchronous": 1.0, "noise_position": 0.01, "noise_heading": 2.0, "noise_velocity": 0.02,
    "noise_speed": 0.05, "noise_turn": 0.05,
}  # fmt: skip
NEAR = {"m": 0.3, "s": 0.3, "deg": 20.0, "m/s": 0.3}
"""Up to what numbers are drawn that are zero by default, by their unit; others up to 1."""

FIXED = ("period", "motion.hopper", "safety.start_timeout", "safety.watchdog", "social.springs", "formation.displace.starts")
WHOLE = "perception.field_of_view"
SHARE, WEIGHT = 0.12, 0.25
"""How often a parameter is changed, and a behaviour's weight."""


def drawn_value(draw, name, spec, value):
    """Another value of a parameter; None: it is left as it is."""
    if spec.type is bool:
        return not value
    if spec.choices and spec.type is str:
        return draw.choice(spec.choices)
    if name == WHOLE:
        return draw.uniform(90.0, 350.0)
    if spec.type is int:
        return int(min(max(round(value * draw.uniform(0.5, 1.5)) + draw.randint(0, 3), spec.low), spec.high))
    if spec.type is not float:
        return None
    number = value * 2.0 ** draw.uniform(-1.0, 1.0) if value else draw.uniform(0.05, 1.0) * NEAR.get(spec.unit, 1.0)
    return float(f"{min(max(number, spec.low), spec.high):.3g}")


def changes_of(draw, scenario):
    """What is changed of a scenario."""
    found = {}
    for name, spec, value in flatten(load(scenario).scenario.control):
        share = WEIGHT if name.endswith(".weight") else SHARE
        if draw.random() < share and not name.startswith(FIXED):
            other = drawn_value(draw, name, spec, value)
            found |= {} if other is None else {name: other}
    if not scenario.startswith("herd"):
        found |= PLACES[draw.choice(list(PLACES))]
    if scenario in FLOCKS and scenario != "flocks_cross":
        found |= {"robots": draw.randint(3, 9), "robots.0.radius": round(draw.uniform(0.04, 0.15), 3)}
    found |= {f"simulator.{name}": round(draw.uniform(0.1, 1.0) * most, 4) for name, most in SPOILT.items() if draw.random() < SHARE}
    if draw.random() < SHARE:
        found["safety.fence"] = [-4.5, -4.5, 4.5, -4.5, 4.5, 4.5, -4.5, 4.5]
    if scenario in FLOCKS and draw.random() < 0.5:
        found["robots.0.start.center"] = [round(draw.uniform(-4.0, 4.0), 2) for _ in range(2)]
        found["robots.0.start.heading"] = draw.randint(-180, 180)
    return found


def draw_run(seed):
    """A run, by a seed; None: what it draws cannot be mended."""
    draw = random.Random(seed)
    names, _, duration = draw.choices(KINDS, [kind[1] for kind in KINDS])[0]
    scenario = draw.choice(names)
    changes = changes_of(draw, scenario)
    while changes:
        try:
            Simulation(scenario, duration=duration, seed=seed, set=changes)
        except InputError as error:
            named = [name for name in changes if name.removeprefix("robots.0.") in str(error)] or list(changes)[-1:]
            del changes[named[-1]]
        else:
            return scenario, duration, {**changes, "seed": seed}
    return None
