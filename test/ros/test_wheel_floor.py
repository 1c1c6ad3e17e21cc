"""A formation on wheels: three emulated robots, each a process with a TCP port, driven by the real nodes."""

import copy
import time
from dataclasses import replace

import graph as graph_module
import numpy as np
import pytest
import yaml
from emulated import Emulated, free_ports
from geometry_msgs.msg import TwistStamped
from graph import Graph
from nav_msgs.msg import Odometry
from pace import Pace
from std_srvs.srv import SetBool

from swarm_control import paths
from swarm_control.errors import InputError
from swarm_control.ros.graph import topics
from swarm_control.ros.graph.plan import drives, plan
from swarm_control.scenario.loader import load

pytestmark = pytest.mark.ros
DEADMAN, LATE = 0.2, 0.1
"""The robots' deadman, and how late each process may come round on a busy machine, s."""

SCENARIO = yaml.safe_load(paths.scenarios()["formation_translate"].read_text())
SCENARIO["duration"] = 600
del SCENARIO["simulator"]


class Floor:
    """Three emulated robots and the graph that drives them."""

    def __init__(self, folder, **wheels):
        self.first, self.folder, self.count = free_ports(3), folder, 0
        data = copy.deepcopy(SCENARIO)
        data["hardware"] = {"wheels": {"link": f"tcp://127.0.0.1:{self.first // 10}{{index}}", "deadman": DEADMAN, **wheels}}
        self.scenario = folder / "scenario.yaml"
        self.scenario.write_text(yaml.safe_dump(data))
        self.robots = [self.start(k) for k in range(3)]
        self.graph = Graph(folder, data, simulator="none", formation=True, drivers=("wheel_driver",))
        self.odom = {}
        for k in range(3):
            topics.subscribe(self.graph.node, topics.ODOM, lambda message, k=k: self.odom.update({k: message}), f"robot_{k}")

    def start(self, k):
        self.count += 1
        return Emulated(self.folder / f"truth{self.count}.csv", self.scenario, "--only", k, "--tcp", self.first + k)

    def status(self, node, key):
        return self.graph.status.get(f"/swarm/{node}", {}).get(key)

    def x(self, k):
        return self.robots[k].truth()[-1][1]

    def moves(self, *which, by=0.05, timeout=60.0):
        """Wait until these robots have moved on, all of them."""
        start = [self.x(k) for k in which]
        self.graph.until(lambda: all(abs(self.x(k) - at) > by for k, at in zip(which, start)), timeout)

    def pace(self):
        """A clock for what nodes and robots do."""
        return Pace(lambda: [each.process.pid for each in (*self.graph.supervisor.nodes, *self.robots)])

    def rests(self, *which, timeout):
        pace = self.pace()
        while any(self.robots[k].moving() for k in which):
            assert not pace.over(timeout)
            self.graph.serve(0.02)

    def close(self):
        self.graph.close()
        for robot in self.robots:
            robot.kill()


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    found = Floor(tmp_path_factory.mktemp("floor"))
    try:
        found.moves(0, 1, 2, timeout=90.0)
        yield found
    finally:
        found.close()


def test_odometry_is_where_the_robots_are_and_says_how_surely(floor):
    began, stamp = time.time(), lambda message: message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
    floor.graph.until(lambda: len(floor.odom) == 3 and min(map(stamp, floor.odom.values())) > began)
    for k in range(3):
        message: Odometry = floor.odom[k]
        assert message.header.frame_id == "map" and message.child_frame_id == f"robot_{k}/base_link"
        assert stamp(message) < time.time() + 1e-3, "not in the future"
        truth = np.array(floor.robots[k].truth())
        row = truth[np.argmin(np.abs(truth[:, 0] - stamp(message)))]
        assert message.pose.pose.position.x == pytest.approx(row[1], abs=0.3 * 0.1)
        spread = np.reshape(message.pose.covariance, (6, 6))
        assert spread[0, 0] > 0.0 and spread[1, 1] > 0.0 and spread[5, 5] > 0.0 and np.allclose(spread, spread.T)
        assert not spread[2:5].any() and message.twist.covariance[0] > 0.0 < message.twist.covariance[35]


def test_the_formation_waits_for_a_robot_that_dies_and_goes_on_when_it_is_back(floor):
    floor.moves(0, 1, 2)
    floor.robots[1].kill()
    floor.graph.until(lambda: "robot_1" in (floor.status("motion_model", "held") or ""))
    floor.graph.until(lambda: floor.status("wheel_driver", "silent") == "robot_1")
    heard = floor.odom[1].header.stamp
    floor.robots[1] = floor.start(1)
    floor.graph.until(lambda: floor.status("wheel_driver", "robots_silent") == "0" and floor.status("motion_model", "held") == "")
    assert floor.odom[1].header.stamp != heard and int(floor.status("wheel_driver", "reconnects")) >= 1
    assert floor.status("wheel_driver", "counts_rebased") == "1"
    floor.moves(0, 1, 2)


def test_stop_stops_the_wheels_at_once_and_holds(floor):
    floor.moves(0, 1, 2)
    floor.graph.stop(True)
    floor.rests(0, 1, 2, timeout=1.0)
    at = [floor.x(k) for k in range(3)]
    floor.graph.watch(0.5)
    assert [floor.x(k) for k in range(3)] == at
    floor.graph.call(SetBool, "/swarm/stop", SetBool.Request(data=False))
    floor.moves(0, 1, 2)
    floor.graph.call(SetBool, "/swarm/wheel_driver/stop", SetBool.Request(data=True))
    floor.rests(0, 1, 2, timeout=1.0)
    floor.graph.call(SetBool, "/swarm/wheel_driver/stop", SetBool.Request(data=False))
    floor.moves(0, 1, 2)


@pytest.mark.parametrize("node", ["wheel_driver", "motion_model"])
def test_when_a_node_dies_the_robots_stand_within_their_deadman(floor, node):
    """Also without the motion model: its commands are missed after 0.3 s (the scenario's command_timeout)."""
    floor.graph.until(lambda: all(robot.moving() for robot in floor.robots), 60.0)
    floor.graph.kill(node)
    killed, (allowed, hops) = time.time(), {"wheel_driver": (DEADMAN, 1), "motion_model": (0.3, 2)}[node]
    pace = floor.pace()
    floor.rests(0, 1, 2, timeout=2.0)
    rested = [max(row[0] for row in robot.truth() if any(row[4:])) - killed for robot in floor.robots]
    print(f"\n{node} killed: robots at rest after {max(rested):.3f} s")
    assert max(rested) <= allowed + hops * LATE + pace.waited()
    floor.moves(0, 1, 2)


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """One emulated robot and wheel_driver, which obeys stamped commands and leaves ``odom`` to a tracker."""
    port = free_ports(1)
    data = {**SCENARIO, "hardware": {"wheels": {"link": f"tcp://127.0.0.1:{port // 10}{{index}}"}, "tracker": {"source": "pose_stamped"}}}
    file = tmp_path / "scenario.yaml"
    file.write_text(yaml.safe_dump(data))
    spec = next(spec for spec in plan(str(file), (), "none", drivers=("wheel_driver",)) if spec.name == "wheel_driver")
    words = (*spec.arguments, "--robots", "0")
    monkeypatch.setattr(graph_module, "plan", lambda *_: (replace(spec, arguments=words, parameters={"stamped": True}),))
    robot = Emulated(tmp_path / "truth.csv", file, "--only", 0, "--tcp", port)
    graph = Graph(tmp_path, data, simulator="none")
    try:
        yield robot, graph
    finally:
        graph.close()
        robot.kill()


def test_stamped_commands_from_another_time_are_not_obeyed(alone):
    robot, graph = alone
    publisher, odom = topics.publisher(graph.node, topics.CMD_VEL_STAMPED, "robot_0"), []
    topics.subscribe(graph.node, topics.WHEEL_ODOM, odom.append, "robot_0")
    age = 0.0

    def command():
        message = TwistStamped()
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(int((time.time() - age) * 1e9), 1_000_000_000)
        message.twist.linear.x = 0.2
        publisher.publish(message)

    graph.node.create_timer(0.05, command)
    graph.until(robot.moving, 40.0)
    for wrong in (1.0, -1.0):
        age = wrong
        graph.until(lambda: not robot.moving())
        graph.watch(0.5)
        assert not robot.moving()
        age = 0.0
        graph.until(robot.moving)
    graph.until(lambda: int(graph.status["/swarm/wheel_driver"]["commands_out_of_time"]) > 10)
    assert any("stamped -1.0" in line for line in graph.lines) and any("is not obeyed" in line for line in graph.lines)
    assert odom[-1].header.frame_id == "robot_0/odom" and odom[-1].pose.pose.position.x > 0.35
    assert not graph.node.count_publishers("/robot_0/odom"), "that one is the tracker's"


def test_the_plan_has_drivers_for_real_robots_only():
    scenario = load("formation_translate", ["hardware.wheels.link=tcp://h:500{index}"]).scenario
    assert drives(scenario) == ("wheel_driver",) and drives(load("formation_translate").scenario) == ()
    names = [spec.full_name for spec in plan("x", simulator="none", drivers=("wheel_driver",))]
    assert names[-4:] == ["/swarm/wheel_driver", "/swarm/director", "/swarm/guard", "/swarm/standby"]
    assert "wheel_driver" not in [spec.name for spec in plan("x", drivers=("wheel_driver",))]
    onboard = plan("x", simulator="none", onboard=["a", "b"], drivers=("wheel_driver", "tracker"))
    names = [spec.full_name for spec in onboard if spec.name in ("wheel_driver", "tracker")]
    assert names == ["/a/wheel_driver", "/b/wheel_driver", "/swarm/tracker"]


def test_links_that_cannot_be_are_bad_input_before_anything_runs():
    from swarm_control.ros.support.run import run
    from swarm_control.scenario.setup import prepare

    for link, said in (("tcp://h:5000", "the same link"), ("tcp://h{index}", "expected serial:"), ("tcp://{port}:1", "no more than")):
        loaded = load("formation_translate", [f"hardware.wheels.link={link}"])
        with pytest.raises(InputError, match=said):
            run(loaded, prepare(loaded.scenario, loaded.source), simulator="none")
