"""Start a scenario's nodes: ``ros2 launch swarm_control swarm.launch.py scenario:=migrate_boxes``."""

from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.launch_description_entity import LaunchDescriptionEntity
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import LaunchContext, LaunchDescription
from swarm_control.errors import InputError
from swarm_control.nodes.plan import SIMULATORS, NodeSpec, forms, plan
from swarm_control.scenario.consistency import contradictions
from swarm_control.scenario.loader import load

ARGUMENTS = {
    "scenario": ("migrate_boxes", "name or YAML file of the scenario", None),
    "simulator": ("embedded", "what moves the robots", list(SIMULATORS)),
    "robots": ("", "number of robots; empty: as the scenario says", None),
    "seed": ("", "seed of every random number; empty: as the scenario says", None),
    "set": ("", "changes of the scenario, PATH=VALUE, with semicolons between", None),
    "speed": ("1.0", "simulated seconds per second of the embedded simulator", None),
}


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
    except InputError as error:
        raise RuntimeError(str(error)) from None
    warnings = [LogInfo(msg=f"warning: {text}") for text in contradictions(loaded.scenario.control)]
    specs = plan(str(loaded.source), changes, given["simulator"], speed=float(given["speed"]), formation=forms(loaded.scenario))
    return [*warnings, *map(action, specs)]


def action(spec: NodeSpec) -> Node:
    """The launch_ros action for one node of the plan."""
    return Node(
        package="swarm_control", executable=spec.executable, name=spec.name, namespace=spec.namespace, arguments=list(spec.arguments),
        parameters=[spec.parameters] if spec.parameters else [], remappings=list(spec.remappings), respawn=True, respawn_delay=0.1,
        output="screen",
    )  # fmt: skip
