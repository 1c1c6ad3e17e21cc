"""A robot that hears only some others, or not the same as they do, keeps the same structure as they do, by consensus.

Robots that it does not hear are presumed to do as it would tell them, so they are at their points and the fit moves only by the share of
robots that are heard. In every period each robot says where it has the structure, and the clock of its order. Who hears it mixes it in with
Metropolis weights, ``1/(1 + max(degree, degree of the other))``. What is mixed is the difference of what both had when the message was
sent, so that the motion since then does not count. That is consensus with delay: of messages that are d periods old only the share
``sin(π/(4d + 2))`` counts, which keeps every fixed graph stable, as the Laplacian of Metropolis weights has no eigenvalue above 2.

A clock that goes slower than time, as its plan waits for somebody, is not pushed on by others: they are held back by it. No clock is set
back, so that nobody turns round on his way.
"""

import warnings
from collections import deque
from collections.abc import Sequence

import numpy as np

from swarm_control.core.geometry import Array, IntArray, wrap
from swarm_control.core.state import Fleet, Map
from swarm_control.formation.memory import FormationMemory
from swarm_control.formation.parameters import FormationParameters
from swarm_control.formation.participants import stable_share
from swarm_control.runtime import agreement
from swarm_control.runtime.formation_controller import FormationController
from swarm_control.runtime.formation_step import FormationStep
from swarm_control.runtime.muster import Muster
from swarm_control.runtime.observation import Heard
from swarm_control.runtime.word import Word
from swarm_control.safety.separation_filter import SeparationFilter

WAITING = 0.9
"""A clock that goes slower than this share of time waits for somebody."""

SILENT = 10.0
"""A robot that hears nobody, or cannot set out, says so after so long (s)."""


class Consensus:
    """What the robot ``own`` of the formation's ``robots`` (indices) hears and says; ``controller`` is its own. ``period`` (s) of a tick.
    ``degree``: how many others it hears.

    Call :meth:`say` once per tick, then :meth:`step`. ``lost``: it has heard nobody for longer than the estimate's timeout. It stands then
    and nobody heeds it, and when it hears somebody again it takes over what it hears.
    """

    def __init__(self, controller: FormationController, own: int, robots: IntArray, fleet: Fleet, period: float) -> None:
        controller.presumes = True
        self.controller, self.lost = controller, False
        self._own, self._fleet, self._period, self.degree = own, fleet, period, 0
        self._others = robots[robots != own]
        self._used, self._near, self._time = *np.full((2, len(fleet)), -np.inf), np.inf
        self._muster: Muster = Muster(own, robots, len(fleet))
        self._mustering, self._advance = True, period
        self._members, self._changed, self._stands = tuple[str, ...](), -np.inf, np.inf
        self._said: deque[Word] = deque()

    def say(self, time: float, horizon: float) -> Word:
        """What the robot says at ``time`` (s); what it said longer than ``horizon`` (s) ago is compared with nothing any more."""
        parts = tuple(agreement.word_of(part) for part in self.controller.parts)
        muster = self._muster
        known = muster.places, muster.ready, muster.informed
        word = Word(self._own, time, self.degree, self.lost, self._failing, parts, self.controller.dropped, *known)
        self._said.append(word)
        while self._said[0].time < time - horizon:
            self._said.popleft()
        return word

    def step(
        self, heard: Heard, words: Sequence[Word], params: FormationParameters, deviation: Array | None = None, map: Map | None = None,
        filter: SeparationFilter | None = None,
    ) -> FormationStep | None:  # fmt: skip
        """One tick, as :meth:`FormationController.step`, on what was ``heard`` of others and ``words`` that have come since the last."""
        heard = self._listen(heard, words, params.estimate.timeout)
        before = [(part, part.memory, part.goals.visits) for part in self.controller.parts]
        made = self.controller.step(heard.state, heard.stamps, params, deviation, map, *(() if filter is None else (filter,)))
        if not self.lost:
            self._advance = min((_advance(memory, part.memory, self._period) for part, memory, _ in before), default=self._period)
            return made
        for then in before:
            agreement.halt(*then)
        return self.controller.halted()

    def _listen(self, heard: Heard, words: Sequence[Word], timeout: float) -> Heard:
        """Mix what is said into what the robot has; return what it knows of the swarm."""
        time = heard.state.time
        newest = {word.speaker: word for word in sorted(words, key=lambda word: word.time)}
        fresh = [newest[j] for j in self._others.tolist() if j in newest and self._used[j] + 1e-9 < newest[j].time <= time + self._period]
        if self._time + timeout < time:  # this robot itself was held up, by planning for one: it has not listened meanwhile
            self._near += time - self._time
        self._time = time
        for word in fresh:
            self._used[word.speaker] = self._near[word.speaker] = word.time
        near = time - self._near[self._others] <= timeout
        self.degree = int(near.sum())
        if not self.controller.parts:
            knows, unknown = self._muster.hear(heard, fresh), [self._fleet.names[k] for k in self._muster.unknown]
            why = f"no word of {', '.join(unknown)} has come, and so nobody sets out"
            self._complain(time, why if unknown else "")
            return knows
        fresh = [word for word in fresh if not word.lost and word.parts]
        # who has just begun while others are on their way takes over what they have, too
        self.lost, takes_over = bool(len(near)) and not near.any(), self.lost or (self._mustering and bool(fresh))
        self._mustering = False
        self._complain(time, f"{self._fleet.names[self._own]} hears nobody, and stands" if self.lost else "")
        self._note_failures(fresh, time, timeout)
        for number in range(len(self.controller.parts)):
            self._mix(number, fresh, heard, timeout, takes_over)
        return heard

    def _complain(self, time: float, why: str) -> None:
        """Tell ``why`` this robot stands, once it has stood for long; nothing: it does not."""
        self._stands = min(self._stands, time) if why else np.inf
        told, self.controller.waits = self.controller.waits, why if time - self._stands > SILENT else ""
        if self.controller.waits and self.controller.waits != told:
            warnings.warn(f"formation: {why}", RuntimeWarning, stacklevel=2)

    @property
    def _failing(self) -> float:
        """For how long (s) this robot has failed; 0: it has not."""
        records = [part.memory.record for part in self.controller.parts if part.memory is not None]
        return max((float(record.since[self._own]) for record in records if record.failed[self._own]), default=0.0)

    def _note_failures(self, words: Sequence[Word], time: float, timeout: float) -> None:
        """What others were told is not known here: each robot judges itself, and says so. Whom others have dropped is dropped, too.

        Where members have just been changed, others may not know that yet: what they say of old ones does not count for a while.
        """
        if self._members != self.controller.members:
            self._members, self._changed = self.controller.members, time
        words = words if time - self._changed > 2.0 * timeout else ()
        for part in self.controller.parts:
            agreement.note_failing(part, self._own, {word.speaker: word.failing for word in words})
        dropped = np.any([self.controller.dropped, *(word.dropped for word in words)], axis=0)
        for part in self.controller.parts if dropped.any() else ():
            agreement.drop(part, self._fleet, dropped)

    def _mix(self, number: int, words: Sequence[Word], heard: Heard, timeout: float, takes_over: bool) -> None:
        """Move a structure and the clock of its order towards what others say of it."""
        part, time, shift, clock = self.controller.parts[number], heard.state.time, np.zeros(3), 0.0
        said = [word.parts[number] for word in words if number < len(word.parts)]
        for one in said:
            agreement.take_goal(part, one.goal)
            agreement.take_outset(part, one)
        mine = agreement.word_of(part)
        for word in words:
            then = self._then(word)
            if number >= len(word.parts) or then is None or not word.same_team(then[0]):
                continue
            weight = 1.0 / len(words) if takes_over else self._weight(word, time)
            pose, at = _between(then, word.time, number)
            off = word.parts[number].pose - pose
            off[2] = wrap(off[2])
            shift += weight * off
            if word.parts[number].alike(mine) and then[0].parts[number].alike(mine):
                clock += weight * (word.parts[number].clock - at)
        if not takes_over:
            clock = min(max(clock, -self._advance), np.inf if self._advance >= WAITING * self._period else 0.0)
        names, unheard = self._fleet.names, time - heard.stamps > timeout
        agreement.nudge(part, shift, clock, unheard)
        speakers = [names[word.speaker] for word in words if number < len(word.parts)]
        agreement.note_others(part, frozenset(names[k] for k in np.flatnonzero(unheard)), dict(zip(speakers, said)))
        agreement.follow_on(part, said)
        agreement.presume(part, time, timeout)

    def _then(self, word: Word) -> tuple[Word, Word] | None:
        """What the robot itself said at about the time of this ``word``: the last before it and the first after it."""
        before = [own for own in self._said if own.time <= word.time + 1e-9 and own.parts]
        after = [own for own in self._said if own.time >= word.time - 1e-9 and own.parts]
        if not before or len(before[-1].parts) != len(self.controller.parts):
            return None
        return before[-1], after[0] if after and after[0].same_team(before[-1]) else before[-1]

    def _weight(self, word: Word, time: float) -> float:
        late = max(round((time - word.time) / self._period), 0)
        return float(stable_share(late)) / (1.0 + max(self.degree, word.degree))


def _between(words: tuple[Word, Word], time: float, number: int) -> tuple[Array, float]:
    """Pose (3,) and clock (s) of a part at ``time`` (s), between two words."""
    first, last = words
    one, other = first.parts[number], last.parts[number]
    if last.time - first.time < 1e-9:
        return one.pose, one.clock
    share = (time - first.time) / (last.time - first.time)
    way = other.pose - one.pose
    way[2] = wrap(way[2])
    return one.pose + share * way, one.clock + (share * (other.clock - one.clock) if one.alike(other) else 0.0)


def _advance(before: FormationMemory | None, after: FormationMemory | None, period: float) -> float:
    """How far (s) a clock has gone in the last step; all of its ``period`` where it has begun anew."""
    gone = period if before is None or after is None else after.clock - before.clock
    return gone if gone >= 0.0 else period
