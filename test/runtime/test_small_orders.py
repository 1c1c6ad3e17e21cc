"""Single steps of runs: events taken over, requests of a kind, paths without walls, goals where there were none, groups' trajectories."""

from dataclasses import replace

import numpy as np
import pytest
from swarms import around, fleet, mapped, room, see, swarm
from test_formation_orders import Driven

from swarm_control.behaviours.guidance import Guidance, guidance
from swarm_control.core.geometry import norm
from swarm_control.core.state import Society, SwarmState
from swarm_control.errors import InputError
from swarm_control.formation.design import Change, GradualChange, between
from swarm_control.formation.parameters import FormationParameters
from swarm_control.formation.shapes import shape
from swarm_control.formation.structure import Structure
from swarm_control.runtime.events import Events
from swarm_control.runtime.external_request import ExternalRequest
from swarm_control.runtime.journey import lead, straight_is_free
from swarm_control.runtime.terms import terms_of
from swarm_control.safety.separation_filter import SeparationFilter
from swarm_control.scenario.groups import bare
from swarm_control.scenario.loader import load, load_prepared
from swarm_control.scenario.schema import Event, Goal
from swarm_control.scenario.trajectories import trajectory_of
from swarm_control.social.moves import Move


def test_moves_that_another_has_seen_are_taken_over_and_waits_begin_anew():
    kinds = (frozenset({"", "sappers"}), frozenset({"mine"}))
    society = Society(kinds, np.zeros(1, int), np.array([[0.0, 0.0], [3.0, 0.0]]), np.ones(2, int), np.zeros(1, bool))
    events = Events((Event("mine", "sappers", within=1.0, time=2.0, becomes="safe"),), society)

    def look(time, x):
        return events.update(SwarmState.of(time, np.array([[x, 0.0, 0.0]]), np.zeros((1, 3))))

    assert look(0.0, 3.0) == ()
    events.resume((Move(0, "safe"),))
    assert events.moves == (Move(0, "safe"),) and look(1.0, 0.0) == () and look(4.0, 0.0) == (), "that is no mine any more"
    assert look(5.0, 3.0) == () and look(6.9, 3.0) == () and look(7.0, 3.0) == (Move(1, "safe"),)


def test_a_request_is_of_a_kind_and_for_each_robot():
    with pytest.raises(ValueError, match=r"^kind 'force' found, expected one of velocity, acceleration$"):
        ExternalRequest(np.zeros((2, 2)), "force")
    state, value = swarm(np.zeros((2, 2))), np.array([[1.0, 2.0], [3.0, 4.0]])
    assert ExternalRequest(value, "acceleration").acceleration(state, ()) is value
    with pytest.raises(ValueError, match=r"^a request of shape \(3, 2\) found, expected \(2, 2\)$"):
        ExternalRequest(np.zeros((3, 2))).acceleration(state, ())


@pytest.mark.parametrize(("kind", "members", "fixed"), [
    ("start", (), True), ("points", ("a", "b"), True), ("points", (), False), ("line", ("a", "b"), False), ("line", (), False),
])  # fmt: skip
def test_robots_keep_their_points_where_they_started_or_where_each_point_has_its_robot(kind, members, fixed):
    params = FormationParameters(shape=kind, members=members)
    structure = Structure(np.array([[0.0, 0.0], [1.0, 0.0]]), ("robot_0", "robot_1"), np.zeros(3))
    assert terms_of(structure, fleet(2), params, None, SeparationFilter(), 0.05).fixed == fixed


@pytest.mark.parametrize("walls", [False, True])
def test_without_a_goal_guidance_wishes_nothing(walls):
    state = swarm([[0.0, 0.0], [1.0, 0.0]], [[0.5, 0.0], [0.0, 0.2]])
    found = guidance(state, see(state), around(fleet(2), map=mapped(room(side=4.0)) if walls else None), Guidance())
    assert found.shape == (2, 2) and not found.any()


def test_in_the_open_every_straight_way_is_free():
    structure = Structure(np.array([[0.0, 0.0], [1.0, 0.0]]), ("a", "b"), np.zeros(3))
    assert straight_is_free(structure, np.array([9.0, 9.0, 3.0]), fleet(2), type("Terms", (), {"map": None, "room": 0.1}))


def test_cars_that_have_not_formed_yet_take_the_places_that_are_nearest_and_others_their_own():
    points = shape("circle", 8, 1.2)
    structure = Structure(points, tuple(f"robot_{k}" for k in range(8)), np.zeros(3))
    cars = replace(fleet(8, radius=0.15), model=("car",) * 8)
    terms = terms_of(structure, cars, FormationParameters(shape="circle"), None, SeparationFilter(), 0.05)
    pose, goal = np.column_stack((points, np.zeros(8))), np.array([3.0, 0.0, np.pi])
    ways = [lead(structure, pose, goal, terms, dealt=dealt).way.schedule.place for dealt in (True, False)]
    length = [norm(np.diff(way, axis=0)).sum(axis=0) for way in ways]
    assert length[0] == pytest.approx(3.0, abs=0.1), "turned by half they are where they would be, and go straight ahead"
    assert length[1].max() > 4.0 and ways[1][-1] == pytest.approx(goal[:2] - points, abs=1e-6)


def test_a_goal_is_sent_to_a_formation_that_had_none_and_a_velocity_is_changed_on_the_way():
    run = Driven(goals=[], velocity=(0.1, 0.0, 0.0))
    run.go(3.0)
    begin = run.middles[0]
    run.go(2.0)
    assert run.middles[0] - begin == pytest.approx([0.2, 0.0, 0.0], abs=0.01)
    run.params = type(run.params)(enabled=True, velocity=(0.0, 0.05, 0.0))
    run.go(2.0)
    begin = run.middles[0]
    run.go(2.0)
    assert run.middles[0] - begin == pytest.approx([0.0, 0.1, 0.0], abs=0.01)
    run.controller.send(Goal(position=(1.0, 1.0), heading=0.0))
    assert run.go(30.0).rest and run.middles[0] == pytest.approx([1.0, 1.0, 0.0], abs=0.02)
    assert [goal.position for part in run.controller.parts for goal in part.goals._goals] == [(1.0, 1.0)]


def test_on_the_way_to_another_shape_points_go_evenly_and_keep_the_old_shape_where_they_just_meet():
    begin, end = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([[-1.0, 0.0], [1.0, 0.0]])
    change = Change(Structure(end, ("a", "b"), np.zeros(3)), begin)
    quarter = between(change, 0.25, ("a", "b"), np.array([1.0, 2.0, 0.5]))
    assert quarter.points == pytest.approx(np.array([[0.5, 0.0], [-0.5, 0.0]])) and quarter.pose.tolist() == [1.0, 2.0, 0.5]
    assert between(change, 0.5, ("a", "b"), np.zeros(3)) is None
    gradual, whole = GradualChange(), change.structure
    assert gradual.shaped(whole, 0.0, 4.0) is whole, "there is no change"
    gradual.begin(change, 2.0)
    assert gradual.shaped(whole, 4.0, 4.0) is whole and gradual.shaped(whole, 3.0, 4.0).points[0, 0] == pytest.approx(0.5)
    assert gradual.shaped(whole, 6.0, 4.0).points == pytest.approx(end) and gradual.shaped(whole, 3.0, 4.0) is whole, "it is over"


def test_names_without_their_group():
    assert bare("groups.red.separation.weight") == "separation.weight" and bare("separation.weight") == "separation.weight"


def test_a_group_follows_a_trajectory_and_has_no_goals_beside_it(tmp_path):
    path = tmp_path / "way.csv"
    path.write_text("time,x,y,yaw\n0,0,0,0\n9,2,1,0.5\n")
    groups = f"groups.red.formation={{enabled: true, trajectory: {path}}}"
    scenario = load("flocks_cross", ["groups.red.goals=[]", groups]).scenario
    (goal,) = scenario.groups["red"].goals
    assert goal.position == pytest.approx((2.0, 1.0)) and goal.heading == pytest.approx(np.rad2deg(0.5))
    assert scenario.groups["blue"].goals == load("flocks_cross").scenario.groups["blue"].goals
    assert trajectory_of(scenario.groups["red"].formation["trajectory"]).end == pytest.approx([2.0, 1.0, 0.5])
    with pytest.raises(InputError, match=r"groups\.red\.formation\.trajectory: found beside goals, expected one of them"):
        load("flocks_cross", [groups])
    assert trajectory_of("") is None and trajectory_of(str(tmp_path / "none.csv")) is None


def test_own_frames_begin_where_robots_are_put():
    said = r"hardware\.odometry\.frame: start found, but robots\[0\]\.start\.pattern is scatter; expected poses"
    with pytest.raises(InputError, match=said):
        load_prepared("migrate_boxes", ["hardware.odometry.frame=start"])
