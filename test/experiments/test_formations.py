"""The experiments with virtual structures, quick: what the page says holds; times are left to the page, they are the machine's."""

import json

import numpy as np
import pytest

from swarm_control.core.formation.study import scattered
from swarm_control.experiments import EXPERIMENTS
from swarm_control.experiments.drill import drill
from swarm_control.experiments.flight import Trial
from swarm_control.experiments.formation_search import BIAS, HORIZON, PERIOD, SEARCHES, r3, shape, targets
from swarm_control.experiments.lab import Lab
from swarm_control.experiments.page import save, write_pages

NAMES = [name for name, experiment in EXPERIMENTS.items() if experiment.group == "virtual_structures"]


@pytest.fixture(scope="module")
def lab():
    with Lab(quick=True) as lab:
        yield lab


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_the_page_says_holds(name, lab, tmp_path):
    finding = EXPERIMENTS[name].run(lab)
    timing = {claim for claim in finding.claims if "faster" in claim or (" ms" in claim and "delay" not in claim)}
    assert all(held for claim, held in finding.claims.items() if claim not in timing), finding.claims
    assert all(len(row) == len(finding.columns) for row in finding.rows)
    picture, record = save(name, finding, "swarm experiment", tmp_path)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert json.loads(record.read_text())["rows"] == [list(row) for row in finding.rows]
    (page,) = write_pages(tmp_path)
    assert f"virtual_structures/{name}.png" in page.read_text()


def test_a_drill_is_repeatable_and_sees_what_happens():
    trial = Trial("formation_failure", ("duration=8",), seed=3)
    one, two = drill(trial), drill(trial)
    assert np.array_equal(one.error, two.error) and len(one.time) == 80
    assert not one.failed[:50].any() and one.failed[-1]
    assert one.error[-1] == pytest.approx(one.summary["formation_error_max"], rel=0.2)
    assert np.isnan(one.lag).all() and (one.spread == 0.0).all()


def test_every_search_minimises_the_same_cost():
    problem = scattered(shape("circle", 4, 0.6), r3(4), targets, PERIOD, HORIZON, BIAS, np.random.default_rng(5))
    stay = float(problem.cost(problem.pose[None])[0])
    found = {name: find(problem) for name, find in SEARCHES.items()}
    assert max(found.values()) < stay
    assert max(found.values()) == pytest.approx(min(found.values()), rel=0.02)
