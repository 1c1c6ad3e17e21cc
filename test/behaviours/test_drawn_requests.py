"""Nothing changes unnoticed what behaviours ask for, in drawn swarms of mixed robots among drawn walls, with drawn parameters.

``drawn_requests.json`` keeps what requests come to; where a change is meant,
``PYTHONPATH=test/support python test/behaviours/test_drawn_requests.py`` writes it anew. Draws that magnify a tiny change are left out.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from kept_numbers import short, write
from swarms import see

from swarm_control.behaviours import BEHAVIOURS
from swarm_control.core.fields import make_map
from swarm_control.core.geometry import unit
from swarm_control.core.grid import Grid
from swarm_control.core.motion import Motion, gains, leads
from swarm_control.core.parameters import specs
from swarm_control.core.state import Fleet, Surroundings, SwarmState

FILE = Path(__file__).with_name("drawn_requests.json")
KNOWN = json.loads(FILE.read_text(encoding="utf-8"))
DRAWS, N, SIDE = 14, 60, 5.0
NUDGE, MAGNIFIED = 1e-13, 1e-9
ASKED = [name for name in BEHAVIOURS if name != "social"]
"""Forces of laws have tests of their own: without laws there are none."""


def walls(rng):
    """A room with boxes in it."""
    occupied = np.zeros((70, 70), bool)
    occupied[[0, -1]] = occupied[:, [0, -1]] = True
    for low, size in zip(rng.integers(5, 55, (6, 2)), rng.integers(2, 9, (6, 2))):
        occupied[low[0] : low[0] + size[0], low[1] : low[1] + size[1]] = True
    return make_map(Grid(occupied, (-1.0, -1.0), 0.1))


def drawn_params(kind, rng):
    """A behaviour's parameters, numbers with bounds drawn around their defaults."""
    params = {}
    for spec in specs(kind):
        if spec.type is float and spec.name != "weight":
            params[spec.name] = float(np.clip((spec.default or rng.uniform(0.0, 1.0)) * rng.uniform(0.5, 1.6), spec.low, spec.high))
    return replace(kind(), weight=rng.uniform(0.5, 2.0), **params)


def scene(draw, nudge=0.0):
    """A swarm, whom everybody perceives, and what else is known; the same but for a ``nudge`` of all places (m)."""
    rng = np.random.default_rng([11, draw])
    kinds = ("omni", "differential", "car", "point_mass")
    models = tuple(kinds[k] for k in rng.integers(0, 4, N)) if draw % 2 else (kinds[draw // 2 % 4],) * N
    low, high = np.array([[0.04, 0.2, 0.5, 1.0, 0.05], [0.12, 1.5, 5.0, 6.0, 0.1]])
    fleet = Fleet(tuple(f"robot_{k}" for k in range(N)), models, *rng.uniform(low, high, (N, 5)).T)
    motion = Motion()
    pose = np.column_stack((rng.uniform(0.0, SIDE, (N, 2)), rng.uniform(-np.pi, np.pi, N)))
    velocity = rng.normal(0.0, 0.4, (N, 3))
    goal = rng.uniform(-0.5, SIDE + 0.5, (N, 2))
    goal[: N // 2] = pose[: N // 2, :2] + rng.normal(0.0, 0.3, (N // 2, 2))
    goal[::9] = np.nan
    lag = rng.choice(4, N, p=(0.7, 0.1, 0.1, 0.1)) if draw % 3 == 2 else None
    map = walls(rng) if draw % 4 > 1 else None
    state = SwarmState.of(rng.uniform(0.0, 30.0), pose + nudge * np.column_stack((rng.uniform(-1.0, 1.0, (N, 2)), np.zeros(N))), velocity)
    seen = see(state, draw, radius=1.2)
    around = Surroundings(
        fleet, goal, np.full(2, 3.5 if draw % 3 else np.nan), map, lag=lag, lead=leads(fleet, motion), limited=draw == 5, gain=1.7,
        gains=lambda: gains(fleet, motion, 0.05),
        route=None if map is None else lambda poses, goals, room: unit(goals - poses[:, :2] + room[:, None]),
    )  # fmt: skip
    return state, seen, around


def asked(name, draw, nudge=0.0):
    """What requests of a behaviour come to: sums in which each robot has another weight, of the first requests and of their sizes."""
    behaviour, rng = BEHAVIOURS[name], np.random.default_rng([12, draw])
    wish = behaviour.request(*scene(draw, nudge), drawn_params(behaviour.params, rng))
    weight = np.cos(np.arange(N))
    return [*(weight @ wish), *(weight @ np.abs(wish)), *np.abs(wish[::15]).ravel(), float((wish != 0.0).sum())]


@pytest.mark.parametrize("case", KNOWN)
def test_a_behaviour_asks_for_what_it_did(case):
    name, draw = case.split()
    assert asked(name, int(draw)) == pytest.approx(KNOWN[case], rel=1e-8, abs=1e-9)


def worth(name, draw):
    """Whether anything is asked for, and a tiny change of the swarm is not magnified."""
    found = asked(name, draw)
    return any(found) and asked(name, draw, NUDGE) == pytest.approx(found, rel=MAGNIFIED, abs=MAGNIFIED)


if __name__ == "__main__":
    write(FILE, {f"{name} {draw}": short(asked(name, draw)) for name in ASKED for draw in range(DRAWS) if worth(name, draw)})
