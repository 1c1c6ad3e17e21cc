"""Emulated robots in processes of their own."""

import csv
import socket
import subprocess
import threading
import time

import claims
from forked_swarm import forked_swarm

_ports = []


class Emulated:
    """``swarm emulate`` with ``words``, writing the truth to ``file``; ``urls`` are where its robots listen."""

    def __init__(self, file, *words, robots=1):
        self.file = file
        command = [*forked_swarm(), "emulate", *map(str, words), "--truth", str(file)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.urls = []
        for _ in range(robots):
            line = self.process.stdout.readline()
            assert " at " in line, line + self.process.stdout.read()
            self.urls.append(line.split(" at ")[1].strip())
        self.rest = []
        self._reader = threading.Thread(target=lambda: self.rest.extend(self.process.stdout), daemon=True)
        self._reader.start()

    def truth(self):
        """Rows of the truth so far: time (s since the epoch), x, y, yaw, left, right, of the (last) robot."""
        whole = self.file.read_text().rpartition("\n")[0].splitlines()
        return [tuple(float(row[name]) for name in ("time", "x", "y", "yaw", "left", "right")) for row in csv.DictReader(whole)]

    def moving(self):
        """Whether the wheels turn now."""
        return any(self.truth()[-1][4:])

    def kill(self):
        """End it as a flat battery would."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        self.process.stdout.close()

    def stop(self):
        """End it as a user would; its exit status."""
        self.process.terminate()
        status = self.process.wait(60.0)
        self._reader.join()
        self.process.stdout.close()
        return status


def free_ports(count):
    """The first of so many free ports in a row, at most ten, a multiple of ten; they are this process's to its end."""
    for _ in claims.PORTS:
        claimed, found = claims.Claim("port", claims.PORTS), []
        first = claimed.number
        try:
            for port in range(first, first + count):
                found.append(socket.create_server(("127.0.0.1", port)))
            _ports.append(claimed)
            return first
        except OSError:
            continue
        finally:
            for server in found:
                server.close()
    raise AssertionError("no free ports")


def until(condition, timeout=60.0, each=lambda: None):
    """Wait for ``condition()``, calling ``each`` all the while."""
    deadline = time.monotonic() + timeout
    while not (found := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        each()
        time.sleep(0.002)
    return found
