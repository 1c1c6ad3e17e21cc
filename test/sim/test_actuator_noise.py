"""Actuators that are not exact: how much executed twists differ from commands, and that a run with them repeats."""

import numpy as np
import pytest

from swarm_control.analysis.simulation import simulate
from swarm_control.core.state import Commands
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Simulator
from swarm_control.scenario.setup import prepare
from swarm_control.sim.actuator_noise import ActuatorNoise

TEXT = """
duration: 4
simulator: {{noise_speed: {speed}, noise_turn: {turn}}}
robots: [{{count: 40, model: omni, max_speed: 2, max_acceleration: 100, start: {{pattern: grid, spacing: 3}}}}]
control: {{seek: {{weight: 1}}, accumulation: {{method: weighted}}, safety: {{speed_cap: 0.5}}}}
goals: [{{position: [100000, 0]}}]
"""


def test_each_speed_is_off_by_its_share_of_the_command_anew_in_each_tick():
    noise = ActuatorNoise(Simulator(noise_speed=0.1, noise_turn=0.3), np.random.default_rng(0))
    twist = np.array([[2.0, -1.0, 0.5], [0.0, 0.0, 0.0]])
    done = np.array([noise.executed(Commands(twist)).twist for _ in range(20_000)])
    assert np.allclose(done[:, 0].mean(axis=0), twist[0], rtol=0.01)
    assert np.allclose(done[:, 0].std(axis=0), [0.2, 0.1, 0.15], rtol=0.03)
    assert np.abs(np.corrcoef(done[:, 0].T) - np.eye(3)).max() < 0.03
    assert abs(np.corrcoef(done[1:, 0, 0], done[:-1, 0, 0])[0, 1]) < 0.03
    assert (done[:, 1] == 0.0).all(), "who is told to stand, stands"


def test_exact_actuators_leave_commands_alone():
    commands = Commands(np.ones((3, 3)), np.ones(3, bool))
    assert ActuatorNoise(Simulator(), np.random.default_rng(0)).executed(commands) is commands


@pytest.fixture
def run(tmp_path):
    def run(speed=0.0, turn=0.0, seed=0):
        path = tmp_path / "noise.yaml"
        path.write_text(TEXT.format(speed=speed, turn=turn))
        loaded = load(str(path), (f"seed={seed}",))
        return simulate(loaded, prepare(loaded.scenario, loaded.source)).recorder.trajectory()

    return run


def test_speed_noise_spreads_robots_by_what_their_ticks_add_up_to(run):
    """At constant speed v the way after T ticks spreads by ``share·v·period·√T``; the turn rate has no part in it."""
    exact, noisy = (run(speed).pose[-1, :, 0] - run(speed).pose[-21, :, 0] for speed in (0.0, 0.2))
    assert exact.std() < 1e-6
    assert noisy.std() == pytest.approx(0.2 * 0.5 * 0.05 * np.sqrt(20), rel=0.4)


def test_runs_repeat_and_follow_the_seed(run):
    first, same, other = run(0.2, 0.2), run(0.2, 0.2), run(0.2, 0.2, seed=1)
    assert (first.pose == same.pose).all() and (first.pose != other.pose).any()
