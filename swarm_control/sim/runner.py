"""The headless run: engine and controllers in one process, as fast as it goes, the same bits for the same seed."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.core.perception import Memory
from swarm_control.core.pipeline import Tick, tick
from swarm_control.core.state import SwarmState
from swarm_control.scenario.loader import Loaded
from swarm_control.sim.director import Director, Orders
from swarm_control.sim.engine import Ears, Engine
from swarm_control.sim.engines import energy_of, make_engine
from swarm_control.sim.failures import obeyed
from swarm_control.sim.formation import FormationRun
from swarm_control.sim.metrics import Metrics
from swarm_control.sim.odometry import Odometry
from swarm_control.sim.recording import Recorder
from swarm_control.sim.rhythm import Rhythm
from swarm_control.sim.series import Series, mean_shares
from swarm_control.sim.setup import Setup
from swarm_control.sim.slips import Slips
from swarm_control.sim.surroundings import MapReader


@dataclass(frozen=True)
class Frame:
    """What a tick looked like, for whoever watches a run: the true state, the orders, everything the tick made, and the formation.

    ``error`` (m): how far robots are from their places in it; None when they keep none.
    """

    truth: SwarmState
    orders: Orders
    tick: Tick
    formation: FormationRun
    error: float | None


@dataclass(frozen=True)
class Outcome:
    """Result of a run: the contract's summary, the recorder with the trajectory, how often filter and fence intervened, and further
    values over time.
    """

    summary: dict[str, Any]
    recorder: Recorder
    interventions: int
    series: Series
    fenced: int = 0


def simulate(
    loaded: Loaded, setup: Setup, *, until_arrival: bool = False, watch: Callable[[Frame, Metrics], None] | None = None,
    engine: Engine | None = None, ears: Ears | None = None,
) -> Outcome:  # fmt: skip
    """Run a scenario to its end, or until the last goal is reached; ``watch`` sees every tick. Ctrl-C ends it early, keeping what is.

    ``engine`` and ``ears`` take the place of the embedded engine and of its odometry; a step of the engine lasts ``simulator.dt``.
    """
    scenario = loaded.scenario
    control = scenario.control
    began = time.perf_counter()
    rng = np.random.default_rng([scenario.seed, 2])
    engine = engine or make_engine(loaded, setup)
    odometry = ears or Odometry(
        scenario.simulator, control.period, control.safety.odometry_timeout, np.random.default_rng([scenario.seed, 3]),
        exact=control.formation.enabled,
    )  # fmt: skip
    formation = FormationRun(scenario, setup.fleet)
    director, reader = Director(scenario, setup.society), MapReader(setup.fleet, setup.grid, setup.society)
    metrics = Metrics(setup.fleet, setup.grid)
    rhythm = Rhythm(len(setup.fleet), scenario.simulator.asynchronous, np.random.default_rng([scenario.seed, 5]))
    slips = Slips(scenario.simulator, np.random.default_rng([scenario.seed, 6]))
    ticks = round(scenario.duration / control.period)
    recorder = Recorder(setup.fleet.names, ticks + 1, control.period)
    steps = round(control.period / scenario.simulator.dt)
    interventions = fenced = 0
    series, memory = Series(), Memory()
    truth = engine.truth()
    recorder.add(truth)
    metrics.add(truth)
    try:
        for _ in range(ticks):
            control = director.control(control, truth.time)
            state = odometry.observe(truth)
            keep = formation.keep(truth, odometry.measured, control, reader.map(control)) if control.formation.enabled else None
            state = state if keep is None else formation.own(state)
            orders = director.update(state, control) if keep is None else director.follow(state, *formation.progress(control))
            past = memory.recall(state, control.perception.delay)
            made = tick(state, reader.surroundings(orders, control), control, rng, keep, past)
            formation.told(made)
            held = 0 if made.commands.fenced is None else int(made.commands.fenced.sum())
            fenced += held
            interventions += int(made.intervened.sum()) - held
            commands = slips.executed(obeyed(rhythm.obeyed(made.commands), setup.fleet, scenario.simulator.failures, truth.time))
            for _ in range(steps):
                engine.step(commands)
            truth = engine.truth()
            recorder.add(truth)
            error = formation.error(truth)
            metrics.add(truth, error)
            granted = made.accumulated.names, made.accumulated.share
            series.add(truth.time, {"arrived": director.fraction, "formation_error": error, **mean_shares(*granted)})
            if watch is not None:
                watch(Frame(truth, orders, made, formation, error), metrics)
            if until_arrival and orders.done:
                break
    except KeyboardInterrupt:
        pass
    if control.formation.enabled:
        director.follow(truth, *formation.progress(control))
    else:
        director.update(truth, control)
    summary = metrics.summary(
        scenario=scenario.name, seed=scenario.seed, duration=truth.time, wall_time=time.perf_counter() - began,
        collisions=int(engine.collisions.sum()), energy=energy_of(engine), **director.results(),
    )  # fmt: skip
    return Outcome(summary, recorder, interventions, series, fenced)
