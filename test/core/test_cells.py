import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.core.cells import LEAST, _table, first_come, sort_into_cells


@given(st.integers(0, 2**32), st.integers(0, 80), st.floats(0.01, 5.0))
@settings(deadline=None, max_examples=60)
def test_everybody_is_in_one_cell_and_the_nine_around_hold_the_near_ones(seed, n, reach):
    rng = np.random.default_rng(seed)
    position, valid = rng.normal(0.0, 10.0 ** rng.integers(-2, 4), (n, 2)), rng.random(n) < 0.9
    cells = sort_into_cells(position, valid, reach)
    assert sorted(cells.order) == list(np.flatnonzero(valid))
    assert cells.start[0] == 0 and cells.start[-1] == len(cells.order) and len(cells.start) == cells.rows * cells.columns + 1
    home = np.full((n, 2), -9)
    for c in range(cells.rows * cells.columns):
        home[cells.order[cells.start[c] : cells.start[c + 1]]] = divmod(c, cells.columns)
    for a in np.flatnonzero(valid):
        near = valid & (np.hypot(*(position - position[a]).T) <= reach)
        assert np.abs(home[near] - home[a]).max() <= 1


def test_a_robot_gone_astray_does_not_crowd_the_others_into_one_cell():
    rng = np.random.default_rng(3)
    position = np.vstack((rng.uniform(0.0, 30.0, (2000, 2)), [(1e7, -1e7), (1e12, 4.0)]))
    cells = sort_into_cells(position, np.ones(2002, bool), 1.0)
    assert np.diff(cells.start).max() < 30
    assert cells.rows * cells.columns < 20_000


@given(st.integers(0, 2**32), st.integers(1, 120), st.floats(0.05, 3.0))
@settings(deadline=None, max_examples=40)
def test_first_come_keeps_who_has_room_and_drops_who_has_not(seed, n, gap):
    position = np.random.default_rng(seed).uniform(0.0, 5.0, (n, 2))
    stays = first_come(position, gap)
    expected: list[int] = []
    for k in range(n):
        if all(np.hypot(*(position[k] - position[b])) >= gap for b in expected):
            expected.append(k)
    assert np.flatnonzero(stays).tolist() == expected


@given(st.floats(0.0, 1e5), st.floats(0.0, 1e5), st.floats(0.01, 5.0), st.integers(0, 10_000))
@settings(deadline=None)
def test_however_far_robots_are_spread_there_are_not_many_more_cells_than_robots(width, height, reach, robots):
    size, rows, columns = _table(np.zeros(2), np.array([width, height]), reach, robots)
    most, least = 4.0 * robots + 1024.0, LEAST * reach
    assert rows == int(height / size) + 1 and columns == int(width / size) + 1
    assert rows * columns <= 3.0 * most + 2.0 and (size == least or rows * columns > 0.99 * most)
    assert size >= least and (size == least or (width / least + 1.0) * (height / least + 1.0) > most), "no wider than it has to be"
