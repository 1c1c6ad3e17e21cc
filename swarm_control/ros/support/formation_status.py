"""What a node that keeps formations says of itself once a second, and what is read in it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from swarm_control.core.geometry import BoolArray
from swarm_control.ros.support.status import shown
from swarm_control.runtime.formation_step import FormationStep


def problems_of(statuses: Iterable[Mapping[str, str]]) -> str:
    """Why formations do not go to their goals, as the ``statuses`` of their nodes say, or nothing."""
    return "; ".join(dict.fromkeys(filter(None, (values.get("problem", "") for values in statuses))))


def formation_status(
    names: tuple[str, ...], heard: BoolArray, made: Sequence[FormationStep], visits: int, values: dict[str, Any]
) -> tuple[dict[str, Any], str, str]:  # fmt: skip
    """The status after the steps that were ``made``: the ``values`` and more, a message and a level; ``heard`` (N,): which robots are."""
    if not made:
        missing = [name for name, known in zip(names, heard) if not known]
        return {**values, "not_heard": shown(missing)}, "waiting for the robots", "ok"
    failed = [names[k] for k in np.flatnonzero(np.any([one.failed for one in made], axis=0))]
    sizes = [sum(len(step.structure) for step in one.steps) for one in made]
    values = values | {
        "visits": visits, "robots": sum(sizes), "parts": sum(len(one.steps) for one in made),
        "error_mm": 1e3 * float(np.average([one.error for one in made], weights=sizes)),
        "rest": all(one.rest for one in made), "failed": shown(failed),
    }  # fmt: skip
    problem = str(values["problem"])
    return values, "a robot has failed" if failed else problem or "running", "warn" if failed or problem else "ok"
