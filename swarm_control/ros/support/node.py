"""What the nodes of a scenario share: command line, scenario, parameters, live file and status."""

import argparse
from collections.abc import Sequence

import numpy as np

from swarm_control.core.geometry import BoolArray, IntArray
from swarm_control.core.state import SwarmState
from swarm_control.errors import InputError
from swarm_control.options import Parser
from swarm_control.ros.support.base_node import BaseNode, executor, serve
from swarm_control.ros.support.live import LiveFile
from swarm_control.ros.support.parameters import ControlParameters
from swarm_control.ros.support.radio_reach import reach_of
from swarm_control.scenario.absent import absent, without
from swarm_control.scenario.checks import check_live
from swarm_control.scenario.groups import Controls, controls_of, flocks, squads
from swarm_control.scenario.loader import load
from swarm_control.scenario.schema import Control
from swarm_control.scenario.setup import Setup, prepare

__all__ = ["SwarmNode", "executor", "serve", "served"]

HOUSEKEEPING = 0.25
"""Time (s) between looks at the scenario's file."""


class SwarmNode(BaseNode):
    """A node that serves some robots of a scenario. ``reach``: whom the robot hears that it serves; None: everybody."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        self.loaded = loaded = load(options.scenario, options.set)
        self.scenario = loaded.scenario
        self.setup: Setup = prepare(loaded.scenario, loaded.source)
        self.robots = len(self.setup.fleet)
        self.served = served(options.robots, self.robots)
        self.reach = reach_of(self.served, self.robots, loaded.scenario.simulator, bool(self.get_parameter("use_sim_time").value))
        self.squads = squads(loaded.scenario.groups, self.setup.society)
        self.flocks = flocks(loaded.scenario, self.squads)
        self.parameters = ControlParameters(self, self.kind, controls_of(loaded.scenario, str(loaded.source)))
        self.parameters.allowed = self._allow
        self._live = LiveFile(loaded, options.set, self.get_logger())
        self._looks = 0
        self.every(HOUSEKEEPING, self._keep_house)

    @classmethod
    def arguments(cls, argv: Sequence[str]) -> argparse.Namespace:
        """Parse the node's own command line."""
        parser = Parser(prog=cls.kind, description=cls.__doc__)
        parser.add_argument("--scenario", required=True, help="name or YAML file of the scenario")
        parser.add_argument("--set", metavar="PATH=VALUE", action="append", default=[], help="change one value of the scenario")
        parser.add_argument("--robots", default="all", help="which robots the node serves: all, or numbers with commas between")
        return parser.parse_args(argv)

    def _allow(self, controls: Controls) -> None:
        """``InputError`` for live parameters that are senseless for the robots of this scenario."""
        check_live(self.scenario, self.setup.fleet, self.squads, controls, self.kind)

    @property
    def control(self) -> Control:
        """The ``control`` tree that is common to all robots, as it now stands."""
        return self.parameters.control

    @property
    def controls(self) -> Controls:
        """All ``control`` trees, those of groups too, as they now stand."""
        return self.parameters.controls

    @property
    def away(self) -> BoolArray | None:
        """Which robots (N,) others drive now; None: nobody."""
        return absent(self.controls, self.setup.fleet.names)

    def present(self, state: SwarmState) -> SwarmState:
        """The ``state`` in which those who are away are not known."""
        return without(state, self.away)

    def _keep_house(self) -> None:
        self._live.poll(self.parameters.set)
        self.parameters.look()
        self._looks += 1
        if self._looks % 4 == 0:
            self.report()


def served(text: str, robots: int) -> IntArray:
    """Indices from ``all`` or a comma-separated list."""
    if text == "all":
        return np.arange(robots)
    try:
        chosen = sorted({int(part) for part in text.split(",")})
    except ValueError:
        chosen = [-1]
    if not 0 <= chosen[0] <= chosen[-1] < robots:
        raise InputError("--robots", f"{text!r} found, expected all, or numbers from 0 to {robots - 1} with commas between")
    return np.array(chosen, np.int64)
