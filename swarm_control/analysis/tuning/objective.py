"""What a tuning aims at: a weighted sum of objectives, under constraints on them."""

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from swarm_control.analysis.tuning.objective_function import OBJECTIVES, Summary
from swarm_control.errors import InputError

COMPARE: dict[str, Callable[[float, float], bool]] = {"<=": operator.le, ">=": operator.ge}


@dataclass(frozen=True)
class Term:
    """An objective and its weight, which carries the unit that makes terms comparable."""

    metric: str
    weight: float

    def cost(self, summary: Summary) -> float:
        """What it adds to the sum that is minimised."""
        objective = OBJECTIVES[self.metric]
        return self.weight * objective.sense * objective.value(summary)


@dataclass(frozen=True)
class Constraint:
    """What every run has to keep: ``metric`` at most (``<=``) or at least (``>=``) ``bound``."""

    metric: str
    comparison: str
    bound: float

    def broken_by(self, summary: Summary) -> float:
        """By how much a run breaks it; 0 when it keeps it."""
        value = OBJECTIVES[self.metric].value(summary)
        return 0.0 if COMPARE[self.comparison](value, self.bound) else abs(value - self.bound)


@dataclass(frozen=True)
class Score:
    """How good parameters are over all seeds: what breaks constraints (summed) comes first, then ``cost`` (mean); less is better."""

    violation: float
    cost: float

    def key(self) -> tuple[float, float]:
        """By this scores are put in order: whoever keeps all constraints goes before whoever does not (Deb's rule)."""
        return (self.violation, self.cost)


@dataclass(frozen=True)
class Objective:
    """Terms to be minimised in sum, and constraints."""

    terms: tuple[Term, ...]
    constraints: tuple[Constraint, ...]

    def score(self, summaries: Sequence[Summary]) -> Score:
        """The score of runs with the same parameters and different seeds; of none: infinitely bad."""
        if not summaries:
            return Score(math.inf, math.inf)
        costs = [sum(term.cost(s) for term in self.terms) for s in summaries]
        return Score(float(sum(c.broken_by(s) for c in self.constraints for s in summaries)), float(np.mean(costs)))


def objective_of(terms: Sequence[str], constraints: Sequence[str]) -> Objective:
    """Read ``METRIC[=WEIGHT]`` and ``METRIC<=BOUND`` or ``METRIC>=BOUND``."""
    return Objective(tuple(map(_term, terms)), tuple(map(_constraint, constraints)))


def _term(text: str) -> Term:
    metric, sign, weight = text.partition("=")
    return Term(_metric(metric, f"--objective {text}"), _positive(weight, f"--objective {text}") if sign else 1.0)


def _constraint(text: str) -> Constraint:
    found = re.fullmatch(r"(\w+)\s*(<=|>=)\s*(\S+)", text)
    where = f"--constraint {text}"
    if not found:
        raise InputError(where, "expected METRIC<=BOUND or METRIC>=BOUND, as in 'collisions<=0'")
    try:
        bound = float(found[3])
    except ValueError:
        bound = math.nan
    if not math.isfinite(bound):
        raise InputError(where, f"{found[3]} found, expected a number")
    return Constraint(_metric(found[1], where), found[2], bound)


def _metric(name: str, where: str) -> str:
    if name not in OBJECTIVES:
        raise InputError(where, f"{name!r} found, expected one of {', '.join(OBJECTIVES)}")
    return name


def _positive(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0.0):
        raise InputError(where, f"{text!r} found, expected a weight above 0; less or more, whichever is better, is known of every measure")
    return value
