import numpy as np
import pytest

from swarm_control.core.state import Society
from swarm_control.social.disc import normal
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


@pytest.mark.parametrize("count", [50.0, 500.0])
def test_the_outermost_row_of_an_even_disc_has_half_of_itself_beyond_it(count):
    """``ρπ(R² − r²) = πr/a`` at density ρ, with neighbours a apart: ``ρ = 2/(√3·a²)``."""
    density = count / (np.pi * 4.0)
    a = np.sqrt(2.0 / (np.sqrt(3.0) * density))
    expected = (-1.0 / a + np.sqrt(1.0 / a**2 + 16.0 * density**2)) / (2.0 * density)
    assert normal(2.0, np.array([1.0]), 0.0, count).rim() == pytest.approx(expected, abs=2e-3)
