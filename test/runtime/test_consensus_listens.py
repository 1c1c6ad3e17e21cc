"""Whom a robot that agrees with others by radio counts as heard, for how long, and when it says that nobody is."""

from types import SimpleNamespace

import numpy as np
import pytest
from closed_loop import fleet

from swarm_control.core.state import SwarmState
from swarm_control.runtime.consensus import SILENT, Consensus
from swarm_control.runtime.observation import Heard
from swarm_control.runtime.word import Word

TIMEOUT, PERIOD = 0.5, 0.1
NEVER = np.full(3, np.nan)


def word(speaker, time):
    return Word(speaker, time, 1, False, 0.0, (), np.zeros(3, bool), np.full((3, 4), np.nan), NEVER, NEVER)


def robot():
    """The first of three, which as yet keeps no structure."""
    controller = SimpleNamespace(presumes=False, parts=[], waits="", members=(), dropped=np.zeros(3, bool))
    return Consensus(controller, 0, np.arange(3), fleet(3), PERIOD)


def listen(one, time, *words):
    state = SwarmState.of(time, np.zeros((3, 3)), np.zeros((3, 3)), np.array([True, False, False]))
    one._listen(Heard(state, np.array([time, -np.inf, -np.inf])), words, TIMEOUT)
    return one.degree


def test_others_are_heard_for_a_while_after_their_last_word():
    one = robot()
    assert listen(one, 1.0) == 0 and one.controller.presumes
    assert listen(one, 1.1, word(1, 1.1), word(2, 1.0), word(0, 1.1)) == 2, "nobody hears himself"
    assert listen(one, 1.5) == 2 and listen(one, 1.55) == 1 and listen(one, 1.65) == 0


def test_words_count_once_the_newest_of_each_and_none_of_the_future():
    one = robot()
    listen(one, 1.0, word(1, 0.9), word(1, 0.7), word(2, 1.0 + 2.0 * PERIOD))
    assert one._near[1:].tolist() == [0.9, -np.inf]
    listen(one, 1.1, word(1, 0.9), word(1, 0.8), word(2, 1.1 + PERIOD))
    assert one._near[1:].tolist() == [0.9, 1.1 + PERIOD] and one._used[1] == 0.9


@pytest.mark.parametrize(("pause", "held"), [(0.4, False), (1.9, True), (7.0, True)])
def test_the_time_for_which_a_robot_was_held_up_itself_does_not_count(pause, held):
    one = robot()
    listen(one, 1.0, word(1, 1.0))
    listen(one, 1.1)
    begin = 1.1 + pause
    known = 1.0 + (pause if held else 0.0)
    assert listen(one, begin) == 1
    assert listen(one, known + TIMEOUT - 0.01) == 1 and listen(one, known + TIMEOUT + 0.01) == 0


def test_who_cannot_set_out_says_so_once_after_a_while():
    one = robot()
    listen(one, 0.0)
    listen(one, SILENT)
    assert one.controller.waits == ""
    with pytest.warns(RuntimeWarning, match=r"^formation: no word of robot_1, robot_2 has come, and so nobody sets out$"):
        listen(one, SILENT + 0.1)
    listen(one, SILENT + 0.2)
    assert "robot_1" in one.controller.waits
    one._complain(SILENT + 0.3, "")
    assert one.controller.waits == ""
    one._complain(SILENT + 0.4, "it")
    one._complain(2.0 * SILENT + 0.4, "it")
    assert one.controller.waits == ""
