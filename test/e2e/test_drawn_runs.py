"""Nothing changes unnoticed what robots do with any parameters: short runs with drawn ones end as they did before.

Beside ``test_reference_runs.py``, whose runs are chosen: here any parameter has any value, and many have an odd one at once
(``drawn_runs.py``). ``drawn_runs.json`` keeps what is drawn and what it comes to. Where a change of results is meant,
``PYTHONPATH=test/support python test/e2e/test_drawn_runs.py`` runs the same draws again and writes the file anew; with ``--seeds N``
it makes N draws anew, and keeps those that do not magnify a tiny change of their start.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from drawn_runs import draw_run
from kept_numbers import short, write

from swarm_control.analysis.simulation import Simulation

FILE = Path(__file__).with_name("drawn_runs.json")
DRAWN = json.loads(FILE.read_text(encoding="utf-8"))
CLOSE = 1e-6
NUDGE, MAGNIFIED = 1e-13, 0.1
"""A tiny change (m) of where robots start, and how much of the tolerance it may come to."""


def ended(scenario, duration, changes, nudge=0.0):
    """What a run comes to: sums of poses and velocities in which each robot has another weight, and how often it was held back."""
    simulation = Simulation(scenario, duration=duration, set=changes)
    pose = simulation.plant.truth.pose
    pose[:] += nudge * np.random.default_rng(0).uniform(-1.0, 1.0, pose.shape)
    simulation.run()
    pose, velocity = simulation.state.pose, simulation.state.velocity
    columns = np.column_stack((pose[:, :2], np.cos(pose[:, 2]), np.sin(pose[:, 2]), velocity))
    sums = np.cos(np.arange(len(pose))) @ columns
    return [*map(float, sums), float(simulation.interventions), float(simulation.fenced), float(simulation.plant.engine.collisions.sum())]


def off(known, found):
    """How far results are from those that are known, in tolerances; (K,)."""
    return np.abs(np.subtract(found, known)) / (CLOSE * np.maximum(np.abs(known), 0.01) + 1e-9)


@pytest.mark.parametrize("seed", DRAWN)
def test_a_drawn_run_ends_as_it_did(seed):
    drawn = DRAWN[seed]
    found = ended(drawn["scenario"], drawn["duration"], drawn["changes"])
    assert (off(drawn["end"], found) < 1.0).all(), f"{drawn['end']} was, {found} is"


def steady(run):
    """Whether a tiny change of the start does not change what the run comes to."""
    return bool((off(ended(*run), ended(*run, NUDGE)) < MAGNIFIED).all())


def main():
    if "--seeds" in sys.argv:
        drawn = {str(seed): draw_run(seed) for seed in range(int(sys.argv[-1]))}
        runs = {seed: run for seed, run in drawn.items() if run is not None and steady(run)}
    else:
        runs = {seed: (one["scenario"], one["duration"], one["changes"]) for seed, one in DRAWN.items()}
    kept = {
        seed: {"scenario": scenario, "duration": duration, "changes": changes, "end": short(ended(scenario, duration, changes))}
        for seed, (scenario, duration, changes) in runs.items()
    }
    write(FILE, kept)


if __name__ == "__main__":
    main()
