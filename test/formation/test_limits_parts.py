"""What robots can do of a structure's motion, and where they point before it: on cases with known answers."""

import numpy as np
import pytest
from swarms import fleet, mapped, room

from swarm_control.formation.align import IDLE, bearings
from swarm_control.formation.drive import Drive
from swarm_control.formation.limits import limit, limited_change, limited_speed, speeds
from swarm_control.formation.walls import near_walls

POINTS, POSE = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 0.5]]), np.array([3.0, -1.0, 0.7])
ROBOTS = fleet(3, "differential", speed=1.0, acceleration=2.0)


@pytest.mark.parametrize("twist", [(0.4, -0.3, 0.0), (0.0, 0.0, 0.5), (0.2, 0.1, -0.6)])
def test_the_faster_wheels_speed_is_that_of_points_that_move(twist):
    """Points' velocities by differences, wheels 0.1 m apart."""
    def world(time):
        c, s = np.cos(POSE[2] + twist[2] * time), np.sin(POSE[2] + twist[2] * time)
        return POSE[:2] + time * np.array(twist[:2]) + POINTS @ np.array([[c, s], [-s, c]])

    moved = (world(1e-6) - world(-1e-6)) / 2e-6
    assert speeds(POINTS, POSE, np.array(twist), ROBOTS) == pytest.approx(np.hypot(*moved.T) + 0.05 * abs(twist[2]), abs=1e-6)


def test_the_fastest_point_keeps_its_share_and_the_direction_stays():
    drive, twist = Drive(speed_share=0.5), np.array([0.8, -0.6, 0.4])
    cut = limited_speed(POINTS, POSE, twist, ROBOTS, None, 1.0, drive)
    assert speeds(POINTS, POSE, cut, ROBOTS).max() == pytest.approx(0.5) and cut / cut[0] == pytest.approx(twist / twist[0])
    assert limited_speed(POINTS, POSE, 0.1 * twist, ROBOTS, None, 1.0, drive) == pytest.approx(0.1 * twist)
    assert limited_speed(POINTS, POSE, twist, ROBOTS, None, 1.0, Drive(max_speed=0.2)) == pytest.approx(0.4 * cut)
    slow = limited_speed(POINTS, POSE, np.array([0.0, 0.0, -0.4]), ROBOTS, None, 1.0, Drive(max_turn_rate=0.1))
    assert slow == pytest.approx([0.0, 0.0, -0.1])


@pytest.mark.parametrize("way", [0.05, 0.2, 3.0])
def test_before_an_end_speed_is_what_braking_allows(way):
    """s·H + s²/2a = way, translation and turn each by itself."""
    drive, horizon, brake = Drive(speed_share=1.0, acceleration_share=0.5), 0.3, 1.0
    cut = limited_speed(POINTS, POSE, np.array([0.6, 0.8, 0.0]) * way / horizon, ROBOTS, POSE, horizon, drive)
    speed = np.hypot(*cut[:2])
    allowed = min(np.sqrt((brake * horizon) ** 2 + 2.0 * brake * way) - brake * horizon, 1.0)
    assert speed == pytest.approx(min(allowed, way / horizon))
    assert speed >= 1.0 - 1e-9 or speed * horizon + speed**2 / 2.0 == pytest.approx(way)
    turn = limited_speed(POINTS, POSE, np.array([0.0, 0.0, 0.1 / horizon]), ROBOTS, POSE, horizon, drive)
    s = speeds(POINTS, POSE, turn, ROBOTS).max()
    assert s * horizon + s * s / 2.0 == pytest.approx(speeds(POINTS, POSE, np.array([0.0, 0.0, 0.1]), ROBOTS).max())


def test_changes_are_what_robots_can_do_in_a_period():
    drive, last, wish = Drive(acceleration_share=0.5), np.array([0.1, 0.0, 0.0]), np.array([0.9, 0.4, 0.3])
    made = limited_change(POINTS, POSE, wish, last, ROBOTS, 0.1, drive)
    assert speeds(POINTS, POSE, made - last, ROBOTS).max() == pytest.approx(0.5 * 2.0 * 0.1)
    assert (made - last) / (made - last)[0] == pytest.approx((wish - last) / (wish - last)[0])
    near = last + 0.01
    assert limited_change(POINTS, POSE, near, last, ROBOTS, 0.1, drive) == pytest.approx(near)
    aim = limit(POINTS, POSE, POSE + 0.5 * wish, last, ROBOTS, None, 0.1, 0.5, drive)
    assert aim == pytest.approx(POSE + 0.5 * limited_change(POINTS, POSE, wish / 1.0, last, ROBOTS, 0.1, drive), abs=0.05)
    assert limit(POINTS, POSE, POSE + 0.05, None, ROBOTS, None, 0.1, 0.5, drive) == pytest.approx(POSE + 0.05)


@pytest.mark.parametrize("twist", [(0.4, -0.3, 0.0), (0.0, 0.0, 0.5), (0.2, 0.1, -0.6)])
def test_bearings_are_along_the_points_way_ahead_or_back(twist):
    c, s = np.cos(POSE[2]), np.sin(POSE[2])
    arm = POINTS @ np.array([[c, s], [-s, c]])
    way = np.array(twist[:2]) + twist[2] * np.stack((-arm[:, 1], arm[:, 0]), axis=-1)
    for heading in (np.zeros(3), np.array([3.0, -2.0, 1.0])):
        found = bearings(POINTS, POSE, np.array(twist), heading)
        along = np.column_stack((np.cos(found), np.sin(found)))
        assert np.abs((along * way).sum(axis=1)) == pytest.approx(np.hypot(*way.T)) and (np.abs(found - heading) <= np.pi / 2 + 1e-9).all()
    still = np.array([[0.0, 0.0], [1.0, 0.0], [0.9 * IDLE, 0.0], [1.1 * IDLE, 0.0]])
    assert np.isnan(bearings(still, np.zeros(3), np.array([0.0, 0.0, 1.0]), np.zeros(4))).tolist() == [True, False, True, False]


def test_room_grows_straight_away_from_the_nearest_wall():
    """0.5 m from each wall of a room of 4 m, its frame 0.05 m thick; at corners both walls count alike; in the middle none does."""
    place = np.array([[1.45, 0.2], [-1.45, 0.2], [0.2, 1.45], [0.2, -1.45], [1.45, 1.45], [1.45, -1.45], [0.0, 0.0]])
    clearance, away = near_walls(mapped(room(side=4.0)), place)
    aslant = np.sqrt(0.5)
    expected = [[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0], [-aslant, -aslant], [-aslant, aslant], [0.0, 0.0]]
    assert away == pytest.approx(np.array(expected), abs=1e-3)
    assert clearance == pytest.approx([0.5] * 6 + [1.95], abs=0.05)
