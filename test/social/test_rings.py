import numpy as np
import pytest

from swarm_control.core.state import Society
from swarm_control.social.laws import Law
from swarm_control.social.rings import MOST, rings

KINDS = (frozenset({"", "guards"}), frozenset({"", "leader"}), frozenset({"castle"}))
LAWS = (Law(acts_on="guards", of="leader", equilibrium=2.0), Law(acts_on="guards", of="castle", terms=(-8.0, 3.0, 2.0, 1.0)))


def society(guards, castle):
    leads = np.append(np.zeros(guards, bool), True)
    return Society(KINDS, np.append(np.zeros(guards, np.int64), 1), castle, np.full(len(castle), 2), leads)


def test_circles_are_where_the_force_vanishes():
    castle = np.array([[5.0, 5.0]])
    position = np.array([[1.0, 0.0], [2.0, 0.0], [-3.0, 1.0]])
    found = rings(position, society(2, castle), LAWS)
    assert found[:, :2].tolist() == [[-3.0, 1.0], [5.0, 5.0]]
    assert found[:, 2] == pytest.approx([2.0, 2.0])  # (8/2)^(1/2) of the second law
    assert (found[:, 3] == 0).all()


def test_robots_that_feel_nothing_or_are_not_heard_or_are_too_many_have_no_circles():
    crowd = np.random.default_rng(0).uniform(size=(MOST + 1, 2))
    assert len(rings(np.zeros((1, 2)), society(0, np.zeros((1, 2))), LAWS)) == 0
    assert len(rings(np.array([[0.0, 0.0], [np.nan, np.nan]]), society(1, crowd), LAWS)) == 0
