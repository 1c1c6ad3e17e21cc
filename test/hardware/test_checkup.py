"""What is said of robots before they are driven."""

import numpy as np
import pytest

from swarm_control.hardware.checkup import (
    ERROR,
    ODOMETRY,
    OK,
    TWIST,
    TWIST_STAMPED,
    WARNING,
    HeardOdometry,
    check_commands,
    check_frame,
    check_odometry,
    check_places,
)  # fmt: skip
from swarm_control.hardware.link_checks import check_link

NOW = 1.7e9
TOPIC = "/robot_0/odom"


def heard(rate=20.0, age=0.01, count=60, types=(ODOMETRY,), finite=True, gap=0.0, frames=("map",)):
    """Odometry that came ``rate`` times a second, ``age`` (s) old, with one ``gap`` (s) in the middle."""
    came = NOW + np.arange(count) / rate + gap * (np.arange(count) >= count // 2)
    return HeardOdometry(frozenset(types), came, came - age, frozenset(frames), finite, (0.0, 0.0) if count else None)


def judged(others=(), **how):
    return check_odometry(TOPIC, heard(**how), 0.05, 0.5, others, "7")


def test_odometry_as_it_should_be_is_told_with_its_rate_age_and_frame():
    check = judged()
    assert (check.level, check.remedy) == (OK, "") and check.what == f"{TOPIC}: 20.0 Hz, 10 ms old, in map"


@pytest.mark.parametrize(
    ("how", "level", "what", "remedy"),
    [
        ({"types": (), "count": 0}, ERROR, "nobody publishes", "ROS_DOMAIN_ID 7"),
        ({"types": (), "count": 0, "others": ["/tb3_0/odom", "/robot0/odom"]}, ERROR, "nobody publishes", "there is /robot0/odom: set"),
        ({"types": ("geometry_msgs/msg/Pose",)}, ERROR, "published as geometry_msgs/msg/Pose", ODOMETRY),
        ({"count": 0}, ERROR, "nothing comes", "network"), ({"finite": False}, ERROR, "not finite", "driver"),
        ({"age": -3.0}, ERROR, "3.00 s ahead of this clock", "NTP"), ({"age": 1.0}, ERROR, "1000 ms old", "NTP"),
        ({"age": NOW}, ERROR, "another clock", "/clock"), ({"age": 0.2}, WARNING, "200 ms old", "guessed"),
        ({"rate": 5.0}, WARNING, "5.0 Hz", "control.period"), ({"rate": 1.0}, ERROR, "longest gap 1.00 s", "safety.odometry_timeout"),
        ({"gap": 0.8}, ERROR, "longest gap 0.85 s", "safety.odometry_timeout"), ({"count": 1}, ERROR, "one message", "0.5 s without"),
    ],
)  # fmt: skip
def test_what_is_amiss_is_named_with_a_remedy(how, level, what, remedy):
    check = judged(**how)
    assert check.level == level and what in check.what and remedy in check.remedy, check


def test_frames_are_in_order_where_somebody_tells_where_they_are():
    def level(frames, setting="auto", known=(), tf=True):
        found = check_frame(frames, "map", setting, known, tf)
        return found and found.what

    assert level(["map"]) is level([""]) is level(["odom"], "start") is level(["odom"], "map") is level(["odom"], known=["odom"]) is None
    assert level(["odom"]) == "odometry is in the frame odom, and nobody tells on /tf where that is in map"
    assert "tf2_msgs" in level(["odom"], tf=False) and level(["map", "odom"], known=["base"]) is not None


@pytest.mark.parametrize(
    ("types", "driving", "stamped", "level", "said"),
    [
        ((), (), "auto", ERROR, "nobody listens"), ((TWIST,), (), "auto", OK, TWIST), ((TWIST_STAMPED,), (), "auto", OK, TWIST_STAMPED),
        ((TWIST_STAMPED,), (), "twist", ERROR, "expected geometry_msgs/msg/Twist"), ((TWIST,), (), "twist_stamped", ERROR, "expected"),
        (("std_msgs/msg/String",), (), "auto", ERROR, "std_msgs"), ((TWIST,), ("/teleop",), "auto", WARNING, "/teleop commands it already"),
    ],
)  # fmt: skip
def test_commands_have_to_be_heard_as_they_are_published_by_nobody_else(types, driving, stamped, level, said):
    check = check_commands("/robot_0/cmd_vel", frozenset(types), driving, stamped, "0")
    assert check.level == level and said in check.what, check


def test_robots_that_all_begin_at_zero_are_told_of():
    names, radius = ("a", "b", "c"), np.array([0.1, 0.1, 0.1])
    (check,) = check_places(names, [(0.0, 0.0), (0.0, 0.05), (0.0, 0.0)], radius, "auto")
    assert check.level == ERROR and check.what == "a and b say that they are in the same place, and 2 more pairs"
    assert check_places(names, [(0.0, 0.0)] * 3, radius, "start") == []
    assert check_places(names, [(0.0, 0.0), (0.0, 0.2), (0.0, 0.4)], radius, "auto") == []


class Link:
    def __init__(self, url, error=None):
        self.url, self.error, self.closed = url, error, False

    def open(self):
        if self.error:
            raise self.error

    def close(self):
        self.closed = True


def test_a_link_is_opened_and_closed_again():
    good = Link("tcp://robot:5000")
    assert check_link("a", good).level == OK and good.closed
    bad = check_link("a", Link("serial:///dev/ttyUSB0", FileNotFoundError(2, "No such file or directory")))
    assert bad.level == ERROR and "a: serial:///dev/ttyUSB0 cannot be opened (No such file or directory)" in bad.what
    assert check_link("a", Link("udp://robot:5000")).level == WARNING
