"""How far ahead of robots the point is that requests accelerate, and where their turning circles end."""

import numpy as np
import pytest
from swarms import fleet

from swarm_control.core.motion import Motion, leads


@pytest.mark.parametrize("ahead", [0.1, 0.3])
def test_a_car_needs_the_width_of_its_least_turn_more_and_who_turns_on_the_spot_does_not(ahead):
    params = Motion(look_ahead=ahead)
    assert leads(fleet(2, "car", speed=0.8, turn=2.0), params) == pytest.approx(np.tile([ahead, ahead + 2.0 * 0.8 / 2.0], (2, 1)))
    assert leads(fleet(2, "differential", speed=0.8, turn=2.0), params) == pytest.approx(np.tile([ahead, ahead], (2, 1)))
    assert leads(fleet(2, "omni"), params) is None
