"""``swarm simulate`` that is killed, told to end, has lost its terminal or fills the disk: what becomes of the results."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest
from forked_swarm import forked_swarm

from swarm_control import terminal
from swarm_control.analysis.bags.runs import read_bag
from swarm_control.analysis.report import results
from swarm_control.analysis.report.runs import read_runs
from swarm_control.cli.main import main
from swarm_control.runtime.controller import Controller

FILES = {"summary.json", "trajectory.npz", "scenario.yaml", "trajectories.png", "series.npz"}
ENDLESS = ("simulate", "flock_frame", "--robots", "3", "--duration", "1e6", "--out", "out")


@contextmanager
def running(folder, *words, **how):
    """The process of a ``swarm`` that was called in ``folder``; killed in the end."""
    swarm = (sys.executable, "-m", "swarm_control.cli.main") if "preexec_fn" in how else forked_swarm()
    command = [*swarm, *words]
    process = subprocess.Popen(command, cwd=folder, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **how})
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def until(condition, timeout=120.0):
    deadline = time.monotonic() + timeout
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found


def duration(folder):
    """Of the run so far, s; 0 before its first results."""
    try:
        return json.loads((folder / "out" / "summary.json").read_text())["duration"]
    except FileNotFoundError:
        return 0.0


def further(folder):
    """Wait for newer results than there are."""
    known = duration(folder)
    until(lambda: duration(folder) > known)


def complete(folder):
    """Whether all results are there and can be read; they are of a run that was ended early."""
    (run,) = read_runs([folder / "out"])
    assert run.trajectory.time[-1] <= run.summary["duration"] + 1e-9
    return {path.name for path in (folder / "out").iterdir()} == FILES and 0.0 < run.summary["duration"] < 1e6


def test_a_run_that_is_killed_leaves_results_that_are_read(tmp_path, swarm):
    with running(tmp_path, *ENDLESS) as process:
        further(tmp_path)
        further(tmp_path)
        process.kill()
        process.wait()
    (run,) = read_runs([tmp_path / "out"])
    assert run.summary["robots"] == 3 and len(run.trajectory.time) > 10 and run.settings["duration"] == 1e6
    with np.load(tmp_path / "out" / "series.npz") as series:
        assert len(series["time"]) > 10
    assert abs(run.series["time"][-1] - run.summary["duration"]) < 0.1 * run.summary["duration"]
    done = swarm("report", "out", "--out", "page")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT])
def test_a_run_that_is_told_to_end_leaves_complete_results(tmp_path, number):
    with running(tmp_path, *ENDLESS) as process:
        further(tmp_path)
        process.send_signal(number)
        said = process.communicate(timeout=120.0)
        assert process.returncode == 0 and "Traceback" not in said[1], said
    assert complete(tmp_path) and "summary.json" in said[0]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_while_results_are_written_changes_nothing(tmp_path, swarm, monkeypatch, number):
    draw = results.save

    def interrupted(*given):
        signal.raise_signal(number)
        draw(*given)

    monkeypatch.setattr(results, "save", interrupted)
    assert swarm("simulate", "flock_frame", "--robots", "3", "--duration", "1", "--out", "out").returncode == 0
    assert complete(tmp_path)


@pytest.mark.study
def test_a_hangup_that_is_ignored_stays_ignored(tmp_path):
    """As under ``nohup``."""
    with running(tmp_path, *ENDLESS, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
        further(tmp_path)
        process.send_signal(signal.SIGHUP)
        further(tmp_path)
        further(tmp_path)
        process.terminate()
        assert process.wait(120.0) == 0
    assert complete(tmp_path)


def test_a_step_that_takes_long_is_left_out_soon_after_the_signal_to_end(tmp_path, monkeypatch, capfd):
    tick = Controller.tick

    def held_up(controller, news, *rest):
        decision = tick(controller, news, *rest)
        if news.state.time > 0.45:
            monkeypatch.setattr(terminal, "PATIENCE", 0.2)
            signal.raise_signal(signal.SIGTERM)
            time.sleep(60.0)
        return decision

    monkeypatch.setattr(Controller, "tick", held_up)
    began = time.monotonic()
    assert main(["simulate", "flock_frame", "--robots", "3", "--out", str(tmp_path / "out")]) == 0
    assert time.monotonic() - began < 30.0 and "the step that was under way is left out" in capfd.readouterr().err
    assert complete(tmp_path) and 0.45 < duration(tmp_path) < 0.6


def test_a_terminal_that_is_gone_loses_no_results(tmp_path):
    ours, theirs = os.openpty()
    with running(tmp_path, *ENDLESS, stdout=theirs, stderr=theirs, stdin=theirs) as process:
        os.close(theirs)
        further(tmp_path)
        os.close(ours)  # from now on whatever is written there fails: EIO
        further(tmp_path)
        further(tmp_path)
        process.send_signal(signal.SIGHUP)
        assert process.wait(120.0) == 0
    assert complete(tmp_path)


def test_a_reader_that_is_gone_loses_no_results(tmp_path):
    with running(tmp_path, *ENDLESS) as process:
        process.stdout.close()
        process.stderr.close()
        further(tmp_path)
        process.terminate()
        assert process.wait(120.0) == 0
    assert complete(tmp_path)


def limited(size):
    """How to start a process whose files cannot be longer than this (bytes), as if the disk were full."""
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))}


def errors(said):
    """What was said on standard error but for the progress."""
    return [line for line in said.splitlines() if not line.startswith("t = ")]


@pytest.mark.study
def test_a_full_disk_ends_checkpoints_with_a_line_and_a_run_whose_results_do_not_fit_with_another(tmp_path):
    with running(tmp_path, *ENDLESS, **limited(500_000)) as process:
        said = process.stderr.readline()
        while said.startswith("t = "):
            said = process.stderr.readline()
        process.terminate()
        further = process.communicate(timeout=120.0)[1]
        assert process.returncode == 1
    assert said.startswith("swarm: out/trajectory.npz: cannot be written (File too large)"), said
    (last,) = errors(further)
    assert last.startswith("swarm: out/trajectory.npz: cannot be written (File too large)")
    (run,) = read_runs([tmp_path / "out"])  # the last that fitted
    assert len(run.trajectory.time) > 1
    assert not [path for path in (tmp_path / "out").iterdir() if path.name.startswith(".")]


def test_a_disk_that_has_room_again_in_the_end_gets_all_results(tmp_path):
    with running(tmp_path, *ENDLESS, **limited(500_000)) as process:
        said = process.stderr.readline()
        while said.startswith("t = "):
            said = process.stderr.readline()
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        process.terminate()
        further = process.communicate(timeout=120.0)[1]
        assert process.returncode == 0 and errors(further) == []
    assert complete(tmp_path)


def test_a_full_disk_ends_the_recording_of_messages_not_the_run(tmp_path):
    words = ("simulate", "flock_frame", "--robots", "3", "--duration", "30", "--out", "out", "--record", "run.mcap")
    with running(tmp_path, *words, **limited(300_000)) as process:
        said = process.communicate(timeout=120.0)[1]
        assert process.returncode == 0, said
    (line,) = errors(said)
    assert line == "swarm: run.mcap: cannot be written (File too large); the recording ends here"
    assert complete(tmp_path)
    bag = read_bag(tmp_path / "run.mcap")
    assert 1.0 < bag.trajectory.time[-1] < 29.0 and len(bag.notices) == 1


def test_a_recording_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path, swarm):
    with running(tmp_path, *ENDLESS, "--record", "run.mcap") as process:
        further(tmp_path)
        known = duration(tmp_path)
        further(tmp_path)
        further(tmp_path)
        process.kill()
        process.wait()
    assert read_bag(tmp_path / "run.mcap").trajectory.time[-1] > known
    done = swarm("report", "run.mcap", "--out", "page")
    assert done.returncode == 0 and "cut short" in done.stdout + done.stderr, done.stderr
