"""The far field's polynomial against the sum that it stands for."""

import numpy as np
import pytest

from swarm_control.social.far import TERMS, add_cell, value

SOURCES = np.array([[1.0, 0.3], [-0.6, 0.9], [0.2, -1.1], [-0.6, -0.1], [0.9, 0.8]])
TARGETS = np.array([[0.7, -0.4], [-0.5, 0.8], [0.3, 0.9], [0.6, 0.6]])


def error(power, size, way):
    """Greatest error (m⁻²) of the polynomial for g = r^−power where the two cells are of ``size`` (m) and ``way`` (2,) m apart."""
    sources, targets = size * (SOURCES - SOURCES.mean(axis=0)), size * TARGETS
    x, y = sources.T
    moment = np.array([(x * x).sum(), (x * y).sum(), (y * y).sum(), (x**3).sum(), (x * x * y).sum(), (x * y * y).sum(), (y**3).sum()])
    local = np.zeros(TERMS)
    law = np.array([False]), np.zeros((1, 1)), np.array([[[1.0, power]]]), np.array([[0, 1]])
    add_cell(local, *way, len(sources), moment, 0, *law)
    away = np.array(way) + sources - targets[:, None]
    exact = (away * np.linalg.norm(away, axis=2, keepdims=True) ** -power).sum(axis=1)
    return np.abs(np.array([value(local, *target) for target in targets]) - exact).max()


@pytest.mark.parametrize("power", [0.5, 2.0, 3.0, 4.7])
@pytest.mark.parametrize("way", [(2.0, 1.0), (-1.0, 2.0), (0.5, -2.2)])
def test_what_is_left_out_is_of_the_fourth_order(power, way):
    assert 11.0 < error(power, 0.08, way) / error(power, 0.04, way) < 24.0
