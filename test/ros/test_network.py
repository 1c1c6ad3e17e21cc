"""One node hears everybody for all; the ready settings for wireless networks are what Fast DDS and the nodes make use of."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import claims
import numpy as np
import pytest
from graph import SCENARIO, Graph
from robots import ROBOTS, Robots

from swarm_control import paths
from swarm_control.core.state import SwarmState
from swarm_control.errors import InputError
from swarm_control.ros.graph.parts import part
from swarm_control.ros.graph.plan import plan
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support.transport import profile

NETWORK = paths.share() / "config" / "network"
TALK = """
import sys, time, rclpy
from std_msgs.msg import UInt32
from swarm_control.ros.support.transport import sockets_only
with sockets_only():
    rclpy.init()
    node = rclpy.create_node(sys.argv[1])
heard, met = [], False
node.create_subscription(UInt32, "words", heard.append, 10)
publisher = node.create_publisher(UInt32, "words", 10)
deadline = time.monotonic() + 90.0
while time.monotonic() < deadline:
    publisher.publish(UInt32(data=int(sys.argv[2])))
    rclpy.spin_once(node, timeout_sec=0.1)
    time.sleep(0.05)
    met = met or any(word.data != int(sys.argv[2]) for word in heard)
    if met and publisher.get_subscription_count() > 1:
        time.sleep(1.0)
        sys.exit(0)
sys.exit(1)
"""


@pytest.mark.ros
def test_gather_says_in_one_message_what_all_robots_say(tmp_path):
    data = {**SCENARIO, "robots": [{"count": 3}]}
    graph = Graph(tmp_path, data, simulator="none", aggregate=True)
    try:
        robots = Robots(graph)
        graph.until(lambda: graph.states and graph.state.valid.all(), timeout=90.0)
        assert graph.state.position == pytest.approx(np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]))
        graph.until(lambda: all(robots.speed(name) > 0.01 for name in ROBOTS))
        robots.silent.add("robot_1")
        graph.until(lambda: graph.state.valid.tolist() == [True, False, True], timeout=1.0)
        graph.until(lambda: robots.speed("robot_1") == 0.0, timeout=0.75)
        assert robots.speed("robot_0") > 0.01
    finally:
        graph.close()


def test_the_plan_gathers_only_where_there_are_many_streams():
    specs = {spec.name: spec for spec in plan("migrate_boxes", simulator="none", aggregate=True, onboard=["robot_0"])}
    assert specs["aggregator"].full_name == "/swarm/aggregator" and specs["robot"].parameters["source"] == "swarm_state"
    assert "aggregator" not in {spec.name for spec in plan("migrate_boxes", aggregate=True)}


def test_peers_that_are_named_open_the_other_interfaces():
    alone, among = ET.fromstring(profile("")), ET.fromstring(profile("10.0.0.2; 10.0.0.3"))
    addresses = [[a.text for a in tree.iter("{http://www.eprosima.com}address")] for tree in (alone, among)]
    assert addresses == [["127.0.0.1", "127.0.0.1"], ["127.0.0.1", "10.0.0.2", "10.0.0.3"]]
    announced = [tree.findtext(".//{*}leaseAnnouncement/{*}sec") for tree in (alone, among)]
    assert announced == ["1", "3"], "often on this machine, seldom by air"


CROWD = """
import os, sys, time, rclpy
from rclpy.node import Node
from swarm_control.ros.support.transport import sockets_only
made, count = [], int(sys.argv[1])
for k in range(count):
    context = rclpy.Context()
    with sockets_only():
        rclpy.init(context=context)
        quiet = {"start_parameter_services": False, "enable_rosout": False, "parameter_overrides": []}
        made.append(Node(f"node_{k}", context=context, **quiet))
deadline = time.monotonic() + 60.0
while any(len(node.get_node_names()) < count for node in made):
    if time.monotonic() > deadline:
        sys.exit(" ".join(str(len(node.get_node_names())) for node in made))
    time.sleep(0.1)
os._exit(0)
"""


@pytest.mark.ros(anytime=True)
def test_more_than_32_processes_on_a_machine_all_find_each_other():
    """rmw_fastrtps looks for 32: of 36, the last four found nobody but the first 32."""
    domain = claims.domain()
    given = {**os.environ, "ROS_DOMAIN_ID": str(domain.number), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    found = subprocess.run([sys.executable, "-c", CROWD, "36"], env=given, capture_output=True, text=True, check=False)
    domain.release()
    assert found.returncode == 0, found.stderr


def test_more_processes_than_find_each_other_are_refused():
    names = [f"robot_{k}" for k in range(32)]
    specs = plan("migrate_boxes", onboard=names)
    with pytest.raises(InputError, match=r"robots: 100 processes found for this computer, expected at most 96"):
        part(specs, "all")
    assert len(part(specs, "base")) == 3 and len(part(specs, "robot_7")) == 3


def settings(name):
    """Variables of an .env file, as a shell reads them."""
    words = subprocess.run(["sh", "-c", f"set -a; . {NETWORK / name}; env -0"], capture_output=True, text=True, check=True, env={})
    return dict(line.partition("=")[::2] for line in words.stdout.split("\0") if line and not line.startswith(("PWD", "_=", "SHLVL")))


@pytest.mark.ros
@pytest.mark.parametrize("how", ["peers.env", "wireless.xml"])
def test_nodes_with_these_settings_find_each_other(how, tmp_path):
    """On the addresses of this machine, which is all that the test has."""
    if how == "peers.env":
        given = {**settings(how), "ROS_STATIC_PEERS": "127.0.0.1"}
        assert given["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    else:
        file = tmp_path / how
        text = (NETWORK / how).read_text().replace("<interface>wlan0</interface>", "")
        file.write_text(text)
        given = {"FASTDDS_DEFAULT_PROFILES_FILE": str(file), "FASTRTPS_DEFAULT_PROFILES_FILE": str(file)}
    talk(given)


def talk(given):
    """Two processes with these settings must hear each other."""
    domain = claims.domain()
    environment = {**os.environ, **given, "ROS_DOMAIN_ID": str(domain.number)}
    talkers = [subprocess.Popen([sys.executable, "-c", TALK, f"talker_{k}", str(k)], env=environment) for k in (1, 2)]
    assert [talker.wait(150.0) for talker in talkers] == [0, 0]
    domain.release()


def test_one_message_with_all_states_is_smaller_than_all_odometry(capsys):
    """Bytes as serialised, without the transport's headers; printed for docs/wireless.md."""
    sizes = {}
    for n in (3, 20, 100):
        state = SwarmState.of(0.0, np.zeros((n, 3)), np.zeros((n, 3)))
        odometry = cdr.OdometryWriter("map", [f"robot_{k}/base_link" for k in range(n)])
        every = odometry.write(range(n), [0.0] * n, convert.odometry_values(state))
        one = cdr.CloudWriter("map", convert.SWARM_STATE).write(0.0, convert.state_rows(state, np.zeros(n, int)))
        sizes[n] = sum(map(len, every)), len(one)
    with capsys.disabled():
        print("\nrobots: bytes of all odometry, of swarm_state:", sizes)
    assert 700 < sizes[3][0] / 3 < 740
    for n, (odom, state) in sizes.items():
        assert state < odom / (5 if n >= 20 else 3)
