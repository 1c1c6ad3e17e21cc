"""Springs on a graph: closed forms of rigidity, forces against the energy's gradient, and the one place of least energy."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.social.connectivity import harary, trilaterated
from swarm_control.social.springs import (  # fmt: skip
    SpringGraph,
    embedding,
    energy,
    forces,
    freedom,
    is_anchored,
    is_rigid,
    laplacian,
    rigidity_matrix,
    springs,
)

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
SIDES = np.array([[0, 1], [1, 2], [2, 3], [0, 3]])
SEEDS = st.integers(0, 10_000)
DIMENSIONS = st.sampled_from([2, 3])


def complete(n):
    return np.array(list(itertools.combinations(range(n), 2)))


def some(seed, d, n=9):
    """Springs of random stiffness and length on a random placement."""
    rng = np.random.default_rng(seed)
    ends = trilaterated(rng.normal(size=(n, d)))
    return SpringGraph(n, ends, rng.uniform(0.5, 2.0, len(ends)), rng.uniform(0.0, 1.0, len(ends))), rng.normal(size=(n, d)), rng


def turned(seed, d):
    q, r = np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))
    return q * np.sign(np.diag(r))


@pytest.mark.parametrize(
    ("position", "ends", "free"),
    [
        (SQUARE[:3], complete(3), 0),  # triangle
        (SQUARE, SIDES, 1),  # a square without a brace is a linkage
        (SQUARE, np.vstack((SIDES, [[0, 2]])), 0),  # with one it is not
        (SQUARE, complete(4), 0),  # K4 has one spring too many
        (SQUARE[:2], complete(2), 0),
        (np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), complete(3), 1),  # the middle of a line can move aside
        (np.vstack((np.zeros(3), np.eye(3))), complete(4), 0),  # tetrahedron
        (np.column_stack((SQUARE, np.zeros(4))), complete(4), 1),  # a flat one can bend
    ],
)
def test_closed_forms_of_rigidity(position, ends, free):
    assert freedom(ends, position) == free
    assert is_rigid(ends, position) == (free == 0)


def test_an_overbraced_square_has_one_state_of_stress():
    matrix = rigidity_matrix(complete(4), SQUARE)
    assert matrix.shape == (6, 8)
    assert np.linalg.matrix_rank(matrix) == 5


@given(SEEDS, DIMENSIONS)
def test_rigidity_matrix_is_the_gradient_of_half_squared_lengths(seed, d):
    held, position, rng = some(seed, d)
    step = 1e-6 * rng.normal(size=position.shape)
    half = [0.5 * ((p[held.ends[:, 1]] - p[held.ends[:, 0]]) ** 2).sum(axis=1) for p in (position + step, position - step)]
    assert np.allclose(rigidity_matrix(held.ends, position) @ step.ravel(), 0.5 * (half[0] - half[1]), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("at", [(0.0, 0.0, 0.0), (3.0, -2.0, 1.0)])
def test_a_rod_in_space_is_rigid_wherever_it_is(at):
    rod = np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]) + at
    assert freedom(np.array([[0, 1]]), rod) == 0 and is_rigid(np.array([[0, 1]]), rod)


def test_held_vertices_take_freedom_away():
    assert freedom(SIDES, SQUARE, np.array([0])) == 2  # turning about it, and shearing
    assert freedom(SIDES, SQUARE, np.array([0, 1])) == 1
    assert freedom(SIDES, SQUARE, np.array([0, 1, 2])) == 0


@given(SEEDS, DIMENSIONS)
def test_forces_are_minus_the_gradient_of_the_energy(seed, d):
    held, position, rng = some(seed, d)
    step = 1e-6 * rng.normal(size=position.shape)
    difference = float(energy(held, position + step) - energy(held, position - step))
    assert difference == pytest.approx(-2.0 * float((forces(held, position) * step).sum()), rel=1e-4, abs=1e-12)


@given(SEEDS, DIMENSIONS)
def test_turning_shifting_and_renaming_change_nothing_else(seed, d):
    held, position, rng = some(seed, d)
    turn, shift, order = turned(seed, d), rng.normal(size=d), rng.permutation(len(position))
    moved = position @ turn.T + shift
    assert np.allclose(energy(held, moved), energy(held, position))
    assert np.allclose(forces(held, moved), forces(held, position) @ turn.T, atol=1e-10)
    renamed = SpringGraph(held.count, np.argsort(order)[held.ends], held.stiffness, held.length)
    assert np.allclose(forces(renamed, position[order]), forces(held, position)[order])
    assert freedom(held.ends, moved) == freedom(held.ends, position)


@given(SEEDS, DIMENSIONS)
def test_no_force_on_the_whole_and_no_turning(seed, d):
    held, position, _ = some(seed, d)
    force = forces(held, position)
    assert np.allclose(force.sum(axis=0), 0.0)
    moment = np.einsum("ni,nj->ij", position, force)
    assert np.allclose(moment, moment.T, atol=1e-10)


def test_vertices_in_one_place_feel_nothing_of_each_other():
    held = SpringGraph(2, np.array([[0, 1]]), np.ones(1), np.ones(1))
    assert not forces(held, np.zeros((2, 2))).any()


def test_many_placements_at_once():
    held, position, rng = some(1, 2)
    many = position + rng.normal(size=(4, 1, 1))
    assert np.allclose(forces(held, many), np.stack([forces(held, p) for p in many]))
    assert energy(held, many).shape == (4,)


def test_a_line_of_equal_springs_is_evenly_spaced():
    line = SpringGraph(5, np.array([[0, 1], [1, 2], [2, 3], [3, 4]]), np.ones(4), np.zeros(4))
    rest = embedding(line, np.array([0, 4]), np.array([[0.0, 0.0], [4.0, 2.0]]))
    assert np.allclose(rest, np.linspace([0.0, 0.0], [4.0, 2.0], 5))


@given(SEEDS, DIMENSIONS)
def test_the_embedding_has_the_least_energy_and_no_force(seed, d):
    held, position, rng = some(seed, d)
    held = SpringGraph(held.count, held.ends, held.stiffness, np.zeros(len(held.ends)))
    leaders = np.arange(d + 1)
    rest = embedding(held, leaders, position[leaders])
    assert np.allclose(forces(held, rest)[d + 1 :], 0.0, atol=1e-10)
    other = rest.copy()
    other[d + 1 :] += rng.normal(size=other[d + 1 :].shape)
    assert energy(held, other) > energy(held, rest)
    assert np.isclose(energy(held, rest), 0.5 * np.einsum("nd,nm,md->", rest, laplacian(held), rest))


@given(SEEDS, DIMENSIONS)
def test_leaders_carry_the_structure_by_any_affine_map(seed, d):
    held, position, rng = some(seed, d)
    held = SpringGraph(held.count, held.ends, held.stiffness, np.zeros(len(held.ends)))
    leaders, matrix, shift = np.arange(d + 1), rng.normal(size=(d, d)), rng.normal(size=d)
    rest = embedding(held, leaders, position[leaders])
    assert np.allclose(embedding(held, leaders, position[leaders] @ matrix.T + shift), rest @ matrix.T + shift, atol=1e-9)


def test_the_minimum_is_unique_exactly_if_all_hang_on_leaders():
    apart = SpringGraph(4, np.array([[0, 1], [2, 3]]), np.ones(2), np.zeros(2))
    assert not is_anchored(apart, np.array([0]))
    with pytest.raises(ValueError, match="joined to no leading"):
        embedding(apart, np.array([0]), np.zeros((1, 2)))
    free = laplacian(apart)[1:, 1:]
    assert np.linalg.matrix_rank(free) < 3
    assert is_anchored(apart, np.array([0, 3]))
    embedding(apart, np.array([0, 3]), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="lengths of zero"):
        embedding(springs(SQUARE, SIDES), np.array([0]), np.zeros((1, 2)))


@settings(max_examples=20)
@given(SEEDS)
def test_only_three_connected_graphs_keep_the_plane_open(seed):
    rng = np.random.default_rng(seed)
    corner = np.array([[0.0, 0.0], [4.0, 0.0], [1.0, 3.0]])
    ends = harary(9, 3)
    held = SpringGraph(9, ends, rng.uniform(0.5, 2.0, len(ends)), np.zeros(len(ends)))
    rest = embedding(held, np.array([0, 3, 6]), corner)
    area = [np.linalg.det(rest[list(three)][1:] - rest[three[0]]) for three in itertools.combinations(range(9), 3)]
    assert np.abs(area).min() > 1e-12
    # vertices 3 and 4 hang on 1 and 2 alone: 2-connected, and they fall onto the line between them
    ends = np.array([[0, 1], [1, 2], [0, 2], [1, 3], [3, 4], [4, 2], [3, 2]])
    held = SpringGraph(5, ends, rng.uniform(0.5, 2.0, 7), np.zeros(7))
    rest = embedding(held, np.array([0, 1, 2]), corner)
    line = rest[[3, 4]] - corner[1]
    assert np.allclose(np.linalg.det(np.stack((line, np.broadcast_to(corner[2] - corner[1], (2, 2))), axis=1)), 0.0, atol=1e-12)


def test_three_connected_springs_with_lengths_have_other_minima():
    """A prism in the plane, leaders on one triangle: the other may lie anywhere on a circle, unstretched."""
    base = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 2.0]])
    ends = np.array([[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5], [0, 3], [1, 4], [2, 5]])
    first = np.vstack((base, base + np.array([0.5, 0.8])))
    held = springs(first, ends)
    # the same triangle, shifted by another vector of the same length: all nine springs keep their lengths
    other = np.vstack((base, base + np.array([0.8, -0.5])))
    assert energy(held, other) == pytest.approx(0.0, abs=1e-20)
    assert np.abs(other - first).max() > 1.0
