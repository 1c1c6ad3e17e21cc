"""The far field's polynomial against the sum that it stands for."""

import numpy as np
import pytest

from swarm_control.social.far import TERMS, add_cell, error_bound, value

SOURCES = np.array([[1.0, 0.3], [-0.6, 0.9], [0.2, -1.1], [-0.6, -0.1], [0.9, 0.8]])
TARGETS = np.array([[0.7, -0.4], [-0.5, 0.8], [0.3, 0.9], [0.6, 0.6]])


BROKEN = [[-0.7, 0.5], [0.4, 2.9]]
LAWS = {
    **{f"r^-{power}": ((False,), [[0.0]], [[1.0, power]], (0, 1)) for power in (0.5, 2.0, 3.0, 4.7)},
    "even": ((False,), [[0.0, 0.3, -1.7, 0.8]], [[0.0, 0.0]], (4, 0)),
    "whole": ((True,), [[0.0, 0.3, -1.7, 0.8, 0.6]], [[0.0, 0.0]], (5, 0)),
    "both": ((False,), [[0.0, 0.3, 0.8]], BROKEN, (3, 2)), "all": ((True,), [[0.0, 0.3, 0.8]], BROKEN, (3, 2)),
}  # fmt: skip
"""Whether powers are whole or even; their coefficients from 0 on; coefficient and power of broken ones; how many there are of each."""


def strength(law, r):
    """g(r) of a law, m⁻²."""
    (root,), whole, broken, (count, more) = law
    even = sum(c * r ** -((1.0 if root else 2.0) * m) for m, c in enumerate(whole[0][:count]))
    return even + sum(c * r**-power for c, power in broken[:more])


def error(law, size, way):
    """Greatest error (m⁻²) of the polynomial where the two cells are of ``size`` (m) and ``way`` (2,) m apart."""
    sources, targets = size * (SOURCES - SOURCES.mean(axis=0)), size * TARGETS
    x, y = sources.T
    moment = np.array([(x * x).sum(), (x * y).sum(), (y * y).sum(), (x**3).sum(), (x * x * y).sum(), (x * y * y).sum(), (y**3).sum()])
    local = np.zeros(TERMS)
    root, whole, broken, terms = law
    add_cell(local, *way, len(sources), moment, 0, np.array(root), np.array(whole), np.array([broken]), np.array([terms]))
    away = np.array(way) + sources - targets[:, None]
    exact = (away * strength(law, np.linalg.norm(away, axis=2, keepdims=True))).sum(axis=1)
    return np.abs(np.array([value(local, *target) for target in targets]) - exact).max()


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("way", [(2.0, 1.0), (-1.0, 2.0), (0.5, -2.2)])
def test_what_is_left_out_is_of_the_fourth_order(law, way):
    assert 11.0 < error(LAWS[law], 0.08, way) / error(LAWS[law], 0.04, way) < 24.0


@pytest.mark.parametrize("exponent", [-1.0, 0.5, 1.0, 2.0, 3.5])
@pytest.mark.parametrize("opening", [0.1, 0.3, 0.6])
def test_the_bound_of_the_error_is_what_the_series_leaves_out(exponent, opening):
    """``(1 − θ)^−s`` without the first four terms of its binomial series, which are summed here from the fifth on."""
    s, term, left = max(exponent, 1.0), 1.0, 0.0
    for n in range(400):
        left += term if n >= 4 else 0.0
        term *= (s + n) / (n + 1.0) * opening
    assert error_bound(exponent, opening) == pytest.approx(left * (1.0 + opening) ** max(exponent, 0.0), rel=1e-6)
