"""When what is known of robots was measured, and what robots know of themselves."""

import numpy as np

from swarm_control.core.state import SwarmState
from swarm_control.runtime.observation import Heard, Observation


def state(time, x, valid):
    return SwarmState.of(time, np.array([[place, 0.0, 0.0] for place in x]), np.zeros((len(x), 3)), np.array(valid))


def test_what_is_of_now_was_measured_now_and_who_was_never_heard_has_no_stamp():
    heard = Heard(state(3.0, (0.0, 1.0), (True, False)))
    assert heard.stamps.tolist() == [3.0, -np.inf]
    assert Heard(heard.state, np.array([1.0, 2.0])).stamps.tolist() == [1.0, 2.0]


def test_each_robot_knows_of_itself_what_it_hears_itself():
    mine, yours = state(3.0, (0.1, 9.0), (True, False)), state(3.0, (8.0, 1.1), (False, True))
    common = state(3.0, (0.0, 1.0), (False, False))
    own, measured = Observation(common, each=(Heard(mine), Heard(yours))).own()
    assert own.pose[:, 0].tolist() == [0.1, 1.1] and own.valid.all() and measured is None
    own, measured = Observation(common, each=(Heard(mine, np.array([2.5, 0.0])), Heard(yours))).own()
    assert measured.tolist() == [2.5, 3.0]
    assert Observation(common, np.ones(2)).own()[0] is common
