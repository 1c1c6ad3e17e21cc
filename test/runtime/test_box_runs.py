"""Formations that take a box along: it arrives, is recorded, and changes nothing of a run in which it lies elsewhere."""

import numpy as np
import pytest

from swarm_control.analysis.recording import Trajectory
from swarm_control.analysis.simulation import Simulation
from swarm_control.errors import InputError


@pytest.mark.parametrize("model", ["omni", "differential"])
def test_the_box_comes_to_its_goal_in_the_middle_of_the_robots(model, tmp_path):
    run = Simulation("formation_box", set={"robots.0.model": model}).run(until="arrival")
    box = run.trajectory.object_pose[:, 0]
    assert run.done and run.metrics()["collisions"] == 0
    assert np.hypot(*(box[-1, :2] - (2.0, 1.5))) < 0.02
    assert np.hypot(*(box[:, :2] - run.trajectory.pose[:, :, :2].mean(axis=1)).T).max() < 0.02
    run.save(tmp_path)
    read = Trajectory.load(tmp_path / "trajectory.npz")
    assert (read.object_pose == run.trajectory.object_pose).all() and read.object_pose.shape == (len(read.time), 1, 3)


def test_a_run_without_objects_is_the_same_as_beside_one_that_is_far_away():
    far, none = (
        Simulation("formation_box", duration=3.0, set=change) for change in ({"objects.0.pose": [50, 0, 0]}, {"objects": []})
    )  # fmt: skip
    assert far.run().trajectory.pose.tobytes() == none.run().trajectory.pose.tobytes()
    assert none.trajectory.object_pose.size == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"objects": [{"wheels": 4}]}, "unknown key"),
        ({"objects.0.pose": [0.1, 0, 0]}, "overlaps one at the start"),
        ({"objects": [{}, {"size": [0.1, 0.1]}]}, "another object at the start"),
    ],
)
def test_objects_that_cannot_be_are_refused(change, said):
    with pytest.raises(InputError, match=said):
        Simulation("formation_box", set=change)
