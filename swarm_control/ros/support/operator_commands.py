"""What people want of a running swarm, passed on to the nodes that can do it."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from geometry_msgs.msg import PoseStamped
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.parameter import Parameter
from std_srvs.srv import SetBool, Trigger

from swarm_control.core.grid import Grid
from swarm_control.dashboard.protocol import Command
from swarm_control.dashboard.save import save
from swarm_control.errors import InputError
from swarm_control.ros.graph import topics
from swarm_control.ros.support.services import Services
from swarm_control.ros.support.stop_state import StopState
from swarm_control.ros.support.tuning import Answer, Tuner
from swarm_control.safety.stop_record import StopRecord
from swarm_control.scenario.groups import Controls, controls_of, in_formation
from swarm_control.scenario.loader import load
from swarm_control.scenario.reach import no_place
from swarm_control.scenario.schema import Control

SIMULATOR = "/swarm/simulator"


class OperatorCommands:
    """Fulfils commands; each is answered once. ``grid``: the walls, as far as they are known."""

    def __init__(self, node: Any, spaces: tuple[str, ...], file: Path, stops: StopState, grid: Callable[[], Grid | None]) -> None:
        self._node, self._file, self._stops, self._grid = node, file, stops, grid
        self._services = Services(node)
        self._tuner = Tuner(node, node.controls, spaces, self._services)
        self._goal = topics.publisher(node, topics.GOAL_POSE)
        self._place = topics.publisher(node, topics.PLACE)

    @property
    def control(self) -> Control:
        """The common ``control`` tree as it stands in the nodes."""
        return self._tuner.controls.common

    @property
    def controls(self) -> Controls:
        """All trees as they stand in the nodes."""
        return self._tuner.controls

    @property
    def simulated(self) -> bool:
        """Whether there is a simulator that can be paused, reset, sped up, and whose robots can be placed."""
        return self._tuner.alive(SIMULATOR)

    def hear(self, name: str, process: str) -> None:
        """A node has said that it is alive."""
        self._tuner.hear(name, process)

    def poll(self) -> None:
        """Carry on with what is under way; to be called often."""
        self._services.poll()

    def fulfil(self, command: Command, answer: Answer) -> None:
        """Do what was asked; ``InputError`` when it cannot be."""
        said = command.fields
        if command.type in ("pause", "step", "reset", "speed", "place") and not self.simulated:
            raise InputError(command.type, "the robots are not in the embedded simulator, which alone can do this")
        match command.type:
            case "stop":
                self._stop(said, answer)
            case "pause":
                self._switch("pause", said["on"], answer)
            case "reset" | "step":
                self._trigger(command.type, answer)
            case "speed":
                self._set_speed(said["value"], answer)
            case "set":
                self._tuner.set(said["changes"], answer)
            case "save":
                self._save(said["names"], answer)
            case "goal":
                self._move_goal(said, answer)
            case "place":
                self._put(said, answer)

    def _stop(self, said: dict[str, Any], answer: Answer) -> None:
        """Stop the swarm, or let go of the stops that the operator has ``seen``; answered when every robot is known to obey."""
        record = self._stops.stop() if said["on"] else self._stops.release(StopRecord.from_text(said["seen"]))

        def confirmed(future: Any) -> None:
            done, text = self._stops.outcome(record, said["on"])
            answer(done, text if done else f"NOT DONE: {text}")

        self._stops.wait(record).add_done_callback(confirmed)

    def _switch(self, service: str, on: bool, answer: Answer) -> None:
        def answered(response: Any) -> None:
            if response is None:
                answer(False, f"NOT DONE: /swarm/{service} does not answer")
            else:
                answer(response.success, response.message)

        self._services.call(SetBool, f"/swarm/{service}", SetBool.Request(data=on), answered)

    def _trigger(self, service: str, answer: Answer) -> None:
        def answered(response: Any) -> None:
            if response is None:
                answer(False, f"/swarm/{service} does not answer")
            else:
                answer(response.success, response.message)

        self._services.call(Trigger, f"/swarm/{service}", Trigger.Request(), answered, once=service == "step")

    def _set_speed(self, speed: float, answer: Answer) -> None:
        def answered(response: Any) -> None:
            if response is None:
                answer(False, "the simulator does not answer")
            else:
                answer(response.result.successful, response.result.reason)

        request = SetParametersAtomically.Request(parameters=[Parameter("speed", value=float(speed)).to_parameter_msg()])
        self._services.call(SetParametersAtomically, f"{SIMULATOR}/set_parameters_atomically", request, answered, key="speed")

    def _save(self, names: list[str], answer: Answer) -> None:
        known = {name: value for name, _, value in self.controls.flatten()}
        unknown = [name for name in names if name not in known]
        if unknown or not names:
            raise InputError("save", f"{', '.join(unknown) or 'nothing'} found, expected names of parameters")
        in_file = controls_of(load(str(self._file)).scenario, str(self._file))
        save(self._file, in_file.needed({name: known[name] for name in names}))
        answer(True, f"{len(names)} {'parameter' if len(names) == 1 else 'parameters'} saved to {self._file}")

    def _move_goal(self, said: dict[str, Any], answer: Answer) -> None:
        """Where nobody can be nobody is sent."""
        wrong = no_place(self._grid(), (said["x"], said["y"]), bool(in_formation(self._node.flocks, self.controls)))
        if wrong:
            raise InputError("goal", f"{wrong}, expected free floor")
        self._goal.publish(self._pose(topics.FRAME, said))
        answer(True, "")

    def _put(self, said: dict[str, Any], answer: Answer) -> None:
        names = self._node.setup.fleet.names
        if not 0 <= said["robot"] < len(names):
            raise InputError("place", f"robot {said['robot']} found, expected a number from 0 to {len(names) - 1}")
        self._place.publish(self._pose(topics.robot_name(names[said["robot"]]), said))
        answer(True, "")

    def _pose(self, frame: str, said: dict[str, Any]) -> PoseStamped:
        message, half = PoseStamped(), 0.5 * math.remainder(said["yaw"] or 0.0, math.tau)
        message.header.frame_id, message.header.stamp = frame, self._node.get_clock().now().to_msg()
        message.pose.position.x, message.pose.position.y = float(said["x"]), float(said["y"])
        message.pose.orientation.z, message.pose.orientation.w = math.sin(half), math.cos(half)
        return message
