"""A simulation: a scenario's plant and controller in one process, judged and recorded; the same bits for the same seed."""

import contextlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from swarm_control.analysis.recording import Trajectory, TrajectoryRecorder
from swarm_control.analysis.run_metrics import RunMetrics
from swarm_control.analysis.series import Series, mean_shares
from swarm_control.core.geometry import Array
from swarm_control.core.parameters import short
from swarm_control.core.pipeline import Tick
from swarm_control.core.state import SwarmState
from swarm_control.errors import InputError, similar
from swarm_control.runtime.controller import Controller, Decision
from swarm_control.runtime.external_request import ExternalRequest
from swarm_control.runtime.mission import Mission
from swarm_control.runtime.mission_state import Progress
from swarm_control.runtime.orders import SwarmOrders
from swarm_control.runtime.task import REFUSED, TaskState, read_task
from swarm_control.scenario.checks import check_live
from swarm_control.scenario.loader import Loaded, load, loaded_from
from swarm_control.scenario.overrides import Override
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.setup import Setup, prepare
from swarm_control.scenario.tree import to_data
from swarm_control.sim.engine import Engine, OdometrySource
from swarm_control.sim.engines import bodies_of, efforts, make_engine, poses_of_objects
from swarm_control.sim.plant import Plant

if TYPE_CHECKING:
    from swarm_control.runtime.formation import FormationRun


@dataclass(frozen=True)
class TickRecord:
    """What a tick looked like, for whoever watches a run: the true state, the orders, everything the tick made, and who made it.

    ``error`` (m): how far robots are from their places in all formations; None when they keep none.
    """

    truth: SwarmState
    orders: SwarmOrders
    tick: Tick
    controller: Controller
    error: float | None
    mission: Mission

    @property
    def formation(self) -> "FormationRun":
        """That of the first flock that keeps one, of the first flock where none does."""
        return self.controller.formation(next(iter(self.controller.keeping), 0))

    @property
    def progress(self) -> tuple[Progress, dict[str, Progress]]:
        """How far the mission has come by now: of all robots, and of each group that has goals of its own."""
        return self.mission.progress()


@dataclass(frozen=True)
class Outcome:
    """Result of a run: the contract's summary, the recorder with the trajectory, how often filter and fence intervened, and further
    values over time. ``problem``: why formations do not go to their goals, or nothing.
    """

    summary: dict[str, Any]
    recorder: TrajectoryRecorder
    interventions: int
    series: Series
    fenced: int = 0
    problem: str = ""


class Simulation:
    """A scenario that is being simulated.

    ``scenario``: a name that ``swarm list`` shows, a YAML file, or a :class:`~swarm_control.scenario.schema.Scenario`. ``robots``, ``seed``
    and ``duration`` (s) take the place of the scenario's; ``set`` changes more: dotted name → value, as ``--set`` does. ``engine`` and
    ``odometry`` take the place of the embedded engine and of its odometry. Raises ``InputError`` for what cannot be.
    """

    def __init__(
        self, scenario: str | Path | Scenario | Loaded, *, robots: int | None = None, seed: int | None = None,
        duration: float | None = None, set: Mapping[str, Any] | None = None, engine: Engine | None = None,
        odometry: OdometrySource | None = None,
        setup: Setup | None = None,
    ) -> None:  # fmt: skip
        changes: dict[str, Any] = dict(set or {})
        changes |= {name: value for name, value in (("robots", robots), ("duration", duration), ("seed", seed)) if value is not None}
        self.loaded = _loaded(scenario, changes)
        self.scenario = self.loaded.scenario
        self.setup = setup or prepare(self.scenario, self.loaded.source)
        self.plant = Plant(self.scenario, self.setup, engine or make_engine(self.loaded, self.setup), odometry)
        self._start()

    def _start(self) -> None:
        scenario, fleet = self.scenario, self.setup.fleet
        self._began = time.perf_counter()
        self.controller = Controller(scenario, self.setup)
        groups = {squad.name: squad.robots for squad in self.controller.squads if squad.name}
        self.measures = RunMetrics(fleet, self.setup.grid, groups)
        ticks = round(scenario.duration / scenario.control.period)
        objects = 0 if self._objects is None else len(self._objects)
        self.recorder = TrajectoryRecorder(
            fleet.names, ticks + 1, scenario.control.period, objects=objects, falls=fleet.dynamic, bodies=bodies_of(self.plant.engine),
            joints=scenario.bodies.record_joints,
        )  # fmt: skip
        self.series = Series()
        self.interventions = self.fenced = self._asked = 0
        self.deciding = False  # whether commands are being worked out: all else is complete meanwhile
        self.last: TickRecord | None = None
        self._note(None)

    def reset(self) -> None:
        """Begin again: the same robots at the same places, with the scenario's parameters."""
        self.plant.reset()
        self._start()

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.plant.time

    @property
    def state(self) -> SwarmState:
        """The true state of the robots: ``pose`` (N, 3) m, m, rad and ``velocity`` (N, 3) m/s, m/s, rad/s, world frame."""
        return self.plant.truth

    @property
    def _objects(self) -> Array | None:
        return poses_of_objects(self.plant.engine)

    @property
    def done(self) -> bool:
        """Whether the last goal has been reached; never without goals."""
        return self.last is not None and self.last.orders.done

    def set(self, changes: Mapping[str, Any]) -> None:
        """Change parameters from the next step on: dotted name of the ``control`` tree, or of a group's, → value. All or ``InputError``."""
        controls = self.controller.controls.change(changes, "parameters")
        check_live(self.scenario, self.setup.fleet, self.controller.squads, controls, "parameters")
        self.controller.controls = controls

    def ask(self, kind: str, group: str = "", **what: Any) -> str:
        """Ask for a task, as ``swarm send`` does: ``go`` (``goals``: x, y, heading each), ``form`` (``settings``), ``hold``, ``phase``.

        Returns its name in :attr:`tasks`; ``InputError`` where it makes no sense.
        """
        self._asked += 1
        try:
            task = read_task(json.dumps({"id": f"task {self._asked}", "kind": kind, "group": group, **to_data(what)}))
        except (RecursionError, TypeError, ValueError) as error:
            raise InputError("ask", str(error)) from None
        found = self.controller.board.ask(task, self.controller.news(self.plant.truth))
        if found.state == REFUSED:
            raise InputError("ask", found.text)
        return found.task.id

    def cancel(self, task: str = "") -> None:
        """Call off a task, or all; who was under way holds its place."""
        self.controller.board.cancel(task, self.controller.news(self.plant.truth))

    @property
    def tasks(self) -> dict[str, TaskState]:
        """How the newest tasks stand, by name."""
        return {one.task.id: one for one in self.controller.board.states}

    def get(self, name: str) -> Any:
        """The value of a parameter, by its dotted name."""
        values = {known: value for known, _, value in self.controller.controls.flatten()}
        if name not in values:
            raise InputError(f"get({name!r})", f"unknown parameter{similar(name, values)}")
        return values[name]

    def step(self, external: ExternalRequest | None = None) -> SwarmState:
        """Let one control period pass; the true state after it. ``external``: what somebody outside wants of the robots meanwhile."""
        self.deciding = True
        decision = self.controller.tick(self.plant.observe(), external)
        self.deciding = False
        self.plant.step(decision.commands)
        held = 0 if decision.commands.fenced is None else int(decision.commands.fenced.sum())
        self.fenced += held
        self.interventions += int(decision.tick.intervened.sum()) - held
        return self._note(decision)

    def _note(self, decision: Decision | None) -> SwarmState:
        """Record the present state, and judge it."""
        truth, controller = self.plant.truth, self.controller
        self.recorder.add(truth, self._objects)
        errors = controller.formation_errors(truth) if decision is not None else {}
        error = controller.formation_error(errors)
        self.measures.add(truth, error, errors)
        if decision is not None:
            granted = decision.tick.accumulated.names, decision.tick.accumulated.share
            self.series.add(truth.time, {"arrived": controller.mission.fraction, "formation_error": error, **mean_shares(*granted)})
            self.last = TickRecord(truth, decision.orders, decision.tick, controller, error, controller.mission)
        return truth

    def run(self, until: "float | str | Callable[[Simulation], bool] | None" = None) -> "Simulation":
        """Step until a time (s), until ``"arrival"`` at the last goal, until a condition holds, or to the end of the scenario.

        Never longer than the scenario's ``duration``. Returns itself. ``InputError`` for anything else.
        """
        period = self.scenario.control.period
        end = round(self.scenario.duration / period)
        if isinstance(until, (int, float)) and not isinstance(until, bool) and not np.isnan(until):
            end = round(min(until / period, end))
        elif not (callable(until) or until in (None, "arrival")):
            raise InputError("until", f'{short(until)} found, expected a time in s, "arrival", a condition to call, or None')
        for _ in range(round(self.time / period), end):
            self.step()
            if (until == "arrival" and self.done) or (callable(until) and until(self)):
                break
        return self

    def metrics(self) -> dict[str, Any]:
        """What ``summary.json`` holds, for the run so far."""
        truth = self.plant.truth
        mission = self.controller.finished(truth)
        return self.measures.summary(
            scenario=self.scenario.name, seed=self.scenario.seed, duration=truth.time, wall_time=time.perf_counter() - self._began,
            collisions=self.plant.collisions, **efforts(self.plant.engine), results=mission.results(),
            results_of={name: mission.results_of(name) for name in self.measures.groups},
        )  # fmt: skip

    def outcome(self) -> Outcome:
        """What has come of the run so far; recorder and series go on with it."""
        formations = self.controller.news(self.plant.truth).formations.values()
        problem = "; ".join(dict.fromkeys(one.problem for one in formations if one is not None and one.problem))
        return Outcome(self.metrics(), self.recorder, self.interventions, self.series, self.fenced, problem)

    @property
    def trajectory(self) -> Trajectory:
        """What has been recorded so far."""
        return self.recorder.trajectory()

    def save(self, out: str | Path) -> list[Path]:
        """Write the result files into the folder ``out``; return their paths."""
        from swarm_control.analysis.report.results import write_results

        return write_results(Path(out), self.loaded, self.setup, self.recorder, self.metrics(), self.series)

    def draw(self) -> Any:
        """The trajectories so far as a matplotlib figure."""
        from swarm_control.analysis.report.results import picture

        return picture(self.loaded.scenario, self.setup, self.trajectory)

    def _repr_png_(self) -> bytes:
        """The picture that a notebook shows."""
        import io

        stream = io.BytesIO()
        self.draw().savefig(stream, format="png")
        return stream.getvalue()


def simulate(
    loaded: Loaded, setup: Setup, *, until_arrival: bool = False, watch: Callable[[TickRecord, RunMetrics], None] | None = None,
    engine: Engine | None = None, odometry: OdometrySource | None = None,
) -> Outcome:  # fmt: skip
    """Run a scenario to its end, or until the last goal is reached; ``watch`` sees every tick. Ctrl-C ends it early, keeping what is.

    ``engine`` and ``odometry`` take the place of the embedded engine and of its odometry; a step of the engine lasts ``simulator.dt``.
    """
    simulation = Simulation(loaded, setup=setup, engine=engine, odometry=odometry)

    def over(simulation: Simulation) -> bool:
        if watch is not None and simulation.last is not None:
            watch(simulation.last, simulation.measures)
        return until_arrival and simulation.done

    with contextlib.suppress(KeyboardInterrupt):
        simulation.run(until=over)
    return simulation.outcome()


def _loaded(scenario: str | Path | Scenario | Loaded, changes: Mapping[str, Any]) -> Loaded:
    if isinstance(scenario, Loaded) and not changes:
        return scenario
    overrides = [Override(f"{name}={_text(name, value)}", name) for name, value in changes.items()]
    if isinstance(scenario, Loaded):
        return loaded_from(scenario.scenario, overrides, scenario.source)
    return loaded_from(scenario, overrides) if isinstance(scenario, Scenario) else load(str(scenario), overrides)


def _text(name: str, value: Any) -> str:
    """A value as one line of YAML."""
    try:
        return json.dumps(to_data(value))
    except (TypeError, ValueError, RecursionError):
        raise InputError(name, f"{short(value)} found, expected numbers, texts, lists or mappings of them") from None
