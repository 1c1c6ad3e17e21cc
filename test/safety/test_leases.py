"""Leases one by one: what an answer is worth, whom the guard waits for, and whose stops hold."""

import numpy as np
import pytest

from swarm_control.safety.fence import polygon
from swarm_control.safety.lease import MANY, LeaseGranter, LeaseHolder
from swarm_control.safety.stop_record import StopRecord


def test_a_lease_lasts_from_when_it_was_asked_for_and_only_under_the_own_name():
    holder = LeaseHolder("ann")
    first, second = holder.ask(1.0, 0.5), holder.ask(2.0, 0.5)
    assert (first, second) == (1, 2) and not holder.may_move(1.0)
    holder.hear("bob", second, StopRecord())
    holder.hear("ann", 7, StopRecord())
    assert not holder.may_move(2.0), "that is another's, and that was never asked"
    holder.hear("ann", second, StopRecord())
    holder.hear("ann", first, StopRecord())
    assert holder.until == 2.5 and holder.may_move(2.4) and not holder.may_move(2.5), "an older answer takes nothing away"
    holder.hear("bob", 1, StopRecord().stop("bob"))
    assert not holder.may_move(2.4), "a stop is heard from anybody"


def test_requests_that_nobody_answers_are_forgotten_the_oldest_first():
    holder = LeaseHolder("ann")
    for k in range(MANY + 1):
        holder.ask(float(k), 0.5)
    holder.hear("ann", 1, StopRecord())
    assert holder.until == -np.inf
    holder.hear("ann", 2, StopRecord())
    assert holder.until == 1.5


def test_the_guard_waits_for_those_that_may_command_and_do_not_know_of_the_stop():
    guard, stopped = LeaseGranter(blind_until=0.5), StopRecord().stop("door")
    assert guard.silent(0.0) and not guard.held(9.0), "without a stop nothing is held"
    guard.hear("ann", StopRecord(), 1.0, 1.0)
    guard.hear("bob", stopped, 3.0, 1.0)
    assert guard.record == stopped and guard.loose(1.9) == ["ann"] and not guard.held(1.9)
    assert guard.held(2.0) and guard.loose(2.0) == [], "her lease has ended"
    assert not guard.silent(2.0) and not guard.silent(2.9, 1.0) and guard.silent(3.0, 1.0) and guard.silent(4.0)
    guard.hear("ann", StopRecord(), 0.1, 3.5)
    assert guard.loose(3.55) == ["ann"]
    guard.hear("ann", stopped, 0.1, 3.55)
    assert guard.loose(3.56) == [] and set(guard.leases) == {"ann", "bob"}
    guard.hear("eve", stopped, 0.1, 9.0)
    assert set(guard.leases) == {"eve"}, "leases that have ended are forgotten"


def test_a_lease_is_never_shortened_and_nothing_is_held_while_a_former_guards_leases_last():
    guard = LeaseGranter(blind_until=5.0)
    guard.hear("ann", StopRecord().stop("door"), 3.0, 1.0)
    guard.hear("ann", StopRecord(), 0.5, 1.5)
    assert guard.leases["ann"].until == 4.0
    assert not guard.held(4.9) and guard.held(5.0)


def test_the_sources_of_stops_that_hold_are_named():
    record = StopRecord().stop("door").stop("ann")
    assert record.holding() == ["ann", "door"] and record.stopped
    known = record.release(StopRecord().stop("door"))
    assert known.holding() == ["ann"]
    assert known.stop("door").holding() == ["ann", "door"]
    assert record.release(record).holding() == [] and not record.release(record).stopped


@pytest.mark.parametrize("corners", [[0, 0, 1, 0, np.nan, 1], [0, 0, 1, 0, np.inf, 1]])
def test_corners_of_a_fence_are_finite(corners):
    with pytest.raises(ValueError, match=r"^a corner that is not finite found, expected finite numbers$"):
        polygon(corners)
