"""Moves swarms of mobile robots: flocking, formations, social potential fields and herds, on ROS 2 or in a fast simulation.

>>> import swarm_control as sc
>>> sim = sc.Simulation("migrate_boxes", robots=20, seed=3)
>>> sim.run(until="arrival").metrics()["collisions"]
0

The names below are the library's face. Each is loaded when it is first used: importing the package costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from swarm_control.analysis.experiments import experiment, register_experiment
    from swarm_control.analysis.metric import Measure, RunFacts, register_metric
    from swarm_control.analysis.metrics import METRICS
    from swarm_control.analysis.rl import ArrayEnv
    from swarm_control.analysis.rl.pettingzoo_env import parallel_env
    from swarm_control.analysis.simulation import Simulation
    from swarm_control.analysis.sweep.sweep import sweep
    from swarm_control.analysis.tuning.objective_function import OBJECTIVES, register_objective
    from swarm_control.behaviours import BEHAVIOURS
    from swarm_control.core.behaviour import register_behaviour
    from swarm_control.core.grid import Grid
    from swarm_control.core.parameters import param
    from swarm_control.core.robot import RobotModel, register_robot
    from swarm_control.core.state import Fleet, Neighbourhoods, Surroundings, SwarmState
    from swarm_control.errors import Failed, InputError
    from swarm_control.robots import ROBOTS
    from swarm_control.runtime.controller import Controller
    from swarm_control.runtime.external_request import ExternalRequest
    from swarm_control.scenario.loader import load
    from swarm_control.scenario.schema import Control, Goal, Group, RobotGroup, Scenario, Start
    from swarm_control.sim.plant import Plant

_FACE = {
    "analysis.experiments": ("experiment", "register_experiment"),
    "analysis.metric": ("Measure", "RunFacts", "register_metric"),
    "analysis.metrics": ("METRICS",),
    "analysis.rl": ("ArrayEnv",),
    "analysis.rl.pettingzoo_env": ("parallel_env",),
    "analysis.simulation": ("Simulation",),
    "analysis.sweep.sweep": ("sweep",),
    "analysis.tuning.objective_function": ("OBJECTIVES", "register_objective"),
    "behaviours": ("BEHAVIOURS",),
    "core.behaviour": ("register_behaviour",),
    "core.grid": ("Grid",),
    "core.parameters": ("param",),
    "core.robot": ("RobotModel", "register_robot"),
    "core.state": ("Fleet", "Neighbourhoods", "Surroundings", "SwarmState"),
    "errors": ("Failed", "InputError"),
    "robots": ("ROBOTS",),
    "runtime.controller": ("Controller",),
    "runtime.external_request": ("ExternalRequest",),
    "scenario.loader": ("load",),
    "scenario.schema": ("Control", "Goal", "Group", "RobotGroup", "Scenario", "Start"),
    "sim.plant": ("Plant",),
}
"""Module → names that it gives to the face."""

__all__ = [
    "BEHAVIOURS", "METRICS", "OBJECTIVES", "ROBOTS", "ArrayEnv", "Control", "Controller", "ExternalRequest", "Failed", "Fleet", "Goal",
    "Grid", "Group", "InputError", "Measure", "Neighbourhoods", "Plant", "RobotGroup", "RobotModel", "RunFacts", "Scenario", "Simulation",
    "Start", "Surroundings", "SwarmState", "__version__", "experiment", "load", "parallel_env", "param", "register_behaviour",
    "register_experiment", "register_metric", "register_objective", "register_robot", "sweep",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for module, names in _FACE.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
