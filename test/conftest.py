"""For all tests: properties are judged by what they say, not by how long a busy machine takes over them. The experiments are found.

Tests marked ``study`` take long, or repeat whole experiments: they are left to ``make studies``. What a commit can break has a quicker one.

A commit passes or does not: hypothesis tries the same examples each time. ``HYPOTHESIS_PROFILE=search`` looks for new ones.
Robots move in real time: tests that start nodes run one after another, in one worker, with the others' processes after theirs; only those
that do not judge when something happens (``ros(anytime=True)``) run beside them. A machine that others use may yet stop for as long as a
robot may take to stand: such a test is tried three times, and what was tried again is listed.
"""

import contextlib
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: threads that wait for each other keep other workers waiting

from swarm_control.analysis.experiments.checkout import find_checkout

settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("search"), derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

WORKER = "PYTEST_XDIST_WORKER" in os.environ
"""Whether this process is one of several that run the tests."""

NICE = WORKER and os.geteuid() == 0
"""Whether this process gives way to others: only root's can take that back."""

find_checkout()

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a node that has to compile what it imports takes twice as long to start

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup before the tests is not meant for the programs that they start


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """A worker more than processors: that with the nodes waits for most of the time."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else len(os.sched_getaffinity(0)) + 1


def pytest_configure():
    """A worker is a session of its own: Linux shares processors between sessions first, and only then looks at what is nice in them."""
    if WORKER:
        os.setsid()


@pytest.hookimpl(tryfirst=True)  # before xdist looks at the groups (3.8 does so with pytest up to 9.1: setup.cfg)
def pytest_collection_modifyitems(items):
    """Tests that share what a module sets up once run in the same worker, and so do all that start nodes."""
    for item in items:
        made = getattr(item, "_fixtureinfo", None)
        scopes = {found[-1].scope for found in made.name2fixturedefs.values()} if made else set()
        if ros := item.get_closest_marker("ros"):
            item.add_marker(pytest.mark.flaky(reruns=2))
        if ros and not ros.kwargs.get("anytime"):
            item.add_marker(pytest.mark.xdist_group("ros"))
        elif "module" in scopes:
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


def pytest_terminal_summary(terminalreporter):
    """Why tests were tried again, which is gone where they then passed."""
    for report in terminalreporter.stats.get("rerun", ()):
        why = [line[:2000] for line in report.longreprtext.splitlines() if line.startswith("E ")]
        terminalreporter.write_line("\n".join((f"tried again: {report.nodeid}", *why[:12])))


def pytest_runtest_setup(item):
    """Programs of tests without nodes, this one included, give way to nodes."""
    if NICE:
        nice = 0 if item.get_closest_marker("ros") else 10
        os.setpriority(os.PRIO_PROCESS, 0, nice)
        with contextlib.suppress(OSError):  # a kernel without shares for sessions
            Path("/proc/self/autogroup").write_text(str(nice))
