"""The files of ``config/robots``: each is a scenario that runs in the simulator, and tells where its values are from."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from swarm_control.analysis.simulation import simulate
from swarm_control.scenario.loader import load_prepared
from swarm_control.scenario.topic_names import real_topics

FOLDER = Path(__file__).parents[2] / "config" / "robots"
FILES = sorted(FOLDER.glob("*.yaml"))
MEASURES = ("radius", "wheel_base", "max_speed", "max_acceleration", "max_turn_rate", "odom", "cmd_vel", "command_timeout")


def test_there_is_a_file_for_each_robot():
    assert [file.stem for file in FILES] == ["crazyflie", "diff_drive", "epuck2", "turtlebot3", "turtlebot4"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_its_robots_arrive_in_the_simulator_without_touching(file):
    outcome = simulate(*load_prepared(str(file)), until_arrival=True)
    assert outcome.summary["arrived_fraction"] == 1.0 and outcome.summary["collisions"] == 0


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_its_robots_are_told_to_stop_before_their_driver_stops_them_and_can_be_held(file):
    loaded, setup = load_prepared(str(file))
    topics = real_topics(loaded.scenario.hardware.topics, setup.fleet.names)
    assert topics.stamped == "auto" and loaded.scenario.control.safety.command_timeout < 0.5
    assert loaded.scenario.hardware.odometry.frame == "start" or loaded.scenario.hardware.tracker.source != "none"
    corners = np.reshape(loaded.scenario.control.safety.fence, (-1, 2))
    assert (np.abs(setup.start.position) + setup.fleet.radius[:, None] < corners.max(axis=0)).all()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_measure_says_where_it_is_from(file):
    text = file.read_text(encoding="utf-8")
    data = yaml.safe_load(text)
    named = {key for key in MEASURES for line in text.splitlines() if line.strip().startswith(f"{key}:") and "#" in line}
    told = {*data["robots"][0], *data["hardware"]["topics"], *data["control"]["safety"]} & set(MEASURES)
    assert told - named == set()
