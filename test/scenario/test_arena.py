"""Discs that chance puts into an arena are discs."""

import numpy as np
import pytest

from swarm_control.scenario.arena import _disc


@pytest.mark.parametrize("radius", [1.0, 2.4, 7.0])
def test_a_disc_has_the_cells_whose_middles_lie_in_it(radius):
    disc = _disc(radius)
    half = int(np.ceil(radius))
    assert disc.shape == (2 * half + 1, 2 * half + 1)
    inside = [[np.hypot(i - half, j - half) <= radius for j in range(2 * half + 1)] for i in range(2 * half + 1)]
    assert disc.tolist() == inside
    assert (disc == disc[::-1]).all() and (disc == disc.T).all()
