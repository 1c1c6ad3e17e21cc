"""Onboard, behaviours that say so are told of all robots; the others cost no subscription."""

import argparse
from dataclasses import dataclass

import numpy as np
import pytest
import rclpy
import yaml
from rclpy.signals import SignalHandlerOptions

from swarm_control.behaviours import BEHAVIOURS
from swarm_control.core.behaviour import register_behaviour
from swarm_control.core.parameters import param
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.nodes.behaviours import BehavioursNode
from swarm_control.ros.support.node import SwarmNode


@dataclass(frozen=True)
class Params:
    """Parameters of either behaviour."""

    weight: float = param(0.0, "weight")


@pytest.fixture
def asked():
    """What two behaviours of a script were told of all robots: ``watchful`` wants it, ``content`` does not."""
    told = {}

    def make(name, **more):
        def request(state, seen, around, params):
            """Nothing."""
            told[name] = around.swarm
            return np.zeros((len(state), 2))

        request.__name__ = name
        register_behaviour(Params, priority=1, **more)(request)

    make("watchful", sees_all=True)
    make("content")
    yield told
    BEHAVIOURS.remove("watchful")
    BEHAVIOURS.remove("content")


@pytest.fixture
def node(asked, tmp_path, monkeypatch):
    """Makes the node of ``robot_0`` of three, with a weight for one behaviour."""
    made = []

    def make(name, **control):
        path = tmp_path / "three.yaml"
        path.write_text(yaml.safe_dump({"robots": [{"count": 3}], "control": {name: {"weight": 1.0}, **control}}))
        rclpy.init(args=["--ros-args", "-p", "source:=swarm_state"], signal_handler_options=SignalHandlerOptions.NO)
        made.append(BehavioursNode(argparse.Namespace(scenario=str(path), set=[], robots="0")))
        return made[0]

    monkeypatch.setattr(SwarmNode, "now", property(lambda node: 0.0))
    yield make
    for one in made:
        one.destroy_node()
    rclpy.try_shutdown()


def ticked(node):
    """Let the node hear of all robots, if it listens, and of nobody near its own."""
    start, everybody = node.setup.start, np.zeros(3, np.int64)
    node._everybody()
    if node._swarm is not None:
        node._swarm._hear_swarm(cdr.CloudWriter("map", convert.SWARM_STATE).write(0.0, convert.state_rows(start, everybody, np.zeros(3))))
    seen = np.zeros(1, convert.NEIGHBOURS)
    seen["x"], seen["y"], seen["yaw"] = start.pose[0]
    node._tick(cdr.CloudWriter("map", convert.NEIGHBOURS).write(0.0, seen))
    return start


def test_a_behaviour_that_sees_all_is_told_of_robots_far_away(node, asked):
    start = ticked(node("watchful"))
    assert asked["watchful"].valid.all() and np.allclose(asked["watchful"].pose, start.pose)


def test_no_other_behaviour_makes_the_node_listen_to_everybody(node, asked):
    one = node("content")
    ticked(one)
    assert asked["content"] is None and one._swarm is None


LAWS = {"weight": 1.0, "laws": [{"equilibrium": 1.0}]}


@pytest.mark.parametrize(("feels", "radius", "listens"), [
    ("auto", 1.5, True), ("auto", 1.0, False), ("everyone", 1.0, True), ("perceived", 1.5, False),
])  # fmt: skip
def test_force_laws_that_act_on_perceived_robots_only_need_to_hear_of_no_others(node, feels, radius, listens):
    one = node("social", social={**LAWS, "feels": feels}, perception={"radius": radius})
    ticked(one)
    assert (one._swarm is not None) == listens


def test_a_radius_that_is_set_live_is_followed(node):
    one = node("social", social=LAWS)
    everyone = one._everybody
    assert everyone() is not None
    one.parameters._adopt({"perception.radius": 1.0})  # as heard of the node neighbourhood, which owns it
    assert everyone() is None
