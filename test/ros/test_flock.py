"""Five real processes: they move ten robots, and can be tuned, stopped, redirected and killed."""

import copy
import math

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from graph import SCENARIO
from rcl_interfaces.srv import DescribeParameters, ListParameters

from swarm_control.ros.graph import topics

pytestmark = pytest.mark.ros

NODES = ("neighbourhood", "behaviours", "motion_model", "director", "simulator", "guard", "standby")


def speed(state):
    return np.hypot(*state.velocity[:, :2].T)


def moving(graph):
    graph.until(lambda: graph.states and speed(graph.state).min() > 0.5)


def test_five_processes_move_ten_robots(flock):
    assert {node.process.poll() for node in flock.supervisor.nodes} == {None}
    flock.until(lambda: flock.names() >= {f"/swarm/{name}" for name in NODES})
    moving(flock)
    seen = flock.watch(1.0)
    assert len(seen[0][1]) == 10
    travelled = seen[-1][1].position - seen[0][1].position
    assert (travelled[:, 0] > 0.5 * (seen[-1][1].time - seen[0][1].time)).all()
    rate = (len(seen) - 1) / (seen[-1][1].time - seen[0][1].time)
    assert rate == pytest.approx(1.0 / SCENARIO["control"]["period"], rel=0.1)


def test_the_graph_has_the_types_and_qualities_of_the_table(flock):
    spaces = [f"/robot_{k}" for k in range(10)]
    for topic in topics.TABLE:
        names = {topic.of(space.strip("/")) for space in spaces}
        for name in names:
            full = name if name.startswith("/") else f"/swarm/{name}"
            offering = lambda full=full: [e for e in flock.node.get_publishers_info_by_topic(full) if e.node_name in NODES]  # noqa: E731
            offered = offering() if topic in ELSEWHERE else flock.until(offering)
            asked = [e for e in flock.node.get_subscriptions_info_by_topic(full) if e.node_name in NODES and full != "/clock"]
            for end, wanted in [*((e, topic.publish_qos) for e in offered), *((e, topic.subscribe_qos) for e in asked)]:
                package, _, kind = topic.kind.__module__.partition(".")[0], None, topic.kind.__name__
                assert end.topic_type == f"{package}/msg/{kind}", full
                assert (end.qos_profile.reliability, end.qos_profile.durability) == (wanted.reliability, wanted.durability), full


def test_parameters_are_described_and_take_effect(flock):
    names = flock.call(ListParameters, "/swarm/behaviours/list_parameters", ListParameters.Request()).result.names
    assert {"separation.weight", "separation.law", "accumulation.priority", "guidance.margin", "period"} <= set(names)
    request = DescribeParameters.Request(names=["separation.weight", "period", "separation.law"])
    weight, period, law = flock.call(DescribeParameters, "/swarm/behaviours/describe_parameters", request).descriptors
    assert (weight.floating_point_range[0].from_value, weight.floating_point_range[0].to_value) == (0.0, 100.0)
    assert "separation" in weight.description and "m/s²" in weight.description
    assert period.read_only and "inverse" in law.additional_constraints
    moving(flock)
    assert flock.set("behaviours", seek__weight=0.0, cruise__weight=5.0, cruise__speed=0.2).successful
    flock.until(lambda: np.allclose(speed(flock.state), 0.2, atol=0.1))
    assert flock.set("behaviours", seek__weight=1, cruise__weight=0).successful, "whole numbers do for numbers"
    assert flock.get("behaviours", "seek.weight") == [1.0]
    moving(flock)


ELSEWHERE = (
    topics.JOY, topics.STOP, topics.GOAL_POSE, topics.GROUP_GOAL_POSE, topics.GROUP_CMD_VEL, topics.TASK, topics.MAP, topics.PLACE,
    topics.WHEEL_ODOM, topics.ROBOT_DESCRIPTION, topics.MARKERS, *topics.FORMATION,
)  # fmt: skip
"""Topics that nobody offers in this graph."""


@pytest.mark.parametrize(
    ("node", "values", "reason"),
    [
        ("behaviours", {"alignment__weight": 0.7, "separation__law": "magnetic"}, "unit, linear, inverse"),
        ("behaviours", {"alignment__weight": 0.7, "separation__weight": -1.0}, "separation.weight"),
        ("behaviours", {"alignment__weight": 0.7, "separation__weight": math.nan}, "separation.weight"),
        ("behaviours", {"alignment__weight": 0.7, "seek__weight": "much"}, "type"),
        ("behaviours", {"alignment__weight": 0.7, "accumulation__priority": ["seek", "seek"]}, "accumulation.priority"),
        ("behaviours", {"alignment__weight": 0.7, "period": 0.1}, "read-only"),
        ("neighbourhood", {"perception__radius": 2.0, "perception__count": -3}, "perception.count"),
    ],
)
def test_bad_parameters_are_refused_with_a_reason_and_change_nothing(flock, node, values, reason):
    names = [name.replace("__", ".") for name in values]
    before = flock.get(node, *names)
    result = flock.set(node, **values)
    assert not result.successful and reason in result.reason and "\n" not in result.reason
    assert flock.get(node, *names) == before
    one_by_one = flock.set(node, atomically=False, **values)
    assert [r.successful for r in one_by_one] == [True, False]
    assert flock.set(node, **{next(iter(values)): before[0]}).successful


def test_contradicting_settings_are_warned_of(flock):
    """The two settings belong to different nodes."""
    assert flock.set("neighbourhood", perception__radius=0.7).successful
    first = len(flock.lines)
    assert flock.set("behaviours", separation__distance=1.0).successful
    flock.until(lambda: any("separation.distance (1 m) exceeds perception.radius (0.7 m)" in line for line in flock.lines[first:]))
    assert flock.set("behaviours", separation__distance=0.4).successful
    assert flock.set("neighbourhood", perception__radius=1.5).successful


def test_editing_the_file_retunes_all_nodes_and_a_broken_edit_changes_nothing(flock):
    edited = copy.deepcopy(SCENARIO)
    edited["control"]["perception"]["radius"] = 1.25
    edited["control"]["alignment"]["weight"] = 0.45
    edited["control"]["safety"] = {"command_timeout": 0.19}
    flock.write(edited)
    flock.until(lambda: flock.get("neighbourhood", "perception.radius") == [1.25])
    flock.until(lambda: flock.get("behaviours", "alignment.weight") == [0.45])
    for node in ("motion_model", "neighbourhood", "simulator"):
        flock.until(lambda node=node: flock.get(node, "safety.command_timeout") == [0.19])
    broken = {"control: {alignment: {weight: [}": "not YAML", "control: {alignment: {weight: -5}}": "control.alignment.weight"}
    for text, said in broken.items():
        first = len(flock.lines)
        flock.write(text)
        for node in NODES[:5]:  # guards know no scenario
            flock.until(lambda node=node, said=said, first=first: any(node in x and said in x for x in flock.lines[first:]))
        assert flock.get("behaviours", "alignment.weight") == [0.45]
    moving(flock)
    flock.write(SCENARIO)
    flock.until(lambda: flock.get("behaviours", "alignment.weight") == [0.3])
    flock.until(lambda: flock.get("neighbourhood", "perception.radius") == [1.5])


def test_stop_stops_everything_and_holds(flock):
    moving(flock)
    flock.stop(True)
    flock.until(lambda: speed(flock.state).max() < 0.01, timeout=0.5)
    assert max(speed(state).max() for _, state in flock.watch(1.0)) < 0.01
    flock.stop(False)
    moving(flock)


def test_goal_pose_moves_the_goal(flock):
    publisher = flock.node.create_publisher(PoseStamped, "/goal_pose", 1)
    for x, sign in ((-1000.0, -1.0), (1000.0, 1.0)):
        pose = PoseStamped()
        pose.header.frame_id = "map"
        pose.pose.position.x = x
        flock.tell(publisher, pose, lambda sign=sign: (sign * flock.state.velocity[:, 0]).min() > 0.5)
    bad = PoseStamped()
    bad.header.frame_id = "camera"
    flock.tell(publisher, bad, lambda: any("'camera' refused" in line for line in flock.lines))


@pytest.mark.parametrize("name", ["neighbourhood", "behaviours", "motion_model"])
def test_a_killed_node_leaves_its_robots_at_rest_and_they_go_on_after_its_restart(flock, name):
    moving(flock)
    killed = flock.kill(name)
    flock.until(lambda: flock.states[-1][0] > killed and speed(flock.state).max() < 0.01, timeout=0.5, poll=False)
    first = len(flock.states)
    flock.until(lambda: len(flock.states) > first + 5, poll=False)
    assert max(speed(state).max() for _, state in flock.states[first:]) < 0.01
    moving(flock)
    assert f"swarm: /swarm/{name} died (SIGKILL), restarted" in flock.lines


def test_a_killed_director_or_simulator_is_restarted(flock):
    flock.kill("director")
    flock.until(lambda: "swarm: /swarm/director died (SIGKILL), restarted" in flock.lines)
    moving(flock)
    before = flock.state.time
    flock.kill("simulator")
    flock.until(lambda: flock.state.time < before)
    moving(flock)
