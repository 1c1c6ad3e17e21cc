"""Sensors of robots that MuJoCo moves: what they read is the truth of a while ago, with the noise and bias that were told."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from swarm_control.robots.sensors import BodySensors, Sensors

EXACT = Sensors(
    tilt_noise=0.0, gyro_noise=0.0, gyro_bias=0.0, encoder_noise=0.0, rate_noise=0.0, contact_error=0.0, load_noise=0.0, delay=0.0
)  # fmt: skip
N, J, PERIOD = 4, 3, 0.002


def world(seed):
    """``data`` of N robots, free joint and J others each, in any attitude; and where their parts begin."""
    rng = np.random.default_rng(seed)
    qpos, qvel = rng.normal(size=N * (7 + J)), rng.normal(size=N * (6 + J))
    turn = Rotation.random(N, random_state=seed)
    root, free = (7 + J) * np.arange(N), (6 + J) * np.arange(N)
    qpos[root[:, None] + np.arange(3, 7)] = turn.as_quat()[:, [3, 0, 1, 2]]
    return SimpleNamespace(qpos=qpos, qvel=qvel), turn, root, free


def sensors(which, root, free, seed=0):
    """Sensors of them, ready to be read."""
    made = BodySensors(which, N, np.random.default_rng(seed))
    made.bind(root, free, root[:, None] + 7 + np.arange(J), free[:, None] + 6 + np.arange(J), PERIOD)
    made.reset()
    return made


def test_without_errors_they_read_what_is_so():
    data, turn, root, free = world(5)
    touch = np.random.default_rng(0).random((N, 2)) < 0.5
    read = sensors(EXACT, root, free).read(data, touch)
    assert read.up == pytest.approx(turn.inv().apply([0.0, 0.0, 1.0]))
    assert (read.gyro == data.qvel[free[:, None] + np.arange(3, 6)]).all()
    assert (read.joint == data.qpos.reshape(N, -1)[:, 7:]).all() and (read.rate == data.qvel.reshape(N, -1)[:, 6:]).all()
    assert (read.touch == touch).all()
    assert sensors(EXACT, root, free).read(data).touch is None


def test_errors_are_as_large_as_told_and_a_reset_repeats_them():
    data, _, root, free = world(6)
    noisy = replace(EXACT, tilt_noise=0.04, gyro_noise=0.3, encoder_noise=0.02, rate_noise=0.5, contact_error=0.1)
    exact, made = sensors(EXACT, root, free).read(data, np.zeros((N, 2), bool)), sensors(noisy, root, free)
    heard = [made.read(data, np.zeros((N, 2), bool)) for _ in range(500)]
    for name, wanted in (("up", noisy.tilt_noise), ("gyro", noisy.gyro_noise), ("joint", noisy.encoder_noise), ("rate", noisy.rate_noise)):
        off = np.array([getattr(one, name) - getattr(exact, name) for one in heard])
        assert off.std() == pytest.approx(wanted, rel=0.1), name
        assert abs(off.mean()) < 0.1 * wanted, name
    assert np.mean([one.touch for one in heard]) == pytest.approx(0.1, rel=0.2)
    made.reset()
    again = made.read(data, np.zeros((N, 2), bool))
    assert all((getattr(again, name) == getattr(heard[0], name)).all() for name in ("up", "gyro", "joint", "rate", "touch"))


def test_a_gyroscope_keeps_its_bias_and_readings_are_as_old_as_told():
    data, _, root, free = world(7)
    off = np.array([sensors(replace(EXACT, gyro_bias=0.2), root, free, seed).read(data).gyro for seed in range(100)])
    off -= data.qvel[free[:, None] + np.arange(3, 6)]
    assert off.std() == pytest.approx(0.2, rel=0.1)
    made = sensors(replace(EXACT, gyro_bias=0.2), root, free)
    assert (made.read(data).gyro == made.read(data).gyro).all()
    late, read = sensors(replace(EXACT, delay=3 * PERIOD), root, free), []
    for step in range(6):
        data.qpos[root[0] + 7] = step
        read.append(late.read(data).joint[0, 0])
    assert read == [0, 0, 0, 0, 1, 2]


def test_loads_are_off_by_a_share_of_what_they_are():
    data, _, root, free = world(8)
    made, load = sensors(replace(EXACT, load_noise=0.1), root, free), np.array([[0.0, 50.0, 400.0]] * N)
    heard = np.array([made.read(data, load=load).load for _ in range(500)])
    assert (heard[:, :, 0] == 0.0).all() and heard[:, :, 1:].std(axis=(0, 1)) == pytest.approx([5.0, 40.0], rel=0.1)
    assert (sensors(EXACT, root, free).read(data, load=load).load == load).all()
    assert sensors(EXACT, root, free).read(data).load is None


def test_a_robot_that_was_put_elsewhere_reads_as_when_it_started_until_it_is_heard_anew():
    data, _, root, free = world(8)
    made = sensors(replace(EXACT, delay=2 * PERIOD), root, free)
    first = made.read(data).joint.copy()
    data.qpos[root + 7] += 1.0
    for _ in range(4):
        made.read(data)
    made.forget(1)
    data.qpos[root[1] + 7] += 5.0
    read = [made.read(data).joint.copy() for _ in range(3)]
    assert read[0][1, 0] == read[1][1, 0] == first[1, 0] and read[2][1, 0] == first[1, 0] + 6.0
    assert all((one[[0, 2, 3], 0] == first[[0, 2, 3], 0] + 1.0).all() for one in read)


def test_attitude_filters_find_the_vertical_by_gravity():
    data, turn, root, free = world(9)
    made = BodySensors(EXACT, N, np.random.default_rng(0))
    gravity = np.array([1.7, 0.4, -9.6])
    made.bind(root, free, root[:, None] + 7 + np.arange(J), free[:, None] + 6 + np.arange(J), PERIOD, gravity)
    made.reset()
    assert made.read(data).up == pytest.approx(turn.inv().apply(-gravity / np.linalg.norm(gravity)))
