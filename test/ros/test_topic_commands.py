"""``swarm topic`` and ``swarm pub`` on real nodes, and messages made of what people type."""

import re
from contextlib import closing

import pytest
from graph import Graph
from test_missions import swarm

from swarm_control.errors import InputError
from swarm_control.ros.messages.typed import message_of, message_type
from swarm_control.ros.support.topic_client import rate_of


@pytest.mark.ros(anytime=True)
def test_topics_are_listed_and_timed_and_a_goal_is_published(tmp_path):
    with closing(Graph(tmp_path)) as g:
        g.until(lambda: g.states)
        wanted = ["/robot_3/cmd_vel", "geometry_msgs/msg/Twist"]  # nodes that have only just met may need a second look
        g.until(lambda: wanted in [line.split() for line in swarm(g, "topic", "list")])
        rate, unit, *_ = swarm(g, "topic", "hz", "/robot_0/odom", "--seconds", "2.5")[-1].split()
        assert unit == "Hz" and 5.0 < float(rate) < 15.0
        (line,) = swarm(g, "topic", "hz", "/nobody", "--wait", "0.5", status=1)
        assert line == "swarm: no message on /nobody within 0.5 s"
        shown = swarm(g, "watch", "--once")
        assert re.match(r"t = [\d.]+ s   10 robots, (10|[5-9]) of them moving$", shown[0])
        assert shown[1] == "goal 1 of 1 at (1000, 0) m: 0 % have arrived"
        assert any("×" in line for line in shown) and any(line.startswith("/swarm/") for line in shown)
        (line,) = swarm(g, "watch", "--once", "--namespace", "nobody", "--wait", "0.5", status=1)
        assert line.startswith("swarm: no robots heard within 0.5 s")
        goal = "{header: {frame_id: map}, pose: {position: {x: 900, y: -7.5}, orientation: {w: 1}}}"
        swarm(g, "pub", "/goal_pose", "geometry_msgs/msg/PoseStamped", goal, "--once")
        g.until(lambda: any("moved to (900, -7.5)" in line for line in g.lines))
        (line,) = swarm(g, "pub", "/nobody", "std_msgs/msg/String", "{data: hello}", "--wait", "0.5", status=1)
        assert line.startswith("swarm: /nobody: nobody listened to such a message within 0.5 s")
        (line,) = swarm(g, "pub", "/swarm/goals", "std_msgs/msg/String", "{data: hello}", "--wait", "20", status=1)
        assert ": nobody listened to such a message, but " in line and "for sensor_msgs/msg/PointCloud2" in line
        *_, line = swarm(g, "pub", f"/{'x' * 300}", "std_msgs/msg/String", "--once", status=2)
        assert "expected name of a topic" in line
        (line,) = swarm(g, "pub", "/goal_pose", "geometry_msgs/msg/PoseStamped", "{pose: {posision: {}}}", status=2)
        assert line.startswith("swarm: VALUES.pose: no field 'posision', did you mean position?")


def test_a_message_holds_what_was_typed_and_the_rest_is_as_it_comes():
    path = message_of(message_type("nav_msgs/Path"), {"poses": [{"pose": {"position": {"x": 1, "y": 2.5}}}, {}]})
    assert [(one.pose.position.x, one.pose.position.y, one.pose.orientation.w) for one in path.poses] == [(1.0, 2.5, 1.0), (0.0, 0.0, 1.0)]
    joy = message_of(message_type("sensor_msgs/msg/Joy"), {"axes": [1, -0.5], "buttons": [0, 1]})
    assert joy.axes.tolist() == [1.0, -0.5] and joy.buttons.tolist() == [0, 1]


def test_bytes_are_written_as_numbers():
    assert message_of(message_type("std_msgs/msg/Byte"), {"data": 7}).data == b"\x07"
    assert message_of(message_type("std_msgs/msg/ByteMultiArray"), {"data": [1, 255]}).data == [b"\x01", b"\xff"]


@pytest.mark.parametrize(
    ("kind", "data", "error"),
    [
        ("std_msgs/msg/Byte", {"data": 256}, "VALUES.data: 256 found, expected octet"),
        ("geometry_msgs/msg/Twist", {"linear": {"x": "fast"}}, "VALUES.linear.x: 'fast' found, expected double"),
        ("geometry_msgs/msg/Twist", {"linear": 3}, "VALUES.linear: 3 found, expected fields such as {x: …}"),
        ("geometry_msgs/msg/Twist", [], "VALUES: [] found, expected fields such as {linear: …}"),
        ("sensor_msgs/msg/Joy", {"buttons": [1.5]}, "VALUES.buttons: [1.5] found, expected sequence<int32>"),
        ("sensor_msgs/msg/Joy", {"buttons": [2**31]}, f"VALUES.buttons: [{2**31}] found, expected sequence<int32>"),
        ("sensor_msgs/msg/Joy", {"buttons": 1}, "VALUES.buttons: 1 found, expected sequence<int32>"),
        ("nav_msgs/msg/Path", {"poses": [{"pose": {"position": {"z": None}}}]}, "VALUES.poses[0].pose.position.z: None found"),
        ("std_msgs/msg/Bool", {"data": 1}, "VALUES.data: 1 found, expected boolean"),
        ("geometry_msgs/msg/Twirl", {}, "TYPE: 'geometry_msgs/msg/Twirl' found"),
        ("geometry_msgs", {}, "TYPE: 'geometry_msgs' found"),
        ("", {}, "TYPE: '' found"),
        ("no_such_msgs/msg/Twist", {}, "TYPE: 'no_such_msgs/msg/Twist' found"),
        ("os/path", {}, "TYPE: 'os/path' found"),
    ],
)
def test_what_a_message_cannot_hold_is_one_line_with_its_place(kind, data, error):
    with pytest.raises(InputError) as found:
        message_of(message_type(kind), data)
    assert str(found.value).startswith(error)


def test_rates_are_those_of_the_times_at_which_messages_came():
    assert rate_of([0.0, 0.5, 1.0, 2.0]) == "1.50 Hz   interval 0.5000 to 1.0000 s   4 messages"
    assert rate_of([3.0]) == "one message"
