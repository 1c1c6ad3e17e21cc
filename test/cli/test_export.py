"""``swarm export`` as users call it."""

import numpy as np
import pytest
import yaml

from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.world import read_world

WORLD = 'model ( size [0.5 2 1] pose [3 0 0 0] )\nposition ( name "ann" pose [0 1 0 90] size [0.2 0.2 0.1] drive "omni" )\n'


def test_one_scenario_for_both_simulators(swarm, tmp_path):
    done = swarm("export", "maze_hard", "--stage", "out", "--gazebo", "out", "--robots", "4", "--seed", "7")
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"maze_hard.world", "maze_hard.png", "maze_hard.sdf", "maze_hard.bridge.yaml", "maze_hard.scenario.yaml"}
    assert all(f"out/{name}" in done.stdout for name in names)
    loaded = load("maze_hard", ["robots=4", "seed=7"])
    setup = prepare(loaded.scenario, loaded.source)
    poses = [robot.pose for robot in read_world(tmp_path / "out" / "maze_hard.world").robots]
    np.testing.assert_allclose(poses, setup.start.pose, atol=1e-8)
    resolved = load(str(tmp_path / "out" / "maze_hard.scenario.yaml"))
    assert resolved.scenario == loaded.scenario
    np.testing.assert_array_equal(prepare(resolved.scenario, resolved.source).start.pose, setup.start.pose)


def test_an_arena_made_to_measure(swarm, tmp_path):
    done = swarm("export", "scale", "--robots", "50", "--stage", "out")
    assert done.returncode == 0, done.stderr
    assert "robots start at rest" in done.stdout
    world = read_world(tmp_path / "out" / "scale.world")
    assert len(world.robots) == 50 and world.interval_sim == pytest.approx(0.05)


def test_a_world_of_ones_own_is_found_again(swarm, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "own.world").write_text(WORLD)
    (tmp_path / "mine" / "own.yaml").write_text("world: own.world\nduration: 1\n")
    done = swarm("export", "mine/own.yaml", "--gazebo", "out")
    assert done.returncode == 0, done.stderr
    assert yaml.safe_load((tmp_path / "out" / "own.scenario.yaml").read_text())["world"] == str(tmp_path / "mine" / "own.world")
    resolved = load(str(tmp_path / "out" / "own.scenario.yaml"))
    assert prepare(resolved.scenario, resolved.source).fleet.names == ("ann",)


def test_two_scenarios_share_a_folder(swarm, tmp_path):
    for scenario, robots in (("maze_hard", 4), ("formation_translate", 3)):
        done = swarm("export", scenario, "--gazebo", "out", "--robots", str(robots))
        assert done.returncode == 0, done.stderr
    for scenario, robots in (("maze_hard", 4), ("formation_translate", 3)):
        lines = yaml.safe_load((tmp_path / "out" / f"{scenario}.bridge.yaml").read_text())
        assert {line["ros_topic_name"] for line in lines} == {"/clock"} | {
            f"/robot_{k}/{kind}" for k in range(robots) for kind in ("odom", "cmd_vel")
        }
        resolved = load(str(tmp_path / "out" / f"{scenario}.scenario.yaml"))
        assert resolved.scenario == load(scenario, [f"robots={robots}"]).scenario


def test_gazebo_classic_needs_no_bridge(swarm, tmp_path):
    done = swarm("export", "formation_translate", "--gazebo", "out", "--classic")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"formation_translate.sdf", "formation_translate.scenario.yaml"}
    assert "libDiffDrivePlugin.so" in (tmp_path / "out" / "formation_translate.sdf").read_text()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nonsense", "--stage", "out"], "swarm: nonsense: no such scenario"),
        (["maze_hard"], "no simulator found, expected --stage DIR or --gazebo DIR"),
        (["maze_hard", "--stage", "taken"], "swarm: taken: is a file, expected a directory"),
        (["maze_hard", "--gazebo", "/proc/none"], "swarm: /proc/none: cannot be made"),
        (["maze_hard", "--gazebo", "out", "--classic"], "omni found, which Gazebo classic has no plugin for; expected differential"),
        (["maze_hard", "--stage", "out", "--classic"], "--classic: no --gazebo DIR found"),
        (["maze_hard", "--stage", "out", "--robots", "x"], "expected a whole number"),
        (["maze_hard", "--stage"], "expected one argument"),
    ],
)
def test_bad_input_is_one_line(swarm, tmp_path, arguments, complaint):
    (tmp_path / "taken").touch()
    done = swarm("export", *arguments)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and complaint in done.stderr and not done.stdout
