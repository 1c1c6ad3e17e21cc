import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from swarm_control.core.geometry import limit_norm, norm, rotate, unit, wrap

VECTORS = arrays(float, (7, 2), elements=st.floats(-1e6, 1e6, allow_subnormal=False))
ANGLES = arrays(float, 7, elements=st.floats(-50.0, 50.0))


@given(ANGLES)
def test_wrapping_keeps_the_direction_within_half_a_turn(angle):
    wrapped = wrap(angle)
    assert (wrapped >= -np.pi).all() and (wrapped < np.pi).all()
    assert np.allclose(np.exp(1j * wrapped), np.exp(1j * angle))


@given(VECTORS, ANGLES)
def test_rotation_keeps_length_and_adds_angles(vectors, angle):
    turned = rotate(vectors, angle)
    assert np.allclose(turned @ [1, 1j], (vectors @ [1, 1j]) * np.exp(1j * angle))


@given(VECTORS, st.just(0.0) | st.floats(1e-9, 10.0))
def test_limit_shortens_what_is_too_long_and_nothing_else(vectors, limit):
    short = limit_norm(vectors, limit)
    assert (norm(short) <= limit * (1 + 1e-12)).all()
    assert np.array_equal(short[norm(vectors) <= limit], vectors[norm(vectors) <= limit])
    assert np.allclose(short * norm(vectors)[:, None], vectors * norm(short)[:, None], rtol=1e-9)


@given(VECTORS)
def test_unit_vectors_are_of_length_one_or_zero(vectors):
    length = norm(unit(vectors))
    assert np.allclose(length[norm(vectors) > 0], 1.0)
    assert not length[norm(vectors) == 0].any()
