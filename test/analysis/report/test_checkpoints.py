"""The result files of a run that goes on: always whole, never far behind, and of no influence on it."""

import json

import numpy as np
import pytest

from swarm_control.analysis.recording import Trajectory
from swarm_control.analysis.report.checkpoints import EVERY, SHARE, Checkpoints
from swarm_control.analysis.report.runs import read_runs
from swarm_control.analysis.simulation import Simulation
from swarm_control.scenario.loader import load


class Clock:
    """A time that passes when it is told to; ``cost`` (s) passes with every look."""

    def __init__(self):
        self.now = self.cost = 0.0

    def __call__(self):
        self.now += self.cost
        return self.now


def checkpoints(folder, scenario="migrate_boxes"):
    said, clock = [], Clock()
    return Checkpoints(folder, load(scenario), said.append, clock), clock, said


def test_what_is_written_is_what_there_is(tmp_path):
    keep, clock, said = checkpoints(tmp_path / "out")
    simulation = Simulation("migrate_boxes", robots=3)
    for end, instants in ((0.5, 11), (1.0, 21)):
        simulation.run(until=end)
        clock.now += 1.1 * EVERY
        keep(simulation.outcome)
        (run,) = read_runs([tmp_path / "out"])
        assert len(run.trajectory.time) == instants == len(run.series["time"]) + 1
        assert run.summary["duration"] == pytest.approx(end) and run.name == "migrate_boxes"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["scenario.yaml", "series.npz", "summary.json", "trajectory.npz"]
    assert said == []


@pytest.mark.parametrize("name", ["migrate_boxes", "formation_translate", "guard_castle"])
def test_checkpoints_leave_the_run_alone(tmp_path, name):
    """One after every tick, and the same bits as without."""
    keep, clock, _ = checkpoints(tmp_path, name)
    watched, alone = (Simulation(name, duration=3.0) for _ in range(2))

    def over(simulation):
        clock.now += 1e6
        keep(simulation.outcome)
        return False

    watched.run(until=over)
    alone.run()
    assert watched.trajectory.pose.tobytes() == alone.trajectory.pose.tobytes()
    there, here = watched.metrics(), alone.metrics()
    assert {key: value for key, value in there.items() if key not in ("wall_time", "real_time_factor")} == {
        key: value for key, value in here.items() if key not in ("wall_time", "real_time_factor")
    }
    assert Trajectory.load(tmp_path / "trajectory.npz").pose.tobytes() == alone.trajectory.pose.tobytes()


@pytest.mark.parametrize("cost", [0.0, 0.01, 3.0])
def test_what_takes_long_to_write_is_written_less_often(tmp_path, cost):
    """``cost`` (s) of one checkpoint; asked every 10 ms for 1000 s, they take no more than their share."""
    keep, clock, _ = checkpoints(tmp_path)
    simulation = Simulation("migrate_boxes", robots=1)
    written = []

    def outcome():
        clock.now += cost
        written.append(clock.now)
        return simulation.outcome()

    while clock.now < 1000.0 and len(written) < 20:
        clock.now += 0.01
        keep(outcome)
    gaps = np.diff(written)
    assert (gaps <= max(EVERY, cost / SHARE) + cost + 0.02).all()
    assert cost / gaps.mean() <= SHARE


def test_the_picture_of_a_former_run_does_not_stay(tmp_path):
    keep, clock, _ = checkpoints(tmp_path)
    (tmp_path / "trajectories.png").write_text("of a former run")
    clock.now += 1.0
    keep(Simulation("migrate_boxes", robots=1).outcome)
    assert not (tmp_path / "trajectories.png").exists()


def test_a_place_that_cannot_be_written_to_ends_checkpoints_with_one_line(tmp_path):
    keep, clock, said = checkpoints(tmp_path)
    simulation = Simulation("migrate_boxes", robots=1)
    clock.now += 10.0
    keep(simulation.outcome)
    before = (tmp_path / "summary.json").read_text()
    (tmp_path / "series.npz").unlink()
    (tmp_path / "series.npz").mkdir()
    for _ in range(5):
        clock.now += 10.0
        simulation.step()
        keep(simulation.outcome)
    (line,) = said
    assert line.startswith(f"swarm: {tmp_path}/series.npz: cannot be written (") and "\n" not in line
    assert json.loads(before)["robots"] == 1
