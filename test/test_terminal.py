"""Signals are collected, and given back; lines to nobody are no error."""

import io
import os
import signal
import time

import pytest

from swarm_control import terminal
from swarm_control.terminal import signals, tell

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def test_signals_are_collected_and_handled_as_before_afterwards():
    before = [signal.getsignal(number) for number in ENDING]
    with signals() as told:
        for number in ENDING:
            signal.raise_signal(number)
        assert told == list(ENDING)
    assert [signal.getsignal(number) for number in ENDING] == before


def test_work_that_goes_on_after_a_signal_is_broken_off_where_it_can_be(monkeypatch):
    monkeypatch.setattr(terminal, "PATIENCE", 0.02)
    breakable = False
    with pytest.raises(terminal.Overdue), signals(lambda: breakable) as told:
        time.sleep(0.2)
        assert not told, "without a signal nothing is broken off"
        signal.raise_signal(signal.SIGTERM)
        time.sleep(0.2)
        breakable = True
        time.sleep(60.0)
    assert told == [signal.SIGTERM]
    time.sleep(0.2)  # nothing is raised afterwards


def test_only_a_hangup_that_is_ignored_stays_ignored():
    before = [signal.signal(number, signal.SIG_IGN) for number in ENDING]
    try:
        with signals() as told:
            for number in ENDING:
                signal.raise_signal(number)
            assert told == [signal.SIGINT, signal.SIGTERM]
    finally:
        for number, handler in zip(ENDING, before):
            signal.signal(number, handler)


def test_who_cannot_hear_is_told_nothing_and_what_waits_is_dropped():
    read, write = os.pipe()
    os.close(read)
    with open(write, "w") as stream:
        tell("first", stream)
        tell("second", stream)
    closed = io.StringIO()
    closed.close()
    tell("third", closed)


@pytest.mark.parametrize(("end", "expected"), [("\n", "a line\n"), ("\r", "a line\r")])
def test_who_can_hear_is_told(end, expected):
    stream = io.StringIO()
    tell("a line", stream, end=end)
    assert stream.getvalue() == expected
