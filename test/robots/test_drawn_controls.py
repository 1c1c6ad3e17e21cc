"""Nothing changes unnoticed what robots' own controls tell their joints, whatever their sensors read and whatever they are told.

Controls are called with drawn readings, without physics. ``drawn_controls.json`` keeps what their outputs come to; where a change is meant,
``PYTHONPATH=test/support python test/robots/test_drawn_controls.py`` writes it anew.
"""

import json
from dataclasses import fields, replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from kept_numbers import short, write

from swarm_control import paths
from swarm_control.core.state import Fleet, SwarmState
from swarm_control.robots.from_file.model import drive_of
from swarm_control.robots.hopper.body_parameters import Hopper
from swarm_control.robots.hopper.control import FALLEN, FLIGHT, LOADING, PUSHING, control_all
from swarm_control.robots.hopper.control_gains import gains
from swarm_control.robots.sensors import Readings
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.models import described
from swarm_control.scenario.yaml_text import parse_file, read_text
from swarm_control.sim.mujoco.herd import HerdEngine

FILE = Path(__file__).with_name("drawn_controls.json")
N = 400
"""Hoppers that are asked at once."""

TICKS, PERIOD = 90, 0.02
"""How often a robot from a file is asked, and after how long (s) again."""


def drawn_params(params, rng):
    """The parameters, each number changed a little."""
    numbers = {f.name: getattr(params, f.name) for f in fields(params)}
    return replace(params, **{name: value * rng.uniform(0.8, 1.25) for name, value in numbers.items() if isinstance(value, float)})


def hoppers(seed):
    """Forces, memories and beliefs of hoppers with drawn readings, in all phases, after one time step."""
    rng = np.random.default_rng(seed)
    g = gains(drawn_params(Hopper(), rng), 9.0, 0.8)
    up = np.array([0.0, 0.0, 1.0]) + rng.normal(0.0, 0.16, (N, 3))
    up /= np.linalg.norm(up, axis=1)[:, None]
    joint = np.column_stack((rng.normal(0.0, 0.3, (N, 3)), rng.uniform(-0.1, 0.02, N)))
    gyro, rate = rng.normal(0.0, 1.0, (N, 3)), rng.normal(0.0, 2.0, (N, 4))
    touch = np.column_stack((rng.random(N) < 0.5, rng.random(N) < 0.03))
    memory = rng.uniform(0.0, 1.0, (N, 8)) * [0.0, 0.4, 0.014, 0.3, 0.1, 0.1, 1.0, 3.0] - [0.0, 0.0, 0.0, 0.0, 0.0, 0.05, 0.5, 0.0]
    memory[:, 0] = rng.choice((FLIGHT, LOADING, PUSHING, FALLEN), N, p=(0.4, 0.3, 0.25, 0.05))
    belief = np.column_stack((up + rng.normal(0.0, 0.02, (N, 3)), rng.normal(0.0, 1.5, (N, 3)), rng.uniform(0.0, 0.03, (N, 2))))
    twist = rng.normal(0.0, 1.5, (N, 3))
    twist[rng.random(N) < 0.02, 1] = np.nan
    count, force = np.zeros((N, 2), np.int64), rng.normal(0.0, 30.0, (N, 4))
    control_all(up, gyro, joint, rate, touch, twist, 0.002, g, memory, belief, count, force)
    weight = np.cos(np.arange(N))
    return [*np.abs(force).sum(axis=0), *(weight @ force), *(weight @ memory), *(weight @ belief), *count.sum(axis=0)]


def from_file(name, seed):
    """What the joints of a robot from a file are told while drawn commands and readings come."""
    rng, path, n = np.random.default_rng(seed), paths.models()[name], 3
    robot = described(parse_file(read_text(path), path), path)
    _, drive = drive_of(replace(robot, **{robot.controller: drawn_params(getattr(robot, robot.controller), rng)}), n, name)
    joint, twist, sums = np.tile(drive.posture, (n, 1)), np.zeros((n, 3)), []
    for tick in range(TICKS):
        if tick % 30 == 0:
            twist = rng.uniform(-0.5, 0.5, (n, 3)) * (rng.random((n, 1)) < 0.8)
        up = np.array([0.0, 0.0, 1.0]) + rng.normal(0.0, 0.03, (n, 3))
        gyro, rate = rng.normal(0.0, 0.3, (n, 3)), rng.normal(0.0, 0.5, joint.shape)
        told = drive.targets(Readings(up / np.linalg.norm(up, axis=1)[:, None], gyro, joint, rate), twist, PERIOD)
        if told.shape == joint.shape:  # angles of all joints, not speeds of wheels
            joint = told + rng.normal(0.0, 0.02, joint.shape)
        sums.append(float(np.cos(np.arange(told.size)) @ told.ravel()))
    servos = [number for servo in drive.servos for number in (servo.joint, servo.stiffness, servo.damping)]
    return [*(sum(sums[k : k + 10]) for k in range(0, TICKS, 10)), sum(servos), drive.height, *drive.posture, *drive.middle, drive.track]


def herd(name, how, seed):
    """Three robots of a kind in MuJoCo, with ``how`` in place of some of their parameters."""
    rng, bodies = np.random.default_rng(seed), Bodies()
    bodies = replace(bodies, **{name: replace(getattr(bodies, name), **how)})
    low, high = np.array([[0.4, 1.0, 1.0, 1.0, 0.1], [0.6, 5.0, 3.0, 2.0, 0.2]])
    fleet = Fleet(tuple("abc"), (name,) * 3, *rng.uniform(low, high, (3, 5)).T)
    pose = np.column_stack((20.0 * np.arange(3), rng.uniform(-1.0, 1.0, 3), rng.uniform(-3.0, 3.0, 3)))
    velocity = np.column_stack((4.0 * np.cos(pose[:, 2]), 4.0 * np.sin(pose[:, 2]), np.zeros(3)))
    return HerdEngine(fleet, SwarmState.of(0.0, pose, velocity), None, 0.02, bodies, seed), rng


def shaken(engine, rng):
    """The robots out of their starting posture, with drawn speeds and readings."""
    data, model = engine.shards[0].data, engine.shards[0].model
    data.qpos += rng.normal(0.0, 0.06, model.nq)
    for root in engine.shards[0].kind.roots:
        data.qpos[root + 3 : root + 7] /= np.linalg.norm(data.qpos[root + 3 : root + 7])
    data.qvel[:] += rng.normal(0.0, 0.3, model.nv)
    mujoco.mj_kinematics(model, data)
    data.sensordata[:] = rng.uniform(-0.5, 1.0, model.nsensordata).clip(0.0, None) * 300.0


def kinds(name, seed):
    """What robots of a kind are told to do in drawn states, one after the other, and where they are held to be."""
    engine, rng = herd(*HERDS[name], seed)
    kind, data, sums = engine.shards[0].kind, engine.shards[0].data, []
    for _ in range(10):
        shaken(engine, rng)
        kind.control(data, rng.normal(0.0, 1.0, (3, 3)) * [3.0, 0.0, 1.0])
        told = data.ctrl, data.qfrc_applied, kind.pose(data), kind.velocity(data), kind.fallen(data)
        sums += [float(np.cos(np.arange(np.size(numbers))) @ np.ravel(numbers)) for numbers in told]
        engine.reset()
    return sums


HERDS = {
    "rigid bicycles": ("bicycle", {"rider": "rigid"}), "bicycles": ("bicycle", {"rider": "articulated"}), "insects": ("hexapod", {}),
    "hopping": ("hopper", {}),
}  # fmt: skip

CASES = {f"hoppers {seed}": (hoppers, seed) for seed in range(6)} | {
    f"{name} {seed}": (from_file, name, seed) for name in ("solo12", "ant", "tiago", "go2", "anymal") for seed in range(2)
} | {f"{name} {seed}": (kinds, name, seed) for name in HERDS for seed in range(2)}  # fmt: skip


def found(case):
    make, *how = CASES[case]
    return short(make(*how))


@pytest.mark.filterwarnings("ignore:.*touches nothing")
@pytest.mark.parametrize("case", CASES)
def test_a_control_answers_as_it_did(case):
    known = json.loads(FILE.read_text(encoding="utf-8"))
    assert found(case) == pytest.approx(known[case], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", HERDS)
def test_a_reset_puts_robots_where_they_started(name):
    engine, rng = herd(*HERDS[name], 0)
    start = engine.shards[0].data.qpos.copy(), engine.shards[0].data.qvel.copy()
    shaken(engine, rng)
    engine.reset()
    assert np.array_equal(engine.shards[0].data.qpos, start[0]) and np.array_equal(engine.shards[0].data.qvel, start[1])


if __name__ == "__main__":
    write(FILE, {case: found(case) for case in CASES})
