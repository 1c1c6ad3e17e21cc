"""Force laws: closed forms of the clustering law, springs and ranges, and what is no law."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.social.laws import Law, equilibria, laws_between
from swarm_control.social.table import law_table

EXPONENTS = st.floats(0.1, 8.0)


@given(st.floats(0.05, 50.0), EXPONENTS, EXPONENTS, st.floats(0.01, 100.0))
@settings(deadline=None)
def test_the_clustering_law_is_in_balance_where_its_closed_form_says(distance, a, b, strength):
    repulsion, attraction = max(a, b) + 0.1, min(a, b)
    law = Law(equilibrium=distance, repulsion=repulsion, attraction=attraction, strength=strength)
    (c1, _), (c2, _) = law.powers
    assert distance == pytest.approx((-c1 / c2) ** (1.0 / (repulsion - attraction)), rel=1e-9)
    assert equilibria([law]) == pytest.approx((distance,), rel=1e-9)
    assert equilibria([law], stable=False) == ()
    assert law.force(np.array(0.9 * distance)) < 0.0 < law.force(np.array(1.1 * distance))


def test_the_parts_of_a_law_add_up():
    law = Law(equilibrium=2.0, repulsion=4.0, attraction=2.0, strength=3.0, terms=(-0.5, 1.0, 2.0, 3.0), spring=1.5, length=0.4)
    r = np.array([0.5, 1.0, 2.0, 7.0])
    expected = 3.0 * ((2.0 / r) ** 2 - (2.0 / r) ** 4) - 0.5 / r + 2.0 / r**3 + 1.5 * (r - 0.4)
    assert np.allclose(law.force(r), expected, rtol=1e-13)


def test_a_law_acts_within_its_range_only():
    law = Law(terms=(1.0, 1.0), near=1.0, far=2.0)
    assert law.force(np.array([0.9, 1.0, 2.0, 2.1])).tolist() == [0.0, 1.0, 0.5, 0.0]


def test_one_with_the_exponents_the_other_way_round_has_an_unstable_equilibrium():
    law = Law(equilibrium=3.0, repulsion=1.0, attraction=3.0)
    assert equilibria([law]) == () and equilibria([law], stable=False) == pytest.approx((3.0,))


def test_laws_of_all_groups_of_two_robots_hold():
    laws = (Law(acts_on="a", of="b", spring=1.0), Law(acts_on="b", of="a", spring=2.0), Law(spring=3.0), Law(of="wall", spring=4.0))
    both, b, wall = frozenset({"", "a", "b"}), frozenset({"", "b"}), frozenset({"wall"})
    assert [law.spring for law in laws_between(laws, both, b)] == [1.0, 3.0]
    assert [law.spring for law in laws_between(laws, b, both)] == [2.0, 3.0]
    assert [law.spring for law in laws_between(laws, both, both)] == [1.0, 2.0, 3.0]
    assert [law.spring for law in laws_between(laws, b, wall)] == [4.0]


def test_laws_of_the_same_range_become_one_entry_of_the_table():
    laws = (Law(spring=1.0), Law(terms=(2.0, 1.0)), Law(terms=(1.0, 2.5)), Law(terms=(1.0, 2.0), far=3.0))
    table = law_table(laws, (frozenset({""}),))
    assert table.first.tolist() == [[0, 2]] and table.far.tolist() == [np.inf, 3.0]
    assert table.whole[0, :2].tolist() == [1.0, 2.0] and table.broken[0].tolist() == [[1.0, 3.5]]
    assert table.root.tolist() == [False, True]


@pytest.mark.parametrize(
    "values, complaint",
    [
        ({}, "without a force"),
        ({"terms": (1.0,)}, "pairs"),
        ({"terms": (1.0, 0.0)}, "exponent 0"),
        ({"terms": (1.0, -2.0)}, "exponent -2"),
        ({"equilibrium": 1.0, "repulsion": 2.0, "attraction": 2.0}, "different exponents"),
        ({"spring": 1.0, "near": 2.0, "far": 1.0}, "more than near"),
    ],
)
def test_what_is_no_law_is_refused(values, complaint):
    with pytest.raises(ValueError, match=complaint):
        Law(**values)
