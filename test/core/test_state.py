from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from swarms import fleet, swarm

from swarm_control.core.state import Neighbourhoods, SwarmState

ANY = st.floats(allow_nan=True, allow_infinity=True, width=64)


@settings(deadline=None)
@given(arrays(float, (5, 3), elements=ANY), arrays(float, (5, 3), elements=ANY), arrays(bool, 5))
def test_a_state_holds_finite_rows_or_zeros(pose, velocity, fresh):
    state = SwarmState.of(1.5, pose, velocity, fresh)
    expected = np.isfinite(pose).all(axis=1) & np.isfinite(velocity).all(axis=1) & fresh
    assert np.array_equal(state.valid, expected) and state.complete == expected.all()
    assert np.array_equal(state.pose[expected], pose[expected]) and not state.pose[~expected].any()
    assert np.array_equal(state.velocity[expected], velocity[expected]) and not state.velocity[~expected].any()


def test_what_is_made_can_not_be_changed():
    with pytest.raises(FrozenInstanceError):
        swarm([(0, 0)]).time = 3.0


def test_a_mixed_fleet_falls_into_parts_that_cover_it():
    robots = replace(fleet(5), model=("omni", "car", "omni", "differential", "car"), radius=np.arange(5.0))
    rows = {model.name: (rows.tolist(), part.radius.tolist(), set(part.model)) for model, rows, part in robots.parts}
    assert rows == {
        "omni": ([0, 2], [0.0, 2.0], {"omni"}), "car": ([1, 4], [1.0, 4.0], {"car"}), "differential": ([3], [3.0], {"differential"})
    }  # fmt: skip
    (model, all_rows, part), = fleet(3, "car").parts
    assert model.name == "car" and all_rows == slice(None) and len(part) == 3


def test_a_part_of_a_fleet_keeps_the_order_asked_for():
    part = replace(fleet(4), radius=np.arange(4.0)).take(np.array([3, 1]))
    assert part.names == ("robot_3", "robot_1") and part.radius.tolist() == [3.0, 1.0]


def test_rows_of_neighbourhoods():
    start = np.array([0, 2, 2, 3])
    values = np.array([(1.0, 2.0), (3.0, 6.0), (5.0, 5.0)])
    seen = Neighbourhoods(start, np.array([1, 2, 0]), values, values, np.hypot(*values.T))
    assert seen.count.tolist() == [2, 0, 1] and seen.owner.tolist() == [0, 0, 2]
    assert seen.mean(values).tolist() == [[2.0, 4.0], [0.0, 0.0], [5.0, 5.0]]
