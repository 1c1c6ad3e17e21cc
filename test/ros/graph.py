"""A graph of real node processes with a watching node beside it."""

import os
import signal
import time

import rclpy
import yaml
from rclpy.parameter import Parameter, parameter_value_to_python

from swarm_control.nodes import base, cdr, convert, topics
from swarm_control.nodes.plan import plan
from swarm_control.nodes.status import read_status
from swarm_control.nodes.supervisor import Supervisor

DOMAINS = iter(range(1 + os.getpid() % 80, 1 << 30))

SCENARIO = {
    "duration": 600,
    "robots": [{"count": 10, "start": {"spacing": 0.6}}],
    "control": {
        "perception": {"radius": 1.5}, "separation": {"weight": 0.5, "distance": 0.4}, "alignment": {"weight": 0.3},
        "seek": {"weight": 1.0}, "separation_filter": {"enabled": True},
    },
    "goals": [{"position": [1000.0, 0.0]}],
}  # fmt: skip
"""Ten robots that are on their way for a long time."""


class Graph:
    """Node processes in a domain of their own, and what the watching node hears of them."""

    def __init__(self, folder, data=SCENARIO, simulator="embedded", **options):
        self.file = folder / "scenario.yaml"
        self.write(data)
        self.domain = next(DOMAINS) % 90 + 1
        os.environ.update(ROS_DOMAIN_ID=str(self.domain), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
        self.lines, self.states, self.status, self.odom, self.commands = [], [], {}, {}, {}
        self.supervisor = Supervisor(plan(str(self.file), (), simulator, **options), self.lines.append)
        self.supervisor.start()
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=self.domain)
        self.node = rclpy.create_node("watcher", context=self.context, parameter_overrides=[])
        self.executor = _executor(self.node, self.context)
        topics.subscribe(self.node, topics.Topic("/swarm/swarm_state", topics.SWARM_STATE.kind), self._hear_state, raw=True)
        topics.subscribe(self.node, topics.Topic("/swarm/status", topics.STATUS.kind, lossy=False, depth=20), self._hear_status)

    def _hear_state(self, data):
        stamp, rows = cdr.read_cloud(data)
        self.states.append((time.monotonic(), convert.state_of(stamp, rows, int(rows["id"].max(initial=0)) + 1)))

    def _hear_status(self, message):
        for name, (process, state, values) in read_status(message).items():
            self.status[name] = {**values, "process": process, "state": state}

    @property
    def state(self):
        return self.states[-1][1]

    def write(self, data):
        """Replace the scenario's file as an editor does."""
        draft = self.file.with_suffix(".new")
        draft.write_text(data if isinstance(data, str) else yaml.safe_dump(data))
        draft.replace(self.file)

    def until(self, condition, timeout=90.0, poll=True):
        """Serve the watching node until ``condition()`` holds; fail after ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        while not (found := condition()):
            assert time.monotonic() < deadline, "\n".join(["waited in vain; the nodes said:", *self.lines[-20:]])
            self.serve(0.02)
            if poll:
                self.supervisor.poll()
        return found

    def serve(self, seconds):
        """Serve the watching node, everything that comes, for ``seconds``: a look at a page may have taken long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self.executor.spin_once(timeout_sec=left)

    def watch(self, seconds):
        """Serve the watching node for some time; return the states heard meanwhile."""
        first, end = len(self.states), time.monotonic() + seconds
        self.until(lambda: time.monotonic() >= end)
        return self.states[first:]

    def call(self, kind, name, request):
        """Call a service and return its response."""
        client = self.node.create_client(kind, name)
        self.until(client.service_is_ready)
        futures = []

        def answered():
            """A server that has only just been discovered may not find the way back: ask again."""
            if time.monotonic() > 2.0 * len(futures) + began:
                futures.append(client.call_async(request))
            return next((future for future in futures if future.done()), None)

        began = time.monotonic()
        future = self.until(answered)
        self.node.destroy_client(client)
        return future.result()

    def set(self, node, atomically=True, **values):
        """Set parameters through the standard services; dots are written as double underscores. Returns the results."""
        from rcl_interfaces.srv import SetParameters, SetParametersAtomically

        kind = SetParametersAtomically if atomically else SetParameters
        service = "set_parameters_atomically" if atomically else "set_parameters"
        parameters = [Parameter(name.replace("__", "."), value=value).to_parameter_msg() for name, value in values.items()]
        response = self.call(kind, f"/swarm/{node}/{service}", kind.Request(parameters=parameters))
        return response.result if atomically else response.results

    def get(self, node, *names):
        """Values of parameters."""
        from rcl_interfaces.srv import GetParameters

        response = self.call(GetParameters, f"/swarm/{node}/get_parameters", GetParameters.Request(names=list(names)))
        return [parameter_value_to_python(value) for value in response.values]

    def process(self, name):
        """The process of a node."""
        return next(node for node in self.supervisor.nodes if node.spec.name == name).process

    def kill(self, name):
        """SIGKILL a node's process; returns when."""
        self.process(name).send_signal(signal.SIGKILL)
        return time.monotonic()

    def close(self):
        self.supervisor.stop()
        self.executor.shutdown()
        self.node.destroy_node()
        self.context.shutdown()


def _executor(node, context):
    return base.executor(node, context)
