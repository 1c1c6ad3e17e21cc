"""What a controller moves and hears in simulation: an engine, and between the two all that is late, lost, noisy or broken."""

import numpy as np

from swarm_control.core.geometry import Array, BoolArray, IntArray
from swarm_control.core.state import Commands, SwarmState
from swarm_control.runtime.observation import Heard, Observation
from swarm_control.scenario.groups import forms
from swarm_control.scenario.schema import Scenario
from swarm_control.scenario.setup import Setup
from swarm_control.sim.actuator_noise import ActuatorNoise
from swarm_control.sim.command_timing import CommandTiming
from swarm_control.sim.engine import Engine, OdometrySource
from swarm_control.sim.failures import obeyed
from swarm_control.sim.odometry import OdometryChannel


class Plant:
    """An ``engine`` with a scenario's odometry noise, delay and loss, asynchrony, actuator noise and failures, and their random streams.

    Call :meth:`observe` once per tick, then :meth:`step`. ``odometry`` takes the place of the odometry made here. The same for a seed.
    """

    def __init__(self, scenario: Scenario, setup: Setup, engine: Engine, odometry: OdometrySource | None = None) -> None:
        self.engine, self._scenario, self._fleet = engine, scenario, setup.fleet
        self._given, self._forms = odometry, forms(scenario)
        self._steps = round(scenario.control.period / scenario.simulator.dt)
        self._begin()

    def _begin(self) -> None:
        scenario, n = self._scenario, len(self._fleet)
        self._odometry = self._given or self._channel()
        onboard = range(n) if scenario.simulator.onboard else ()
        # the robots' noise is the same for all who hear it, the losses are each listener's own
        self._each = [self._channel(own) for own in onboard]
        self._timing = CommandTiming(n, scenario.simulator.asynchronous, np.random.default_rng([scenario.seed, 5]))
        self._noise = ActuatorNoise(scenario.simulator, np.random.default_rng([scenario.seed, 6]))

    def _channel(self, own: int | None = None) -> OdometryChannel:
        scenario = self._scenario
        control = scenario.control
        losses = None if own is None else np.random.default_rng([scenario.seed, 4, own])
        return OdometryChannel(
            scenario.simulator, control.period, control.safety.odometry_timeout, np.random.default_rng([scenario.seed, 3]),
            exact=self._forms or own is not None, own=own, losses=losses,
        )  # fmt: skip

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.engine.time

    @property
    def truth(self) -> SwarmState:
        """Where the robots really are and how they move."""
        return self.engine.truth()

    @property
    def collisions(self) -> IntArray:
        """Contact episodes so far (N,): a pair's count for its lower index, a robot's with a wall for the robot."""
        return self.engine.collisions

    @property
    def measured(self) -> Array | None:
        """When what was last observed of each robot was measured (N,) s; None: nothing is ever late or lost."""
        return self._odometry.measured

    def reset(self) -> None:
        """Put every robot back to where it started; time, collisions and random streams too."""
        self.engine.reset()
        self._begin()

    def observe(self) -> Observation:
        """What the controller hears now; to be called once per tick."""
        truth = self.engine.truth()
        state = self._odometry.observe(truth)
        each = tuple(Heard(channel.observe(truth), channel.measured) for channel in self._each)
        return Observation(state, self._odometry.measured, each)

    def step(self, commands: Commands, alive: BoolArray | None = None) -> None:
        """Let one control period pass in which the robots obey ``commands``; those that are not ``alive`` (N,) stand."""
        taken = self._timing.obeyed(commands)
        if alive is not None:
            taken = Commands(np.where(alive[:, None], taken.twist, 0.0))
        executed = self._noise.executed(obeyed(taken, self._fleet, self._scenario.simulator.failures, self.engine.time))
        for _ in range(self._steps):
            self.engine.step(executed)
