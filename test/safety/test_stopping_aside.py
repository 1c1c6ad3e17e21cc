"""Which command is given in place of one that is not allowed: none of those that may be tried is nearer to the wish."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.safety.stopping_aside import COURSES, HALVINGS, KEEN, NEARER, SPEEDS, TURNS, allowed, glide_aside, roll_aside, toward
from swarm_control.safety.stopping_ways import WAY, free_way, glide, lean, roll, turns

OPEN = (np.zeros((1, 1), bool), np.full((1, 1), 1e12, np.float32), -1e9, -1e9, 1e9, 0.0, 0.0, 0.0, 0.0)
"""No walls."""

WAYS = np.zeros((WAY, 2))

SWAY = 0.03, 0.2, 0.05
"""Headings are in doubt, robots turn, and have some room for it."""
SEEDS = st.integers(0, 2**32 - 1)


def planes(rng, count):
    """Half-planes around a robot to which it has to keep."""
    angle = rng.uniform(-np.pi, np.pi, count)
    return np.column_stack((np.cos(angle), np.sin(angle))), rng.uniform(0.02, 0.3, count), count


def robot(rng, curvature=np.inf, axle=0.0):
    """Heading, speed, velocity, braking, step, period, latency, curvature, top speed, top turn rate, radius, axle."""
    heading, speed, brake, period = rng.uniform(-np.pi, np.pi), rng.uniform(-0.5, 0.8), rng.uniform(0.5, 2.0), rng.choice([0.05, 0.1, 0.4])
    course = heading if np.isfinite(curvature) or rng.random() < 0.5 else rng.uniform(-np.pi, np.pi)
    velocity = speed * np.cos(course), speed * np.sin(course)
    return heading, speed, *velocity, brake, 2.0 * brake * period, period, 0.02, curvature, 1.0, 2.5, 0.15, axle


def rolled(wish, own):
    """(cost, speed, turn rate) of every command that a robot which rolls may be given instead."""
    _, speed, _, _, _, step, _, _, curvature, top, top_rate, radius, axle = own
    bound = np.isfinite(curvature)
    lever = KEEN / curvature if bound else min(radius, 0.3 * abs(wish[0]) / top_rate)
    for a in range(SPEEDS + 1 + (SPEEDS if bound else 0)):
        v = wish[0] * (1.0 - a / SPEEDS)
        for b in range(-TURNS, TURNS + 1):
            fastest = min(top_rate, max(top - abs(v), 0.0) / axle) if axle else top_rate
            w = float(np.clip(wish[2] + b * top_rate / TURNS, -fastest, fastest))
            if bound:
                tightest = curvature * abs(speed + np.clip(v - speed, -step, step))
                w = float(np.clip(w, -tightest, tightest))
            yield (wish[0] - v) ** 2 + (lever * (wish[2] - w)) ** 2, v, w


@pytest.mark.parametrize(("curvature", "axle"), [(np.inf, 0.0), (np.inf, 0.4), (1.5, 0.0)])
@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_of_slower_speeds_and_other_turn_rates_the_nearest_that_is_allowed_is_taken(curvature, axle, seed):
    rng = np.random.default_rng(seed)
    own, bounds, wish = robot(rng, curvature, axle), planes(rng, 3), np.array([rng.uniform(-0.8, 1.0), 0.0, rng.uniform(-2.5, 2.5)])
    tries = ((one, lean(one[2], own, SWAY)) for one in rolled(wish, own))
    allowed = [one for one, off in tries if free_way(WAYS, roll(*one[1:], own, WAYS), off, SWAY, OPEN, 0.2, *bounds)]
    found = roll_aside(wish, own, SWAY, WAYS, OPEN, 0.2, *bounds)
    if not allowed:
        assert found == (0.0, 0.0, 0.0)
        return
    cost = min(allowed)[0]
    assert found[1] == 0.0
    assert min(abs(found[0] - v) + abs(found[2] - w) for one, v, w in allowed if one <= cost + 1e-12) < 1e-9


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_one_that_has_to_go_to_turn_backs_off_where_it_may_not_go_on(side):
    """It stands before something, and wishes to turn away at full lock."""
    own = (0.0, 0.0, 0.0, 0.0, 1.0, 0.1, 0.05, 0.0, 5.0, 1.0, 2.5, 0.1, 0.0)
    ahead = np.array([[1.0, 0.0]]), np.array([0.0]), 1
    wish = np.array([0.3, 0.0, side * 1.5])
    speed, _, turn = roll_aside(wish, own, (0.0, 0.0, 0.0), WAYS, OPEN, 0.2, *ahead)
    assert speed < -0.01 and np.sign(turn) == side


def gliding(wish, own):
    """(vx, vy) of every velocity that a robot which glides can reach in a period, of those that are tried, world frame."""
    heading, _, ux, uy, _, step, _, _, _, top, _, _, _ = own
    x, y = np.cos(heading) * wish[0] - np.sin(heading) * wish[1], np.sin(heading) * wish[0] + np.cos(heading) * wish[1]
    ahead = np.arctan2(y - uy, x - ux)
    for course in ahead + 2.0 * np.pi / COURSES * np.arange(COURSES):
        for share in (0.25, 0.5, 0.75, 1.0):
            vx, vy = ux + share * step * np.cos(course), uy + share * step * np.sin(course)
            if vx**2 + vy**2 <= top**2 + 1e-12:
                yield (vx - x) ** 2 + (vy - y) ** 2, vx, vy


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_of_velocities_all_round_the_nearest_that_is_allowed_is_taken_and_brought_as_near_as_may_be(seed):
    rng = np.random.default_rng(seed)
    own, bounds = robot(rng), planes(rng, 3)
    wish = np.array([*rng.uniform(-0.8, 0.8, 2), rng.uniform(-2.0, 2.0)])
    turning = turns(wish[2], own)

    def free(vx, vy):
        return free_way(WAYS, glide(vx, vy, turning, own, WAYS), lean(wish[2], own, SWAY), SWAY, OPEN, 0.2, *bounds)

    allowed = [one for one in gliding(wish, own) if free(*one[1:])]
    found = glide_aside(wish, own, SWAY, WAYS, OPEN, 0.2, *bounds)
    if not allowed:
        assert found == (0.0, 0.0, 0.0)
        return
    c, s = np.cos(own[0]), np.sin(own[0])
    x, y = c * wish[0] - s * wish[1], s * wish[0] + c * wish[1]
    vx, vy = c * found[0] - s * found[1], s * found[0] + c * found[1]
    cost = min(allowed)[0]
    assert found[2] == wish[2] and free(vx, vy)
    for _, bx, by in (one for one in allowed if one[0] <= cost + 1e-9):
        share = ((vx - bx) * (x - bx) + (vy - by) * (y - by)) / max(cost, 1e-300)
        off = np.hypot(vx - bx - share * (x - bx), vy - by - share * (y - by))
        if off < 1e-9 and -1e-9 <= share < 1.0:
            more = share + 0.5**HALVINGS
            assert more >= 1.0 - 1e-9 or not free(bx + more * (x - bx), by + more * (y - by)), "it could have come nearer"
            return
    raise AssertionError("it is not on the way from the nearest one to the wish")


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_of_two_that_are_as_near_the_one_to_the_right_is_taken(side):
    """Straight ahead is shut off; the same seen in a mirror is to the right again."""
    own = (0.0, 0.5, 0.5, 0.0, 1.0, 0.4, 0.1, 0.0, np.inf, 1.0, 2.5, 0.15, 0.0)
    normal, bound = np.array([[1.0, 0.0]]), np.array([0.13])
    wish = np.array([0.5, 0.0, 0.2 * side])
    ahead, left, rate = glide_aside(wish, own, SWAY, WAYS, OPEN, 0.2, normal, bound, 1)
    assert 0.0 < ahead < 0.5 and left <= 0.0 and rate == wish[2]


@pytest.mark.parametrize("rolls", [True, False])
@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_between_a_command_and_the_wish_as_much_of_the_wish_as_is_allowed_is_taken(rolls, seed):
    rng = np.random.default_rng(seed)
    own, bounds = robot(rng), (SWAY, WAYS, OPEN, 0.2, *planes(rng, 3))
    wish, aside = (np.array([rng.uniform(-0.8, 0.8), 0.0 if rolls else rng.uniform(-0.8, 0.8), rng.uniform(-2.0, 2.0)]) for _ in range(2))

    def free(twist):
        return allowed(*twist, rolls, own, *bounds)

    found = np.array(toward(wish, aside, rolls, own, *bounds))
    share = float((found - aside) @ (wish - aside) / ((wish - aside) @ (wish - aside)))
    assert found == pytest.approx(aside + share * (wish - aside), abs=1e-9)
    assert -1e-12 <= share < 1.0 and (share < 1e-12 or free(found))
    nearer = share + 0.5**NEARER
    assert nearer >= 1.0 - 1e-9 or not free(aside + nearer * (wish - aside)), "it could have come nearer"
