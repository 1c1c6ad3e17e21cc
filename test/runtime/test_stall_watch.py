"""A plan stalls when its robots could go and do not; who looks only now and then does not take that for waiting."""

import numpy as np
import pytest

from swarm_control.runtime.stall_watch import HELD_UP, STALLED, StallWatch


def first_stall(watch, times, clock=lambda time: 0.0):
    for time in times:
        watch.look(clock(time), time, under_way=True, failed=False)
        if watch.stalled:
            return time
    return None


@pytest.mark.parametrize("period", [0.05, 1.0])
def test_a_plan_that_waits_stalls_and_the_next_has_twice_as_long(period):
    watch, times = StallWatch(), np.arange(0.0, 40.0, period)
    for bears in (STALLED, 2.0 * STALLED, 4.0 * STALLED):
        assert bears < first_stall(watch, times) <= bears + 2.0 * period
        watch.begin()


def test_a_plan_that_gets_on_does_not_stall_nor_one_whose_robots_may_not_go():
    assert first_stall(StallWatch(), np.arange(0.0, 20.0, 0.1), lambda time: 0.2 * time) is None
    watch = StallWatch()
    for time in np.arange(0.0, 20.0, 0.1):
        watch.look(0.0, time, under_way=True, failed=False)
        assert not watch.stalled
        watch.wait()


def test_the_time_in_which_nobody_looked_is_no_waiting():
    held_up = 7.0
    times = np.concatenate((np.arange(0.0, 1.0, 0.1), np.arange(1.0 + held_up, 30.0, 0.1)))
    assert held_up > HELD_UP and first_stall(StallWatch(), times) == pytest.approx(STALLED + held_up + 0.2, abs=0.11)
