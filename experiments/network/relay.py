"""Delay and jitter for a machine of :mod:`~swarm_experiments.network.namespaces`: a relay between its port and the bridge, in user space.

Run in the bridge's namespace as ``python relay.py BRIDGE PORT DELAY JITTER SEED`` (s): the port is taken off
the bridge, a TAP device put in its place, and every frame, either way, held back for ``DELAY ± JITTER``, evenly distributed; frames
may overtake each other, as they do on the air. At a SIGUSR1 frames under way are lost, as where a sender's queue ends with its radio.
It works where the kernel has no ``tc netem``. With nothing but an interface it only does :func:`whole_checksums`.
"""

import array
import fcntl
import heapq
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
EVERYTHING = 0x0003
OUTGOING = 4


def relay(bridge: str, port: str, delay: float, jitter: float, seed: int) -> None:
    """Relay until the process is ended."""
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", f"t{port}".encode(), IFF_TAP | IFF_NO_PI))
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(EVERYTHING))
    wire.bind((port, 0))
    wire.setblocking(False)
    for words in ((port, "nomaster"), (port, "promisc", "on"), (f"t{port}", "master", bridge, "up")):
        subprocess.run(["ip", "link", "set", *words], check=True)
    print("relaying", flush=True)
    held: list[tuple[float, int, bytes, bool]] = []
    rng, count = random.Random(seed), 0
    cut: list[int] = []  # signals not yet seen to: frames may only go where the loop does not have them in hand
    signal.signal(signal.SIGUSR1, lambda number, frame: cut.append(number))
    while True:
        if cut:
            cut.clear()
            held.clear()
        pause = max(held[0][0] - time.monotonic(), 0.0) if held else 0.05
        for ready in select.select([tap, wire.fileno()], [], [], pause)[0]:
            for frame in _frames(tap, wire, ready == tap):
                count += 1
                heapq.heappush(held, (time.monotonic() + delay + rng.uniform(-jitter, jitter), count, frame, ready == tap))
        while held and not cut and held[0][0] <= time.monotonic():
            _, _, frame, to_machine = heapq.heappop(held)
            _send(tap, wire, frame, to_machine)


def _frames(tap: int, wire: socket.socket, from_network: bool) -> list[bytes]:
    """What waits to be read on one side; not what this process has itself sent."""
    found = []
    try:
        while True:
            if from_network:
                found.append(os.read(tap, 65536))
            else:
                frame, address = wire.recvfrom(65536)
                if address[2] != OUTGOING:
                    found.append(frame)
    except BlockingIOError:
        return found
    except OSError:  # the interface is down
        return found


def _send(tap: int, wire: socket.socket, frame: bytes, to_machine: bool) -> None:
    """Pass a frame on; one for which there is no room, or no interface, is lost."""
    try:
        if to_machine:
            wire.send(frame)
        else:
            os.write(tap, frame)
    except OSError:
        return


def whole_checksums(interface: str) -> None:
    """Let the kernel fill in checksums before frames leave ``interface`` (ETHTOOL_STXCSUM): a veth leaves it to hardware not there."""
    value = array.array("B", struct.pack("II", 0x17, 0))
    request = struct.pack("16sP", interface.encode(), value.buffer_info()[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        fcntl.ioctl(handle, 0x8946, request)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        whole_checksums(sys.argv[1])
    else:
        relay(sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]))
