"""Arrays are written as numpy reads them, without a copy of all that there is."""

import tracemalloc

import numpy as np
import pytest

from swarm_control.analysis.npz import BLOCK, write_arrays

SOME = {
    "many": np.arange(3.0 * BLOCK // 4).reshape(-1, 2, 3), "every second": np.arange(20.0)[::2], "none": np.empty((0, 3, 3)),
    "names": np.array(["a", "maß"]), "no names": np.array([], str), "whole": np.arange(5),
}  # fmt: skip


def test_numpy_reads_what_was_written(tmp_path):
    write_arrays(tmp_path / "some.npz", SOME)
    with np.load(tmp_path / "some.npz", allow_pickle=False) as found:
        assert set(found.files) == SOME.keys()
        for name, values in SOME.items():
            assert found[name].dtype == values.dtype and found[name].shape == values.shape and (found[name] == values).all(), name


@pytest.mark.parametrize("size", [10 * BLOCK, 60 * BLOCK])
def test_writing_takes_no_more_memory_where_there_is_more_to_write(tmp_path, size):
    values = np.zeros(size // 8)
    tracemalloc.start()
    try:
        write_arrays(tmp_path / "big.npz", {"values": values})
        assert tracemalloc.get_traced_memory()[1] < 200_000
    finally:
        tracemalloc.stop()
