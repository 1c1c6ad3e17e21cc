import numpy as np
import pytest

from swarm_control.analysis.moments import Moments


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_moments_are_those_of_all_numbers(offset):
    values = offset + np.random.default_rng(0).normal(size=10_000)
    found = Moments()
    for value in values:
        found.add(value)
    assert found.mean == pytest.approx(values.mean(), rel=1e-14, abs=1e-14)
    assert found.std == pytest.approx(values.std(), rel=1e-9)
    assert found.most == values.max()
    assert [type(value) for value in (found.mean, found.std, found.most)] == [float] * 3


def test_nothing_has_no_moments():
    found = Moments()
    assert (found.mean, found.std, found.most) == (None, None, None)
    found.add(2.0)
    assert (found.mean, found.std, found.most) == (2.0, 0.0, 2.0)
