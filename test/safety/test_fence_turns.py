"""Who is slowed at a fence turns as fast as it wished, but for cars: these keep to the arc that they wished."""

import numpy as np
import pytest
from swarms import fleet

from swarm_control.safety.fence import keep_inside, polygon

SQUARE = polygon((-1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0))


@pytest.mark.parametrize(("model", "bends"), [("omni", False), ("differential", False), ("point_mass", False), ("car", True)])
@pytest.mark.parametrize("rate", [0.5, -0.3])
def test_slower_at_the_fence(model, bends, rate):
    pose, velocity = np.array([[0.75, 0.0, 0.0]]), np.array([[0.3, 0.0, 0.0]])
    twist, changed = keep_inside(np.array([[1.0, 0.0, rate]]), pose, velocity, fleet(1, model), SQUARE, 0.0, 0.2)
    share = twist[0, 0]
    assert changed[0] and 0.1 < share < 0.95
    assert twist[0, 2] == pytest.approx(rate * share if bends else rate)


@pytest.mark.parametrize(("model", "rate"), [("omni", 0.4), ("differential", 0.4), ("car", 0.0)])
def test_who_may_not_go_at_all_turns_where_it_is_if_it_can(model, rate):
    """It is beyond the fence and told to go farther."""
    pose, wish = np.array([[1.3, 0.0, 0.0]]), np.array([[0.5, 0.0, 0.4]])
    twist, changed = keep_inside(wish, pose, np.zeros((1, 3)), fleet(1, model), SQUARE, 0.0, 0.2)
    assert changed[0] and twist[0, 0] == 0.0 and twist[0, 2] == pytest.approx(rate)
