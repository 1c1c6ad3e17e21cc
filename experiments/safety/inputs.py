"""Damaged inputs of every kind: how many are refused with one line, and in time."""

import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from swarm_control.analysis.experiments.finding import Bars, Finding
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import experiment

from . import PAGE
from .damage import Unrefused, campaign
from .samples import SAMPLES

EACH, QUICK = 60, 3
"""Inputs of each kind and seed."""


@dataclass(frozen=True)
class Batch:
    """Inputs of one kind, damaged by one seed."""

    kind: str
    count: int
    seed: Seed


@experiment("safety_inputs", "damaged files, recordings, worlds, images and lines", PAGE, chosen_on=range(8), reported_on=range(100, 110))
def safety_inputs(lab: Lab) -> Finding:
    """Every input is given to the command that reads it; one line and status 2, or it works."""
    count = QUICK if lab.quick else EACH
    batches = [Batch(kind, count, seed) for seed in lab.seeds(quick=1) for kind in SAMPLES]
    wrong = [one for found in lab.map(damaged, batches) for one in found]
    given = Counter[str]()
    for batch in batches:
        given[batch.kind] += batch.count
    late, raised = Counter(one.kind for one in wrong if one.late), Counter(one.kind for one in wrong if not one.late)
    rows = tuple((kind, str(given[kind]), str(raised[kind]), str(late[kind])) for kind in SAMPLES)
    return Finding(
        "Damaged inputs",
        "Not in the papers.",
        ("input", "damaged", "tracebacks, or not one line", "not done in 20 s"),
        (*rows, ("all", str(given.total()), str(raised.total()), str(late.total()))),
        {"every damaged input works or is refused with one line": not raised, "none keeps a command busy": not late},
        (Bars("inputs given", "", tuple(SAMPLES), {"": np.array([float(given[kind]) for kind in SAMPLES])}),),
        {"inputs": float(given.total()), "wrong": float(len(wrong))},
        "Bytes are changed, cut out, doubled or put in, values replaced by such as make no sense, files by folders. "
        + " ".join(f"{one.kind} {one.seed}: {one.text.strip().splitlines()[-1]}." for one in wrong),
    )


def damaged(batch: Batch) -> list[Unrefused]:
    """What was not refused as it must be."""
    with tempfile.TemporaryDirectory() as folder:
        return campaign(batch.kind, batch.count, int(batch.seed), Path(folder))
