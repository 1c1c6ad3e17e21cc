"""The binary messages: what goes in comes out, and each page gets its own robot's details."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from unpack_frames import unpack

from swarm_control.core.grid import Grid
from swarm_control.dashboard.frames import COLUMNS, HEAD, MAP, Frame, Table, pack_map

NUMBERS = st.floats(width=32, allow_nan=True, allow_infinity=True)


@st.composite
def tables(draw):
    kinds = draw(st.lists(st.sampled_from(Table), unique=True))
    return {kind: draw(arrays(np.float64, (draw(st.integers(0, 5)), COLUMNS[kind]), elements=NUMBERS)) for kind in kinds}


@given(tables(), st.integers(0, 2**32 - 1), st.floats(allow_nan=False))
def test_frames_come_out_as_they_went_in(made, sequence, time):
    found = unpack(Frame(time, made).pack(sequence))
    assert found[:2] == (sequence, time)
    assert set(found[2]) == set(made)
    for kind, rows in made.items():
        np.testing.assert_array_equal(found[2][kind], rows)


def test_a_page_gets_the_details_of_its_robot_only():
    details = {Table.NEIGHBOURS: np.array([[0.0, 1, 5, 6], [1.0, 0, 7, 8]]), Table.ARROWS: np.array([[0.0, -1, 1, 2], [1.0, -1, 3, 4]])}
    frame = Frame(1.0, {Table.RINGS: np.zeros((1, 4))}, details)
    assert set(unpack(frame.pack(1))[2]) == {Table.RINGS}
    found = unpack(frame.pack(1, picked=1))[2]
    assert found[Table.NEIGHBOURS].tolist() == [[1, 0, 7, 8]] and found[Table.ARROWS].tolist() == [[1, -1, 3, 4]]
    found = unpack(frame.pack(1, picked=1, everybody=True))[2]
    assert len(found[Table.ARROWS]) == 2 and len(found[Table.NEIGHBOURS]) == 1


def test_tables_lie_where_a_browser_can_read_them_in_place():
    frame = Frame(0.0, {Table.METRICS: np.zeros((1, 7)), Table.GOALS: np.zeros((3, 4))})
    assert len(frame.pack(1)) == HEAD.size + 8 + 28 + 8 + 48 and HEAD.size % 4 == 0


def test_a_map_is_a_bit_per_cell():
    occupied = np.random.default_rng(0).random((7, 5)) < 0.4
    data = pack_map(Grid(occupied, (-1.5, 2.0), 0.25))
    assert MAP.unpack_from(data, HEAD.size) == (7, 5, -1.5, 2.0, 0.25)
    bits = np.unpackbits(np.frombuffer(data, np.uint8, offset=HEAD.size + MAP.size))[:35]
    np.testing.assert_array_equal(bits.reshape(7, 5).astype(bool), occupied)


def test_what_is_no_frame_is_refused():
    with pytest.raises(ValueError, match="not a frame"):
        unpack(pack_map(Grid(np.zeros((1, 1), bool), (0.0, 0.0), 1.0)))
