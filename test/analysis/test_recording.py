import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from teams import at

from swarm_control.analysis.recording import INSTANTS, LIMIT, Trajectory, TrajectoryRecorder
from swarm_control.analysis.report.results import write_data
from swarm_control.analysis.series import Series
from swarm_control.core.state import SwarmState
from swarm_control.errors import InputError
from swarm_control.files import output_directory, replace_together, replacing
from swarm_control.scenario.yaml_text import dump_yaml


def record(ticks: int, expected: int, n: int = 2, limit: int = 1000) -> TrajectoryRecorder:
    recorder = TrajectoryRecorder([f"robot_{k}" for k in range(n)], expected, 0.1, limit)
    for k in range(ticks):
        recorder.add(SwarmState.of(0.1 * k, np.full((n, 3), float(k)), np.full((n, 3), -float(k))))
    return recorder


def save(recorder: TrajectoryRecorder, out: Path, scenario: dict, summary: dict) -> list[Path]:
    return write_data(out, dump_yaml(scenario), recorder, summary, Series())


@pytest.mark.parametrize(
    ("ticks", "expected", "most", "stride"),
    [(10, 10, 10, 1), (10, 0, 10, 1), (11, 10, 10, 2), (11, 11, 10, 2), (100, 10, 10, 16), (100, 100, 10, 16), (5, 100, 10, 1),
     (200, 1, 7, 32), (1, 1, 2, 1)],
)  # fmt: skip
def test_thinning_keeps_evenly_spaced_ticks_within_the_limit(ticks, expected, most, stride):
    recorder = record(ticks, expected, limit=2 * most + 1)
    run = recorder.trajectory()
    assert len(run.time) <= most
    assert run.time == pytest.approx(0.1 * np.arange(0, ticks, stride))
    assert recorder.period == pytest.approx(0.1 * stride)
    assert (run.pose == np.arange(0, ticks, stride)[:, None, None]).all()
    assert (run.velocity == -run.pose).all()


def test_a_long_run_of_many_robots_reserves_no_more_than_the_limit():
    recorder = TrajectoryRecorder(["r"] * 100_000, 10_000, 0.05)
    assert len(recorder._columns["pose"]) * 100_000 <= LIMIT


def test_a_long_run_of_few_robots_is_thinned_to_so_many_instants():
    run = record(3 * INSTANTS, 0, 1, limit=LIMIT).trajectory()
    assert run.time == pytest.approx(0.1 * np.arange(0, 3 * INSTANTS, 4)) and (run.pose[:, 0, 0] == np.arange(0, 3 * INSTANTS, 4)).all()


def test_result_files_follow_the_contract(tmp_path):
    recorder = record(5, 5)
    out = tmp_path / "new" / "place"
    scenario = {"name": "maß", "robots": [{"count": 2}], "world": None}
    paths = save(recorder, out, scenario, {"robots": 2, "min_clearance": None, "polarization": float("nan")})
    assert sorted(path.name for path in out.iterdir()) == ["scenario.yaml", "series.npz", "summary.json", "trajectory.npz"]
    assert {path.name for path in paths} == {path.name for path in out.iterdir()}
    assert json.loads((out / "summary.json").read_text()) == {"robots": 2, "min_clearance": None, "polarization": None}
    assert yaml.safe_load((out / "scenario.yaml").read_text(encoding="utf-8")) == scenario
    with np.load(out / "trajectory.npz", allow_pickle=False) as data:
        assert {key: data[key].shape for key in data} == {"time": (5,), "pose": (5, 2, 3), "velocity": (5, 2, 3), "names": (2,)}
        assert data["names"].tolist() == ["robot_0", "robot_1"]
    run = Trajectory.load(out / "trajectory.npz")
    assert run.names == ("robot_0", "robot_1")
    assert (run.pose == recorder.trajectory().pose).all()


def test_results_have_the_usual_permissions(tmp_path):
    usual = tmp_path / "usual"
    usual.write_text("")
    for path in save(record(2, 2), tmp_path / "out", {}, {}):
        assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)


def test_a_failed_write_leaves_the_former_file_and_no_litter(tmp_path):
    path = tmp_path / "summary.json"
    path.write_text("before")
    with pytest.raises(RuntimeError), replacing(path) as temporary:
        temporary.write_text("half")
        assert path.read_text() == "before"
        raise RuntimeError
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    with replacing(path) as temporary:
        temporary.write_text("after")
    assert path.read_text() == "after"
    assert list(tmp_path.iterdir()) == [path]


def test_files_that_belong_together_are_replaced_together_or_not_at_all(tmp_path):
    def full(path):
        path.write_text("half")
        raise OSError(28, "No space left on device")

    (tmp_path / "a").write_text("before")
    with pytest.raises(InputError, match=r"/b: cannot be written \(No space left on device\)"):
        replace_together(tmp_path, {"a": lambda path: path.write_text("after"), "b": full, "c": full})
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "before")]
    assert replace_together(tmp_path, {"a": lambda path: path.write_text("after")}) == [tmp_path / "a"]
    assert (tmp_path / "a").read_text() == "after"


def test_a_summary_that_cannot_be_written_damages_nothing(tmp_path):
    save(record(2, 2), tmp_path, {"a": 1}, {"robots": 2})
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(TypeError):
        save(record(3, 3), tmp_path, {"a": 2}, {"robots": object()})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_output_that_is_a_file_is_refused(tmp_path):
    place = tmp_path / "file"
    place.write_text("mine")
    with pytest.raises(InputError, match=r"file: is a file, expected a directory"):
        save(record(2, 2), place, {}, {})
    with pytest.raises(InputError, match="expected a directory"):
        output_directory(place / "below")
    assert place.read_text() == "mine"


def test_an_output_that_cannot_be_written_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match="is not writable, expected a directory"):
        output_directory(tmp_path)


def test_a_place_that_is_taken_by_a_directory_is_refused_in_one_line(tmp_path):
    (tmp_path / "summary.json").mkdir()
    with pytest.raises(InputError, match=r"summary\.json: cannot be written") as error:
        save(record(2, 2), tmp_path, {}, {})
    assert "\n" not in str(error.value)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04broken"])
def test_a_damaged_trajectory_is_refused(tmp_path, content):
    path = tmp_path / "trajectory.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"trajectory\.npz"):
        Trajectory.load(path)


def test_an_absent_or_foreign_trajectory_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        Trajectory.load(tmp_path / "absent.npz")
    np.savez(tmp_path / "other.npz", time=np.zeros(3), pose=np.zeros((2, 1, 3)), velocity=np.zeros((3, 1, 3)), names=np.array(["a"]))
    with pytest.raises(InputError, match="damaged"):
        Trajectory.load(tmp_path / "other.npz")


def test_a_recorder_copies_what_it_is_given():
    recorder = TrajectoryRecorder(["a"], 2, 0.1)
    state = at((1.0, 0.0, 0.0))
    recorder.add(state)
    state.pose[0, 0] = 9.0
    assert recorder.trajectory().pose[0, 0, 0] == 1.0


def test_a_run_in_real_time_takes_its_memory_at_the_start():
    """Else it grows by 200 MB in its first hour, and may find none left then. A process of its own has no memory to use again."""
    ask = """if True:
        from resident import resident
        from swarm_control.analysis.recording import TrajectoryRecorder
        later, now = (TrajectoryRecorder(["r"] * 50, 10**6, 0.05, taken=taken) for taken in (False, True))
        print(resident(later._columns["pose"]), *map(resident, (now._columns[name] for name in ("pose", "velocity", "time"))),
            now._columns["pose"].nbytes + now._columns["velocity"].nbytes)
    """
    path = os.pathsep.join((str(Path(__file__).parents[1] / "support"), *sys.path))
    said = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": path})
    later, *now, size = map(float, said.stdout.split())
    assert later < 0.1 and now == [1.0, 1.0, 1.0] and size == 48 * 50 * INSTANTS
