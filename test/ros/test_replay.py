"""``swarm replay``: a recording in the dashboard, and nothing that could move a robot."""

import os
import re
import signal
import subprocess
import time
import urllib.request

import claims
import numpy as np
import pytest
import rclpy
from forked_swarm import forked_swarm
from std_srvs.srv import SetBool

from swarm_control.analysis.bags.runs import read_bag
from swarm_control.cli.main import main
from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support import node as base
from swarm_control.ros.support.replay import APART

pytestmark = pytest.mark.ros(anytime=True)


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recording")
    words = ["simulate", "migrate_boxes", "--duration", "3", "--robots", "4"]
    assert main([*words, "--out", str(folder / "out"), "--record", str(folder / "run.mcap")]) == 0
    return folder / "run.mcap"


def test_a_recording_is_played_into_the_dashboard(recording):
    claimed = claims.domain()
    users = (claimed.number - APART) % 101
    environment = {**os.environ, "ROS_DOMAIN_ID": str(users), "PYTHONUNBUFFERED": "1"}
    environment.pop("DISPLAY", None)
    command = [*forked_swarm(), "replay", str(recording), "--speed", "5"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    context = rclpy.Context()
    try:
        address, domain = _told(process)
        assert domain == claimed.number != users
        rclpy.init(context=context, domain_id=domain)
        node = rclpy.create_node("watcher", context=context)
        executor = base.executor(node, context)
        heard = []
        state = topics.Topic("/swarm/swarm_state", topics.SWARM_STATE.kind)
        topics.subscribe(node, state, lambda data: heard.append(cdr.read_cloud(data)), raw=True)
        _until(executor, lambda: len(heard) >= 20)
        played = read_bag(recording).trajectory
        for stamp, rows in heard:
            k = int(np.argmin(np.abs(played.time - stamp)))
            assert abs(played.time[k] - stamp) < 1e-6
            assert np.allclose(convert.state_of(stamp, rows, 4).pose, played.pose[k])
        with urllib.request.urlopen(address, timeout=10) as page:
            assert page.status == 200 and b"<html" in page.read()
        assert not node.get_publishers_info_by_topic("/robot_0/cmd_vel") and not node.get_publishers_info_by_topic("/robot_0/odom")
        pause = node.create_client(SetBool, "/swarm/pause")
        _until(executor, pause.service_is_ready)
        answers = []

        def answered():
            """A server that has only just been discovered may not find the way back: ask again."""
            if not answers or time.monotonic() > answers[-1][0] + 2.0:
                answers.append((time.monotonic(), pause.call_async(SetBool.Request(data=True))))
            return any(answer.done() for _, answer in answers)

        _until(executor, answered)
        (result, *_) = [answer.result() for _, answer in answers if answer.done()]
        assert result.success and result.message == "paused"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        rclpy.try_shutdown(context=context)
        claimed.release()
    assert process.returncode == 0


def _told(process):
    """Address and domain, from the line that tells them."""
    for line in process.stdout:
        found = re.search(r"at (http://\S+) \(ROS domain (\d+)\)", line)
        if found:
            return found[1], int(found[2])
    raise AssertionError("ended without a word")


def _until(executor, condition, timeout=60.0):
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        executor.spin_once(timeout_sec=0.1)


def test_what_is_no_recording_is_one_line(tmp_path, capsys):
    (tmp_path / "text.mcap").write_text("nothing of the kind")
    for words in (["replay", str(tmp_path / "text.mcap")], ["replay", str(tmp_path / "none.mcap")], ["replay", "x", "--speed", "0"]):
        assert main(words) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1 and "Traceback" not in error
