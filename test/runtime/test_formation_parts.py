"""Structures that split, merge, turn about a pivot, are drawn by a field, and change their robots on the way, in the headless run."""

from itertools import combinations

import numpy as np
import pytest

from swarm_control.analysis.simulation import simulate
from swarm_control.core.geometry import rotate
from swarm_control.core.state import SwarmState
from swarm_control.runtime.agenda import Agenda
from swarm_control.runtime.director import Director
from swarm_control.scenario.groups import Controls
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Goal, Scenario
from swarm_control.scenario.setup import prepare

EXACT = "simulator={}"
HEXAGON = "[[0.6, 0, 0], [0.3, 0.5196, 0], [-0.3, 0.5196, 0], [-0.6, 0, 0], [-0.3, -0.5196, 0], [0.3, -0.5196, 0]]"
SIX = ("robots.0.count=6", f"robots.0.start={{pattern: poses, poses: {HEXAGON}}}")
"""Six robots on their points of a circle."""
APART = "goals=[{position: [0.4, 0]}, {position: [0.5, 1.5], part: 1}, {position: [0.5, -1.5], part: 2, heading: 40}, {position: [1.5, 0]}]"
OMNI = "robots.0.model=omni"
"""Robots that can go anywhere at once: what they do is the structure's doing, without the turning of wheels."""
CIRCLE = (EXACT, OMNI, *SIX, "formation.spacing=0.6", "formation.repeat=1", APART)


def fly(name, *changes, watch=None, until_arrival=True):
    loaded = load(name, changes)
    return simulate(loaded, prepare(loaded.scenario, loaded.source), until_arrival=until_arrival, watch=watch)


def phases(*settings):
    return "phases=[" + ", ".join(f"{{start: {start}, set: {{{text}}}}}" for start, text in settings) + "]"


class Diary:
    """What a run looked like: time, true positions (N, 2), structures (names and poses) and true error, tick by tick."""

    def __init__(self):
        self.time, self.position, self.parts, self.error = [], [], [], []

    def __call__(self, frame, metrics):
        self.time.append(frame.truth.time)
        self.position.append(frame.truth.position.copy())
        self.parts.append([(part.names, part.pose) for part in frame.formation.controllers[0].structures])
        self.error.append(frame.formation.error(frame.truth))

    def at(self, time):
        return int(np.searchsorted(self.time, time))


def sides(position, robots):
    return np.array([np.hypot(*(position[a] - position[b])) for a, b in combinations(robots, 2)])


@pytest.mark.parametrize("onboard", [False, pytest.param(True, marks=pytest.mark.study)])
def test_parts_keep_their_points_go_to_goals_of_their_own_and_become_a_circle_again(onboard):
    seen = Diary()
    apart = APART.replace("}", ", time: 12}") if onboard else APART
    goals = apart.replace("[{position: [0.4, 0], time: 12}", "[{position: [0.4, 0], time: 6}")
    orders = phases((10, "formation.split: [3, 3]"), (26, "formation.split: []"))
    changes = (f"simulator.onboard={str(onboard).lower()}", "formation.morph_time=8", goals, orders)
    summary = fly("formation_translate", *CIRCLE, *changes, watch=seen).summary
    assert summary["arrived_fraction"] == 1.0 and summary["collisions"] == 0
    assert [len(seen.parts[seen.at(t)]) for t in (9.0, 11.0, 25.0, 27.0)] == [1, 2, 2, 1]
    before, after = seen.at(10.0), range(seen.at(10.5), seen.at(26.0))
    for robots in ((0, 1, 2), (3, 4, 5)):
        held = sides(seen.position[before], robots)
        assert max(np.abs(sides(seen.position[k], robots) - held).max() for k in after) < 0.003
    (_, one), (_, two) = seen.parts[seen.at(25.5)]
    assert one == pytest.approx([0.5, 1.5, 0.0], abs=0.005) and two == pytest.approx([0.5, -1.5, np.deg2rad(40)], abs=0.01)
    last = seen.position[-1] - seen.position[-1].mean(axis=0)
    assert np.hypot(*last.T) == pytest.approx(0.6, abs=0.003) and seen.error[-1] < 0.002
    assert seen.position[-1].mean(axis=0) == pytest.approx([1.5, 0.0], abs=0.005)


def test_a_merged_structure_with_shape_start_stays_as_its_parts_stand():
    seen = Diary()
    goals = "goals=[{position: [0.5, 1], part: 1}, {position: [0.5, -1], part: 2}, {position: [1, 0], heading: 20}]"
    orders = ("formation.shape=start", "formation.split=[3, 3]", phases((15, "formation.split: []")))
    summary = fly("formation_translate", *CIRCLE, goals, *orders, watch=seen).summary
    assert summary["arrived_fraction"] == 1.0
    stood = seen.position[seen.at(15.0)]
    assert np.abs(sides(seen.position[-1], range(6)) - sides(stood, range(6))).max() < 0.004
    assert max(seen.error) < 0.002


def test_goals_that_are_cut_off_by_a_merger_are_not_called_reached():
    orders = phases((1, "formation.split: [3, 3]"), (3, "formation.split: []"))
    goals = "goals=[{position: [0, 9], part: 1}, {position: [0, -9], part: 2}, {position: [0.2, 0]}]"
    summary = fly("formation_translate", *CIRCLE, goals, orders).summary
    assert summary["arrived_fraction"] == pytest.approx(1 / 3) and summary["arrival_time"] is None
    reached = {phase["name"]: phase["arrived_fraction"] for phase in summary["phases"] if phase["name"].startswith("goal")}
    assert reached == {"goal 1": 0.0, "goal 2": 0.0, "goal 3": 1.0}


def test_a_list_of_goals_without_parts_goes_on_after_a_split():
    orders = phases((2, "formation.split: [3, 3]"), (6, "formation.split: []"))
    goals = "goals=[{position: [0.5, 0]}, {position: [0, 0]}]"
    seen = Diary()
    summary = fly("formation_translate", *CIRCLE, goals, orders, watch=seen).summary
    assert summary["arrived_fraction"] == 1.0
    still = [seen.position[seen.at(t)].mean(axis=0) for t in (4.5, 6.0)]
    assert still[0] == pytest.approx(still[1], abs=0.002)  # parts without goals stand


@pytest.mark.study
def test_two_structures_meet_and_part_around_a_disc():
    seen = Diary()
    summary = fly("formation_merge", watch=seen).summary
    assert summary["arrived_fraction"] == 1.0 and summary["collisions"] == 0 and summary["min_clearance"] > 0.05
    assert [len(seen.parts[seen.at(t)]) for t in (19.0, 21.0, 37.0, 39.0, 74.0, 76.0)] == [2, 1, 1, 2, 2, 1]
    for t in (37.0, seen.time[-1]):
        here = seen.position[seen.at(t)]
        assert np.hypot(*(here - here.mean(axis=0)).T) == pytest.approx(0.7, abs=0.01)


def test_a_field_takes_the_structure_past_obstacles_and_it_turns_about_one_of_its_robots():
    seen = Diary()
    summary = fly("formation_field", watch=seen).summary
    assert summary["arrived_fraction"] == 1.0 and summary["collisions"] == 0 and summary["min_clearance"] > 0.1
    turn = summary["phases"][-1]
    robot = np.array([position[0] for position in seen.position])
    assert np.hypot(*(robot[-1] - [3.2, 3.2])) < 0.01
    assert np.abs(robot[seen.at(turn["start"]) :] - [3.2, 3.2]).max() < 0.02


@pytest.mark.study
def test_without_the_walls_push_the_same_way_ends_at_a_wall():
    summary = fly("formation_field", "formation.force_field.repulsion=0").summary
    assert summary["collisions"] > 0


TURN = (EXACT, "goals=[]", "formation.velocity=[0, 0, 0.15]", "duration=52")


@pytest.mark.parametrize(("model", "pivot", "settled"), [
    ("omni", (0.0, 0.0), 0.0), ("omni", (-0.1732, 0.3), 0.0), ("omni", (1.0, 0.5), 0.0),
    ("differential", (0.3464, 0.0), 10.0), ("differential", (1.0, 0.5), 10.0),
])  # fmt: skip
def test_the_pivot_stays_while_the_structure_turns_about_it(model, pivot, settled):
    """Wheels have to be turned into the way first; meanwhile the structure is where its robots are."""
    seen = Diary()
    fly("formation_translate", *TURN, f"robots.0.model={model}", f"formation.pivot={list(pivot)}", watch=seen)
    pose = np.array([parts[0][1] for parts in seen.parts])
    where = pose[:, :2] + rotate(np.tile(pivot, (len(pose), 1)), pose[:, 2])
    assert np.abs(where - pivot)[seen.at(settled) :].max() < 0.003
    assert np.unwrap(pose[:, 2])[-1] > 2.0 * np.pi  # more than once around
    assert max(seen.error[seen.at(settled) :]) < 0.001


def test_a_goals_heading_is_taken_about_the_pivot():
    seen = Diary()
    goals = "goals=[{position: [0.3464, 0], heading: 120}, {position: [0.8, 0.3], heading: 0}]"
    out = fly("formation_translate", EXACT, OMNI, goals, "formation.repeat=1", "formation.pivot=[0.3464, 0]", watch=seen)
    first, end = out.summary["phases"][0]["end"], out.summary["arrival_time"]
    robot = np.array([position[0] for position in seen.position])
    assert np.abs(robot[: seen.at(first)] - [0.3464, 0.0]).max() < 0.003
    assert robot[seen.at(end)] == pytest.approx([0.8, 0.3], abs=0.006) and out.summary["formation_error_max"] < 0.003


def test_robots_are_taken_in_moved_and_left_behind_on_the_way():
    seen = Diary()
    start = "robots.0.start={pattern: poses, poses: [[0.3464, 0, 0], [-0.1732, 0.3, 0], [-0.9, -0.6, 0]]}"
    two, three = "0.3464, 0, -0.1732, 0.3", "0.3464, 0, -0.1732, 0.3, -0.1732, -0.3"
    members = ("formation.members=[robot_0, robot_1]", "formation.shape=points", f"formation.points=[{two}]")
    orders = phases(
        (4, f"formation.members: [robot_0, robot_1, robot_2], formation.points: [{three}]"),
        (20, "formation.points: [0.3464, 0, -0.1732, 0.3, -0.6, 0]"),
        (35, f"formation.members: [robot_0, robot_1], formation.points: [{two}]"),
    )  # fmt: skip
    forward = ("goals=[]", "formation.velocity=[0.1, 0, 0]", "formation.drive.max_speed=0.1", "duration=50")
    fly("formation_translate", EXACT, OMNI, start, *members, *forward, "formation.morph_time=5", orders, watch=seen)
    assert [seen.parts[seen.at(t)][0][0] for t in (3.0, 5.0, 36.0)] == [
        ("robot_0", "robot_1"), ("robot_0", "robot_1", "robot_2"), ("robot_0", "robot_1"),
    ]  # fmt: skip
    assert max(seen.error[seen.at(t)] for t in (3.5, 19.0, 34.0, 49.0)) < 0.002
    offset = lambda t, a, b: seen.position[seen.at(t)][b] - seen.position[seen.at(t)][a]  # noqa: E731
    assert offset(19.0, 0, 2) == pytest.approx([-0.5196, -0.3], abs=0.005)
    assert offset(34.0, 0, 2) == pytest.approx([-0.9464, 0.0], abs=0.005)
    along = [seen.position[seen.at(t)][1][0] for t in (3.0, 19.0, 34.0, 49.0)]
    assert (np.diff(along) > 0.8).all()  # it kept going all the while
    left = seen.position[seen.at(37.0)][2]
    assert seen.position[-1][2] == pytest.approx(left, abs=0.001)


def goal(x, part=0):
    return Goal(position=(float(x), 0.0), part=part)


def numbers(hands):
    return [[int(one.position[0]) for one in hand] for hand in hands]


def test_the_agenda_deals_goals_in_their_order():
    agenda = Agenda([goal(1), goal(2, 1), goal(3, 2), goal(4, 1), goal(5), goal(6, 2)])
    assert numbers(agenda.deal(False, 1, 1)) == [[1]]
    agenda.behind += 1
    assert numbers(agenda.deal(True, 2, 1)) == [[2, 4], [3]] and agenda.missed == 0
    agenda.behind += 2  # the third of them is given up
    assert numbers(agenda.deal(False, 1, 1)) == [[5]] and (agenda.behind, agenda.missed) == (4, 1)
    assert numbers(agenda.deal(True, 2, 1)) == [[], [6]] and agenda.missed == 2
    assert numbers(agenda.deal(False, 1, 1)) == [[]] and agenda.behind == 6
    waiting = Agenda([goal(1, 1), goal(2)])
    assert numbers(waiting.deal(False, 1, 1, first=True)) == [[]] and waiting.missed == 0
    assert numbers(waiting.deal(True, 1, 1)) == [[1]]
    whole = Agenda([goal(1), goal(2)])
    assert numbers(whole.deal(True, 2, 1)) == [[], []] and whole.deal(False, 1, 3) == [whole.goals], "a list without parts is the whole's"
    again = Agenda([goal(1, 1), goal(2)])
    again.behind = 2
    assert numbers(again.deal(True, 2, 2)) == [[1], []], "the second round"


def test_a_phase_ends_when_the_next_begins_whatever_goals_are_reached():
    settings = {"phases": ({"name": "one", "start": 0.0}, {"name": "two", "start": 2.0})}
    loaded = load("formation_translate", (f"phases={list(settings['phases'])}".replace("'", ""),)).scenario
    director = Director(loaded)
    assert isinstance(loaded, Scenario)
    state = SwarmState.of(0.0, np.zeros((3, 3)), np.zeros((3, 3)))
    for time, visits in ((0.0, 0), (1.0, 1), (2.0, 1)):
        director.control(Controls(loaded.control), time)
        director.follow(SwarmState.of(time, state.pose, state.velocity), visits, 2)
    stages = {stage["name"]: (stage["start"], stage["end"]) for stage in director.results()["phases"]}
    assert stages == {"one": (0.0, 2.0), "two": (2.0, None), "goal 1": (0.0, 1.0), "goal 2": (1.0, None)}
