"""What the processes of one run on one computer share: a folder in which each shows that it lives, and where
guards keep what they must not forget.

Whoever starts the nodes makes the folder and names it in the environment (``SWARM_CONTROL_SESSION``). Nodes that are started one by one do
without. A node's main loop touches its file several times a second. A node that does so no longer hangs: it is ended by those who look, and
started again by whoever started it.
"""

import contextlib
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from swarm_control.ros.graph.spec import SESSION
from swarm_control.ros.support.processes import lives, state_of, waited_for

BEAT = 0.2
"""Time (s) between signs of life."""

HUNG = 0.8
"""A process that sleeps or is stopped hangs when it has shown no sign of life for this long (s)."""

LOOK = 0.1
"""Time (s) between looks for processes that hang."""

LENIENCE = 10.0
"""So many times as late as a look comes, processes are waited for longer."""

BUSY = 30.0
"""One that works all the time hangs after this long (s): a big swarm takes long, and a busy computer makes everybody wait."""


@dataclass(frozen=True)
class Hung:
    """A process that has shown no sign of life for ``silence`` (s)."""

    name: str
    process: int
    silence: float


class Session:
    """The folder of a run; ``path`` None: there is none, and nothing is shared. ``failure``: why something cannot be kept, or nothing."""

    def __init__(self, path: Path | None) -> None:
        self.path, self.failure = path, ""
        self._texts, self._written = dict[str, str](), dict[str, str]()
        self._work: dict[int, tuple[float, int, float]] = {}
        self._held = dict[int, float]()
        self._looked, self._late = float("inf"), 0.0

    @classmethod
    def new(cls) -> "Session":
        """Make a folder."""
        return cls(Path(tempfile.mkdtemp(prefix="swarm_control_")))

    @classmethod
    def mine(cls) -> "Session":
        """That of the run which this process belongs to."""
        given = os.environ.get(SESSION)
        return cls(Path(given) if given and Path(given).is_dir() else None)

    def renew(self) -> bool:
        """Make the folder again when somebody has removed it; whether that was so."""
        if self.path is None or self.path.is_dir():
            return False
        with contextlib.suppress(OSError):
            self.path.mkdir(mode=0o700)
        return self.path.is_dir()

    def end(self) -> None:
        """Remove the folder."""
        if self.path is not None:
            shutil.rmtree(self.path, ignore_errors=True)

    def beat(self, name: str) -> None:
        """Show that the node ``name``, which runs in this process, lives."""
        if self.path is None:
            return
        file = self.path / f"{name.strip('/').replace('/', '.')}.{os.getpid()}.beat"
        with contextlib.suppress(OSError):
            try:
                os.utime(file)
            except FileNotFoundError:
                file.touch()

    def leave(self, name: str) -> None:
        """Give no more signs of life: what comes now may take its time."""
        if self.path is not None:
            with contextlib.suppress(OSError):
                (self.path / f"{name.strip('/').replace('/', '.')}.{os.getpid()}.beat").unlink(missing_ok=True)

    def members(self, space: str = "") -> Iterator[tuple[str, int, float]]:
        """Name, process and last sign of life (s since 1970) of the nodes, or of those below a namespace (``space``); files of processes
        that have ended are removed.
        """
        below = f"{space.strip('/').replace('/', '.')}." if space else ""
        for file in sorted(self.path.glob(f"{below}*.beat")) if self.path is not None else ():
            name, process = file.stem.rsplit(".", 1)
            with contextlib.suppress(OSError):
                if not lives(int(process)):
                    file.unlink(missing_ok=True)
                else:
                    yield "/" + name.replace(".", "/"), int(process), file.stat().st_mtime

    def hung(self, space: str = "") -> list[Hung]:
        """Processes that hang, below a namespace if ``space`` names one. To be asked every :data:`LOOK`; who can only ask later, on a slow
        computer, waits longer for others, too.
        """
        found, now, ours = [], time.time(), os.getpid()
        self._late = max(now - self._looked - LOOK, 0.9 * self._late, 0.0)
        self._looked, patience = now, HUNG + LENIENCE * self._late
        for name, process, heard in self.members(space):
            silence, state = now - heard, state_of(process)
            if silence < (HUNG if state is not None and state[0] in "Tt" else patience) or state is None or process == ours:
                self._work.pop(process, None)
                continue
            letter, work = state
            since, before, waited = self._work.setdefault(process, (now, work, waited_for(process)))
            idle = letter == "S" and work == before and now - since > 0.5 * patience
            if letter in "Tt" or silence > BUSY or (idle and now - since - max(waited_for(process) - waited, 0.0) > 0.5 * patience):
                found.append(Hung(name, process, silence))
            elif work != before:
                self._work[process] = (now, work, waited_for(process))
        return found

    def held_still(self, processes: Iterable[int]) -> list[int]:
        """Those of ``processes`` that have been held still for too long before they have shown any sign of life: of them :meth:`hung` knows
        nothing. To be asked every :data:`LOOK`.
        """
        now = time.time()
        stopped = {process for process in processes if (state := state_of(process)) is not None and state[0] in "Tt"}
        if stopped:
            stopped -= {process for _, process, _ in self.members()}
        self._held = {process: self._held.get(process, now) for process in stopped}
        return [process for process, since in self._held.items() if now - since > HUNG]

    def end_hung(self, space: str = "", which: Callable[[str], bool] = lambda name: True) -> list[Hung]:
        """End the processes that hang, below a namespace if ``space`` names one and of ``which`` names, and say which they were."""
        found = [one for one in self.hung(space) if which(one.name)]
        for one in found:
            with contextlib.suppress(OSError):
                os.kill(one.process, signal.SIGKILL)
        return found

    def end_members(self, only: str = "") -> None:
        """End the other nodes, or those only whose processes are in one of the states ``only`` (letters of Linux)."""
        for _, process, _ in self.members():
            state = state_of(process)
            if process != os.getpid() and state is not None and (not only or state[0] in only):
                with contextlib.suppress(OSError):
                    os.kill(process, signal.SIGKILL)

    def store(self, owner: str, text: str) -> None:
        """Keep what the node ``owner`` must not forget, so that it outlives every process. ``failure`` says when that cannot be."""
        self._texts[owner] = text
        self.keep()

    def keep(self) -> None:
        """Write what could not be written before, or is no longer there; to be called often."""
        self.failure = ""
        for owner, text in self._texts.items() if self.path is not None else ():
            file = self._file(owner)
            if self._written.get(owner) == text and file.exists():
                continue
            draft = file.with_suffix(f".{os.getpid()}.tmp")
            try:
                draft.write_text(text)
                os.replace(draft, file)
                self._written[owner] = text
            except OSError as error:
                self.failure = f"{self.path}: {error.strerror}"
                with contextlib.suppress(OSError):
                    draft.unlink(missing_ok=True)

    def stored(self, owner: str) -> str | None:
        """What ``owner`` has stored; None: nothing in this run yet."""
        try:
            return None if self.path is None else self._file(owner).read_text()
        except OSError:
            return None

    def _file(self, owner: str) -> Path:
        assert self.path is not None
        return self.path / f"{owner.strip('/').replace('/', '.')}.memory"
