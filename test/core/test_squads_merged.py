"""Squads with parameters of their own: each robot has the row of its squad, and of what only other squads have nothing."""

from types import SimpleNamespace

import numpy as np
import pytest
from swarms import random_swarm, see

import swarm_control.behaviours  # noqa: F401 - registers the behaviours, in whose order rows are
from swarm_control.core.merge import merge_accumulated, merge_requests, merge_rows, merge_seen
from swarm_control.core.state import Accumulated, Requests

SQUADS = [SimpleNamespace(robots=np.array(robots)) for robots in ([1, 4, 5, 8], [0, 2], [3, 6, 7])]
OF = np.array([1, 0, 1, 2, 0, 0, 2, 2, 0])
"""The squad of each of nine robots."""


def test_rows_are_those_of_the_robots_squads():
    parts = [np.random.default_rng(k).normal(size=(9, 2)) for k in range(3)]
    before = [part.copy() for part in parts]
    made = merge_rows(parts, SQUADS)
    assert made == pytest.approx(np.array([parts[OF[i]][i] for i in range(9)]))
    assert all((part == old).all() for part, old in zip(parts, before)), "nothing is changed"
    assert merge_rows(parts[:1], SQUADS[:1]) is parts[0]


@pytest.mark.parametrize("seed", range(3))
def test_each_robot_sees_whom_the_senses_of_its_squad_show(seed):
    state = random_swarm(np.random.default_rng(seed), 9, 3.0)
    parts = [see(state, **senses) for senses in ({"radius": 0.9}, {"radius": 3.0, "count": 2}, {"field_of_view": 120.0})]
    made = merge_seen(parts, SQUADS)
    assert made.start[0] == 0 and made.start[-1] == len(made.index) > 9
    for i in range(9):
        mine, given = slice(*made.start[i : i + 2]), slice(*parts[OF[i]].start[i : i + 2])
        for name in ("index", "offset", "velocity", "distance"):
            assert (getattr(made, name)[mine] == getattr(parts[OF[i]], name)[given]).all(), name
    assert merge_seen(parts[1:2], SQUADS[1:2]) is parts[1]


def test_requests_and_shares_are_named_in_the_registrys_order_and_zero_where_a_squad_has_none():
    rng, names = np.random.default_rng(0), [("separation", "cohesion"), ("arrival",), ("cohesion", "arrival", "separation")]
    values = [rng.normal(size=(len(own), 9, 2)) for own in names]
    totals = [rng.normal(size=(9, 2)) for _ in names]
    asked = merge_requests([Requests(own, rows) for own, rows in zip(names, values)], SQUADS)
    got = merge_accumulated([Accumulated(*each) for each in zip(names, totals, values)], SQUADS)
    assert asked.names == got.names == ("separation", "arrival", "cohesion")
    for b, name in enumerate(asked.names):
        for i in range(9):
            own = names[OF[i]]
            expected = values[OF[i]][own.index(name), i] if name in own else (0.0, 0.0)
            assert asked.acceleration[b, i] == pytest.approx(expected) and got.share[b, i] == pytest.approx(expected)
    assert got.total == pytest.approx(np.array([totals[OF[i]][i] for i in range(9)]))
    alone = Requests(names[0], values[0])
    assert merge_requests([alone], SQUADS[:1]) is alone
