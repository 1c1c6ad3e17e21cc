"""Parameters of groups as ROS parameters: declared, followed, set in one step, given at the start, heard from other nodes."""

import argparse

import pytest
import rclpy
import yaml
from rcl_interfaces.msg import ParameterEvent
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

from swarm_control.ros.nodes.behaviours import BehavioursNode
from swarm_control.ros.nodes.motion_model import MotionModelNode

SCENARIO = {
    "robots": [{"count": 3, "group": "red"}, {"count": 3, "group": "blue", "start": {"center": [4.0, 0.0]}}],
    "control": {"separation": {"weight": 0.5}, "cohesion": {"weight": 0.2}},
    "groups": {"red": {"control": {"separation": {"weight": 0.8}}}, "blue": {"goals": [{"position": [3.0, 0.0]}]}},
}
RED, BLUE = "groups.red.separation.weight", "groups.blue.separation.weight"


@pytest.fixture
def make(tmp_path):
    """Makes nodes of the scenario with ROS arguments."""
    made = []
    path = tmp_path / "groups.yaml"
    path.write_text(yaml.safe_dump(SCENARIO))

    def one(kind=BehavioursNode, *args):
        if not rclpy.ok():
            rclpy.init(args=["--ros-args", *args], signal_handler_options=SignalHandlerOptions.NO)
        made.append(kind(argparse.Namespace(scenario=str(path), set=[], robots="all")))
        return made[-1]

    one.path = path
    yield one
    for node in made:
        node.destroy_node()
    rclpy.try_shutdown()


def value(node, name):
    return node.get_parameter(name).value


def weights(node):
    return tuple(node.controls.of(group).separation.weight for group in ("", "red", "blue"))


def test_they_are_declared_with_the_range_and_help_of_the_common_one(make):
    node = make()
    assert (value(node, RED), value(node, BLUE)) == (0.8, 0.5)
    own, common = node.describe_parameter(RED), node.describe_parameter("separation.weight")
    assert own.floating_point_range == common.floating_point_range != []
    assert own.description == common.description and not own.read_only
    assert not node.has_parameter("groups.red.period")
    assert not node.has_parameter("groups.red.perception.radius"), "it is the neighbourhood node's"


def test_a_common_one_is_followed_at_once_by_groups_without_a_value(make):
    node = make()
    assert node.set_parameters([Parameter("separation.weight", value=0.6)])[0].successful
    assert (value(node, "separation.weight"), value(node, RED), value(node, BLUE)) == (0.6, 0.8, 0.6)
    assert weights(node) == (0.6, 0.8, 0.6)
    assert node.set_parameters([Parameter(BLUE, value=1)])[0].successful
    assert node.set_parameters([Parameter("separation.weight", value=2)])[0].successful
    assert (value(node, RED), value(node, BLUE)) == (0.8, 1.0)
    assert weights(node) == (2.0, 0.8, 1.0)


def test_both_in_one_step_and_all_or_none(make):
    node = make()
    changes = [Parameter("separation.weight", value=0.6), Parameter(BLUE, value=0.6)]
    assert node.set_parameters_atomically(changes).successful
    assert node.set_parameters_atomically([Parameter("separation.weight", value=0.7)]).successful
    assert weights(node) == (0.7, 0.8, 0.6), "a value that equals the common one is a group's own all the same"
    refused = node.set_parameters_atomically([Parameter("separation.weight", value=0.9), Parameter(RED, value=-1.0)])
    assert not refused.successful and "groups.red.separation.weight" in refused.reason
    assert weights(node) == (0.7, 0.8, 0.6) and value(node, BLUE) == 0.6


def test_lists_are_followed_too(make):
    node = make()
    assert node.set_parameters([Parameter("social.laws", value=["{acts_on: red, of: blue, equilibrium: 1.0}"])])[0].successful
    assert list(value(node, "groups.red.social.laws")) == list(value(node, "social.laws")) != []
    assert node.controls.of("red").social.laws == node.control.social.laws != ()


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((f"{RED}:=2.0",), (0.5, 2.0, 0.5)), (("separation.weight:=0.6",), (0.6, 0.8, 0.6)),
        (("separation.weight:=0.6", f"{BLUE}:=3.0"), (0.6, 0.8, 3.0)),
    ],
)  # fmt: skip
def test_given_at_the_start(make, args, expected):
    node = make(BehavioursNode, *(part for arg in args for part in ("-p", arg)))
    assert weights(node) == expected
    assert tuple(value(node, name) for name in ("separation.weight", RED, BLUE)) == expected


def test_given_at_the_start_by_a_file(make, tmp_path):
    given = tmp_path / "given.yaml"
    given.write_text(yaml.safe_dump({"/**": {"ros__parameters": {"groups": {"red": {"separation": {"weight": 2.0}}}}}}))
    assert weights(make(BehavioursNode, "--params-file", str(given))) == (0.5, 2.0, 0.5)


def test_another_node_hears_all_that_follows(make):
    node, other = make(), make(MotionModelNode)
    event = ParameterEvent(node=f"{node.get_namespace().rstrip('/')}/behaviours")
    for name in ("separation.weight", BLUE):
        event.changed_parameters.append(Parameter(name, value=0.6).to_parameter_msg())
    other.parameters._hear(event)
    assert weights(other) == (0.6, 0.8, 0.6)


def test_a_saved_file_changes_a_group_and_what_follows(make):
    node = make()
    data = yaml.safe_load(make.path.read_text())
    data["control"]["separation"]["weight"] = 0.7
    data["groups"]["red"]["control"] = {"cohesion": {"weight": 1.0}}
    make.path.write_text(yaml.safe_dump(data) + "# changed\n")
    node._live.poll(node.parameters.set)
    assert weights(node) == (0.7, 0.7, 0.7)
    assert node.controls.of("red").cohesion.weight == value(node, "groups.red.cohesion.weight") == 1.0


def test_a_formation_of_its_own_only_where_a_group_goes_its_own_way(make):
    node = make()
    assert node.controls.apart == {"blue"}
    assert node.parameters.set({"separation.weight": 0.9}) == ""
    known = {name for name, _, _ in node.controls.flatten()}
    assert "groups.blue.formation.enabled" in known and "groups.red.formation.enabled" not in known
