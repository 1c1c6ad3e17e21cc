"""The launch file turns the plan into launch_ros actions; it is tested where launch_ros can be imported."""

import importlib.util
from pathlib import Path

import pytest

launch = pytest.importorskip("launch")
pytest.importorskip("launch_ros")

from swarm_control.ros.graph.plan import plan  # noqa: E402
from swarm_control.ros.graph.spec import PARENT, SESSION  # noqa: E402

FILE = Path(__file__).parents[2] / "launch" / "swarm.launch.py"


def actions(**arguments):
    spec = importlib.util.spec_from_file_location("swarm_launch", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    context = launch.LaunchContext()
    for entity in module.generate_launch_description().entities:
        if isinstance(entity, launch.actions.DeclareLaunchArgument):
            context.launch_configurations[entity.name] = arguments.get(entity.name, entity.default_value[0].text)
    return module, module.start(context), context


def test_one_respawning_process_per_node_of_the_plan():
    _, found, context = actions(scenario="migrate_boxes", robots="3", set="seed=4; separation.distance=0.5")
    nodes = [action for action in found if hasattr(action, "node_executable")]
    overrides = ["seed=4", "separation.distance=0.5", "robots=3"]
    specs = plan(nodes[0].cmd and str(_words(nodes[0], context)[2]), overrides)
    assert [node.node_executable for node in nodes] == [spec.executable for spec in specs]
    for node, spec in zip(nodes, specs):
        given = {"".join(piece.perform(context) for piece in name): value for name, value in node.additional_env}
        assert given.keys() >= {PARENT, SESSION}, "it ends with launch, and shows that it lives"
        assert node.node_package == "swarm_control"
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
    _, found, context = actions(scenario="migrate_boxes", simulator="stage", robots="4", out=str(tmp_path), speed="2.0")
    node = found[-1]
    assert (node.node_package, node.node_executable) == ("stage_ros2", "stage_ros2")
    assert {path.name for path in tmp_path.iterdir()} == {"migrate_boxes.world", "migrate_boxes.png", "scenario.yaml"}
    assert "speedup 2\n" in (tmp_path / "migrate_boxes.world").read_text()
    given = node._Node__parameters[0]
    assert {"".join(piece.perform(context) for piece in key): value for key, value in given.items()}["enforce_prefixes"] is True
    with pytest.raises(RuntimeError, match="a file, expected a directory"):
        (tmp_path / "file").touch()
        actions(scenario="migrate_boxes", simulator="stage", out=str(tmp_path / "file"))


@pytest.mark.usefixtures("installed")
def test_gazebo_gets_its_server_and_its_bridge(tmp_path):
    _, found, context = actions(scenario="migrate_boxes", simulator="gazebo", robots="4", out=str(tmp_path))
    server, bridge = found[-2:]
    words = ["".join(piece.perform(context) for piece in part) for part in server.cmd]
    assert words[-5:] == ["gz", "sim", "-r", "-s", str(tmp_path / "migrate_boxes.sdf")]
    assert (bridge.node_package, bridge.node_executable) == ("ros_gz_bridge", "parameter_bridge")
    assert (tmp_path / "bridge.yaml").exists()
