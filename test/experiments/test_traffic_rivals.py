"""Traffic side by side with others: the measure is right on known motions, all are told the same, and rivals that are installed run."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import swarm_control as sc
from swarm_control.core.geometry import norm
from swarm_control.core.grid import Grid
from swarm_experiments.motion.rivals.course import Course, Wishes, course_of, rectangles
from swarm_experiments.motion.rivals.everybody import OURS, RIVALS, Race, installed, missing, result
from swarm_experiments.motion.rivals.measure import outrun
from swarm_experiments.motion.rivals.rival import race, run
from swarm_experiments.motion.traffic_rivals import judged

PERIOD, RADIUS = 0.05, 0.1


def course(start, goal, grid=None):
    return Course(np.array(start, float), np.array(goal, float), 0.05, RADIUS, 1.0, 4.0, PERIOD, grid)


def measured(position, goal, grid=None):
    """A run with these places (T, N, 2) m."""
    return outrun(course(position[0], goal, grid), np.array(position, float), np.full(len(position) - 1, 2e-3))


@pytest.fixture
def time():
    return PERIOD * np.arange(81)


def test_arrival_acceleration_and_jerk_of_a_circle(time):
    """At 1 m/s on a circle of 1 m, acceleration and jerk are one; differences are of chords: sinc(period / 2) to the power of the order."""
    angle = np.minimum(time, 3.0)
    place = np.stack((np.cos(angle), np.sin(angle)), axis=-1)[:, None]
    found = measured(place, place[-1])
    assert found.arrived == 1.0 and found.step == pytest.approx(2.0) and not found.contacts
    assert found.time == pytest.approx(3.0, abs=0.05 + PERIOD), "from where the goal is 5 cm away"
    chord = np.sin(0.5 * PERIOD) / (0.5 * PERIOD)
    assert found.acceleration == pytest.approx(chord**2) and found.jerk == pytest.approx(chord**3)


def test_who_goes_away_again_arrives_when_it_is_back_and_who_is_away_does_not(time):
    x = np.select([time < 1.0, time < 2.0], [0.0, 1.0], 0.0)
    back = np.stack((x, np.zeros_like(x)), axis=-1)
    assert measured(back[:, None], [[0.0, 0.0]]).time == pytest.approx(2.0)
    both = measured(np.stack((back, np.add(back, [0.0, 5.0])), axis=1), [[0.0, 0.0], [9.0, 5.0]])
    assert both.arrived == 0.5 and both.time is None


def test_the_start_and_what_comes_after_arrival_are_not_held_against_smoothness(time):
    x = np.where(time < 2.0 - 1e-9, time, 2.0)
    x[:5] = 0.0
    place = np.stack((x, np.zeros_like(x)), axis=-1)[:, None]
    found = measured(place, [[2.0, 0.0]])
    assert found.acceleration == pytest.approx(0.0, abs=1e-9) and found.jerk == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("aside", "touches"), [(0.0, 1), (2.0 * RADIUS - 2e-3, 1), (2.0 * RADIUS - 0.5e-3, 0), (0.3, 0)])
def test_pairs_that_pass_one_another_touch_by_more_than_a_millimetre(time, aside, touches):
    """At a relative speed at which they are past one another within a period."""
    one = np.stack((5.0 * (time - 2.026), np.zeros_like(time)), axis=-1)
    place = np.stack((one, -one + [0.0, aside]), axis=1)
    assert measured(place, place[-1]).contacts == touches


def test_a_disc_in_a_wall_is_found(time):
    occupied = np.zeros((4, 10), bool)
    occupied[0] = True
    grid = Grid(occupied, (0.0, 0.0), 0.5)
    along = np.stack((time, np.full_like(time, 0.5 + RADIUS)), axis=-1)
    place = np.stack((np.add(along, [0.0, -2e-3]), np.add(along, [0.0, 3.0])), axis=1)
    assert measured(place, place[-1], grid).scrapes == 1
    assert measured(np.add(place, [0.0, 1.5e-3]), place[-1], grid).scrapes == 0


@pytest.mark.parametrize("scene", ["traffic_corridor", "traffic_doorway"])
def test_walls_are_the_cells_of_the_map(scene):
    grid = sc.Simulation(scene, robots=12).setup.grid
    again = np.zeros_like(grid.occupied, dtype=int)
    for x0, y0, x1, y1 in (rectangles(grid) - np.tile(grid.origin, 2)) / grid.resolution:
        again[round(y0) : round(y1), round(x0) : round(x1)] += 1
    assert np.array_equal(again, grid.occupied)


def test_a_disc_alone_that_follows_the_wishes_gets_through_the_door():
    everybody = course_of(sc.Simulation("traffic_doorway", robots=12, seed=3))
    place, wishes = everybody.start.copy(), Wishes(everybody)
    trace = [place]
    for _ in range(400):
        wish = wishes.at(trace[-1])
        assert (norm(wish) <= everybody.speed + 1e-6).all()
        trace.append(trace[-1] + PERIOD * wish)
    alone = [outrun(replace(everybody, goal=everybody.goal[[k]]), np.array(trace)[:, [k]], np.ones(1)) for k in range(12)]
    assert all(one.arrived == 1.0 and not one.scrapes for one in alone)


def test_a_run_ends_when_all_are_there_nobody_gets_on_or_at_its_limit():
    away = course([[0.0, 0.0]], [[1.0, 0.0]])
    assert len(run(away, lambda: 0.0, lambda: away.goal, 60.0)[0]) == 2
    assert len(run(away, lambda: 0.0, lambda: away.start, 60.0)[0]) == round(20.0 / PERIOD) + 1
    assert len(run(away, lambda: 0.0, lambda: away.start, 5.0)[0]) == round(5.0 / PERIOD) + 1


def test_claims_compare_with_rivals_that_arrive():
    ours = measured(np.zeros((81, 1, 2)), [[0.0, 0.0]])
    good, jam = replace(ours, time=4.0, acceleration=1.0, jerk=9.0), replace(ours, time=None, arrived=0.5, acceleration=0.0, jerk=0.0)
    ours = replace(ours, time=4.4, acceleration=0.9, jerk=8.0)
    both = {who: [ours] for who in OURS}
    assert list(judged("traffic_x", 9, {**both, "jams": [jam]}).values()) == [True, True]
    assert list(judged("traffic_x", 9, {**both, "jams": [jam], "good": [good]}).values()) == [True, True, False, True, True]
    slow = replace(good, time=4.5)
    through = replace(good, time=3.9, jerk=7.0, contacts=2)
    assert list(judged("traffic_x", 9, {**both, "slow": [slow]}).values()) == [True] * 5
    assert list(judged("traffic_x", 9, {**both, "slow": [slow], "through": [through]}).values()) == [True, True, True, False, False]
    scraped = replace(through, contacts=0, scrapes=1)
    assert list(judged("traffic_x", 9, {**both, "through": [scraped]}).values()) == [True, True, False, False]
    assert list(judged("traffic_x", 9, {who: [replace(jam, contacts=1)] for who in OURS}).values()) == [False, False]


def test_what_is_not_installed_is_left_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyrvo", None)
    assert "pyrvo ORCA" not in installed() and "pyrvo" in missing()


def test_ours_run_like_any_other():
    found = result(Race("ours, omni", "traffic_antipodal", 4, 3, 20.0))
    assert found.arrived == 1.0 and found.contacts == 0 and 1.0 < found.time < 10.0 and found.step > 0.0


@pytest.mark.parametrize("name", RIVALS)
@pytest.mark.parametrize("scene", ["traffic_antipodal", "traffic_doorway"])
def test_rivals_bring_their_discs_to_the_goals(name, scene):
    pytest.importorskip(RIVALS[name][0], reason=f"{RIVALS[name][0]} is not installed")
    everybody = course_of(sc.Simulation(scene, robots=2, seed=3, set={"robots.0.model": "omni"}))
    position, seconds = race(everybody, RIVALS[name][1](everybody), 30.0)
    assert np.allclose(position[0], everybody.start, atol=1e-5) and len(seconds) == len(position) - 1
    assert norm(np.diff(position, axis=0)).max() <= everybody.speed * everybody.period * 1.3
    found = outrun(everybody, position, seconds)
    assert found.arrived == 1.0 and not found.scrapes
