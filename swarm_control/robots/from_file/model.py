"""A robot model made of a description: registered under its name, it is like any other."""

import zlib
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from swarm_control.core.motion import Motion
from swarm_control.core.robot import ROBOTS, MujocoBody, RobotModel, Stopping
from swarm_control.robots.from_file.controllers import CONTROLLERS
from swarm_control.robots.from_file.parameters import Ability, Described

UNKNOWN = Ability(max_speed=0.3, max_acceleration=0.5, max_turn_rate=0.5, reaction=0.5, braking=0.3)
"""What robots are held to be able to do that nobody has looked at."""

STEADY = 0.5
"""Least step that gains in a group are made for, s: quicker robots would swing about their places."""


def digest(described: Described) -> str:
    """What ``ability`` holds for: a short digest of everything else."""
    plain = {key: value for key, value in asdict(described).items() if key not in ("ability", "description")}
    for name in CONTROLLERS.keys() - {described.controller}:
        plain.pop(name, None)
    for key in ("mjcf", "urdf"):
        plain[key] = plain[key].rpartition("/")[2]
    return f"{zlib.crc32(repr(sorted(plain.items())).encode()):08x}"


def ability_of(described: Described) -> Ability:
    """What the robot can do: as found or said, and little where neither is."""
    return Ability(**{key: value or getattr(UNKNOWN, key) for key, value in asdict(described.ability).items()})


def drive_of(described: Described, n: int, where: str) -> tuple[Any, Any]:
    """The machine, and the controller of ``n`` such robots. ``InputError`` at ``where`` says what is wrong with the description."""
    from swarm_control.robots.from_file.machine import Machine
    from swarm_control.robots.from_file.source import resolve

    path = resolve(described.urdf or described.mjcf, Path(), where)
    machine = Machine(path, described.base, described.posture, where)
    return machine, CONTROLLERS[described.controller].make(machine, getattr(described, described.controller), n)


def register(name: str, described: Described, where: str) -> RobotModel:
    """Register the robot under its ``name``, in place of what a description has had it before. ``where``: for errors.

    ``ValueError`` where a model that comes from no file has the name.
    """
    model = _model(name, described, where)
    if name in ROBOTS and name in _DESCRIBED:
        if _DESCRIBED[name] == described:
            return ROBOTS[name]
        forget(name)
    ROBOTS.add(model)
    _DESCRIBED[name] = described
    return model


def forget(name: str) -> None:
    """Forget a robot that :func:`register` has registered."""
    ROBOTS.remove(name)
    del _DESCRIBED[name]


_DESCRIBED: dict[str, Described] = {}


def _model(name: str, described: Described, where: str) -> RobotModel:
    able, controller = ability_of(described), CONTROLLERS[described.controller]
    like = ROBOTS[controller.moves(getattr(described, described.controller))]
    assert like.stopping is not None

    def make(names: Any, pose: Any, velocity: Any, radius: Any, bodies: Any, rng: Any) -> Any:
        from swarm_control.robots.from_file.kind import FileRobots

        machine, drive = drive_of(described, len(names), where)
        return FileRobots(machine, drive, described.sensors, (described.step, described.period), names, pose, rng)

    def gains(params: Motion, period: float) -> tuple[float, float, float]:
        """As a robot's that answers in steps (Brogan & Hodgins 1997, equation 14): a step is the reaction, or STEADY."""
        step = max(able.reaction, STEADY, period)
        return 0.5 / (0.75 * step * step), 0.5 / step, step

    def response(params: Motion, period: float) -> float:
        return max(able.reaction, period)

    return replace(
        like, name=name, help=described.description or f"{controller.help} From a file.", naive_steer=None, parameters=None, actuate=None,
        stage=None, gazebo="", gains=gains, response=response,
        stopping=Stopping(like.stopping.limit, like.stopping.top_rate, able.reaction, able.braking or able.max_acceleration),
        body=MujocoBody(None, make, stream=1000 + zlib.crc32(name.encode())),
    )  # fmt: skip
