import json
import subprocess
import sys
import time
from ctypes.util import find_library
from itertools import pairwise

import numpy as np
import pytest
import yaml

from swarm_control.analysis.simulation import Simulation
from swarm_control.cli import run_output

KEYS = [
    "scenario", "seed", "robots", "duration", "wall_time", "real_time_factor", "collisions", "min_separation", "min_clearance",
    "polarization", "arrived_fraction", "arrival_time", "formation_error_mean", "formation_error_std", "formation_error_max", "phases",
    "jam_time", "jams", "groups",
]  # fmt: skip


def results(folder):
    with np.load(folder / "trajectory.npz") as data:
        trajectory = {key: data[key] for key in data.files}
    return json.loads((folder / "summary.json").read_text()), trajectory, yaml.safe_load((folder / "scenario.yaml").read_text())


def test_results_follow_the_contract(process, tmp_path):
    done = process("simulate", "migrate_boxes", "--robots", "6", "--duration", "3", "--seed", "5", "--out", tmp_path / "a")
    assert done.returncode == 0, done.stderr
    summary, trajectory, scenario = results(tmp_path / "a")
    assert list(summary) == KEYS
    assert (summary["scenario"], summary["seed"], summary["robots"]) == ("migrate_boxes", 5, 6)
    assert summary["duration"] == pytest.approx(3.0)
    t, pose, velocity = trajectory["time"], trajectory["pose"], trajectory["velocity"]
    assert pose.shape == velocity.shape == (len(t), 6, 3)
    assert list(trajectory["names"]) == [f"robot_{k}" for k in range(6)]
    assert t[0] == 0.0 and t[-1] == pytest.approx(3.0) and (np.diff(t) > 0).all()
    distance = np.hypot(*np.moveaxis(pose[:, :, None, :2] - pose[:, None, :, :2], -1, 0))
    distance[:, range(6), range(6)] = np.inf
    assert summary["min_separation"] == pytest.approx(distance.min(), abs=1e-9)
    assert scenario["duration"] == 3.0 and scenario["control"]["separation"]["weight"] == 0.2
    assert (tmp_path / "a" / "trajectories.png").read_bytes().startswith(b"\x89PNG")
    for name in ("summary.json", "trajectory.npz", "scenario.yaml", "trajectories.png"):
        assert name in done.stdout


def test_velocity_is_the_motion_of_the_poses(swarm, tmp_path):
    swarm("simulate", "flock_frame", "--duration", "4", "--out", tmp_path / "a")
    _, trajectory, _ = results(tmp_path / "a")
    moved = np.diff(trajectory["pose"][:, :, :2], axis=0)
    step = np.diff(trajectory["time"])[:, None, None]
    # velocity is reported at the end of a period in which it was approached within the acceleration limit of 4 m/s²
    assert np.abs(moved / step - trajectory["velocity"][1:, :, :2]).max() <= 4.0 * 0.05 + 0.05


def test_a_seed_gives_the_same_bits(swarm, process, tmp_path):
    noisy = ["--set", "simulator.noise_position=0.01", "--set", "simulator.loss=0.1", "--set", "perception.loss=0.1", "--duration", "5"]
    for name, call in (("a", swarm), ("b", process)):
        assert call("simulate", "flock_mixed", "--seed", "3", *noisy, "--out", tmp_path / name).returncode == 0
    swarm("simulate", "flock_mixed", "--seed", "4", *noisy, "--out", tmp_path / "c")
    (_, a, _), (_, b, _), (_, c, _) = (results(tmp_path / name) for name in "abc")
    for key in ("time", "pose", "velocity"):
        assert a[key].tobytes() == b[key].tobytes()
    assert a["pose"].tobytes() != c["pose"].tobytes()


def test_the_resolved_scenario_runs_again_to_the_same_bits(swarm, tmp_path):
    swarm("simulate", "migrate_mixed", "--duration", "2", "--set", "cohesion.weight=0.5", "--out", tmp_path / "a")
    again = swarm("simulate", tmp_path / "a" / "scenario.yaml", "--out", tmp_path / "b")
    assert again.returncode == 0, again.stderr
    (_, a, _), (_, b, _) = results(tmp_path / "a"), results(tmp_path / "b")
    assert a["pose"].tobytes() == b["pose"].tobytes()


@pytest.mark.parametrize("count", [1, 2, 300])
def test_any_number_of_robots(swarm, tmp_path, count):
    done = swarm("simulate", "scale", "--robots", str(count), "--duration", "1", "--out", tmp_path / "a")
    assert done.returncode == 0, done.stderr
    summary, trajectory, _ = results(tmp_path / "a")
    assert summary["robots"] == count == trajectory["pose"].shape[1]
    assert (summary["min_separation"] is None) == (count == 1)
    assert summary["arrived_fraction"] is None and summary["formation_error_mean"] is None


def test_until_arrival_ends_when_the_goal_is_reached(swarm, tmp_path):
    done = swarm("simulate", "migrate_boxes", "--until-arrival", "--out", tmp_path / "a")
    assert done.returncode == 0, done.stderr
    summary, _, _ = results(tmp_path / "a")
    assert summary["arrived_fraction"] >= 0.9
    assert summary["arrival_time"] <= summary["duration"] <= summary["arrival_time"] + 0.1
    assert [phase["name"] for phase in summary["phases"]] == ["goal 1"]


def test_multi_goal_visits_the_goals_in_turn(swarm, tmp_path):
    swarm("simulate", "multi_goal", "--until-arrival", "--out", tmp_path / "a")
    summary, trajectory, scenario = results(tmp_path / "a")
    phases = summary["phases"]
    assert [phase["name"] for phase in phases] == ["goal 1", "goal 2", "goal 3"]
    assert all(a["end"] == b["start"] for a, b in pairwise(phases))
    for phase, goal in zip(phases, scenario["goals"]):
        k = int(np.argmin(np.abs(trajectory["time"] - phase["end"])))
        centre = trajectory["pose"][k, :, :2].mean(axis=0)
        assert np.hypot(*(centre - goal["position"])) < 1.0


def test_phases_change_parameters(swarm, tmp_path):
    path = tmp_path / "phased.yaml"
    path.write_text("""
robots: [{count: 2, start: {pattern: poses, poses: [[0, 0, 0], [0.3, 0, 0]]}}]
control: {separation: {weight: 0.0, distance: 1.0}}
phases: [{name: rest, start: 0}, {name: part, start: 1.0, set: {separation.weight: 1.0}}]
duration: 3
""")
    assert swarm("simulate", path, "--out", tmp_path / "a").returncode == 0
    summary, trajectory, _ = results(tmp_path / "a")
    gap = np.hypot(*(trajectory["pose"][:, 1, :2] - trajectory["pose"][:, 0, :2]).T)
    assert gap[trajectory["time"] <= 1.0].max() == pytest.approx(0.3)
    assert gap[-1] > 0.8
    assert [(p["name"], p["start"]) for p in summary["phases"]] == [("rest", 0.0), ("part", 1.0)]


def test_list_names_everything(swarm):
    done = swarm("list")
    assert done.returncode == 0
    for word in ("flock_frame", "maze_hard", "scale", "separation", "steer_to_avoid", "guidance", "omni", "differential", "point_mass"):
        assert f"\n  {word} " in done.stdout


def test_nothing_heavy_is_loaded_on_the_way_to_a_run():
    """What makes the start quick, without a clock."""
    code = "import sys, swarm_control.analysis.simulation; print([m for m in ('matplotlib', 'rclpy', 'mujoco') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_a_world_that_places_robots_brings_them_and_names_stay_different(swarm, tmp_path):
    text = 'define robot position ( size [0.1 0.1 0.1] drive "omni" )\nrobot ( pose [-4 1 0 90] name "robot_1" )\n'
    (tmp_path / "w.world").write_text(text)
    done = swarm("simulate", "flock_frame", "--world", "w.world", "--duration", "0.2", "--out", "a")
    assert done.returncode == 0, done.stderr
    _, alone, _ = results(tmp_path / "a")
    assert list(alone["names"]) == ["robot_1"]
    assert alone["pose"][0, 0] == pytest.approx([-4.0, 1.0, np.pi / 2])
    swarm("simulate", "flock_frame", "--world", "w.world", "--robots", "3", "--duration", "0.2", "--out", "b")
    _, more, _ = results(tmp_path / "b")
    assert list(more["names"]) == ["robot_1", "robot_0", "robot_2"]


def test_a_step_that_takes_long_is_told_of_while_it_does(monkeypatch, capsys):
    monkeypatch.setattr(run_output, "LONG", 0.2)
    said, until = "", time.monotonic() + 60.0
    with run_output.RunProgress(12.0):
        while said.count("this step has taken") < 2:
            assert time.monotonic() < until
            said += capsys.readouterr().err
            time.sleep(0.01)
    assert said.startswith("t =    0.0 of 12 s   this step has taken 0 s so far")


def test_who_watches_a_formation_is_told_how_far_it_is_on_its_way(capsys):
    run = Simulation("formation_gap").run(until=3.0)
    clock, lasting = run.controller.formation(0).planned
    assert clock == pytest.approx(3.0, abs=0.2) and 15.0 < lasting < 40.0
    watch = run_output.RunProgress(120.0)
    watch.shown -= 2.0
    watch(run.last)
    assert f"arrived   0 %   formation: {clock:.0f} of {lasting:.0f} s of its way   " in capsys.readouterr().err
    run.run(until="arrival")
    assert run.controller.formation(0).planned is None
    flock, watch.shown = Simulation("flock_frame", robots=3).run(until=0.1), -9.0
    watch(flock.last)
    assert "formation" not in capsys.readouterr().err


@pytest.mark.skipif(not any(find_library(name) for name in ("EGL", "OSMesa")), reason="nothing renders without a screen here")
def test_a_lab_floor_in_mujoco_is_run_and_filmed(swarm, tmp_path):
    import cv2

    done = swarm(
        "simulate", "formation_translate", "--simulator", "mujoco", "--duration", "2", "--film", tmp_path / "a.mp4", "--out", tmp_path / "a"
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    summary, trajectory, _ = results(tmp_path / "a")
    assert list(summary) == KEYS and summary["collisions"] == 0
    gone = np.hypot(*(trajectory["pose"][-1] - trajectory["pose"][0])[:, :2].T)
    assert (gone > 0.2).all() and (gone < 0.6).all(), "at 0.3 m/s at most, with motors that lag"
    assert np.ptp(gone) > 1e-6, "and no two of them alike"
    film = cv2.VideoCapture(str(tmp_path / "a.mp4"))
    assert film.get(cv2.CAP_PROP_FRAME_COUNT) == pytest.approx(50, abs=2) and film.get(cv2.CAP_PROP_FPS) == pytest.approx(25.0)


@pytest.mark.parametrize(("words", "named"), [
    (("formation_translate", "--simulator", "stage"), ("--simulator", "stage", "expected embedded or mujoco", "swarm run")),
    (("flock_frame", "--simulator", "mujoco"), ("robots.model", "omni", "two wheels")),
    (("formation_gap", "--simulator", "mujoco"), ("hardware.tracker.marker_size: 0.1 m found", "needed are 0.16 m, more than 0.14 m",
                                                  "expected a smaller map")),
    (("formation_translate", "--simulator", "mujoco", "--set", "hardware.tracker.marker_size=0.3"), ("0.3 m found", "to 0.28 m")),
    (("formation_translate", "--simulator", "mujoco", "--set", "hardware.tracker.marker_size=0.01"), ("0.01 m found", "expected 0.0")),
    (("formation_translate", "--film", "a.mp4"), ("--film", "--simulator mujoco")),
])  # fmt: skip
def test_what_no_lab_floor_is_made_for_is_refused_in_a_line(swarm, tmp_path, words, named):
    done = swarm("simulate", *words, "--out", tmp_path / "a")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and all(word in done.stderr for word in named), done.stderr
