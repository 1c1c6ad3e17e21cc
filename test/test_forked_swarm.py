"""Tests' ``swarm``: whoever calls it may be killed at any moment, and the next call is served."""

import json
import os
import signal
import socket
import subprocess
from pathlib import Path

import forked_swarm
import pytest
from forked_swarm import forked_swarm as swarm


def listed():
    done = subprocess.run([*swarm(), "list"], capture_output=True, text=True, timeout=120.0)
    return done.returncode == 0 and "migrate_boxes" in done.stdout


@pytest.mark.parametrize("ready", [False, True])
def test_callers_that_are_killed_leave_the_server_to_others(monkeypatch, ready):
    """Whether they have asked already or not, and also before it is ready: it finds their requests, and nobody there."""
    if not ready:
        monkeypatch.setattr(forked_swarm, "_server", None)
    request = json.dumps({"words": ["list"], "folder": "/", "environment": dict(os.environ)}).encode()
    at = Path(swarm()[0]).with_name("socket")
    server = forked_swarm._server
    with open(os.devnull, "r+") as nowhere:
        for asks in (True, False, True):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as caller:
                caller.connect(str(at))
                if asks:
                    socket.send_fds(caller, [request], [nowhere.fileno()] * 3)
    assert listed() and forked_swarm._server is server, "and it is the same"


def test_a_server_that_has_ended_is_started_again():
    swarm()
    forked_swarm._server.process.kill()
    forked_swarm._server.process.wait()
    assert listed()


def test_status_and_signals_are_those_of_the_process(tmp_path):
    assert subprocess.run([*swarm(), "simulate", "no_such"], capture_output=True).returncode == 2
    endless = [*swarm(), "simulate", "flock_frame", "--robots", "3", "--duration", "1e6", "--out", str(tmp_path)]
    with subprocess.Popen(endless, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as caller:
        assert caller.stderr.readline().startswith("t = ")
        caller.send_signal(signal.SIGTERM)
        assert "summary.json" in caller.communicate(timeout=120.0)[0] and caller.returncode == 0
