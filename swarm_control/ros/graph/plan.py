"""The node plan: which processes make up a running swarm. ``swarm run`` and ``launch/swarm.launch.py`` both read it.

Nothing here needs ROS, so that a plan can be made, shown and tested anywhere.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from swarm_control.ros.graph.composition import DECIDING, together
from swarm_control.ros.graph.real_names import RealTopics, renamed
from swarm_control.ros.graph.spec import HOSTED, NodeSpec, root_of
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.setup import Setup
from swarm_control.world.names import bridge_of

SIMULATORS = ("embedded", "mujoco", "stage", "gazebo", "none")
EXTERNAL = ("stage", "gazebo")
"""Simulators that are other programs, with a clock of their own."""

MAPPING = ("embedded", "mujoco")
"""Simulators that publish the map themselves."""

PATIENT = "safety.command_timeout=5"
"""The floor's time may be much slower than the wheel driver's, which is real time."""

WATCHDOG = 0.5
"""Robots in Stage stop when their last command is older than this, s of simulated time."""

GUARDED = {"guarded": True}
"""Parameter of nodes that go by the guard."""

GUARDS: dict[str, dict[str, Any]] = {"guard": {}, "standby": {"grants": False}}
"""The two guards in a namespace, and their parameters."""

SHARED = ("goals", "sent_goals", "mission", "swarm_state", "status", "structure/cmd_vel", "structure/path", "structure/word")
"""Relative topics that onboard nodes share with the hosted ones."""


def plan(
    scenario: str, overrides: Sequence[str] = (), simulator: str = "embedded", *, speed: float = 1.0, wait: float = 60.0,
    onboard: Sequence[str] = (), formation: bool = False, watchers: int = 0, drivers: Sequence[str] = (),
    world: Path | None = None, window: bool | None = None, dashboard: Mapping[str, Any] | None = None, record: str = "",
    markers: bool = False, aggregate: bool = False, film: str = "", namespace: str = "", topics: RealTopics | None = None,
) -> tuple[NodeSpec, ...]:  # fmt: skip
    """Return the processes for a ``scenario`` (name or path) with ``overrides`` (``PATH=VALUE``).

    With the ``embedded`` simulator all runs on simulated time at ``speed``, and its ``swarm_state`` is listened to; it waits at most
    ``wait`` (s) for all robots' first commands. With ``stage``, ``gazebo`` and ``none`` (real robots) the robots' own ``odom`` is;
    Gazebo and Stage bring a clock of their own. With ``mujoco`` the node floor stands for a lab floor: its robots are driven and seen by
    ``drivers`` alone, to which ``overrides`` tell where robots and camera are.

    ``onboard``: names of robots, in the order of the fleet, that each run neighbourhood, behaviours and motion model in their own
    namespace, in one process. ``formation``: whether the scenario has one at any time, as ``forms`` tells; virtual_structure runs then.
    ``watchers``: how many others must hear the simulator from its first state on; time starts when they, and the nodes, are there.
    ``drivers``: what real robots need, see :func:`drives`; they run with ``none`` and ``mujoco`` only, wheel_driver with the robots'
    other nodes.
    ``world``: the file that ``swarm export`` wrote for Stage or Gazebo, which are then started with it, see :func:`external`; None:
    they are started elsewhere. ``window``: whether they, or MuJoCo in the simulator, open one. ``film``: file for the simulator's film.
    ``dashboard``: parameters of the dashboard (``host``, ``port``, ``token``); None: there is none. ``record``: the MCAP file of a
    recorder; none runs without. ``markers``: whether the swarm is shown to RViz and Foxglove. ``aggregate``: where robots' own ``odom`` is
    listened to, one node does so for all, and the others hear its ``swarm_state``. ``namespace``: below which all names of the swarm
    are, so that several can be in one graph. ``topics``: what those of real robots are called; None: as always.
    """
    if simulator not in SIMULATORS:
        raise ValueError(f"{simulator!r} found, expected one of {', '.join(SIMULATORS)}")
    words = ["--scenario", str(scenario), *(word for change in overrides for word in ("--set", change))]
    aggregate &= simulator != "embedded"
    common = {"use_sim_time": simulator != "none", "source": "swarm_state" if simulator == "embedded" or aggregate else "odom"}
    found = _controlling(words, onboard, common, formation, gathered=simulator == "embedded" and not onboard)
    if simulator in ("none", "mujoco"):
        found += _driving(drivers, words, onboard, floor=simulator == "mujoco")
    director = {**common, "onboard": True} if onboard else common
    maps = {} if simulator in MAPPING else {"map": True}
    found += [NodeSpec("director", "director", HOSTED, tuple(words), {**director, **GUARDED, **maps}), *_guards(onboard)]
    if aggregate:
        found.append(NodeSpec("aggregator", "aggregator", HOSTED, tuple(words), {"use_sim_time": simulator != "none"}))
    seen = {"dashboard": dashboard, "markers": {} if markers else None, "recorder": {"file": record} if record else None}
    base = {"dashboard": director, "markers": director, "recorder": common}
    found += [NodeSpec(kind, kind, HOSTED, tuple(words), {**base[kind], **own}) for kind, own in seen.items() if own is not None]
    if world is not None:
        found += external(simulator, world, window)
    options: dict[str, Any] = {"speed": float(speed), "wait": float(wait)}
    if simulator == "embedded":
        options |= {name: value for name, value in (("window", window), ("film", film)) if value}
        found.append(_embedded(found, words, options, watchers))
    if simulator == "mujoco":
        found.append(_floor(found, words, options))
    return together([replace(renamed(spec, topics), root=root_of(namespace)) for spec in found])


def _embedded(others: Sequence[NodeSpec], words: Sequence[str], options: Mapping[str, Any], watchers: int) -> NodeSpec:
    """The embedded simulator with its ``options``; with ``watchers`` it waits until they and the ``others`` listen."""
    hearing = sum("source" in spec.parameters and spec.executable != "behaviours" for spec in others)
    listeners = {"listeners": watchers + hearing} if watchers else {}
    return NodeSpec("simulator", "simulator", HOSTED, tuple(words), {**options, **listeners})


def _floor(others: Sequence[NodeSpec], words: Sequence[str], options: Mapping[str, Any]) -> NodeSpec:
    """The stand-in for a lab floor with its ``options``; it waits until those of the ``others`` listen that follow the robots."""
    listeners = sum("source" in spec.parameters and spec.executable not in ("behaviours", "recorder") for spec in others)
    return NodeSpec("floor", "floor", HOSTED, tuple(words), {**options, "listeners": listeners})


def _controlling(
    words: Sequence[str], onboard: Sequence[str], common: dict[str, Any], formation: bool, gathered: bool
) -> list[NodeSpec]:  # fmt: skip
    """The nodes that decide how robots move: hosted, or for each of those ``onboard``; ``gathered``: the simulator hears all at once."""
    more = {"motion_model": GUARDED | ({"gathered": True} if gathered else {})}
    return [
        NodeSpec(
            kind, kind, namespace, (*words, *robots), common | more.get(kind, {}), tuple((name, f"{HOSTED}/{name}") for name in shared)
        )
        for namespace, robots, shared in _places(onboard)
        for kind in DECIDING
        if formation or kind != "virtual_structure"
    ]


def _guards(onboard: Sequence[str]) -> list[NodeSpec]:
    """Two beside every motion_model, of which one stands by, and two on the base's computer, where alone robots are let go unasked."""
    robots = [
        NodeSpec("guard", name, namespace, (), {"base": False, **duty}, _status())
        for namespace, _, _ in (_places(onboard) if onboard else ())
        for name, duty in GUARDS.items()
    ]
    return [*robots, *(NodeSpec("guard", name, HOSTED, (), duty) for name, duty in GUARDS.items())]


def _status() -> tuple[tuple[str, str], ...]:
    return (("status", f"{HOSTED}/status"),)


def _driving(drivers: Sequence[str], words: Sequence[str], onboard: Sequence[str], floor: bool) -> list[NodeSpec]:
    """The nodes that stand between ROS and the robots; ``floor``: those of MuJoCo's, whose time is simulated."""
    found = []
    for driver in drivers:
        patient = ("--set", PATIENT) if floor and driver == "wheel_driver" else ()
        clock = {"use_sim_time": True} if floor else {}
        for namespace, robots, shared in _places(onboard if driver == "wheel_driver" else ()):
            remapped = tuple((name, f"{HOSTED}/{name}") for name in shared)
            found.append(NodeSpec(driver, driver, namespace, (*words, *patient, *robots), clock, remapped))
    return found


def external(simulator: str, world: Path, window: bool | None = None) -> list[NodeSpec]:
    """The processes of Stage or Gazebo themselves, on an exported ``world``; none for other simulators.

    ``window``: by default Stage opens one, since without it stage_ros2 runs as fast as it can and not in real time; Gazebo does not.
    """
    if simulator == "stage":
        parameters = {
            "world_file": str(world), "enforce_prefixes": True, "one_tf_tree": False, "frame_id_odom": "map",
            "enable_gui": window is not False, "base_watchdog_timeout": WATCHDOG,
        }  # fmt: skip
        return [NodeSpec("stage_ros2", "stage", "/", (), parameters, package="stage_ros2")]
    if simulator == "gazebo":
        server = NodeSpec("gz", "gazebo", "/", ("sim", "-r", *([] if window else ["-s"]), str(world)), package="")
        config = {"config_file": str(bridge_of(world))}
        return [server, NodeSpec("parameter_bridge", "bridge", "/", (), config, package="ros_gz_bridge")]
    return []


def missing(specs: Sequence[NodeSpec]) -> list[NodeSpec]:
    """Those whose programs are not on this machine."""
    return [spec for spec in specs if spec.program() is None]


def drives(scenario: Scenario) -> tuple[str, ...]:
    """The nodes that stand between ROS and the scenario's hardware."""
    hardware = scenario.hardware
    return (*(["wheel_driver"] if hardware.wheels.link else []), *(["tracker"] if hardware.tracker.source != "none" else []))


def connected(loaded: Loaded, setup: Setup, changes: Sequence[str], simulator: str) -> tuple[Sequence[str], tuple[str, ...]]:
    """``changes`` to a scenario, with those by which its drivers find the robots and the camera, and the drivers.

    The floor of MuJoCo has an address of its own on this machine, so that several can be run at once.
    """
    if simulator != "mujoco":
        return changes, drives(loaded.scenario)
    from swarm_control.sim.floor.floor import wiring

    high, low = divmod(os.getpid(), 250)
    host = f"127.{1 + high // 250 % 250}.{1 + high % 250}.{1 + low}"
    return [*changes, *wiring(loaded.scenario, setup, host)], ("wheel_driver", "tracker")


def _places(onboard: Sequence[str]) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Namespace, own arguments and shared topics of each group of nodes that serve robots."""
    if not onboard:
        return [(HOSTED, (), ())]
    return [(f"/{name}", ("--robots", str(k)), SHARED) for k, name in enumerate(onboard)]
