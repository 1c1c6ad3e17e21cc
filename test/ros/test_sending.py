"""What nodes send to other machines: none waits for a network that is gone, and long messages come through where many frames are lost."""

import select

import pytest

from swarm_experiments.network.namespaces import permitted
from swarm_experiments.network.radio import Air, Radio

pytestmark = pytest.mark.ros(anytime=True)

CUT, RATE, SIZE = 6.0, 50.0, 3000
"""How long (s) a machine is cut off; how many messages a second it sends meanwhile, and how long they are (bytes)."""

LOSS, LONG = 0.1, 200_000
"""Share of frames lost each way; a message (bytes) of a hundred and more frames."""

BEGIN = """
import sys, time, rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from swarm_control.ros.support.transport import sockets_only
with sockets_only():
    rclpy.init()
    node = rclpy.create_node("somebody")
latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
def until(condition):
    while not condition():
        rclpy.spin_once(node, timeout_sec=0.02)
"""

HEAR = (
    BEGIN
    + """
found = []
node.create_subscription(String, "/words", found.append, latched)
until(lambda: found)
print(len(found[0].data), flush=True)
until(lambda: False)
"""
)

SAY = (
    BEGIN
    + """
words = String(data="x" * int(sys.argv[1]))
publisher = node.create_publisher(String, "/words", latched)
until(publisher.get_subscription_count)
publisher.publish(words)
print("published", flush=True)
sys.stdin.readline()
worst, end = 0.0, time.monotonic() + float(sys.argv[3])
while time.monotonic() < end:
    began = time.monotonic()
    publisher.publish(words)
    worst = max(worst, time.monotonic() - began)
    time.sleep(1.0 / float(sys.argv[2]))
print(worst, flush=True)
"""
)


def line(program):
    assert select.select([program.stdout], [], [], 40.0)[0], "nothing said"
    return program.stdout.readline()


@pytest.fixture
def machines(request):
    """Three machines on a network of which each loses ``request.param`` of all frames each way."""
    if reason := permitted():
        pytest.skip(reason)
    with Radio([{}, {}, {}], Air(request.param), "", 0) as radio:
        yield radio


@pytest.mark.parametrize("machines", [0.0], indirect=True)
def test_no_node_waits_for_a_network_that_is_gone(machines):
    heard = [machines.call(number, "-c", HEAR) for number in (0, 2)]
    says = machines.call(1, "-c", SAY, str(SIZE), str(RATE), str(CUT))
    assert line(says) == "published\n" and [line(one) for one in heard] == [f"{SIZE}\n"] * 2
    machines.cut(1)
    says.stdin.write("go on\n")
    says.stdin.flush()
    assert float(line(says)) < 0.5, "publishing took so long, s"
    for one in (*heard, says):
        one.kill()
        one.wait()


@pytest.mark.parametrize("machines", [LOSS], indirect=True)
def test_a_long_message_comes_through_where_many_frames_are_lost(machines):
    says = machines.call(1, "-c", SAY, str(LONG), "1", "0")
    heard = machines.call(0, "-c", HEAR)
    assert line(heard) == f"{LONG}\n"
    for one in (heard, says):
        one.kill()
        one.wait()
