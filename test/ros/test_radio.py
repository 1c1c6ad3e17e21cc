"""Robots that carry their own nodes and hear only those in range: they pass on where all stand, form, go together, and stand when alone."""

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from graph import Graph

from swarm_control.core.state import SwarmState
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr
from swarm_control.ros.messages.word_rows import WORD, word_of_rows, word_rows
from swarm_control.ros.support.radio_reach import RadioReach
from swarm_control.runtime.goal_list import NONE_NEW, NewGoal
from swarm_control.runtime.outset import Outset
from swarm_control.runtime.word import PartWord, Word

NAMES = ("robot_0", "robot_1", "robot_2", "robot_3")
REACH = 0.7
CHAIN = [[0.0, -0.65, 0.0], [0.05, 0.0, 0.0], [-0.05, 0.65, 0.0]]
"""Robots that hear only those beside them, a few centimetres off the line that they are to form."""


def scenario(poses, **changes):
    body = {"radius": 0.1, "max_speed": 0.3, "max_acceleration": 0.6}
    return {
        "duration": 600, "robots": [{"count": len(poses), **body, "start": {"pattern": "poses", "poses": poses}}],
        "control": {"formation": {"enabled": True, "shape": "line", "spacing": 0.6, "repeat": 1}, "separation_filter": {"enabled": True}},
        "goals": [{"position": [0.6, 0.0]}], "simulator": {"onboard": True, "radio_range": REACH}, **changes,
    }  # fmt: skip


class Radio(Graph):
    """A graph that also hears what robots say to each other, and their structures."""

    def __init__(self, folder, data):
        self.robots = NAMES[: data["robots"][0]["count"]]
        super().__init__(folder, data, formation=True, onboard=self.robots)
        self.words, self.structures, self.degrees = {}, {}, dict.fromkeys(range(len(self.robots)), 0)
        every = topics.Topic(f"/swarm/{topics.STRUCTURE_WORD.name}", topics.STRUCTURE_WORD.kind, lossy=False, depth=1000)
        topics.subscribe(self.node, every, self._hear_word, raw=True)
        for name in self.robots:
            topic = topics.Topic(f"/{name}/{topics.STRUCTURE.name}", topics.STRUCTURE.kind, depth=100)
            topics.subscribe(self.node, topic, lambda raw, name=name: self._hear_structure(name, raw), raw=True)

    def _hear_word(self, raw):
        _, word = word_of_rows(*cdr.read_cloud(raw), len(self.robots))
        self.words[word.speaker] = word
        self.degrees[word.speaker] = max(self.degrees[word.speaker], word.degree)

    def _hear_structure(self, name, raw):
        stamp, rows = cdr.read_cloud(raw)
        self.structures.setdefault(name, {})[round(stamp, 3)] = rows[0].copy()

    @property
    def visits(self):
        return [self.structures[name][max(self.structures[name])]["visits"] if name in self.structures else -1 for name in self.robots]


@pytest.fixture
def graph(tmp_path):
    made = []

    def make(data):
        made.append(Radio(tmp_path, data))
        made[0].until(lambda: made[0].states and made[0].state.time > 0.3, timeout=90.0)
        return made[0]

    yield make
    for one in made:
        one.close()


@pytest.mark.ros
def test_a_chain_of_robots_forms_goes_together_and_goes_on_to_a_new_goal(graph):
    g = graph(scenario(CHAIN))
    g.until(lambda: min(g.visits) == 1)
    assert g.degrees == {0: 1, 1: 2, 2: 1}
    shared = sorted(set.intersection(*(set(g.structures[name]) for name in g.robots)))
    pose = np.array([[[g.structures[name][t][axis] for axis in ("x", "y", "yaw")] for name in g.robots] for t in shared])
    apart = (pose.max(axis=1) - pose.min(axis=1))[:, :2].max(axis=1)
    assert apart.max() < 0.3 and apart[-1] < 0.02 and pose[-1, :, 0].min() > 0.57  # a busy machine keeps words back now and then
    there = lambda place: np.abs(place[:, 0] - 0.6).max() < 0.03 and np.abs(np.diff(place[:, 1]) - 0.6).max() < 0.03  # noqa: E731
    g.until(lambda: there(g.state.position))
    plans = lambda: {(word.parts[0].outset.time, word.parts[0].outset.origin) for word in g.words.values()}  # noqa: E731
    g.until(lambda: len(plans()) == 1, timeout=20.0)  # all plan from the same; who has arrived plans no more
    goal, to = g.node.create_publisher(PoseStamped, "/goal_pose", 1), PoseStamped()
    to.header.frame_id = "map"
    to.pose.position.x, to.pose.position.y, to.pose.orientation.w = 0.6, 0.3, 1.0
    g.tell(goal, to, lambda: np.abs(g.state.position.mean(axis=0) - [0.6, 0.3]).max() < 0.02, every=5.0)
    carried_away(g, goal, to)


def carried_away(g, goal, to):
    """The last robot is put where it hears nobody: there it stays, and says so. The others go on."""
    place = PoseStamped()
    place.header.frame_id, place.pose.position.x, place.pose.position.y, place.pose.orientation.w = "robot_2", 3.0, 3.0, 1.0
    far = g.node.create_publisher(PoseStamped, "/swarm/simulator/place", 1)
    g.tell(far, place, lambda: g.state.position[2].min() > 2.0)
    g.until(lambda: g.words[2].lost and g.status["/robot_2/virtual_structure"]["hears"] == "nobody")
    g.until(lambda: not g.state.velocity[2].any(), timeout=5.0)  # it brakes
    there = g.state.position[2]
    to.pose.position.x = 0.2
    mean = lambda: g.state.position[:2].mean(axis=0)  # noqa: E731
    g.tell(goal, to, lambda: np.abs(mean() - [0.2, 0.0]).max() < 0.03, every=5.0)
    assert np.abs(g.state.position[2] - there).max() < 1e-6


@pytest.mark.study
@pytest.mark.ros
def test_robots_in_two_parts_hear_of_no_way_to_begin_and_stand(graph):
    g = graph(scenario([*CHAIN[:2], [0.0, 1.6, 0.0], [0.0, 2.2, 0.0]]))
    g.until(lambda: len(g.words) == 4 and min(g.degrees.values()) == 1)
    before = g.state.position
    g.watch(3.0)
    assert np.array_equal(g.state.position, before) and not g.structures
    assert g.status["/robot_0/virtual_structure"]["state"] == "waiting for the robots"


def test_words_survive_the_wire_to_the_bit():
    rng = np.random.default_rng(0)
    outset = Outset(2, 1, 3.25, 0, rng.normal(size=(3, 3)))
    parts = (
        PartWord(rng.normal(size=3), 1.5, 2, 7.25, outset, NewGoal(4.0, 1, rng.normal(size=3))),
        PartWord(rng.normal(size=3), 0.5, 0, 0.0, Outset(0, 0, 1.0, 2, outset.pose), NONE_NEW),
    )
    places, ready = np.vstack((rng.normal(size=(2, 4)), np.full((1, 4), np.nan))), np.array([0.1, np.nan, 0.2])
    informed = rng.normal(size=3)
    for said in (
        Word(1, 9.5, 2, True, 0.7, parts, np.array([False, True, False]), places, ready, informed),
        Word(1, 9.5, 0, False, 0.0, (), np.zeros(3, bool), places, ready, informed),
    ):
        flock, word = word_of_rows(*cdr.read_cloud(cdr.CloudWriter(topics.FRAME, WORD).write(9.5, word_rows(said, 1))), 3)
        assert flock == 1 and (word.speaker, word.time, word.degree, word.lost) == (1, 9.5, said.degree, said.lost)
        assert word.failing == said.failing
        assert np.array_equal(word.places, places, equal_nan=True)
        assert np.array_equal(word.informed, informed) and np.array_equal(word.ready, ready, equal_nan=True)
        assert np.array_equal(word.dropped, said.dropped) and len(word.parts) == len(said.parts)
        for one, other in zip(word.parts, said.parts):
            assert (one.pose == other.pose).all() and (one.clock, one.visits, one.span) == (other.clock, other.visits, other.span)
            assert one.planned_as(other) and (one.outset.pose == outset.pose).all() and one.goal.time == other.goal.time
            assert (one.goal.pose == other.goal.pose).all() and one.goal.visits == other.goal.visits


@pytest.mark.parametrize("spoil", [
    {"speaker": 7}, {"id": 0}, {"x": np.nan}, {"clock": 1e9}, {"outset_y": np.inf}, {"goal_time": 3.0, "goal_x": np.nan},
    {"place_x": np.inf}, {"place_yaw": -1e300},
])  # fmt: skip
def test_a_word_that_makes_no_sense_is_refused(spoil):
    part = PartWord(np.zeros(3), 0.0, 0, 0.0, Outset(0, 0, 0.0, 0, np.zeros((2, 3))), NONE_NEW)
    rows = word_rows(Word(0, 1.0, 1, False, 0.0, (part,), np.zeros(2, bool), np.zeros((2, 4)), *np.zeros((2, 2))), 0)
    for name, value in spoil.items():
        rows[name] = value
    with pytest.raises(ValueError, match="expected"):
        word_of_rows(1.0, rows, 2)


def test_in_simulation_a_robot_keeps_what_it_heard_last_of_those_out_of_reach():
    reach = RadioReach(0, 1.0, 3)
    for time, x in ((1.0, 0.9), (2.0, 1.1)):
        pose = np.array([[0.0, 0.0, 0.0], [x, 0.0, 0.0], [5.0, 0.0, 0.0]])
        state, stamps = reach.heard(SwarmState.of(time, pose, np.zeros((3, 3))), np.full(3, time))
    assert state.valid.tolist() == [True, True, False] and state.pose[1, 0] == 0.9
    assert stamps.tolist() == [2.0, 1.0, -np.inf] and reach.now.tolist() == [True, False, False]
