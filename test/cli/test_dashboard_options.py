"""Where ``swarm run`` puts its dashboard, and what it says when it cannot."""

import argparse
import socket

import pytest

from swarm_control.cli.browser import PORT, access, add_options, free_port, split
from swarm_control.errors import InputError
from swarm_control.ros.graph.plan import plan

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


@pytest.fixture
def options(monkeypatch):
    """Parse a command line on a machine without a screen."""
    for name in SCREENS:
        monkeypatch.delenv(name, raising=False)

    def parse(*words):
        parser = argparse.ArgumentParser()
        add_options(parser)
        return parser.parse_args(words)

    return parse


def test_it_is_there_where_a_browser_can_be_opened(options, monkeypatch):
    assert access(options()) is None
    assert access(options("--dashboard")).host == "127.0.0.1"
    monkeypatch.setenv("DISPLAY", ":0")
    assert access(options()).port >= PORT
    assert access(options("--no-dashboard")) is None


def test_the_next_free_port_is_taken_unless_one_is_named(options):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"--dashboard-address: 127.0.0.1:{port} cannot be listened to"):
            access(options("--dashboard-address", f"127.0.0.1:{port}"))
    assert free_port("127.0.0.1", port) == port
    first = access(options("--dashboard")).port
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first))
        taken.listen()
        assert access(options("--dashboard")).port > first


def test_other_machines_need_a_token_that_is_made_up(options):
    first, second = (access(options("--dashboard-address", "0.0.0.0")) for _ in range(2))
    assert first.token and first.token != second.token and f"?token={first.token}" in first.address(80)
    assert "token" not in access(options("--dashboard")).address(80)


@pytest.mark.parametrize("text, found", [
    ("127.0.0.1:80", ("127.0.0.1", 80)), (":80", ("127.0.0.1", 80)), ("0.0.0.0", ("0.0.0.0", None)), ("[::1]:80", ("::1", 80)),
    ("[::1]", ("::1", None)),
])  # fmt: skip
def test_addresses_are_understood(text, found):
    assert split(text) == found


@pytest.mark.parametrize("text", ["127.0.0.1:http", "127.0.0.1:0", "127.0.0.1:70000"])
def test_ports_that_are_none_are_refused(text):
    with pytest.raises(InputError, match="expected a number from 1 to 65535"):
        split(text)


def test_the_plan_gets_the_dashboard_and_the_simulator_waits_for_it():
    bare, shown = plan("x", watchers=1), plan("x", watchers=1, dashboard={"host": "127.0.0.1", "port": 80})
    assert [spec.name for spec in shown if spec not in bare] == ["dashboard", "simulator"]
    spec = next(spec for spec in shown if spec.name == "dashboard")
    assert spec.full_name == "/swarm/dashboard" and spec.parameters["port"] == 80 and spec.parameters["source"] == "swarm_state"
    assert shown[-1].parameters["listeners"] == bare[-1].parameters["listeners"] + 1


def test_a_simulation_has_none(swarm):
    done = swarm("simulate", "flock_frame", "--dashboard")
    assert done.returncode == 2 and done.stderr.strip() == "swarm: --dashboard: swarm simulate has none; see swarm run"
