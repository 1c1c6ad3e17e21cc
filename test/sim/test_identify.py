"""How robots are tried out: what they are told at random."""

from types import SimpleNamespace

import numpy as np
import pytest

from swarm_control.sim.mujoco import identify


@pytest.mark.parametrize("rolls", [False, True])
def test_twists_at_random_are_in_all_directions_or_both_ways_and_up_to_the_limits(monkeypatch, rolls):
    told = []
    engine = SimpleNamespace(step=lambda commands: told.append(commands.twist), fallen=np.zeros(identify.LEVELS * identify.EACH, bool))
    engine.fallen[-1] = True
    monkeypatch.setattr(identify, "_engine", lambda *given: engine)
    trial = identify._wild(2.0, 3.0, rolls, 0.2, 0.0, 5)
    assert trial.stood.tolist() == [True] * (identify.LEVELS - 1) + [False] and trial.held == pytest.approx(1.0 - 1.0 / identify.LEVELS)
    assert len(told) == round(identify.WILD / identify.DT) and (told[0] == told[49]).all() and (told[0] != told[50]).any()
    twist = np.array(told[::50]) / np.repeat(trial.told, identify.EACH)[:, None]
    speed, course = np.hypot(*twist[..., :2].T), np.arctan2(twist[..., 1], twist[..., 0])
    assert 1.95 < speed.max() < 2.0 + 1e-9 and 2.9 < np.abs(twist[..., 2]).max() < 3.0 + 1e-9
    assert abs(twist.mean(axis=(0, 1))).max() < 0.15, "no way more often than another"
    assert (np.abs(twist[..., 1]).max() < 1e-9) == rolls
    quarter = [np.mean(np.cos(course - angle) > 0.0) for angle in (0.0, np.pi / 2, np.pi, -np.pi / 2)]
    assert min(quarter[::2]) > 0.4 and (rolls or min(quarter) > 0.4)
