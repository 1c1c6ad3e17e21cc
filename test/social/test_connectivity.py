"""How connected graphs are, against taking vertices away one set after the other, and the graphs made to be so."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.social.connectivity import connectivity, harary, is_connected, trilaterated
from swarm_control.social.springs import is_rigid


def stays_connected(count, ends, gone):
    left = set(range(count)) - set(gone)
    reached, border = set(), [min(left)]
    while border:
        v = border.pop()
        if v not in reached:
            reached.add(v)
            border += [int(b) for a, b in itertools.chain(ends, ends[:, ::-1]) if a == v and b in left]
    return reached == left


def by_taking_away(count, ends, k):
    return count > k and all(stays_connected(count, ends, gone) for gone in itertools.combinations(range(count), k - 1))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 7), st.floats(0.3, 1.0))
def test_flows_count_as_taking_away_does(seed, count, share):
    pairs = np.array(list(itertools.combinations(range(count), 2)))
    ends = pairs[np.random.default_rng(seed).uniform(size=len(pairs)) < share]
    for k in range(1, 5):
        assert is_connected(count, ends, k) == by_taking_away(count, ends, k)


def test_closed_forms():
    ring = np.array([[k, (k + 1) % 6] for k in range(6)])
    assert connectivity(6, ring) == 2
    assert connectivity(6, ring[:-1]) == 1
    assert connectivity(6, ring[1:-1]) == 0
    for count in (1, 2, 3, 5):
        every = np.array(list(itertools.combinations(range(count), 2)), int).reshape(-1, 2)
        assert connectivity(count, every) == count - 1
        assert not is_connected(count, every, count) and not is_connected(count, every, count + 1)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 5), st.integers(1, 12))
def test_hararys_graph_is_connected_as_told_with_the_fewest_edges(k, more):
    count = k + more
    ends = harary(count, k)
    assert len(ends) == -(-k * count // 2)
    assert connectivity(count, ends) == k


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([2, 3]), st.integers(2, 15))
def test_a_trilaterated_graph_is_rigid_connected_and_small(seed, d, more):
    position = np.random.default_rng(seed).normal(size=(d + more, d))
    ends = trilaterated(position)
    n = len(position)
    assert len(ends) == (d + 1) * n - (d + 1) * (d + 2) // 2
    assert is_connected(n, ends, d + 1)
    assert is_rigid(ends, position)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_a_trilaterated_graph_does_not_depend_on_the_frame(seed):
    rng = np.random.default_rng(seed)
    position, angle = rng.normal(size=(12, 2)), rng.uniform(0.0, 6.0)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    assert np.array_equal(trilaterated(position), trilaterated(3.0 * position @ turn.T + 5.0))


def test_too_few_vertices_are_refused():
    for graph in (lambda: harary(3, 3), lambda: trilaterated(np.zeros((3, 2)))):
        with pytest.raises(ValueError, match="3 vertices found, expected more than 3"):
            graph()
