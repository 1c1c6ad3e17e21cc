"""Three robots that keep a formation by themselves on a bad network, and what is seen of them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from swarm_control.analysis.experiments.flight import Seed
from swarm_control.core.geometry import Array, norm
from swarm_control.formation.fit import Fit, fit
from swarm_control.ros.graph.plan import plan
from swarm_control.ros.graph.spec import NodeSpec
from swarm_control.scenario.setup import Setup

from .radio import Air, FloorState, Programs, Radio

SCENARIO: dict[str, Any] = {
    "description": "Three robots go to and fro in a triangle, each with all its nodes on board",
    "duration": 600,
    "robots": [{
        "count": 3, "model": "differential", "radius": 0.1, "wheel_base": 0.15, "max_speed": 0.3, "max_acceleration": 1.5,
        "max_turn_rate": 2.4,
        "start": {"pattern": "poses", "poses": [[0.3464, 0, 0], [-0.1732, 0.3, 0], [-0.1732, -0.3, 0]]},
    }],
    "control": {
        "period": 0.1,
        "formation": {"enabled": True, "shape": "circle", "spacing": 0.6, "repeat": 100},
        "separation_filter": {"enabled": True, "margin": 0.05},
        "safety": {"command_timeout": 0.25},
    },
    "goals": [{"position": [0.6, 0.0], "time": 6.0}, {"position": [0.0, 0.0], "time": 6.0}],
}  # fmt: skip
"""Goals are on a timetable: robots whose odometry is late need not agree on who has arrived."""

ROBOTS = ("robot_0", "robot_1", "robot_2")


def radio(folder: Path, air: Air, source: str, seed: Seed) -> Radio:
    """The swarm on four machines: the floor with the director, and each robot with its four nodes. Its scenario is put in ``folder``.

    ``source``: whether robots hear ``swarm_state`` or each ``odom``.
    """
    file = folder / "onboard.yaml"
    file.write_text(yaml.safe_dump({**SCENARIO, "seed": int(seed)}))
    machines: list[Programs] = [{} for _ in range(len(ROBOTS) + 1)]
    for spec in processes(file, source):
        robot = spec.namespace.strip("/")
        machines[ROBOTS.index(robot) + 1 if robot in ROBOTS else 0][spec.full_name] = spec
    return Radio(machines, air, str(file), seed)


def processes(file: Path, source: str) -> list[NodeSpec]:
    """The nodes of the plan."""
    specs = plan(str(file), formation=True, onboard=ROBOTS, wait=30.0)
    told = {"source": source}
    return [replace(spec, parameters={**spec.parameters, **told}) if "source" in spec.parameters else spec for spec in specs]


def formation_error(states: list[FloorState], setup: Setup) -> Array:
    """Mean distance (T,) m of the robots from the triangle fitted to them."""
    points = setup.start.position - setup.start.position.mean(axis=0)
    pose, found = np.zeros(3), []
    for state in states:
        fitted = fit(points, state.pose[:, :2], np.ones(len(points)), pose, Fit())
        pose = fitted.pose
        found.append(float(np.mean(fitted.distance)))
    return np.array(found)


def stopping_time(states: list[FloorState], robot: int, cut: float) -> float:
    """How long (s) after ``cut`` (s, wall time) the robot has come to rest for good; NaN when it has not."""
    moving = [state.wall for state in states if norm(state.velocity[robot, :2]) > 0.005]
    if moving and moving[-1] == states[-1].wall:
        return float("nan")
    return max([wall for wall in moving if wall > cut], default=cut) - cut
