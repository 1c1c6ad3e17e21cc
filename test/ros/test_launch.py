"""The launch file turns the plan into launch_ros actions; it is tested where launch_ros can be imported."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import claims
import pytest

launch = pytest.importorskip("launch")
pytest.importorskip("launch_ros")

from swarm_control.ros.graph.kinds import KINDS  # noqa: E402
from swarm_control.ros.graph.plan import plan  # noqa: E402
from swarm_control.ros.graph.spec import PARENT, SESSION  # noqa: E402

FOLDER = Path(__file__).parents[2] / "launch"
FILE = FOLDER / "swarm.launch.py"

LAUNCH = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
service, values = LaunchService(argv=sys.argv[2:]), [tuple(word.split(":=", 1)) for word in sys.argv[2:]]
service.include_launch_description(IncludeLaunchDescription(PythonLaunchDescriptionSource(sys.argv[1]), launch_arguments=values))
sys.exit(service.run())
"""
"""What ``ros2 launch`` does, without its command line."""


def actions(name="swarm", pushed="", **arguments):
    """What a launch file starts, and the context; ``pushed``: the namespace in which it is included."""
    spec = importlib.util.spec_from_file_location("launch_file", FOLDER / f"{name}.launch.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    context = launch.LaunchContext()
    context.launch_configurations.update({**arguments, **({"ros_namespace": pushed} if pushed else {})})
    *declared, last = module.generate_launch_description().entities
    for entity in declared:
        entity.visit(context)
    return last.visit(context), context


def names(found, context):
    """Full names of the nodes among actions; a process for several is called as its program."""
    nodes = [action for action in found if hasattr(action, "node_executable")]
    for node in nodes:
        node._perform_substitutions(context)
    return {node.node_name.replace("<node_name_unspecified>", node.node_executable) for node in nodes}


def test_one_respawning_process_per_node_of_the_plan():
    found, context = actions(scenario="migrate_boxes", robots="3", set="seed=4; separation.distance=0.5")
    nodes = [action for action in found if hasattr(action, "node_executable")]
    overrides = ["seed=4", "separation.distance=0.5", "robots=3"]
    specs = plan(nodes[0].cmd and str(_words(nodes[0], context)[2]), overrides)
    assert [node.node_executable for node in nodes] == [spec.executable for spec in specs]
    for node, spec in zip(nodes, specs):
        given = {"".join(piece.perform(context) for piece in name): value for name, value in node.additional_env}
        assert given.keys() >= {PARENT, SESSION}, "it ends with launch, and shows that it lives"
        assert node.node_package == "swarm_control"
        assert "0.3" in node.sigterm_timeout[-1].text and "0.5" in node.sigkill_timeout[-1].text, "not five seconds each"
        assert tuple(_words(node, context)[1:1 + len(spec.arguments)]) == spec.arguments


def _words(node, context):
    """The node's own arguments, after its executable (which need not be installed here)."""
    words = ["executable"]
    for part in node.cmd[1:]:
        try:
            words.append("".join(piece.perform(context) for piece in part))
        except Exception:
            break
    return words


def test_an_onboard_swarm_is_launched_in_parts_that_make_the_whole():
    given = {"scenario": "formation_translate"}
    whole = names(*actions(**given, onboard="true", simulator="none", namespace="lab"))
    parts = [names(*actions("robot", **given, robot=f"robot_{k}", namespace="lab")) for k in range(3)]
    parts.append(names(*actions("base", **given, namespace="lab")))
    assert set.union(*parts) == whole and sum(map(len, parts)) == len(whole)
    kinds = {"robot", "guard", "standby"}
    assert parts[1] == {f"/lab/robot_1/{kind}" for kind in kinds}
    assert parts[3] == {"/lab/swarm/director", "/lab/swarm/guard", "/lab/swarm/standby"}
    assert names(*actions("simulation", **given)) == {"/swarm/simulator"}
    with pytest.raises(RuntimeError, match="'robot_9' found, expected all, base, simulation, or one of robot_0, robot_1, robot_2"):
        actions("robot", **given, robot="robot_9")


def test_an_included_file_is_below_the_namespaces_that_are_pushed():
    found = names(*actions(scenario="migrate_boxes", pushed="/hall/lab", namespace="red"))
    assert {"/hall/lab/red/swarm/director", "/hall/lab/red/swarm/simulator"} <= found
    with pytest.raises(RuntimeError, match="expected letters, digits and underscores"):
        actions(namespace="my lab")


def test_respawning_and_severity_are_as_asked_for():
    found, context = actions(scenario="migrate_boxes", respawn="false", log_level="warn")
    nodes = [action for action in found if hasattr(action, "node_executable")]
    for node in nodes:
        node._perform_substitutions(context)
        assert node._Node__ros_arguments == ["--log-level", "warn"] and not node._ExecuteLocal__respawn


def test_parameters_of_a_file_and_the_clock_reach_every_node(tmp_path):
    (tmp_path / "own.yaml").write_text("/**:\n  ros__parameters:\n    separation: {weight: 0.3}\n")
    found, _ = actions(scenario="migrate_boxes", simulator="none", params_file=str(tmp_path / "own.yaml"), use_sim_time="true")
    nodes = [action for action in found if hasattr(action, "node_executable")]
    assert nodes and all(len(node._Node__parameters) >= 2 for node in nodes)
    with pytest.raises(RuntimeError, match=r"params_file: none\.yaml found, expected a YAML file"):
        actions(params_file="none.yaml")


@pytest.mark.parametrize("autostart", ["true", "false"])
def test_nodes_are_told_whether_they_wait_for_a_lifecycle_manager(autostart):
    from launch_ros.utilities import evaluate_parameters

    found, context = actions(scenario="migrate_boxes", autostart=autostart)
    for node in (action for action in found if hasattr(action, "node_executable")):
        parameters = evaluate_parameters(context, node._Node__parameters)
        assert ({"autostart": False} in parameters) == (autostart == "false")


def test_bad_arguments_are_one_line():
    with pytest.raises(RuntimeError, match="no such scenario"):
        actions(scenario="nonsense")


@pytest.mark.parametrize("given", [{"simulator": "stage"}, {"simulator": "none", "rviz": "true"}])
def test_what_cannot_start_everything_starts_nothing(given, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"not found, expected to be installed; nothing has been started"):
        actions(scenario="migrate_boxes", out=str(tmp_path / "out"), **given)


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Programs by the names of Stage's and Gazebo's."""
    for path in ("bin/gz", "lib/ros_gz_bridge/parameter_bridge", "lib/stage_ros2/stage_ros2"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))


@pytest.mark.usefixtures("installed")
def test_stage_gets_the_exported_world_and_all_ends_with_it(tmp_path):
    tmp_path = tmp_path / "out"
    found, context = actions(scenario="migrate_boxes", simulator="stage", robots="4", out=str(tmp_path), speed="2.0")
    node = found[-1]
    assert (node.node_package, node.node_executable) == ("stage_ros2", "stage_ros2")
    assert {path.name for path in tmp_path.iterdir()} == {"migrate_boxes.world", "migrate_boxes.png", "migrate_boxes.scenario.yaml"}
    assert "speedup 2\n" in (tmp_path / "migrate_boxes.world").read_text()
    given = node._Node__parameters[0]
    assert {"".join(piece.perform(context) for piece in key): value for key, value in given.items()}["enforce_prefixes"] is True
    with pytest.raises(RuntimeError, match="a file, expected a directory"):
        (tmp_path / "file").touch()
        actions(scenario="migrate_boxes", simulator="stage", out=str(tmp_path / "file"))


@pytest.mark.usefixtures("installed")
def test_gazebo_gets_its_server_and_its_bridge(tmp_path):
    found, context = actions(scenario="migrate_boxes", simulator="gazebo", robots="4", out=str(tmp_path))
    server, bridge = found[-2:]
    words = ["".join(piece.perform(context) for piece in part) for part in server.cmd]
    assert words[-5:] == ["gz", "sim", "-r", "-s", str(tmp_path / "migrate_boxes.sdf")]
    assert (bridge.node_package, bridge.node_executable) == ("ros_gz_bridge", "parameter_bridge")
    assert (tmp_path / "migrate_boxes.bridge.yaml").exists()


@pytest.fixture
def package(tmp_path, monkeypatch):
    """This package, where launch_ros looks for it."""
    (tmp_path / "share/ament_index/resource_index/packages").mkdir(parents=True)
    (tmp_path / "share/ament_index/resource_index/packages/swarm_control").touch()
    (tmp_path / "lib/swarm_control").mkdir(parents=True)
    for kind in KINDS:
        program = tmp_path / "lib/swarm_control" / kind
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m swarm_control.ros.nodes.{kind} "$@"\n')
        program.chmod(0o755)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    domain = claims.domain()
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain.number))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    yield domain.number
    domain.release()


@pytest.mark.ros
@pytest.mark.parametrize("held_for", [0.0, 1.5], ids=["as it starts", "as it runs"])
def test_ctrl_c_ends_nodes_at_once_also_one_that_is_held_still(package, tmp_path, held_for):
    started = subprocess.Popen([sys.executable, "-c", LAUNCH, str(FILE), "scenario:=traffic_antipodal"], start_new_session=True)
    try:
        until(lambda: len(nodes(package)) > 5)
        time.sleep(held_for)
        os.kill(nodes(package)[1], signal.SIGSTOP)
        os.killpg(started.pid, signal.SIGINT)
        began = time.monotonic()
        until(lambda: not nodes(package))
        assert time.monotonic() - began < 3.0  # launch itself gives a node ten seconds; here all are gone after one, if nothing else runs
    finally:
        started.kill()
        started.wait()
        for left in nodes(package):
            os.kill(left, signal.SIGKILL)


def nodes(domain):
    """The nodes' processes in this domain."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"ROS_DOMAIN_ID={domain}\0" in (entry / "environ").read_text():
                found += [int(entry.name)] if "swarm_control.ros.nodes." in (entry / "cmdline").read_text() else []
        except OSError:
            continue
    return sorted(found)


def until(condition, timeout=60.0):
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
