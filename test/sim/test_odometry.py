import numpy as np
import pytest
from teams import at

from swarm_control.core.state import SwarmState
from swarm_control.scenario.schema import Simulator
from swarm_control.sim.odometry import OdometryChannel

PERIOD = 0.05


def truth(tick: int, n: int = 1) -> SwarmState:
    """Robots at x = tick."""
    pose = np.column_stack((np.full(n, float(tick)), np.zeros((n, 2))))
    return SwarmState.of(tick * PERIOD, pose, np.tile([1.0, 0.0, 0.0], (n, 1)))


def hear(simulator: Simulator, ticks: int, n: int = 1, timeout: float = 0.5, seed: int = 0) -> list[SwarmState]:
    odometry = OdometryChannel(simulator, PERIOD, timeout, np.random.default_rng(seed))
    return [odometry.observe(truth(k, n)) for k in range(ticks)]


def test_without_any_spoiling_the_truth_itself_is_heard():
    odometry = OdometryChannel(Simulator(), PERIOD, 0.5, np.random.default_rng(0))
    state = at((1.0, 2.0, 3.0))
    assert odometry.observe(state) is state


@pytest.mark.parametrize(("delay", "ticks"), [(0.0, 0), (0.02, 0), (0.03, 1), (0.1, 2), (0.24, 5)])
def test_delay_is_rounded_to_whole_ticks_and_nothing_is_heard_before(delay, ticks):
    heard = hear(Simulator(delay=delay, noise_velocity=1e-12), 12)
    for k, state in enumerate(heard):
        assert state.time == pytest.approx(k * PERIOD)
        assert state.valid[0] == (k >= ticks)
        if k >= ticks:
            assert state.pose[0, 0] == k - ticks


def test_noise_has_the_asked_deviation_on_each_quantity():
    n = 20000
    heard = hear(Simulator(noise_position=0.3, noise_heading=20.0, noise_velocity=0.07), 3, n)[2]
    error = heard.pose - truth(2, n).pose
    spread = 4.0 / np.sqrt(2 * n)  # four standard errors of a standard deviation
    assert error[:, :2].std(axis=0) == pytest.approx([0.3, 0.3], rel=spread)
    assert error[:, 2].std() == pytest.approx(np.deg2rad(20.0), rel=spread)
    assert (heard.velocity - truth(2, n).velocity).std(axis=0) == pytest.approx([0.07] * 3, rel=spread)
    assert np.abs(error.mean(axis=0)).max() < 4.0 * 0.35 / np.sqrt(n)
    assert np.abs(np.corrcoef(error.T) - np.eye(3)).max() < 4.0 / np.sqrt(n)


def test_noisy_headings_stay_wrapped():
    odometry = OdometryChannel(Simulator(noise_heading=180.0), PERIOD, 0.5, np.random.default_rng(0))
    yaw = odometry.observe(at(np.tile([0.0, 0.0, 3.1], (1000, 1)))).pose[:, 2]
    assert yaw.min() >= -np.pi
    assert yaw.max() < np.pi


def test_loss_takes_its_share_and_the_last_message_heard_stays():
    n, loss = 20000, 0.3
    heard = hear(Simulator(loss=loss), 8, n)
    previous = np.full(n, np.nan)
    for k, state in enumerate(heard):
        x = np.where(state.valid, state.pose[:, 0], np.nan)
        fresh = x == k
        assert fresh.mean() == pytest.approx(1.0 - loss, abs=4.0 * np.sqrt(loss * (1.0 - loss) / n))
        assert np.array_equal(x[~fresh], previous[~fresh], equal_nan=True)
        previous = x


def test_a_robot_is_invalid_while_its_last_message_is_too_old():
    odometry = OdometryChannel(Simulator(noise_position=1e-9), PERIOD, 0.2, np.random.default_rng(0))
    odometry.observe(truth(0))
    silent = SwarmState.of(0.0, np.zeros((1, 3)), np.zeros((1, 3)), np.array([False]))
    valid = [odometry.observe(SwarmState(k * PERIOD, silent.pose, silent.velocity, silent.valid)).valid[0] for k in range(1, 8)]
    assert valid == [True, True, True, True, False, False, False]
    assert odometry.observe(truth(8)).valid[0]


@pytest.mark.parametrize(("delay", "heard"), [(0.1, True), (0.2, True), (0.25, False), (1.0, False)])
def test_age_counts_from_when_a_message_was_measured(delay, heard):
    states = hear(Simulator(delay=delay), 40, timeout=0.2)
    assert any(state.valid.any() for state in states) == heard


def test_everything_lost_is_never_heard():
    assert not any(state.valid.any() for state in hear(Simulator(loss=1.0), 10, 5))


def test_the_same_generator_gives_the_same_bits():
    simulator = Simulator(noise_position=0.1, noise_heading=5.0, noise_velocity=0.1, loss=0.2, delay=0.1)
    runs = [[state.pose.tobytes() + state.valid.tobytes() for state in hear(simulator, 20, 10, seed=seed)] for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_what_was_heard_does_not_change_later():
    odometry = OdometryChannel(Simulator(noise_position=0.1, loss=0.5), PERIOD, 0.5, np.random.default_rng(0))
    first = odometry.observe(truth(0, 10))
    before = first.pose.copy()
    for k in range(1, 5):
        odometry.observe(truth(k, 10))
    assert (first.pose == before).all()
