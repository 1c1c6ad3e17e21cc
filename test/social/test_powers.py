"""Powers in vector instructions, against those of numpy in extended precision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.core.compiled import bits_of, float_of
from swarm_control.social.powers import BLOCK, add_powers, exp2, log2

EXTENDED = np.finfo(np.longdouble).eps < 1e-18


@pytest.mark.skipif(not EXTENDED, reason="no extended precision here to compare with")
@pytest.mark.parametrize(("exponent", "error"), [(0.1, 5e-14), (1.3, 5e-14), (3.7, 5e-14), (-2.2, 5e-14), (20.7, 2e-13)])
def test_powers_err_as_little_as_is_said(exponent, error):
    square = 10.0 ** np.random.default_rng(3).uniform(-12.0, 12.0, 200 * BLOCK)
    found = np.zeros_like(square)
    for k in range(0, len(square), BLOCK):
        log = np.array([log2(value) for value in square[k : k + BLOCK]])
        add_powers(log, BLOCK, 1.0, exponent, found[k : k + BLOCK])
    exact = square.astype(np.longdouble) ** (-0.5 * np.longdouble(exponent))
    assert np.abs(found / exact - 1.0).max() < error


@given(st.floats(1e-300, 1e300))
def test_a_power_undoes_a_logarithm(x):
    assert exp2(log2(x)) == pytest.approx(x, rel=1e-12)
    assert log2(2.0 * x) - log2(x) == pytest.approx(1.0, abs=1e-12)


def test_numbers_beyond_all_bounds_count_as_the_largest():
    assert exp2(-5000.0) == exp2(-1000.0) > 0.0 and exp2(5000.0) == exp2(1000.0) < np.inf
    assert [round(log2(2.0**k), 12) for k in (-500, -1, 0, 1, 500)] == [-500.0, -1.0, 0.0, 1.0, 500.0]


@given(st.floats(allow_nan=False))
def test_bits_are_those_of_the_machine_also_where_nothing_is_compiled(x):
    assert np.uint64(bits_of(x)) == np.float64(x).view(np.uint64) and float_of(bits_of(x)) == x
