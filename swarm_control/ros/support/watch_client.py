"""A node that looks on: robots, mission, map and nodes of a running graph."""

import time

from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import OccupancyGrid
from std_msgs.msg import UInt32

from swarm_control.analysis.report.text_view import View
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.messages.maps import grid_of
from swarm_control.ros.support.graph_client import GraphClient
from swarm_control.ros.support.mission import MissionInput
from swarm_control.ros.support.status import read_status


class WatchClient(GraphClient):
    """Keeps a :class:`View` of the swarm below ``root``; use as a context manager."""

    kind = "watch_client"

    def __init__(self, root: str = "") -> None:
        super().__init__(root)
        self._view, self._robots, self._count = View(), 0, -1
        self._spoke: dict[str, tuple[float, str, dict[str, str]]] = {}
        self._mission = MissionInput(self)
        topics.subscribe(self, topics.SWARM_STATE, self._hear_state, raw=True)
        topics.subscribe(self, topics.STATUS, self._hear_status)
        topics.subscribe(self, topics.MAP, self._hear_map)
        topics.subscribe(self, topics.STOPPED, self._hear_stop)

    def look(self, seconds: float) -> View:
        """Serve for so long; what is known then."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self.serve(left)
        now = time.monotonic()
        self._view.nodes = {name: (now - when, said, values) for name, (when, said, values) in self._spoke.items()}
        self._view.mission = self._mission.state
        return self._view

    def _hear_state(self, data: bytes) -> None:
        stamp, rows = cdr.read_cloud(data)
        self._robots = max(self._robots, int(rows["id"].max(initial=-1)) + 1)
        self._view.state = convert.state_of(stamp, rows, self._robots)

    def _hear_status(self, message: DiagnosticArray) -> None:
        for name, (_, said, values) in read_status(message).items():
            self._spoke[name] = time.monotonic(), said, values

    def _hear_map(self, message: OccupancyGrid) -> None:
        self._view.grid = grid_of(message)

    def _hear_stop(self, message: UInt32) -> None:
        if message.data >= self._count:
            self._count, self._view.stopped = message.data, message.data % 2 == 1
