"""Which engine moves a scenario's robots."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from swarm_control.errors import InputError
from swarm_control.robots import ROBOTS
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.setup import Setup
from swarm_control.sim.engine import Engine
from swarm_control.sim.planar import PlanarEngine

if TYPE_CHECKING:
    from swarm_control.sim.mujoco.film import Film, Window
    from swarm_control.sim.mujoco.herd import HerdEngine


def make_engine(loaded: Loaded, setup: Setup) -> "PlanarEngine | HerdEngine":
    """MuJoCo where there are robots whose dynamics matter, else the embedded engine."""
    scenario = loaded.scenario
    if not setup.fleet.dynamic:
        return PlanarEngine(setup.fleet, setup.start, setup.grid, scenario.simulator.dt)
    from swarm_control.sim.mujoco.herd import HerdEngine

    return HerdEngine(
        setup.fleet, setup.start, setup.grid, scenario.simulator.dt, scenario.bodies, scenario.seed, loaded.source.parent
    )  # fmt: skip


def energy_of(engine: Engine) -> float | None:
    """Work that the robots' motors have done so far, J; None where the engine has no motors."""
    energy = getattr(engine, "energy", None)
    return None if energy is None else float(energy.sum())


def moved_by_mujoco() -> str:
    """The names of the robot models that MuJoCo moves, with commas between."""
    return ", ".join(name for name, model in ROBOTS.items() if model.body is not None)


def make_views(engine: Any, film: str | None, window: bool | None) -> "tuple[Film | Window, ...]":
    """What is to see of the engine's robots in 3D: to the file ``film``, in a ``window``; ``InputError`` where MuJoCo moves none."""
    if not film and not window:
        return ()
    if not hasattr(engine, "model"):
        raise InputError("--film" if film else "--window", f"no robots found that MuJoCo moves, expected one of {moved_by_mujoco()}")
    from swarm_control.sim.mujoco.film import Film, Window

    return (*([Film(engine, Path(film))] if film else []), *([Window(engine)] if window else []))
