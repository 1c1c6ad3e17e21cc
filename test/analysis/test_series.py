"""Series thin themselves while they are filled, so that a run of days keeps as little as one of minutes."""

import tracemalloc

import numpy as np
import pytest

from swarm_control.analysis.series import LIMIT, Series


@pytest.mark.parametrize(("ticks", "limit", "stride"), [(10, 10, 1), (11, 10, 2), (20, 10, 2), (21, 10, 4), (1000, 10, 128), (7, 3, 4)])
def test_thinning_keeps_evenly_spaced_ticks_within_the_limit(ticks, limit, stride):
    series = Series(limit)
    for k in range(ticks):
        series.add(0.1 * k, {"a": float(k)})
        assert len(series.time) <= limit
    found = series.arrays()
    assert found["time"] == pytest.approx(0.1 * np.arange(0, ticks, stride))
    assert (found["a"] == np.arange(0, ticks, stride)).all()


def test_columns_that_begin_late_or_end_early_stay_with_their_times():
    series = Series(8)
    for k in range(100):
        series.add(float(k), {"early": k} if k < 20 else {"late": k, "never": None})
    found = series.arrays()
    time = found["time"]
    assert (np.diff(time) == 16.0).all() and len(time) == 7
    np.testing.assert_array_equal(found["early"], np.where(time < 20, time, np.nan))
    np.testing.assert_array_equal(found["late"], np.where(time < 20, np.nan, time))
    assert np.isnan(found["never"]).all()


def test_no_more_is_kept_than_is_written():
    series = Series()
    for k in range(3 * LIMIT):
        series.add(float(k), {"a": 1.0})
    assert len(series.columns["a"]) == len(series.time) == 3 * LIMIT // 4


def test_a_run_that_goes_on_takes_no_more_memory():
    series = Series()
    series.add(0.0, {f"share/{k}": 1.0 for k in range(8)})
    tracemalloc.start()
    try:
        for tick in range(1, 5000):
            series.add(0.05 * tick, {f"share/{k}": 0.1 * tick for k in range(8)})
        assert tracemalloc.get_traced_memory()[0] < 10_000  # lists of numbers are 1,440,000 bytes
    finally:
        tracemalloc.stop()
