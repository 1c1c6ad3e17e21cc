"""The tutorial docs/to_wheels.md, word for word: its files are written, its commands run, and what it says of them is so."""

import json

import numpy as np
import pytest
from support.tutorial import follow

pytestmark = [pytest.mark.ros(anytime=True), pytest.mark.study]


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """The folder in which a reader has followed the page from its beginning to its end; what each command printed."""
    folder = tmp_path_factory.mktemp("wheels")
    return folder, follow("to_wheels.md", folder)


def last(folder, name):
    with np.load(folder / "results" / name / "trajectory.npz") as run:
        return run["pose"][-1, :, :2]


def test_the_formation_arrives_in_simulation_and_on_wheels(followed):
    planned, believed = (json.loads((followed[0] / "results" / name / "summary.json").read_text()) for name in ("planned", "wheels"))
    assert planned["arrived_fraction"] == believed["arrived_fraction"] == 1.0 and planned["collisions"] == 0
    assert believed["collisions"] is None, "unknown"
    assert planned["arrival_time"] <= believed["arrival_time"], "how much later is up to the machine"


@pytest.mark.parametrize(("believed", "truth"), [("wheels", "truth"), ("broken", "broken_truth")])
def test_wheels_that_slip_tell_some_centimetres_too_much_and_nobody_touches(followed, believed, truth):
    off = np.linalg.norm(last(followed[0], believed) - last(followed[0], truth), axis=1)
    assert off.max() < 0.2 and (believed == "broken" or off.min() > 0.005)
    (said,) = (text for command, text in followed[1].items() if command.endswith(f"results/{truth}"))
    assert "in truth: 0 contacts" in said


def test_the_report_shows_both(followed):
    (said,) = (text for command, text in followed[1].items() if command.startswith("swarm report"))
    assert "(1 unknown)" in said
    assert all(f"results/report/{run}_trajectories.png" in said for run in (1, 2))
    assert (followed[0] / "results/report/report.html").is_file()
