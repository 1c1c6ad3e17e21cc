"""Contacts are counted once, from when they begin until the two have parted, wherever in the world that is."""

import numpy as np
import pytest

from swarm_control.sim.episodes import PARTED, Episodes

KEY = 0 * 3 + 1
"""The contact of the first two robots of two."""


@pytest.mark.parametrize("place", [(0.0, 0.0), (4.0, 7.0), (-3.0, 2.0)])
@pytest.mark.parametrize("way", [(1.0, 0.0), (0.0, 1.0), (-0.6, 0.8)])
def test_two_that_touch_again_before_they_have_parted_are_counted_once(place, way):
    episodes = Episodes(np.array([0.1, 0.2]), None)

    def update(room, touching):
        pose = np.zeros((2, 3))
        pose[:, :2] = place
        pose[1, :2] += (0.3 + room) * np.array(way)
        episodes.update(np.array([KEY] if touching else [], np.int64), pose)
        return episodes.count.tolist()

    assert update(0.0, True) == [1, 0] and episodes.begun.tolist() == [KEY]
    assert update(0.5 * PARTED, False) == [1, 0]
    assert update(0.0, True) == [1, 0] and episodes.begun.size == 0, "it has gone on"
    assert update(2.0 * PARTED, False) == [1, 0]
    assert update(0.0, True) == [2, 0], "they had parted"
