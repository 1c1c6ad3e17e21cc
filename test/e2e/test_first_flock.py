"""The tutorial docs/first_flock.md, word for word: its files are written, its commands run, and what it says of them is so."""

import json
import re
from itertools import combinations

import numpy as np
import pytest
from support.tutorial import follow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder in which a reader has followed the page from its beginning to its end; what each command printed."""
    folder = tmp_path_factory.mktemp("flock")
    return folder, follow("first_flock.md", folder)


pytestmark = pytest.mark.ros(anytime=True)


def summary(folder, name):
    return json.loads((folder / "results" / name / "summary.json").read_text())


def test_robots_spread_and_drift_on(folder):
    with np.load(folder[0] / "results/apart/trajectory.npz") as run:
        last, before = run["pose"][-1, :, :2], run["pose"][-20, :, :2]
    assert min(np.hypot(*(a - b)) for a, b in combinations(last, 2)) > 0.49
    assert np.median(np.hypot(*(last - before).T)) > 0.02, "in the last second"


@pytest.mark.parametrize("name", ["flock", "cars", "late"])
def test_the_flock_arrives_without_a_contact(folder, name):
    made = summary(folder[0], name)
    assert made["arrived_fraction"] >= 0.9 and made["collisions"] == 0


def test_late_odometry_is_slower(folder):
    assert summary(folder[0], "late")["arrival_time"] > summary(folder[0], "flock")["arrival_time"]


def test_more_leaders_are_sooner_there(folder):
    (table,) = (text for command, text in folder[1].items() if command.startswith("swarm sweep"))
    times = [float(line.split()[-3]) for line in table.splitlines() if re.match(r"\d+ +4 ", line)]
    assert len(times) == 3 and times == sorted(times, reverse=True)


def test_the_nodes_run(folder):
    assert summary(folder[0], "nodes")["collisions"] == 0
    with np.load(folder[0] / "results/nodes/trajectory.npz") as run:
        assert np.hypot(*(run["pose"][-1, :, :2] - run["pose"][0, :, :2]).T).max() > 0.5, "they have set out"
