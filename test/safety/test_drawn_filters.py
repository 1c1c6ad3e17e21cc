"""Nothing changes unnoticed what the filters make of what robots wish, in drawn swarms in the open and among walls.

``drawn_filters.json`` keeps what it comes to; where a change is meant,
``PYTHONPATH=test/support python test/safety/test_drawn_filters.py`` writes it anew, without the draws that magnify a tiny change.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from kept_numbers import short, sums, write
from test_filters import PERIOD, swarm, walls

import swarm_control.robots  # noqa: F401 - registers the models
from swarm_control.core.perception import look
from swarm_control.core.state import SwarmState
from swarm_control.safety.filters import stoppable
from swarm_control.safety.separation_filter import SeparationFilter, keep_apart

FILE = Path(__file__).with_name("drawn_filters.json")
KNOWN = json.loads(FILE.read_text(encoding="utf-8"))
DRAWS, N = 80, 30
NUDGE, MAGNIFIED = 1e-13, 1e-9
CLOSE = 1e-5
"""Clearances of maps have single precision."""

MODELS = ("omni",), ("differential",), ("car",), ("point_mass",), ("differential", "car"), ("omni", "differential", "point_mass")
OFF = {"margin": 0.02, "latency": 0.1, "noise": 0.01, "noise_velocity": 0.05, "noise_heading": 3.0, "braking": 0.5}


def drawn_params(rng):
    """Parameters of the filter, some of them changed."""
    return SeparationFilter(enabled=True, **{name: value * rng.uniform(0.3, 1.3) for name, value in OFF.items() if rng.random() < 0.35})


def filtered(draw, nudge=0.0):
    """Sums of twists and accelerations that the filters leave, in which each robot has another weight, and of whom they change."""
    rng = np.random.default_rng([71, draw])
    room = rng.uniform(0.8, 4.0)
    fleet, state, wish = swarm(draw, N, MODELS[draw % len(MODELS)], room)
    if draw % 3:
        wish[:, 0] = np.abs(wish[:, 0]) + 0.1
    state.pose[1, :2] += 0.1  # who stand on one spot are parted in any direction
    pose = state.pose + nudge * np.column_stack((rng.uniform(-1.0, 1.0, (N, 2)), np.zeros(N)))
    state, params, map = SwarmState.of(0.0, pose, state.velocity, state.valid), drawn_params(rng), None if draw % 2 else walls(draw, room)
    time, aside = PERIOD * rng.uniform(1.0, 3.0, N), wish * rng.choice([0.5, 1.0], (N, 1))
    made, changed = stoppable(state, wish, aside, fleet, map, params, time)
    desired, bodies = rng.uniform(-1.0, 1.0, (N, 2)), (fleet.radius, fleet.max_acceleration)
    apart, kept = keep_apart(desired, state.velocity, state.pose, look(state, 2.0), *bodies, map, params, time, state.valid)
    return sums([*made.T, changed, apart, kept])


@pytest.mark.parametrize("draw", KNOWN)
def test_the_filters_leave_what_they_did(draw):
    assert filtered(int(draw)) == pytest.approx(KNOWN[draw], rel=CLOSE, abs=CLOSE)


def steady(draw):
    """Whether a tiny change of where robots are is not magnified."""
    return filtered(draw, NUDGE) == pytest.approx(filtered(draw), rel=MAGNIFIED, abs=MAGNIFIED)


if __name__ == "__main__":
    write(FILE, {str(draw): short(filtered(draw)) for draw in range(DRAWS) if steady(draw)})
