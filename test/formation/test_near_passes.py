"""Who comes too near to whom between two steps, against dense sampling; and when nobody comes near a place any more."""

import numpy as np
import pytest

from swarm_control.core.geometry import norm
from swarm_control.formation.forming.prioritised import _settled
from swarm_control.formation.forming.straighten import _meets
from swarm_control.formation.itinerary import STEP, _resampled
from swarm_control.formation.structure import place

SHARES = np.linspace(0.0, 1.0, 401)[:, None, None, None]


def least(first, second):
    """The least distances (T, N) of two robots that both go straight from step to step: ``first`` and ``second`` (T + 1, N, 2)."""
    apart = first - second
    return norm((1.0 - SHARES) * apart[:-1] + SHARES * apart[1:]).min(axis=0)


@pytest.mark.parametrize("seed", range(5))
def test_a_straight_line_is_refused_where_it_comes_nearer_than_both_need(seed):
    random, found = np.random.default_rng(seed), set()
    for _ in range(200):
        way, keep, i = random.uniform(-1.0, 1.0, (4, 3, 2)), random.uniform(0.05, 0.4, 3), int(random.integers(3))
        line = way[0, i] + np.linspace(0.0, 1.0, 4)[:, None] * (way[-1, i] - way[0, i])
        others = [k for k in range(3) if k != i]
        near, begin = least(line[:, None], way)[:, others], norm(line[:-1, None] - way[:-1])[:, others]
        want = (keep + keep[i])[others]
        if (np.abs(near - want) < 0.005).any() or ((near > begin - 0.005) & (near < begin)).any():
            continue  # sampling cannot tell
        met = bool(((near < want) & (near < begin)).any())
        assert _meets(way, i, line, keep) == met
        found.add(met)
    assert found == {True, False}


@pytest.mark.parametrize("seed", range(5))
def test_a_place_is_settled_at_the_first_step_from_which_on_nobody_comes_near_it(seed):
    random, found = np.random.default_rng(seed), set()
    for _ in range(100):
        steps = 6
        ways, want = np.cumsum(random.uniform(-0.5, 0.7, (2, steps + 1, 2)), axis=1), random.uniform(0.2, 0.5, 2)
        end = random.uniform(0.0, 1.0, 2)
        near, at = least(ways.transpose(1, 0, 2), np.broadcast_to(end, (steps + 1, 2, 2))), norm(ways - end).T
        settled = _settled(end, ways, want, steps)
        assert (at[settled + 1 :] > want - 1e-6).all(), "nobody stays"
        assert not ((near < np.minimum(at[:-1], at[1:]) - 0.005) & (near < want - 0.005))[settled:].any(), "nobody passes"
        assert settled == 0 or (near < want + 0.005)[max(settled - 2, 0) : settled].any(), "before, somebody is near"
        found.add(settled)
    assert len(found) > 3


def test_a_course_is_resampled_at_places_no_farther_apart_than_a_step():
    points = np.array([[0.5, 0.0], [-0.5, 0.2]])
    for poses in (np.array([[0.0, 0.0, 0.0], [1.0, 0.3, 2.0]]), np.array([[0.0, 0.0, 0.0], [0.4 * STEP, 0.0, 0.0]])):
        found = _resampled(np.array([poses[0] + share * (poses[1] - poses[0]) for share in np.linspace(0.0, 1.0, 200)]), points)
        assert norm(np.diff(place(points, found), axis=0)).max() <= STEP * (1.0 + 1e-6) and len(found) >= 3
        np.testing.assert_allclose(found[[0, -1]], poses, atol=1e-12)
