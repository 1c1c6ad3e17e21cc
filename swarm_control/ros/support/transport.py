"""How bytes travel between processes: through sockets, on one machine never through shared memory.

Fast DDS by default passes messages between local processes through shared memory that a mutex guards. A process that is killed while
it holds the mutex (once in some thirty kills of a busy node) blocks everyone who publishes to the same reader for one to several
seconds: robots would not be stopped in time. Over sockets nobody waits for the dead.

rmw_fastrtps adds shared memory by itself when ROS_AUTOMATIC_DISCOVERY_RANGE is LOCALHOST. The profile below is what it then sets up,
without that: discovery by unicast to the ports of local processes. It looks for 32 of them, and of more those that came last would not find
each other; here it is as many as Fast DDS gives ports to. Who comes later hears of those that are there by what they announce again and
again: in the first four seconds every 0.2 s, so that processes that start together meet at once; then every second here, by default every
three, for which commands such as ``swarm send`` had to wait. The profile also names 127.0.0.1 as the only interface, which rmw_fastrtps
does not: its sockets listen on every address of the machine, LOCALHOST or not.
Robots that are named in ROS_STATIC_PEERS are looked for as well, and then the sockets are on all interfaces, as was asked for.

Where messages leave the machine, nobody waits until there is room to send them. When a machine loses its network, Linux keeps what it
cannot deliver for some three seconds (arp(7)), the socket is full, and by default Fast DDS waits for it: each node that publishes would
hang for two to three seconds, again and again, the node that stops the robot among them. And a message is sent in datagrams of one frame,
of which only those that are lost are sent again. By default Fast DDS sends datagrams of 64 kB, which IP cuts into frames, and each is
lost with any of its frames: at 10 % loss a map of 200 kB never comes.
"""

import fcntl
import os
import socket
import struct
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from swarm_control.errors import InputError
from swarm_control.ros.graph.parts import PROCESSES

RANGE, PEERS, SECURITY = "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_STATIC_PEERS", "ROS_SECURITY_ENABLE"
PROFILES = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE")

LOCALHOST = """<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns="http://www.eprosima.com"><profiles>
  <transport_descriptors><transport_descriptor>
    <transport_id>sockets</transport_id><type>UDPv4</type>
    <sendBufferSize>1048576</sendBufferSize><receiveBufferSize>4194304</receiveBufferSize>
    <maxInitialPeersRange>{range}</maxInitialPeersRange>
    {sending}
  </transport_descriptor></transport_descriptors>
  <participant profile_name="local_sockets" is_default_profile="true"><rtps>
    <builtin>
      <discovery_config>
        <leaseAnnouncement><sec>{announce}</sec></leaseAnnouncement>
        {first}
      </discovery_config>
      <metatrafficUnicastLocatorList><locator><udpv4/></locator></metatrafficUnicastLocatorList>
      <initialPeersList>{peers}</initialPeersList>
    </builtin>
    <userTransports><transport_id>sockets</transport_id></userTransports>
    <useBuiltinTransports>false</useBuiltinTransports>
  </rtps></participant>
</profiles></dds>
"""
FAR = 32
"""Processes that are looked for on each of the other machines, which are asked by air; on this one it is :data:`PROCESSES`."""

ANNOUNCE, AFAR = 1, 3
"""Time (s) between a process's announcements, to this machine alone and where they go by air, too."""

FIRST = "<initialAnnouncements><count>20</count><period><sec>0</sec><nanosec>200000000</nanosec></period></initialAnnouncements>"
"""What a process announces at its start to this machine: enough, for so long, that those who start a few seconds apart meet at once."""

GET_FLAGS, RUNNING, LOOP = 0x8913, 0x40, 0x8
"""SIOCGIFFLAGS, IFF_RUNNING and IFF_LOOPBACK of Linux."""

FRAME = 1400
"""Bytes of a message that are sent at once by air: with all headers they fit into one frame."""

BY_AIR = f"UDPv4?max_msg_size={FRAME}B&sockets_size=4MB&non_blocking=true"
"""Transport in the notation of FASTDDS_BUILTIN_TRANSPORTS."""

ENCRYPTED = "UDPv4?sockets_size=4MB&non_blocking=true"
"""The same where messages are encrypted, which makes them longer."""

LOOPBACK = "<interfaceWhiteList><address>127.0.0.1</address></interfaceWhiteList>"
AT_ONCE = f"<maxMessageSize>{FRAME}</maxMessageSize><non_blocking_send>true</non_blocking_send>"
PEER = "<locator><udpv4><address>{}</address></udpv4></locator>"


@contextmanager
def sockets_only() -> Iterator[None]:
    """Send the messages of the ROS nodes that are made in this context as this module tells. Profiles that the user has given win.

    Only Fast DDS reads what is set here; the environment is put back at the end. ``InputError`` where security is asked for that cannot be
    had.
    """
    before = dict(os.environ)
    os.environ.setdefault("FASTDDS_BUILTIN_TRANSPORTS", ENCRYPTED if before.get(SECURITY) == "true" else BY_AIR)
    file = None
    if _replaceable(before):
        with tempfile.NamedTemporaryFile("w", suffix=".xml", delete=False) as stream:
            stream.write(profile(before.get(PEERS, "")))
        file = stream.name
        os.environ[PROFILES[before.get("ROS_DISTRO") in ("iron", "jazzy")]] = file
        os.environ[RANGE] = "SYSTEM_DEFAULT"
    try:
        yield
    except RuntimeError as error:  # rclpy's own errors are of this kind
        if before.get(SECURITY) != "true":
            raise
        found = str(error).splitlines()[0]
        raise InputError(SECURITY, f"true found, but {found}; expected keys, and a ROS that can encrypt (docs/security.md)") from None
    finally:
        os.environ.clear()
        os.environ.update(before)
        if file is not None:
            os.unlink(file)


def profile(peers: str) -> str:
    """The profile for this machine and ``peers``, addresses with semicolons between; none: sockets on the loopback interface only."""
    others = [peer.strip() for peer in peers.split(";") if peer.strip()]
    found = "".join(PEER.format(peer) for peer in ("127.0.0.1", *others))
    far = {"sending": AT_ONCE, "range": FAR, "announce": AFAR, "first": ""}
    near = {"sending": LOOPBACK, "range": PROCESSES, "announce": ANNOUNCE, "first": FIRST}
    return LOCALHOST.format(peers=found, **(far if others else near))


def speaks_to_others() -> bool:
    """Whether nodes are to be heard by other machines."""
    return os.environ.get(RANGE, "SUBNET") not in ("LOCALHOST", "OFF") or bool(os.environ.get(PEERS))


def networks() -> frozenset[str]:
    """The interfaces by which this machine is connected to others now. Fast DDS speaks by those alone that were there when a process
    first joined the graph: one that did so before a cable was plugged in, or radio found its network, has to be started again.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        return frozenset(name for _, name in socket.if_nameindex() if _carries(asking, name))


def _carries(asking: socket.socket, interface: str) -> bool:
    """Whether an interface is connected to others, as the kernel has it (netdevice(7))."""
    try:
        answer = fcntl.ioctl(asking, GET_FLAGS, struct.pack("16sh14x", interface.encode(), 0))
    except OSError:  # it is there no more
        return False
    flags = struct.unpack("16sh14x", answer)[1]
    return bool(flags & RUNNING) and not flags & LOOP


def _replaceable(environment: Mapping[str, str]) -> bool:
    """Whether rmw_fastrtps would set up transports by itself."""
    fast = environment.get("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp").startswith("rmw_fastrtps")
    return fast and environment.get(RANGE) == "LOCALHOST" and not any(name in environment for name in PROFILES)
