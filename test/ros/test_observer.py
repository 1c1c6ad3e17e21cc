"""What ``swarm run`` knows of formations: their errors while they are kept, part by part, and nothing of them afterwards."""

import json

import numpy as np
import pytest
from resident import resident

from swarm_control.analysis.simulation import Outcome
from swarm_control.cli import run_output
from swarm_control.core.state import SwarmState
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support.observer import Observer
from swarm_control.runtime.mission_state import Entry, MissionState, Progress
from swarm_control.scenario.loader import load_prepared

TRIANGLE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


@pytest.mark.parametrize(("source", "known"), [("swarm_state", 0), ("odom", None)])
def test_collisions_are_unknown_where_no_simulator_counts_them(tmp_path, capfd, source, known):
    """Neither nought, nor what overlaps in odometry."""
    loaded, setup = load_prepared("formation_translate", ["robots=3"])
    found = Observer(loaded, setup, source)
    try:
        found.settle()
        summary = found.metrics.summary(
            scenario="x", seed=0, duration=0.0, wall_time=1.0, collisions=found.contacts, energy=None, results=found.results, results_of={}
        )
        assert summary["collisions"] is known and found.collisions is known
        said = "0" if known == 0 else "unknown"
        assert f"collisions {said}" in found.line(10.0)
        run_output.finish(tmp_path, loaded, setup, Outcome(summary, found.recorder, 0, found.series))
        assert ("0 collisions" if known == 0 else "collisions unknown") in capfd.readouterr().out
        assert json.loads((tmp_path / "summary.json").read_text())["collisions"] is known
    finally:
        found.close()


def test_a_long_run_has_its_memory_from_the_start():
    found = Observer(*load_prepared("flock_frame", ["robots=20", "duration=1e6"]), "swarm_state")
    try:
        assert resident(found.recorder._columns["pose"]) == resident(found.recorder._columns["velocity"]) == 1.0
    finally:
        found.close()


@pytest.mark.parametrize("tracker", ["none", "pose_array"])
def test_a_run_by_wheels_alone_says_that_it_does_not_know_where_robots_are(tmp_path, capfd, tracker):
    changes = ["hardware.wheels.link=tcp://h:500{index}", f"hardware.tracker.source={tracker}"]
    loaded, setup = load_prepared("formation_translate", changes)
    found = Observer(loaded, setup, "odom")
    try:
        found.settle()
        summary = found.metrics.summary(
            scenario="x", seed=0, duration=0.0, wall_time=1.0, collisions=None, energy=None, results=found.results, results_of={}
        )
        run_output.finish(tmp_path, loaded, setup, Outcome(summary, found.recorder, 0, found.series))
        assert ("not known: where the robots truly are" in capfd.readouterr().out) == (tracker == "none")
    finally:
        found.close()


def test_times_of_real_robots_count_from_the_begin_of_the_run():
    loaded, setup = load_prepared("formation_translate", ["robots=3"])
    found = Observer(loaded, setup, "odom")
    try:
        found._origin = 1e9
        entries = (Entry("phase", "before", 1e9 - 3.0, 1e9 + 0.5, None), Entry("goal", "goal 1", 1e9 + 0.5, 1e9 + 31.5, 1.0))
        found._mission.state = MissionState(1, 1e9 + 40.0, Progress(arrived_fraction=1.0, arrival_time=1e9 + 31.5, phases=entries))
        assert found.results["arrival_time"] == 31.5 and found.results["arrived_fraction"] == 1.0
        assert [(phase["start"], phase["end"]) for phase in found.results["phases"]] == [(0.0, 0.5), (0.5, 31.5)]
    finally:
        found.close()


@pytest.fixture(params=[True, False], ids=["points", "errors"])
def observer(request):
    """Hears where robots' points are, or only how far they are from them."""
    loaded, setup = load_prepared("formation_translate", ["robots=3"])
    found = Observer(loaded, setup, "swarm_state", true=request.param)
    found.judges = request.param
    yield found
    found.close()


def cloud(kind, time, rows):
    return cdr.CloudWriter("map", kind).write(time, rows)


def hear(observer, time, position, told):
    """The robots' true state, and what the node of the formation says if it says anything."""
    pose = np.column_stack((position, np.zeros(3)))
    state = SwarmState.of(time, pose, np.zeros((3, 3)))
    observer._hear(cloud(convert.SWARM_STATE, time, convert.state_rows(state, np.zeros(3, np.int64))))
    if told and observer.judges:
        rows = convert.target_rows(TRIANGLE, np.zeros((3, 3)), np.ones(3, np.int64), np.arange(3))
        observer._hear_targets(cloud(convert.TARGETS, time, rows))
    elif told:
        rows = np.zeros(1, convert.STRUCTURE)
        rows["robots"], rows["error"] = 3, 0.5
        observer._hear_structure("/swarm", cloud(convert.STRUCTURE, time, rows))


def test_the_error_is_not_known_any_more_once_nobody_keeps_the_formation(observer):
    period, timeout = observer.control.period, observer.control.safety.command_timeout
    for k in range(1, 40):
        hear(observer, k * period, 2.0 * TRIANGLE, told=k <= 10)
    errors = observer.series.arrays()["formation_error"]
    kept = 10 + round(timeout / period)
    assert np.isfinite(errors[4:kept]).all() and (errors[4:kept] > 0.1).all()
    assert np.isnan(errors[kept + 3 :]).all()


@pytest.mark.parametrize("observer", [True], indirect=True, ids=["points"])
def test_each_part_of_a_split_formation_is_judged_by_itself(observer):
    """The third robot's part is elsewhere than the points say, but whole."""
    position = np.add(TRIANGLE, [[0.0, 0.0], [0.0, 0.0], [5.0, 0.0]])
    hear(observer, 0.1, position, told=False)
    for part, expected in ((np.array([1, 1, 2]), pytest.approx(0.0, abs=1e-9)), (np.array([1, 1, 1]), pytest.approx(1.5, abs=0.5))):
        rows = convert.target_rows(TRIANGLE, np.zeros((3, 3)), part, np.arange(3))
        observer._hear_targets(cloud(convert.TARGETS, 0.1, rows))
        assert observer._error == expected == observer._errors[""]


@pytest.mark.parametrize("observer", [True], indirect=True, ids=["points"])
def test_a_message_that_makes_no_sense_does_not_begin_the_recording_again(observer):
    """Its stamp alone is of another time; that of one that makes sense is believed."""
    for k in range(1, 6):
        hear(observer, k * observer.control.period, TRIANGLE, told=False)
    recorded = observer.frames
    with pytest.raises(ValueError, match="id"):
        observer._hear(cloud(np.dtype([("x", "f4")]), 0.0, np.zeros(1, [("x", "f4")])))
    assert observer.frames == recorded
    hear(observer, observer.control.period, TRIANGLE, told=False)
    assert observer.frames == 2
