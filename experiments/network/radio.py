"""A swarm on a bad network: each robot a machine of its own with all its nodes, the floor (the embedded simulator) another.

The robots' machines lose packets (nftables), their packets are late (:mod:`~swarm_experiments.network.relay`), and one can be cut off.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.analysis.experiments.flight import Seed
from swarm_control.core.geometry import Array
from swarm_control.errors import Failed
from swarm_control.ros.graph.spec import HOSTED, NodeSpec
from swarm_control.ros.support.forked import Forked, ForkServer

from . import relay
from .namespaces import Namespaces


@dataclass(frozen=True)
class Air:
    """How bad the network is: share of packets lost, each way, and delay (s) ± jitter (s) on each way of a robot's packets."""

    loss: float = 0.0
    delay: float = 0.0
    jitter: float = 0.0


@dataclass(frozen=True)
class FloorState:
    """The floor at one tick: wall time (s, monotonic), simulated time (s), collisions so far, poses and velocities (N, 3)."""

    wall: float
    time: float
    collisions: int
    pose: Array
    velocity: Array


Programs = dict[str, NodeSpec | list[str]]
"""The processes of a machine by name: nodes of a plan, or command lines."""

LOGGER = "state_logger"
"""The node that writes down all that it sees."""


def _kinds(programs: Programs) -> list[str]:
    """The kinds of nodes among the ``programs`` of a machine."""
    return sorted({node.executable for one in programs.values() if isinstance(one, NodeSpec) for node in one.each})


class Radio:
    """Robots' nodes on machines 1 …, the others on machine 0; use it as a context, which ends all processes and removes the network.

    ``programs``: what runs on each machine. ``states``: what the state_logger on machine 0 has seen of ``scenario``; without one there is
    none. ``wired``: robots are wired to the floor, too, see :class:`~swarm_experiments.network.namespaces.Namespaces`. ``Failed`` where
    they are not permitted.
    """

    def __init__(self, programs: Sequence[Programs], air: Air, scenario: str, seed: Seed, *, wired: bool = False) -> None:
        self.air, self.seed, self.states, self.lines = air, seed, [], []  # type: tuple[Air, Seed, list[FloorState], list[str]]
        self._machines = Namespaces(len(programs), wired)
        self._programs = [dict(one) for one in programs]
        if scenario:
            self._programs[0][LOGGER] = NodeSpec(LOGGER, LOGGER, HOSTED, ("--scenario", scenario), {"use_sim_time": True})
        self._servers = [ForkServer(_kinds(found), self._machines.command(machine, ())) for machine, found in enumerate(self._programs)]
        self._running: dict[str, subprocess.Popen[bytes] | Forked] = {}

    def __enter__(self) -> "Radio":
        self._machines.__enter__()
        try:
            for machine in range(1, len(self._programs)):
                self._spoil(machine)
            for machine, programs in enumerate(self._programs):
                for name, program in programs.items():
                    self._start(name, machine, program, self._hear if name == LOGGER else self.lines.append)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running.values():
            process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + 3.0
        for process in self._running.values():
            try:
                process.wait(max(deadline - time.monotonic(), 0.0))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for server in self._servers:
            server.end()
        self._machines.close()

    def cut(self, machine: int, cut: bool = True) -> float:
        """Cut a machine off, what is under way included, or connect it again; returns when (s, wall time)."""
        self._run("ip", "-n", self._machines.hub, "link", "set", f"p{machine}", "down" if cut else "up")
        relay = self._running.get(f"relay {machine}")
        if cut and relay is not None:
            relay.send_signal(signal.SIGUSR1)
        return time.monotonic()

    def call(self, machine: int, *words: str) -> "subprocess.Popen[str]":
        """Start Python with these ``words`` on a machine, as somebody would who sits there."""
        command = self.within(machine, sys.executable, *words)
        environment = {**self._environment(), "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True)

    def within(self, machine: int, *words: str) -> list[str]:
        """The command line that runs ``words`` on a machine."""
        return self._machines.command(machine, words)

    def sent(self) -> int:
        """Bytes that the floor has sent to the network so far, headers included."""
        shown = self._run("ip", "-n", self._machines.hub, "-json", "-statistics", "link", "show", "p0")
        return int(json.loads(shown)[0]["stats64"]["rx"]["bytes"])

    def dead(self) -> list[str]:
        """Processes that have ended."""
        return [name for name, process in self._running.items() if process.poll() is not None]

    def until(self, condition: Callable[[], Any], timeout: float) -> Any:
        """Wait for a condition on :attr:`states`; ``Failed`` after ``timeout`` (s)."""
        deadline = time.monotonic() + timeout
        while not (found := condition()):
            if time.monotonic() > deadline or self.dead():
                raise Failed("\n".join([f"waited in vain; ended: {self.dead()}; the nodes said:", *self.lines[-20:]]))
            time.sleep(0.01)
        return found

    def wait(self, seconds: float) -> None:
        """Let so many seconds pass."""
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end, seconds + 10.0)

    def end(self, name: str) -> None:
        """Let one process end by itself, as a user would end it."""
        process = self._running.pop(name)
        process.send_signal(signal.SIGTERM)
        process.wait(20.0)

    def watch(self, seconds: float) -> list[FloorState]:
        """What is seen in the next ``seconds`` of simulated time."""
        first, end = len(self.states), self.states[-1].time + seconds
        self.until(lambda: self.states[-1].time >= end, 10.0 * seconds + 10.0)
        return self.states[first:]

    def _spoil(self, machine: int) -> None:
        """Make a machine's network bad."""
        name = self._machines.names[machine]
        if self.air.delay:
            self._run("ip", "netns", "exec", name, sys.executable, relay.__file__, "eth0")
            words = [self._machines.bridge, f"p{machine}", self.air.delay, self.air.jitter, 100 * self.seed + machine]
            command = ["ip", "netns", "exec", self._machines.hub, sys.executable, relay.__file__, *map(str, words)]
            ready = threading.Event()
            self._run_in_background(f"relay {machine}", command, None, lambda line: ready.set())
            if not ready.wait(10.0):
                raise Failed(f"the relay of machine {machine} does not start")
        if self.air.loss:
            # a relay sees what comes from the machine before nftables does
            for space, device in ((name, "eth0"), (self._machines.hub, f"{'t' if self.air.delay else ''}p{machine}")):
                rule = f"numgen random mod 1000 < {round(1000 * self.air.loss)} drop"
                chain = f"chain lost {{ type filter hook ingress device {device} priority 0; policy accept; {rule}; }};"
                self._run("ip", "netns", "exec", space, "nft", f"table netdev {device} {{ {chain} }}")

    def _start(self, name: str, machine: int, program: "NodeSpec | list[str]", say: Callable[[str], None]) -> None:
        """Start a process on a machine; what it says goes to ``say``."""
        environment = self._environment()
        if isinstance(program, NodeSpec):
            self._attend(name, self._servers[machine].start(program, environment), say)
        else:
            self._run_in_background(name, self._machines.command(machine, program), environment, say)

    def _environment(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if key != "ROS_AUTOMATIC_DISCOVERY_RANGE"}
        return {**kept, "ROS_DOMAIN_ID": "0", "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1"}

    def _run_in_background(self, name: str, command: list[str], environment: dict[str, str] | None, say: Callable[[str], None]) -> None:
        nothing, out = subprocess.DEVNULL, subprocess.PIPE
        process = subprocess.Popen(command, env=environment, stdin=nothing, stdout=out, stderr=subprocess.STDOUT)
        self._attend(name, process, say)

    def _attend(self, name: str, process: "subprocess.Popen[bytes] | Forked", say: Callable[[str], None]) -> None:
        self._running[name] = process
        threading.Thread(target=_pass_on, args=(process.stdout, say), daemon=True).start()

    def _hear(self, line: str) -> None:
        try:
            seen = json.loads(line)
        except ValueError:
            self.lines.append(line)
            return
        robots = np.array(seen["robots"])
        self.states.append(FloorState(seen["wall"], seen["time"], seen["collisions"], robots[:, :3], robots[:, 3:]))

    def _run(self, *words: str) -> str:
        made = subprocess.run(words, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise Failed(f"{' '.join(words)}: {made.stderr.strip()}")
        return made.stdout


def _pass_on(lines: Iterable[bytes], say: Callable[[str], None]) -> None:
    for line in lines:
        say(line.decode(errors="replace"))
