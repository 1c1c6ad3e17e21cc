"""Insects in groups: over the time of a response half of an error is made good, and requests are acted on for as long."""

from dataclasses import replace

import numpy as np
import pytest

from swarm_control.core.motion import Motion
from swarm_control.errors import InputError
from swarm_control.robots import ROBOTS
from swarm_control.robots.hexapod import HexapodMotion
from swarm_control.robots.hexapod.body import anatomy
from swarm_control.robots.hexapod.body_parameters import Hexapod, Legs


@pytest.mark.parametrize("time", [0.15, 0.4])
def test_half_of_an_error_of_place_or_of_velocity_is_made_good_in_the_time_of_a_response(time):
    """By an even acceleration from rest: ½·k_p·e·t² = e/4 of the way, and k_v·e·t = e/2 of the velocity."""
    params = Motion(hexapod=HexapodMotion(response=time))
    position, velocity, horizon = ROBOTS["hexapod"].gains(params, 0.05)
    assert 0.5 * position * time**2 == pytest.approx(0.25) and velocity * time == pytest.approx(0.5) and horizon == time


def test_a_request_is_acted_on_for_a_response_or_for_a_period_if_that_is_longer():
    params = Motion(hexapod=HexapodMotion(response=0.15))
    assert [ROBOTS["hexapod"].response(params, period) for period in (0.05, 0.15, 0.2)] == [0.15, 0.15, 0.2]
    assert np.isfinite(ROBOTS["hexapod"].gains(params, 0.05)).all()


@pytest.mark.parametrize(("ahead", "aside", "fits"), [(0.6, 0.8, True), (2.5, 0.8, False), (0.6, 2.5, False)])
def test_feet_stand_where_legs_reach(ahead, aside, fits):
    legs = {"ahead": (ahead, -0.45, -1.15), "aside": (aside, 1.05, 0.95)}
    body = replace(Hexapod(), legs=replace(Legs(), **legs))
    if fits:
        assert anatomy(body).foothold[0, 1] == pytest.approx(0.3 + aside)
        return
    with pytest.raises(InputError, match=rf"^bodies\.hexapod\.legs: feet {ahead:g} cm ahead and {aside:g} cm aside found, expected w"):
        anatomy(body)
