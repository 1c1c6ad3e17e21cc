"""Late odometry: moved on to now by the robots' own commands, smoothed, and believed at once where something else has happened."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.core.estimation import Estimation, Noise
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.core.state_estimator import STEP, StateEstimator
from swarm_control.sim.planar import PlanarEngine

PERIOD = 0.05
NAMES = tuple(f"robot_{k}" for k in range(4))
ON = Estimation()


def fleet(model="omni"):
    ones = np.ones(len(NAMES))
    return Fleet(NAMES, (model,) * len(NAMES), 0.05 * ones, ones, 2.0 * ones, 3.0 * ones, 0.1 * ones)


def course(model, seed, ticks=60):
    """True states, and commands that change every few ticks, of robots far from one another."""
    rng = np.random.default_rng(seed)
    robots = fleet(model)
    start = SwarmState.of(0.0, np.column_stack((10.0 * np.arange(len(NAMES)), np.zeros((len(NAMES), 2)))), np.zeros((len(NAMES), 3)))
    engine = PlanarEngine(robots, start, None, STEP)
    states, told = [start], []
    for k in range(ticks):
        told.append(rng.uniform(-1.0, 1.0, (len(NAMES), 3)) if k % 7 == 0 else told[-1])
        for _ in range(round(PERIOD / STEP)):
            engine.step(Commands(told[-1]))
        states.append(engine.truth())
    return robots, states, told


def estimates(robots, states, told, late, noise=0.0, params=ON, lost=0.0):
    """What is estimated at each tick from states that are ``late`` ticks old."""
    rng, estimator, found = np.random.default_rng(1), StateEstimator(robots, PERIOD), []
    heard, stamp = states[0], np.zeros(len(NAMES))
    for k, now in enumerate(states):
        then = states[max(k - late, 0)]
        arrives = rng.random(len(NAMES)) >= lost
        pose = np.where(arrives[:, None], then.pose + rng.normal(0.0, noise, then.pose.shape) * [1, 1, 0], heard.pose)
        stamp = np.where(arrives, then.time, stamp)
        heard = SwarmState.of(now.time, pose, np.where(arrives[:, None], then.velocity, heard.velocity))
        found.append(estimator(heard, stamp, params))
        if k < len(told):
            estimator.note_commands(now.time, told[k])
    return found


def errors(found, states, skip=0):
    return np.array([np.abs(a.pose - b.pose)[:, :2].max() for a, b in zip(found[skip:], states[skip:])])


@settings(max_examples=30)
@given(st.sampled_from(["omni", "differential", "car"]), st.integers(1, 12), st.integers(0, 1000), st.sampled_from([0.0, 0.3]))
def test_own_commands_lead_from_what_was_heard_to_what_is(model, late, seed, lost):
    robots, states, told = course(model, seed, 36)
    assert errors(estimates(robots, states, told, late, lost=lost), states).max() < 1e-9
    unaware = errors(estimates(robots, states, [], late), states)
    assert unaware.max() > 1e-3, "the commands made no difference: the test shows nothing"


@pytest.mark.parametrize("model", ["omni", "differential"])
@pytest.mark.parametrize("late", [0, 3])
def test_robots_that_obey_late_are_where_they_will_be_then(model, late):
    """They do all of it two ticks late; a command is made for where they are when they begin to obey it."""
    robots, states, told = course(model, 4)
    after = [states[0]] * 2 + states
    on_time = [SwarmState.of(PERIOD * k, state.pose, state.velocity) for k, state in enumerate(after)]
    for delay, good in ((2 * PERIOD, True), (-1.0, False)):
        found = estimates(robots, on_time, told, late, params=Estimation(command_delay=delay))[: len(states)]
        worst = errors(found, states).max()
        assert worst < 1e-9 if good else worst > 1e-3


def test_a_robot_whose_commands_are_not_known_goes_on_along_its_arc():
    robots, states, _ = course("differential", 3)
    steady = [np.tile([0.5, 0.0, 0.7], (len(NAMES), 1))] * 60
    engine = PlanarEngine(robots, states[0], None, PERIOD)
    states = [states[0]]
    for twist in steady:
        engine.step(Commands(twist))
        states.append(engine.truth())
    assert errors(estimates(robots, states, [], 6), states, 20).max() < 1e-6


def test_each_is_moved_on_by_its_own_commands_where_they_are_known_and_along_its_arc_where_not():
    robots, states, told = course("omni", 4)
    unknown = [np.where(np.arange(len(NAMES))[:, None] < 2, twist, np.nan) for twist in told]
    known, mixed, along = (estimates(robots, states, commands, 6) for commands in (told, unknown, []))
    for k in range(20, len(states)):
        assert np.array_equal(mixed[k].pose[:2], known[k].pose[:2]) and np.allclose(mixed[k].pose[2:], along[k].pose[2:])
    assert not np.allclose(known[-1].pose, along[-1].pose)


def test_noise_is_smoothed():
    robots, states, told = course("omni", 5, 400)
    raw = errors(estimates(robots, states, told, 4, 0.01, Estimation(gain=1.0)), states, 20)
    smooth = errors(estimates(robots, states, told, 4, 0.01), states, 20)
    assert np.sqrt((smooth**2).mean()) < 0.6 * np.sqrt((raw**2).mean())


@pytest.mark.parametrize("model", ["omni", "differential", "car"])
def test_what_was_measured_wrongly_is_in_doubt_after_it_was_moved_on(model):
    """By three standard deviations: the estimate is not farther off, and often farther than if nothing were in doubt."""
    beyond, late, turned, error = 0, 6, 0.035, 0.02
    for seed in range(5):
        robots, states, told = course(model, seed, 40)
        rng, estimator = np.random.default_rng(seed), StateEstimator(robots, PERIOD)
        for k, now in enumerate(states[:-1]):
            then = states[max(k - late, 0)]
            pose = then.pose + rng.normal(0.0, turned, then.pose.shape) * [0, 0, 1]
            velocity = then.velocity + rng.normal(0.0, error, then.velocity.shape) * [1, 1, 0]
            found = estimator(SwarmState.of(now.time, pose, velocity), np.full(len(NAMES), then.time), ON)
            off = np.hypot(*(found.position - now.position).T)
            assert (off <= estimator.doubt(0.0, 3.0 * error, 3.0 * turned)[:, 0] + 1e-9).all()
            beyond += (off > 0.002).sum()
            estimator.note_commands(now.time, told[k])
    assert beyond > 50


def test_the_doubt_is_the_way_that_a_wrong_velocity_makes_and_the_wrong_heading_of_the_way_gone():
    state = SwarmState.of(1.0, np.zeros((4, 3)), np.tile((0.5, 0.0, 0.0), (4, 1)))
    estimator, age = StateEstimator(fleet(), PERIOD), np.array([0.3, 0.2, 0.1, 0.3])
    gone = estimator(state, 1.0 - age, ON).position[:, 0]
    assert gone == pytest.approx(0.5 * age)  # no command is known: they go on
    assert estimator.doubt(0.0, 0.02, 0.1) == pytest.approx(np.column_stack((0.02 * age + 0.1 * gone, np.zeros((4, 2)))))


def test_a_robot_that_is_carried_away_is_believed_at_once():
    robots, states, told = course("omni", 2)
    moved = [SwarmState.of(s.time, s.pose + np.array([0.5, 0.0, 0.0]), s.velocity) if k > 30 else s for k, s in enumerate(states)]
    found = estimates(robots, moved, told, 3)
    assert np.abs(found[34].pose - moved[34].pose)[:, :2].max() < 1e-9


@pytest.mark.parametrize("params", [ON, Estimation(enabled=False)])
def test_odometry_of_now_passes_as_it_is(params):
    robots, states, told = course("omni", 0)
    for found, state in zip(estimates(robots, states, told, 0, params=params), states):
        np.testing.assert_array_equal(found.pose, state.pose)


def test_switched_off_it_changes_nothing():
    robots, states, told = course("omni", 0)
    found = estimates(robots, states, told, 5, params=Estimation(enabled=False))
    np.testing.assert_array_equal(found[20].pose, states[15].pose)


def test_who_is_invalid_stays_so_and_time_may_be_set_back():
    robots, states, told = course("omni", 0)
    estimator = StateEstimator(robots, PERIOD)
    estimator.note_commands(5.0, told[0])
    gone = SwarmState.of(5.0, states[9].pose, states[9].velocity, np.array([True, True, False, True]))
    assert estimator(gone, np.array([4.9, 4.9, -np.inf, 4.9]), ON).valid.tolist() == [True, True, False, True]
    again = estimator(SwarmState.of(0.1, states[0].pose, states[0].velocity), np.zeros(4), ON)
    np.testing.assert_allclose(again.pose, states[0].pose, atol=1e-9)


@pytest.mark.parametrize("model", ["omni", "differential", "car"])
@pytest.mark.parametrize("late", [0, 4])
def test_who_falls_silent_is_presumed_to_have_obeyed(model, late):
    robots, states, told = course(model, 3)
    estimator = StateEstimator(robots, PERIOD)
    for k, now in enumerate(states):
        then, heard = states[max(k - late, 0)], np.array([True, k < 20, k > 0, True])
        estimator(SwarmState.of(now.time, then.pose, then.velocity, heard), None if late == 0 else np.full(4, then.time), ON)
        assert estimator.presumed.valid.tolist() == [True, True, k > 0, True], "who was never heard is nowhere"
        if k < len(told):
            estimator.note_commands(now.time, told[k])
    np.testing.assert_allclose(estimator.presumed.pose, states[-1].pose, atol=1e-9)


def test_silent_robots_whose_commands_are_not_known_are_presumed_to_stand():
    robots, states, _ = course("omni", 3)
    estimator = StateEstimator(robots, PERIOD)
    for k in (10, 11, 12):
        estimator(SwarmState.of(states[k].time, states[k].pose, states[k].velocity, np.arange(4) != (1 if k > 10 else 9)), None, ON)
    np.testing.assert_allclose(estimator.presumed.pose[1], states[10].pose[1], atol=1e-12)
    assert not estimator.presumed.velocity[1].any() and estimator.presumed.velocity[0].any()


def test_what_was_told_later_than_now_is_forgotten_when_time_is_set_back():
    estimator, place = StateEstimator(fleet(), PERIOD), np.zeros((4, 3))
    for time, speed in ((1.0, 0.9), (5.0, 0.7), (0.2, 0.3)):
        estimator.note_commands(time, np.tile((speed, 0.0, 0.0), (4, 1)))
    moving = SwarmState.of(0.4, place, np.tile((0.3, 0.0, 0.0), (4, 1)))
    assert estimator(moving, np.full(4, 0.2), ON).position[:, 0] == pytest.approx(np.full(4, 0.3 * 0.2))


def test_to_be_warmed_changes_nothing():
    estimator, state = StateEstimator(fleet(), PERIOD), SwarmState.of(1.0, np.ones((4, 3)), np.ones((4, 3)))
    estimator.warm(state)
    assert estimator.presumed is None and not estimator.doubt(0.1, 1.0, 1.0).any()


def smoothed(model, seed, noise, ticks=80, obeying=True, params=ON, heading=0.0):
    """Errors (ticks, N, 2) of estimates from fresh positions with ``noise``, and what share of it the estimator says is left (ticks, N)."""
    robots, states, told = course(model, seed, ticks)
    rng, estimator, off, left = np.random.default_rng(seed + 1), StateEstimator(robots, PERIOD), [], []
    for k, now in enumerate(states):
        pose = now.pose + rng.normal(0.0, 1.0, now.pose.shape) * [noise, noise, heading]
        found = estimator(SwarmState.of(now.time, pose, now.velocity), np.full(len(NAMES), now.time), params, Noise(noise, heading))
        off.append((found.pose - now.pose)[:, :2])
        left.append(estimator.left)
        if k < len(told):
            estimator.note_commands(now.time, told[k] if obeying else np.full((len(NAMES), 3), np.nan))
    return np.array(off), np.array(left)


@pytest.mark.parametrize("model", ["omni", "differential", "car"])
@pytest.mark.parametrize("noise", [0.01, 0.05, 0.2])
def test_noise_is_smoothed_and_as_much_is_left_as_is_said(model, noise):
    runs = [smoothed(model, seed, noise) for seed in range(12)]
    off, left = np.array([run[0] for run in runs]), np.array([run[1] for run in runs])
    shares = (off / (noise * left[..., None])).std(axis=(0, 2, 3))
    assert (np.abs(shares - 1.0) < 0.5).all() and abs(shares.mean() - 1.0) < 0.1
    if noise < 0.1:
        assert noise * left[:, -1] == pytest.approx(ON.spread(noise), rel=1e-2)


def test_what_headings_are_measured_wrongly_is_counted():
    runs = [smoothed("car", seed, 0.05, heading=0.2) for seed in range(12)]
    off, left = np.array([run[0] for run in runs])[:, 30:], np.array([run[1] for run in runs])[:, 30:]
    assert (0.05 * left).mean() > 1.2 * ON.spread(0.05)
    assert (off / (0.05 * left[..., None])).std() == pytest.approx(1.0, abs=0.15)


def test_standing_robots_are_where_the_mean_of_what_was_measured_is_until_little_is_believed():
    robots, noise = fleet(), 0.05
    rng, estimator, heard = np.random.default_rng(3), StateEstimator(robots, PERIOD), []
    for k in range(int(1.0 / ON.share(noise))):
        pose, time = rng.normal(0.0, noise, (len(NAMES), 3)) * [1, 1, 0], k * PERIOD
        heard.append(pose)
        found = estimator(SwarmState.of(time, pose, np.zeros_like(pose)), np.full(len(NAMES), time), ON, Noise(noise))
        estimator.note_commands(time, np.zeros((len(NAMES), 3)))
        np.testing.assert_allclose(found.position, np.mean(heard, axis=0)[:, :2], atol=1e-12)
        np.testing.assert_allclose(estimator.left, (k + 1) ** -0.5)


def test_robots_that_are_carried_away_are_believed_to_be_there_at_once_and_those_whose_commands_are_unknown_always():
    robots, noise, zero = fleet(), 0.05, np.zeros((len(NAMES), 3))
    estimator = StateEstimator(robots, PERIOD)
    for k in range(30):
        estimator(SwarmState.of(k * PERIOD, zero, zero), np.full(len(NAMES), k * PERIOD), ON, Noise(noise))
        estimator.note_commands(k * PERIOD, zero)
    away = zero + np.array([[6.0 * noise, 0.0, 0.0], [0.0, 3.0 * noise, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    found = estimator(SwarmState.of(1.5, away, zero), np.full(len(NAMES), 1.5), ON, Noise(noise))
    assert found.pose[0, 0] == 6.0 * noise and estimator.left[0] == 1.0
    assert 0.0 < found.pose[1, 1] < 0.5 * noise and estimator.left[1] < 0.3
    off, left = smoothed("omni", 1, noise, obeying=False)
    assert (left == 1.0).all() and off.std() == pytest.approx(noise, rel=0.1)
    assert smoothed("omni", 1, noise, params=Estimation(enabled=False))[1].tolist() == [None] * 81


@pytest.mark.parametrize("late", [0, 4])
def test_robots_that_do_not_do_what_they_are_told_are_soon_believed_to_be_where_they_are_measured(late):
    """They stand. Fresh odometry tells by their velocity; where it is late, surprises that do not average out do."""
    robots, noise, told = fleet(), 0.05, np.tile([0.5, 0.0, 0.0], (len(NAMES), 1))
    rng, estimator, off, left = np.random.default_rng(2), StateEstimator(robots, PERIOD), [], []
    for k in range(120):
        pose, time = rng.normal(0.0, noise, (len(NAMES), 3)) * [1, 1, 0], k * PERIOD
        heard = SwarmState.of(time, pose, np.zeros_like(pose))
        found = estimator(heard, np.full(len(NAMES), max(time - late * PERIOD, 0.0)), ON, Noise(noise))
        estimator.note_commands(time, told if k >= 60 else np.zeros_like(told))
        off.append(found.pose[:, 0])
        left.append(estimator.left)
    assert np.max(left[59]) < 0.2 and np.abs(off[59]).max() < noise
    assert np.min(np.max(left[62:90], axis=0)) == 1.0
    if not late:
        assert np.min(left[62:90]) == 1.0 and np.abs(np.mean(off[70:110])) < 0.3 * noise
