"""The tutorial docs/tune_and_sweep.md, word for word: its files are written, its commands run, and what it says of them is so."""

import csv
import re

import numpy as np
import pytest
from support.tutorial import follow

from swarm_control.scenario.loader import load

pytestmark = [pytest.mark.ros(anytime=True), pytest.mark.study]


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """The folder in which a reader has followed the page from its beginning to its end; what each command printed."""
    folder = tmp_path_factory.mktemp("tune")
    return folder, follow("tune_and_sweep.md", folder)


def rows(folder, name):
    with (folder / "results" / name / "sweep.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_more_seeds_are_added_and_twelve_robots_take_longer(followed):
    found = rows(followed[0], "weights")
    assert len(found) == 12 and {row["seed"] for row in found} == {"100", "101", "102"}
    assert len(list((followed[0] / "results/weights/runs").iterdir())) == 12
    first, second = (text for command, text in followed[1].items() if "results/weights" in command)
    assert first != second
    for weight in (0.3, 1.5):
        few, many = (
            np.mean([float(row["arrival_time"]) for row in found if (float(row["cohesion.weight"]), row["robots"]) == (weight, n)])
            for n in ("6", "12")
        )
        assert few < many


def test_what_tuning_found_is_a_scenario_and_was_tried_on_seeds_that_it_had_not_seen(followed):
    (said,) = (text for command, text in followed[1].items() if command.startswith("swarm tune"))
    assert said.count("held-out seeds: cost") == 2
    scenario = load(str(followed[0] / "results/tuned/scenario.yaml"), ()).scenario
    assert 0.1 <= scenario.control.cohesion.weight <= 3.0 and scenario.control.alignment.weight <= 2.0
    costs = [float(text) for text in re.findall(r"held-out seeds: cost (\S+)", said)]
    assert costs[1] < costs[0], "it is better on those, too"


def test_both_are_flown_on_seeds_that_nobody_has_used(followed):
    for name in ("before", "after"):
        found = rows(followed[0], name)
        assert [row["seed"] for row in found] == ["500", "501", "502", "503"]
        assert all(float(row["arrived_fraction"]) >= 0.9 and row["collisions"] == "0" for row in found)
    before, after = (np.mean([float(row["arrival_time"]) for row in rows(followed[0], name)]) for name in ("before", "after"))
    assert after < before
