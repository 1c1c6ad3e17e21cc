"""The behaviour ``social`` in the tick: who feels whom, damping, combination with local control, and how robots give way."""

from dataclasses import replace

import numpy as np
import pytest
from swarms import around, fleet, see, swarm
from ticks import one_tick

from swarm_control.behaviours.social import Social, social
from swarm_control.core.accumulation import Accumulation, accumulate
from swarm_control.core.motion import Motion, drive
from swarm_control.core.state import Requests, Society, Way
from swarm_control.scenario.schema import Control
from swarm_control.social.laws import Law

LAW = Law(terms=(1.0, 1.0))


def felt(state, params, surroundings=None):
    return social(state, see(state), surroundings or around(fleet(len(state))), params)


def test_only_robots_that_are_heard_pull():
    state = swarm([[0, 0], [1, 0], [0, 2]], valid=np.array([True, True, False]))
    assert np.allclose(felt(state, Social(laws=(LAW,))), [[1, 0], [-1, 0], [0, 0]])


def test_robots_that_others_have_heard_of_pull_however_far():
    own = swarm([[0, 0], [0, 0]], valid=np.array([True, False]))
    surroundings = replace(around(fleet(2)), swarm=swarm([[0, 0], [0, 100]]))
    assert np.allclose(felt(own, Social(laws=(LAW,)), surroundings), [[0, 0.01], [0, 0]])


def test_a_robot_does_not_feel_itself_where_others_last_heard_of_it():
    own = swarm([[0, 0], [0, 0]], valid=np.array([True, False]))
    surroundings = replace(around(fleet(2)), swarm=swarm([[0.01, 0], [0, 2]]))
    assert np.allclose(felt(own, Social(laws=(LAW,)), surroundings), [[0, 0.5], [0, 0]])


def test_landmarks_pull_and_leading_robots_feel_nothing():
    society = Society(
        (frozenset({""}), frozenset({"den"})), np.zeros(2, np.int64), np.array([[0.0, 4.0]]), np.array([1]), np.array([False, True])
    )
    laws = (LAW, Law(of="den", terms=(2.0, 1.0)))
    surroundings = replace(around(fleet(2)), society=society)
    assert np.allclose(felt(swarm([[0, 0], [2, 0]]), Social(laws=laws), surroundings), [[0.5, 0.5], [0, 0]])


def test_small_resultants_count_as_zero_and_friction_brakes():
    state = swarm([[0, 0], [10, 0]], velocity=[[1, 2], [0, 0]])
    assert np.allclose(felt(state, Social(laws=(LAW,), threshold=0.11)), 0.0)
    assert np.allclose(felt(state, Social(laws=(LAW,), threshold=0.09, friction=0.5)), [[0.1 - 0.5, -1.0], [-0.1, 0]])


def test_friction_takes_the_energy_of_two_robots_until_they_rest_at_the_equilibrium():
    law = Law(equilibrium=1.5)
    control = Control(social=Social(weight=1.0, laws=(law,), friction=1.0), accumulation=Accumulation(method="weighted"))
    position, velocity = np.array([[0.0, 0.0], [4.0, 1.0]]), np.zeros((2, 2))
    robots, rng = fleet(2, "point_mass", speed=100.0, acceleration=1000.0), np.random.default_rng(0)
    for _ in range(600):
        made = one_tick(swarm(position, velocity), around(robots), control, rng)
        velocity = made.commands.twist[:, :2]
        position = position + control.period * velocity
    assert np.linalg.norm(position[1] - position[0]) == pytest.approx(1.5, abs=1e-6)
    assert np.abs(velocity).max() < 1e-6 and np.allclose(position.mean(axis=0), [2.0, 0.5])


def test_the_greatest_request_takes_all():
    requests = Requests(("separation", "social"), np.array([[[1.0, 0.0], [0.0, 0.1], [9.0, 0.0]], [[0.0, 2.0], [0.0, 0.0], [0.0, 8.0]]]))
    made = accumulate(requests, np.full(3, 4.0), Accumulation(method="greatest"))
    assert np.allclose(made.total, [[0, 2], [0, 0.1], [4, 0]])
    assert np.allclose(made.share.sum(axis=0), made.total) and not made.share[0, 0].any() and not made.share[1, 2].any()
    nothing = accumulate(Requests((), np.empty((0, 2, 2))), np.ones(2), Accumulation(method="greatest"))
    assert nothing.total.tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("model", ["omni", "point_mass"])
def test_how_robots_give_way_to_the_resultant(model):
    state, robots = swarm([[0, 0], [5, 5]], velocity=[[0.3, 0], [0, -0.2]]), fleet(2, model)
    resultant, period = np.array([[3.0, 4.0], [0.0, 0.0]]), 0.1

    def velocity(**params):
        return state.velocity[:, :2] + period * drive(state, resultant, robots, Motion(**params), period, None)

    assert np.allclose(velocity(), [[0.6, 0.4], [0.0, -0.2]])
    assert np.allclose(velocity(mode="velocity", mobility=0.1), [[0.3, 0.4], [0.0, 0.0]])
    assert np.allclose(velocity(mode="step", step_speed=0.2), [[0.12, 0.16], [0.0, 0.0]])


@pytest.mark.parametrize("mode", ["acceleration", "velocity", "step"])
def test_leading_robots_go_their_way_whatever_others_want(mode):
    way = Way(np.array([0, 1]), np.array([[0.0, 0.5], [0.0, -0.5]]), np.array([0.0, 10.0]), np.array([[0.0, 0.0], [5.0, 0.0]]))
    society = replace(Society.plain(3), leads=np.array([True, True, False]), ways=(way,))
    surroundings = replace(around(fleet(3, "point_mass")), society=society)
    social = Social(weight=1.0, laws=(Law(spring=1.0),))
    control = Control(social=social, motion=Motion(mode=mode), accumulation=Accumulation(method="weighted"))
    position, velocity = np.array([[0.0, 0.5], [0.3, -0.4], [1.0, 3.0]]), np.zeros((3, 2))
    rng = np.random.default_rng(0)
    for k in range(160):
        made = one_tick(replace(swarm(position, velocity), time=k * control.period), surroundings, control, rng)
        assert not made.requests.acceleration[:, :2].any() and made.requests.acceleration[0, 2].any()
        velocity = made.commands.twist[:, :2]
        position = position + control.period * velocity
        if k > 40:
            there = 0.5 * (k + 1) * control.period
            assert np.allclose(position[:2], [[there, 0.5], [there, -0.5]], atol=2e-3)
