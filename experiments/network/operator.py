"""Somebody who sits at a machine, and whose program is in the graph from the start: ``stop`` and ``release`` are lines of standard input.

Each is answered by a line: when (s) that was, 1 or 0 whether it is confirmed, and what is known.
"""

import os
import select
import sys
import time

from swarm_control.ros.support.stop_client import StopClient

END = "end"


def main(patience: float, word: str) -> None:
    """Obey until there is no more input, ``word`` first; each is waited for ``patience`` (s)."""
    with StopClient() as client:
        while word != END and not client.outdated:
            client.serve(0.02)
            word = word or _said()
            if word not in ("", END) and (told := _told(client, word, patience)):
                print(f"{time.time():.3f} {told}", flush=True)
                word = ""
    if word != END:
        os.execv(sys.executable, [sys.executable, "-m", "swarm_experiments.network.operator", str(patience), word])


def _said() -> str:
    """The next word; nothing while there is none, which so waits for the program where that is started again."""
    if not select.select([0], [], [], 0.0)[0]:
        return ""
    return os.read(0, 100).decode().strip() or END


def _told(client: StopClient, word: str, patience: float) -> str:
    """What came of a word; nothing when the program has to be started again."""
    done, text = (client.stop if word == "stop" else client.release)(patience)
    return f"{int(done)} {text}" if done or not client.outdated else ""


if __name__ == "__main__":
    main(float(sys.argv[1]), "".join(sys.argv[2:]))
