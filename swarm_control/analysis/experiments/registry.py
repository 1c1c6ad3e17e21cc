"""What an experiment is and how it is registered: in its own file, by a decorator; plugins bring theirs by an entry point."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from swarm_control.analysis.experiments.checkout import OURS, find_checkout
from swarm_control.analysis.experiments.finding import Finding
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.core.registry import Registry

CHOSEN = range(20)
"""Seeds on which values were chosen where nothing else is known."""

NO_SEEDS = range(0)
"""Of an experiment in which nothing is drawn."""


@dataclass(frozen=True)
class Page:
    """A page of results: its file name without ending, which is also its folder's, its title, and a line on what is found elsewhere."""

    name: str
    title: str
    elsewhere: str = ""


@dataclass(frozen=True)
class Experiment:
    """An experiment: one line on it, what it does, its page, and its seeds.

    ``chosen_on``: seeds that were used to choose its values. ``reported_on``: those that it runs unless told otherwise, never the same;
    :data:`NO_SEEDS` where nothing is drawn. ``ValueError`` when they overlap.
    """

    name: str
    help: str
    work: Callable[[Lab], Finding]
    page: Page
    chosen_on: range = CHOSEN
    reported_on: range = range(100, 105)

    def __post_init__(self) -> None:
        for field, seeds in (("chosen_on", self.chosen_on), ("reported_on", self.reported_on)):
            if seeds.step != 1 or (len(seeds) and seeds.start < 0):
                raise ValueError(f"experiment {self.name!r}: {field}: {seeds} found, expected whole numbers from 0 on, without gaps")
        if both := sorted(set(self.chosen_on) & set(self.reported_on)):
            found = f"{both[0]}…{both[-1]}" if len(both) > 1 else f"{both[0]}"
            raise ValueError(f"experiment {self.name!r}: reported_on: {found} found, which chose its values; expected other seeds")

    def run(self, lab: Lab) -> Finding:
        """Do it in ``lab``, on the seeds that the lab was asked for, else on its own; the finding tells which."""
        with lab.working_on(self.name, self.chosen_on, self.reported_on):
            return replace(self.work(lab), chosen_on=self.chosen_on, reported_on=lab.reported)


EXPERIMENTS: Registry[Experiment] = Registry(
    "experiment", "swarm_control.experiments", order=lambda item: (item.page.name, item.name)
)  # fmt: skip
"""All experiments, page by page; :func:`load_experiments` fills it."""


def register_experiment(item: Experiment) -> Experiment:
    """Add an experiment; ``ValueError`` when its name is taken or no identifier, or another one gives its page another title."""
    for other in EXPERIMENTS.values():
        if other.page.name == item.page.name and other.page != item.page:
            raise ValueError(f"experiment {item.name!r}: page {item.page.title!r} found, expected {other.page.title!r} as before")
    return EXPERIMENTS.add(item)


def experiment(
    name: str, help: str, page: Page, *, chosen_on: range = CHOSEN, reported_on: range = range(100, 105)
) -> Callable[[Callable[[Lab], Finding]], Callable[[Lab], Finding]]:
    """Decorate a function of a lab to register it as an experiment; see :class:`Experiment`."""

    def decorate(work: Callable[[Lab], Finding]) -> Callable[[Lab], Finding]:
        register_experiment(Experiment(name, help, work, page, chosen_on, reported_on))
        return work

    return decorate


def pages() -> dict[str, Page]:
    """The pages of all experiments, by name."""
    return {item.page.name: item.page for item in EXPERIMENTS.values()}


def load_experiments() -> None:
    """Register the experiments of the checkout that this package is part of, where it is, and those that are installed."""
    if find_checkout():
        importlib.import_module(f"{OURS}.register")
    EXPERIMENTS.load()
