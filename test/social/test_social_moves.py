"""Landmarks in other groups, and laws whose force is turned: what they change, and what they leave."""

from dataclasses import replace

import numpy as np
import pytest
from swarms import around, fleet, see, swarm

from swarm_control.behaviours.social import Social, social
from swarm_control.core.state import Society
from swarm_control.social.laws import Law
from swarm_control.social.moves import Move, moved

KINDS = (frozenset({"", "sappers"}), frozenset({"mine"}))
PULL = Law(acts_on="sappers", of="mine", terms=(1.0, 1.0))
PUSH = Law(acts_on="sappers", of="safe", terms=(-1.0, 2.0))


def society():
    """One sapper, and mines at (2, 0) and (0, 4)."""
    return Society(KINDS, np.zeros(1, np.int64), np.array([[2.0, 0.0], [0.0, 4.0]]), np.ones(2, np.int64), np.zeros(1, bool))


def force(*laws, moves=()):
    """On the sapper at (0, 0)."""
    state = swarm([[0.0, 0.0]])
    return social(state, see(state), replace(around(fleet(1)), society=society()), Social(weight=1.0, laws=laws, moves=moves))[0]


def test_a_landmark_obeys_the_laws_of_the_groups_that_it_has_come_to_be_in():
    assert force(PULL, PUSH) == pytest.approx([0.5, 0.25])
    assert force(PULL, PUSH, moves=(Move(0, "safe"),)) == pytest.approx([-0.25, 0.25])
    assert force(PULL, PUSH, moves=(Move(0, "safe"), Move(1, "safe, mine"))) == pytest.approx([-0.25, 0.25 - 1.0 / 16.0])


def test_the_last_move_of_a_landmark_counts_and_the_start_is_left_as_it_was():
    start = society()
    after = moved(start, (Move(1, "safe"), Move(1, "mine"), Move(7, "safe")))
    assert [after.kinds[k] for k in after.landmark_kind] == [{"mine"}, {"mine"}]
    assert start.kinds == KINDS and start.landmark_kind.tolist() == [1, 1]


def test_a_move_needs_a_group():
    with pytest.raises(ValueError, match="expected names of groups"):
        Move(0, "")


@pytest.mark.parametrize("angle", [-90.0, 30.0, 180.0])
def test_a_turned_force_is_the_force_turned(angle):
    turned = Law(acts_on="sappers", of="mine", terms=(1.0, 1.0), turn=angle)
    c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    expected = np.array([[c, -s], [s, c]]) @ force(PULL)
    assert force(turned) == pytest.approx(expected, abs=1e-15)
    assert force(PULL, turned) == pytest.approx(expected + force(PULL))
