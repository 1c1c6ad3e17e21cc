"""Robots of a swarm that others drive now, by the parameter ``away``: who they are, and the formation of those who are left."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from swarm_control.core.geometry import BoolArray
from swarm_control.core.state import SwarmState
from swarm_control.formation.parameters import FormationParameters
from swarm_control.scenario.groups import Controls


def absent(controls: Controls, names: Sequence[str]) -> BoolArray | None:
    """Which of the robots ``names`` (N,) others drive now; None: nobody."""
    return np.isin(names, controls.common.away) if controls.common.away else None


def without(state: SwarmState, away: BoolArray | None) -> SwarmState:
    """The ``state`` in which those ``away`` (N,) are not known; None: nobody is away."""
    return state if away is None else SwarmState.of(state.time, state.pose, state.velocity, state.valid & ~away, state.fallen)


def formation_of(controls: Controls, flock: str, names: Sequence[str]) -> FormationParameters:
    """The formation of a flock of the robots ``names``: of those who are not away, unless all are."""
    params, away = controls.of(flock).formation, controls.common.away
    if not params.enabled or not away:
        return params
    return replace(params, members=tuple(name for name in params.members or names if name not in away) or params.members)
