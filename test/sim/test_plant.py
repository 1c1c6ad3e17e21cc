"""What lets a control period pass: who is not alive stands, and what is heard has the time at which it was measured."""

import numpy as np
import pytest

from swarm_control.core.state import Commands
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.sim.engines import make_engine
from swarm_control.sim.plant import Plant


def plant(*changes):
    loaded = load("flock_frame", ["robots=3", "world=", "control.period=0.1", "robots.0.max_acceleration=50", *changes])
    setup = prepare(loaded.scenario, loaded.source)
    return Plant(loaded.scenario, setup, make_engine(loaded, setup))


def test_robots_that_are_not_alive_stand():
    made, told = plant(), np.tile((0.2, 0.0, 0.0), (3, 1))
    before = made.truth.position
    for _ in range(4):
        made.step(Commands(told), np.array([True, False, True]))
    gone = np.hypot(*(made.truth.position - before).T)
    assert made.time == pytest.approx(0.4) and gone == pytest.approx([0.08, 0.0, 0.08], abs=0.01) and gone[1] == 0.0
    made.step(Commands(told))
    assert np.hypot(*(made.truth.position - before).T)[1] == pytest.approx(0.02, abs=0.005)
    made.reset()
    assert made.time == 0.0 and (made.truth.position == before).all()


@pytest.mark.parametrize("delay", [0.0, 0.2])
def test_what_is_heard_was_measured_a_delay_ago(delay):
    made = plant(f"simulator.delay={delay}")
    for _ in range(5):
        made.step(Commands(np.zeros((3, 3))))
        made.observe()
    if delay:
        assert made.measured == pytest.approx(np.full(3, 0.5 - delay))
    else:
        assert made.measured is None
