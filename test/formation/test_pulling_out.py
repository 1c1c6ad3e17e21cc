"""Cars that stand too close to turn pull out along their headings; robots that can go anywhere make room."""

import numpy as np
import pytest
from parked_robots import KEEP, parked

from swarm_control.formation.forming.legs import free
from swarm_control.formation.forming.pulling_out import pulled_out


@pytest.mark.parametrize("n", [2, 4, 6])
def test_crowded_cars_find_a_first_leg_along_their_headings(n):
    found = 0
    for seed in range(20):
        start, cars = parked(seed, n)
        keep, wider = np.full(n, KEEP), np.full(n, 1.5 * KEEP)
        places = pulled_out(start, keep, wider, cars)
        for place in places:
            gone = place - start[:, :2]
            aside = np.cos(start[:, 2]) * gone[:, 1] - np.sin(start[:, 2]) * gone[:, 0]
            assert np.abs(aside[cars]).max(initial=0.0) < 1e-9, "cars leave along their headings"
            assert free(np.array([start[:, :2], place]), keep)
            apart = np.linalg.norm(place[:, None] - place, axis=-1) + 9.0 * np.eye(n)
            assert apart.min() > 2.0 * KEEP - 1e-6
        found += len(places) > 0
    assert found >= 16, f"{found} of 20 pull out"
