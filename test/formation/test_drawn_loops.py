"""Nothing changes unnoticed how formations are held: drawn ones in closed loop end as they did.

Shapes, robots, orders, parameters, noise, delay and loss are drawn. ``drawn_loops.json`` keeps what the loops come to; where a change is
meant, ``PYTHONPATH=test/support python test/formation/test_drawn_loops.py`` writes it anew, without the draws that magnify a tiny change.
"""

import json
from dataclasses import fields, is_dataclass, replace
from pathlib import Path as File

import numpy as np
import pytest
from closed_loop import Loop
from kept_numbers import short, write

import swarm_control.robots  # noqa: F401 - registers the models
from swarm_control.core.geometry import rotate
from swarm_control.core.state import Fleet
from swarm_control.formation.drive import Field, Path, ToPose, Velocity, turning
from swarm_control.formation.memory import StructureParameters
from swarm_control.formation.shapes import shape
from swarm_control.formation.structure import Structure, place
from swarm_control.formation.timetable import Timetable
from swarm_control.formation.way import PlannedWay

FILE = File(__file__).with_name("drawn_loops.json")
KNOWN = json.loads(FILE.read_text(encoding="utf-8"))
DRAWS, DURATION = 240, 2.4
NUDGE, MAGNIFIED = 1e-13, 1e-9
SMALL = {"noise": 0.01, "patience": 0.05, "drop_after": 0.6}
"""What is off by default, and how much it may be."""


def drawn_params(params, rng):
    """The parameters, a third of the numbers changed."""
    changed = {}
    for field in fields(params):
        value = getattr(params, field.name)
        if is_dataclass(value):
            changed[field.name] = drawn_params(value, rng)
        elif field.metadata.get("choices") or field.name == "norm":
            changed[field.name] = str(rng.choice(("squared", "l1", "huber"))) if field.name == "norm" else value
        elif isinstance(value, float) and rng.random() < 0.35:
            changed[field.name] = value * rng.uniform(0.5, 1.6) + rng.uniform(0.0, SMALL.get(field.name, 0.0))
    return replace(params, **changed)


def drawn_order(rng, structure):
    """Where a structure is to go."""
    pose = structure.pose
    kind, near = rng.integers(6), rng.normal(0.0, 0.4, 3) * rng.choice((0.02, 1.0))
    if kind == 0:
        return ToPose(pose + near)
    if kind == 1:
        pivot, held = (pose[:2] + rng.normal(0.0, 0.5, 2) if rng.random() < 0.5 else None), (pose[2] if rng.random() < 0.5 else None)
        return Velocity(rng.normal(0.0, 0.2, 3), bool(rng.integers(2)), pivot, held, pose[:2] if rng.random() < 0.2 else None)
    if kind == 2:
        return turning(pose, pose[:2] + rng.normal(0.0, 0.4, 2), rng.uniform(-1.0, 1.0), rng.uniform(1.5, 4.0))
    if kind == 3:
        middle = pose[:2] + rng.normal(0.0, 1.0, 2)
        return Field(lambda world: 0.2 * (middle - world) + 0.1 * np.sin(world[:, ::-1]), rng.uniform(0.5, 1.5))
    times = np.cumsum(rng.uniform(0.3, 1.0, 5))
    if kind == 4:
        drift = np.cumsum(rng.normal(0.0, 0.1, (5, 1, 2)) + rng.normal(0.0, 0.02, (5, len(structure), 2)), axis=0)
        return PlannedWay(Timetable(times - times[0], structure.world + drift - drift[0]), structure.names, structure.points)
    return Path(times - times[0], pose + np.cumsum(rng.normal(0.0, 0.1, (5, 3)), axis=0), bool(rng.integers(2)))


def ended(draw, nudge=0.0):
    """What a loop comes to: sums of its robots' poses on the way, in which each has another weight, and the structure's poses."""
    rng = np.random.default_rng([31, draw])
    count = int(rng.integers(2, 8))
    model = ("differential", "omni", "car")[rng.choice(3, p=(0.6, 0.25, 0.15))]
    alike = rng.uniform(0.7, 1.3, (4, count)) ** rng.integers(2)
    fleet = Fleet(tuple(f"robot_{k}" for k in range(count)), (model,) * count, *(np.array([[0.1], [0.4], [0.8], [3.0]]) * alike),
                  np.full(count, 0.2))  # fmt: skip
    pivot = np.where(rng.random(2) < 0.3, rng.normal(0.0, 0.2, 2), 0.0)
    params = replace(drawn_params(StructureParameters(), rng), pivot=tuple(map(float, pivot)))
    if rng.random() < 0.2:
        params = replace(params, leader="robot_1")
    if rng.random() < 0.15:
        params = replace(params, displace=replace(params.displace, method="naive"))
    pose = np.append(rng.uniform(-9.0, 9.0, 2), rng.uniform(-np.pi, np.pi))
    points = shape(str(rng.choice(("circle", "line", "wedge", "grid"))), count, 0.5)
    structure = Structure(points, fleet.names, pose)
    off = rng.normal(0.0, 0.02, (count, 2)) * rng.integers(2)
    turned = rng.uniform(-np.pi, np.pi, count) if rng.random() < 0.4 else np.full(count, pose[2])
    spoilt = {"noise": 0.003, "noise_heading": 0.02, "delay": float(rng.uniform(0.0, 0.25)), "loss": 0.2} if rng.random() < 0.5 else {}
    start = np.column_stack((place(points, pose) + off, turned)) + nudge * np.random.default_rng(0).uniform(-1.0, 1.0, (count, 3))
    loop = Loop(start, structure, fleet, params, **spoilt, seed=draw, onboard=bool(rng.random() < 0.15))
    if rng.random() < 0.25:
        loop.factor[0] = rng.choice((0.0, 0.5))
    asides = rng.normal(0.0, 0.3, (count, 2)) if rng.random() < 0.25 else None
    order, weight, sums = drawn_order(rng, structure), np.cos(np.arange(count)), []
    loop.order()
    for tick in range(round(DURATION / loop.period)):
        made = loop.tick(order, asides)
        if tick % 6 == 5:
            about = rotate(loop.truth[-1][:, :2] - pose[:2], -pose[2])
            sums += [*(weight @ np.column_stack((about, np.cos(loop.truth[-1][:, 2])))), *(made[0].structure.pose - pose)]
    return sums


@pytest.mark.parametrize("draw", KNOWN)
def test_a_formation_is_held_as_it_was(draw):
    assert ended(int(draw)) == pytest.approx(KNOWN[draw], rel=1e-7, abs=1e-8)


def steady(draw):
    """Whether a tiny change of the start is not magnified."""
    return ended(draw, NUDGE) == pytest.approx(ended(draw), rel=MAGNIFIED, abs=MAGNIFIED)


if __name__ == "__main__":
    write(FILE, {str(draw): short(map(float, ended(draw))) for draw in range(DRAWS) if steady(draw)})
