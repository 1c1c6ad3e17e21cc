"""``--set`` changes the scenario of every flight of an experiment, and an experiment that flies none refuses it."""

import json

import numpy as np
import pytest

from swarm_control.analysis.experiments import EXPERIMENTS, UNSEEDED, Finding, Page, Trial, experiment
from swarm_control.analysis.experiments.finding import Curves
from swarm_control.cli.main import main

WIDE = "robots.0.radius=0.1"
LINE = Curves("a line", "x", "y", {"one": (np.arange(3.0), np.arange(3.0), None)})


def width(flight):
    return float(flight.radius[0])


@pytest.fixture
def widths():
    """An experiment that tells how wide robots are that it leaves alone, and that it changes itself."""

    @experiment("widths", "how wide robots are", Page("widths", "Widths"), reported_on=range(100, 101))
    def fly(lab):
        trials = [Trial("flock_frame", ("duration=0.1", *own), UNSEEDED) for own in ((), ("robots.0.radius=0.05",))]
        rows = tuple((f"{value:g}",) for value in lab.measure(trials, width))
        return Finding("Widths", "Not in the papers.", ("radius",), rows, {}, (LINE,))

    yield "widths"
    EXPERIMENTS.remove("widths")


def test_scenarios_are_changed_before_the_experiment_does_and_the_record_tells(widths, tmp_path):
    assert main(["experiment", widths, "--set", WIDE, "--out", str(tmp_path)]) == 0
    record = json.loads((tmp_path / "widths" / "widths.json").read_text())
    assert record["rows"] == [["0.1"], ["0.05"]]
    assert record["command"] == f"swarm experiment widths --set {WIDE}"


def test_an_experiment_that_works_by_itself_is_refused(tmp_path, capsys):
    @experiment("by_itself", "flies nothing", Page("by_itself", "By itself"), reported_on=range(100, 101))
    def work(lab):
        return Finding("By itself", "Not in the papers.", ("x",), (("1",),), {}, (LINE,))

    try:
        assert main(["experiment", "by_itself", "--out", str(tmp_path / "plain")]) == 0
        assert main(["experiment", "by_itself", "--set", WIDE, "--out", str(tmp_path / "changed")]) == 2
    finally:
        EXPERIMENTS.remove("by_itself")
    assert "swarm: --set: experiment 'by_itself'" in capsys.readouterr().err
    assert not list((tmp_path / "changed").rglob("*.json"))


@pytest.mark.parametrize(("name", "change"), [("social_density", WIDE), ("widths", "robots.0.radios=0.1"), ("widths", "duration=-3")])
def test_what_changes_nothing_is_refused(name, change, widths, tmp_path, capsys):
    assert main(["experiment", name, "--quick", "--set", change, "--out", str(tmp_path)]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("swarm: ")]
    assert line.startswith("swarm: --set")
