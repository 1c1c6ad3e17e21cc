"""Which engine moves a scenario's robots."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from swarm_control.core.geometry import Array
from swarm_control.errors import InputError
from swarm_control.robots import ROBOTS
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.objects import object_names
from swarm_control.scenario.setup import Setup
from swarm_control.sim.engine import BodyReadings, Engine
from swarm_control.sim.objects import Objects
from swarm_control.sim.planar import PlanarEngine

if TYPE_CHECKING:
    from swarm_control.sim.floor.loop import FloorLoop
    from swarm_control.sim.mujoco.film import Film, Window
    from swarm_control.sim.mujoco.herd import HerdEngine


def make_engine(loaded: Loaded, setup: Setup) -> "PlanarEngine | HerdEngine":
    """MuJoCo where there are robots whose dynamics matter, else the embedded engine."""
    scenario = loaded.scenario
    if not setup.fleet.dynamic:
        return PlanarEngine(setup.fleet, setup.start, setup.grid, scenario.simulator.dt, _objects(loaded, setup))
    if scenario.objects:
        expected = f"expected robots that MuJoCo does not move: none of {moved_by_mujoco()}"
        raise InputError(f"{loaded.source}: objects", f"objects beside {', '.join(sorted(set(setup.fleet.model)))} found, {expected}")
    from swarm_control.sim.mujoco.herd import HerdEngine

    return HerdEngine(
        setup.fleet, setup.start, setup.grid, scenario.simulator.dt, scenario.bodies, scenario.seed, loaded.source.parent
    )  # fmt: skip


def _objects(loaded: Loaded, setup: Setup) -> Objects | None:
    """The scenario's objects where it says, None for none; ``InputError`` for one that overlaps something."""
    given = loaded.scenario.objects
    if not given:
        return None
    objects = Objects(given, setup.fleet.radius, setup.grid)
    for k, name in enumerate(object_names(given)):
        if not objects.placed(k):
            where = f"{loaded.source}: objects[{k}]"
            raise InputError(where, f"{name} overlaps a wall or another object at the start, expected room between them")
    for robot, name in enumerate(setup.fleet.names):
        x, y, _ = setup.start.pose[robot]
        if not objects.free(x, y, setup.fleet.radius[robot]):
            raise InputError(f"{loaded.source}: objects", f"{name} overlaps one at the start, expected room between them")
    return objects


def poses_of_objects(engine: Engine) -> Array | None:
    """Where the objects are that an engine's robots push (K, 3): x, y (m), yaw (rad); None where there are none."""
    objects = getattr(engine, "objects", None)
    return None if objects is None else objects.pose


def make_floor(loaded: Loaded, setup: Setup) -> "FloorLoop":
    """A lab floor of R3s in MuJoCo: an engine, and odometry from its camera. ``InputError`` for other robots and without MuJoCo."""
    try:
        from swarm_control.sim.floor.loop import FloorLoop

        return FloorLoop(loaded.scenario, setup)
    except ImportError as error:
        raise InputError("--simulator mujoco", f"{error}; `pip install 'swarm_control[floor]'`") from None


def efforts(engine: Engine) -> dict[str, Any]:
    """``energy``: work that the robots' motors have done so far, J; ``touches`` of their bodies; None where they have none."""
    energy, bodies = getattr(engine, "energy", None), bodies_of(engine)
    return {"energy": None if energy is None else float(energy.sum()), "touches": None if bodies is None else bodies.touches}


def bodies_of(engine: Engine) -> BodyReadings | None:
    """What may be recorded of the robots' bodies; None of an engine in which they are discs."""
    return getattr(engine, "bodies", None)


def moved_by_mujoco() -> str:
    """The names of the robot models that MuJoCo moves, with commas between."""
    return ", ".join(name for name, model in ROBOTS.items() if model.body is not None)


def make_views(engine: Any, film: str | None, window: bool | None) -> "tuple[Film | Window, ...]":
    """What is to see of the engine's robots in 3D: to the file ``film``, in a ``window``; ``InputError`` where MuJoCo moves none."""
    if not film and not window:
        return ()
    if not hasattr(engine, "model"):
        expected = f"expected one of {moved_by_mujoco()}, or swarm simulate … --simulator mujoco"
        raise InputError("--film" if film else "--window", f"no robots found that MuJoCo moves, {expected}")
    from swarm_control.sim.mujoco.film import ELEVATION, Film, Window

    elevation = getattr(engine, "elevation", ELEVATION)
    return (*([Film(engine, Path(film), elevation)] if film else []), *([Window(engine)] if window else []))
