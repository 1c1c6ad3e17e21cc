"""A goal that somebody sets, a joystick, and a reset, as the director and the node that keeps formations understand them."""

import argparse
from types import SimpleNamespace

import numpy as np
import pytest
import rclpy
import yaml
from geometry_msgs.msg import PoseStamped, Twist
from rclpy.signals import SignalHandlerOptions

from swarm_control.core.state import SwarmState
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.messages.goal_pose import goal_of, goals_for
from swarm_control.ros.messages.poses import pose_message
from swarm_control.ros.nodes.director import DirectorNode
from swarm_control.ros.nodes.virtual_structure import VirtualStructureNode
from swarm_control.ros.support.node import SwarmNode
from swarm_control.scenario.groups import controls_of, flocks, squads
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Goal
from swarm_control.scenario.setup import prepare

LINE = {"enabled": True, "shape": "line", "spacing": 0.5}
SCENARIO = {
    "robots": [
        {"count": 3, "group": group, "start": {"pattern": "grid", "center": [x, 0.0]}} for group, x in (("red", -4.0), ("blue", 4.0))
    ],
    "groups": {
        "red": {"goals": [{"position": [-4.0, 5.0]}], "formation": LINE},
        "blue": {"goals": [{"position": [-4.0, -9.0]}], "formation": LINE},
    },
}  # fmt: skip
"""Two formations, whose goals are far from where they are: near the goal of the one, the other is the nearer."""


OFF = "is off the map, x -5.05 to 5.05 m, y -5.05 to 5.05 m"


class Sent(list):
    """Stands in a publisher's place and keeps what is published."""

    publish = list.append


class Pair:
    """The director and the node of the formations, each handed what it would hear."""

    time = 0.0

    def __init__(self, path):
        options = argparse.Namespace(scenario=str(path), set=[], robots="all")
        self.director, self.structure = DirectorNode(options), VirtualStructureNode(options)
        self.director._publisher = self.director._mission = Sent()
        self.structure._targets = self.structure._structure = self.structure._pose = Sent()
        self.director._ready = True
        self.start = self.structure.setup.start

    def tick(self, time):
        Pair.time = time
        state = SwarmState.of(time, self.start.pose, np.zeros_like(self.start.pose))
        rows = convert.state_rows(state, np.zeros(len(state), np.int64), np.full(len(state), time))
        data = cdr.CloudWriter("map", convert.SWARM_STATE).write(time, rows)
        self.director._input._hear_swarm(data)
        self.tell()
        self.structure._input._hear_swarm(data)

    def tell(self):
        for goals in [message for message in self.director._publisher if isinstance(message, bytes)]:
            self.structure._hear_goals(goals)

    def goals(self):
        """Where the formations go: as their node has it, and as the director says."""
        kept = [one.parts[0].goals.present.position for one in self.structure._formations]
        return kept, [one.goals[0].position for one in self.director._core.directors]


@pytest.fixture
def pair(tmp_path, monkeypatch):
    path = tmp_path / "two.yaml"
    path.write_text(yaml.safe_dump(SCENARIO, sort_keys=False))
    monkeypatch.setattr(SwarmNode, "now", property(lambda node: Pair.time))
    rclpy.init(args=["--ros-args", "-p", "source:=swarm_state"], signal_handler_options=SignalHandlerOptions.NO)
    found = Pair(path)
    yield found
    for node in (found.director, found.structure):
        node.destroy_node()
    rclpy.try_shutdown()


@pytest.fixture
def heard():
    """What a node does with a message on a topic."""
    return lambda node, name: next(one.callback for one in node.subscriptions if one.topic_name == name)


@pytest.mark.parametrize("first", ["director", "structure"], ids=lambda name: f"heard by the {name} first")
@pytest.mark.parametrize(("place", "flock"), [((-4.0, 3.0), 0), ((-4.0, -3.0), 1), ((4.0, 0.0), 0)])
def test_a_goal_moves_one_formation_the_same_in_both_nodes(pair, first, place, flock):
    pair.tick(0.1)
    before, _ = pair.goals()
    for node in sorted((pair.director, pair.structure), key=lambda node: node is not getattr(pair, first)):
        node._move_goal(Goal(position=place))
        pair.tell()
    expected = [place if k == flock else former for k, former in enumerate(before)]
    assert pair.goals() == (expected, expected)
    np.testing.assert_array_equal(pair.structure._goals, expected)


@pytest.mark.parametrize(("frame", "x"), [("odom", 0.0), ("map", np.nan)])
def test_a_goal_elsewhere_or_nowhere_is_refused(frame, x):
    message = pose_message(np.array([x, 0.0, 0.0]), PoseStamped().header.stamp)
    message.header.frame_id = frame
    with pytest.raises(ValueError, match="expected finite numbers in frame 'map'"):
        goal_of(message)


def test_a_goal_ends_the_steering_of_all_formations(pair):
    pair.tick(0.1)
    pair.structure._steering._hear(range(2), Twist())
    pair.structure._move_goal(Goal(position=(-4.0, 3.0)))
    assert [one._twist for one in pair.structure._formations] == [None, None]


def test_a_joystick_without_numbers_is_refused(pair):
    push = Twist()
    push.angular.z = np.nan
    with pytest.raises(ValueError, match="expected finite speeds"):
        pair.structure._steering._hear([0], push)
    assert not np.isfinite(pair.structure._steering._heard.heard).any()


def test_a_joystick_of_a_group_drives_its_formation_alone_until_it_is_silent(pair, heard):
    pair.tick(0.1)
    push = Twist()
    push.linear.x = 0.2
    heard(pair.structure, "/swarm/blue/cmd_vel")(push)
    kept = [one._twist for one in pair.structure._formations]
    assert kept[0] is None and kept[1].tolist() == [0.2, 0.0, 0.0]
    pair.tick(0.1 + pair.structure.control.safety.odometry_timeout)
    kept = [one._twist for one in pair.structure._formations]
    assert kept[0] is None and kept[1].tolist() == [0.0, 0.0, 0.0]


def test_a_goal_for_a_group_is_a_task_of_the_director(pair, heard):
    pair.tick(0.1)
    heard(pair.director, "/swarm/blue/goal_pose")(pose_message(np.array([5.0, 1.0, np.pi / 2]), PoseStamped().header.stamp))
    pair.tick(0.2)
    (one,) = pair.director._desk.states()
    assert (one.task.kind, one.task.group, one.state) == ("go", "blue", "refused"), "robots have not formed yet"
    pair.director._reports._hear("/swarm", structure(0.2, 0, flock=1))
    heard(pair.director, "/swarm/blue/goal_pose")(pose_message(np.array([5.0, 1.0, np.pi / 2]), PoseStamped().header.stamp))
    pair.tick(0.3)
    one = pair.director._desk.states()[-1]
    assert (one.task.group, one.state) == ("blue", "running")
    assert one.task.goals == (pytest.approx((5.0, 1.0, 90.0)),)
    assert [goal.position for goal in pair.director._core.directors[1].goals] == [(5.0, 1.0)]
    assert pair.director._core.directors[0].goals[0].position == (-4.0, 5.0)


@pytest.mark.parametrize(("place", "formed", "refused"), [
    ((9.0, 0.0), False, f"(9, 0) m {OFF}"), ((9.0, 0.0), True, f"(9, 0) m {OFF}"),
    ((0.0, 0.0), False, "(0, 0) m lies in a wall"), ((0.0, 0.0), True, ""), ((-3.0, -3.0), False, ""),
])  # fmt: skip
def test_nobody_is_sent_into_a_wall_or_off_the_map(place, formed, refused):
    """A disc stands in the middle of the map."""
    loaded = load("formation_merge", () if formed else ("formation.enabled=false", "formation.split=[]", "phases=[]", "goals=[]"))
    setup = prepare(loaded.scenario, loaded.source)
    told, said = [], []
    log = SimpleNamespace(error=said.append)
    kept, all_flocks = controls_of(loaded.scenario, "test"), flocks(loaded.scenario, squads(loaded.scenario.groups, setup.society))
    node = SimpleNamespace(setup=setup, flocks=all_flocks, controls=kept, get_logger=lambda: log)
    goals_for(node, told.append)(pose_message(np.array([*place, 0.0]), PoseStamped().header.stamp))
    assert said == ([f"goal refused: {refused}, expected free floor"] if refused else [])
    assert [goal.position for goal in told] == ([] if refused else [place])


def structure(time, visits, flock=0):
    """What a node says of the first flock's formation."""
    rows = np.zeros(1, convert.STRUCTURE)
    rows["visits"], rows["flock"] = visits, flock
    return cdr.CloudWriter("map", convert.STRUCTURE).write(time, rows)


def test_after_a_reset_the_director_knows_no_visits_of_the_former_run(pair):
    pair.tick(30.0)
    pair.director._reports._hear("/swarm", structure(30.0, 1))
    pair.tick(30.1)
    assert pair.director._core.directors[0].done
    pair.tick(0.1)
    assert not pair.director._core.directors[0].done
    pair.director._reports._hear("/swarm", structure(30.1, 1))
    pair.tick(0.2)
    assert not pair.director._core.directors[0].done, "it was on its way when time was set back"
    pair.director._reports._hear("/swarm", structure(0.2, 1))
    pair.tick(0.3)
    assert pair.director._core.directors[0].done


def test_a_joystick_of_the_former_run_does_not_hold_the_new_structures(pair):
    pair.tick(30.0)
    pair.structure._steering._hear(range(2), Twist())
    pair.tick(0.1)
    pair.tick(0.2)
    assert [one._twist for one in pair.structure._formations] == [None, None]


def test_a_formation_that_is_switched_on_again_goes_on_at_the_directors_goal(pair):
    node = pair.structure
    node._formations[0].agenda.goals += [Goal(position=(9.0, 9.0))]
    pair.tick(0.1)
    node.parameters.set({"groups.red.formation.enabled": False})
    pair.tick(0.2)
    node._present = np.array([1, 0])
    pair.director._publisher.clear()
    node.parameters.set({"groups.red.formation.enabled": True})
    pair.tick(0.3)
    assert [one.visits for one in node._formations] == [1, 0]
