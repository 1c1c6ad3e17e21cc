"""Machines on a network of their own, on one computer: Linux network namespaces, each with an interface on a common bridge.

Nothing is seen outside: the bridge is in a namespace of its own. Needs ``ip`` and the right to make namespaces (root).
"""

import contextlib
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from swarm_control.errors import Failed

SUBNET = "10.222.0"
"""The machines' addresses are this and their number plus one."""

WIRED = "10.223.0"
"""Their addresses on the wires, where they have them."""

_numbers = itertools.count()


@dataclass(frozen=True)
class LinkTraffic:
    """What a machine has sent to the network and received from it: bytes, Ethernet headers included, and packets."""

    sent: int
    received: int
    sent_packets: int
    received_packets: int

    def __sub__(self, earlier: "LinkTraffic") -> "LinkTraffic":
        """What has been added since ``earlier``."""
        return LinkTraffic(
            self.sent - earlier.sent, self.received - earlier.received, self.sent_packets - earlier.sent_packets,
            self.received_packets - earlier.received_packets,
        )  # fmt: skip


class Namespaces:
    """``count`` machines on one bridge; use it as a context, which removes everything. ``Failed`` where that is not permitted.

    ``names[k]`` is machine k's namespace, ``hub`` the one with the bridge ``bridge``, where machine k is at port ``p<k>``. A machine's
    own interface is ``eth0``, with the address ``SUBNET.<k + 1>``.

    ``wired``: there is another bridge, whose ports nobody spoils, for what is a robot's own: the wires to its wheels. It carries no UDP,
    and so nothing of ROS. A machine's interface there is ``wire``, with the address ``WIRED.<k + 1>``; this needs ``nft``.
    """

    def __init__(self, count: int, wired: bool = False) -> None:
        self._wired = wired
        prefix = f"sw{os.getpid()}n{next(_numbers)}"
        self.hub, self.bridge = f"{prefix}hub", "bridge"
        self.names = tuple(f"{prefix}m{k}" for k in range(count))

    def __enter__(self) -> "Namespaces":
        try:
            self._make()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def command(self, machine: int, words: Sequence[str]) -> list[str]:
        """The command line that runs ``words`` on a machine."""
        return ["ip", "netns", "exec", self.names[machine], *words]

    def address(self, machine: int) -> str:
        """A machine's address."""
        return f"{SUBNET}.{machine + 1}"

    def counters(self) -> list[LinkTraffic]:
        """What each machine has sent and received so far; its loopback does not count."""
        ports = json.loads(_ip("-n", self.hub, "-json", "-statistics", "link", "show", "master", self.bridge))
        found = {port["ifname"]: port["stats64"] for port in ports}
        each = [found[f"p{k}"] for k in range(len(self.names))]
        # what the bridge's port receives is what the machine sends
        return [
            LinkTraffic(one["rx"]["bytes"], one["tx"]["bytes"], one["rx"]["packets"], one["tx"]["packets"]) for one in each
        ]  # fmt: skip

    def close(self) -> None:
        """Remove the namespaces and all that is in them but processes."""
        for name in (*self.names, self.hub):
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)

    def _make(self) -> None:
        if shutil.which("ip") is None:
            raise Failed("network namespaces need the command ip (iproute2)")
        _ip("netns", "add", self.hub)
        _quiet(self.hub)
        # no querier on the bridge: multicast goes to all, as by radio
        _ip("-n", self.hub, "link", "add", self.bridge, "type", "bridge", "mcast_snooping", "0")
        _ip("-n", self.hub, "link", "set", self.bridge, "up")
        for k, name in enumerate(self.names):
            _ip("netns", "add", name)
            _quiet(name)
            _ip("-n", self.hub, "link", "add", f"p{k}", "type", "veth", "peer", "name", "eth0", "netns", name)
            _ip("-n", self.hub, "link", "set", f"p{k}", "master", self.bridge, "up")
            _ip("-n", name, "address", "add", f"{self.address(k)}/24", "dev", "eth0")
            for interface in ("lo", "eth0"):
                _ip("-n", name, "link", "set", interface, "up")
            _ip("-n", name, "route", "add", "default", "dev", "eth0")
        if self._wired:
            self._wire()

    def _wire(self) -> None:
        _ip("-n", self.hub, "link", "add", "wires", "type", "bridge")
        _ip("-n", self.hub, "link", "set", "wires", "up")
        rule = "type filter hook ingress device wire priority 0; policy accept; ip protocol udp drop;"
        for k, name in enumerate(self.names):
            _ip("-n", self.hub, "link", "add", f"w{k}", "type", "veth", "peer", "name", "wire", "netns", name)
            _ip("-n", self.hub, "link", "set", f"w{k}", "master", "wires", "up")
            _ip("-n", name, "address", "add", f"{WIRED}.{k + 1}/24", "dev", "wire")
            _ip("-n", name, "link", "set", "wire", "up")
            _run("ip", "netns", "exec", name, "nft", f"table netdev wire {{ chain wire {{ {rule} }}; }}")


def permitted() -> str:
    """Why namespaces cannot be made here; nothing when they can."""
    try:
        with Namespaces(1):
            return ""
    except Failed as error:
        return str(error)


def _quiet(name: str) -> None:
    """No IPv6 in a namespace: its own multicasts would be counted."""
    with contextlib.suppress(Failed):  # a kernel without IPv6
        _run("ip", "netns", "exec", name, "sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6")


def _ip(*words: str) -> str:
    return _run("ip", *words)


def _run(*words: str) -> str:
    made = subprocess.run(words, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise Failed(f"no network namespace can be made: {' '.join(words)}: {made.stderr.strip()}")
    return made.stdout
