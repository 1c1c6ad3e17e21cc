"""Who stops a swarm and hears one guard alone knows of all whose word is needed, though others are out of reach."""

import os

import claims
import pytest
from std_msgs.msg import String

from swarm_control.ros.graph import topics
from swarm_control.ros.graph.spec import NodeSpec
from swarm_control.ros.support.stop_client import StopClient
from swarm_control.ros.support.stop_word import Said
from swarm_control.ros.support.supervisor import Supervisor
from swarm_control.safety.stop_record import StopRecord

pytestmark = pytest.mark.ros(anytime=True)

GUARD, AWAY = "/robot_0/guard", "/robot_1/guard"


@pytest.fixture
def guard(monkeypatch):
    """One robot's guard in a domain of its own; that of the other robot is out of reach."""
    domain = claims.domain()
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain.number))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    supervisor = Supervisor([NodeSpec("guard", "guard", "/robot_0", (), {"base": False})], print)
    supervisor.start()
    yield supervisor.nodes[0]
    supervisor.stop()
    domain.release()


def director_says(*guards):
    """A director names guards, is heard, and is gone."""
    with StopClient() as director:
        publisher = topics.publisher(director, topics.STOP_STATE)
        publisher.publish(String(data=Said(StopRecord(), False, True, guards).text("/swarm/director")))
        until(director, lambda: GUARD in director.state.others and set(director.state.others[GUARD].relayed) == set(guards))


def until(client, condition):
    for _ in range(3000):
        if condition():
            return
        client.serve(0.01)
    raise AssertionError(client.state.others)


def stop(patience=8.0):
    with StopClient() as client:
        return client.stop(patience)


def test_a_stop_is_not_confirmed_without_robots_that_only_a_guard_still_knows_of(guard):
    director_says(GUARD, AWAY)
    assert stop() == (False, f"NOT CONFIRMED by {AWAY}")
    process = guard.process.pid
    os.kill(process, 9)
    guard.process.wait()
    guard.start()
    with StopClient() as client:
        until(client, lambda: GUARD in client.state.others)
    assert stop() == (False, f"NOT CONFIRMED by {AWAY}"), "as the guard has kept it"
    director_says(GUARD)
    done, text = stop(20.0)
    assert done and GUARD in text, "a director that came later does not count the other robot in any more"
