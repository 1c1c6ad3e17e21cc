"""Right of way before narrow places: one goes first, the others go back from it, and each has its turn."""

import numpy as np
import pytest
from PIL import Image

import swarm_control as sc
from swarm_control.runtime.right_of_way import LONGEST, NEAR, PASSED, PATIENCE, STANDS, TRIES, RightOfWay

WIDTH = 0.4
PLACES = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [9.0, 0.0]])
WAYS = np.array([5.0, 4.0, 6.0, 1.0])
NOWHERE = np.full((4, 2), np.nan)


def waiting(*seconds):
    """A right of way that has been looked at once, at time 0, when robots had waited for so long."""
    right = RightOfWay(len(PLACES), WIDTH)
    right.look(0.0, PLACES, WAYS, np.array(seconds), NOWHERE)
    return right


def given(right):
    return {k: its.first for k, its in right.yields.items()}


def test_who_has_the_shortest_way_goes_first_and_those_near_it_give_way():
    late = 1.1 * PATIENCE
    assert given(waiting(late, late, late, late)) == {0: 1, 2: 1}, "the last is far off"
    assert given(waiting(late, 0.9 * PATIENCE, late, late)) == {2: 0}, "who gets on takes no part"
    assert given(waiting(late, 0.0, 0.0, 0.0)) == {}
    assert np.hypot(*(PLACES[2] - PLACES[1])) < NEAR * WIDTH < np.hypot(*(PLACES[3] - PLACES[1]))


def test_who_gives_way_goes_straight_back_and_waits_out_of_the_way():
    right, goal = waiting(99.0, 99.0, 0.0, 0.0), np.full((4, 2), np.nan)
    right.lead(0.0, PLACES, 3.0, goal)
    assert goal[0] == pytest.approx([-3.0, 0.0]) and np.isnan(goal[1:]).all()
    away = PLACES - np.array([[NEAR * WIDTH, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    right.lead(0.0, away, 3.0, goal)
    assert goal[0] == pytest.approx(away[0])


def test_who_goes_back_in_vain_stands_for_a_while_and_tries_again():
    right, standing = waiting(99.0, 99.0, 0.0, 0.0), []
    for k in range(round(10 * (2 * TRIES + STANDS))):
        standing.append(right.lead(0.1 * k, PLACES, 3.0, np.full((4, 2), np.nan)))
    begins, ends = round(10 * TRIES), round(10 * (TRIES + STANDS))
    assert not any(standing[:begins]) and standing[begins + 1 : ends - 1] == [[0]] * (ends - begins - 2) and not any(standing[ends + 1 :])


def test_who_gets_farther_back_does_not_stand():
    right = waiting(99.0, 99.0, 0.0, 0.0)
    for k in range(100):
        places = PLACES - 0.005 * k * np.eye(4)[:, :1] @ [[1.0, 0.0]]
        assert not right.lead(0.1 * k, places, 3.0, np.full((4, 2), np.nan))


def test_who_comes_the_other_way_also_goes_back_from_its_goal():
    right, goal = waiting(99.0, 99.0, 0.0, 0.0), PLACES + np.array([(0.0, 2.0), (0.0, -2.0), (0.0, 0.0), (0.0, 0.0)])
    right.lead(0.0, PLACES, 3.0, goal)
    assert goal[0] == pytest.approx(PLACES[0] - 3.0 * np.sqrt([0.5, 0.5]))


def test_nobody_gives_way_to_who_comes_behind_it_the_same_way():
    goal, waited = PLACES + np.array([2.0, 0.0]), np.array([99.0, 99.0, 99.0, 0.0])
    for ahead, gives in ((0.4, {0: 1, 2: 1}), (0.6, {2: 1})):
        right, way = RightOfWay(len(PLACES), WIDTH), WAYS.copy()
        way[0] = way[1] - ahead * WIDTH
        right._had[0] = 1
        right.look(0.0, PLACES, way, waited, goal)
        assert given(right) == gives
    right = RightOfWay(len(PLACES), WIDTH)
    right._had[0], goal[0] = 1, PLACES[0] - np.array([2.0, 0.0])
    right.look(0.0, PLACES, way, waited, goal)
    assert given(right) == {0: 1, 2: 1}, "who comes towards it does"


def test_it_is_given_until_the_other_has_passed():
    right, waited = waiting(99.0, 99.0, 0.0, 0.0), np.zeros(4)
    for share, gives in ((0.9, {0: 1}), (1.1, {})):
        right.look(1.0, PLACES, WAYS - np.array([0.0, share * PASSED * WIDTH, 0.0, 0.0]), waited, NOWHERE)
        assert given(right) == gives


def test_each_has_its_turn_where_nobody_passes():
    right, order = waiting(99.0, 99.0, 99.0, 0.0), []
    for k in range(round(8 * LONGEST)):
        right.look(0.5 * k, PLACES, WAYS, np.array([99.0, 99.0, 99.0, 0.0]), NOWHERE)
        (first,) = set(given(right).values())
        order += [first] if order[-1:] != [first] else []
    assert order[:3] == [1, 0, 2] and order[3] == 1


def test_of_two_that_come_near_each_other_while_others_give_way_to_them_one_goes_on():
    """Without it three point masses at the mouth of a way for one had turns for ever, of which the middle one had none."""
    right, waited = RightOfWay(4, WIDTH), np.full(4, 99.0)
    apart = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 0.0], [6.0, 0.0]])
    right.look(0.0, apart, np.array([4.0, 5.0, 3.0, 4.0]), waited, NOWHERE)
    assert given(right) == {1: 0, 3: 2}
    right.look(1.0, apart - np.array([[0.0, 0.0], [0.0, 0.0], [4.5, 0.0], [4.5, 0.0]]), np.array([4.0, 5.0, 3.0, 4.0]), waited, NOWHERE)
    assert set(given(right).values()) == {2} and given(right).keys() == {0, 1, 3}


ROW = np.array([[0.0, 0.0], [-0.5, 0.0], [-1.4, 0.0], [0.5, 0.0], [1.0, 0.0], [4.0, 0.0]])
"""Three robots one behind the other that go right, and three that come towards them, of which the last is far off."""
TO_THE_LEFT = np.array([False, False, False, True, True, True])


def met(position=ROW, way=(3.0, 3.5, 4.4, 3.2, 3.7, 6.7)):
    """A right of way that has been looked at when all of the row waited."""
    right, goal = RightOfWay(len(ROW), WIDTH), position + np.where(TO_THE_LEFT[:, None], [-9.0, 0.0], [9.0, 0.0])
    right.look(0.0, position, np.array(way), np.full(len(ROW), 99.0), goal)
    return right, goal


def test_where_two_crowds_meet_also_those_behind_who_gives_way_go_back():
    far = np.array([[0.0, 0.0], [-0.5, 0.0], [-1.4, 0.0], [1.5, 0.0], [2.9, 0.0], [9.0, 0.0]])
    right, goal = met(far, (3.0, 3.5, 4.4, 4.2, 5.6, 11.7))
    assert given(right) == {1: 0, 2: 0, 3: 0, 4: 0} and right.yields[4].back_from == 3, "the fifth is near the fourth only"
    wished = goal.copy()
    right.lead(0.0, far, 3.0, goal)
    assert goal[3] == pytest.approx(far[3] + [3.0, 0.0]) and goal[4] == pytest.approx(far[4]), "it has room behind it"
    near = far - np.where(np.arange(6)[:, None] == 4, [0.7, 0.0], [0.0, 0.0])
    goal = wished.copy()
    right.lead(0.0, near, 3.0, goal)
    assert goal[4] == pytest.approx(near[4] + [3.0, 0.0])


def test_who_has_passed_goes_on_while_others_face_it_and_then_its_turn_is_the_next_ones():
    right, goal = met()
    assert given(right) == {1: 0, 2: 0, 3: 0, 4: 0} and right.turns.keys() == {0}
    step, nobody = 1.1 * PASSED * WIDTH, np.zeros(len(ROW))
    way = np.array([3.0 - step, 3.5, 4.4, 3.2, 3.7, 6.7])
    right.look(5.0, ROW, way, nobody, goal)
    assert given(right) == {1: 0, 2: 0, 3: 0, 4: 0} and right.turns[0].since == 5.0, "two are still before it"
    past = ROW + np.where(np.arange(6)[:, None] == 0, [4.0, 0.0], [0.0, 0.0])
    right.look(9.0, past, way - np.array([step, 0.0, 0.0, 0.0, 0.0, 0.0]), nobody, goal)
    assert given(right) == {2: 1, 3: 1, 4: 1} and right.turns.keys() == {1}, "the nearest behind it, not who faces it"
    right.look(9.1 + LONGEST, past, way, nobody, goal)
    assert given(right) == {} and right._had[1] == 1, "who does not pass has had its turn"


@pytest.fixture(scope="module")
def gap(tmp_path_factory):
    """The scenario of two rooms that are joined by a gap 0.6 m wide, and a goal near behind the wall."""
    folder = tmp_path_factory.mktemp("gap")
    wall = np.full((160, 160), 255, np.uint8)  # 5 cm
    wall[[0, 1, -2, -1], :] = wall[:, [0, 1, -2, -1]] = wall[:, 79:81] = 0
    wall[44:56, 79:81] = 255
    Image.fromarray(wall).save(folder / "gap.png")
    (folder / "gap.world").write_text('define plan model ()\nplan ( bitmap "gap.png" size [8 8 1] )\n', encoding="utf-8")
    (folder / "gap.yaml").write_text("""
world: gap.world
duration: 120
robots: [{count: 8, radius: 0.2, max_speed: 0.8, start: {center: [-2.2, -0.5], spacing: 0.6, heading: 0, speed: 0}}]
simulator: {loss: 0.3}
control:
  perception: {radius: 2.0, count: 6}
  arrival: {weight: 0.1}
  alignment: {weight: 0.1}
  cohesion: {weight: 0.35}
  separation: {weight: 0.2, distance: 0.6, area_share: 0.5}
  steer_to_avoid: {weight: 0.85, look_ahead: 0.8}
  leaders: {count: 3, per: 10}
  accumulation: {method: prioritised, gain: 5.0, priority: [arrival, steer_to_avoid, separation, alignment, cohesion]}
  separation_filter: {enabled: true}
goals: [{position: [2.0, -1.0], arrival_room: 1.0, fraction: 1.0}]
""", encoding="utf-8")  # fmt: skip
    return folder / "gap.yaml"


@pytest.mark.parametrize(("model", "robots", "seed"), [
    ("omni", 8, 1), ("omni", 8, 2), ("differential", 1, 1), ("differential", 2, 1), ("car", 1, 2), ("car", 2, 1),
])  # fmt: skip
def test_wide_robots_pass_a_gap_of_one_and_a_half_widths(gap, model, robots, seed):
    run = sc.Simulation(gap, robots=robots, seed=seed, set={"robots.0.model": model}).run(until="arrival").metrics()
    assert run["arrived_fraction"] == 1.0 and run["collisions"] == 0


def test_two_groups_that_meet_in_a_way_for_one_give_way_to_each_other(tmp_path):
    """Ten robots, five from each side of a way in which two hardly pass each other, from places that are the same on both."""
    wall = np.full((300, 400), 255, np.uint8)  # 2 cm
    wall[[0, 1, 2, -3, -2, -1], :] = wall[:, [0, 1, 2, -3, -2, -1]] = 0
    wall[:125, 150:250] = wall[175:, 150:250] = 0
    Image.fromarray(wall).save(tmp_path / "way.png")
    (tmp_path / "way.world").write_text('define plan model ()\nplan ( bitmap "way.png" size [8 6 1] )\n', encoding="utf-8")
    (tmp_path / "way.yaml").write_text("""
world: way.world
duration: 90
robots:
  - {count: 5, group: red, radius: 0.15, max_speed: 0.6, max_acceleration: 1.5, start: {pattern: grid, center: [-2.5, 0], spacing: 0.42}}
  - {count: 5, group: blue, radius: 0.15, max_speed: 0.6, max_acceleration: 1.5, start: {pattern: grid, center: [2.5, 0], spacing: 0.42}}
groups: {red: {goals: [{position: [2.5, 0]}]}, blue: {goals: [{position: [-2.5, 0]}]}}
control:
  perception: {radius: 2.0, count: 6}
  arrival: {weight: 0.1}
  cohesion: {weight: 0.25}
  separation: {weight: 0.2, distance: 0.4, area_share: 0.5}
  steer_to_avoid: {weight: 0.85, look_ahead: 0.8}
  guidance: {weight: 0.4}
  leaders: {count: 3, per: 10}
  accumulation: {method: prioritised, gain: 5.0, priority: [steer_to_avoid, separation, guidance, alignment, cohesion]}
  separation_filter: {enabled: true}
""", encoding="utf-8")  # fmt: skip
    summary = sc.Simulation(str(tmp_path / "way.yaml"), seed=1).run("arrival").metrics()
    assert summary["arrived_fraction"] == 1.0 and summary["collisions"] == 0
