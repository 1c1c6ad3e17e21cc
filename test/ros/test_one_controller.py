"""One controller: the nodes' parts, told of one stream of odometry by messages' bytes, command what ``Controller`` commands."""

import argparse
import json
from dataclasses import replace

import numpy as np
import pytest
import rclpy
import yaml
from rclpy.signals import SignalHandlerOptions

from swarm_control.behaviours import guidance
from swarm_control.core.state import Commands
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.nodes.behaviours import BehavioursNode
from swarm_control.ros.nodes.director import DirectorNode
from swarm_control.ros.nodes.motion_model import MotionModelNode
from swarm_control.ros.nodes.neighbourhood import NeighbourhoodNode
from swarm_control.ros.nodes.virtual_structure import VirtualStructureNode
from swarm_control.ros.support.node import SwarmNode
from swarm_control.runtime.controller import Controller
from swarm_control.runtime.observation import Observation
from swarm_control.scenario.loader import load_prepared
from swarm_control.sim.engines import make_engine
from swarm_control.sim.plant import Plant

SPOILT = {"delay": 0.1, "loss": 0.6, "noise_position": 0.01, "noise_speed": 0.05}
KINDS = (NeighbourhoodNode, BehavioursNode, VirtualStructureNode, DirectorNode, MotionModelNode)
EACH = {"radius": 0.05, "max_speed": 1.0}


class Sent:
    """Stands in a publisher's place and keeps what is published."""

    def __init__(self):
        self.messages = []

    def publish(self, message):
        self.messages.append(message)

    def taken(self):
        messages, self.messages = self.messages, []
        return messages


class Granted:
    """Permission without a guard."""

    granted, duration = True, 0.3

    def took(self, seconds):
        pass

    def look(self):
        pass


class Parts:
    """The nodes of a graph in one process, each handed what it would hear, in the order of one tick."""

    def __init__(self, nodes):
        self.near, self.wish, self.structure, self.director, self.motion = nodes
        for node in nodes:
            for name in ("_publisher", "_targets", "_structure", "_pose"):
                if hasattr(node, name):
                    setattr(node, name, Sent())
        self.director._ready = True
        self.twist = np.zeros((self.near.robots, 3))
        self.motion._tables._commanded, self.motion._permit = Sent(), Granted()
        self.motion._commands._publishers = [Sent() for _ in range(self.near.robots)]
        self.writer = cdr.CloudWriter("map", convert.SWARM_STATE)

    def tick(self, state, measured):
        """Commands (N, 3) for what is heard of the swarm."""
        rows = convert.state_rows(state, np.zeros(len(state), np.int64), measured)
        data = self.writer.write(state.time, rows)
        self.motion._input._hear_swarm(data)
        self.director._input._hear_swarm(data)
        for goals in self.director._publisher.taken():
            self.wish._hear_goals(goals)
        self.near._input._hear_swarm(data)
        for seen in self.near._publisher.taken():
            self.wish._tick(seen)
        for wished in self.wish._publisher.taken():
            self.structure._deviations._hear(wished)
            self.motion._tick(wished)
        self.structure._input._hear_swarm(data)
        for said in self.structure._structure.taken():
            self.director._reports._hear("/swarm", said)
        for targets in self.structure._targets.taken():
            self.motion._follow(targets)
        for commanded in self.motion._tables._commanded.taken():
            self.near._hear_commands(commanded)
            self.structure._hear_commands(commanded)
        for k, sent in enumerate(self.motion._commands._publishers):
            for message in sent.taken():
                x, y, _, _, _, turn = cdr.read_twist(message)
                self.twist[k] = x, y, turn
        return self.twist.copy()

    def set(self, changes):
        for node in (self.near, self.wish, self.structure, self.director, self.motion):
            assert node.parameters.set(changes) == ""
            foreign = {name: value for name, value in changes.items() if name not in node.parameters._own}
            node.parameters._adopt(foreign)


@pytest.fixture
def parts(tmp_path, monkeypatch):
    """Makes the nodes of a scenario; their clock shows :attr:`Clock.time`."""
    made = []

    def make(data):
        path = tmp_path / "one.yaml"
        path.write_text(yaml.safe_dump(data))
        rclpy.init(
            args=["--ros-args", "-p", "source:=swarm_state", "-p", "use_sim_time:=true"], signal_handler_options=SignalHandlerOptions.NO
        )
        options = argparse.Namespace(scenario=str(path), set=[], robots="all")
        made.extend(kind(options) for kind in KINDS)
        return path, Parts(made)

    clock = argparse.Namespace(time=0.0)
    monkeypatch.setattr(SwarmNode, "now", property(lambda node: clock.time))
    make.clock = clock
    yield make
    for node in made:
        node.destroy_node()
    rclpy.try_shutdown()


def record(path, ticks, changes=()):
    """What ``Controller`` hears from a plant that it moves, tick by tick, and what it commands."""
    loaded, setup = load_prepared(str(path))
    plant = Plant(loaded.scenario, setup, make_engine(loaded, setup))
    controller = Controller(loaded.scenario, setup)
    heard, told = [], []
    for k in range(ticks):
        for when, values in changes:
            if when == k:
                controller.controls = controller.controls.change(values, "test")
        observed = plant.observe()
        made = controller.tick(observed).commands
        heard.append(observed)
        told.append(made.twist.copy())
        plant.step(Commands(made.twist))
    return heard, np.array(told)


def both(parts, data, ticks=60, changes=()):
    """Commands (T, N, 3) of the controller and of the nodes for the same odometry."""
    path, nodes = parts(data)
    heard, told = record(path, ticks, changes)
    found = []
    for k, observed in enumerate(heard):
        for when, values in changes:
            if when == k:
                nodes.set(values)
        parts.clock.time = observed.state.time
        found.append(nodes.tick(observed.state, observed.measured))
    return told, np.array(found), heard


def team(count, group="", x=0.0, **start):
    return {"count": count, "group": group, **EACH, "start": {"pattern": "grid", "center": [x, 0.0], "spacing": 0.4, **start}}


FLOCK = {
    "duration": 10.0, "seed": 7, "robots": [team(9)], "simulator": SPOILT,
    "control": {
        "perception": {"radius": 1.0, "loss": 0.1, "noise_position": 0.01}, "separation": {"weight": 0.8}, "cohesion": {"weight": 0.4},
        "alignment": {"weight": 0.5}, "seek": {"weight": 0.5}, "separation_filter": {"enabled": True}, "safety": {"odometry_timeout": 0.2},
    },
    "goals": [{"position": [3.0, 1.0], "fraction": 0.3, "radius": 1.0}, {"position": [0.0, 3.0]}],
}  # fmt: skip
GROUPS = {
    **FLOCK, "robots": [team(6, "red", -1.5), team(6, "blue", 1.5), team(3, "", 4.0)],
    "groups": {
        "red": {"goals": [{"position": [3.0, 0.0]}], "control": {"separation": {"weight": 1.5}, "perception": {"radius": 0.8}}},
        "blue": {"goals": [{"position": [-3.0, 0.0]}], "control": {"accumulation": {"method": "weighted"}, "cohesion": {"weight": 0.0}}},
    },
}  # fmt: skip
LATE = {**FLOCK, "simulator": {"delay": 0.15}, "robots": [{**team(9), "model": "differential"}]}
FORMATION = {
    **FLOCK, "robots": [team(6)], "simulator": {**SPOILT, "loss": 0.2},
    "control": {"formation": {"enabled": True, "shape": "wedge"}, "separation": {"weight": 0.2}, "perception": {"radius": 0.5}},
}
BESIDE = {
    **GROUPS, "simulator": {**SPOILT, "loss": 0.2}, "control": {**FLOCK["control"], "safety": {"odometry_timeout": 0.5}},
    "groups": {**GROUPS["groups"], "red": {"goals": [{"position": [3.0, 0.0]}], "formation": {"enabled": True, "shape": "line"}}},
}
TWO = {
    **BESIDE, "groups": {
        "red": {"goals": [{"position": [3.0, 0.0]}], "formation": {"enabled": True, "shape": "line"}},
        "blue": {"goals": [{"position": [-3.0, 2.0]}], "formation": {"enabled": True, "shape": "wedge"}},
    },
}  # fmt: skip

SOCIAL = {
    "duration": 10.0, "seed": 7, "robots": [team(5, "red", -0.8), team(4, "blue", 0.8)], "simulator": {**SPOILT, "loss": 0.2},
    "landmarks": [{"group": "den", "points": [0.0, 2.0]}],
    "control": {
        "perception": {"radius": 0.9, "field_of_view": 200.0, "occlusion": True, "loss": 0.1, "delay": 0.1},
        "accumulation": {"method": "weighted"},
        "social": {"weight": 1.0, "friction": 0.5, "laws": [
            {"equilibrium": 0.5}, {"acts_on": "red", "of": "blue", "terms": [1.0, 0.5]}, {"of": "den", "terms": [0.3, 1.0]},
        ]},
    },
}  # fmt: skip
HALF = {**SOCIAL, "groups": {"blue": {"control": {"social": {"feels": "everyone"}}}}}


@pytest.mark.parametrize("data", [LATE, {**FORMATION, "simulator": {"delay": 0.1}}], ids=["differential drives", "formation"])
def test_late_odometry_alone_is_taken_the_same(parts, data):
    told, found, _ = both(parts, data)
    assert np.ptp(told, axis=0).max() > 0.1, "nothing moved: the test shows nothing"
    np.testing.assert_allclose(found, told, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("data", "within"),
    [(FLOCK, 1e-9), (GROUPS, 1e-9), (FORMATION, 1e-6), (BESIDE, 1e-3), (TWO, 1e-3), (SOCIAL, 1e-6), (HALF, 1e-6)],
    ids=["flock", "groups", "formation", "formation beside flocks", "two formations", "force laws", "one group feels everyone"],
)  # fmt: skip
def test_the_nodes_command_what_the_controller_commands(parts, data, within):
    """Structures are fitted step by step, to 1e-9; where the filter then cuts a command it looks for the largest share of it, to 1e-3."""
    told, found, heard = both(parts, data)
    assert any(not observed.state.complete for observed in heard), "nothing was lost: the test shows nothing"
    assert np.ptp(told, axis=0).max() > 0.1, "nothing moved: the test shows nothing"
    np.testing.assert_allclose(found, told, rtol=0, atol=within)


def test_changes_on_the_way_are_followed_by_both(parts):
    changes = [
        (20, {"separation.weight": 0.1, "groups.red.cohesion.weight": 1.0}), (35, {"cohesion.weight": 0.9, "perception.radius": 1.2}),
    ]  # fmt: skip
    told, found, _ = both(parts, GROUPS, changes=changes)
    np.testing.assert_allclose(found, told, rtol=0, atol=1e-6)


def test_a_silent_robot_ahead_is_not_run_into_by_either(parts):
    """A robot that was heard 0.165 m ahead and has fallen silent: both take it to have stopped there, and the filter brakes."""
    data = json.loads(json.dumps(FLOCK))
    data |= {"simulator": {}, "goals": [{"position": [5.0, 0.0]}], "phases": []}
    poses = [[0.0, 0.0, 0.0], [0.165, 0.0, 0.0]]
    data["robots"] = [{"count": 2, **EACH, "start": {"pattern": "poses", "poses": poses, "speed": 0.5}}]
    data["control"] = {"seek": {"weight": 1.0}, "separation_filter": {"enabled": True}}
    data["control"]["safety"] = {"odometry_timeout": 0.1, "start_timeout": 0.1}
    path, nodes = parts(data)
    loaded, setup = load_prepared(str(path))
    controller, free = (Controller(loaded.scenario, setup) for _ in range(2))
    start = replace(setup.start, velocity=setup.start.velocity * [[1.0], [0.0]])
    for k in range(4):
        lost = start.of(0.05 * k, start.pose, start.velocity, np.array([True, k == 0]))
        measured = np.array([lost.time, 0.0 if k == 0 else -np.inf])
        parts.clock.time = lost.time
        told = controller.tick(Observation(lost, measured)).commands.twist
        alone = free.tick(Observation(start.of(lost.time, start.pose, start.velocity, np.array([True, False])))).commands.twist
        found = nodes.tick(lost, measured)
        np.testing.assert_allclose(found, told, rtol=0, atol=1e-9)
        assert alone.any() == (k > 1), "who was never heard is waited for, for safety.start_timeout"
    assert told[1].tolist() == [0.0, 0.0, 0.0]
    assert told[0, 0] < 0.6 * alone[0, 0], "the filter does not see the silent robot"


def test_what_takes_long_is_made_before_the_node_serves_and_not_again(parts, monkeypatch):
    """The ways to the first goals of two groups; the nodes then command what the controller commands."""
    data = {**GROUPS, "world": "frame.world", "control": {**FLOCK["control"], "guidance": {"weight": 0.5}}}
    path, nodes = parts(data)
    heard, told = record(path, 10)
    made = []

    def ways(map, *key):
        made.append(key)
        return make(map, *key)

    make = guidance.ways
    monkeypatch.setattr(guidance, "ways", ways)
    nodes.wish.warm()
    warmed = list(made)
    assert sorted(key[:2] for key in warmed) == [(-3.0, 0.0), (3.0, 0.0), (3.0, 1.0)]
    for observed, expected in zip(heard, told):
        parts.clock.time = observed.state.time
        np.testing.assert_allclose(nodes.tick(observed.state, observed.measured), expected, rtol=0, atol=1e-6)
    assert made == warmed
