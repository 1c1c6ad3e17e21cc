"""Robots that are all alike: the compiled call that looks at each pair once, against the sum robot by robot."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from swarms import around, fleet, see, swarm

from swarm_control.behaviours.social import Social, social
from swarm_control.core.state import Society
from swarm_control.social.laws import Law

LAWS = {
    "r⁻¹ and r⁻³": Law(equilibrium=1.0),
    "r⁻¹ and r⁻²": Law(equilibrium=1.0, repulsion=2.0),
    "five coefficients": Law(equilibrium=0.8, repulsion=7.0, attraction=1.0),
    "spring": Law(spring=2.0, length=0.0),
    "broken powers": Law(equilibrium=0.7, repulsion=2.7, attraction=0.6),
    "broken and whole powers": Law(terms=(0.9, 0.1, -0.3, 2.0, 0.1, 1.5)),
    "cut off": Law(equilibrium=1.0, near=0.2, far=1.5),
    "cut off near": Law(equilibrium=1.0, near=0.2),
    "broken and cut off": Law(terms=(1.0, 0.5), far=1.0),
}


def landmarked(robots):
    """A society whose one landmark nobody feels, which keeps the compiled call for robots that are alike from being used."""
    society = Society.plain(robots)
    return replace(society, kinds=(*society.kinds, frozenset({"stone"})), landmark=np.zeros((1, 2)), landmark_kind=np.array([1]))


def swarm_of(seed, robots):
    rng = np.random.default_rng(seed)
    return swarm(rng.uniform(0, 3, (robots, 2)), rng.normal(size=(robots, 2)), valid=rng.random(robots) < 0.8)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@given(st.integers(0, 2**32), st.integers(0, 40), st.floats(0, 3), st.floats(0, 2))
@settings(max_examples=25, deadline=None)
def test_it_is_the_sum_that_robots_of_several_kinds_get(law, seed, robots, threshold, friction):
    state = swarm_of(seed, robots)
    params = Social(laws=(law,), threshold=threshold, friction=friction)
    surroundings = around(fleet(robots))
    assert params.plan(Society.plain(robots)).alike is not None
    assert params.plan(landmarked(robots)).alike is None
    request = social(state, see(state), surroundings, params)
    other = social(state, see(state), replace(surroundings, society=landmarked(robots)), params)
    near = np.abs(np.hypot(*(other + friction * state.velocity[:, :2]).T) - threshold) < 1e-9  # may fall on either side
    assert np.allclose(request[~near], other[~near], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_the_forces_of_robots_on_each_other_cancel(law):
    state = swarm_of(3, 300)
    force = social(state, see(state), around(fleet(300)), Social(laws=(law,)))
    assert np.abs(force.sum(axis=0)).max() < 1e-12 * np.abs(force).sum()


@pytest.mark.parametrize("law", [Law(equilibrium=1.0, turn=30.0), Law(terms=(1.0, 15.0))], ids=["turned", "many coefficients"])
def test_what_it_cannot_sum_is_left_to_the_others(law):
    assert Social(laws=(law,)).plan(Society.plain(5)).alike is None


def test_a_plan_is_made_again_for_another_society():
    params = Social(laws=(LAWS["r⁻¹ and r⁻³"],))
    few, many = Society.plain(3), Society.plain(4)
    first = params.plan(few)
    assert params.plan(few) is first
    assert len(params.plan(many).kind) == 4
