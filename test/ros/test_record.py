"""``swarm run --record``: what was recorded is what happened, and others can read it."""

import os
import subprocess

import claims
import numpy as np
import pytest
from forked_swarm import forked_swarm
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore

from swarm_control.analysis.bags.runs import read_bag
from swarm_control.analysis.report.runs import read_runs

pytestmark = pytest.mark.ros(anytime=True)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    words = ["run", "migrate_boxes", "--robots", "3", "--duration", "4", "--out", str(folder / "out"), "--record", str(folder / "run.mcap")]
    domain = claims.domain()
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain.number)}
    command = [*forked_swarm(), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    domain.release()
    assert done.returncode == 0, done.stderr
    return folder


def test_the_bag_has_the_run_that_the_results_have(recorded):
    bag, known = read_bag(recorded / "run.mcap"), read_runs([recorded / "out"])[0]
    assert bag.trajectory.names == known.trajectory.names
    end = bag.trajectory.time[-1]
    instants = np.searchsorted(bag.trajectory.time, np.minimum(known.trajectory.time, end) - 1e-6)
    common = known.trajectory.time <= end + 1e-6
    assert common.mean() > 0.9
    gap = np.abs(bag.trajectory.pose[instants] - known.trajectory.pose)[common]
    assert np.median(gap) < 1e-9  # the same states; a few may be missing in either
    assert bag.settings["name"] == "migrate_boxes" and np.array_equal(bag.grid.occupied, known.grid.occupied)
    summary = {key: known.summary[key] for key in ("arrived_fraction", "arrival_time", "jam_time", "jams", "phases")}
    assert read_runs([recorded / "run.mcap"])[0].summary == summary and summary["phases"], "the report reads them from the topic"
    assert any(name.startswith("share/") for name in bag.series) and any(name.startswith("share/") for name in known.series)


def test_every_topic_is_there_with_its_standard_type(recorded):
    store = get_typestore(Stores.LATEST)
    with Reader(recorded / "run.mcap") as reader:
        kinds = {c.topic: c.msgtype for c in reader.connections}
        for connection, _, data in reader.messages():
            store.deserialize_cdr(data, connection.msgtype)
    assert kinds["/robot_1/odom"] == "nav_msgs/msg/Odometry" and kinds["/robot_2/cmd_vel"] == "geometry_msgs/msg/Twist"
    assert {"/map", "/clock", "/swarm/goals", "/swarm/neighbours", "/swarm/acceleration", "/swarm/mission", "/swarm/status"} <= set(kinds)
