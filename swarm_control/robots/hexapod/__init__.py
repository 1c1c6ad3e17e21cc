"""Walking insects: speed forward and turn rate, as of a differential drive whose wheels are the feet of the left and the right.

``Fleet.wheel_base`` is the distance between them. Insects take up a change of their command within 0.05 s
(``swarm experiment hexapod_command``), but a step takes a tenth of a second.
"""

from dataclasses import dataclass
from typing import Any

from swarm_control.core.motion import Motion
from swarm_control.core.parameters import param
from swarm_control.core.robot import MujocoBody, RobotModel, Stopping, register_robot
from swarm_control.robots.differential import control_point, lead, limit, predict, steer_to, top_rate, twist
from swarm_control.robots.hexapod.body_parameters import Hexapod

REACTION = 0.1
"""A step, s: insects brake within 0.05 s, but their velocity swings with their steps."""


@dataclass(frozen=True)
class HexapodMotion:
    """How a walking insect answers (:mod:`swarm_control.robots.hexapod`)."""

    response: float = param(
        0.15, "for how long a request is acted on: its velocity swings with its steps and says little over less", unit="s",
        low=0.01, high=10.0,
    )  # fmt: skip


def gains(params: Motion, period: float) -> tuple[float, float, float]:
    """Position gain (1/s²), velocity gain (1/s) and horizon (s): over the time of a response, half of either error is made good."""
    time = params.hexapod.response
    return 0.5 / time**2, 0.5 / time, time


def response(params: Motion, period: float) -> float:
    """For how long (s) a requested acceleration is acted on."""
    return max(params.hexapod.response, period)


def make(*arguments: Any) -> Any:
    """The robots in MuJoCo."""
    from swarm_control.robots.hexapod.mujoco import Hexapods

    return Hexapods(*arguments)


register_robot(
    RobotModel(
        name="hexapod", help="Walking insect: speed forward and turn rate, as of a differential drive whose wheels are its feet.",
        control_point=control_point, lead=lead, twist=twist, predict=predict, gains=gains, response=response, parameters=HexapodMotion,
        steer=steer_to, rolls=True, wheels=True, stopping=Stopping(limit, top_rate, REACTION),
        body=MujocoBody(Hexapod, make, stream=2, shard=3),
    )
)  # fmt: skip
