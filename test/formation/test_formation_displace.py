from dataclasses import replace

import numpy as np
import pytest
from closed_loop import PERIOD, fleet
from scipy.optimize import minimize

from swarm_control.core import targets
from swarm_control.core.geometry import wrap
from swarm_control.formation.displace import Displace, displace
from swarm_control.formation.problem import DisplacementProblem
from swarm_control.formation.robots import Robots
from swarm_control.formation.shapes import shape
from swarm_control.formation.structure import compose, place
from swarm_experiments.papers.structures.dense_search import dense, scattered

HORIZON = 0.3
PARAMS = Displace()


def aligned(n=3, speed=0.2, wish=(0.06, 0.0, 0.0), model="differential", bias=0.3, yaw=0.0):
    points = shape("circle", n, 0.6)
    pose = np.column_stack((points, np.full(n, yaw)))
    previous = np.tile([speed, 0.0, 0.0], (n, 1))
    robots = Robots(pose, previous, fleet(n, model), targets, PERIOD, HORIZON)
    return DisplacementProblem(points, np.ones(n), np.zeros(3), np.array(wish), robots, bias)


def hard(seed, model="differential", bias=0.3):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([2, 3, 5]))
    return scattered(shape("circle", n, 0.6), fleet(n, model), targets, PERIOD, HORIZON, bias, rng)


def test_cost_is_the_papers_sum():
    p = hard(1)
    x = p.pose + np.array([0.02, -0.01, 0.05])
    v = place(p.points, x)
    r = targets.reach(p.robots.pose, v[None], p.robots.previous, p.robots.fleet, PERIOD, HORIZON)[0]
    expected = ((v - r) ** 2).sum() + 0.3 * ((v - place(p.points, p.wish)) ** 2).sum()
    assert p.cost(x[None])[0] == pytest.approx(expected, rel=1e-12)


def test_slopes_are_those_of_the_cost():
    p = hard(2)
    x = p.pose + np.array([0.013, 0.007, 0.02])
    value, normal, slope = p.linearise(x[None])
    assert value[0] == pytest.approx(p.cost(x[None])[0])
    h = 1e-5
    for k, unit in enumerate(np.diag([1.0, 1.0, 1.0 / p.size])):
        numeric = (p.cost((x + h * unit)[None])[0] - p.cost((x - h * unit)[None])[0]) / (2 * h)
        assert 2 * slope[0, k] == pytest.approx(numeric, rel=1e-3, abs=1e-6)
    assert (np.linalg.eigvalsh(normal[0]) > 0).all()


def test_reachable_wishes_are_met_exactly():
    p = aligned()
    pose, value = displace(p, PARAMS)
    assert pose == pytest.approx(p.wish) and value == pytest.approx(0.0, abs=1e-18)


def test_acceleration_limits_the_step():
    # at rest, 0.6 m/s² for one period and then steady: 0.06 m/s for 0.3 s
    pose, _ = displace(aligned(speed=0.0, wish=(0.09, 0.0, 0.0), bias=0.01), PARAMS)
    assert pose[0] == pytest.approx(0.018 + 0.01 / 1.01 * (0.09 - 0.018), rel=1e-4)
    assert np.abs(pose[1:]).max() < 1e-6


def test_sideways_is_harder_than_ahead():
    ahead = displace(aligned(speed=0.0, wish=(0.018, 0.0, 0.0)), PARAMS)
    aside = displace(aligned(speed=0.0, wish=(0.0, 0.018, 0.0)), PARAMS)
    assert aside[1] > 1000 * max(ahead[1], 1e-12)
    assert 0.0 < aside[0][1] < 0.018 / 2


def test_omni_goes_anywhere_alike():
    values = [displace(aligned(speed=0.0, wish=(0.05 * np.cos(a), 0.05 * np.sin(a), 0.0), model="omni"), PARAMS)[1] for a in range(6)]
    assert np.ptp(values) < 1e-9


def test_no_wish_stays():
    p = aligned(speed=0.0, wish=(0.0, 0.0, 0.0))
    assert displace(p, PARAMS)[0] == pytest.approx(np.zeros(3))


@pytest.mark.parametrize("model", ["differential", "omni", "car"])
@pytest.mark.parametrize("bias", [0.02, 0.3])
def test_ends_at_the_global_optimum(model, bias):
    problems = [hard(seed, model, bias) for seed in range(15)]
    gaps = np.array([(displace(p, PARAMS)[1] - dense(p, 21)[1]) / p.cost(p.pose[None])[0] for p in problems])
    assert gaps.max() < 0.01
    assert np.median(gaps) < 1e-4


def test_generic_minimisers_from_many_starts_find_nothing_better():
    for seed in range(8):
        p = hard(seed, bias=0.02)
        scale, mine = np.array([1.0, 1.0, 1.0 / p.size]), displace(p, PARAMS)[1]
        rng = np.random.default_rng(seed)
        for method in ("Nelder-Mead", "Powell", "BFGS"):
            for start in 0.05 * rng.normal(size=(4, 3)):
                found = minimize(lambda z, p=p, scale=scale: 1e4 * p.cost((p.pose + z * scale)[None])[0], start, method=method)
                assert mine <= 1.002 * found.fun / 1e4 + 1e-9


@pytest.mark.parametrize("model", ["differential", "omni"])
def test_displacement_does_not_depend_on_the_frame(model):
    for seed in range(5):
        p = hard(seed, model)
        motion = np.array([3.0, -2.0, 1.1])
        robots = replace(p.robots, pose=np.array([compose(motion, x) for x in p.robots.pose]))
        moved = replace(p, pose=compose(motion, p.pose), wish=compose(motion, p.wish), robots=robots)
        sharp = replace(PARAMS, rounds=60, precision=0.0)
        (x, jx), (y, jy) = displace(p, sharp), displace(moved, sharp)
        assert jy == pytest.approx(jx, rel=1e-3)
        assert np.abs((compose(motion, x) - y)[:2]).max() < 1e-3 and abs(wrap(compose(motion, x)[2] - y[2])) < 1e-3


def test_order_of_robots_does_not_matter():
    p = hard(3)
    order = np.random.default_rng(0).permutation(len(p.points))
    q = replace(p, points=p.points[order], weight=p.weight[order], robots=p.robots.take(order))
    assert displace(q, PARAMS)[1] == pytest.approx(displace(p, PARAMS)[1], rel=1e-6)


def test_robots_of_no_weight_have_no_say():
    p = aligned(n=4)
    p.robots.pose[2, 2] = np.pi / 2  # points sideways
    assert displace(p, PARAMS)[1] > 1e-6
    p.weight[2] = 0.0
    assert displace(p, PARAMS)[1] == pytest.approx(0.0, abs=1e-15)


def test_sampling_stands_for_all():
    p = aligned(n=200, speed=0.1)
    assert p.sample(50).cost(p.wish[None])[0] == pytest.approx(p.cost(p.wish[None])[0], rel=0.05)
    assert p.sample(200) is p


def test_dense_search_is_no_worse():
    p = hard(4)
    assert dense(p, 21)[1] <= displace(p, PARAMS)[1] + 1e-12


def test_hard_problems_point_anywhere_and_go_at_no_more_than_a_share_of_the_top_speed():
    rng, robots = np.random.default_rng(4), fleet(60)
    made = scattered(np.zeros((60, 2)), robots, targets, PERIOD, 0.5, 0.0, rng).robots
    share = made.previous[:, 0] / robots.max_speed
    assert np.abs(share).max() <= 0.6 and share.min() < -0.5 and share.max() > 0.5
    assert made.pose[:, 2].min() < -2.5 and made.pose[:, 2].max() > 2.5
    wishes = [scattered(np.zeros((2, 2)), fleet(2), targets, PERIOD, 0.5, 0.0, rng) for _ in range(40)]
    courses = [np.arctan2(*(one.wish - one.pose)[1::-1]) for one in wishes]
    assert min(courses) < -2.5 and max(courses) > 2.5
