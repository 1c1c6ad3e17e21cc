"""Recordings of anybody: folders and files as ``ros2 bag record`` makes them, with robots and messages that nobody here has named."""

import json
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rosbags")

from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from swarm_control.analysis.report.runs import read_runs
from swarm_control.analysis.simulation import Simulation
from swarm_control.cli.main import main
from swarm_control.errors import InputError

STORE = get_typestore(Stores.ROS2_HUMBLE)
PLUGINS = (StoragePlugin.SQLITE3, StoragePlugin.MCAP)


def made(kind, **fields):
    return STORE.types[kind](**fields)


def odometry(k, y):
    """Somebody's odometry at 0.1·k s: 1 m/s along x."""
    stamp = made("builtin_interfaces/msg/Time", sec=k // 10, nanosec=k % 10 * 100_000_000)
    point, way = made("geometry_msgs/msg/Point", x=0.1 * k, y=y, z=0.0), made("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0)
    ahead, still = (made("geometry_msgs/msg/Vector3", x=x, y=0.0, z=0.0) for x in (1.0, 0.0))
    pose = made("geometry_msgs/msg/Pose", position=point, orientation=way)
    twist = made("geometry_msgs/msg/Twist", linear=ahead, angular=still)
    message = made(
        "nav_msgs/msg/Odometry", header=made("std_msgs/msg/Header", stamp=stamp, frame_id="odom"), child_frame_id="base",
        pose=made("geometry_msgs/msg/PoseWithCovariance", pose=pose, covariance=np.zeros(36)),
        twist=made("geometry_msgs/msg/TwistWithCovariance", twist=twist, covariance=np.zeros(36)),
    )  # fmt: skip
    return STORE.serialize_cdr(message, "nav_msgs/msg/Odometry")


def record(path, plugin, robots=("/fleet/a/odom", "/fleet/b/odom"), ticks=20):
    with Writer(path, version=8, storage_plugin=plugin) as bag:
        theirs = [bag.add_connection(topic, "nav_msgs/msg/Odometry", typestore=STORE) for topic in robots]
        other = bag.add_connection("/chatter", "std_msgs/msg/String", typestore=STORE)
        for k in range(ticks):
            for y, connection in enumerate(theirs):
                bag.write(connection, k * 10**8, odometry(k, float(y)))
            bag.write(other, k * 10**8, STORE.serialize_cdr(made("std_msgs/msg/String", data="hello"), "std_msgs/msg/String"))
    return next(file for file in path.iterdir() if file.suffix in (".db3", ".mcap"))


@pytest.mark.parametrize("plugin", PLUGINS)
@pytest.mark.parametrize("place", ["folder", "file", "lone file", "folder without metadata"])
def test_a_recording_is_read_in_every_form(tmp_path, plugin, place):
    file = record(tmp_path / "bag", plugin)
    if place in ("lone file", "folder without metadata"):
        (tmp_path / "lone").mkdir()
        file = Path(shutil.copy(file, tmp_path / "lone"))
    path = {"folder": tmp_path / "bag", "folder without metadata": tmp_path / "lone"}.get(place, file)
    (run,) = read_runs([path])
    assert run.trajectory.names == ("fleet.a", "fleet.b")
    assert np.allclose(run.trajectory.pose[-1, :, 0], 1.9) and np.allclose(run.trajectory.velocity[:, :, 0], 1.0)


@pytest.mark.parametrize("plugin", PLUGINS)
def test_a_recording_without_robots_is_refused_with_what_is_in_it(tmp_path, plugin):
    record(tmp_path / "bag", plugin, robots=())
    with pytest.raises(InputError, match="no robot's motion found among /chatter; expected swarm_state or nav_msgs/Odometry"):
        read_runs([tmp_path / "bag"])


@pytest.mark.parametrize("plugin", PLUGINS)
def test_damaged_recordings_are_one_line(tmp_path, plugin, capsys):
    file = record(tmp_path / "bag", plugin)
    data = file.read_bytes()
    for cut in (0, 10, len(data) // 3):
        file.write_bytes(data[:cut] + bytes(20) + data[cut + 200 :])
        status = main(["report", str(tmp_path / "bag"), "--out", str(tmp_path / "report")])
        said = capsys.readouterr().err
        assert status in (0, 2) and (status == 0 or said.count("\n") == 1), said


def bad_stamp(data):
    """The message said to be of 2³¹ − 1 s since 1970."""
    return bytes(data[:4]) + (2**31 - 1).to_bytes(4, "little") + bytes(data[8:])


@pytest.mark.parametrize(
    ("spoil", "words"),
    [(lambda data: data[:7], "not a nav_msgs"), (lambda data: b"", "not a nav_msgs"), (bad_stamp, "a stamp of 2.14748e.09 s found")],
    ids=["cut", "empty", "stamp"],
)
def test_a_message_that_makes_no_sense_is_left_out_and_named(tmp_path, spoil, words):
    with Writer(tmp_path / "bag", version=8, storage_plugin=StoragePlugin.MCAP) as bag:
        theirs = bag.add_connection("/a/odom", "nav_msgs/msg/Odometry", typestore=STORE)
        for k in range(20):
            bag.write(theirs, k * 10**8, spoil(odometry(k, 0.0)) if k in (10, 11) else odometry(k, 0.0))
    (run,) = read_runs([tmp_path / "bag"])
    assert np.allclose(run.trajectory.pose[:, 0, 0], 0.1 * np.arange(20))
    (line,) = [notice for notice in run.notices if "left out" in notice]
    assert re.search(f"/a/odom: 2 messages left out: {words}", line)


def test_a_recording_in_which_nothing_makes_sense_is_refused(tmp_path):
    with Writer(tmp_path / "bag", version=8, storage_plugin=StoragePlugin.MCAP) as bag:
        theirs = bag.add_connection("/a/odom", "nav_msgs/msg/Odometry", typestore=STORE)
        bag.write(theirs, 0, b"")
    with pytest.raises(InputError, match=r"no message found that makes sense .*1 message left out: not a nav_msgs/msg/Odometry"):
        read_runs([tmp_path / "bag"])


@pytest.mark.parametrize("name", ["scenario.yaml", "summary.json", "series.npz"])
def test_a_pipe_in_place_of_a_result_is_refused(tmp_path, name, capsys):
    Simulation("flock_frame", robots=2, duration=0.2).save(tmp_path / "run")
    (tmp_path / "run" / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / "run" / name)
    assert main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "report")]) == 2
    assert f"{name} is a pipe, socket or device, expected a file" in capsys.readouterr().err


def test_a_pipe_in_place_of_a_recording_scenario_or_bitmap_is_refused(tmp_path, capsys):
    for name in ("pipe.mcap", "pipe.yaml", "pipe.png"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "pipe.world").write_text('model ( bitmap "pipe.png" size [4 4 1] )\n')
    for words in (["report", "pipe.mcap"], ["simulate", "pipe.yaml"], ["simulate", "flock_frame", "--world", "pipe.world"]):
        words = [str(tmp_path / word) if word.startswith("pipe") else word for word in words]
        assert main([*words, "--out", str(tmp_path / "out")]) == 2
        said = capsys.readouterr().err
        assert "is a pipe, socket or device, expected a file" in said and said.count("\n") == 1, said


class Elements(HTMLParser):
    """The elements of a page."""

    def __init__(self, text):
        super().__init__()
        self.found = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)


def test_nothing_that_is_read_becomes_part_of_the_page(tmp_path):
    """A script in every text of a summary."""
    bad = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>'
    Simulation("flock_frame", robots=2, duration=0.5).save(tmp_path / "run")
    file = tmp_path / "run" / "summary.json"
    summary = {**json.loads(file.read_text()), "scenario": bad, "seed": bad, "phases": [{"name": bad, "start": 0.2, "end": bad}]}
    file.write_text(json.dumps(summary))
    assert main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "report")]) == 0
    page = Elements((tmp_path / "report" / "report.html").read_text())
    assert "script" not in page.found and "table" in page.found


@pytest.mark.parametrize(
    ("name", "value"), [
        ("robots", "many"), ("duration", []), ("collisions", 1e300), ("phases", {"a": 1}), ("phases", [1]), ("phases", [{"name": "a"}]),
        ("phases", [{"name": "a", "start": "b"}]), ("phases", [{"name": "a", "start": -1.0}]), ("phases", [{"name": 1, "start": 0.0}]),
    ],
)
def test_a_summary_that_makes_no_sense_is_refused_by_the_key(tmp_path, name, value, capsys):
    Simulation("flock_frame", robots=2, duration=0.2).save(tmp_path / "run")
    file = tmp_path / "run" / "summary.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), name: value}))
    assert main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "report")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and f"summary.json: {name}: " in said and "expected" in said


def test_what_recordings_in_parts_say_of_themselves_together(tmp_path):
    """Two files with two topics, and one without messages."""
    import sqlite3

    from swarm_control.analysis.bags.folder import _metadata

    files = [tmp_path / f"part_{k}.db3" for k in range(3)]
    for file, stamps in zip(files, ([500, 700, 900], [650, 2000], [])):
        with sqlite3.connect(file) as base:
            base.execute("CREATE TABLE topics (id INTEGER, name TEXT, type TEXT, serialization_format TEXT)")
            base.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER)")
            base.executemany("INSERT INTO topics VALUES (?, ?, 'a/b', 'cdr')", [(1, "/one"), (2, "/two")])
            rows = [(1 + (stamp > 800), 10**18 + stamp) for stamp in stamps]
            base.executemany("INSERT INTO messages (topic_id, timestamp) VALUES (?, ?)", rows)
    said = _metadata(files)
    assert said["starting_time"]["nanoseconds_since_epoch"] == 10**18 + 500 and said["duration"]["nanoseconds"] == 1500
    assert said["message_count"] == 5 and said["relative_file_paths"] == [file.name for file in files]
    counts = {one["topic_metadata"]["name"]: one["message_count"] for one in said["topics_with_message_count"]}
    assert counts == {"/one": 3, "/two": 2}
    nothing = _metadata(files[2:])
    assert nothing["starting_time"]["nanoseconds_since_epoch"] == 0 and nothing["duration"]["nanoseconds"] == 0
