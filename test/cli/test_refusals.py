import subprocess

from forked_swarm import forked_swarm


def test_a_goal_without_a_way_is_told_in_one_line(tmp_path):
    words = ["simulate", "formation_gap", "--set", "goals.0.position=[0,3]", "--duration", "0.2", "--out", str(tmp_path / "out")]
    ended = subprocess.run([*forked_swarm(), *words], capture_output=True, text=True, check=True)
    (line,) = [line for line in ended.stderr.splitlines() if "formation:" in line]
    assert line.startswith("warning: formation: goal (") and "): robot_" in line and "place at the goal" in line
