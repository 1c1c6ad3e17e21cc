"""Whatever dies or hangs, robots that obey their last command for ever come to rest, a stop holds, and the swarm goes on by itself."""

import itertools
import json
import os
import shutil
import signal
import time
from pathlib import Path

import claims
import pytest
import rclpy
import yaml
from graph import SCENARIO
from sensor_msgs.msg import Joy
from std_msgs.msg import String
from std_srvs.srv import SetBool

from swarm_control.ros.graph import topics
from swarm_control.ros.graph.plan import plan
from swarm_control.ros.graph.spec import SESSION, NodeSpec
from swarm_control.ros.support import chaos
from swarm_control.ros.support.base_node import executor
from swarm_control.ros.support.chaos import Chaos, in_need
from swarm_control.ros.support.session import Session
from swarm_control.ros.support.supervisor import Supervisor
from swarm_control.scenario.loader import load_prepared

pytestmark = pytest.mark.ros


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """Ten robots under way."""
    file = tmp_path_factory.mktemp("guard") / "scenario.yaml"
    file.write_text(yaml.safe_dump({**SCENARIO, "goals": [{"position": [100_000.0, 0.0]}]}))
    domain = claims.domain()
    os.environ.update(ROS_DOMAIN_ID=str(domain.number), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
    with Chaos(*load_prepared(str(file), ())) as found:
        assert found.begin(), "\n".join(found.lines[-20:])
        yield found
    domain.release()


@pytest.fixture(autouse=True)
def up(graph, monkeypatch):
    """Every test finds all nodes at work, and no stop of one that failed; so robots need not drive for long between faults."""
    monkeypatch.setattr(chaos, "SETTLING", 0.2)
    graph.robots.stops.release()
    session = Session(Path(dict(graph.nodes[0].spec.environment)[SESSION]))
    working = lambda: {process for _, process, _ in session.members()}  # noqa: E731
    assert graph.until(lambda: {node.process.pid for node in graph.nodes} <= working(), 60.0) is not None


def nodes(graph, names):
    return [node for node in graph.nodes if node.spec.name in names.split()]


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("kill", "motion_model"), ("kill", "guard"), ("kill", "guard motion_model"), ("kill", "guard standby"), ("hang", "motion_model"),
        ("hang", "behaviours"), ("hang", "guard"), ("hang", "neighbourhood"),
        ("kill all forked", "neighbourhood behaviours motion_model director"),
    ],
)  # fmt: skip
def test_robots_rest_when_what_moves_them_is_gone_and_go_on_when_it_is_back(graph, kind, names):
    said = len(graph.lines)
    result = graph.fault(kind, nodes(graph, names))
    assert not result.bad, (str(result), graph.lines[said:])
    if kind == "hang":
        told = lambda: [line for line in graph.lines[said:] if "has not answered for" in line]  # noqa: E731
        assert graph.until(lambda: bool(told()), 10.0) is not None, graph.lines[said:]
        assert all(names in line for line in told())


@pytest.mark.parametrize(("kind", "names"), [("kill", "motion_model"), ("kill", "guard motion_model"), ("hang", "motion_model")])
@pytest.mark.parametrize("after", [0.0, 0.6])
def test_a_stop_that_is_asked_for_meanwhile_is_not_lost(graph, kind, names, after):
    said = len(graph.lines)
    result = graph.fault(kind, nodes(graph, names), stop_after=after)
    assert not result.bad and result.confirmed is not None, (str(result), graph.lines[said:])


def test_a_stop_is_not_confirmed_while_a_guard_cannot_hear_of_it(graph):
    """The one that stands by is held still: nothing may be said to be done before it, or the one after it, has heard."""
    (standby,) = nodes(graph, "standby")
    stops = graph.robots.stops
    os.kill(standby.process.pid, signal.SIGSTOP)
    record = stops.stop()
    assert graph.until(lambda: "/swarm/guard" not in stops.missing(record), 10.0) is not None
    assert stops.missing(record) == ["/swarm/standby"]
    assert graph.until(lambda: not stops.missing(record), 20.0) is not None, "the one that took its place"
    stops.release()
    assert graph.until(lambda: graph.robots.moving, 20.0) is not None


def kept_out(graph, seconds):
    """Whether robots stay at rest this long (s) once all that keeps or commands has died and is back."""
    for node in (gone := nodes(graph, "guard standby motion_model director")):
        node.signal(signal.SIGKILL)
    before = {node.process.pid for node in gone}
    session = Session(Path(dict(graph.nodes[0].spec.environment)[SESSION]))
    back = lambda: len({process for _, process, _ in session.members()} - before) >= len(graph.nodes)  # noqa: E731
    assert graph.until(back, 60.0) is not None
    return graph.until(lambda: graph.robots.moving, seconds) is None


def test_a_stop_outlives_all_nodes_also_when_somebody_has_removed_the_runs_folder(graph):
    session, stops, said = Session(Path(dict(graph.nodes[0].spec.environment)[SESSION])), graph.robots.stops, len(graph.lines)
    shutil.rmtree(session.path)
    record = stops.stop()
    assert graph.until(lambda: not stops.missing(record) and session.stored("/swarm/standby") is not None, 20.0) is not None
    assert kept_out(graph, 2.0)
    assert any("had been removed by somebody; made again" in line for line in graph.lines[said:])
    stops.release()
    assert graph.until(lambda: graph.robots.moving, 20.0) is not None


def test_a_stop_that_cannot_be_kept_is_not_confirmed_and_a_line_says_why(graph):
    session, stops, said = Session(Path(dict(graph.nodes[0].spec.environment)[SESSION])), graph.robots.stops, len(graph.lines)
    guards = nodes(graph, "guard standby")
    drafts = [session.path / f"swarm.{node.spec.name}.{node.process.pid}.tmp" for node in guards]
    for draft in drafts:  # they cannot write there
        draft.mkdir()
    record = stops.stop()
    assert graph.until(lambda: not graph.robots.moving, 5.0) is not None
    assert graph.until(lambda: not stops.missing(record), 2.0) is None and stops.missing(record) == ["/swarm/guard", "/swarm/standby"]
    assert sum("cannot keep what has to outlive this process" in line for line in graph.lines[said:]) == 2
    for draft in drafts:
        draft.rmdir()
    assert graph.until(lambda: not stops.missing(record), 10.0) is not None
    assert kept_out(graph, 2.0)
    stops.release()
    assert graph.until(lambda: graph.robots.moving, 20.0) is not None


def test_a_joysticks_button_stops_once_each_time_that_it_is_pressed(graph):
    joystick, stops = graph.robots.create_publisher(Joy, "/joy", topics.JOY.publish_qos), graph.robots.stops
    called = lambda: sum(called for source, called, _ in stops.record.counts if source.startswith(("/swarm/guard", "/swarm/standby")))  # noqa: E731

    def press(*buttons):
        joystick.publish(Joy(buttons=buttons))
        return True

    def pressed(*buttons):
        """Say so again and again, as a joystick's driver does: a message may be lost."""
        graph.until(lambda: not press(*buttons), 0.3)

    def both_stop():
        """Each of the two guards has called a stop: the later one, too, so that it undoes no release."""
        return press(0, 1) and stops.stopped and called() == before + 2 and not graph.robots.moving

    assert graph.until(lambda: joystick.get_subscription_count() >= 2, 20.0) is not None, "both guards listen"
    before = called()
    assert graph.until(lambda: press(1, 0, 1) and stops.stopped, 1.0) is None, "other buttons do nothing"
    assert graph.until(both_stop, 20.0) is not None
    stops.release()
    pressed(0, 1)  # held: nobody has pressed it again
    assert graph.until(lambda: graph.robots.moving, 20.0) is not None
    before = called()
    pressed(0, 0)
    assert graph.until(both_stop, 20.0) is not None
    stops.release()
    assert graph.until(lambda: graph.robots.moving, 20.0) is not None
    graph.robots.destroy_publisher(joystick)


@pytest.mark.parametrize("heard", [True, False])
def test_nobody_may_move_robots_before_the_guard_has_met_who_obeys(tmp_path, heard):
    """A guard that was restarted may know of a robot before its messages reach it. One that it never meets is named."""
    file, lines, grants = tmp_path / "scenario.yaml", [], []
    file.write_text(yaml.safe_dump(SCENARIO))
    domain = claims.domain()
    os.environ.update(ROS_DOMAIN_ID=str(domain.number), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
    supervisor = Supervisor([spec for spec in plan(str(file), (), "none") if spec.name == "guard"], lines.append)
    supervisor.start()
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain.number)
    node = rclpy.create_node("asking", namespace="/swarm", context=context)
    serving = executor(node, context)
    ask = node.create_publisher(String, "lease/request", topics.LEASE_REQUEST.publish_qos)
    topics.subscribe(node, topics.LEASE_GRANT, lambda message: grants.append(time.monotonic()))
    beat = itertools.count(1)

    def asked_for(seconds):
        """Ask for permission to command a robot for some time; whether it was granted."""
        del grants[:]
        end = time.monotonic() + seconds
        while time.monotonic() < end and not grants:
            words = {"name": "asking", "beat": next(beat), "duration": 0.3, "record": [], "topics": ["/robot_7/cmd_vel"], "frames": [""]}
            ask.publish(String(data=json.dumps(words)))
            serving.spin_once(timeout_sec=0.05)
            supervisor.poll()
        return bool(grants)

    try:
        pace = time.monotonic()
        while not ask.get_subscription_count():
            serving.spin_once(timeout_sec=0.05)
            assert time.monotonic() < pace + 60.0
        assert not asked_for(3.0)
        if heard:
            topics.subscribe(node, topics.CMD_VEL, lambda message: None, "robot_7")
        assert asked_for(20.0)
        assert any("/robot_7/cmd_vel: who listens there was not met within 5 s" in line for line in lines) is not heard
    finally:
        supervisor.stop()
        serving.shutdown()
        node.destroy_node()
        rclpy.shutdown(context=context)
        domain.release()


def test_robots_that_carry_their_nodes_go_on_without_those_of_the_base():
    base, own = (NodeSpec("guard", "guard", space, ()) for space in ("/swarm", "/robot_1"))
    assert in_need([base], ["/robot_0", "/robot_1"]).tolist() == []
    assert in_need([base, own], ["/robot_0", "/robot_1"]).tolist() == [1]
    assert in_need([base], ["/swarm", "/swarm"]).tolist() == [0, 1]
    assert in_need([NodeSpec("director", "director", "/swarm", ())], ["/swarm"]).tolist() == []


def test_a_release_by_somebody_who_has_not_seen_the_stop_lets_nothing_go(graph):
    stops = graph.robots.stops
    before = stops.record
    stops.stop()
    assert graph.until(lambda: not graph.robots.moving, 5.0) is not None
    stops.release(before)
    assert graph.until(lambda: graph.robots.moving, 1.0) is None
    client = graph.robots.create_client(SetBool, "/swarm/stop")
    assert graph.until(client.service_is_ready, 20.0) is not None
    answer = client.call_async(SetBool.Request(data=False))
    assert graph.until(answer.done, 20.0) is not None
    assert answer.result().success and answer.result().message == "running"
    assert graph.until(lambda: graph.robots.moving, 20.0) is not None
    graph.robots.destroy_client(client)
