import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from swarm_control.core.geometry import hexagonal_lattice, limit_norm, norm, rotate, unit, wrap

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


@given(st.tuples(*[st.floats(-3.0, 3.0)] * 2).map(np.array), st.tuples(*[st.floats(0.5, 4.0)] * 2).map(np.array), st.floats(0.3, 1.0))
def test_a_hexagonal_lattice_fills_its_box_and_nothing_else(low, size, step):
    points = hexagonal_lattice(low, low + size, step, low + 0.4 * size)
    assert (points >= low).all() and (points <= low + size).all()
    apart = np.linalg.norm(points[:, None] - points, axis=-1) + 9.0 * np.eye(len(points))
    assert apart.min(initial=9.0) > step * (1.0 - 1e-9)
    cells = size[0] * size[1] / (np.sqrt(0.75) * step**2)
    assert abs(len(points) - cells) <= 2.0 * size.sum() / step + 4.0
    assert np.linalg.norm(points - (low + 0.4 * size), axis=1).min() == pytest.approx(0.0, abs=1e-9)
