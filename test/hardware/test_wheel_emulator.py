"""``swarm emulate`` in a process of its own, driven over real links."""

import json
import math
import time

import numpy as np
import pytest
from emulated import Emulated, free_ports, until
from wires import CHASSIS, WHEELS

from swarm_control.cli.main import main
from swarm_control.hardware.connection import Connection
from swarm_control.hardware.link import make_link
from swarm_control.hardware.odometry import WheelOdometry
from swarm_control.hardware.robot import Robot
from swarm_control.hardware.wheels import WheelDriver

ROBOT = ("formation_translate", "--only", 0)
LATE = 0.1
"""How late (s) a process may come round on a busy machine."""


class Host:
    """A driver in this process."""

    def __init__(self, url, pose=(0.3464, 0.0, 0.0)):
        self.driver = WheelDriver(CHASSIS, timeout=0.2)
        odometry = WheelOdometry(CHASSIS, WHEELS, np.array(pose))
        self.robot = Robot(Connection(make_link(url), 2 * WHEELS.silence), self.driver, odometry, WHEELS)
        self.odometry = []

    def serve(self, twist=None):
        now = time.monotonic()
        if twist is not None:
            self.driver.obey(*twist, now)
        found = self.robot.serve(now)
        if found is not None:
            self.odometry.append(found)

    def travelled(self, distance):
        """Drive so far."""
        until(lambda: self.odometry and self.odometry[-1].pose[0] > distance, each=lambda: self.serve((0.2, 0.0)))

    def close(self):
        self.robot.connection.close()


@pytest.fixture
def started(tmp_path):
    running = []

    def start(*words, **options):
        running.append(Emulated(tmp_path / f"truth{len(running)}.csv", *words, **options))
        return running[-1]

    yield start
    for emulated in running:
        if emulated.process.poll() is None:
            emulated.kill()


@pytest.mark.parametrize("where", [("--tcp", 0), ("--udp", 0), ("--pty",)], ids=["tcp", "udp", "pty"])
def test_a_robot_is_driven_and_stops_with_its_host(started, where):
    """Over lossy links, too; when the host is gone without a word the robot stands within the deadman."""
    emulated = started(*ROBOT, *where, "--drop", 0.1, "--garble", 0.05)
    host = Host(emulated.urls[0])
    host.travelled(0.6)
    left = time.time()
    until(lambda: not emulated.moving(), timeout=2.0)
    moving = [row[0] for row in emulated.truth() if any(row[4:])]
    assert moving[-1] - left <= WHEELS.deadman + LATE and len(moving) > 50
    at = len(host.odometry)
    until(lambda: len(host.odometry) > at + 10, each=host.serve)
    assert host.odometry[-1].pose[:2] == pytest.approx(emulated.truth()[-1][1:3], abs=2e-3)
    assert host.robot.counters.bad + host.robot.counters.lost > 0
    host.close()
    assert emulated.stop() == 0 and "garbled" in emulated.rest[-1]


@pytest.mark.parametrize("kind", ["tcp", "udp", "pty"])
def test_a_robot_that_dies_and_comes_back_is_found_again(started, tmp_path, kind):
    where = ("--pty", "--link", tmp_path / "robot") if kind == "pty" else (f"--{kind}", free_ports(1))
    emulated = started(*ROBOT, *where)
    host = Host(emulated.urls[0])
    host.travelled(0.45)
    emulated.kill()
    link = host.robot.connection
    until(lambda: host.robot.silent(time.monotonic()) and (link.opened > 1 or not link.up), each=lambda: host.serve((0.2, 0.0)))
    before = host.odometry[-1].pose[0]
    again = started(*ROBOT, *where)
    assert again.urls == emulated.urls
    host.travelled(before + 0.1)
    assert link.opened >= 2 and host.robot.odometry.rebased == 1 and host.robot.odometry.rejected == 0
    host.close()


def test_broken_links_mend(started):
    emulated = started(*ROBOT, "--tcp", 0, "--disconnect", 2.0)
    host = Host(emulated.urls[0])
    until(lambda: host.robot.connection.opened >= 3 and host.odometry, timeout=30.0, each=lambda: host.serve((0.1, 0.0)))
    assert host.odometry[-1].pose[0] == pytest.approx(emulated.truth()[-1][1], abs=0.05)
    host.close()


def test_wheels_slip_as_much_as_asked(started):
    emulated = started(*ROBOT, "--tcp", 0, "--slip", 0.2)
    host = Host(emulated.urls[0])
    host.travelled(1.0)
    until(lambda: not emulated.moving(), each=host.serve)
    at = len(host.odometry)
    until(lambda: len(host.odometry) > at + 10, each=host.serve)
    start = emulated.truth()[0]
    true = math.hypot(emulated.truth()[-1][1] - start[1], emulated.truth()[-1][2] - start[2])
    assert true == pytest.approx(0.8 * (host.odometry[-1].pose[0] - 0.3464), rel=0.05)
    host.close()


def test_all_robots_of_a_scenario_listen_in_a_row(started):
    first = free_ports(3)
    emulated = started("formation_translate", "--tcp", first, robots=3)
    assert emulated.urls == [f"tcp://127.0.0.1:{first + k}" for k in range(3)]


def test_two_robots_that_are_driven_at_each_other_touch_and_say_so(started, tmp_path):
    robots = {"count": 2, "model": "differential", "radius": 0.1, "wheel_base": 0.12, "max_speed": 0.3}
    start = {"pattern": "poses", "poses": [[0.0, 0.0, 0.0], [0.3, 0.0, 180.0]]}
    (tmp_path / "two.yaml").write_text(json.dumps({"robots": [{**robots, "start": start}]}))
    emulated = started(tmp_path / "two.yaml", "--tcp", 0, "--slip", 0.02, "--drop", 0.05, "--out", tmp_path / "out", robots=2)
    hosts = [Host(url, pose) for url, pose in zip(emulated.urls, start["poses"])]
    until(lambda: emulated.rest, each=lambda: [host.serve((0.2, 0.0)) for host in hosts])
    assert emulated.rest[0] == "contact: robot_0 and robot_1\n"
    assert emulated.stop() == 0 and emulated.rest[-1].startswith("in truth: 1 contacts; of ")
    for host in hosts:
        host.close()
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["collisions"] == 1 and 0.2 <= summary["min_separation"] < 0.25


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tcp", "70000"], "--tcp: 70000 found, expected a number from 0 to 65535"),
        (["--pty", "--slip", "1.5"], "--slip: 1.5 found, expected a number from 0 to 1"),
        (["--pty", "--drop", "nan"], "--drop: nan found, expected a number from 0 to 1"),
        (["formation_translate", "--pty", "--only", "3"], "--only: 3 found, expected a number from 0 to 2"),
        (["migrate_boxes", "--pty"], "robot_0 found, whose model is omni; expected differential"),
        (["--pty", "--set", "x=1"], "--set: given without SCENARIO"), (["nowhere.yaml", "--pty"], "no such scenario file"),
        (["formation_translate", "--pty", "--poses", "0"], "--poses: 0 found, expected a number from 0.1 to 200"),
        (["formation_translate", "--pty", "--pose-noise", "-1"], "--pose-noise: -1 found, expected a number from 0 to 10"),
        (["--pty", "--poses", "30"], "--poses: given without SCENARIO or with --only, expected all robots of a scenario"),
        (["formation_translate", "--pty", "--poses", "30", "--set", "hardware.tracker.source=tf"],
         "hardware.tracker.source: tf found, expected one that can be emulated: pose_array or pose_stamped"),
        (["--pty", "--out", "x"], "--out: given without SCENARIO"),
        (["formation_translate", "--only", "0", "--pty", "--out", "x"], "--out: given with --only, expected all robots of the scenario"),
        (["--pty", "--link", "/no/such/folder/x"], "/no/such/folder/x0: No such file or directory; expected a name that is free"),
        (["--pty", "--truth", "/no/such/folder/x"], "--truth /no/such/folder/x: No such file or directory"),
        (["--tcp", "5000", "--host", "192.0.2.1"], "port 5000 of 192.0.2.1: "), (["--tcp", "1", "--udp", "1"], "not allowed with argument"),
        ([], "one of the arguments --tcp --udp --pty is required"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(words, said, capsys):
    try:
        status = main(["emulate", *words])
    except SystemExit as ended:  # argparse's
        status = ended.code
    told = capsys.readouterr().err
    assert status == 2 and said in told and told.count("\n") == 1
