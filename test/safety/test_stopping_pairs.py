"""The step of the proof: two robots that have slack keep to their halves of it, whatever they do, do not touch and have slack again."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from swarm_control.safety.segments import closest
from swarm_control.safety.stopping_pairs import _slack, borders, chosen
from swarm_control.safety.stopping_ways import WAY, _within, glide, roll, turns

SEEDS = st.integers(0, 2**32 - 1)
TOUCH, SHARE, OPEN = 0.3, 0.9, 1e9
TRIES = 30

CLOSE = 0.01
"""What lies between the points of a way is covered by the filter's margin (m)."""


class Two:
    """Two robots, one behind the other or across its way: places, velocities, limits; who rolls has a heading."""

    def __init__(self, rng, period):
        self.rng, self.period = rng, period
        self.rolls, self.hardest, self.rate = rng.random(2) < 0.5, rng.uniform(0.3, 8.0, 2), rng.uniform(1.0, 8.0, 2)
        self.place = np.array([[0.0, 0.0], (TOUCH + rng.exponential(0.2)) * np.array([1.0, rng.uniform(-0.3, 0.3)])])
        self.heading = rng.normal(0.0, rng.choice([0.05, 0.4]), 2)
        ahead = np.column_stack((np.cos(self.heading), np.sin(self.heading)))
        speed = rng.uniform(0.0, 4.0)
        for fast in np.linspace(4.0, 0.0, 81):  # as fast as it may come from behind
            self.velocity = np.array([[fast], [speed]]) * ahead
            if self.slack() >= 0.0:
                break

    def own(self, i):
        """What stopping_ways takes for one robot: it brakes with its share, and turns on the spot."""
        v = self.velocity[i]
        speed = float(np.cos(self.heading[i]) * v[0] + np.sin(self.heading[i]) * v[1]) if self.rolls[i] else float(np.hypot(*v))
        brake, step = SHARE * self.hardest[i], self.hardest[i] * self.period
        return self.heading[i], speed, *v, brake, step, self.period, 0.0, np.inf, 4.0, self.rate[i], 0.1, 0.0

    def planes(self, i):
        """The half-planes that bind robot i: at most one."""
        normal, bound, wished, body = np.empty((1, 2)), np.empty(1), np.empty(1), np.full(2, 0.5 * TOUCH)
        offset = np.array([self.place[1 - i] - self.place[i]])
        near = np.array([0, 1, 1] if i == 0 else [0, 0, 1]), np.array([1 - i]), offset
        limits = body, self.hardest, SHARE, 0.0, np.full(2, self.period), self.rolls, self.rate, 0.0
        count = borders(i, OPEN, self.velocity, *near, *limits, normal, bound, wished)
        assert (wished[:count] <= bound[:count]).all(), "who does as it wishes may use no more than its half"
        return normal[:count], bound[:count]

    def slack(self):
        """Slack (m) in the direction that is chosen, from the first robot to the other."""
        return chosen(pair(self), self.period)[2]

    def go(self, i, fierce):
        """Where robot i is on a random command that it is allowed, its heading and velocity in the end.

        The ``fierce`` takes the one that uses up most of its half.
        """
        way, (normal, bound) = np.zeros((WAY, 2)), self.planes(i)
        to = self.place[1 - i] - self.place[i]
        best, used, course = (0.0, 0.0), -np.inf, np.arctan2(to[1], to[0])
        for _ in range(TRIES):
            speed = self.rng.uniform(-4.0, 4.0) if fierce else 4.0
            if self.rolls[i]:
                told = speed, self.rng.uniform(-1.0, 1.0) * self.rate[i]
                points = roll(*told, self.own(i), way)
            else:
                angle = course + self.rng.normal() * (1.0 if fierce else 2.0)
                told = speed * np.cos(angle), speed * np.sin(angle)
                points = glide(*told, turns(0.0, self.own(i)), self.own(i), way)
            near = (way[:points] @ normal.T - bound).max() if fierce else self.rng.random()
            if used < near and all(_within(way, points, n, b, 0.0, 0.0) for n, b in zip(normal, bound)):
                best, used = told, near
        return self.followed(i, best)

    def followed(self, i, told):
        """Where robot i is in fine steps, as its bounds have it obey; and its heading and velocity in the end."""
        steps, place, heading, velocity, made = 200, np.zeros(2), self.heading[i], self.velocity[i].copy(), []
        dt = self.period / steps
        speed = self.own(i)[1]
        for _ in range(steps):
            if self.rolls[i]:
                speed += np.clip(told[0] - speed, -self.hardest[i] * dt, self.hardest[i] * dt)
                heading += told[1] * dt
                velocity = speed * np.array([np.cos(heading), np.sin(heading)])
            else:
                change = np.array(told) - velocity
                velocity = velocity + change * min(1.0, self.hardest[i] * dt / max(np.hypot(*change), 1e-12))
            place = place + dt * velocity
            made.append(place)
        return np.array(made), heading, velocity


def pair(two):
    """What chosen takes."""
    values = []
    for i in range(2):
        v = two.velocity[i]
        speed = np.hypot(*v)
        weakest = two.hardest[i] + (speed * two.rate[i] if two.rolls[i] else 0.0)
        values += [*v, *(v * speed / (2.0 * SHARE * two.hardest[i])), max(weakest, SHARE * two.hardest[1 - i])]
    return (*(two.place[1] - two.place[0]), TOUCH, *values)


@pytest.mark.parametrize("period", [0.05, 0.2, 0.5])
@settings(max_examples=50, deadline=None)
@given(SEEDS, st.booleans())
def test_who_has_slack_does_not_touch_and_has_slack_again(period, seed, fierce):
    two = Two(np.random.default_rng(seed), period)
    assume(two.slack() >= 0.0)
    for _ in range(4):
        made = [two.go(i, fierce) for i in range(2)]
        ways = [two.place[i] + way for i, (way, _, _) in enumerate(made)]
        assert np.hypot(*(ways[1] - ways[0]).T).min() >= TOUCH - CLOSE
        for i, (_, heading, velocity) in enumerate(made):
            two.place[i], two.heading[i], two.velocity[i] = ways[i][-1], heading, velocity
        assert two.slack() >= -CLOSE


@pytest.mark.parametrize("aside", [-0.3, 0.0, 0.3])
def test_who_may_touch_as_far_as_is_known_comes_no_nearer(aside):
    """Nearer by 1 cm than is sure: side by side they may go on, not nearer, and who moves away must not come back."""
    two = Two(np.random.default_rng(0), 0.1)
    two.rolls[:], two.place[:] = False, [[0.0, 0.0], [0.0, TOUCH - 0.01]]
    two.velocity[:] = [[1.0, aside], [1.0, 0.0]]
    (normal,), (bound,) = two.planes(0)
    assert normal == pytest.approx([0.0, 1.0])
    if aside >= 0.0:
        assert bound == 0.0
    else:
        assert bound == pytest.approx(-(aside**2) / (2.0 * max(two.hardest[0], SHARE * two.hardest[1])))


def turned(pair):
    """The same pair as the other robot sees it."""
    bx, by, touch, *both = pair
    return -bx, -by, touch, *both[5:], *both[:5]


@settings(max_examples=200, deadline=None)
@given(SEEDS, st.sampled_from([0.02, 0.1, 0.5]))
def test_both_robots_look_along_the_same_direction_and_see_the_same_slack(seed, period):
    two = pair(Two(np.random.default_rng(seed), period))
    nx, ny, slack, _ = chosen(two, period)
    other_x, other_y, other_slack, _ = chosen(turned(two), period)
    assert (-other_x, -other_y, other_slack) == pytest.approx((nx, ny, slack), abs=1e-9)


@settings(max_examples=200, deadline=None)
@given(SEEDS, st.sampled_from([0.02, 0.1, 0.5]))
def test_no_direction_between_the_nearest_points_leaves_more_to_robots_that_go_on(seed, period):
    """Of the segments, of these lengthened by the way of a period, and of the centres."""
    two = pair(Two(np.random.default_rng(seed), period))
    x, y, _, ux, uy, ix, iy, _, vx, vy, jx, jy, _ = two
    nx, ny, slack, _ = chosen(two, period)
    assume(slack >= 0.0)

    def leaves(nx, ny, slack):
        return slack - 2.0 * period * max(nx * ux + ny * uy, -nx * vx - ny * vy, 0.0)

    for lead in (0.0, period):
        one, other = np.array([ix + lead * ux, iy + lead * uy]), np.array([jx + lead * vx, jy + lead * vy])
        s, t = closest(*one, x, y, *other)
        apart = np.array([x, y]) + t * other - s * one
        far = np.hypot(*apart)
        if far > 1e-6:
            there = _slack(*(apart / far), two)[0]
            assert there < 0.0 or leaves(*(apart / far), there) <= leaves(nx, ny, slack) + 1e-9
