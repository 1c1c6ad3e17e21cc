"""A process that sleeps and shows no sign of life hangs; one whose threads wait for a processor on a busy computer does not."""

import os
import subprocess
import sys
import time

import pytest

from swarm_control.ros.support import session
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
    monkeypatch.setattr(session, "_waited", lambda process: 0.9 * time.time())
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
        while any(session._waited(rival.pid) < 0.3 for rival in rivals):
            assert time.monotonic() < deadline, [session._waited(rival.pid) for rival in rivals]
            time.sleep(0.05)
    finally:
        for rival in rivals:
            rival.kill()
            rival.wait()
