"""Taking turns: which stragglers with places of their own are led, a few at a time, and who gives way to them."""

import numpy as np

from swarm_control.core.geometry import Array, IntArray, norm

MOST = 16
"""So many are led at a time; the others wait for their turn. Where no more lag, they are led whichever way they go."""

LONGEST = 20.0
"""Who has been led for so long (s) and has not got nearer in that time has had its turn, and others come first."""


class TakingTurns:
    """Whose turn it is of N robots. :attr:`led`: their numbers."""

    def __init__(self, robots: int) -> None:
        self._had = np.zeros(robots, np.int64)
        self._since: dict[int, float] = {}

    @property
    def led(self) -> list[int]:
        """Who is led, by number."""
        return list(self._since)

    def look(self, time: float, lagging: IntArray, waited: Array, position: Array, places: Array, near: float) -> list[int]:
        """Who of the ``lagging`` (indices) within ``near`` (m) of who is led from ``time`` (s) on gives way.

        ``waited`` (N,) s: for how long each has not got nearer to its place; ``position`` and ``places`` (N, 2) m.
        """
        for k, since in list(self._since.items()):
            if min(time - since, waited[k]) > LONGEST:
                self._had[k] += 1
                del self._since[k]
        led, yielding = turns(lagging, self.led, self._had, position, places, near)
        self._since = {k: self._since.get(k, time) for k in led}
        return yielding


def turns(
    lagging: IntArray, led: list[int], had: IntArray, position: Array, places: Array, near: float
) -> tuple[list[int], list[int]]:  # fmt: skip
    """Whose turn it is, of the ``lagging`` (indices), and who of them within ``near`` (m) gives way; who has been ``led`` goes on being so.

    Robots that go the same way have their turns together: those that have ``had`` (N,) the fewest, and of these the nearest to the
    foremost, the one with the shortest way left.
    """
    led = [k for k in led if k in lagging]
    others = np.array([k for k in lagging if k not in led], int)
    if not len(others):
        return led[:MOST], []
    to = places - position
    first = led[0] if led else int(others[np.lexsort((norm(to[others]), had[others]))[0]])
    opposite = to[others] @ to[first] < 0.0
    order = np.lexsort((norm(position[others] - position[first]), opposite, had[others]))
    turn = [*led, *(int(k) for k in others[order])][:MOST]
    if len(lagging) <= MOST:
        return turn, []
    turn = [k for k in turn if k in led or to[k] @ to[first] >= 0.0]
    close = norm(position[others][:, None] - position[turn][None]).min(axis=1) < near
    return turn, [int(k) for k in others[close & opposite]]
