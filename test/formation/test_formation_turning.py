"""Robots that roll turn before the structure leaves and at corners, and are not turned by noise where they are slow."""

from dataclasses import replace

import numpy as np
from closed_loop import PERIOD, fleet, formed

from swarm_control.core import targets
from swarm_control.core.geometry import wrap
from swarm_control.formation.align import Turning
from swarm_control.formation.drive import Drive, ToPose, Velocity
from swarm_control.formation.memory import StructureParameters
from swarm_control.formation.robots import Robots
from swarm_control.formation.shapes import shape
from swarm_control.formation.structure import Structure

TRIANGLE = shape("circle", 3, 0.6)
TRACKER = {"noise": 0.002, "noise_heading": np.deg2rad(1.0), "delay": 0.02}
AT_ONCE = StructureParameters(drive=Drive(align_within=180.0, corner=180.0, look_ahead=0.0))
SQUARE = [np.array(p) for p in ([1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0])]


def driven(goals, **options):
    loop = formed(TRIANGLE, fleet(3), **options)
    return np.concatenate([loop.run(ToPose(goal), 20.0, until_rest=True) for goal in goals])


def test_a_square_is_as_precise_as_straight_ahead():
    turned, at_once = driven(SQUARE, **TRACKER), driven(SQUARE, params=AT_ONCE, **TRACKER)
    assert turned.mean() < 0.0012 and turned.max() < 0.006
    assert at_once.max() > 3.0 * turned.max()


def test_sideways_the_robots_turn_on_the_spot_before_the_structure_leaves():
    loop = formed(TRIANGLE, fleet(3))
    loop.order()
    start = loop.truth[-1].copy()
    while not np.hypot(*(loop.truth[-1] - start)[:, :2].T).max() > 0.001:
        loop.tick(ToPose(np.array([0.0, 1.0, 0.0])))
        assert loop.time < 3.0
    assert np.abs(wrap(loop.truth[-1][:, 2] - np.pi / 2)).max() < np.deg2rad(4.0)


def test_at_a_sharp_corner_under_way_the_structure_stops_for_the_turn():
    course = np.deg2rad(160.0)
    bent = Velocity(0.25 * np.array([np.cos(course), np.sin(course), 0.0]), world=True, heading=0.0)
    worst = {}
    for name, params in (("stops", StructureParameters()), ("goes on", StructureParameters(drive=Drive(corner=180.0)))):
        loop = formed(TRIANGLE, fleet(3), np.array([0.0, np.pi, 0.0]), params=params, **TRACKER)
        loop.run(Velocity(np.array([0.25, 0.0, 0.0]), world=True, heading=0.0), 3.0)
        worst[name] = max(loop.run(bent, 6.0))
        way = wrap(loop.truth[-1][:, 2] - course)
        assert np.minimum(np.abs(way), np.abs(wrap(way + np.pi))).max() < 0.1
    assert worst["stops"] < 0.004 < 0.007 < worst["goes on"]


def test_a_robot_that_fails_to_turn_is_not_waited_for_longer_than_it_takes_to_see_that():
    loop = formed(TRIANGLE, fleet(3))
    loop.factor[1] = 0.0
    before = loop.truth[-1].copy()
    loop.run(ToPose(np.array([0.0, 1.0, 0.0])), 6.0)
    assert (loop.truth[-1] - before)[[0, 2], 1].min() > 0.005
    loop.factor[1] = 1.0
    loop.run(ToPose(np.array([0.0, 1.0, 0.0])), 20.0, until_rest=True)
    assert loop.memories[0].rest


def test_a_structure_that_is_as_good_as_there_need_not_turn_wherever_in_the_world_it_is():
    for pose in (np.zeros(3), np.array([3.0, -2.0, 0.0])):
        held = Structure(TRIANGLE, fleet(3).names, pose)
        squad = Robots(np.column_stack((held.world, np.zeros(3))), np.zeros((3, 3)), fleet(3), targets, PERIOD, PERIOD)
        for aside, turns in ((0.006, False), (0.02, True)):
            aim = pose + np.array([0.0, aside, 0.0])
            heading, ready = Turning(ToPose(aim), held, squad, np.zeros(3), 0.004, Drive(), 0.0).departing(aim, np.zeros(3, bool))
            assert (heading is not None) == turns and not ready.any()


def test_robots_that_glide_leave_as_before():
    orders = [ToPose(np.array([0.0, 1.0, 0.0])), ToPose(np.array([1.0, 1.0, 1.0]))]
    ends = []
    for params in (StructureParameters(), replace(AT_ONCE)):
        loop = formed(TRIANGLE, fleet(3, "omni"), params=params, **TRACKER)
        for order in orders:
            loop.run(order, 3.0)
        ends.append(loop.truth[-1])
    np.testing.assert_array_equal(*ends)
