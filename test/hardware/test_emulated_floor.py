"""Emulated robots on one floor: they stop at walls and at each other, touch as the embedded simulator counts it, and say so."""

import json

import numpy as np
import pytest
from teams import fleet

from swarm_control.analysis.emulated_truth import EmulatedTruth
from swarm_control.cli.emulation import Emulation
from swarm_control.core.grid import Grid
from swarm_control.hardware.protocol import WheelSpeeds, encode
from swarm_control.scenario.loader import load_prepared
from swarm_control.sim.hardware.base import SlippingBase
from swarm_control.sim.hardware.emulated_floor import EmulatedFloor
from swarm_control.sim.hardware.firmware import Firmware

WHEEL, BASE, RADIUS, TURN = 0.05, 0.12, 0.1, 0.005


class Team:
    """Robots at poses (m, m, rad), driven by lines of the wheel protocol in a time of their own."""

    def __init__(self, *poses, grid=None):
        self.bases = [SlippingBase(WHEEL, BASE, np.array(pose), 0.02, np.random.default_rng(k)) for k, pose in enumerate(poses)]
        self.boards = [Firmware(base, 2048, 1, 0.0) for base in self.bases]
        self.floor = EmulatedFloor(fleet("differential", radius=RADIUS, n=len(poses)), self.bases, grid)
        self.now, self.number, self.said = 0.0, 0, []

    def drive(self, seconds, *speeds):
        """Let each robot's wheels (left, right; m/s) turn so long; yields the poses (N, 3) after every turn."""
        for _ in range(round(seconds / TURN)):
            self.now, self.number = self.now + TURN, self.number + 1
            for board, (left, right) in zip(self.boards, speeds):
                board.hear(encode(WheelSpeeds(self.number, round(1e3 * left / WHEEL), round(1e3 * right / WHEEL), 200)).rstrip(), self.now)
                board.tell(self.now)
            yield self.floor.settle()
            self.said += self.floor.begun


def test_robots_driven_at_each_other_touch_once_and_do_not_overlap():
    team = Team((0.0, 0.0, 0.0), (0.5, 0.02, np.pi))
    gaps = [np.hypot(*(pose[1, :2] - pose[0, :2])) - 2 * RADIUS for pose in team.drive(2.0, (0.3, 0.3), (0.3, 0.3))]
    assert 0.0 <= min(gaps) < 0.005 and team.floor.collisions.tolist() == [1, 0] and team.said == ["robot_0 and robot_1"]
    turned = list(team.drive(0.5, (-0.1, 0.1), (0.0, 0.0)))[-1]
    assert turned[0, 2] == pytest.approx(0.5 * 0.2 / BASE, rel=0.05), "who is stopped can turn"
    list(team.drive(0.5, (0.0, 0.0), (-0.3, -0.3)))
    assert team.floor.collisions.tolist() == [1, 0]


def test_a_robot_driven_against_a_wall_stays_outside_and_its_wheels_slip():
    occupied = np.zeros((20, 40), bool)
    occupied[:, 20] = True
    team = Team((1.5, 1.0, 0.0), grid=Grid(occupied, (0.0, 0.0), 0.1))
    poses = np.array(list(team.drive(3.0, (0.3, 0.3))))[:, 0]
    assert 2.0 - RADIUS - 0.3 * TURN <= poses[-1, 0] == poses[:, 0].max() <= 2.0 - RADIUS
    assert team.floor.collisions.tolist() == [1] and team.said == ["robot_0 and a wall"]
    assert team.bases[0].step(0.0, 0.0, 0.0)[0] * WHEEL == pytest.approx(0.9, abs=0.01), "what its encoders say"
    assert list(team.drive(1.0, (-0.3, -0.3)))[-1][0, 0] < 1.7


def test_robots_in_a_row_at_one_speed_do_not_touch():
    """They move together, not one after the other."""
    team = Team(*((0.2003 * k, 0.0, 0.0) for k in range(4)))
    for base in team.bases:
        base._slip = 0.0
    assert list(team.drive(0.5, *[(0.3, 0.3)] * 4))[-1][0, 0] > 0.1 and team.floor.collisions.sum() == 0


class Board:
    """A robot's firmware as far as it is looked at."""

    rates, where, stopped, bad = (1.0, 1.0), (0.0, 0.0, 0.0), False, 0


class Lossy:
    """A robot with its link."""

    class Link:
        """One way of it."""

        lines, dropped, garbled, connected = 10, 2, 1, True

    name, firmware, port, into, out = "robot_0", Board(), Link(), Link(), Link()


class Busy:
    """A floor on which there is a contact in every turn."""

    def __init__(self):
        self.pose, self.begun, self.collisions = np.zeros((1, 3)), ["robot_0 and a wall"], np.array([7])


def test_contacts_are_said_at_most_once_a_second(capsys):
    shown = Emulation([Lossy()], Busy(), None, None)
    for k in range(5):
        shown(100.0 + 0.25 * k)
    said = capsys.readouterr().out.splitlines()
    assert said == ["contact: robot_0 and a wall", f"contact: {', '.join(['robot_0 and a wall'] * 3)} and 1 more"]
    shown.end(None)
    assert capsys.readouterr().out.splitlines()[-1] == "in truth: 7 contacts; of 20 lines 4 lost, 2 garbled"


def test_the_truth_begins_with_the_first_wheel_and_knows_who_arrives(tmp_path):
    scenario = {
        "robots": [{"count": 1, "model": "differential", "start": {"pattern": "poses", "poses": [[0, 0, 0]]}}],
        "goals": [{"position": [1.0, 0.0], "arrival_radius": 0.2, "fraction": 1.0}],
    }
    (tmp_path / "one.yaml").write_text(json.dumps(scenario))
    loaded, setup = load_prepared(str(tmp_path / "one.yaml"))
    truth = EmulatedTruth(loaded, setup)
    truth.look(50.0, setup.start.pose, driven=False)
    for k in range(401):
        truth.look(60.0 + 0.01 * k, np.array([[0.003 * k, 0.0, 0.0]]), driven=True)
    truth.write(tmp_path, np.array([3]))
    made = json.loads((tmp_path / "summary.json").read_text())
    assert made["collisions"] == 3 and made["arrived_fraction"] == 1.0 and made["duration"] == pytest.approx(4.0, abs=0.1)
    assert made["arrival_time"] == pytest.approx(0.8 / 0.3, abs=0.15)
    with np.load(tmp_path / "trajectory.npz") as run:
        assert run["time"][0] == 0.0 and run["velocity"][1:, 0, 0] == pytest.approx(0.3)


@pytest.mark.parametrize("yaw", [0.7, -2.5, np.pi / 2])
def test_an_arc_is_the_same_whatever_the_heading_it_begins_with(yaw):
    def after(heading):
        base = SlippingBase(WHEEL, BASE, np.array([0.0, 0.0, heading]), 0.0, np.random.default_rng(1))
        base.step(0.5, 4.0, 9.0)
        return np.array(base.where())

    straight, turned, c, s = after(0.0), after(yaw), np.cos(yaw), np.sin(yaw)
    assert abs(straight[1]) > 0.01
    assert turned == pytest.approx([c * straight[0] - s * straight[1], s * straight[0] + c * straight[1], straight[2] + yaw])
