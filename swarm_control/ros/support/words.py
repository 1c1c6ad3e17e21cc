"""The topic ``structure/word``: how robots that keep a formation by themselves, and hear only some others, agree on it."""

from typing import Any

import numpy as np

from swarm_control.ros.graph import topics
from swarm_control.ros.messages import cdr
from swarm_control.ros.messages.word_rows import WORD, word_of_rows, word_rows
from swarm_control.ros.support.radio_reach import RadioReach
from swarm_control.runtime.consensus import Consensus
from swarm_control.runtime.formation_controller import FormationController
from swarm_control.runtime.formation_step import FormationStep
from swarm_control.runtime.observation import Heard
from swarm_control.runtime.word import Word


class WordExchange:
    """What the robot ``own`` says to others, and hears of them; ``reach``: who is heard, None: whoever's message comes."""

    def __init__(self, node: Any, own: int, reach: RadioReach | None) -> None:
        self._node, self._own, self._reach = node, own, reach
        self._members: dict[int, Consensus] = {}
        self._heard: dict[tuple[int, int], Word] = {}
        self._writer, self._publisher = cdr.CloudWriter(topics.FRAME, WORD), topics.publisher(node, topics.STRUCTURE_WORD)
        topics.subscribe(node, topics.STRUCTURE_WORD, self._hear, raw=True)

    def begin(self, formations: list[FormationController]) -> None:
        """Agree anew on the ``formations`` of all flocks; nothing that was said before counts."""
        setup, period = self._node.setup, self._node.control.period
        self._heard.clear()
        self._members = {
            number: Consensus(formation, self._own, flock.robots, setup.fleet, period)
            for number, (flock, formation) in enumerate(zip(self._node.flocks, formations)) if np.isin(self._own, flock.robots)
        }  # fmt: skip

    def step(self, flock: int, heard: Heard, *terms: Any) -> FormationStep | None:
        """One tick of the formation of the ``flock`` (its number): say what it is, hear the others, and go on."""
        member, time = self._members[flock], heard.state.time
        word = member.say(time, terms[0].estimate.timeout)
        self._publisher.publish(self._writer.write(time, word_rows(word, flock)))
        words = [said for (number, _), said in self._heard.items() if number == flock]
        return member.step(heard, words, *terms)

    @property
    def degrees(self) -> str:
        """How many others are heard, of each flock; for the status."""
        return ", ".join("nobody" if member.lost else str(member.degree) for member in self._members.values())

    def _hear(self, data: bytes) -> None:
        time, rows = cdr.read_cloud(data)
        flock, word = word_of_rows(time, rows, self._node.robots)
        if flock in self._members and word.speaker != self._own and (self._reach is None or self._reach.now[word.speaker]):
            self._heard[flock, word.speaker] = word
