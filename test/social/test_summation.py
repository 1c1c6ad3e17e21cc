"""Summation of forces: closed forms, conservation, invariances, and the tree's error against its bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.social.far import error_bound
from swarm_control.social.laws import Law
from swarm_control.social.summation import ROW, TREE_FROM, by_tree, forces
from swarm_control.social.table import law_table
from swarm_control.social.tree import make_tree

ANYBODY = (frozenset({""}),)
CORE = 0.01
CLUSTER = Law(equilibrium=1.0, repulsion=3.0, attraction=1.0)
LAWS = {
    "clustering": CLUSTER,
    "even exponents": Law(equilibrium=1.0, repulsion=4.0, attraction=2.0),
    "broken exponents": Law(equilibrium=1.0, repulsion=2.7, attraction=0.6),
    "many terms": Law(terms=(-1.0, 9.0, 2.0, 6.0, -3.0, 2.0, 1.0, 1.0)),
    "springs": Law(spring=0.3, length=1.5),
    "shell": Law(terms=(-1.0, 3.0, 1.0, 1.0), near=0.3, far=4.0),
}


def resultant(position, law=CLUSTER, method="direct", opening=0.4, source=None, core=CORE):
    position = np.asarray(position, float).reshape(-1, 2)
    source = position if source is None else np.asarray(source, float).reshape(-1, 2)
    table = law_table((law,) if isinstance(law, Law) else tuple(law), ANYBODY)
    kinds = np.zeros(len(position), np.int64), np.zeros(len(source), np.int64)
    return forces(position, kinds[0], source, kinds[1], table, core, method, opening)


def by_all_pairs(position, law, source=None):
    source = position if source is None else source
    offset = source[None] - position[:, None]
    distance = np.linalg.norm(offset, axis=2)
    pull = np.where(distance > 0.0, law.force(np.where(distance > 0.0, distance, 1.0)), 0.0)
    return (pull / np.where(distance > 0.0, distance, 1.0))[..., None] * offset


def scattered(seed, n, side=10.0):
    return np.random.default_rng(seed).uniform(0.0, side, (n, 2))


def distributions(n):
    rng = np.random.default_rng(7)
    side = np.sqrt(n)
    centres = rng.uniform(0.0, side, (12, 2))
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    return {
        "uniform": rng.uniform(0.0, side, (n, 2)),
        "clustered": centres[rng.integers(12, size=n)] + rng.normal(0.0, side / 60.0, (n, 2)),
        "ring": side * (1.0 + 0.02 * rng.normal(size=n))[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=-1),
    }


@pytest.mark.parametrize("method", ["direct", "tree"])
@pytest.mark.parametrize("name", LAWS)
def test_two_robots_feel_what_the_law_says(name, method):
    for distance in (0.2, 0.7, 1.0, 3.0, 5.0):
        angle = 0.3 + distance
        towards = np.array([np.cos(angle), np.sin(angle)])
        expected = float(LAWS[name].force(np.array(distance)))
        felt = resultant([[1.0, 2.0], np.array([1.0, 2.0]) + distance * towards], LAWS[name], method)
        assert np.allclose(felt, [expected * towards, -expected * towards], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", ["direct", "tree"])
@pytest.mark.parametrize("name", LAWS)
def test_both_sums_are_those_of_plain_numpy(name, method):
    position = scattered(1, 300)
    terms = by_all_pairs(position, LAWS[name])
    error = np.linalg.norm(resultant(position, LAWS[name], method, 0.05, core=1e-6) - terms.sum(axis=1), axis=1)
    assert (error <= 1e-6 * np.linalg.norm(terms, axis=2).sum(axis=1) + 1e-9).all()


@pytest.mark.parametrize("border", ["near", "far", "core"])
def test_who_is_beyond_a_border_of_the_law_is_not_summed_with_those_before_it(border):
    """A cluster that is small as seen from the target, and is cut in half by the distance at which the law begins or ends, or is capped."""
    law = Law(terms=(1.0, 3.0), **({} if border == "core" else {border: 1.0}))
    cluster = np.array([1.0, 0.0]) + 0.15 * np.random.default_rng(5).uniform(-1.0, 1.0, (600, 2))
    core = 1.0 if border == "core" else CORE
    felt, expected = (resultant([[0.0, 0.0]], law, method, 0.5, cluster, core) for method in ("tree", "direct"))
    whole = resultant([[0.0, 0.0]], Law(terms=(1.0, 3.0)), "direct", 0.5, cluster)
    assert np.abs(expected - whole).max() > 0.05 * np.abs(whole).max()
    np.testing.assert_allclose(felt, expected, rtol=0.01, atol=0.01 * np.abs(expected).max())


@given(st.integers(0, 10_000), st.sampled_from(sorted(LAWS)), st.floats(-4.0, 4.0), st.floats(-50.0, 50.0))
@settings(max_examples=30, deadline=None)
def test_turned_moved_and_renumbered_robots_feel_the_same(seed, name, angle, way):
    position = scattered(seed, 40)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    order = np.random.default_rng(seed).permutation(40)
    felt = resultant(position, LAWS[name])
    scale = np.linalg.norm(by_all_pairs(position, LAWS[name]), axis=2).sum(axis=1).max()
    assert np.allclose(resultant((position @ turn + [way, -way])[order], LAWS[name]), (felt @ turn)[order], atol=1e-9 * scale)


@pytest.mark.parametrize("name", LAWS)
def test_a_law_that_is_the_same_both_ways_moves_no_centre(name):
    position = scattered(2, 500)
    felt = resultant(position, LAWS[name])
    assert np.abs(felt.sum(axis=0)).max() < 1e-10 * np.abs(felt).sum()


def test_forces_between_groups_need_not_be_mutual():
    kinds = (frozenset({"", "hunter"}), frozenset({"", "prey"}), frozenset({"den"}))
    laws = (Law(acts_on="hunter", of="prey", terms=(1.0, 1.0)), Law(acts_on="prey", of="den", spring=2.0))
    position, den = np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([[2.0, 3.0]])
    source, kind = np.vstack((position, den)), np.array([0, 1, 2])
    for method in ("direct", "tree"):
        felt = forces(position, kind[:2], source, kind, law_table(laws, kinds), CORE, method)
        assert np.allclose(felt, [[0.5, 0.0], [0.0, 6.0]])


def test_nothing_is_felt_inside_a_ring_that_pulls_by_one_over_r():
    """In the plane 1/r is Newton's law: no force within a closed even ring, and all its mass at its centre from without."""
    angle = 2.0 * np.pi * np.arange(4000) / 4000
    ring = 5.0 * np.stack((np.cos(angle), np.sin(angle)), axis=-1)
    inside = np.array([[0.0, 0.0], [1.0, 2.0], [-3.0, 1.5]])
    outside = np.array([[7.0, 0.0], [0.0, -20.0]])
    for method, tolerance in (("direct", 1e-9), ("tree", 1e-2)):
        felt = resultant(np.vstack((inside, outside)), Law(terms=(1.0, 1.0)), method, source=ring)
        assert np.abs(felt[:3]).max() < 4000 / 5.0 * tolerance
        assert np.allclose(felt[3:], -4000 * outside / (outside**2).sum(axis=1)[:, None], rtol=tolerance, atol=4000 / 5.0 * tolerance)


def test_the_middle_of_a_hexagonal_lattice_is_at_rest_and_its_neighbours_sum_up():
    """Moved by ε the middle is pushed back by −ε·Σ (f′ + f/r)/2 over the lattice, sixfold symmetric."""
    i, j = np.meshgrid(np.arange(-12, 13), np.arange(-12, 13))
    lattice = np.stack((i + 0.5 * j, np.sqrt(0.75) * j), axis=-1).reshape(-1, 2)
    lattice = lattice[np.linalg.norm(lattice, axis=1) < 10.0]
    others = lattice[np.linalg.norm(lattice, axis=1) > 0.1]
    assert np.abs(resultant([[0.0, 0.0]], source=lattice)).max() < 1e-12
    r = np.linalg.norm(others, axis=1)
    slope = (CLUSTER.force(r + 1e-5) - CLUSTER.force(r - 1e-5)) / 2e-5
    stiffness = 0.5 * (slope + CLUSTER.force(r) / r).sum()
    moved = resultant([[1e-5, 0.0]], source=others)
    assert moved[0, 0] == pytest.approx(-1e-5 * stiffness, rel=1e-3) and abs(moved[0, 1]) < 1e-9


def test_robots_at_one_place_feel_nothing_of_each_other_and_forces_stay_finite():
    law = Law(terms=(-1.0, 6.0))
    for method in ("direct", "tree"):
        assert not resultant(np.ones((100, 2)), law, method, core=0.1).any()
    distance = np.array([1e-300, 1e-9, 0.05, 0.1, 0.2])
    felt = np.array([resultant([[0.0, 0.0], [d, 0.0]], law, core=0.1)[0, 0] for d in distance])
    assert np.allclose(felt, [-1e6 * 1e-299, -1e6 * 1e-8, -0.5e6, -1e6, -(0.2**-6.0)], rtol=1e-9)


def test_more_points_may_be_near_than_are_summed_in_one_go():
    position = scattered(6, 4 * ROW)
    felt = resultant(position, CLUSTER, "tree", core=50.0)
    assert np.allclose(felt, resultant(position, CLUSTER, core=50.0), rtol=1e-12, atol=1e-15) and felt.any()


@pytest.mark.parametrize("name", LAWS)
def test_the_tree_errs_little_for_every_law(name):
    position = distributions(3000)["clustered"]
    exact = resultant(position, LAWS[name])
    error = np.linalg.norm(resultant(position, LAWS[name], "tree") - exact, axis=1)
    assert np.median(error / np.linalg.norm(exact, axis=1)) < 1e-3


def test_nobody_and_somebody_alone_feel_nothing():
    for method in ("direct", "tree", "auto"):
        assert resultant(np.empty((0, 2)), CLUSTER, method).shape == (0, 2)
        assert resultant([[3.0, 4.0]], CLUSTER, method).tolist() == [[0.0, 0.0]]
        assert resultant([[3.0, 4.0]], CLUSTER, method, source=np.empty((0, 2))).tolist() == [[0.0, 0.0]]


def test_points_that_are_no_numbers_are_felt_as_such_and_end():
    position = scattered(3, 50)
    position[7] = np.nan
    for method in ("direct", "tree"):
        assert np.isnan(resultant(position, CLUSTER, method)).all(axis=1).sum() >= 1


@pytest.mark.parametrize("name", ["uniform", "clustered", "ring"])
def test_the_median_error_of_the_tree_is_a_thousandth_at_most(name):
    position = distributions(6000)[name]
    sample = np.arange(0, 6000, 6)
    exact = resultant(position[sample], source=position)
    error = np.linalg.norm(resultant(position, method="tree")[sample] - exact, axis=1)
    assert np.median(error / np.linalg.norm(exact, axis=1)) <= 1e-3


@given(st.integers(0, 10_000), st.sampled_from(["clustering", "even exponents", "broken exponents", "springs"]), st.floats(0.1, 0.8))
@settings(max_examples=25, deadline=None)
def test_the_error_of_the_tree_stays_below_its_bound_and_falls_with_the_opening(seed, name, opening):
    rng = np.random.default_rng(seed)
    position = rng.normal(0.0, 1.0, (600, 2)) * rng.uniform(0.5, 20.0, (600, 1))
    law = LAWS[name]
    exact = resultant(position, law)
    whole = sum(np.abs(c) * _magnitudes(position, exponent) * error_bound(exponent, opening) for c, exponent in law.powers)
    errors = [np.linalg.norm(resultant(position, law, "tree", angle) - exact, axis=1) for angle in (opening, 0.5 * opening)]
    assert (errors[0] <= whole + 1e-9).all()
    assert errors[1].mean() <= 0.5 * errors[0].mean() + 1e-9


def test_a_tree_is_made_where_it_is_asked_for_or_where_there_are_many_pairs():
    few, many = 10, int(np.sqrt(TREE_FROM)) + 1
    assert [by_tree(method, few, few) for method in ("direct", "tree", "auto")] == [False, True, False]
    assert [by_tree(method, many, many) for method in ("direct", "tree", "auto")] == [False, True, True]


def _magnitudes(position, exponent):
    distance = np.linalg.norm(position[None] - position[:, None], axis=2)
    np.fill_diagonal(distance, np.inf if exponent > 0.0 else 0.0)
    return (distance**-exponent).sum(axis=1) if exponent != 0.0 else np.full(len(position), len(position) - 1.0)


@pytest.mark.parametrize("count", [1, 2, 31, 33, 1000])
def test_a_tree_holds_every_point_once_and_knows_its_cells(count):
    points = np.round(scattered(4, count), 1)  # with equal coordinates
    tree = make_tree(points)
    assert sorted(tree.order) == list(range(count))
    assert np.array_equal(np.stack((tree.x, tree.y), axis=-1), points[tree.order])
    assert tree.bounds[tree.leaves][:, 0].tolist() == [0, *tree.bounds[tree.leaves][:-1, 1].tolist()]
    for cell, (low, high) in enumerate(tree.bounds):
        mine = points[tree.order[low:high]]
        d = mine - mine.mean(axis=0)
        assert np.allclose(tree.middle[cell], mine.mean(axis=0))
        assert tree.reach[cell] == pytest.approx(np.linalg.norm(d, axis=1).max(), abs=1e-12)
        x, y = d.T
        expected = [(x * x).sum(), (x * y).sum(), (y * y).sum(), (x**3).sum(), (x * x * y).sum(), (x * y * y).sum(), (y**3).sum()]
        assert np.allclose(tree.moment[cell], expected, atol=1e-9)
        if cell < tree.leaves.start:
            parts = [points[tree.order[slice(*tree.bounds[2 * cell + half])]] for half in (1, 2)]
            longer = int(np.argmax(np.ptp(mine, axis=0)))
            assert parts[0][:, longer].max(initial=-np.inf) <= parts[1][:, longer].min(initial=np.inf), "halved across its longer side"


def test_serial_and_parallel_sums_are_the_same_bits(monkeypatch):
    from swarm_control.core import compiled

    position = scattered(5, 3000, 50.0)
    for method in ("direct", "tree"):
        monkeypatch.setattr(compiled, "PARALLEL_FROM", 10**9)
        serial = resultant(position, CLUSTER, method)
        monkeypatch.setattr(compiled, "PARALLEL_FROM", 1)
        assert np.array_equal(serial, resultant(position, CLUSTER, method))
