"""The messages of a run without ROS: what the nodes would have said in ``swarm simulate``, written into a bag."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from nav_msgs.msg import OccupancyGrid
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from swarm_control.analysis.bags.writer import BagWriter
from swarm_control.analysis.simulation import TickRecord
from swarm_control.ros.graph import topics
from swarm_control.ros.graph.spec import HOSTED
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.messages.maps import grid_message
from swarm_control.ros.nodes.recorder import about
from swarm_control.runtime.mission_state import MissionState
from swarm_control.scenario.groups import flocks, squads
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.setup import Setup

MOST = 200
"""With more robots, those have no ``odom`` and ``cmd_vel`` of their own in the bag: ``swarm_state`` says the same in far less room."""


class SimulatedBag:
    """Writes what :func:`~swarm_control.analysis.simulation.simulate` shows it, tick by tick, to the new file ``path``; ``say`` gets a line
    when the disk is full.
    """

    def __init__(self, path: Path, scenario: Scenario, setup: Setup, say: Callable[[str], object]) -> None:
        self._bag = BagWriter(path, about(scenario, setup), say)
        self._names = setup.fleet.names
        self._flocks = flocks(scenario, squads(scenario.groups, setup.society))
        self._all = np.arange(len(self._names))
        self._clouds: dict[str, cdr.CloudWriter] = {}
        frames = [f"{topics.robot_name(name)}/base_link" for name in self._names]
        self._odometry, self._twist = cdr.OdometryWriter(topics.FRAME, frames), cdr.TwistWriter(frames)
        self._goals: Any = None
        self._mission = MissionState()
        if setup.grid is not None:
            message = grid_message(setup.grid, OccupancyGrid())
            message.header.frame_id = topics.FRAME
            self._write(topics.MAP, 0.0, serialize_message(message))

    def __call__(self, frame: TickRecord) -> None:
        """Write the messages of a tick."""
        time, truth = frame.truth.time, frame.truth
        self._cloud(topics.SWARM_STATE, time, convert.state_rows(truth, None))
        self._cloud(topics.NEIGHBOURS, time, convert.neighbour_rows(truth, frame.tick.seen, self._all))
        self._cloud(topics.ACCELERATION, time, convert.acceleration_rows(frame.tick.accumulated, self._all))
        goals = convert.goal_rows(*frame.orders.table(self._flocks))
        if self._goals is None or not np.array_equal(goals, self._goals):
            self._cloud(topics.GOALS, time, goals)
            self._goals = goals
        if frame.progress != (self._mission.swarm, self._mission.groups):
            self._mission = MissionState(self._mission.number + 1, time, *frame.progress)
            self._write(topics.MISSION, time, serialize_message(String(data=self._mission.to_text())))
        if len(self._names) <= MOST:
            self._robots(frame)

    def close(self) -> None:
        """Make the file whole."""
        self._bag.close()

    def _robots(self, frame: TickRecord) -> None:
        time = frame.truth.time
        odometry = self._odometry.write(self._all, [time] * len(self._all), convert.odometry_values(frame.truth))  # type: ignore[arg-type]
        commands = self._twist.write(time, convert.twist_values(frame.tick.commands.twist))
        for name, pose, command in zip(self._names, odometry, commands):
            self._write(topics.ODOM, time, pose, name)
            self._write(topics.CMD_VEL, time, command, name)

    def _cloud(self, topic: topics.Topic, time: float, rows: Any) -> None:
        writer = self._clouds.get(topic.name)
        if writer is None or writer.kind != rows.dtype:
            writer = self._clouds[topic.name] = cdr.CloudWriter(topics.FRAME, rows.dtype)
        self._write(topic, time, writer.write(time, rows))

    def _write(self, topic: topics.Topic, time: float, data: bytes, robot: str = "") -> None:
        name = topic.of(robot)
        kind = f"{topic.kind.__module__.split('.')[0]}/msg/{topic.kind.__name__}"
        self._bag.write(name if name.startswith("/") else f"{HOSTED}/{name}", kind, time, data, topic.latched)
