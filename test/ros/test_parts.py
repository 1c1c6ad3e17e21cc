"""The parts of an onboard swarm, each on a computer of its own."""

import os
import subprocess

import claims
import pytest
from emulated import until
from forked_swarm import forked_swarm

from swarm_control.analysis.report.runs import read_runs
from swarm_control.cli.main import main
from swarm_control.errors import InputError
from swarm_control.ros.graph.parts import ALL, BASE, SIMULATION, part
from swarm_control.ros.graph.plan import plan

NAMES = ["robot_0", "robot_1", "robot_2"]


@pytest.mark.parametrize("simulator", ["none", "embedded"])
def test_the_parts_make_the_whole(simulator):
    specs = plan("x", simulator=simulator, onboard=NAMES, formation=True, dashboard={}, record="x.mcap")
    found = [spec for name in (BASE, SIMULATION, *NAMES) for spec in part(specs, name)]
    assert sorted(found, key=str) == sorted(part(specs, ALL), key=str)
    assert {spec.name for spec in part(specs, SIMULATION)} == ({"simulator"} if simulator == "embedded" else set())


def test_a_robot_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="'robot_7' found, expected all, base, simulation, or one of robot_0, robot_1, robot_2"):
        part(plan("x", onboard=NAMES), "robot_7")
    with pytest.raises(InputError, match="or one of robots that are onboard"):
        part(plan("x"), "robot_0")


def test_a_part_is_one_of_an_onboard_swarm(capsys, tmp_path):
    assert main(["run", "formation_translate", "--part", "base", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("swarm: --part: base found without --onboard")


@pytest.mark.parametrize(("words", "why"), [
    (["--onboard", "--part", "base", "--simulator", "mujoco"], "part: base found with mujoco, whose floor only"),
    (["--onboard", "--part", "simulation", "--simulator", "none"], "--part: simulation found with --simulator none, which is started"),
    (["--namespace", "lab", "--simulator", "gazebo"], "namespace: lab found with gazebo, whose bridge"),
])  # fmt: skip
def test_what_a_simulator_cannot_do_is_one_line(words, why, capsys, tmp_path):
    assert main(["run", "formation_translate", *words, "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"swarm: {why}")


@pytest.mark.ros(anytime=True)
def test_real_robots_of_which_nothing_is_heard_are_named_and_make_no_results(tmp_path):
    domain = claims.domain()
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain.number), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    words = ["run", "migrate_boxes", "--robots", "2", "--simulator", "none", "--no-dashboard", "--out", str(tmp_path / "out")]
    command = [*forked_swarm(), *words]
    with open(tmp_path / "log", "w") as log:
        run = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        until(lambda: "NO ODOMETRY OF robot_0, robot_1" in (tmp_path / "log").read_text())
        run.terminate()
        assert run.wait(30) == 1
    finally:
        run.kill()
        run.wait()
        domain.release()
    assert (tmp_path / "log").read_text().splitlines()[-1] == (
        "swarm: migrate_boxes: no odometry has been heard on /robot_0/odom …, so there are no results"
    )
    assert not list((tmp_path / "out").glob("*.json"))


@pytest.mark.study
@pytest.mark.ros
def test_five_computers_move_a_formation(tmp_path):
    """A simulator, the operator's computer and three robots, each started by itself; the first to end is the operator's."""
    domain, started = claims.domain(), {}
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain.number), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    common = ["run", "formation_translate", "--onboard", "--namespace", "lab", "--no-dashboard"]
    try:
        for name in (SIMULATION, *NAMES, BASE):
            words = [*common, "--part", name, "--out", str(tmp_path / name), *(["--duration", "6"] if name == BASE else [])]
            command = [*forked_swarm(), *words]
            with open(tmp_path / f"{name}.log", "w") as log:
                started[name] = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        until(lambda: started[BASE].poll() is not None)
        assert started[BASE].returncode == 0, (tmp_path / "base.log").read_text()
        assert all(started[name].poll() is None for name in (SIMULATION, *NAMES))
        assert "the robots go on by themselves; to hold them: swarm stop --namespace lab" in (tmp_path / "base.log").read_text()
        assert "swarm: robot_1 of formation_translate: 3 processes, until they are interrupted" in (tmp_path / "robot_1.log").read_text()
        (run,) = read_runs([tmp_path / BASE])
        moved = run.trajectory.pose[-1, :, 0] - run.trajectory.pose[0, :, 0]
        assert (moved > 0.3).all() and run.summary["formation_error_mean"] < 0.01
    finally:
        for process in started.values():
            process.terminate()
        assert [process.wait(30) for name, process in started.items() if name != BASE] == [0] * 4
        domain.release()
