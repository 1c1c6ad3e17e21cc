"""Nothing changes a formation's plans unnoticed: plans for drawn robots, shapes and walls are what they were, refusals too.

Beside ``test_reference_plans.py``, whose plans are chosen. ``drawn_plans.py`` draws; ``drawn_plans.json`` keeps what seeds come to. Where a
change is meant, ``PYTHONPATH=test/support python test/e2e/test_drawn_plans.py`` writes it anew; with ``--seeds N`` it plans for N seeds,
and keeps those whose plans do not magnify a tiny change of the start and that do not take long.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from drawn_plans import drawn_plan
from kept_numbers import short, write

from swarm_control.formation.timetable import UnreachableError

FILE = Path(__file__).with_name("drawn_plans.json")
KNOWN = json.loads(FILE.read_text(encoding="utf-8"))
CLOSE = 1e-6
NUDGES, MAGNIFIED = (1e-13, -1e-13, 3e-13), 0.1
"""Tiny changes (m) of where robots start, and how much of the tolerance they may come to."""

LONG = 0.5
"""Plans that take longer (s) are not kept."""


def planned(seed, nudge=0.0):
    """The numbers of a plan, or why there is none."""
    try:
        return drawn_plan(seed, nudge)
    except UnreachableError as error:
        return str(error)


def alike(known, found, share=1.0):
    """Whether two plans are the same, to a share of the tolerance."""
    if isinstance(known, str) or isinstance(found, str):
        return known == found
    return len(known) == len(found) and np.allclose(found, known, CLOSE * share, CLOSE * share)


@pytest.mark.parametrize("seed", KNOWN)
def test_a_drawn_plan_is_what_it_was(seed):
    found = planned(int(seed))
    assert alike(KNOWN[seed], found), f"{KNOWN[seed]} was, {found} is"


def kept(seed):
    """Whether a seed's plan is quick and steady."""
    begun = time.perf_counter()
    found = planned(seed)
    return time.perf_counter() - begun < LONG and all(alike(found, planned(seed, nudge), MAGNIFIED) for nudge in NUDGES)


def main():
    planned(0)  # loops are compiled
    seeds = [str(seed) for seed in range(int(sys.argv[-1])) if kept(seed)] if "--seeds" in sys.argv else list(KNOWN)
    plans = {seed: planned(int(seed)) for seed in seeds}
    write(FILE, {seed: found if isinstance(found, str) else short(found) for seed, found in plans.items()})


if __name__ == "__main__":
    main()
