"""The node plan: the same for ``swarm run`` and the launch file."""

import subprocess
import sys

import pytest

from swarm_control.nodes.plan import SIMULATORS, plan

CHAIN = ["neighbourhood", "behaviours", "motion_model"]


def test_the_embedded_simulator_gets_five_hosted_nodes():
    specs = plan("migrate_boxes", ["robots=3"])
    assert [spec.full_name for spec in specs] == [f"/swarm/{name}" for name in [*CHAIN, "director", "simulator"]]
    for spec in specs:
        assert spec.arguments == ("--scenario", "migrate_boxes", "--set", "robots=3")
        simulator = spec.name == "simulator"
        assert spec.parameters.get("use_sim_time", False) is not simulator
        assert ("source" in spec.parameters) is not simulator
    assert specs[0].parameters["source"] == "swarm_state"
    assert specs[4].parameters == {"speed": 1.0, "wait": 60.0}
    watched = plan("migrate_boxes", watchers=1)[4].parameters  # neighbourhood, motion_model and director read the state, too
    assert watched["listeners"] == 4


@pytest.mark.parametrize("simulator", SIMULATORS[1:])
def test_other_robots_are_heard_through_their_odometry(simulator):
    specs = plan("migrate_boxes", simulator=simulator)
    assert [spec.name for spec in specs] == [*CHAIN, "director"]
    assert all(spec.parameters == {"use_sim_time": simulator != "none", "source": "odom"} for spec in specs)


def test_onboard_nodes_carry_the_robots_namespace_and_share_the_hosted_topics():
    specs = plan("migrate_boxes", simulator="none", onboard=["robot_0", "robot_1"])
    assert [spec.full_name for spec in specs] == [f"/robot_{k}/{name}" for k in (0, 1) for name in CHAIN] + ["/swarm/director"]
    assert specs[3].arguments[-2:] == ("--robots", "1")
    assert ("goals", "/swarm/goals") in specs[4].remappings
    assert specs[-1].parameters["onboard"] is True


def test_the_command_line_shows_name_and_namespace():
    words = plan("x", speed=2.0)[4].ros_arguments()
    assert words == ["--ros-args", "-r", "__node:=simulator", "-r", "__ns:=/swarm", "-p", "speed:=2.0", "-p", "wait:=60.0"]
    assert "use_sim_time:=true" in plan("x")[0].ros_arguments()


def test_an_unknown_simulator_is_refused():
    with pytest.raises(ValueError, match="embedded, stage, gazebo, none"):
        plan("x", simulator="webots")


def test_planning_and_supervising_need_no_ros():
    code = "import sys; import swarm_control.nodes.plan, swarm_control.nodes.supervisor; sys.exit('rclpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
