"""What only one test on this machine may use at a time, whichever process runs it: ROS domains and TCP ports."""

import fcntl
import os
import tempfile
from itertools import count
from pathlib import Path

_turn = count(os.getpid())
FOLDER = Path(tempfile.gettempdir()) / f"swarm_control_claims_{os.getuid()}"
DOMAINS = range(1, 102)
"""Their UDP ports lie below those that Linux hands out by itself."""
PORTS = range(20_000, 32_000, 10)
"""First of ten ports each, below those that Linux hands out by itself."""


class Claim:
    """One of ``numbers`` that nobody else has claimed under the name ``kind``; it is given back by :meth:`release`, or with the process."""

    def __init__(self, kind, numbers):
        FOLDER.mkdir(exist_ok=True)
        first = next(_turn) % len(numbers)
        for number in (*numbers[first:], *numbers[:first]):
            stream = (FOLDER / f"{kind}_{number}").open("w")
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                stream.close()
                continue
            self.number, self._stream = number, stream
            return
        raise AssertionError(f"all of {kind} {numbers} are in use")

    def release(self):
        self._stream.close()


def domain():
    """Claim a ROS domain; the variable ``TEST_DOMAINS`` (``FIRST-LAST``) names the ones to choose from."""
    first, _, last = os.environ.get("TEST_DOMAINS", f"{DOMAINS[0]}-{DOMAINS[-1]}").partition("-")
    return Claim("domain", range(int(first), int(last) + 1))
