"""Nothing changes unnoticed how robot models answer requests and targets, what they predict, and what their limits make of twists.

Every model's functions are called with drawn numbers. ``drawn_models.json`` keeps what they come to; where a change is meant,
``PYTHONPATH=test/support python test/robots/test_drawn_models.py`` writes it anew.
"""

import json
from dataclasses import is_dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from kept_numbers import short, write
from test_drawn_controls import drawn_params

from swarm_control.core.actuation import actuate
from swarm_control.core.motion import Motion, gains, leads, response
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.robots import ROBOTS

FILE = Path(__file__).with_name("drawn_models.json")
KNOWN = json.loads(FILE.read_text(encoding="utf-8"))
N, SEEDS = 90, 3
MODELS = "omni", "differential", "car", "bicycle", "hexapod", "hopper", "point_mass"


def drawn(name, seed):
    """A fleet of one model, parameters of motion, a state in which some stand, some do not turn, and a period (s)."""
    rng = np.random.default_rng([21, seed, len(name)])
    low, high = np.array([[0.03, 0.2, 0.5, 0.6, 0.05], [0.2, 2.0, 6.0, 6.0, 0.3]])
    fleet = Fleet(tuple(f"robot_{k}" for k in range(N)), (name,) * N, *rng.uniform(low, high, (N, 5)).T)
    motion = drawn_params(Motion(), rng)
    groups = {group: value for group, value in vars(motion).items() if is_dataclass(value)}
    motion = replace(motion, **{group: drawn_params(value, rng) for group, value in groups.items()})
    pose = np.column_stack((rng.normal(0.0, 2.0, (N, 2)), rng.uniform(-np.pi, np.pi, N)))
    velocity = rng.normal(0.0, (0.5, 0.5, 1.0), (N, 3))
    velocity[:10], velocity[10:20, 2], velocity[20:30, 2] = 0.0, 0.0, 1e-7
    return rng, fleet, motion, SwarmState.of(0.0, pose, velocity), rng.uniform(0.02, 0.15)


def answers(name, seed):
    """What requests and twists become, by robot: columns."""
    rng, fleet, motion, state, period = drawn(name, seed)
    model = ROBOTS[name]
    desired = rng.normal(0.0, 0.8, (N, 2)) * (rng.random((N, 1)) < 0.9)
    desired[5:9] *= 1e-8
    point, moving = model.control_point(state.pose, state.velocity, motion, period)
    twist = model.twist(desired, state.pose, fleet, motion, period)
    columns = [point, moving, twist, model.predict(state.pose, twist, period), model.predict(state.pose, state.velocity, 1.3)]
    if model.actuate is not None:
        told = rng.normal(0.0, 1.2, (N, 3))
        told[::9, 0] = np.nan
        columns += [*actuate(state, told, fleet, period), *actuate(state, twist, fleet, 0.4)]
    lead = leads(fleet, motion)
    columns += [np.nan_to_num(gains(fleet, motion, period), nan=-1.0), response(fleet, motion, period)[:, None]]
    return np.hstack(columns if lead is None else [*columns, lead])


def limits(name, seed):
    """What single robots make of targets, and of twists beyond what they can; rows."""
    rng, fleet, _, state, period = drawn(name, seed)
    model, rows = ROBOTS[name], []
    for k in range(N):
        top, rate, base = fleet.max_speed[k], fleet.max_turn_rate[k], fleet.wheel_base[k]
        near = 10.0 ** rng.uniform(-4.0, 0.0)
        dx, dy = near * rng.normal(size=2) * [1.0, float(k % 11 > 0)]
        now = (*(state.velocity[k] * [1.0, float(not model.rolls), 1.0]), top, fleet.max_acceleration[k] * period, rate, 0.5 * base)
        rows.append([*model.steer(dx, dy, *now, period)])
        if model.naive_steer is not None:
            rows[-1] += model.naive_steer(dx, dy, *now, period, 0.2)
        if model.stopping is not None:
            told = rng.normal(0.0, 1.5, 3)
            rows[-1] += [*model.stopping.limit(*told, top, rate, base), model.stopping.top_rate(told[0], top, rate, base)]
    return np.array(rows, float)


ASKED = {"answers": answers, "limits": limits}


def found(case):
    """Sums over the robots of each column, in which each robot has another weight."""
    what, name, seed = case.split()
    table = ASKED[what](name, int(seed))
    return [*(np.cos(np.arange(len(table))) @ table), *(np.sin(np.arange(len(table))) @ np.abs(table))]


@pytest.mark.parametrize("case", KNOWN)
def test_a_robot_model_answers_as_it_did(case):
    assert found(case) == pytest.approx(KNOWN[case], rel=1e-8, abs=1e-9)


if __name__ == "__main__":
    cases = [f"{what} {name} {seed}" for what in ASKED for name in MODELS for seed in range(SEEDS)]
    write(FILE, {case: short(map(float, found(case))) for case in cases})
