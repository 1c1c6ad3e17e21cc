import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.behaviours import BEHAVIOURS
from swarm_control.core.accumulation import Accumulation, accumulate
from swarm_control.core.state import Requests

ORDER = tuple(BEHAVIOURS)
NAMES = ("separation", "alignment", "cohesion")


def put(requests, limit=1.0, names=NAMES, **params):
    wanted = np.array(requests, float).reshape(len(names), -1, 2)
    return accumulate(Requests(names, wanted), np.full(wanted.shape[1], limit), Accumulation(**params))


def test_weighted_is_the_sum_when_it_fits():
    got = put([(0.1, 0.0), (0.2, 0.3), (0.0, -0.1)], method="weighted", gain=2.0)
    assert got.total == pytest.approx(np.array([(0.6, 0.4)]))


def test_weighted_is_shortened_to_the_limit_in_its_direction():
    got = put([(3.0, 0.0), (0.0, 2.0), (0.0, 2.0)], limit=2.5, method="weighted")
    assert got.total == pytest.approx(np.array([(1.5, 2.0)]))
    assert got.share[:, 0] == pytest.approx(np.array([(1.5, 0.0), (0.0, 1.0), (0.0, 1.0)]))


def test_prioritised_fills_the_limit_in_order_of_urgency():
    """Magnitudes 0.6 and 0.3 fit in 1; of 0.5 there is room for 0.1, whatever the directions; nothing is left for the rest."""
    names = ("separation", "alignment", "cohesion", "seek")
    got = put([(0.6, 0.0), (-0.3, 0.0), (0.3, 0.4), (9.0, 9.0)], names=names, priority=names)
    assert got.share[:, 0] == pytest.approx(np.array([(0.6, 0.0), (-0.3, 0.0), (0.06, 0.08), (0.0, 0.0)]))
    assert got.total == pytest.approx(np.array([(0.36, 0.08)]))


def test_the_first_that_is_too_much_takes_everything():
    got = put([(3.0, 4.0), (0.1, 0.0), (0.1, 0.0)], priority=NAMES)
    assert got.share[:, 0] == pytest.approx(np.array([(0.6, 0.8), (0, 0), (0, 0)]))


def test_priority_is_what_the_parameter_says_and_the_usual_order_for_the_rest():
    requests = [(0.9, 0.0), (0.0, 0.9), (-0.9, 0.0)]
    assert put(requests, priority=("cohesion", "separation", "alignment")).total == pytest.approx(np.array([(-0.8, 0.0)]))
    assert put(requests, priority=("cohesion",)).total == pytest.approx(np.array([(-0.8, 0.0)]))
    assert put(requests, priority=()).total == pytest.approx(np.array([(0.9, 0.1)]))


def test_gain_multiplies_requests_before_the_limit():
    got = put([(0.2, 0.0), (0.0, 0.2), (0.0, 0.0)], gain=5.0, priority=NAMES)
    assert got.share[:, 0] == pytest.approx(np.array([(1, 0), (0, 0), (0, 0)]))


@given(st.integers(0, 2**32), st.sampled_from(("weighted", "prioritised")), st.integers(1, len(ORDER)), st.floats(0.0, 100.0))
@settings(deadline=None)
def test_shares_sum_to_the_total_within_the_limit_and_along_the_requests(seed, method, behaviours, gain):
    rng = np.random.default_rng(seed)
    names = tuple(rng.permutation(ORDER)[:behaviours])
    wanted = rng.normal(0.0, 10.0 ** rng.integers(-3, 3), (behaviours, 30, 2)) * (rng.random((behaviours, 30, 1)) < 0.8)
    limit = rng.uniform(0.001, 5.0, 30)
    got = accumulate(Requests(names, wanted), limit, Accumulation(method=method, gain=gain, priority=tuple(rng.permutation(ORDER)[:4])))
    assert np.allclose(got.share.sum(axis=0), got.total, atol=1e-12)
    assert (np.hypot(*got.total.T) <= limit * (1.0 + 1e-12)).all()
    assert np.allclose(got.share[..., 0] * wanted[..., 1], got.share[..., 1] * wanted[..., 0], atol=1e-9)
    assert ((got.share * wanted).sum(axis=2) >= 0.0).all()
    if method == "prioritised":
        assert (np.hypot(got.share[..., 0], got.share[..., 1]).sum(axis=0) <= limit * (1.0 + 1e-12)).all()
    if gain * np.hypot(wanted[..., 0], wanted[..., 1]).sum(axis=0).max() < limit.min():
        assert np.allclose(got.share, gain * wanted)


def test_no_behaviour_gives_no_acceleration():
    got = accumulate(Requests((), np.zeros((0, 4, 2))), np.ones(4), Accumulation())
    assert got.total.shape == (4, 2) and not got.total.any() and got.share.shape == (0, 4, 2)
