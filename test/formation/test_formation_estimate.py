import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.core import targets
from swarm_control.formation.estimate import Belief, Estimate, estimate, replay
from swarm_control.formation.health import Health, Record, to_drop, watch

T = 0.1
YES = np.ones(1, bool)


def drive(commands):
    """True poses (K + 1, 3) of a robot that obeys ``commands`` (K, 3)."""
    poses = [np.zeros((1, 3))]
    for command in commands:
        poses.append(targets.predict(poses[-1], command[None], np.array([T])))
    return np.array(poses)


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 0.55))
def test_replay_brings_old_odometry_up_to_now(seed, age):
    commands = np.random.default_rng(seed).normal(size=(6, 3)) * [0.3, 0.0, 1.0]
    poses = drive(commands)
    whole = int(np.ceil(age / T - 1e-9))
    old = poses[6] if whole == 0 else targets.predict(poses[6 - whole], commands[6 - whole][None], np.array([whole * T - age]))
    now = replay(old, np.array([age]), commands[::-1][:, None], T, targets)
    assert np.abs(now - poses[6]).max() < 1e-9


def test_the_oldest_command_is_taken_to_have_been_obeyed_before_those_that_are_known():
    commands = np.array([[[0.2, 0.0, 0.0]], [[0.3, 0.0, 0.0]]])
    moved = replay(np.zeros((1, 3)), np.array([5.0 * T]), commands, T, targets)
    assert moved == pytest.approx(np.array([[T * (0.2 + 4.0 * 0.3), 0.0, 0.0]]))


def follow(commands, delay=0.0, noise=0.0, slip=1.0, params=None, seed=0, loss=0.0):
    """Beliefs about a robot that obeys ``slip`` times its commands."""
    params = params or Estimate()
    rng = np.random.default_rng(seed)
    poses = drive(slip * commands)
    belief, made = Belief.nothing(1), []
    told = np.zeros((12, 1, 3))
    heard, when = np.zeros((1, 3)), -np.inf
    back = round(delay / T)
    for k in range(len(poses)):
        if k >= back and rng.random() >= loss:
            heard, when = poses[k - back] + noise * rng.normal(size=3) * [1, 1, 5], (k - back) * T
        belief = estimate(belief, heard, YES & np.isfinite(when), np.array([when]), k * T, told, T, targets, params)
        made.append(belief)
        if k < len(commands):
            told = np.concatenate((commands[k][None, None], told[:-1]))
    return poses, made


COMMANDS = np.column_stack((0.25 + 0.05 * np.sin(np.arange(80)), np.zeros(80), 0.5 * np.cos(0.1 * np.arange(80))))


@pytest.mark.parametrize("delay", [0.0, 0.2])
@pytest.mark.parametrize("loss", [0.0, 0.3])
def test_without_noise_the_belief_is_exact(delay, loss):
    poses, beliefs = follow(COMMANDS, delay, loss=loss)
    error = [np.abs(b.pose - p).max() for b, p in zip(beliefs, poses, strict=True) if np.isfinite(b.stamp[0])]
    assert len(error) > 70 and max(error) < 1e-9


def test_gain_filters_noise():
    poses, beliefs = follow(COMMANDS, noise=0.002)
    _, raw = follow(COMMANDS, noise=0.002, params=Estimate(gain=1.0))
    spread = [np.std([(b.pose - p)[0, :2] for b, p in zip(made, poses, strict=True)][20:]) for made in (beliefs, raw)]
    # constant gain g on white noise: σ·sqrt(g/(2 − g)), plus what the filtered heading adds
    assert spread[1] == pytest.approx(0.002, rel=0.25)
    assert spread[0] < 0.5 * spread[1]


def test_large_surprises_are_believed_at_once():
    belief = Belief(np.zeros((1, 3)), np.zeros(1), np.zeros((1, 3)), np.zeros((1, 3)))
    none = np.zeros((12, 1, 3))
    for pose in ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]):
        after = estimate(belief, np.array([pose]), YES, np.array([T]), T, none, T, targets, Estimate())
        assert after.pose[0] == pytest.approx(pose)
    small = estimate(belief, np.array([[0.01, 0.0, 0.0]]), YES, np.array([T]), T, none, T, targets, Estimate(gain=0.2))
    assert small.pose[0] == pytest.approx([0.002, 0.0, 0.0])


def test_the_same_odometry_counts_once():
    belief = Belief(np.zeros((1, 3)), np.full(1, 0.5), np.zeros((1, 3)), np.zeros((1, 3)))
    after = estimate(belief, np.array([[0.01, 0.0, 0.0]]), YES, np.full(1, 0.5), 0.6, np.zeros((12, 1, 3)), T, targets, Estimate())
    assert (after.pose == 0.0).all()


def test_robots_not_heard_from_stay_unknown():
    nothing, never, none = np.full((1, 3), np.nan), np.full(1, -np.inf), np.zeros((12, 1, 3))
    belief = estimate(Belief.nothing(1), nothing, ~YES, never, 0.0, none, T, targets, Estimate())
    assert np.isfinite(belief.pose).all() and belief.stamp[0] == -np.inf


def verdicts(slip, noise=0.0, **options):
    _, beliefs = follow(COMMANDS, 0.0, noise, slip)
    record, found = Record.clean(1), []
    for belief in beliefs:
        record = watch(record, belief, T, Health(**options))
        found.append(bool(record.failed[0]))
    return np.array(found), record


def test_a_robot_that_stands_is_found_in_about_the_window():
    found, _ = verdicts(0.0)
    assert not found[:5].any() and found[10:].all()
    slow, _ = verdicts(0.0, window=4.0)
    assert not slow[:20].any() and slow[30:].all()


@pytest.mark.parametrize("noise", [0.0, 0.002])
def test_a_healthy_robot_is_left_alone(noise):
    assert not verdicts(1.0, noise)[0].any()


def test_share_says_how_much_may_lack():
    assert not verdicts(0.7)[0][40:].any()
    assert verdicts(0.3)[0][40:].all()
    assert verdicts(0.7, share=0.2)[0][40:].all()


def test_a_robot_that_is_told_nothing_keeps_its_verdict():
    still = Belief(np.zeros((1, 3)), np.zeros(1), np.zeros((1, 3)), np.zeros((1, 3)))
    for verdict in (False, True):
        record = Record(np.zeros(1), np.zeros(1), np.array([verdict]), np.zeros(1))
        assert watch(record, still, T, Health()).failed[0] == verdict


def test_dropping_takes_its_time():
    record = Record(np.ones(2), np.ones(2), np.array([True, False]), np.array([2.0, 0.0]))
    assert to_drop(record, Health()).tolist() == [False, False]
    assert to_drop(record, Health(drop_after=1.9)).tolist() == [True, False]
    assert to_drop(record, Health(drop_after=2.1)).tolist() == [False, False]
