"""The tracker's filter against closed forms and invariances, and what it does with bad measurements."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solve_discrete_are

from swarm_control.core.geometry import rotate, wrap
from swarm_control.hardware.tracking.filter import Filter
from swarm_control.hardware.tracking.stamps import Stamps
from swarm_control.scenario.hardware import TrackingFilter

PARAMETERS = TrackingFilter(noise_position=0.01, noise_heading=2.0, agility=0.2, turn_agility=3.0)
DT = 0.05


def walk(steps=60, robots=3, seed=0):
    """Poses (steps, N, 3) of robots that go around, measured with noise."""
    rng = np.random.default_rng(seed)
    time = DT * np.arange(steps)[:, None]
    heading = rng.uniform(-3, 3, robots) + 0.8 * time
    place = rng.uniform(-2, 2, (robots, 2)) + 0.3 / 0.8 * np.stack((np.sin(heading), -np.cos(heading)), axis=-1)
    return np.dstack((place + rng.normal(0, 0.01, place.shape), wrap(heading + rng.normal(0, 0.03, heading.shape))))


def run(poses, parameters=PARAMETERS, stale=0.5):
    tracked = Filter(poses.shape[1], parameters, stale)
    for k, pose in enumerate(poses):
        tracked.update(k * DT, pose)
    return tracked


@pytest.mark.parametrize(("axis", "noise", "density"), [(0, 0.01, 0.2), (2, np.deg2rad(2.0), 3.0)])
def test_the_covariance_settles_where_the_riccati_equation_says(axis, noise, density):
    step = np.array([[1.0, DT], [0.0, 1.0]])
    process = density * np.array([[DT**3 / 3, DT**2 / 2], [DT**2 / 2, DT]])
    before = solve_discrete_are(step.T, np.array([[1.0], [0.0]]), process, np.array([[noise**2]]))
    gain = before[:, 0] / (before[0, 0] + noise**2)
    tracked = run(np.zeros((400, 1, 3)))
    after = (np.eye(2) - np.outer(gain, [1.0, 0.0])) @ before
    pose, velocity = tracked.variances(399 * DT)
    np.testing.assert_allclose([pose[0, axis], velocity[0, axis]], np.diag(after), rtol=1e-9)
    pushed = np.zeros((1, 3))
    pushed[0, axis] = 0.5 * noise
    tracked.update(400 * DT, pushed)
    found = tracked.at(400 * DT)
    np.testing.assert_allclose([found[0][0, axis], found[1][0, axis]], gain * 0.5 * noise, rtol=1e-9)


def test_variances_that_poses_say_take_the_place_of_the_parameters_noise():
    poses, said = walk(), np.array([0.03, 0.02, np.deg2rad(4.0)]) ** 2
    told, none = Filter(3, PARAMETERS, 0.5), Filter(3, PARAMETERS, 0.5)
    for k, pose in enumerate(poses):
        told.update(k * DT, pose, np.broadcast_to(said, pose.shape))
        none.update(k * DT, pose, np.array([[0.0, np.nan, -1.0], [np.inf, 0.0, 0.0], [0.0, 0.0, -np.inf]]))
    now = 60 * DT
    for axis, noise in ((0, 0.03), (1, 0.02)):
        alike = run(poses, TrackingFilter(noise_position=noise, noise_heading=4.0, agility=0.2, turn_agility=3.0))
        for found, expected in zip((*told.at(now), *told.variances(now)), (*alike.at(now), *alike.variances(now))):
            assert np.allclose(found[:, [axis, 2]], expected[:, [axis, 2]], rtol=1e-12)
    usual = run(poses)
    assert all(np.array_equal(*pair) for pair in zip((*none.at(now), *none.variances(now)), (*usual.at(now), *usual.variances(now))))


def test_between_measurements_poses_go_on_at_constant_velocity():
    t = DT * np.arange(200)[:, None, None]
    tracked = run(np.array([0.2, -0.1, 0.5]) * t + np.zeros((200, 1, 3)))
    pose, velocity = tracked.at(199 * DT + 0.2)
    np.testing.assert_allclose(velocity, [[0.2, -0.1, 0.5]], atol=1e-6)
    np.testing.assert_allclose(pose[:, :2], [[0.2 * (199 * DT + 0.2), -0.1 * (199 * DT + 0.2)]], atol=1e-6)


@settings(deadline=None)
@given(st.floats(-np.pi, np.pi), st.floats(-50, 50), st.floats(-50, 50))
def test_turning_and_moving_the_world_turns_and_moves_the_result(angle, x, y):
    poses = walk(20)
    moved = np.dstack((rotate(poses[..., :2], np.full(poses.shape[:2], angle)) + np.array([x, y]), wrap(poses[..., 2] + angle)))
    (pose, velocity), (pose2, velocity2) = run(poses).at(20 * DT), run(moved).at(20 * DT)
    np.testing.assert_allclose(pose2[:, :2], rotate(pose[:, :2], np.full(3, angle)) + np.array([x, y]), atol=1e-9)
    np.testing.assert_allclose(velocity2[:, :2], rotate(velocity[:, :2], np.full(3, angle)), atol=1e-9)
    np.testing.assert_allclose(wrap(pose2[:, 2] - pose[:, 2] - angle), 0.0, atol=1e-9)


def test_robots_do_not_feel_each_other_and_order_does_not_matter():
    poses = walk()
    all_of_them, backwards = run(poses).at(3.0), run(poses[:, ::-1]).at(3.0)
    for k in range(3):
        np.testing.assert_array_equal(run(poses[:, k : k + 1]).at(3.0)[0][0], all_of_them[0][k])
    np.testing.assert_array_equal(backwards[1][::-1], all_of_them[1])


def test_filtered_poses_are_better_than_measured_ones_and_velocity_is_found():
    time = DT * np.arange(400)
    truth = np.column_stack((0.3 * time, 0.0 * time, wrap(0.0 * time)))[:, None]
    rng = np.random.default_rng(1)
    noise = rng.normal(0, [0.01, 0.01, np.deg2rad(2.0)], truth.shape)
    tracked, found = Filter(1, PARAMETERS, 0.5), []
    for k, pose in enumerate(truth + noise):
        tracked.update(time[k], pose)
        found.append(np.hstack(tracked.at(time[k])))
    found = np.array(found)[50:, 0]
    assert np.std(found[:, 0] - truth[50:, 0, 0]) < 0.8 * np.std(noise[50:, 0, 0])
    assert np.sqrt(np.mean((found[:, 3] - 0.3) ** 2)) < 0.4 * np.sqrt(2) * 0.01 / DT  # of what differences give


def test_headings_are_tracked_across_half_a_turn():
    heading = wrap(2.0 + 1.5 * DT * np.arange(200))
    poses = np.zeros((200, 1, 3))
    poses[:, 0, 2] = heading
    tracked = run(poses)
    assert tracked.counts.accepted[0] == 200
    pose, velocity = tracked.at(199 * DT)
    assert velocity[0, 2] == pytest.approx(1.5, abs=1e-6) and wrap(pose[0, 2] - heading[-1]) == pytest.approx(0.0, abs=1e-6)
    assert -np.pi <= pose[0, 2] < np.pi


def test_an_outlier_is_rejected_and_changes_nothing():
    poses = walk()
    one, two = run(poses), run(poses)
    wild = poses[-1] + [[0.5, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    accepted = two.update(60 * DT, wild)
    assert accepted.tolist() == [False, False, True]
    np.testing.assert_array_equal(one.at(3.1)[0][:2], two.at(3.1)[0][:2])
    assert two.counts.rejected.tolist() == [1, 1, 0]


def test_what_is_rejected_again_and_again_is_where_the_robot_starts_anew():
    tracked = run(np.zeros((30, 1, 3)))
    away = np.array([[1.0, 2.0, 1.0]])
    accepted = [bool(tracked.update((30 + k) * DT, away)[0]) for k in range(6)]
    assert accepted == [False] * 4 + [True] * 2
    np.testing.assert_allclose(tracked.at(35 * DT)[0], away, atol=1e-6)
    assert tracked.counts.restarts[0] == 1 and tracked.counts.rejected[0] == 4


def test_one_good_measurement_between_makes_the_count_begin_again():
    tracked = run(np.zeros((30, 1, 3)))
    for k in range(20):
        here = np.zeros((1, 3)) if k % 4 == 3 else np.array([[1.0, 2.0, 1.0]])
        assert tracked.update((30 + k) * DT, here)[0] == (k % 4 == 3)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("column", [0, 1, 2])
def test_what_is_not_finite_is_no_measurement(value, column):
    poses = walk()
    one, two = run(poses), run(poses)
    bad = poses[-1].copy()
    bad[1, column] = value
    assert two.update(60 * DT, bad).tolist() == [True, False, True]
    np.testing.assert_array_equal(one.at(3.1)[0][1], two.at(3.1)[0][1])
    assert not two.update(np.full(3, np.nan), poses[-1]).any()


def test_measurements_out_of_order_are_passed_over():
    poses = walk()
    one, two = run(poses), run(poses)
    assert not two.update(59 * DT - 0.2, poses[0]).any() and not two.update(59 * DT, poses[-1]).any()
    np.testing.assert_array_equal(one.at(3.0)[0], two.at(3.0)[0])
    assert (two.counts.late == 2).all()


def test_who_is_not_measured_is_lost_until_he_is():
    tracked = Filter(2, PARAMETERS, 0.5)
    assert np.isnan(tracked.at(0.0)[0]).all() and tracked.lost(0.0).all()
    tracked.update(1.0, np.array([[1.0, 0.0, 0.0], [np.nan] * 3]))
    assert tracked.lost(1.5).tolist() == [False, True] and tracked.lost(1.51).tolist() == [True, True]
    assert np.isnan(tracked.at(1.6)[0]).all() and np.isnan(tracked.at(1.6)[1]).all()
    tracked.update(2.0, np.array([[5.0, 5.0, 0.0], [0.0, 0.0, 0.0]]))  # as far away as it likes
    np.testing.assert_allclose(tracked.at(2.0)[0], [[5.0, 5.0, 0.0], [0.0, 0.0, 0.0]])
    assert tracked.counts.restarts.tolist() == [1, 0]


def test_a_clock_set_back_starts_everybody_anew():
    tracked = run(walk())
    assert tracked.update(-100.0, walk()[0]).all() and not tracked.lost(-100.0).any()


def test_clocks_that_agree_are_believed():
    stamps = Stamps(0.25)
    assert [stamps.local(t, t + 0.05) for t in (10.0, 10.1)] == [10.0, 10.1] and stamps.difference == 0.0
    assert stamps.local(10.2, 11.2) == 10.2  # one that was long on its way
    assert stamps.local(12.1, 12.0) == 12.0  # a little in the future: no later than it came
    assert stamps.local(0.0, 13.0) == 13.0  # none


@pytest.mark.parametrize("behind", [3600.0, 2.0, -2.0, -1e9])
def test_a_clock_that_is_wrong_is_put_right_by_the_fastest_message(behind):
    stamps, rng = Stamps(0.25), np.random.default_rng(0)
    way = np.concatenate(([0.02], 0.02 + rng.uniform(0, 0.1, 50)))
    found = np.array([stamps.local(1e9 + k * DT - behind, 1e9 + k * DT + late) for k, late in enumerate(way)])
    np.testing.assert_allclose(found, 1e9 + DT * np.arange(51) + 0.02, atol=1e-5)
    assert stamps.difference == pytest.approx(behind + 0.02, abs=1e-5)
