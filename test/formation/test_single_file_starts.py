"""Where robots that go in single file start: as they are, exchanged, or in any free places near by."""

import numpy as np
import pytest
from swarms import fleet, mapped, room

from swarm_control.core.geometry import norm
from swarm_control.formation.drive import Drive
from swarm_control.formation.routing.path_search import search
from swarm_control.formation.routing.single_file import _packed, _starts
from swarm_control.formation.routing.task import RouteTask
from swarm_control.formation.structure import place

POINTS = np.array([[0.4, 0.0], [0.0, 0.3], [-0.4, 0.0], [0.0, -0.3], [0.0, 0.0]])
BEGIN, GATE, NEED = np.array([-1.025, 0.475]), np.array([-1.0, -1.6]), 0.12
ROOM = room((0.0, 0.5, -5.0, 5.0), (-1.8, -0.6, -0.8, -0.4), side=4.0)
"""A shut-off half to the right; the gate lies behind a wall that leaves ways on both sides of it."""


def task_of(points, map):
    return RouteTask(points, np.array([*BEGIN, 0.2]), np.array([*GATE, 0.0]), fleet(len(points)), map, 0.05, Drive())


def test_free_places_are_the_nearest_by_way_that_keep_their_distance():
    map = mapped(ROOM)
    task, found, home = task_of(POINTS, map), search(map, GATE, NEED, NEED), search(map, BEGIN, NEED, NEED)
    (places,) = _packed(task, found, BEGIN, NEED)
    spacing = 1.2 * (2 * 0.05 + 0.05)
    rows, columns = np.nonzero(np.isfinite(home.time))
    centres = -2.0 + 0.05 * (np.column_stack((columns, rows)) + 0.5)
    assert places.shape == (5, 2) and places[0] == pytest.approx(BEGIN, abs=0.026)
    for k, at in enumerate(places):
        far = np.array([norm(places[:k] - centre).min(initial=np.inf) for centre in centres])
        allowed = home.time[rows, columns][far >= spacing - 1e-9]
        here = home.time[rows, columns][np.argmin(norm(centres - at))]
        assert norm(centres - at).min() < 1e-9 and here == pytest.approx(allowed.min())


@pytest.mark.parametrize(("begin", "gate", "count"), [(BEGIN, GATE, 500), (np.array([1.2, 0.0]), GATE, 2)])
def test_without_enough_of_them_or_without_a_way_to_the_gate_there_are_none(begin, gate, count):
    map = mapped(ROOM)
    assert _packed(task_of(np.zeros((count, 2)), map), search(map, gate, NEED, NEED), begin, NEED) == []


def test_those_that_go_first_are_given_the_places_nearest_to_the_gate():
    map, order = mapped(ROOM), np.array([3, 0, 4, 1, 2])
    task, found, trunk = task_of(POINTS, map), search(map, GATE, NEED, NEED), np.linspace(BEGIN, GATE, 30)
    as_it_is, turned, exchanged, packed = _starts(task, found, order, trunk, NEED)
    assert as_it_is == pytest.approx(place(POINTS, task.pose)) and sorted(rows_of(exchanged)) == sorted(rows_of(as_it_is))
    assert sorted(rows_of(packed)) == sorted(rows_of(_packed(task, found, BEGIN, NEED)[0])) and len(turned) == 5
    for places in (exchanged, packed):
        row, column = ((places[order][:, axis] + 2.0) // 0.05 for axis in (1, 0))
        assert (np.diff(found.time[row.astype(int), column.astype(int)]) >= 0.0).all()


def rows_of(places):
    return [tuple(np.round(one, 9)) for one in places]
