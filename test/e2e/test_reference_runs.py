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
from kept_runs import RUNS

from swarm_control.analysis.simulation import Simulation

FILE = Path(__file__).with_name("reference_runs.json")
CLOSE, CLOSE_DYNAMIC = 1e-6, 1e-4
"""Relative tolerance of kinematic runs and of those in MuJoCo."""

NOT_COMPARED = ("wall_time", "real_time_factor", "scenario")
MODEL = (
    "body_pos", "body_quat", "body_mass", "body_ipos", "body_inertia", "geom_pos", "geom_quat", "geom_size", "geom_rgba", "geom_friction",
    "geom_solref", "geom_solimp", "jnt_pos", "jnt_axis", "jnt_range", "jnt_stiffness", "qpos0", "qpos_spring", "dof_damping",
    "dof_armature", "eq_data", "eq_solref", "site_pos", "actuator_gainprm", "actuator_biasprm", "actuator_ctrlrange", "hfield_data",
    "actuator_gear", "mesh_vert", "mesh_face", "mat_rgba", "light_pos", "light_dir", "geom_solmix", "dof_solref", "eq_solimp", "site_size",
    "site_quat",
)  # fmt: skip
"""Fields of a model in MuJoCo, of each of which a weighted sum is stored."""

ALL_ROBOTS = 8
"""Larger swarms are stored by mean, spread and every so many robots."""


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
