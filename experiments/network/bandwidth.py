"""Virtual structures: what robots that each compute for themselves really send, counted at the network interfaces of their machines."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Curves, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment
from swarm_control.core.geometry import Array
from swarm_control.errors import Failed
from swarm_control.ros.graph.plan import plan
from swarm_control.ros.graph.spec import HOSTED, PARENT, NodeSpec

from ..papers.structures import PAGE
from .namespaces import Namespaces, permitted

PERIOD = 0.1
PAPER = 96.0
"""The paper's K, bits of a robot's pose."""

LOOK, QUIET = 3.0, 0.1
"""Machines have found each other when what they send in so long (s) differs by less than this share from what they sent before."""

LEAST, MOST = 6, 30
"""Looks for that, at least and at most, from the first byte on."""


@dataclass(frozen=True)
class Traffic:
    """What ``robots`` machines send per second while odometry flows, in bit/s and packets/s, and before it does: discovery alone."""

    robots: int
    sent: float
    packets: float
    idle: float

    @property
    def bits(self) -> float:
        """The effective K: bits that are sent for each odometry of a robot."""
        return (self.sent - self.idle) * PERIOD / self.robots


@experiment("formation_bandwidth", "bytes that onboard robots really send, on machines of their own", PAGE, reported_on=range(100, 101))
@each_seed
def bandwidth(lab: Lab, seed: Seed) -> Finding:
    """Onboard robots on machines of their own: each sends its odometry to all others, or one base station sends one cloud to all."""
    reason = _unable()
    counts = (2,) if lab.quick else (2, 3)
    span = 4.0 if lab.quick else 10.0
    found = {} if reason else {way: [measure(way, n, span, seed) for n in counts] for way in WAYS}
    each, cloud = (found.get(way, []) for way in WAYS)
    rows = [
        (f"{one.robots}", way, f"{one.sent / 1e3:.1f}", f"{one.packets:.0f}", f"{one.idle / 1e3:.1f}", f"{one.bits:.0f}",
         f"{PAPER * one.robots / PERIOD / 1e3:.1f}", f"{one.bits / PAPER:.0f}")
        for way, ones in found.items() for one in ones
    ]  # fmt: skip
    claims = {
        "from three robots on one cloud for all needs less than an odometry each": all(
            b.sent < a.sent for a, b in zip(each, cloud) if a.robots > 2),
        "K grows with the number of robots: what is sent is no broadcast": all(b.bits > a.bits for a, b in pairwise(each)),
    }
    return Finding(
        "Bandwidth on the wire", "Every robot sends its pose to all: BW = K·N/T, 3 robots × 96 bit / 0.1 s = 2.9 kbit/s.",
        ("robots", "way", "sent in all (kbit/s)", "packets/s", "of these discovery (kbit/s)", "effective K (bit)",
         "K·N/T with the paper's K (kbit/s)", "effective K, times the paper's"),
        tuple(rows), {} if reason else claims,
        (Curves("sent in all", "robots", "kbit/s", {
            **{way: (np.array(counts, float), _kilobits(ones), None) for way, ones in found.items()},
            "K·N/T, 96 bit": (np.array(counts, float), PAPER * np.array(counts, float) / PERIOD / 1e3, None)}),),
        {f"K_{one.robots}": one.bits for one in each},
        f"Not measured: {reason}." if reason else
        "Each robot's own nodes run on a machine of their own: a network namespace on a common bridge. Counted are all bytes that enter "
        "the bridge, with UDP, IP and Ethernet headers; discovery is what flowed before the first odometry. Effective K is the rest, per "
        "robot and period. Fast DDS sends a message once to every process that listens, not once to all, so that K grows with the number "
        "of listeners: one process on each other robot. The cloud's base station is the simulator: its clock, to every process, and "
        "the commands that come back to it are counted, too. Robots stand: without a director nobody lets them go; messages are as long.",
    )  # fmt: skip


def measure(way: str, robots: int, span: float, seed: Seed) -> Traffic:
    """Start all processes of ``robots`` robots, and count for ``span`` (s), before odometry flows and while it does."""
    with Namespaces(robots + 1) as machines, _Processes(machines) as processes:
        settings = [f"robots.0.count={robots}", "robots.0.start={spacing: 1}", f"seed={seed}"]
        WAYS[way](processes, settings, robots, source=False)
        _settle(machines, processes)
        idle = _rate(machines, span)
        WAYS[way](processes, settings, robots, source=True)
        _settle(machines, processes)
        busy = _rate(machines, span)
        processes.check()
    return Traffic(robots, busy[0], busy[1], idle[0])


def _each(processes: "_Processes", settings: Sequence[str], robots: int, source: bool) -> None:
    """Robot k's nodes and wheel driver on machine k; the source is its wheels, which tell the encoders' counts once a period."""
    link = [*settings, "hardware.wheels.link=udp://127.0.0.1:5000"]
    if source:
        words = ["emulate", SCENARIO, *(word for change in link for word in ("--set", change)), "--udp", "5000", "--period", str(PERIOD)]
        for k in range(robots):
            processes.start(k, [sys.executable, "-m", "swarm_control.cli.main", *words, "--only", str(k)])
        return
    processes.nodes(plan(SCENARIO, link, "none", onboard=_names(robots), formation=True, drivers=("wheel_driver",)))


def _cloud(processes: "_Processes", settings: Sequence[str], robots: int, source: bool) -> None:
    """Robot k's nodes on machine k; the source is a base station that sees all robots, on the last machine."""
    specs = plan(SCENARIO, settings, "embedded", wait=1.0, onboard=_names(robots), formation=True)
    processes.nodes([spec for spec in specs if (spec.executable == "simulator") == source])


SCENARIO = "formation_translate"
WAYS = {"odometry of each to all": _each, "one cloud of all to all": _cloud}


class _Processes:
    """Programs on machines; as a context it ends them all."""

    def __init__(self, machines: Namespaces) -> None:
        self._machines = machines
        self._running: list[subprocess.Popen[bytes]] = []
        self._environment = {
            **os.environ, "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET", "ROS_DOMAIN_ID": "7", PARENT: str(os.getpid()),
        }  # fmt: skip

    def __enter__(self) -> "_Processes":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            process.send_signal(signal.SIGTERM)
        for process in self._running:
            try:
                process.wait(5.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def start(self, machine: int, command: Sequence[str]) -> None:
        """Run a program on a machine."""
        words = self._machines.command(machine, command)
        nothing = subprocess.DEVNULL
        self._running.append(subprocess.Popen(words, env=self._environment, stdin=nothing, stdout=nothing, stderr=nothing))

    def nodes(self, specs: Sequence[NodeSpec]) -> None:
        """Run the robots' nodes on their machines, and a simulator and the base's guards on the last one."""
        for spec in specs:
            if spec.executable != "director":
                base = len(self._machines.names) - 1
                self.start(base if spec.namespace == HOSTED else int(spec.namespace.rpartition("_")[2]), spec.command())

    def check(self) -> None:
        """``Failed`` when one of them has ended by itself."""
        for process in self._running:
            if process.poll() is not None:
                raise Failed(f"{' '.join(map(str, process.args[4:8]))} ended with status {process.returncode}")  # type: ignore[index,union-attr]


def _names(robots: int) -> tuple[str, ...]:
    return tuple(f"robot_{k}" for k in range(robots))


def _settle(machines: Namespaces, processes: _Processes) -> None:
    """Wait until traffic is steady: twice on end no more different than before."""
    looks: list[float] = []
    while len(looks) < MOST:
        processes.check()
        rate = _rate(machines, LOOK)[0]
        looks = [*looks, rate] if rate > 0.0 else []
        if len(looks) >= LEAST and all(abs(b - a) <= QUIET * a for a, b in pairwise(looks[-3:])):
            return


def _rate(machines: Namespaces, span: float) -> tuple[float, float]:
    """What all machines together send in a second, in bit and in packets, over ``span`` (s)."""
    began, before = time.monotonic(), machines.counters()
    time.sleep(span)
    sent = [now - then for now, then in zip(machines.counters(), before)]
    spent = time.monotonic() - began
    return 8.0 * sum(one.sent for one in sent) / spent, sum(one.sent_packets for one in sent) / spent


def _kilobits(ones: Sequence[Traffic]) -> Array:
    return np.array([one.sent / 1e3 for one in ones])


def _unable() -> str:
    """Why nothing can be measured here; nothing when it can."""
    return "rclpy is not installed" if importlib.util.find_spec("rclpy") is None else permitted()
