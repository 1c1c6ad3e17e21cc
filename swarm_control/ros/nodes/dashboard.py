"""Node ``dashboard``: shows a running swarm on a web page, and passes on what people want of it."""

import argparse
import queue
import sys
import time
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray

from swarm_control.dashboard.catalogue import catalogue, values
from swarm_control.dashboard.frames import METRICS, Frame, Table, pack_map
from swarm_control.dashboard.measures import Measures
from swarm_control.dashboard.security import Access
from swarm_control.dashboard.server import Server
from swarm_control.errors import InputError
from swarm_control.ros.graph import topics
from swarm_control.ros.messages.maps import MapInput
from swarm_control.ros.support.node import SwarmNode, serve
from swarm_control.ros.support.operator_commands import OperatorCommands
from swarm_control.ros.support.scene import Scene
from swarm_control.ros.support.sources import StateSource
from swarm_control.ros.support.status import read_status
from swarm_control.ros.support.stop_state import StopState
from swarm_control.scenario.consistency import KnownContradictions
from swarm_control.scenario.groups import controls_of, forms
from swarm_control.scenario.loader import find, load, version

PERIOD = 0.05
"""Time (s) between frames."""

LISTEN = 0.02
"""Time (s) between looks at what pages have asked for."""

WINDOW = 1.0
"""Time (s) over which the real-time factor is measured."""


class Dashboard(SwarmNode):
    """Serves the page at ``host:port``; of what the graph says it decodes no more than 20 states a second."""

    kind: ClassVar[str] = "dashboard"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        host = self.option("host", "127.0.0.1", "address to listen at; any but this machine's own needs a token")
        port = self.option("port", 8765, "port to listen at; 0: any that is free")
        token = self.option("token", "", "what a browser must know to see the page")
        source = self.option("source", "auto", "where the robots' states come from: swarm_state, odom, or auto: whichever is there")
        onboard = self.option("onboard", False, "whether the nodes that parameters belong to are in the robots' namespaces")
        spaces = tuple(f"/{topics.robot_name(name)}" for name in self.setup.fleet.names) if onboard else ("/swarm",)
        self._server = Server(Access(host, port, token))
        self._server.start()
        self._file, self._seen = find(options.scenario), (0, 0, 0)
        self._scene = Scene(self, spaces, forms(self.scenario))
        self._stops = StopState(self, self._note_stop)
        self._map = MapInput(self)
        self._operator = OperatorCommands(self, spaces, self._file, self._stops, lambda: self._map.knowledge.grid)
        self._measures = Measures(self.setup.fleet.radius)
        self._time = -np.inf
        self._shown: dict[str, Any] = {}
        self._pace: list[tuple[float, float]] = []
        self._nodes: dict[str, dict[str, Any]] = {}
        self._frames, self._busy, self._warnings = 0, 0.0, KnownContradictions()
        topics.subscribe(self, topics.STATUS, self._hear_status)
        self._introduce()
        self._source = StateSource(self, source, lambda: None)
        self.every(PERIOD, self._frame)
        self.every(LISTEN, self._serve_commands)
        self.get_logger().info(f"the dashboard is at {self._server.address}")

    def _introduce(self) -> None:
        """What a page must know once."""
        fleet, scenario = self.setup.fleet, self.scenario
        groups = [group.group for group in scenario.robots for _ in range(group.count)]
        self._server.tell("hello", {
            "scenario": scenario.name, "description": scenario.description, "file": str(self._file), "duration": scenario.duration,
            "names": list(fleet.names), "models": list(fleet.model), "radius": fleet.radius.tolist(),
            "groups": groups if len(groups) == len(fleet) else [""] * len(fleet),
            "goals": [list(goal.position) for goal in scenario.goals], "metrics": list(METRICS), "parameters": catalogue(self.controls),
        })  # fmt: skip

    def _frame(self) -> None:
        """Look at the newest state; show it when anybody looks on."""
        began = time.perf_counter()
        state = self._source.look()
        if state is None:
            return
        if state.time < self._time - PERIOD:
            self._scene.forget()
            self._measures, self._pace = Measures(self.setup.fleet.radius), []
        self._time = state.time
        control = self._operator.control
        tables = self._scene.tables(state, self._operator.controls)
        factor = self._factor(state.time)
        speed = self._value("simulator", "speed") or 1.0
        late = self._source.lateness(control.period / speed)
        tables[Table.METRICS] = self._measures.row(
            state, counted=self._source.collisions, formation_error=self._scene.error, lateness=late, real_time_factor=factor
        )
        self._scene.attend(self._server.curious)
        if self._server.audience:
            self._server.show(Frame(state.time, tables, self._scene.details()))
        self._frames += 1
        self._busy += time.perf_counter() - began

    def _factor(self, swarm_time: float) -> float:
        """Seconds of the swarm per second, over the last moment."""
        self._pace.append((time.monotonic(), swarm_time))
        while self._pace[-1][0] - self._pace[0][0] > WINDOW and len(self._pace) > 2:
            self._pace.pop(0)
        (real, swarm), (now, there) = self._pace[0], self._pace[-1]
        return (there - swarm) / (now - real) if now - real > 0.2 else float("nan")

    def _serve_commands(self) -> None:
        self._operator.poll()
        for _ in range(64):
            try:
                command, answer = self._server.asked.get_nowait()
            except queue.Empty:
                break
            try:
                self._operator.fulfil(command, answer)
            except InputError as error:
                answer(False, str(error))
        self._tell("values", lambda: {"values": values(self._operator.controls)}, self._operator.controls)
        self._tell("behaviours", lambda: {"names": self._scene.names}, tuple(self._scene.names))
        grid = self._map.knowledge.grid
        if grid is not None and self._shown.get("map") is not grid:
            self._shown["map"] = grid
            self._server.tell("map", pack_map(grid))

    def _tell(self, key: str, data: Callable[[], dict[str, Any]], version: Any) -> None:
        """Tell the pages, when it is another ``version`` than before."""
        if key not in self._shown or (self._shown[key] is not version and self._shown[key] != version):
            self._shown[key] = version
            self._server.tell(key, data())

    def _hear_status(self, message: DiagnosticArray) -> None:
        for name, (process, state, said) in read_status(message).items():
            self._operator.hear(name, process)
            before = self._nodes.get(name, {}).get("state")
            self._nodes[name] = {"state": state, "values": said, "heard": time.monotonic()}
            if state != before:
                self._tell_nodes()

    def _value(self, node: str, key: str) -> float | None:
        """A number from the status of a hosted node."""
        try:
            return float(self._nodes[f"/swarm/{node}"]["values"][key])
        except (KeyError, ValueError):
            return None

    def report(self) -> None:
        """How many frames, what one took, who looks on; tell the pages how the nodes are, and the file when it has changed."""
        mean = 1e3 * self._busy / self._frames if self._frames else 0.0
        address = self._server.address.partition("?")[0]
        said = {"address": address, "pages": self._server.audience, "frames_per_second": self._frames, "frame_ms": mean}
        self.status.write(said, "running" if self._frames else "waiting for robots")
        self._frames, self._busy = 0, 0.0
        self._tell_nodes()
        if (now := version(self._file)) != self._seen:
            self._seen = now
            self._read_file()

    def _tell_nodes(self) -> None:
        now = time.monotonic()
        nodes = {
            name: {"state": node["state"], "values": node["values"], "silent": round(now - node["heard"], 1)}
            for name, node in self._nodes.items()
        }
        self._server.tell("status", {
            "nodes": nodes, "simulator": self._operator.simulated, "stopped": self._stops.stopped,
            "seen": self._stops.record.to_text(), "warnings": self._warnings.of(self._operator.controls),
        })  # fmt: skip

    def _note_stop(self) -> None:
        """The swarm has been stopped, or let go."""
        self._tell_nodes()

    def _read_file(self) -> None:
        try:
            self._server.tell("file", {"values": values(controls_of(load(str(self._file)).scenario, str(self._file))), "problem": ""})
        except InputError as error:
            self._server.tell("file", {"values": None, "problem": str(error)})

    def close(self) -> None:
        """Say goodbye to the pages."""
        self._server.stop()


def main() -> int:
    """Run the node."""
    return serve(Dashboard)


if __name__ == "__main__":
    sys.exit(main())
