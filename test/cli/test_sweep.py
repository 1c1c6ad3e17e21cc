"""``swarm sweep``."""

import os
import signal
import subprocess
import sys

import pytest

from swarm_control.cli.main import main

WORDS = [
    "sweep", "migrate_boxes", "--param", "separation.weight=0.1,0.3", "--param", "robots=2,3", "--seeds", "3", "--first-seed", "50",
    "--set", "duration=2", "--jobs", "1",
]  # fmt: skip


def made(folder):
    """The runs that there are, and when each was written."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "runs").glob("[!.]*.json")}


def test_a_sweep_that_was_killed_goes_on_where_it_was(tmp_path, capsys):
    command = [sys.executable, "-m", "swarm_control.cli.main", *WORDS, "--out", str(tmp_path)]
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(made(tmp_path)) < 2:
        assert first.poll() is None
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    before = made(tmp_path)
    assert 2 <= len(before) < 12
    assert main([*WORDS, "--measure", "min_separation", "--out", str(tmp_path)]) == 0
    after = made(tmp_path)
    assert len(after) == 12 and before.items() <= after.items()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["separation.weight", "robots", "runs", "min_separation"]
    assert lines[1].split()[:3] == ["0.1", "2", "3"] and "±" in lines[1] and lines[4].split()[:3] == ["0.3", "3", "3"]
    assert [line.strip() for line in lines[5:]] == [str(tmp_path / f"sweep.{end}") for end in ("csv", "parquet", "png")]
    assert len((tmp_path / "sweep.csv").read_text(encoding="utf-8").splitlines()) == 13
    assert (tmp_path / "sweep.png").stat().st_size > 10_000

    assert main([*WORDS, "--out", str(tmp_path)]) == 0
    assert made(tmp_path) == after


def test_what_was_drawn_is_told_by_ranks(tmp_path, capsys):
    words = ["--param", "robots.0.radius=0.02:0.1:log", "--design", "latin", "--samples", "8", "--seeds", "1", "--set", "duration=0.5"]
    assert main(["sweep", "migrate_boxes", *words, "--jobs", "1", "--measure", "min_clearance", "--out", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-6].startswith("rank correlation") and lines[-5].split() == ["min_clearance"]
    path, rank = lines[-4].split()
    assert path == "robots.0.radius" and float(rank) == -1.0  # at the start, the larger a robot the less room it has


@pytest.mark.study
def test_runs_whose_values_do_not_go_together_are_counted_with_the_reason(tmp_path, capsys):
    words = ["--param", "robots.0.radius=0.05,30", "--seeds", "2", "--set", "duration=0.5", "--jobs", "1", "--out", str(tmp_path)]
    assert main(["sweep", "migrate_boxes", *words]) == 0
    assert "not flown, 2 of 4 runs: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "--param"), (["--param", "robots=2", "--design", "square"], "--design"), (["--param", "robots=2", "--seeds", "0"], "--seeds"),
        (["--param", "robots=2", "--measure", "arival_time"], "did you mean arrival_time"), (["--param", "robots=2:5"], "--design latin"),
        (["--param", "robots=2", "--first-seed", "x"], "--first-seed"), (["--param", "arrival.weight=a"], "--param arrival.weight=a"),
        (["--param", "robots=2", "--out", "/proc/none"], "--out"), (["--param", "control.period=0.05", "--set", "simulator.dt=0.03"], "dt"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(capsys, words, message):
    assert main(["sweep", "migrate_boxes", *words]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and "Traceback" not in error
