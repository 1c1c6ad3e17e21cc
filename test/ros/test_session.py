"""A process that sleeps and shows no sign of life hangs; one whose threads wait for a processor on a busy computer does not."""

import os
import shutil
import subprocess
import sys
import time

import pytest

from swarm_control.ros.support import session
from swarm_control.ros.support.processes import waited_for
from swarm_control.ros.support.session import HUNG, LOOK, Session


@pytest.fixture
def sleeper(tmp_path):
    """A process that does nothing, last heard of long ago."""
    process = subprocess.Popen([sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"], stdout=subprocess.PIPE)
    process.stdout.read(1)
    beat = tmp_path / f"swarm.guard.{process.pid}.beat"
    beat.touch()
    os.utime(beat, (time.time() - 2.0,) * 2)
    yield tmp_path, process
    process.kill()
    process.wait()
    process.stdout.close()


def found_in(folder, seconds):
    """Which processes are found to hang within so many seconds."""
    looked, end = Session(folder), time.monotonic() + seconds
    while not (found := looked.hung()) and time.monotonic() < end:
        time.sleep(LOOK)
    return [(one.name, one.process) for one in found]


def test_one_that_sleeps_without_a_sign_of_life_hangs(sleeper):
    folder, process = sleeper
    assert found_in(folder, 30.0) == [("/swarm/guard", process.pid)]


def test_one_whose_threads_wait_for_a_processor_does_not(sleeper, monkeypatch):
    monkeypatch.setattr(session, "waited_for", lambda process: 0.9 * time.time())
    assert not found_in(sleeper[0], 2.0 * HUNG)


def test_one_that_has_just_shown_a_sign_of_life_does_not(sleeper):
    folder, process = sleeper
    Session(folder).beat("/swarm/other")
    (beat,) = folder.glob(f"*{process.pid}*")
    beat.touch()
    assert not found_in(folder, 0.5 * HUNG)


def test_how_long_threads_wait_for_a_processor_is_counted():
    code = "while True: pass"
    allowed = {min(os.sched_getaffinity(0))}
    rivals = [subprocess.Popen([sys.executable, "-c", code], preexec_fn=lambda: os.sched_setaffinity(0, allowed)) for _ in range(2)]
    try:
        deadline = time.monotonic() + 60.0
        while any(waited_for(rival.pid) < 0.3 for rival in rivals):
            assert time.monotonic() < deadline, [waited_for(rival.pid) for rival in rivals]
            time.sleep(0.05)
    finally:
        for rival in rivals:
            rival.kill()
            rival.wait()


def test_what_must_be_kept_is_written_as_soon_as_it_can_be(tmp_path):
    """Something is in the way of the file, and later the whole folder is gone."""
    mine, other = Session(tmp_path / "run"), Session(tmp_path / "run")
    mine.store("/swarm/guard", "a")
    assert "No such file or directory" in mine.failure and other.stored("/swarm/guard") is None
    assert mine.renew() and not mine.renew()
    mine.keep()
    assert not mine.failure and other.stored("/swarm/guard") == "a"
    (draft := tmp_path / "run" / f"swarm.guard.{os.getpid()}.tmp").mkdir()
    mine.store("/swarm/guard", "b")
    assert "Is a directory" in mine.failure and other.stored("/swarm/guard") == "a"
    draft.rmdir()
    mine.keep()
    assert not mine.failure and other.stored("/swarm/guard") == "b"
    shutil.rmtree(tmp_path / "run")
    mine.keep()
    assert mine.failure and mine.renew()
    mine.keep()
    assert not mine.failure and other.stored("/swarm/guard") == "b" and len(list((tmp_path / "run").iterdir())) == 1
