"""A node ends when it is told to, whatever the middleware does."""

import os
import signal
import subprocess
import sys

import claims

STUBBORN = """
import sys, time
from swarm_control.ros.nodes import neighbourhood
from swarm_control.ros.support import node

class Stubborn(neighbourhood.NeighbourhoodNode):
    def work(self, serving):
        print("serving", flush=True)
        super().work(serving)

    def destroy_node(self):
        while True:
            pass

node.ENDING = 1
sys.exit(node.serve(Stubborn))
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
