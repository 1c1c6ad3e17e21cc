"""Robots that act each at a time of its own, rather than all at every tick."""

import numpy as np

from swarm_control.core.state import Commands


class CommandTiming:
    """Lets each of ``robots`` take a new command when its own period is over, and keep the last one until then.

    Periods are drawn evenly from 1 to 1 + ``spread`` ticks, and so is where in its period a robot begins; ``spread`` 0: all take every
    command. Until its first turn a robot stands.
    """

    def __init__(self, robots: int, spread: float, rng: np.random.Generator) -> None:
        self._period = 1.0 + spread * rng.random(robots)
        self._next = self._period * rng.random(robots) if spread > 0.0 else np.zeros(robots)
        self._held = np.zeros((robots, 3))
        self._tick = 0

    def obeyed(self, commands: Commands) -> Commands:
        """What the robots obey in this tick, for which ``commands`` have been given; to be called once per tick."""
        turn = self._next <= self._tick + 1e-9
        self._tick += 1
        if turn.all():
            self._held = commands.twist
        else:
            self._held = np.where(turn[:, None], commands.twist, self._held)
        self._next = np.where(turn, self._next + self._period, self._next)
        return Commands(self._held, commands.fenced)
