import pytest


def refused(done, *words):
    assert done.returncode == 2, (done.returncode, done.stderr)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert str(word) in lines[0]


@pytest.mark.parametrize(("text", "words"), [
    ("robots: [", ("bad.yaml:", "not YAML")),
    ("- 1\n", ("bad.yaml", "mapping")),
    ("", ("bad.yaml", "mapping")),
    ("robots: [{count: 2}]\nspeed: 3\n", ("bad.yaml: speed", "unknown key", "duration")),
    ("robots: [{count: 2}]\ncontrol: {separation: {wieght: 1}}\n", ("control.separation.wieght", "unknown key", "weight")),
    ("robots: [{count: 2}]\ncontrol: {separation: {weight: heavy}}\n", ("control.separation.weight", "heavy", "a number")),
    ("robots: [{count: 2}]\ncontrol: {separation: {weight: -1}}\n", ("control.separation.weight", "0 to 100")),
    ("robots: [{count: 2}]\ncontrol: {separation: {weight: .nan}}\n", ("control.separation.weight", "nan")),
    ("robots: [{count: 2}]\ncontrol: 3\n", ("control", "mapping")),
    ("robots: {count: 2}\n", ("robots", "list")),
    ("robots: []\n", ("robots", "at least one")),
    ("robots: [{count: 0}]\n", ("robots[0].count", "1 to 1000000")),
    ("robots: [{count: 2.5}]\n", ("robots[0].count", "whole number")),
    ("robots: [{count: 2}]\ncontrol: {leaders: {count: 3}}\n", ("leaders.count", "at most 2")),
    ("robots: [{count: 2, start: {pattern: poses, poses: [[0, 0, 0]]}}]\n", ("poses", "one for each")),
    ("robots: [{count: 2, start: {pattern: poses, poses: [[0, 0, 0], [0.05, 0, 0]]}}]\n", ("robot_0", "robot_1", "overlap")),
    ("robots: [{count: 1, start: {pattern: poses, poses: [[4.99, 0, 0]]}}]\nworld: frame.world\n", ("robot_0", "wall")),
    ("robots: [{count: 500, start: {radius: 0.5}}]\n", ("room for", "500")),
    ("robots: [{count: 2}]\nworld: nowhere.world\n", ("world", "nowhere.world", "not found")),
    ("robots: [{count: 2}]\nsimulator: {dt: 0.03}\n", ("simulator.dt", "period")),
    ("robots: [{count: 2}]\nphases: [{set: {separation.wait: 1}}]\n", ("phases[0].set", "separation.wait", "unknown")),
    ("robots: [{count: 2}]\ngoals: [{position: [1]}]\n", ("goals[0].position", "2 numbers")),
])  # fmt: skip
def test_scenario_files(swarm, tmp_path, text, words):
    (tmp_path / "bad.yaml").write_text(text)
    refused(swarm("simulate", "bad.yaml", "--out", "o"), *words)
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(("arguments", "words"), [
    (["simulate", "no_such"], ("no_such", "flock_frame")),
    (["simulate", "no/such.yaml"], ("no/such.yaml", "no such")),
    (["simulate", "flock_frame", "--robots", "0"], ("--robots", "1 to 1000000")),
    (["simulate", "flock_frame", "--robots", "many"], ("--robots", "many")),
    (["simulate", "flock_frame", "--duration", "-1"], ("duration", "-1")),
    (["simulate", "flock_frame", "--seed", "x"], ("seed", "x")),
    (["simulate", "flock_frame", "--set", "separation.weight"], ("--set", "PATH=VALUE")),
    (["simulate", "flock_frame", "--set", "separation.wait=1"], ("separation.wait", "unknown")),
    (["simulate", "flock_frame", "--set", "robots.7.count=1"], ("robots.7", "0 to 0")),
    (["simulate", "flock_frame", "--world", "missing.world"], ("missing.world",)),
    (["simulate", "flock_frame", "--simulator", "moon"], ("--simulator", "moon", "embedded")),
    (["simulate"], ("SCENARIO",)),
    (["fly"], ("fly", "simulate")),
    (["run", "flock_frame", "--speed", "0"], ("--speed",)),
    (["simulate", "flock_frame", "--speed", "0"], ("--speed",)),
])  # fmt: skip
def test_arguments(swarm, arguments, words):
    refused(swarm(*arguments), *words)


@pytest.mark.parametrize(("world", "words"), [
    ('include "w.world"\n', ("w.world", "include")),
    ('define a a ( )\na ( )\n', ("w.world",)),
    ("floorplan (\n", ("w.world",)),
    ('model ( bitmap "gone.png" size [4 4 1] )\n', ("w.world:1", "gone.png")),
    ("model ( size [0 4 1] )\n", ("w.world:1", "size")),
    ("\x00\x01\x02", ("w.world",)),
])  # fmt: skip
def test_world_files(swarm, tmp_path, world, words):
    (tmp_path / "w.world").write_text(world)
    refused(swarm("simulate", "flock_frame", "--world", "w.world"), *words)


def test_results_that_cannot_be_written(swarm, tmp_path):
    (tmp_path / "file").write_text("mine")
    refused(swarm("simulate", "flock_frame", "--duration", "0.1", "--out", "file"), "--out", "folder")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("command", ["simulate", "run"])
def test_a_folder_that_cannot_be_made_is_refused_before_anything_runs(swarm, tmp_path, command):
    done = swarm(command, "flock_frame", "--duration", "30", "--out", "/proc/nothing/deep")
    refused(done, "--out /proc/nothing/deep: cannot be written to", "expected a folder")
    assert not done.stdout


def test_nothing_is_left_of_a_folder_that_was_tried(swarm, tmp_path):
    refused(swarm("simulate", "flock_frame", "--film", "film.mp4", "--out", "a/b"), "--film")
    assert not (tmp_path / "a").exists()


def test_earlier_results_survive_a_bad_call(swarm, process, tmp_path):
    swarm("simulate", "flock_frame", "--duration", "0.5", "--out", "o")
    before = {path.name: path.read_bytes() for path in (tmp_path / "o").iterdir()}
    refused(process("simulate", "flock_frame", "--set", "separation.weight=-1", "--out", "o"), "separation.weight")
    assert {path.name: path.read_bytes() for path in (tmp_path / "o").iterdir()} == before


def test_help_has_an_example(swarm):
    for command in ("list", "simulate", "run"):
        done = swarm(command, "--help")
        assert done.returncode == 0 and f"Example: swarm {command}" in done.stdout
