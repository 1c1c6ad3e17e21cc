"""Start a scenario's nodes: ``ros2 launch swarm_control swarm.launch.py scenario:=migrate_boxes simulator:=stage``."""

import os
import sys
import tempfile
from pathlib import Path

from launch.actions import DeclareLaunchArgument, ExecuteProcess, LogInfo, OpaqueFunction, RegisterEventHandler, Shutdown
from launch.event_handlers import OnShutdown
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import Event, LaunchContext, LaunchDescription
from swarm_control import paths
from swarm_control.cli.export import export, notices
from swarm_control.errors import InputError
from swarm_control.ros.graph.plan import EXTERNAL, SIMULATORS, connected, missing, plan
from swarm_control.ros.graph.spec import PARENT, SESSION, TETHER, NodeSpec, root_of
from swarm_control.ros.support.session import Session
from swarm_control.scenario.consistency import contradictions_of
from swarm_control.scenario.groups import controls_of, forms
from swarm_control.scenario.loader import Loaded, load
from swarm_control.scenario.setup import prepare

ARGUMENTS = {
    "scenario": ("migrate_boxes", "name or YAML file of the scenario", None),
    "simulator": ("embedded", "what moves the robots", list(SIMULATORS)),
    "robots": ("", "number of robots; empty: as the scenario says", None),
    "seed": ("", "seed of every random number; empty: as the scenario says", None),
    "set": ("", "changes of the scenario, PATH=VALUE, with semicolons between", None),
    "speed": ("1.0", "simulated seconds per second", None),
    "window": ("", "whether Stage, Gazebo or MuJoCo shows its window; empty: Stage does", ["", "true", "false"]),
    "dashboard": ("false", "whether a web page shows the swarm, at http://127.0.0.1:8765/", ["true", "false"]),
    "rviz": ("false", "whether to show the swarm in RViz", ["true", "false"]),
    "record": ("", "MCAP file to record all messages in; empty: none", None),
    "namespace": ("", "namespace of the swarm, so that several are in one graph; below those that this file is included in", None),
    "log_level": ("", "least severity of what nodes log; empty: info", ["", "debug", "info", "warn", "error", "fatal"]),
    "out": ("", "folder for the world that is exported for Stage or Gazebo; empty: a temporary one", None),
}

PROMPT = {"sigterm_timeout": "0.3", "sigkill_timeout": "0.5"}
"""Time (s) from Ctrl-C until a node that has not ended is told to by SIGTERM, and from then until it is killed. launch gives five each."""


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and leave the rest until they are known."""
    declared = [
        DeclareLaunchArgument(name, default_value=default, description=help, choices=choices)
        for name, (default, help, choices) in ARGUMENTS.items()
    ]  # fmt: skip
    return LaunchDescription([*declared, OpaqueFunction(function=start)])


def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """The actions for the arguments given: one process for each node of the plan, started again when it dies."""
    given = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    changes = [change.strip() for change in given["set"].split(";") if change.strip()]
    changes += [f"{name}={given[name]}" for name in ("robots", "seed") if given[name]]
    try:
        loaded = load(given["scenario"], changes)
        world, lines = prepared(loaded, given)
        root = root_of("/".join((context.launch_configurations.get("ros_namespace", ""), given["namespace"])))
        wired, drivers = connected(loaded, prepare(loaded.scenario, loaded.source), changes, given["simulator"])
    except InputError as error:
        raise RuntimeError(str(error)) from None
    lines += [f"warning: {text}" for text in contradictions_of(controls_of(loaded.scenario, str(loaded.source)))]
    specs = plan(
        str(loaded.source), wired, given["simulator"], speed=float(given["speed"]), formation=forms(loaded.scenario),
        drivers=drivers, world=world, window={"": None, "true": True, "false": False}[given["window"]],
        markers=given["rviz"] == "true", record=given["record"], dashboard={} if given["dashboard"] == "true" else None,
        namespace=root,
    )  # fmt: skip
    specs = (*specs, *viewer(given))
    absent = [f"{spec.package or 'PATH'}/{spec.executable}" for spec in missing(specs)]
    if absent:
        raise RuntimeError(f"{', '.join(absent)} not found, expected to be installed; nothing has been started")
    session = Session.new()

    def end(event: Event, context: LaunchContext) -> None:
        session.end_members("Tt")  # who is held still hears no signal
        session.end()

    ending = RegisterEventHandler(OnShutdown(on_shutdown=end))
    return [*(LogInfo(msg=line) for line in lines), ending, *(action(spec, session, given["log_level"]) for spec in specs)]


def viewer(given: dict[str, str]) -> list[NodeSpec]:
    """RViz with the package's view, if it is wanted."""
    view = str(paths.share() / "config" / "rviz" / "swarm.rviz")
    return [NodeSpec("rviz2", "rviz2", "/", ("-d", view), package="rviz2")] if given["rviz"] == "true" else []


def prepared(loaded: Loaded, given: dict[str, str]) -> tuple[Path | None, list[str]]:
    """Export the world for Stage or Gazebo; its file, or None, and lines for the user."""
    if given["simulator"] not in EXTERNAL:
        return None, []
    setup = prepare(loaded.scenario, loaded.source)
    folder = Path(given["out"] or tempfile.mkdtemp(prefix="swarm_control_")).absolute()
    files = export(loaded, setup, folder, given["simulator"], speed=float(given["speed"]))
    return files[0], [*setup.notices, *notices(setup), *(f"written: {path}" for path in files)]


def action(spec: NodeSpec, session: Session, log_level: str) -> LaunchDescriptionEntity:
    """The launch action for one process of the plan, which ends with launch. Own nodes are started again when they die or hang; without a
    simulator all ends. A recorder gets the time that it needs to make its file whole.
    """
    common = {"output": "screen", "name": spec.name, "additional_env": {PARENT: str(os.getpid()), SESSION: str(session.path)}}
    tether = [sys.executable, *TETHER]
    if spec.own:
        common |= {"respawn": True, "respawn_delay": 0.1, **({} if spec.executable == "recorder" else PROMPT)}
    elif spec.package != "rviz2":
        common |= {"on_exit": Shutdown()}
    if not spec.package:
        return ExecuteProcess(cmd=[*tether, spec.executable, *spec.arguments], **common)
    if not spec.own:
        common |= {"prefix": " ".join(tether)}
    return Node(
        package=spec.package, executable=spec.executable, namespace=spec.space, arguments=list(spec.arguments),
        parameters=[spec.parameters] if spec.parameters else [], remappings=list(spec.rules),
        ros_arguments=["--log-level", log_level] if log_level else [], **common,
    )  # fmt: skip
