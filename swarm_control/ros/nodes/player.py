"""Node ``player``: plays a recording in place of a simulator; it can be paused, slowed, sped up and begun again like one."""

import argparse
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from nav_msgs.msg import OccupancyGrid
from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor, SetParametersResult
from rclpy.parameter import Parameter
from std_msgs.msg import Header
from std_srvs.srv import SetBool, Trigger

from swarm_control.analysis.bags.reader import Bag
from swarm_control.analysis.bags.runs import CLOUD, BagRun, read_bag
from swarm_control.core.state import SwarmState
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.messages.maps import grid_message
from swarm_control.ros.support.node import SwarmNode, serve

PERIOD = 0.02
"""Time (s) between looks at what is due."""

PLAYED = {topic.name: topic for topic in (topics.NEIGHBOURS, topics.ACCELERATION, topics.TARGETS, topics.STRUCTURE, topics.GOALS)}
"""What is passed on as it was recorded. Never ``cmd_vel`` or ``odom``: a recording must not move a robot that listens."""


class PlayerNode(SwarmNode):
    """Publishes the robots' states, whatever kind of recording they are in, and what the nodes said about them; over and over."""

    kind: ClassVar[str] = "player"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        path = Path(self.option("file", "", "recording to be played"))
        self._run: BagRun = read_bag(path)
        self._messages = _kept(Bag(path), self._run)
        bounds = FloatingPointRange(from_value=0.01, to_value=100.0)
        described = ParameterDescriptor(description="recorded seconds per second", floating_point_range=[bounds])
        self._speed = float(self.declare_parameter("speed", 1.0, described).value)
        self.add_on_set_parameters_callback(self._set_speed)
        self._writer = cdr.CloudWriter(topics.FRAME, convert.SWARM_STATE)
        self._state, self._time_topic = topics.publisher(self, topics.SWARM_STATE), topics.publisher(self, topics.CLOCK)
        self._others = {name: topics.publisher(self, topic) for name, topic in PLAYED.items()}
        if self._run.grid is not None:
            self._map = topics.publisher(self, topics.MAP)
            self._map.publish(grid_message(self._run.grid, OccupancyGrid(header=Header(frame_id=topics.FRAME))))
        self._time, self._paused, self._told, self._next = 0.0, False, -1, 0
        self._looked = time.monotonic()
        self.create_service(SetBool, "pause", self._pause)
        self.create_service(Trigger, "reset", self._reset)
        self.create_service(Trigger, "step", self._step)

    def work(self, serving: Any) -> None:
        """Listen for a moment, then tell what is due."""
        serving.spin_once(timeout_sec=PERIOD)
        now = time.monotonic()
        passed, self._looked = now - self._looked, now
        if not self._paused:
            self._play(self._time + passed * self._speed)

    def _play(self, until: float) -> None:
        """Tell what there is up to ``until`` (s), then the state; at the end begin again."""
        if until > self._run.trajectory.time[-1] + 1.0:
            self._begin()
            return
        self._time = until
        while self._next < len(self._messages) and self._messages[self._next][0] <= until:
            _, name, data = self._messages[self._next]
            self._others[name].publish(data)
            self._next += 1
        k = int(np.searchsorted(self._run.trajectory.time, until + 1e-9)) - 1
        if k != self._told:
            self._told = k
            self._tell(k)

    def _tell(self, k: int) -> None:
        trajectory = self._run.trajectory
        moment = float(trajectory.time[k])
        state = SwarmState.of(moment, trajectory.pose[k], trajectory.velocity[k])
        self._time_topic.publish(cdr.clock(moment))
        self._state.publish(self._writer.write(moment, convert.state_rows(state, None)))

    def _begin(self) -> None:
        self._time, self._told, self._next = 0.0, -1, 0

    def _set_speed(self, given: list[Parameter]) -> SetParametersResult:
        for parameter in given:
            if parameter.name == "speed":
                self._speed = float(parameter.value)
        return SetParametersResult(successful=True)

    def _pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._paused = bool(request.data)
        response.success, response.message = True, "paused" if self._paused else "playing"
        return response

    def _reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._begin()
        response.success, response.message = True, "from the beginning"
        return response

    def _step(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        time_ = self._run.trajectory.time
        response.success = self._paused and self._told + 1 < len(time_)
        response.message = "one instant" if response.success else "not paused, or at the end"
        if response.success:
            self._play(float(time_[self._told + 1]))
        return response

    def report(self) -> None:
        """Where it is."""
        end = float(self._run.trajectory.time[-1])
        self.status.write({"speed": self._speed, "time": self._time, "end": end}, "paused" if self._paused else "playing")


def _kept(bag: Bag, run: BagRun) -> list[tuple[float, str, bytes]]:
    """Time (s, from the first state on), relative topic and bytes of the messages that are passed on."""
    chosen = {topic: topic.removeprefix("/swarm/") for topic, kind in bag.kinds.items() if kind == CLOUD}
    chosen = {topic: name for topic, name in chosen.items() if name in PLAYED}
    found = [(message.time - run.begin, chosen[message.topic], message.data) for message in bag.messages(chosen)]
    return sorted(found, key=lambda message: message[0])


def main() -> int:
    """Run the node."""
    return serve(PlayerNode)


if __name__ == "__main__":
    sys.exit(main())
