"""Cars that stand too close to turn pull out along their headings; robots that can go anywhere make room."""

import numpy as np
import pytest

from swarm_control.formation.forming.legs import free
from swarm_control.formation.forming.pulling_out import pulled_out

KEEP = 0.17


def parked(seed, n):
    """Robots in a crowded row or grid, some of them cars, most of which face the same way: poses (N, 3), who is a car."""
    rng = np.random.default_rng(seed)
    k = np.arange(n)
    place = 2.15 * KEEP * np.column_stack((k // 3, k % 3)) + rng.uniform(-0.01, 0.01, (n, 2))
    return np.column_stack((place, rng.uniform(-0.3, 0.3, n) + np.pi * (rng.random(n) < 0.2))), rng.random(n) < 0.7


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
