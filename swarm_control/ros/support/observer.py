"""Node ``observer``: lives in the process of ``swarm run``, records the swarm and knows how the run is getting on."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

from swarm_control.analysis.recording import TrajectoryRecorder
from swarm_control.analysis.run_metrics import RunMetrics
from swarm_control.analysis.series import Series, mean_shares
from swarm_control.core.geometry import IntArray
from swarm_control.core.state import SwarmState
from swarm_control.formation.fit import fit
from swarm_control.ros.graph import topics
from swarm_control.ros.graph.real_names import RealTopics, rules_of
from swarm_control.ros.graph.spec import HOSTED, below, remapping_words
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support.door import Door
from swarm_control.ros.support.inputs import StateInput
from swarm_control.ros.support.mission import MissionInput
from swarm_control.ros.support.node import executor
from swarm_control.ros.support.status import read_status
from swarm_control.ros.support.transport import sockets_only
from swarm_control.runtime.formation import SQUARED
from swarm_control.scenario.groups import flocks, squads
from swarm_control.scenario.loader import Loaded
from swarm_control.scenario.schema import Control
from swarm_control.scenario.setup import Setup

SILENT = 2.5
"""Nodes say once a second how they are; of one that has not for so long (s) the console says so."""

FASTEST = 100.0
"""Simulated seconds per second, at most."""

TIMES = ("arrival_time", "start", "end")
"""Keys of a mission's results, and of its phases, that are times."""


class Observer(Door):
    """Feeds recorder and metrics from ``swarm_state``, or, with real robots, from every ``odom``. Use as a context manager."""

    kind = "observer"

    def __init__(
        self, loaded: Loaded, setup: Setup, source: str, simulated: bool = False, true: bool = False, root: str = "",
        onboard: Sequence[str] = (), real: RealTopics | None = None,
    ) -> None:  # fmt: skip
        """``simulated``: time is that of ``/clock``, as robots of a simulator stamp their odometry with it; ``true``: what comes from
        ``swarm_state`` is the truth, by which the formation is judged, too. ``root``: where the swarm is in the graph. ``onboard``:
        robots that decide for themselves, in namespaces of their own. ``real``: what the topics of real robots are called.
        """
        clock = [Parameter("use_sim_time", value=simulated)]
        with sockets_only():
            rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
            words = ["--ros-args", *remapping_words(below(root, rules_of(real)))]
            super().__init__("observer", namespace=f"{root}{HOSTED}", parameter_overrides=clock, cli_args=words)
        self.setup, self.robots, self.loaded, self._simulated = setup, len(setup.fleet), loaded, simulated
        self.values: dict[str, dict[str, str]] = {}
        self._spoke: dict[str, float] = {}
        self._checked = time.monotonic()
        self._counted = source == "swarm_state"
        self._squads = squads(loaded.scenario.groups, setup.society)
        self._flocks = flocks(loaded.scenario, self._squads)
        self._input: StateInput | None = None
        self._begin()
        if source == "swarm_state":
            topics.subscribe(self, replace(topics.SWARM_STATE, lossy=False, depth=100), self._hear, raw=True)
        else:
            self._input = StateInput(self)
            self.create_timer(loaded.scenario.control.period, self._look)
        topics.subscribe(self, topics.STATUS, self._hear_status)
        self._mission = MissionInput(self)
        for space in [f"/{name}" for name in onboard] or [HOSTED]:
            if true:
                self._listen(space, topics.TARGETS, self._hear_targets)
            else:
                self._listen(space, topics.STRUCTURE, partial(self._hear_structure, space))
            self._listen(space, topics.ACCELERATION, partial(self._hear_acceleration, space))
        self._executor = executor(self)

    def _listen(self, space: str, topic: topics.Topic, heard: Callable[[bytes], None]) -> None:
        """Hear what is said in a namespace."""
        topics.subscribe(self, replace(topic, name=f"{space}/{topic.name}"), heard, raw=True)

    @property
    def control(self) -> Control:
        """The scenario's parameters."""
        return self.loaded.scenario.control

    @property
    def now(self) -> float:
        """Time, s."""
        return float(self.get_clock().now().nanoseconds * 1e-9)

    def option(self, name: str, default: Any, help: str) -> Any:
        """The observer has no options; it asks for odom where it asks at all."""
        return default

    def _begin(self) -> None:
        scenario, fleet = self.loaded.scenario, self.setup.fleet
        ticks = round(scenario.duration / scenario.control.period)
        self.recorder = TrajectoryRecorder(fleet.names, ticks + 1, scenario.control.period, taken=True, falls=fleet.dynamic)
        self.metrics = RunMetrics(fleet, self.setup.grid, {squad.name: squad.robots for squad in self._squads if squad.name})
        self.time, self.frames = -np.inf, 0
        self.contacts: IntArray | None = np.zeros(self.robots, np.int64) if self._counted else None
        self._last = self.setup.start
        self._origin: float | None = None
        self._error: float | None = None
        self._errors: dict[str, float] = {}
        self._told = -np.inf
        self._structures: dict[str, convert.Rows] = {}
        self.series, self._shares = Series(), dict[str, dict[str, float]]()

    @property
    def deaf(self) -> bool:
        """Whether the robots are real and none has been heard."""
        return self._input is not None and not self._simulated and self.frames == 0

    def settle(self) -> None:
        """See to it that there is something to report: of robots that have not been heard of, the start."""
        if self.frames == 0:
            self._add(self.setup.start)

    def spin(self, seconds: float) -> None:
        """Serve for at most ``seconds``, or one message."""
        self._executor.spin_once(timeout_sec=seconds)

    def _check(self, stamp: float) -> None:
        """Refuse a time that cannot have come yet, by which the run would be over."""
        now = time.monotonic()
        elapsed, self._checked = now - self._checked, now
        if self.frames and stamp > self.time + FASTEST * (elapsed + 1.0):
            raise ValueError(f"time {stamp:g} s found {elapsed:.2f} s after {self.time:g} s, expected to go on from there")

    def _hear(self, data: bytes) -> None:
        stamp, rows = cdr.read_cloud(data)
        state, contacts = convert.state_of(stamp, rows, self.robots), rows["collisions"]
        self._check(stamp)
        if stamp < self.time - self.control.period / 2:
            self.get_logger().warning("time was set back; the recording begins again")
            self._begin()
        if self.frames == 0 and stamp > self.control.period / 2:
            self._add(self.setup.start)
        if stamp > self.time + self.control.period / 2:
            assert self.contacts is not None
            self.contacts[rows["id"]] = contacts
            self._add(state)

    def _look(self) -> None:
        assert self._input is not None
        state = self._input.state()
        if self._origin is None and not state.valid.any():
            return
        now = self.now
        if self._origin is None:
            self._origin = now
            if self._simulated:  # they were where the scenario starts them when their first odometry was on its way
                self._origin -= self.control.period
                self._add(self.setup.start)
        self._add(replace(state, time=now - self._origin))

    def _add(self, state: SwarmState) -> None:
        """Record; robots that have not been heard are where they were."""
        unheard = ~state.valid[:, None]
        pose, velocity = np.where(unheard, self._last.pose, state.pose), np.where(unheard, 0.0, state.velocity)
        self._last = SwarmState(state.time, pose, velocity, np.ones(self.robots, bool), state.fallen)
        self.time = state.time
        self.frames += 1
        self.recorder.add(self._last)
        if self.time - self._told > self.control.safety.command_timeout:  # nobody keeps a formation any more
            self._error, self._errors = None, {}
        self.metrics.add(self._last, self._error, self._errors)
        arrived = self._mission.state.swarm.arrived_fraction
        self.series.add(self.time, {"arrived": arrived, "formation_error": self._error, **self._mean_shares()})

    def _mean_shares(self) -> dict[str, float]:
        """What each behaviour was granted lately, on average over who decides."""
        said = list(self._shares.values())
        return {name: sum(shares.get(name, 0.0) for shares in said) / len(said) for name in {name: 0 for one in said for name in one}}

    def _hear_structure(self, space: str, data: bytes) -> None:
        """The formation error as the formation's own nodes see it: of real robots nobody knows it better."""
        self._structures[space], self._told = cdr.read_cloud(data)[1], self.time
        rows = np.concatenate(list(self._structures.values()))
        self._error = _mean_error(rows)
        own = {int(k): _mean_error(rows[rows["flock"] == k]) for k in set(rows["flock"])}
        self._errors = {self._flocks[k].name: error for k, error in own.items() if error is not None and k < len(self._flocks)}

    def _hear_targets(self, data: bytes) -> None:
        """The true formation errors: how far a flock's robots are from their points, when those of each part are moved to them as one."""
        points, part, away = np.full((self.robots, 2), np.nan), np.zeros(self.robots, np.int64), np.full(self.robots, np.nan)
        rows, self._told = cdr.read_cloud(data)[1], self.time
        points[rows["id"]], part[rows["id"]] = np.column_stack((rows["x"], rows["y"])), rows["part"]
        kept = np.isfinite(points).all(axis=1)
        teams = {flock.name: flock.robots[kept[flock.robots]] for flock in self._flocks if kept[flock.robots].any()}
        for robots in (team[part[team] == number] for team in teams.values() for number in set(part[team].tolist())):
            away[robots] = fit(points[robots], self._last.position[robots], np.ones(len(robots)), np.zeros(3), SQUARED).distance
        self._errors = {name: float(away[robots].mean()) for name, robots in teams.items()}
        self._error = float(away[kept].mean()) if teams else None

    def _hear_acceleration(self, space: str, data: bytes) -> None:
        """What each behaviour was granted."""
        rows = cdr.read_cloud(data)[1]
        names = [name[:-2] for name in rows.dtype.names or () if name.endswith("_x")]
        if names:
            self._shares[space] = mean_shares(names, np.array([np.column_stack((rows[f"{name}_x"], rows[f"{name}_y"])) for name in names]))

    def _hear_status(self, message: DiagnosticArray) -> None:
        for name, (_, state, values) in read_status(message).items():
            self.values[name] = {**values, "state": state}
            self._spoke[name] = time.monotonic()

    def value(self, node: str, key: str, otherwise: Any = None) -> Any:
        """A value from the status of a node of the whole swarm, as a number where it is one."""
        text = self.values.get(f"{HOSTED}/{node}", {}).get(key)
        if text is None:
            return otherwise
        try:
            return float(text)
        except ValueError:
            return text

    @property
    def interventions(self) -> tuple[int, int]:
        """How often the separation filter and the fence have changed a command."""
        moving = [values for name, values in self.values.items() if name.endswith("/motion_model")]
        filtered, fenced = (sum(int(values.get(f"{name}_interventions", 0)) for values in moving) for name in ("filter", "fence"))
        return filtered, fenced

    @property
    def results(self) -> dict[str, Any]:
        """The director's part of the summary."""
        return self._since_begin(self._mission.state.swarm.results())

    @property
    def results_of(self) -> dict[str, Any]:
        """The same for each group."""
        return {name: self._since_begin(progress.results()) for name, progress in self._mission.state.groups.items()}

    def _since_begin(self, results: dict[str, Any]) -> dict[str, Any]:
        """``results`` with times (s) from the begin of the run, 0 for what was before: of real robots they are the time of day."""
        begin = 0.0 if self._simulated else self._origin or 0.0

        def shifted(values: dict[str, Any]) -> dict[str, Any]:
            return {key: max(value - begin, 0.0) if key in TIMES and value is not None else value for key, value in values.items()}

        return {**shifted(results), "phases": [shifted(phase) for phase in results["phases"]]}

    @property
    def collisions(self) -> int | None:
        """Contact episodes so far, as the simulator counts them; None where none does: odometry cannot tell who touches whom."""
        return None if self.contacts is None else int(self.contacts.sum())

    @property
    def done(self) -> bool:
        """Whether the last goal has been reached."""
        return self._mission.state.swarm.done

    def line(self, rate: float) -> str:
        """Progress in one line; ``rate``: states heard per second."""
        arrived, engine = self._mission.state.swarm.arrived_fraction, "floor" if f"{HOSTED}/floor" in self.values else "simulator"
        parts = [
            f"t = {max(self.time, 0.0):6.1f} of {self.loaded.scenario.duration:g} s",
            "arrived   –  " if arrived is None else f"arrived {100 * arrived:3.0f} %",
            "collisions unknown" if self.collisions is None else f"collisions {self.collisions}",
            f"{rate:4.1f} Hz", f"{self.value(engine, 'real_time_factor', 1.0):.2f}× real time",
        ]  # fmt: skip
        filtered, fenced = self.interventions
        late, delay = self.value("simulator", "late_ticks", 0), self.value("simulator", "latency_p99_ms")
        parts += [f"filter {filtered}"] if filtered else []
        parts += [f"fence {fenced}"] if fenced else []
        parts += [f"late {late:.0f}"] if late else []
        parts += [f"p99 {delay:.0f} ms"] if delay is not None and np.isfinite(delay) else []
        unheard = [] if self._input is None else [self.setup.fleet.names[k] for k in np.flatnonzero(~self._input.state().valid)]
        parts += [f"NO ODOMETRY OF {', '.join(unheard[:4])}{' …' if len(unheard) > 4 else ''}"] if unheard else []
        silent = [name.removeprefix(f"{HOSTED}/") for name, spoke in self._spoke.items() if time.monotonic() - spoke > SILENT]
        parts += [f"NO WORD FROM {', '.join(silent)}"] if silent else []
        waiting = self.values.get(f"{HOSTED}/{engine}", {}).get("state", "")
        return "   ".join(parts) if not waiting.startswith("waiting") else "waiting for the nodes: " + waiting

    def close(self) -> None:
        """End the node."""
        self._executor.shutdown()
        self.destroy_node()
        rclpy.try_shutdown()


def _mean_error(rows: convert.Rows) -> float | None:
    """Mean formation error (m) of rows of ``structure`` over their robots; None where it is not known."""
    error = float(np.average(rows["error"], weights=rows["robots"]))
    return error if np.isfinite(error) else None
