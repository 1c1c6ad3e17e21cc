"""Experiments: each reproduces a figure or table of a paper as a picture and numbers beside the paper's statement.

To add one, write a function ``(lab) → Finding`` in a file of your own and decorate it by :func:`experiment`; the command line, the page
and the tests follow. Its package names the file under the entry points ``swarm_control.experiments``::

    @experiment("my_table", "what it shows", Page("mine", "My results"), reported_on=range(100, 110))
    def my_table(lab: Lab) -> Finding:
        flights = lab.fly([Trial("migrate_boxes", (), seed) for seed in lab.seeds()])
        ...
"""

from swarm_control.analysis.experiments.each_seed import each_seed
from swarm_control.analysis.experiments.finding import Finding
from swarm_control.analysis.experiments.flight import UNSEEDED, Flight, Seed, Trial
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.registry import (
    EXPERIMENTS,
    NO_SEEDS,
    Experiment,
    Page,
    experiment,
    load_experiments,
    pages,
    register_experiment,
)

__all__ = [
    "EXPERIMENTS", "NO_SEEDS", "UNSEEDED", "Experiment", "Finding", "Flight", "Lab", "Page", "Seed", "Trial", "each_seed", "experiment",
    "load_experiments", "pages", "register_experiment",
]  # fmt: skip
