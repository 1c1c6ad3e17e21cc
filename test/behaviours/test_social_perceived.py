"""Force laws between robots that perceive each other: range, view, occlusion, count, loss, delay act on them; landmarks are known."""

from dataclasses import replace

import numpy as np
import pytest
from swarms import around, fleet, mapped, random_swarm, room, see, swarm
from ticks import one_tick

from swarm_control.analysis.simulation import simulate
from swarm_control.behaviours.social import Social, social
from swarm_control.core.accumulation import Accumulation
from swarm_control.core.perception import Perception, perceive
from swarm_control.core.state import Society
from swarm_control.scenario.consistency import contradictions
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Control
from swarm_control.scenario.setup import prepare
from swarm_control.scenario.tree import build
from swarm_control.social.laws import Law

LAW = Law(terms=(1.0, 1.0))
"""One over the distance, attracting."""
LOCAL = Social(weight=1.0, laws=(LAW,), feels="perceived")
GROUPS = (frozenset({"", "red"}), frozenset({"", "blue"}), frozenset({"den"}))
BETWEEN = (
    Law(acts_on="red", of="blue", equilibrium=1.5), Law(acts_on="blue", of="red", terms=(-0.3, 2.5)), Law(spring=0.2, length=1.0, far=4.0),
    Law(acts_on="red", of="red", terms=(0.7, 2.0), near=0.5, turn=90.0), Law(of="den", terms=(2.0, 1.0, -0.1, 3.0)),
)  # fmt: skip


def wanted(state, social, perception, map=None, society=None):
    """What ``social`` requests in a tick with this perception, (N, 2) m/s²."""
    control = Control(social=social, perception=Perception(**perception), accumulation=Accumulation(method="weighted"))
    surroundings = replace(around(fleet(len(state)), map=map), society=society)
    made = one_tick(state, surroundings, control, np.random.default_rng(0))
    return made.requests.acceleration[made.requests.names.index("social")]


def society(rng, robots, leading=2):
    leads = np.zeros(robots, bool)
    leads[:leading] = True
    return Society(GROUPS, rng.integers(0, 2, robots), rng.uniform(-3, 3, (5, 2)), np.full(5, 2), leads)


@pytest.mark.parametrize(("apart", "pull"), [(0.5, 2.0), (0.999, 1 / 0.999), (1.001, 0.0), (30.0, 0.0)])
def test_two_robots_feel_each_other_within_the_radius_only(apart, pull):
    state = swarm([[0, 0], [apart, 0]])
    assert np.allclose(wanted(state, LOCAL, {"radius": 1.0}), [[pull, 0], [-pull, 0]])
    assert np.allclose(wanted(state, replace(LOCAL, feels="everyone"), {"radius": 1.0}), [[1 / apart, 0], [-1 / apart, 0]])


def test_perception_that_is_set_limits_the_laws_unless_they_say_otherwise():
    state, law = swarm([[0, 0], [4, 0]]), replace(LOCAL, feels="auto")
    assert np.allclose(wanted(state, law, {}), [[0.25, 0], [-0.25, 0]]), "by default everyone is felt, beyond 1.5 m too"
    assert not wanted(state, law, {"radius": 1.0}).any() and not wanted(state, LOCAL, {}).any()
    assert np.allclose(wanted(state, law, {"radius": 5.0}), [[0.25, 0], [-0.25, 0]])
    assert not wanted(state, law, {"field_of_view": 300.0}).any(), "the radius by default, 1.5 m, now counts as well"


@pytest.mark.parametrize(("view", "felt"), [(80.0, [True, False, False]), (100.0, [True, True, False]), (360.0, [True, True, True])])
def test_a_robot_feels_those_in_its_field_of_view(view, felt):
    """Robot 0 looks along x; the others, ahead, at 45° and behind, look away from it."""
    state = swarm([[0, 0], [1, 0], [1, 1], [-1, 0]], heading=[0.0, 0.0, np.pi / 4, np.pi])
    law = replace(LOCAL, laws=(Law(acts_on="red", of="red", terms=(1.0, 1.0)),))
    pulls = np.array([[1.0, 0.0], [0.5, 0.5], [-1.0, 0.0]])
    kinds = Society((frozenset({"", "red"}),), np.zeros(4, np.int64), np.empty((0, 2)), np.empty(0, np.int64), np.zeros(4, bool))
    found = wanted(state, law, {"radius": 3.0, "field_of_view": view}, society=kinds)
    assert np.allclose(found[0], pulls[felt].sum(axis=0))


def test_a_wall_in_between_hides_a_robot_from_another():
    state = swarm([[-1, 0], [1, 0], [-1, 3]])
    wall = mapped(room((-0.1, 0.1, -1.0, 1.0)))
    clear, hidden = (wanted(state, LOCAL, {"radius": 2.5, "occlusion": seen}, wall) for seen in (False, True))
    assert np.allclose(clear, [[0.5, 0], [-0.5, 0], [0, 0]]) and not hidden.any()


def test_a_nearer_robot_hides_those_behind_it_and_the_count_limits_whom_is_felt():
    state = swarm([[0, 0], [1, 0], [2, 0]])
    assert np.allclose(wanted(state, LOCAL, {"radius": 5.0, "occlusion": True}), [[1, 0], [0, 0], [-1, 0]])
    assert np.allclose(wanted(state, LOCAL, {"radius": 5.0})[0], [1.5, 0])
    assert np.allclose(wanted(state, LOCAL, {"radius": 5.0, "count": 1})[[0, 2]], [[1, 0], [-1, 0]])


def test_who_is_missed_is_not_felt_and_half_of_the_time_half_is_felt():
    state = swarm([[0, 0], [1, 0]])
    assert not wanted(state, LOCAL, {"loss": 1.0}).any()
    rng = np.random.default_rng(0)
    pulls = [social(state, perceive(state, Perception(loss=0.5), rng), around(fleet(2)), LOCAL)[0, 0] for _ in range(2000)]
    assert set(pulls) == {0.0, 1.0} and np.mean(pulls) == pytest.approx(0.5, abs=0.05)


def test_others_are_felt_where_they_were_and_oneself_where_one_is():
    then, now = swarm([[0, 0], [2, 0]]), replace(swarm([[1, 0], [0, 2]]), time=0.5)
    seen = perceive(now, Perception(radius=3.0, delay=0.5), np.random.default_rng(0), past=then)
    assert np.allclose(social(now, seen, around(fleet(2)), LOCAL), [[1, 0], [0, -0.5]])


def test_landmarks_are_known_however_far_and_leading_robots_feel_nothing():
    groups = Society(GROUPS, np.array([0, 0]), np.array([[0.0, 40.0]]), np.array([2]), np.array([False, True]))
    laws = replace(LOCAL, laws=(LAW, Law(of="den", terms=(8.0, 1.0))))
    assert np.allclose(wanted(swarm([[0, 0], [0.5, 0]]), laws, {"radius": 1.0}, society=groups), [[2, 0.2], [0, 0]])
    assert np.allclose(wanted(swarm([[0, 0], [1.5, 0]]), laws, {"radius": 1.0}, society=groups), [[0, 0.2], [0, 0]])
    cut = replace(laws, laws=(LAW, Law(of="den", terms=(8.0, 1.0), far=30.0)))
    assert not wanted(swarm([[0, 0], [1.5, 0]]), cut, {"radius": 1.0}, society=groups).any()


def test_robots_without_odometry_are_not_felt_and_the_fallen_are_not_seen():
    state = swarm([[0, 0], [1, 0], [0, 2]], valid=np.array([True, False, True]))
    den = Society(GROUPS, np.zeros(3, np.int64), np.array([[0.0, 4.0]]), np.array([2]), np.zeros(3, bool))
    laws = replace(LOCAL, laws=(LAW, Law(of="den", terms=(4.0, 1.0))))
    assert np.allclose(wanted(state, laws, {"radius": 9.0}, society=den), [[0, 1.5], [0, 0], [0, 1.5]])
    lying = replace(swarm([[0, 0], [1, 0], [0, 2]]), fallen=np.array([False, False, True]))
    assert np.allclose(wanted(lying, LOCAL, {"radius": 9.0}), [[1, 0], [-1, 0], [0, 0]])


def test_threshold_and_friction_act_on_what_is_felt():
    state = swarm([[0, 0], [10, 0]], velocity=[[1, 2], [0, 0]])
    sees = see(state, radius=20.0)
    params = replace(LOCAL, threshold=0.11, friction=0.5)
    assert np.allclose(social(state, sees, around(fleet(2)), params), [[-0.5, -1], [0, 0]])
    assert np.allclose(social(state, sees, around(fleet(2)), replace(params, threshold=0.09)), [[-0.4, -1], [-0.1, 0]])


def test_where_everyone_is_within_reach_robots_alike_feel_what_they_feel_of_everyone():
    state = random_swarm(np.random.default_rng(1), 60, 6.0)
    law = replace(LOCAL, laws=(Law(equilibrium=1.5),))
    everyone = social(state, see(state, radius=0.01), around(fleet(60)), replace(law, feels="everyone"))
    assert np.allclose(wanted(state, law, {"radius": 20.0}), everyone, rtol=1e-9, atol=1e-9)
    assert not np.allclose(wanted(state, law, {"radius": 2.0}), everyone, atol=0.1)


@pytest.mark.parametrize(("summation", "error"), [("direct", 1e-9), pytest.param("tree", 2e-2, marks=pytest.mark.study)])
def test_where_everyone_is_within_reach_groups_feel_what_they_feel_of_everyone(summation, error):
    rng = np.random.default_rng(2)
    state, groups = random_swarm(rng, 200, 6.0), society(rng, 200)
    laws = replace(LOCAL, laws=BETWEEN, summation=summation, opening=0.3)
    everyone = wanted(state, replace(laws, feels="everyone"), {"radius": 0.01}, society=groups)
    perceived = wanted(state, laws, {"radius": 20.0}, society=groups)
    assert np.abs(everyone).mean() > 1.0 and not perceived[:2].any()
    assert np.abs(perceived - everyone).max() < error * np.abs(everyone).mean()


def test_the_sum_over_some_is_that_of_each_pair_by_its_law():
    rng = np.random.default_rng(3)
    state, groups = random_swarm(rng, 25, 4.0), society(rng, 25, leading=0)
    found = wanted(state, replace(LOCAL, laws=BETWEEN), {"radius": 1.7}, society=replace(groups, landmark=np.empty((0, 2)),
                                                                                     landmark_kind=np.empty(0, np.int64)))  # fmt: skip
    expected = np.zeros((25, 2))
    for i in range(25):
        for j in range(25):
            offset = state.position[j] - state.position[i]
            r = np.linalg.norm(offset)
            if i != j and r <= 1.7:
                for law in BETWEEN:
                    if law.acts_on in GROUPS[groups.robot[i]] and law.of in GROUPS[groups.robot[j]]:
                        a = np.deg2rad(law.turn)
                        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
                        expected[i] += law.force(np.array(r)) * turn @ offset / r
    assert np.allclose(found, expected)


def warnings(perception, **social):
    laws = {"weight": 1, "laws": [{"equilibrium": 1.0}], **social}
    return contradictions(build(Control, {"perception": perception, "social": laws}, "here"))


def test_nothing_of_perception_is_ignored_without_a_word():
    assert warnings({}) == [] and warnings({}, feels="perceived") == [] and warnings({"radius": 1.2}, feels="perceived") == []
    (limited,) = warnings({"radius": 2.0, "loss": 0.1})
    assert "act on perceived robots only" in limited and "perception.radius, perception.loss" in limited
    (ignored,) = warnings({"field_of_view": 90}, feels="everyone")
    assert "perception.field_of_view does not limit social.laws" in ignored
    (short,) = warnings({"radius": 0.8}, feels="perceived")
    assert "balance at 1 m, beyond perception.radius (0.8 m)" in short
    assert not any("beyond" in line for line in warnings({"radius": 0.8}, feels="everyone"))


def test_a_scenario_of_force_laws_obeys_a_radius_that_is_set():
    """In ``cluster`` robots attract each other from afar; those that see 0.25 m only, with nobody so near, stay as they are."""
    runs = [load("cluster", ["robots=8", "duration=2", *more]) for more in ((), ("perception.radius=0.25",))]
    far, near = (simulate(loaded, prepare(loaded.scenario, loaded.source)).recorder.trajectory() for loaded in runs)
    assert np.ptp(far.pose[:, :, :2], axis=0).max() > 0.02 and not np.ptp(near.pose[:, :, :2], axis=0).any()
