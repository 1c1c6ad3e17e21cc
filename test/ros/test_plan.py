"""The node plan: the same for ``swarm run`` and the launch file."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from stage_stand_in import topic

from swarm_control.ros.graph.access import ACCESS
from swarm_control.ros.graph.plan import EXTERNAL, SIMULATORS, external, missing, plan
from swarm_control.ros.graph.real_names import TOUCHING, topics_of
from swarm_control.ros.graph.topics import ODOM
from swarm_control.scenario.loader import load_prepared
from swarm_control.scenario.topic_names import RealTopics

CHAIN = ["neighbourhood", "behaviours", "motion_model"]
GUARDS = ["guard", "standby"]


def others(specs):
    """All but the guards, which know no scenario."""
    return [spec for spec in specs if spec.executable != "guard"]


def test_the_embedded_simulator_gets_five_hosted_nodes_and_two_guards():
    everything = plan("migrate_boxes", ["robots=3"])
    specs = others(everything)
    assert [spec.full_name for spec in everything if spec not in specs] == [f"/swarm/{name}" for name in GUARDS]
    assert all(spec.arguments == () and "use_sim_time" not in spec.parameters for spec in everything if spec not in specs)
    assert [spec.full_name for spec in specs] == [f"/swarm/{name}" for name in [*CHAIN, "director", "simulator"]]
    for spec in specs:
        assert spec.arguments == ("--scenario", "migrate_boxes", "--set", "robots=3")
        simulator = spec.name == "simulator"
        assert spec.parameters.get("use_sim_time", False) is not simulator
        assert ("source" in spec.parameters) is not simulator
    assert specs[0].parameters["source"] == "swarm_state"
    assert specs[4].parameters == {"speed": 1.0, "wait": 60.0}
    watched = plan("migrate_boxes", watchers=1)[-1].parameters  # neighbourhood, motion_model and director read the state, too
    assert watched["listeners"] == 4


@pytest.mark.parametrize("simulator", [*EXTERNAL, "none"])
def test_other_robots_are_heard_through_their_odometry(simulator):
    specs = others(plan("migrate_boxes", simulator=simulator))
    assert [spec.name for spec in specs] == [*CHAIN, "director"]
    assert all(spec.parameters.items() >= {"use_sim_time": simulator != "none", "source": "odom"}.items() for spec in specs)
    assert [spec.name for spec in specs if spec.parameters.get("guarded")] == ["motion_model", "director"]


def test_the_floors_robots_are_seen_and_driven_by_the_same_nodes_as_real_ones():
    specs = {spec.name: spec for spec in others(plan("x", simulator="mujoco", drivers=("wheel_driver", "tracker")))}
    assert list(specs) == [*CHAIN, "wheel_driver", "tracker", "director", "floor"]
    assert specs["motion_model"].parameters == {"use_sim_time": True, "source": "odom", "guarded": True}
    assert specs["tracker"].parameters == specs["wheel_driver"].parameters == {"use_sim_time": True}
    assert specs["floor"].parameters["listeners"] == 3  # neighbourhood, motion_model and director hear odometry
    assert "safety.command_timeout=5" in specs["wheel_driver"].arguments and "--set" not in specs["tracker"].arguments


def test_onboard_nodes_carry_the_robots_namespace_and_share_the_hosted_topics():
    everything = plan("migrate_boxes", simulator="none", onboard=["robot_0", "robot_1"])
    specs = others(everything)
    spaces = ["/robot_0", "/robot_1", "/swarm"]
    assert [spec.full_name for spec in everything if spec not in specs] == [f"{space}/{name}" for space in spaces for name in GUARDS]
    assert [spec.full_name for spec in specs] == ["/robot_0/robot", "/robot_1/robot", "/swarm/director"]
    nodes = [node for spec in specs for node in spec.each]
    assert [node.full_name for node in nodes] == [f"/robot_{k}/{name}" for k in (0, 1) for name in CHAIN] + ["/swarm/director"]
    assert specs[1].arguments == ("--nodes", ",".join(CHAIN), "--scenario", "migrate_boxes", "--robots", "1")
    assert ("goals", "/swarm/goals") in specs[1].remappings and specs[1].parameters["guarded"] is True
    assert not any("__node" in word for word in specs[1].ros_arguments()), "its nodes have names of their own"
    assert specs[-1].parameters["onboard"] is True


def test_the_command_line_shows_name_and_namespace():
    words = plan("x", speed=2.0)[-1].ros_arguments()
    assert words == ["--ros-args", "-r", "__node:=simulator", "-r", "__ns:=/swarm", "-p", "speed:=2.0", "-p", "wait:=60.0"]
    assert "use_sim_time:=true" in plan("x")[0].ros_arguments()


REAL = RealTopics({"odom": {1: ("/b/odom", "/tb1/odom")}, "cmd_vel": {0: ("/a/cmd_vel", "/x"), 1: ("/b/cmd_vel", "/tb1/cmd_vel")}}, "auto")


def test_nodes_find_real_robots_by_the_names_that_their_drivers_have():
    specs = {spec.name: spec for spec in plan("x", simulator="none", formation=True, drivers=("wheel_driver",), topics=REAL)}
    odom, cmd_vel = list(REAL.renamed["odom"].values()), list(REAL.renamed["cmd_vel"].values())
    assert list(specs["motion_model"].remappings) == odom + cmd_vel and specs["motion_model"].parameters["commands"] == "auto"
    assert list(specs["director"].remappings) == odom and "commands" not in specs["director"].parameters
    assert specs["guard"].remappings == (), "it is told the names"
    carried = plan("x", simulator="none", onboard=["a", "b"], topics=REAL, namespace="lab")
    first, second = [spec for spec in carried if spec.name == "robot"]
    assert [node.name for node in first.nodes if set(cmd_vel) & set(node.remappings)] == ["motion_model"]
    assert cmd_vel[0] in first.remappings and cmd_vel[1] not in first.remappings and set(odom) <= set(first.remappings)
    assert "/lab/b/cmd_vel:=/lab/tb1/cmd_vel" in second.ros_arguments()


@pytest.mark.parametrize("simulator", ["none", "embedded"])
def test_names_that_are_as_always_leave_the_plan_as_it_is(simulator):
    loaded, setup = load_prepared("migrate_boxes")
    for spec, same in zip(plan("x", simulator=simulator, topics=topics_of(loaded, setup, simulator)), plan("x", simulator=simulator)):
        assert replace(spec, parameters=same.parameters) == same
        commands = {"commands": "auto"} if (spec.name, simulator) == ("motion_model", "none") else {}
        assert spec.parameters == {**same.parameters, **commands}


def test_every_node_with_robots_topics_is_renamed():
    for kind in TOUCHING:
        touching = {
            name for name, access in ACCESS.items() for one in (*access.publishes, *access.subscribes)
            if getattr(one, "name", one) in (f"/{{robot}}/{kind}", f"/*/{kind}")
        }  # fmt: skip
        others = {"guard", "simulator", "floor", "observer"}  # told the names, simulators', and one that is in no plan
        assert touching - others <= set(TOUCHING[kind])


def test_an_unknown_simulator_is_refused():
    with pytest.raises(ValueError, match="embedded, mujoco, stage, gazebo"):
        plan("x", simulator="webots")


def test_planning_and_supervising_need_no_ros():
    code = "import sys; import swarm_control.ros.graph.plan, swarm_control.ros.support.supervisor; sys.exit('rclpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_stage_is_started_on_the_exported_world():
    specs = plan("migrate_boxes", simulator="stage", world=Path("/somewhere/migrate_boxes.world"))
    stage = specs[-1]
    assert (stage.package, stage.executable, stage.full_name, stage.own) == ("stage_ros2", "stage_ros2", "/stage", False)
    assert stage.parameters == {
        "world_file": "/somewhere/migrate_boxes.world", "enforce_prefixes": True, "one_tf_tree": False, "frame_id_odom": "map",
        "enable_gui": True, "base_watchdog_timeout": 0.5,
    }  # fmt: skip
    assert all(spec.own and spec.parameters["use_sim_time"] for spec in others(specs[:-1]))
    hidden = plan("migrate_boxes", simulator="stage", world=Path("/somewhere/it.world"), window=False)[-1]
    assert hidden.parameters["enable_gui"] is False


@pytest.mark.parametrize(("robots", "enforced"), [(1, True), (2, True), (2, False)])
def test_stages_topics_are_the_ones_that_the_nodes_use(robots, enforced):
    """The bridge names topics as the stand-in says; the plan enforces prefixes, so that one robot alone has one, too."""
    names = [topic(f"robot_{k}", "odom", robots, enforced) for k in range(robots)]
    stage = external("stage", Path("it.world"))[0]
    assert stage.parameters["enforce_prefixes"] is True and stage.namespace == "/" and stage.remappings == ()
    assert [f"/{name}" for name in names] == [ODOM.of(f"robot_{k}") for k in range(robots)]
    assert topic("robot_0", "odom", 1, False) == "odom"  # what would not be heard


def test_gazebo_is_started_with_its_bridge():
    server, bridge = plan("migrate_boxes", simulator="gazebo", world=Path("/somewhere/it.sdf"))[-2:]
    assert server.command()[1:] == ["sim", "-r", "-s", "/somewhere/it.sdf"] and not server.package
    assert (bridge.package, bridge.executable) == ("ros_gz_bridge", "parameter_bridge")
    assert bridge.command()[-2:] == ["-p", "config_file:=/somewhere/it.bridge.yaml"]
    assert plan("migrate_boxes", simulator="gazebo", world=Path("it.sdf"), window=True)[-2].arguments == ("sim", "-r", "it.sdf")


def test_programs_are_found_in_ros_packages_and_on_the_path(tmp_path, monkeypatch):
    specs = external("gazebo", Path("it.sdf")) + external("stage", Path("it.world"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path / 'one'}:{tmp_path / 'two'}")
    assert missing(specs) == specs
    for path in ("bin/gz", "two/lib/ros_gz_bridge/parameter_bridge", "one/lib/stage_ros2/stage_ros2", "one/lib/other/gz"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch(mode=0o755)
    assert missing(specs) == []
    assert [spec.command()[0] for spec in specs] == [
        str(tmp_path / path) for path in ("bin/gz", "two/lib/ros_gz_bridge/parameter_bridge", "one/lib/stage_ros2/stage_ros2")
    ]


def test_only_stage_and_gazebo_have_programs_of_their_own():
    assert [spec for name in SIMULATORS if name not in EXTERNAL for spec in external(name, Path("it"))] == []
