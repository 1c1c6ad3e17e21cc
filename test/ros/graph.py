"""A graph of real node processes with a watching node beside it."""

import os
import signal
import time
from dataclasses import replace

import claims
import rclpy
import yaml
from pace import Pace
from rclpy.parameter import Parameter, parameter_value_to_python
from std_srvs.srv import SetBool
from warm import STARTER

from swarm_control.ros.graph import topics
from swarm_control.ros.graph.plan import plan
from swarm_control.ros.graph.spec import root_of
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support import node as base
from swarm_control.ros.support.rooted import RootedNode
from swarm_control.ros.support.status import read_status
from swarm_control.ros.support.supervisor import Supervisor
from swarm_control.runtime.mission_state import MissionState

SCENARIO = {
    "duration": 600,
    "robots": [{"count": 10, "start": {"spacing": 0.6}}],
    "control": {
        "period": 0.1,
        "perception": {"radius": 1.5}, "separation": {"weight": 0.5, "distance": 0.4}, "alignment": {"weight": 0.3},
        "seek": {"weight": 1.0}, "separation_filter": {"enabled": True},
    },
    "goals": [{"position": [1000.0, 0.0]}],
}  # fmt: skip
"""Ten robots that are on their way for a long time."""


class Graph:
    """Node processes in a domain of their own, or in that of another graph, and what the watching node hears of them."""

    def __init__(self, folder, data=SCENARIO, simulator="embedded", domain=None, parameters=(), **options):
        self.file = folder / "scenario.yaml"
        self.write(data)
        self.domain, self._shared, root = domain or claims.domain(), domain is not None, root_of(options.get("namespace", ""))
        os.environ.update(ROS_DOMAIN_ID=str(self.domain.number), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
        self.lines, self.states, self.status, self.odom, self.commands = [], [], {}, {}, {}
        self.missions = [MissionState()]
        specs = [replace(spec, parameters=spec.parameters | dict(parameters)) for spec in plan(str(self.file), (), simulator, **options)]
        self.supervisor = Supervisor(specs, self.lines.append, STARTER)
        self.supervisor.start()
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=self.domain.number)
        self.node = RootedNode("watcher", namespace=f"{root}/watchers" if root else "/", context=self.context, parameter_overrides=[])
        self.executor = base.executor(self.node, self.context)
        every = topics.Topic("/swarm/swarm_state", topics.SWARM_STATE.kind, lossy=False, depth=1000)
        topics.subscribe(self.node, every, self._hear_state, raw=True)
        mission = replace(topics.MISSION, name="/swarm/mission")
        topics.subscribe(self.node, mission, self._hear_mission)
        topics.subscribe(self.node, topics.Topic("/swarm/status", topics.STATUS.kind, lossy=False, depth=20), self._hear_status)

    def _hear_state(self, data):
        stamp, rows = cdr.read_cloud(data)
        self.states.append((time.monotonic(), convert.state_of(stamp, rows, int(rows["id"].max(initial=0)) + 1)))

    def _hear_mission(self, message):
        self.missions.append(MissionState.from_text(message.data))

    def _hear_status(self, message):
        for name, (process, state, values) in read_status(message).items():
            self.status[name] = {**values, "process": process, "state": state}

    @property
    def state(self):
        return self.states[-1][1]

    @property
    def mission(self):
        """The newest state of the mission."""
        return max(self.missions, key=lambda state: state.number)

    def repeated(self):
        """Whether the newest state of the mission has been heard from two nodes, so that one of them may go."""
        return sum(state.number == self.mission.number for state in self.missions) > 1

    def names(self):
        """Full names of the nodes that have been discovered."""
        return {f"{space.rstrip('/')}/{name}" for name, space in self.node.get_node_names_and_namespaces()}

    def write(self, data):
        """Replace the scenario's file as an editor does."""
        draft = self.file.with_suffix(".new")
        draft.write_text(data if isinstance(data, str) else yaml.safe_dump(data))
        draft.replace(self.file)

    def until(self, condition, timeout=90.0, poll=True):
        """Serve the watching node until ``condition()`` holds; fail after ``timeout`` s by :meth:`pace`."""
        pace = self.pace()
        while not (found := condition()):
            assert not pace.over(timeout), "\n".join(["waited in vain; the nodes said:", *self.lines[-20:]])
            self.serve(0.02)
            if poll:
                self.supervisor.poll()
        return found

    def pace(self):
        """A clock for what the nodes do."""
        return Pace(lambda: [node.process.pid for node in self.supervisor.nodes])

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

    def tell(self, publisher, message, condition, timeout=90.0, every=0.5):
        """Publish until ``condition()`` holds: who has only just been discovered may not hear the first message."""
        due = 0.0

        def told():
            nonlocal due
            if time.monotonic() >= due:
                due = time.monotonic() + every
                publisher.publish(message)
            return condition()

        return self.until(told, timeout)

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

    def stop(self, stopped):
        """Stop the swarm, or let it go; again, until that is confirmed: nodes that have just started may not have found each other yet."""

        def confirmed():
            said = self.call(SetBool, "/swarm/stop", SetBool.Request(data=stopped))
            assert said.success or said.message.startswith("NOT CONFIRMED by /"), said.message
            return said.success

        self.until(confirmed)

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

    def sign_of_life(self, name):
        """The file by which a node shows that it lives."""
        return next(self.supervisor.session.path.glob(f"*{name}.{self.process(name).pid}.beat"))

    def kill(self, name):
        """SIGKILL a node's process; returns when."""
        self.process(name).send_signal(signal.SIGKILL)
        return time.monotonic()

    def close(self):
        """End everything, nodes without asking: how they end by themselves is proved where tests call ``swarm run``."""
        for node in self.supervisor.nodes:
            node.signal(signal.SIGKILL)
        self.supervisor.stop()
        self.executor.shutdown()
        self.node.destroy_node()
        self.context.shutdown()
        if not self._shared:
            self.domain.release()
