"""What the launch files share: their arguments, and the actions by which ``ros2 launch`` starts the processes of a plan."""

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from launch.actions import DeclareLaunchArgument, ExecuteProcess, LogInfo, OpaqueFunction, RegisterEventHandler, Shutdown
from launch.event_handlers import OnShutdown
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.some_substitutions_type import SomeSubstitutionsType
from launch.substitutions import LaunchConfiguration
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions
from launch_ros.actions import Node

from launch import Event, LaunchContext, LaunchDescription  # type: ignore[attr-defined]  # the folder of this name is found first
from swarm_control import paths
from swarm_control.errors import InputError
from swarm_control.ros.graph.parts import ALL, check_part, part
from swarm_control.ros.graph.plan import EXTERNAL, SIMULATORS, connected, missing, plan
from swarm_control.ros.graph.real_names import topics_of
from swarm_control.ros.graph.spec import PARENT, SESSION, TETHER, NodeSpec, root_of
from swarm_control.ros.support.session import Session
from swarm_control.scenario.consistency import contradictions_of
from swarm_control.scenario.groups import controls_of, forms
from swarm_control.scenario.loader import Loaded, load
from swarm_control.scenario.setup import Setup, prepare
from swarm_control.world.names import robot_names

Export = Callable[[Loaded, Setup, Path, str, float], tuple[list[Path], list[str]]]
"""Writes a scenario's world into a folder for a simulator, at a speed; returns its files, the world's first, and lines for the user."""

YES_OR_NO = ["true", "false"]
ARGUMENTS = {
    "scenario": ("migrate_boxes", "name or YAML file of the scenario", None),
    "simulator": ("embedded", "what moves the robots", list(SIMULATORS)),
    "robots": ("", "number of robots; empty: as the scenario says", None),
    "seed": ("", "seed of every random number; empty: as the scenario says", None),
    "set": ("", "changes of the scenario, PATH=VALUE, with semicolons between", None),
    "speed": ("1.0", "simulated seconds per second", None),
    "window": ("", "whether Stage, Gazebo or MuJoCo shows its window; empty: Stage does", ["", *YES_OR_NO]),
    "onboard": ("false", "whether each robot decides by nodes of its own, in its namespace", YES_OR_NO),
    "part": (ALL, "all, base: the operator's nodes, simulation: what stands for robots, or the name of a robot that is onboard", None),
    "aggregate": ("false", "whether one node hears all odometry and tells everybody, where robots publish it themselves", YES_OR_NO),
    "namespace": ("", "namespace of the swarm, for several in one graph; below those that this file is included in", None),
    "dashboard": ("false", "whether a web page shows the swarm, at http://127.0.0.1:8765/", YES_OR_NO),
    "rviz": ("false", "whether to show the swarm in RViz", YES_OR_NO),
    "record": ("", "MCAP file to record all messages in; empty: none", None),
    "params_file": ("", "YAML file of ROS parameters that the nodes begin with; empty: as the scenario says", None),
    "use_sim_time": ("", "whether nodes go by /clock; empty: if there is a simulator", ["", *YES_OR_NO]),
    "autostart": ("true", "whether nodes go to work by themselves, or wait for a lifecycle manager", YES_OR_NO),
    "respawn": ("true", "whether nodes that die are started again", YES_OR_NO),
    "log_level": ("", "least severity of what nodes log; empty: info", ["", "debug", "info", "warn", "error", "fatal"]),
    "out": ("", "folder for the world that is exported for Stage or Gazebo; empty: a temporary one", None),
}
"""Default, help and choices of each argument."""

COMMON = ("scenario", "simulator", "robots", "seed", "set", "namespace", "params_file", "use_sim_time", "autostart", "respawn", "log_level")
"""Arguments of every launch file."""

PROMPT = {"sigterm_timeout": "0.3", "sigkill_timeout": "0.5"}
"""Time (s) from Ctrl-C until a node that has not ended is told to by SIGTERM, and from then until it is killed. launch gives five each."""


def describe(
    arguments: Sequence[str] = tuple(ARGUMENTS), *, export: Export | None = None, **own: SomeSubstitutionsType
) -> LaunchDescription:  # fmt: skip
    """Declare these arguments, and leave the rest until they are known.

    ``export`` writes the world for Stage or Gazebo; None: they are started elsewhere. ``own``: defaults of a file, and values of what it
    does not declare.
    """
    known = {name: own.get(name, default) for name, (default, _, _) in ARGUMENTS.items()}
    declared = [
        DeclareLaunchArgument(name, default_value=known[name], description=ARGUMENTS[name][1], choices=ARGUMENTS[name][2])
        for name in arguments
    ]  # fmt: skip
    others = {name: value for name, value in known.items() if name not in arguments}
    return LaunchDescription([*declared, OpaqueFunction(function=start, kwargs={"others": others, "export": export})])


def start(context: LaunchContext, others: dict[str, SomeSubstitutionsType], export: Export | None) -> list[LaunchDescriptionEntity]:
    """The actions for the arguments given: one process for each node of the plan, started again when it dies."""
    values = {name: normalize_to_list_of_substitutions(others.get(name, LaunchConfiguration(name))) for name in ARGUMENTS}
    given = {name: perform_substitutions(context, value) for name, value in values.items()}
    changes = [change.strip() for change in given["set"].split(";") if change.strip()]
    changes += [f"{name}={given[name]}" for name in ("robots", "seed") if given[name]]
    try:
        root = root_of("/".join((context.launch_configurations.get("ros_namespace", ""), given["namespace"])))
        check_part(given["part"], given["simulator"], root)
        loaded = load(given["scenario"], changes)
        setup = prepare(loaded.scenario, loaded.source)
        world, lines = _exported(loaded, setup, given, export)
        specs = (*part(_planned(loaded, setup, changes, given, world, root), given["part"]), *_viewer(given))
    except InputError as error:
        raise RuntimeError(str(error)) from None
    lines += [f"warning: {text}" for text in contradictions_of(controls_of(loaded.scenario, str(loaded.source)))]
    if given["params_file"] and not Path(given["params_file"]).is_file():
        raise RuntimeError(f"params_file: {given['params_file']} found, expected a YAML file")
    absent = [f"{spec.package or 'PATH'}/{spec.executable}" for spec in missing(specs)]
    if absent:
        raise RuntimeError(f"{', '.join(absent)} not found, expected to be installed; nothing has been started")
    session = Session.new()

    def end(event: Event, context: LaunchContext) -> None:
        session.end_members("Tt")  # who is held still hears no signal
        session.end()

    ending = RegisterEventHandler(OnShutdown(on_shutdown=end))
    return [*(LogInfo(msg=line) for line in lines), ending, *(_action(spec, session, given) for spec in specs)]


def _planned(
    loaded: Loaded, setup: Setup, changes: Sequence[str], given: dict[str, str], world: Path | None, root: str
) -> tuple[NodeSpec, ...]:  # fmt: skip
    """The plan for the arguments given."""
    wired, drivers = connected(loaded, setup, changes, given["simulator"])
    return plan(
        str(loaded.source), wired, given["simulator"], speed=float(given["speed"]), formation=forms(loaded.scenario),
        drivers=drivers, world=world, window={"": None, "true": True, "false": False}[given["window"]],
        onboard=robot_names(setup.fleet.names) if given["onboard"] == "true" else (), namespace=root,
        aggregate=given["aggregate"] == "true", topics=topics_of(loaded, setup, given["simulator"]),
        markers=given["rviz"] == "true", record=given["record"], dashboard={} if given["dashboard"] == "true" else None,
    )  # fmt: skip


def _viewer(given: dict[str, str]) -> list[NodeSpec]:
    """RViz with the package's view, if it is wanted."""
    view = str(paths.share() / "config" / "rviz" / "swarm.rviz")
    return [NodeSpec("rviz2", "rviz2", "/", ("-d", view), package="rviz2")] if given["rviz"] == "true" else []


def _exported(loaded: Loaded, setup: Setup, given: dict[str, str], export: Export | None) -> tuple[Path | None, list[str]]:
    """Export the world for Stage or Gazebo; its file, or None, and lines for the user."""
    if export is None or given["simulator"] not in EXTERNAL:
        return None, []
    folder = Path(given["out"] or tempfile.mkdtemp(prefix="swarm_control_")).absolute()
    files, lines = export(loaded, setup, folder, given["simulator"], float(given["speed"]))
    return files[0], [*setup.notices, *lines, *(f"written: {path}" for path in files)]


def _action(spec: NodeSpec, session: Session, given: dict[str, str]) -> LaunchDescriptionEntity:
    """The launch action for one process of the plan, which ends with launch. Own nodes are started again when they die or hang; without a
    simulator all ends. A recorder gets the time that it needs to make its file whole.
    """
    told = {PARENT: str(os.getpid()), SESSION: str(session.path)}
    common: dict[str, Any] = {"output": "screen", "name": None if spec.nodes else spec.name, "additional_env": told}
    tether = [sys.executable, *TETHER]
    if spec.own:
        again = {"respawn": True, "respawn_delay": 0.1} if given["respawn"] == "true" else {}
        common |= {**again, **({} if spec.executable == "recorder" else PROMPT)}
    elif spec.package != "rviz2":
        common |= {"on_exit": Shutdown()}
    if not spec.package:
        return ExecuteProcess(cmd=[*tether, spec.executable, *spec.arguments], **common)
    if not spec.own:
        common |= {"prefix": " ".join(tether)}
    parameters: list[Any] = [spec.parameters] if spec.parameters else []
    if spec.own and given["use_sim_time"]:
        parameters.append({"use_sim_time": given["use_sim_time"] == "true"})
    if spec.own and given["autostart"] == "false":
        parameters.append({"autostart": False})
    if spec.own and given["params_file"]:
        parameters.append(given["params_file"])
    level = ["--log-level", given["log_level"]] if given["log_level"] else []
    return Node(
        package=spec.package, executable=spec.executable, namespace=spec.space, arguments=list(spec.arguments),
        parameters=parameters, remappings=list(spec.rules), ros_arguments=level, **common,
    )  # fmt: skip
