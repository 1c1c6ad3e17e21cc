"""Node ``simulator``: the embedded engine behind the topics of real robots, in real time."""

import argparse
import math
import sys
import time
from functools import partial
from typing import Any, ClassVar

import numpy as np
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import OccupancyGrid
from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor, SetParametersResult
from rclpy.parameter import Parameter
from std_srvs.srv import SetBool, Trigger

from swarm_control.core.state import Commands, SwarmState
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert, maps
from swarm_control.ros.messages.rotations import yaw_of_message
from swarm_control.ros.support.node import SwarmNode, serve
from swarm_control.ros.support.schedule import Latency, Schedule
from swarm_control.ros.support.status import shown
from swarm_control.sim.engines import make_engine, make_views
from swarm_control.sim.plant import Plant


class SimulatorNode(SwarmNode):
    """Moves robots as their cmd_vel says; publishes odometry, clock and map. Starts when every robot has been commanded."""

    kind: ClassVar[str] = "simulator"

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        names, n, period = self.setup.fleet.names, self.robots, self.control.period
        self._declare_speed()
        self._patience = float(self.option("wait", 10.0, "longest wait (s, real time) for every robot's first command"))
        self._listeners = int(self.option("listeners", 0, "subscribers of swarm_state that must be there before time starts"))
        stamped = self.option("stamped", False, "robots obey TwistStamped in place of Twist")
        self._read = cdr.read_twist_stamped if stamped else cdr.read_twist
        self._engine = make_engine(self.loaded, self.setup)
        self._plant = Plant(self.scenario, self.setup, self._engine)
        film, window = self.option("film", "", "file for a film or picture in 3D"), self.option("window", False, "whether to show it")
        self._views = make_views(self._engine, film, window)
        self._schedule, self._latency = Schedule(period / self.speed), Latency(n)
        self._waiting, self._paused = True, False
        spoilt, frames = self.scenario.simulator, [f"{topics.robot_name(name)}/base_link" for name in names]
        noise = spoilt.noise_position, float(np.deg2rad(spoilt.noise_heading)), spoilt.noise_velocity
        self._odom_writer = cdr.OdometryWriter(topics.FRAME, frames, noise)
        self._odom = [topics.publisher(self, topics.ODOM, name) for name in names]
        self._listened = np.ones(n, bool)
        self._state_writer = cdr.CloudWriter(topics.FRAME, convert.SWARM_STATE)
        self._state = topics.publisher(self, topics.SWARM_STATE)
        self._time_topic = topics.publisher(self, topics.CLOCK)
        if self.setup.grid is not None:
            self._map = topics.publisher(self, topics.MAP)
            self._map.publish(_map_message(self.setup.grid))
        self._restart()
        for k, name in enumerate(names):
            topics.subscribe(self, topics.CMD_VEL_STAMPED if stamped else topics.CMD_VEL, partial(self._obey, k), name, raw=True)
        topics.subscribe(self, topics.COMMANDS, self._obey_all, raw=True)
        self.create_service(SetBool, "pause", self._pause)
        self.create_service(Trigger, "reset", self._reset)
        self.create_service(Trigger, "step", self._step)
        self._numbers = {topics.robot_name(name): k for k, name in enumerate(names)}
        topics.subscribe(self, topics.PLACE, self._place)

    def _declare_speed(self) -> None:
        """The parameter ``speed`` may be changed at any time."""
        bounds = FloatingPointRange(from_value=0.01, to_value=100.0)
        described = ParameterDescriptor(description="simulated seconds per second", floating_point_range=[bounds])
        self.speed = float(self.declare_parameter("speed", 1.0, described).value)
        self.add_on_set_parameters_callback(self._set_speed)

    def _set_speed(self, given: list[Parameter]) -> SetParametersResult:
        for parameter in given:
            if parameter.name == "speed":
                self.speed = float(parameter.value)
                self._schedule = Schedule(self.control.period / self.speed)
                self.report()
        return SetParametersResult(successful=True)

    def _restart(self) -> None:
        n = self.robots
        self._plant.reset()
        self._tick_count = 0
        self._told = np.full(n, -np.inf)
        self._twist, self._heard_at = np.zeros((n, 3)), np.full(n, -(10**9))
        self._commanded = np.zeros(n, bool)

    def _obey(self, robot: int, data: bytes) -> None:
        x, y, _, _, _, turn = self._read(data)
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(turn)):
            self._twist[robot] = 0.0
            raise ValueError(f"command ({x}, {y}, {turn}) found, expected finite numbers")
        self._twist[robot] = x, y, turn
        self._heard_at[robot] = self._tick_count
        self._commanded[robot] = True
        self._latency.hear(robot)

    def _obey_all(self, data: bytes) -> None:
        """Commands of many robots have come at once."""
        _, rows = cdr.read_cloud(data)
        robots, twist = convert.twists_of(rows, self.robots)
        good = np.asarray(np.isfinite(twist).all(axis=1))
        self._twist[robots] = np.where(good[:, None], twist, 0.0)
        heard = robots[good]
        self._heard_at[heard], self._commanded[heard] = self._tick_count, True
        self._latency.hear_all(heard)
        if not good.all():
            raise ValueError(f"commands of {int((~good).sum())} robots found that are not finite")

    def warm(self) -> None:
        """Let one period pass and begin again."""
        self._plant.observe()
        self._plant.step(Commands(np.zeros((self.robots, 3))))
        self._restart()

    def work(self, serving: Any) -> None:
        """Listen until the next tick is due, then make it."""
        left = self._schedule.wait()
        if left > 0.0:
            serving.spin_once(timeout_sec=left)
            return
        self._schedule.tick()
        if self._waiting:
            self._wait()
        elif not self._paused:
            self._advance()
        self._tell()

    def _wait(self) -> None:
        commanded = bool(self._commanded.all())
        ready = commanded and self._state.get_subscription_count() >= self._listeners
        if ready or self._schedule.ticks * self._schedule.period > self._patience:
            if not commanded:
                missing = int((~self._commanded).sum())
                self.get_logger().warning(f"{missing} robots have had no command; starting without")
            self._waiting = False
            self._schedule.begin()
            self._latency = Latency(self.robots)  # the start is told once more, to all; time goes from the next tick on

    def _advance(self) -> None:
        """Let one period pass; a robot whose command is too old stops."""
        age = (self._tick_count - self._heard_at) * self.control.period
        self._plant.step(Commands(self._twist.copy()), age < self.control.safety.command_timeout)
        self._tick_count += 1
        for view in self._views:
            view.watch()

    def close(self) -> None:
        """Finish film and window."""
        for view in self._views:
            view.close()

    def _tell(self) -> None:
        """Publish clock, state and odometry."""
        truth = self._engine.truth()
        self._time_topic.publish(cdr.clock(truth.time))
        state = self._plant.observe().state
        self._latency.tell()
        rows = convert.state_rows(state, self._engine.collisions, self._plant.measured)
        self._state.publish(self._state_writer.write(state.time, rows))
        self._tell_odometry(state)

    def _tell_odometry(self, state: SwarmState) -> None:
        """Publish ``odom`` of the robots of which something new has been heard, where somebody listens."""
        measured = self._plant.measured
        times = np.full(self.robots, state.time) if measured is None else measured
        new = np.flatnonzero(times != self._told if measured is not None else state.valid)
        self._told, new = times, new[self._listened[new]]
        messages = self._odom_writer.write(new.tolist(), times[new].tolist(), convert.odometry_values(state)[new])
        for k, message in zip(new, messages):
            self._odom[k].publish(message)

    def _pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        """``/swarm/pause``: true holds time still, false lets it run on."""
        self._paused = bool(request.data)
        self.report()
        response.success, response.message = True, "paused" if self._paused else "running"
        return response

    def _step(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """``/swarm/step``: while time stands still, let one tick pass."""
        response.success = self._paused and not self._waiting
        response.message = "one tick" if response.success else "not paused"
        if response.success:
            self._advance()
        return response

    def _place(self, message: PoseStamped) -> None:
        """``simulator/place``: puts the robot that the frame names (``robot_3`` or ``robot_3/base_link``) at a pose in the world frame."""
        name, p = message.header.frame_id.strip("/").partition("/")[0], message.pose.position
        pose = np.array([p.x, p.y, yaw_of_message(message.pose.orientation)])
        if name not in self._numbers or not np.isfinite(pose).all():
            self.get_logger().error(f"place refused: frame {name!r} at {pose} found, expected a robot's name and finite numbers")
        else:
            self._engine.place(self._numbers[name], pose)

    def _reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """``/swarm/reset``: back to the start, time included."""
        self._restart()
        response.success, response.message = True, "reset"
        return response

    def report(self) -> None:
        """Simulated time, how well real time is kept, and the latency from odometry to command."""
        s, latency, down = self._schedule, self._latency, self._engine.truth().fallen
        fallen = [] if down is None else [self.setup.fleet.names[k] for k in np.flatnonzero(down)]
        values = {
            "speed": self.speed, "time": self._engine.time, "ticks": s.ticks, "late_ticks": s.late,
            "real_time_factor": s.ticks * self.control.period / max(time.monotonic() - s.began, 1e-9),
            "latency_p50_ms": 1e3 * latency.percentile(0.5), "latency_p99_ms": 1e3 * latency.percentile(0.99),
            "collisions": int(self._engine.collisions.sum()), "fallen": len(fallen), "lying": shown(fallen),
            "commands_limited": int(np.sum(getattr(self._engine, "limited", 0))),
        }  # fmt: skip
        self._listened = np.array([one.get_subscription_count() > 0 for one in self._odom])
        level = "warn" if fallen else "ok"
        self.status.write(values, "waiting for commands" if self._waiting else "paused" if self._paused else "running", level)


def _map_message(grid: Any) -> OccupancyGrid:
    message = maps.grid_message(grid, OccupancyGrid())
    message.header.frame_id = topics.FRAME
    return message


def main() -> int:
    """Run the node."""
    return serve(SimulatorNode)


if __name__ == "__main__":
    sys.exit(main())
