"""What Linux says of processes: whether they live, work, or wait."""

import contextlib
from pathlib import Path


def lives(process: int) -> bool:
    """Whether a process has not ended."""
    return state_of(process) is not None


def state_of(process: int) -> tuple[str, int] | None:
    """What Linux says of a process's main thread: the letter of its state, and the processor time it has had; None when it has ended."""
    try:
        fields = Path(f"/proc/{process}/task/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else (fields[0], int(fields[11]) + int(fields[12]))


def waited_for(process: int) -> float:
    """For how long (s) the process's threads have waited for a processor, one after another: the main one may sleep until another has done
    what it cannot do on a busy computer. 0 where Linux does not count it.
    """
    found = 0
    with contextlib.suppress(OSError, IndexError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            found += int((thread / "schedstat").read_text().split()[1])
    return found * 1e-9
