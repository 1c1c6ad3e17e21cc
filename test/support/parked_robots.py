"""Robots that stand as in a car park."""

import numpy as np

KEEP = 0.17
"""What each robot is to keep around its middle, m."""


def parked(seed, n):
    """Robots in a crowded row or grid, some of them cars, most of which face the same way: poses (N, 3), who is a car."""
    rng = np.random.default_rng(seed)
    k = np.arange(n)
    place = 2.15 * KEEP * np.column_stack((k // 3, k % 3)) + rng.uniform(-0.01, 0.01, (n, 2))
    return np.column_stack((place, rng.uniform(-0.3, 0.3, n) + np.pi * (rng.random(n) < 0.2))), rng.random(n) < 0.7
