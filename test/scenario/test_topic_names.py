"""What drivers of real robots call their topics: names by template, and the robots' own names."""

import pytest

from swarm_control.errors import InputError
from swarm_control.ros.graph.real_names import topics_of
from swarm_control.scenario.hardware import RobotTopics
from swarm_control.scenario.loader import load_prepared
from swarm_control.scenario.topic_names import real_topics

NAMES = ("tb 1", "tb2")


def prepared(*changes):
    return load_prepared("migrate_boxes", changes)


def test_topics_that_are_as_always_are_not_renamed():
    assert real_topics(RobotTopics(), NAMES).renamed == {}
    assert real_topics(RobotTopics(odom="/{robot}/odom", stamped="twist"), NAMES).stamped == "twist"


def test_templates_hold_names_and_numbers_of_robots():
    found = real_topics(RobotTopics(odom="/lab/{robot}/odometry", cmd_vel="/cf{index:02d}/cmd_vel"), NAMES).renamed
    assert found["odom"] == {0: ("/tb_1/odom", "/lab/tb_1/odometry"), 1: ("/tb2/odom", "/lab/tb2/odometry")}
    assert found["cmd_vel"] == {0: ("/tb_1/cmd_vel", "/cf00/cmd_vel"), 1: ("/tb2/cmd_vel", "/cf01/cmd_vel")}


def test_only_robots_whose_topics_differ_are_renamed():
    found = real_topics(RobotTopics(cmd_vel="/robot_{index}/cmd_vel"), ("robot_0", "other")).renamed
    assert found == {"odom": {}, "cmd_vel": {1: ("/other/cmd_vel", "/robot_1/cmd_vel")}}


def test_one_robot_alone_needs_no_name():
    assert prepared("robots=1", "hardware.topics.odom=/odom", "hardware.topics.cmd_vel=/cmd_vel")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("odom=/odom", "'/odom' found, the same topic for all robots; expected {robot} or {index} in it"),
        ("odom=/{name}/odom", "'/{name}/odom' found, expected no more than {robot} and {index} in braces"),
        ("odom=/{robot[0]}/odom", "'/{robot[0]}/odom' found, expected no more than {robot} and {index} in braces"),
        ("odom='/{robot:.1}/odom'", "found, expected no more than {robot} and {index} in braces"),
        (f"odom=/{'x' * 250}/{{robot}}", "expected the name of a topic"),
        ("odom=/{robot", "found, expected no more than {robot} and {index} in braces"),
        ("cmd_vel='{robot}/cmd_vel'", "'robot_0/cmd_vel' found, expected the name of a topic, with a slash before it"),
        ("cmd_vel=/{index}/cmd_vel", "'/0/cmd_vel' found, expected the name of a topic"),
        ("cmd_vel=/{robot}/cmd vel", "'/robot_0/cmd vel' found, expected the name of a topic"),
        ("cmd_vel=/{robot}/a__b", "expected the name of a topic"),
        ("cmd_vel=/{robot}/odom", "/robot_0/odom found, which hardware.topics.odom names, too"),
        ("stamped=sometimes", "auto, twist, twist_stamped"),
    ],
)  # fmt: skip
def test_names_that_are_none_are_refused_in_one_line(change, said):
    with pytest.raises(InputError) as caught:
        prepared("robots=3", f"hardware.topics.{change}")
    line = str(caught.value)
    assert said in line and f"hardware.topics.{change.partition('=')[0]}" in line and "\n" not in line


def test_robots_have_names_of_their_own():
    assert prepared("robots=3", "robots.0.names=[cf231, cf5]")[1].fleet.names == ("cf231", "cf5", "robot_0")
    assert prepared("robots=1", "robots.0.names=[cf231, cf5]")[1].fleet.names == ("cf231",)


@pytest.mark.parametrize(("names", "said"), [("[a, '']", "the name '' found"), ("[a, b, a]", "the name 'a' found twice")])
def test_names_are_each_robots_own(names, said):
    with pytest.raises(InputError, match=said):
        prepared("robots=3", f"robots.0.names={names}")


@pytest.mark.parametrize("template", ["/{robot}/odom", "/lab/{robot}/odom"])
@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("[a b, a_b, c]", "a b and a_b are both a_b in ROS, expected names that stay apart"),
        ("[é, ü, c]", "é and ü are both _ in ROS"),
        (f"[{'x' * 101}, b, c]", "xxxxxxxxxxxxxxxxxxxx… has 101 letters, expected at most 100"),
    ],
)  # fmt: skip
def test_robots_that_ros_cannot_tell_apart_are_refused_where_it_is_used(template, names, said):
    with pytest.raises(InputError, match=said):
        topics_of(*prepared("robots=3", f"robots.0.names={names}", f"hardware.topics.odom={template}"), "none")


def test_names_become_such_as_ros_takes():
    found = topics_of(*prepared("robots=3", "robots.0.names=[a__b, __c, 4 d]", "hardware.topics.odom=/x/{robot}"), "none")
    assert [real for _, real in found.renamed["odom"].values()] == ["/x/a_b", "/x/_c", "/x/robot_4_d"]
