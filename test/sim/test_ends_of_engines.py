"""What simulators refuse, tell of contacts and poses, and how they end where MuJoCo can not go on."""

from types import SimpleNamespace

import numpy as np
import pytest
from teams import at, drive, fleet

from swarm_control.core.grid import Grid
from swarm_control.core.state import Commands
from swarm_control.errors import Failed, InputError
from swarm_control.hardware.protocol import WheelSpeeds, encode
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.sim.engines import efforts, make_engine, poses_of_objects
from swarm_control.sim.floor.floor import R3Base
from swarm_control.sim.floor.loop import Wire
from swarm_control.sim.footprints import Footprints, reach
from swarm_control.sim.mujoco.response import _from_on, _reached, _smooth
from swarm_control.sim.planar import PlanarEngine


def made(name, *changes):
    loaded = load(name, changes)
    return make_engine(loaded, prepare(loaded.scenario, loaded.source))


def test_objects_are_pushed_by_planar_robots_alone():
    box = "objects=[{pose: [3, 3, 0], radius: 0.1}]"
    with pytest.raises(InputError, match=r"objects beside hopper found, expected robots that MuJoCo does not move: none of "):
        made("herd_hoppers_turn", "robots.0.count=1", box)


def test_what_engines_do_not_have_is_none():
    planar, hopper = made("flock_frame", "robots=3"), made("herd_hoppers_turn", "robots.0.count=1")
    assert poses_of_objects(planar) is None and efforts(planar) == {"energy": None, "touches": None}
    assert poses_of_objects(hopper) is None and efforts(hopper) == {"energy": 0.0, "touches": 0}
    assert poses_of_objects(made("formation_box")).shape[1] == 3




def test_bodies_that_cannot_be_integrated_end_the_run_and_say_when():
    engine = made("herd_hoppers_turn", "robots.0.count=1")
    engine.step(Commands(np.zeros((1, 3))))
    engine.shards[0].data.qvel[:] = np.nan
    with pytest.raises(Failed, match=r"^the simulation is unstable at 0\.0\d s, expected bodies that MuJoCo can integrate: see bodies"):
        engine.step(Commands(np.zeros((1, 3))))


def test_contacts_that_begin_are_told_with_who_touches_whom_or_a_wall():
    grid = Grid(np.zeros((20, 40), bool), (-2.0, -1.0), 0.1)
    grid.occupied[:, -1] = True
    engine = PlanarEngine(fleet(n=3), at((-1.0, 0.0, 0.0), (-0.75, 0.0, 0.0), (1.7, 0.0, 0.0)), grid, 0.05)
    prints, seen = engine._footprints, []
    for _ in range(20):
        drive(engine, [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
        seen += prints.begun
    assert sorted(seen) == [(0, 1), (2, 3)] and engine.collisions.tolist() == [1, 0, 1]


def test_a_place_is_free_where_neither_a_wall_nor_another_robot_is_nearer_than_bodies_reach():
    grid = Grid(np.zeros((20, 20), bool), (0.0, 0.0), 0.1)
    grid.occupied[:, 0] = True
    prints = Footprints(fleet(radius=[0.1, 0.2], n=2), grid)
    others = np.array([[1.0, 1.0, 0.0], [1.5, 1.0, 0.0]])
    for x, free in ((0.19, False), (0.21, True), (1.19, True), (1.21, False), (1.79, False), (1.81, True)):
        assert prints.free(0, np.array([x, 1.0, 0.0]), others) == free, x
    assert not prints.free(1, np.array([0.29, 1.0, 0.0]), others) and prints.free(1, np.array([0.31, 1.0, 0.0]), others)


def test_how_far_apart_robots_can_be_that_meet():
    assert reach(np.array([0.1, 0.3]), 0.05) == pytest.approx(0.6 + 0.1, abs=2e-6)
    assert reach(np.array([0.1, 0.3]), 0.05) > 0.7 and reach(np.empty(0), 1.0) == pytest.approx(2.0, abs=2e-6)


def test_a_base_tells_where_its_robot_is_and_stands_when_it_has_failed():
    told, failed = [], [False]
    robots = SimpleNamespace(
        pose=lambda data: np.array([[9.0, 9.0, 9.0], [1.0, 2.0, 0.5]]), wheel_angle=lambda data: np.array([[9.0, 9.0], [0.3, -0.4]]),
        drive_one=lambda data, robot, rates: told.append((data, robot, rates)),
    )  # fmt: skip
    base = R3Base(SimpleNamespace(robots=robots, data="data"), 1, lambda: failed[0])
    assert base.where() == (1.0, 2.0, 0.5) and base.step(0.01, 2.0, 3.0) == (0.3, -0.4)
    failed[0] = True
    base.step(0.01, 2.0, 3.0)
    assert told == [("data", 1, (2.0, 3.0)), ("data", 1, (0.0, 0.0))]


def test_a_wire_to_a_robot_in_the_same_process_carries_lines_without_their_ends():
    heard = []
    firmware = SimpleNamespace(tell=lambda time: b"said\n" if time > 1.0 else None, hear=lambda line, time: heard.append((line, time)))
    floor = SimpleNamespace(time=0.5)
    wire = Wire(floor, firmware)
    wire.open()
    assert wire.fileno() == -1 and wire.read_lines() == []
    floor.time = 1.5
    line = encode(WheelSpeeds(1, 10, 20, 300))
    assert wire.read_lines() == [b"said"] and wire.write_line(line) and heard == [(line.rstrip(b"\n"), 1.5)]
    wire.close()


def test_when_an_answer_is_there_for_good_and_when_for_the_first_time():
    time, share = 0.5 * np.arange(6), np.array([0.0, 0.3, 0.1, 0.5, 0.95, 0.9])
    assert _from_on(time, share, 0.2) == 1.5 and _reached(time, share, 0.2) == 0.5
    assert _from_on(time, share, 0.0) == 0.0 and np.isnan(_from_on(time, share, 0.92)) and np.isnan(_reached(time, share, 1.0))
    assert _from_on(time, share, 0.9) == 2.0 and _reached(time, share, 0.9) == 2.0
    assert _smooth(np.array([0.0, 3.0, 6.0, 0.0]), 3) == pytest.approx([1.0, 3.0, 3.0, 2.0])
    assert _smooth(np.arange(5.0), 1) == pytest.approx(np.arange(5.0))
