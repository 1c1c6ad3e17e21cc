"""Nothing changes what a run does unnoticed: short runs that together use every part of the simulation end as they did before.

What they end with is in ``reference_runs.json``: poses, velocities and metrics, of robots, groups and objects, and what MuJoCo's models
are. It says nothing about whether that is right, which other tests do. Where a change of results is meant, look at what the failing tests
list; then ``python test/e2e/test_reference_runs.py`` writes the file anew, and the commit says why. With ``--check`` it tells how far tiny
changes of the starts, such as another processor's rounding, change the results: where by more than a tenth of the tolerance, a run is too
long.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from swarm_control.analysis.simulation import Simulation

FILE = Path(__file__).with_name("reference_runs.json")
CLOSE, CLOSE_DYNAMIC = 1e-6, 1e-4
"""Relative tolerance of kinematic runs and of those in MuJoCo."""

NOT_COMPARED = ("wall_time", "real_time_factor", "scenario")
MODEL = (
    "body_pos", "body_quat", "body_mass", "body_ipos", "body_inertia", "geom_pos", "geom_quat", "geom_size", "geom_rgba", "geom_friction",
    "geom_solref", "geom_solimp", "jnt_pos", "jnt_axis", "jnt_range", "jnt_stiffness", "qpos0", "qpos_spring", "dof_damping",
    "dof_armature", "eq_data", "eq_solref", "site_pos", "actuator_gainprm", "actuator_biasprm", "actuator_ctrlrange", "hfield_data",
)  # fmt: skip
"""Fields of a model in MuJoCo, of each of which a weighted sum is stored."""

ALL_ROBOTS = 8
"""Larger swarms are stored by mean, spread and every so many robots."""

MODELS = {
    "omni": {}, "car": {"robots.0.model": "car", "robots.0.max_turn_rate": 3.0},
    "differential": {"robots.0.model": "differential", "motion.look_ahead": 0.05},
}  # fmt: skip
RUNS: dict[str, tuple] = {}
"""Name → scenario, how long (s), and what is changed."""


def runs(scenario, duration, **variants):
    """Runs of a scenario: as it is, or in ``variants``."""
    for name, changes in (variants or {"": {}}).items():
        RUNS[f"{scenario}-{name}" if name else scenario] = scenario, duration, changes


LATE = {
    "simulator.delay": 0.12, "simulator.loss": 0.1, "simulator.asynchronous": 1.0, "simulator.noise_position": 0.005,
    "simulator.noise_heading": 1.0, "simulator.noise_velocity": 0.01, "simulator.noise_speed": 0.02, "simulator.noise_turn": 0.02,
}  # fmt: skip
SENSES = {
    "perception.field_of_view": 270.0, "perception.occlusion": True, "perception.delay": 0.1, "perception.loss": 0.1,
    "perception.noise_position": 0.01, "perception.noise_velocity": 0.02,
}  # fmt: skip
FENCE = {"safety.fence": [-4.4, -4.4, -2.6, -4.4, -2.6, -2.9, -3.2, -2.4, -4.4, -2.6], "safety.speed_cap": 0.4}
TABLE = [
    {"acts_on": "guards", "of": "castle", "spring": 2.0, "length": 2.5, "turn": 40.0},
    {"of": "guards", "terms": [-0.3, 2.0, 0.01, 0.5], "near": 0.3, "far": 4.0},
    {"acts_on": "guards", "of": "invader", "equilibrium": 1.0, "repulsion": 2.5, "attraction": 1.5, "turn": -20.0},
]  # fmt: skip

runs("flock_frame", 6.0, **MODELS, velocity={"motion.mode": "velocity", "accumulation.method": "weighted"},
     step={"motion.mode": "step", "accumulation.method": "greatest", "separation.law": "linear"},
     free={"world": None, "separation.law": "unit", "motion.heading_gain": 0.0}, late=LATE)  # fmt: skip
runs("flock_walls", 6.0, **MODELS, senses=SENSES, field={"potential_field.weight": 1.0, "steer_to_avoid.weight": 0.0}, fenced=FENCE,
     late={**MODELS["differential"], **LATE})  # fmt: skip
runs("flock_mixed", 8.0, **MODELS, wide={"robots.0.radius": 0.15, "separation.distance": 0.8})
runs("scale", 3.0, many={"robots": 100}, placed={"robots": 30, "robots.0.start.pattern": "hexagonal", "world": None})
runs("migrate_boxes", 12.0, **MODELS, apart={"leaders.method": "hull", "leaders.everywhere": False, "perception.radius": 0.7})
runs("migrate_mixed", 20.0, near={"goals.0.position": [-1.0, -1.0]}, each={
    "robots": 3, "goals": [{"each": [-2.0, -3.0, -3.0, -1.5, -1.0, -3.6]}], "arrival.weight": 1.0})  # fmt: skip
runs("maze_hard", 20.0, omni={}, differential={**MODELS["differential"], "robots": 4}, seek={"seek.weight": 0.3, "guidance.weight": 0.0})
runs("multi_goal", 20.0, near={"goals": [{"position": [-2.8, -2.8], "fraction": 0.5}, {"position": [-3.8, -2.0]}]})
for scene in ("antipodal", "crossing", "corridor", "doorway"):
    runs(f"traffic_{scene}", 10.0, **{name: {"robots": 10, **changes} for name, changes in MODELS.items()})
runs("traffic_doorway", 8.0, late={"robots": 8, **LATE}, fenced={"robots": 8, "safety.fence": [-2, -4, 2, -4, 2, 4, -2, 4]})
runs("flocks_cross", 7.0)
runs("formation_beside_flock", 4.0)
runs("formation_box", 6.0)
runs("formation_circle", 6.0, naive={"formation.displace.method": "naive"}, omni={"robots.0.model": "omni"})
runs("formation_docking", 4.0, early={"phases.0.start": 1.0})
runs("formation_docking", 2.0, slow={"phases.0.start": 0.5, "formation.morph_time": 3.0})
runs("formation_failure", 8.0, early={"simulator.failures.0.start": 2.0, "simulator.failures.0.end": 5.0},
     dropped={"simulator.failures.0.start": 2.0, "formation.health.drop_after": 1.0})  # fmt: skip
runs("formation_field", 8.0)
runs("formation_gap", 25.0)
runs("formation_maze", 20.0)
runs("formation_merge", 9.0, early={"phases.0.start": 4.0, "phases.1.start": 7.0})
runs("formation_obstacles", 6.0)
runs("formation_rotate", 6.0, huber={"formation.fit.norm": "huber"},
     onboard={"simulator.onboard": True, "simulator.agree": False, "simulator.loss": 0.2},
     led={"formation.fit.norm": "l1", "formation.leader": "robot_0", "formation.pivot": [0.3, 0.1]})  # fmt: skip
runs("formation_trajectory", 6.0, patient={"formation.drive.patience": 0.05, "formation.face_ahead": True})
runs("formation_translate", 6.0, driven={"goals": [], "formation.velocity": [0.1, 0.02, 0.2]},
     line={"formation.shape": "line"}, diamond={"formation.shape": "diamond", "robots.0.model": "omni"})  # fmt: skip
for social in ("bypass_walls", "cluster", "cluster_shape", "demine", "escort", "guard_castle", "harvest_line", "reorganise"):
    runs(social, 4.0)
runs("guard_castle", 4.0, table={"social.laws": TABLE, "phases": []}, perceived={"social.feels": "perceived", "perception.radius": 3.0},
     tree={"social.summation": "tree", "social.threshold": 0.2})  # fmt: skip
runs("reorganise", 6.0, early={"phases.1.start": 2.0, "phases.2.start": 4.0})
runs("demine", 12.0, near={"robots.0.start.center": [-4.0, -4.0], "events.0.time": 1.0})
runs("herd_points_turn", 3.0, early={"robots": 30, "phases.0.start": 0.5, "phases.1.start": 1.5})
runs("herd_points_obstacle", 4.0, near={"robots": 30, "robots.0.start.center": [18.0, 1.0]})
for herd in ("herd_bicycles_turn", "herd_bicycles_obstacle", "herd_crossing"):
    runs(herd, 0.8, few={"robots.0.count": 4})
runs("herd_hoppers_turn", 1.6, few={"robots.0.count": 4, "grouping.heading": 40.0})
runs("herd_mixed", 0.6, few={"robots.0.count": 3, "robots.1.count": 2, "robots.2.count": 3})
runs("hexapod_flock", 0.6, few={"robots": 2})
runs("hexapod_terrain", 0.6)


def numbers(value, path=""):
    """Every number in a summary, with its path."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        if key not in NOT_COMPARED:
            yield from numbers(item, f"{path}.{key}" if path else str(key))
    if isinstance(value, (int, float)):
        yield path, float(value)


def rows(name, array):
    """The robots' poses or velocities, headings as unit vectors; of many robots those of some, and what they have in common."""
    if name != "velocity":
        array = np.column_stack((array[:, :2], np.cos(array[:, 2]), np.sin(array[:, 2])))
    if len(array) > ALL_ROBOTS:
        array = np.vstack((array.mean(axis=0), array.std(axis=0), array[:: len(array) // ALL_ROBOTS + 1]))
    return {f"{name}.{k}.{column}": float(value) for (k, column), value in np.ndenumerate(array)}


def simulated(name, nudge=0.0):
    """What a run ends with; ``nudge`` (m) moves its robots at the start."""
    scenario, duration, changes = RUNS[name]
    simulation = Simulation(scenario, duration=duration, set=changes)
    if nudge:
        simulation.plant.truth.pose[:] += nudge * np.random.default_rng(0).uniform(-1.0, 1.0, simulation.plant.truth.pose.shape)
    simulation.run()
    found = {**rows("pose", simulation.state.pose), **rows("velocity", simulation.state.velocity), **dict(numbers(simulation.metrics()))}
    found |= {"interventions": float(simulation.interventions), "fenced": float(simulation.fenced)}
    if simulation._objects is not None:
        found |= rows("objects", simulation._objects)
    model = getattr(simulation.plant.engine, "model", None)
    for field in MODEL if model is not None else ():
        values = getattr(model, field).ravel().astype(float)
        found[f"model.{field}"] = float(values @ np.cos(np.arange(len(values))))
    return {key: value for key, value in found.items() if np.isfinite(value)}


def tolerance(name, value):
    dynamic = RUNS[name][0].startswith(("hexapod", "herd")) and "points" not in name
    return (CLOSE_DYNAMIC if dynamic else CLOSE) * max(abs(value), 0.01) + 1e-9


@pytest.mark.parametrize("name", RUNS)
def test_a_run_ends_as_it_did(name):
    known, found = json.loads(FILE.read_text(encoding="utf-8"))[name], simulated(name)
    off = [f"{key}: {known.get(key)} was, {found.get(key)} is" for key in sorted({*known, *found})
           if key not in known or key not in found or abs(found[key] - known[key]) > tolerance(name, known[key])]  # fmt: skip
    assert not off, "\n".join(("", *off))


def main():
    if "--check" in sys.argv:
        for name in RUNS:
            one, other = simulated(name), simulated(name, 1e-13)
            worst = max(abs(one[key] - other.get(key, np.inf)) / tolerance(name, one[key]) for key in one)
            print(f"{name}: {worst:.2g} of the tolerance{' TOO LONG' if worst > 0.1 else ''}", flush=True)
        return
    made = {name: {key: float(f"{value:.11g}") for key, value in simulated(name).items()} for name in RUNS}
    FILE.write_text("{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(run)}" for name, run in made.items()) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
