"""The same drive with the real node ``wheel_driver``, a process of its own, over a pseudo-terminal and in real time."""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.flight import Seed
from swarm_control.errors import Failed
from swarm_control.sim.hardware.base import SlippingBase
from swarm_control.sim.hardware.emulator import TURN, Emulator
from swarm_control.sim.hardware.ports import PtyPort

from .compiled import CompiledFirmware, HostedBoard
from .wheel_drives import CHASSIS, REST, Faults, Plan, WheelDrive

COMMAND = 0.05
"""Time (s) from one ``cmd_vel`` to the next."""

PATIENCE = 60.0
"""Time (s) in which the node has to make itself heard."""

Start = Callable[[Any], subprocess.Popen]
"""Starts the process of a node's specification."""


def _started(spec: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(spec.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class NodeDrive:
    """A robot with the compiled firmware, the node ``wheel_driver`` that drives it, and who commands it and listens to its odometry."""

    def __init__(self, program: Path, faults: Faults, seed: Seed, domain: int, start: Start = _started) -> None:
        self._program, self._faults, self._seed, self._domain, self._start = program, faults, seed, domain, start
        self._seen: list[tuple[float, ...]] = []
        self.status: dict[str, str] = {}

    def drive(self, seconds: float) -> WheelDrive:
        """Drive for so long (s)."""
        rng = np.random.default_rng([self._seed, 2])
        faults, port = self._faults, PtyPort()
        os.environ.update(ROS_DOMAIN_ID=str(self._domain), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
        with tempfile.TemporaryDirectory() as folder, HostedBoard(self._program) as board:
            board.start(boot=int(rng.integers(65536)))
            board.motors(24.0, 26.0, 0.03)
            base = SlippingBase(CHASSIS.wheel_radius, CHASSIS.wheel_base, np.zeros(3), 0.0, rng)
            firmware = CompiledFirmware(board, base, time.monotonic())
            emulator = Emulator(
                "robot_0", firmware, port, drop=faults.drop, garble=faults.garble, disconnect=faults.disconnect, rng=rng
            )  # fmt: skip
            process = self._start(_spec(Path(folder), port.url))
            try:
                began, epoch = self._run(emulator, process, seconds), time.time() - time.monotonic()
            finally:
                process.kill()
                process.wait()
                port.close()
        truth = np.array(firmware.track)
        return WheelDrive.of(truth[truth[:, 0] >= began], np.array(self._seen) - [epoch, 0.0, 0.0, 0.0], emulator)

    def _run(self, emulator: Emulator, process: "subprocess.Popen[bytes]", seconds: float) -> float:
        """Drive; when (s, monotonic) the first command was due."""
        from rclpy.executors import SingleThreadedExecutor

        plan = Plan(self._seed, seconds)
        with _Commander(self._hear, self.status) as commander:
            executor = SingleThreadedExecutor(context=commander.context)
            executor.add_node(commander.node)
            began, due, waits = time.monotonic(), 0.0, True
            while waits or time.monotonic() < began + seconds + REST:
                now = time.monotonic()
                emulator.serve(now)
                if (waits and now - began > PATIENCE) or process.poll() is not None:
                    raise Failed("wheel_driver: nothing heard of it, or it has ended")
                if waits and self._seen and commander.heard:
                    waits, began = False, now
                twist = None if waits else plan.at(now - began)
                if waits or now >= due:
                    due = now + COMMAND
                    commander.tell(twist)
                executor.spin_once(timeout_sec=TURN)
            executor.shutdown()
        return began

    def _hear(self, message: Any) -> None:
        pose, stamp = message.pose.pose, message.header.stamp
        yaw = 2.0 * np.arctan2(pose.orientation.z, pose.orientation.w)
        self._seen.append((stamp.sec + 1e-9 * stamp.nanosec, pose.position.x, pose.position.y, yaw))


class _Commander:
    """The node that commands. It knows that no stop holds, and says so: the driver need not wait until it may take that for granted."""

    def __init__(self, hear: Callable[[Any], None], status: dict[str, str]) -> None:
        import rclpy
        from geometry_msgs.msg import Twist

        from swarm_control.ros.graph import topics
        from swarm_control.ros.support.status import read_status

        self.context, self._twist = rclpy.Context(), Twist
        rclpy.init(args=[], context=self.context)
        self.node = rclpy.create_node("commander", context=self.context)
        self._publisher = topics.publisher(self.node, topics.CMD_VEL, "robot_0")
        topics.subscribe(self.node, topics.ODOM, hear, "robot_0")

        def hear_status(message: Any) -> None:
            for _, _, values in read_status(message).values():
                status.update(values)

        topics.subscribe(self.node, topics.Topic("/swarm/status", topics.STATUS.kind, lossy=False, depth=20), hear_status)
        _say_that_nothing_is_stopped(self.node)

    def __enter__(self) -> "_Commander":
        return self

    def __exit__(self, *_: object) -> None:
        self.node.destroy_node()
        self.context.try_shutdown()

    @property
    def heard(self) -> bool:
        """Whether the driver listens."""
        return bool(self._publisher.get_subscription_count())

    def tell(self, twist: tuple[float, float] | None) -> None:
        """Command a twist, m/s and rad/s; None: nothing."""
        if twist is not None:
            message = self._twist()
            message.linear.x, message.angular.z = map(float, twist)
            self._publisher.publish(message)


def _say_that_nothing_is_stopped(node: Any) -> None:
    from std_msgs.msg import String

    from swarm_control.ros.graph import topics
    from swarm_control.ros.support.stop_word import Said
    from swarm_control.safety.stop_record import StopRecord

    topics.publisher(node, topics.STOP_STATE).publish(String(data=Said(StopRecord(), False, True).text("/commander")))


def _spec(folder: Path, url: str) -> Any:
    """What starts ``wheel_driver`` for one robot at ``url``."""
    from swarm_control.ros.graph.plan import plan

    data = {
        "robots": [{
            "count": 1, "model": "differential", "max_speed": CHASSIS.max_speed, "max_acceleration": CHASSIS.max_acceleration,
            "wheel_base": CHASSIS.wheel_base, "start": {"pattern": "poses", "poses": [[0.0, 0.0, 0.0]]},
        }],
        "hardware": {"wheels": {
            "link": url, "wheel_radius": CHASSIS.wheel_radius, "ticks_per_turn": CHASSIS.ticks_per_turn,
        }},
    }  # fmt: skip
    file = folder / "scenario.yaml"
    file.write_text(json.dumps(data), encoding="utf-8")
    return next(spec for spec in plan(str(file), (), "none", drivers=("wheel_driver",)) if spec.name == "wheel_driver")
