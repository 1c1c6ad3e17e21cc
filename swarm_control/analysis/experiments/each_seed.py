"""Experiments whose work is written for a single seed."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps

import numpy as np

from swarm_control.analysis.experiments.finding import Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab


def each_seed(work: Callable[[Lab, Seed], Finding]) -> Callable[[Lab], Finding]:
    """An experiment that does ``work`` for each of its seeds, when quick for one; see :func:`together`."""

    @wraps(work)
    def run(lab: Lab) -> Finding:
        return together({seed: work(lab, seed) for seed in lab.seeds(quick=1)})

    return run


def together(found: Mapping[Seed, Finding]) -> Finding:
    """One finding of those of several seeds: all rows, each with its seed; a claim holds if it does for every seed; numbers are means.

    Title, statement, panels and note are those of the first seed.
    """
    every = list(found.values())
    first = every[0]
    if len(every) == 1:
        return first
    return replace(
        first,
        columns=("seed", *first.columns),
        rows=tuple((str(seed), *row) for seed, one in found.items() for row in one.rows),
        claims={claim: all(one.claims.get(claim, True) for one in every) for claim in first.claims},
        numbers={name: float(np.mean([one.numbers[name] for one in every if name in one.numbers])) for name in first.numbers},
    )
