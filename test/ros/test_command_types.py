"""Commands are told in the type that a robot's driver subscribes to: found in the graph, and followed when it changes."""

import argparse
import os

import claims
import numpy as np
import pytest
import rclpy
from geometry_msgs.msg import Twist, TwistStamped
from pace import Pace
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from swarm_control.errors import InputError
from swarm_control.ros.support import command_publishers
from swarm_control.ros.support.base_node import BaseNode, executor
from swarm_control.ros.support.command_publishers import CommandPublishers
from swarm_control.ros.support.lease_topics import check_topics

pytestmark = pytest.mark.ros(anytime=True)

NAMES = ("a", "b")


class Commander(BaseNode):
    """A node that commands two robots, one of them on a topic of another name."""

    kind = "commander"


class Driver:
    """A driver in a participant of its own, as in a process of its own: one has one type for a topic."""

    def __init__(self, lab, kind, topic, name, **qos):
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=lab.domain.number)
        self.node = rclpy.create_node(name, context=self.context)
        self.node.create_subscription(kind, topic, lambda message: lab.heard.append((name, message)), QoSProfile(depth=1, **qos))
        self.executor = executor(self.node, self.context)

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
        self.context.shutdown()


class Lab:
    """The commander and drivers, in one process."""

    def __init__(self):
        self.domain, self.drivers, self.heard, self.said = claims.domain(), [], [], []
        os.environ.update(ROS_DOMAIN_ID=str(self.domain.number), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
        rclpy.init(args=["--ros-args", "-r", "/b/cmd_vel:=/b/base/command"], domain_id=self.domain.number)
        self.node = Commander(argparse.Namespace())
        self.node.get_logger().error = self.said.append
        self.executor = executor(self.node)
        self.commands = CommandPublishers(self.node, NAMES, "auto")

    def driver(self, kind, topic, name="driver", **qos):
        self.drivers.append(Driver(self, kind, topic, name, **qos))
        return self.drivers[-1]

    def gone(self, driver):
        self.drivers.remove(driver)
        driver.close()

    def until(self, condition):
        """Tell both robots to go until ``condition()`` holds."""
        pace = Pace(lambda: [])
        while not condition():
            assert not pace.over(30.0), (self.commands.stamped, self.said)
            self.executor.spin_once(timeout_sec=0.02)
            for driver in self.drivers:
                driver.executor.spin_once(timeout_sec=0.001)
            self.commands.publish(self.node.now, np.tile([0.25, 0.0, 0.5], (2, 1)), np.arange(2))

    def close(self):
        for driver in self.drivers:
            driver.close()
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown()
        self.domain.release()


@pytest.fixture
def lab():
    found = Lab()
    yield found
    found.close()


def test_each_driver_is_told_in_its_own_type_which_may_change(lab):
    assert lab.commands.stamped == [None, None] and lab.node.count_publishers("/a/cmd_vel") == 0
    old = lab.driver(Twist, "/a/cmd_vel")
    lab.driver(TwistStamped, "/b/base/command", "base")
    lab.until(lambda: {name for name, _ in lab.heard} == {"driver", "base"})
    told = dict(lab.heard)
    assert (told["driver"].linear.x, told["driver"].angular.z) == (0.25, 0.5)
    assert told["base"].twist.linear.x == 0.25 and told["base"].header.frame_id == "b/base_link"
    assert abs(told["base"].header.stamp.sec - lab.node.now) < 5.0
    assert lab.commands.told == (["/a/cmd_vel", "/b/base/command"], ["", "b/base_link"]) and lab.commands.heard.all()
    lab.gone(old)
    lab.until(lambda: lab.node.count_subscribers("/a/cmd_vel") == 0)
    assert lab.commands.stamped == [False, True], "a driver that is away comes back as it was, until something else is known"
    lab.commands.changed = False
    lab.driver(TwistStamped, "/a/cmd_vel", "again")
    lab.until(lambda: any(name == "again" for name, _ in lab.heard))
    assert lab.commands.changed and lab.commands.told[1] == ["a/base_link", "b/base_link"] and not lab.said


def test_who_records_or_prints_commands_is_no_driver(lab):
    for name in ("recorder", "_ros2cli_1"):
        lab.driver(Twist, "/a/cmd_vel", name)
    lab.until(lambda: len(lab.node.get_subscriptions_info_by_topic("/a/cmd_vel")) == 2)
    lab.commands.look()
    assert lab.commands.stamped == [None, None]
    lab.driver(TwistStamped, "/a/cmd_vel")
    lab.until(lambda: lab.heard)
    assert lab.commands.stamped == [True, None] and not lab.said


def test_what_no_driver_should_be_is_said_once(lab, monkeypatch):
    monkeypatch.setattr(command_publishers, "PATIENCE", 0.5)
    odd = lab.driver(String, "/b/base/command")
    lab.until(lambda: len(lab.said) > 1)
    assert any("/b/base/command is subscribed to by /driver as std_msgs/msg/String, expected geometry_msgs/msg/" in x for x in lab.said)
    assert any(x.startswith("a: nobody subscribes to /a/cmd_vel: ") for x in lab.said)
    assert not lab.commands.heard.any()
    lab.gone(odd)
    lab.driver(Twist, "/a/cmd_vel")
    lab.driver(TwistStamped, "/a/cmd_vel", "another")
    lab.until(lambda: any("both as Twist and as TwistStamped" in x for x in lab.said))
    assert len(set(lab.said)) == len(lab.said) and lab.commands.stamped[0] is not None


def test_a_driver_that_no_longer_takes_commands_is_said_each_time(lab, monkeypatch):
    monkeypatch.setattr(command_publishers, "PATIENCE", 0.5)
    lab.driver(Twist, "/b/base/command", "other")
    for times in (1, 2):
        driver = lab.driver(Twist, "/a/cmd_vel", f"driver_{times}")
        lab.until(lambda times=times: any(name == f"driver_{times}" for name, _ in lab.heard))
        lab.commands.look()
        lab.gone(driver)
        lab.until(lambda times=times: sum(x.startswith("a: nobody subscribes to /a/cmd_vel: ") for x in lab.said) == times)
    assert not any(x.startswith("b: ") for x in lab.said)


def test_a_driver_whose_quality_of_service_asks_for_more_than_is_offered_hears_nothing(lab):
    lab.driver(Twist, "/a/cmd_vel", "patient", durability=DurabilityPolicy.TRANSIENT_LOCAL)
    lab.driver(Twist, "/b/base/command", "driver")
    lab.until(lambda: len(lab.heard) > 3)
    assert {name for name, _ in lab.heard} == {"driver"}


def test_types_that_are_said_are_used_at_once(lab):
    assert CommandPublishers(lab.node, ["c"], "twist").stamped == [False]
    assert CommandPublishers(lab.node, ["d"], "twist_stamped").told == (["/d/cmd_vel"], ["d/base_link"])
    with pytest.raises(InputError, match="auto, twist, twist_stamped"):
        CommandPublishers(lab.node, ["e"], "json")


@pytest.mark.parametrize(
    ("names", "frames"),
    [
        (["a/cmd_vel"], [""]), (["/a"], []), (["/a", "/a"], ["", ""]), ([1], [""]), ("/a", [""]), (["/a"], [5]), (["/a"], ["ü"]),
        (["/"], [""]),
    ],
)  # fmt: skip
def test_a_guard_refuses_topics_that_are_none(names, frames):
    check_topics(["/a/cmd_vel", "/b/base"], ["", "b/base_link"])
    check_topics(["/a/cmd_vel"], [None])
    with pytest.raises(ValueError, match="expected"):
        check_topics(names, frames)
