"""A node ends when it is told to, whatever the middleware does."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import claims
import pytest

pytestmark = pytest.mark.ros(anytime=True)

STUBBORN = """
import sys, time
from swarm_control.ros.nodes import neighbourhood
from swarm_control.ros.support import base_node

class Stubborn(neighbourhood.NeighbourhoodNode):
    def work(self, serving):
        print("serving", flush=True)
        super().work(serving)

    def destroy_node(self):
        while True:
            pass

base_node.ENDING = 1
sys.exit(base_node.serve(Stubborn))
"""


def test_a_middleware_that_does_not_let_go_is_left():
    domain = claims.domain()
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain.number)}
    try:
        with subprocess.Popen(
            [sys.executable, "-c", STUBBORN, "--scenario", "traffic_antipodal"], env=environment, stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stdout.readline() == "serving\n"
                process.send_signal(signal.SIGTERM)
                assert process.wait(60) == -signal.SIGALRM
            finally:
                process.kill()
    finally:
        domain.release()


STARTER = """
import os, subprocess, sys, time
words = [sys.executable, "-m", "swarm_control.ros.nodes.behaviours", "--scenario", "traffic_antipodal"]
print(subprocess.Popen(words, env={**os.environ, "SWARM_CONTROL_PARENT": str(os.getpid())}).pid, flush=True)
time.sleep(600)
"""


def test_a_node_that_is_held_still_as_it_starts_ends_with_its_parent():
    domain = claims.domain()
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain.number)}
    try:
        with subprocess.Popen([sys.executable, "-c", STARTER], env=environment, stdout=subprocess.PIPE, text=True) as parent:
            node = Path("/proc", parent.stdout.readline().strip())
            try:
                until(lambda: "numpy" in (node / "maps").read_text())  # it imports what it needs, and shows no life yet
                os.kill(int(node.name), signal.SIGSTOP)
            finally:
                parent.kill()
        until(lambda: not node.exists() or ") Z " in (node / "stat").read_text())
    finally:
        domain.release()


def test_ctrl_c_while_a_node_starts_ends_it_without_a_traceback():
    domain = claims.domain()
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain.number), "SWARM_CONTROL_PARENT": str(os.getpid())}
    words = [sys.executable, "-m", "swarm_control.ros.nodes.behaviours", "--scenario", "traffic_antipodal"]
    try:
        with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True) as node:
            until(lambda: "numpy" in Path("/proc", str(node.pid), "maps").read_text())
            node.send_signal(signal.SIGINT)
            assert node.communicate(timeout=60)[1] == "" and node.returncode == -signal.SIGINT
    finally:
        domain.release()


def until(condition, timeout=60.0):
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)
