"""The experiments on the lab floor, quick: one round of each of the paper's two motions, and six robots that form."""

import json

import numpy as np
import pytest

from swarm_control.analysis.experiments import EXPERIMENTS
from swarm_control.analysis.experiments.flight import Seed
from swarm_control.analysis.experiments.page import save, write_pages
from swarm_control.errors import Failed
from swarm_control.scenario.loader import load
from swarm_experiments.lab.floor_formations import FloorDraw, changes


@pytest.mark.study
def test_what_the_page_says_holds(lab, tmp_path):
    try:
        finding = EXPERIMENTS["floor"].run(lab)
    except Failed as error:
        pytest.skip(str(error))
    assert all(finding.claims.values()), finding.claims
    assert finding.numbers["translate_mean"] < 0.47 and finding.numbers["rotate_mean"] < 1.15
    picture, *_, record = save("floor", finding, "swarm experiment floor --quick", tmp_path)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert [row[0] for row in json.loads(record.read_text())["rows"]] == ["translate", "rotate"]
    (page,) = write_pages(tmp_path)
    assert page.name == "floor.md" and "floor/floor.png" in page.read_text() and "0.4739 ± 0.2941" in page.read_text()


@pytest.mark.study
def test_six_robots_form_on_the_floor_without_a_touch(lab):
    try:
        finding = EXPERIMENTS["floor_formations"].run(lab)
    except Failed as error:
        pytest.skip(str(error))
    assert all(finding.claims.values()), finding.claims
    assert [row[:3] for row in finding.rows] == [("form a wedge", "1 of 1", "0")]


def test_robots_around_the_box_start_a_bit_out_of_place_and_others_are_scattered():
    given = load("formation_box", ()).scenario.robots[0].start.poses
    drawn = [load("formation_box", changes(FloorDraw(Seed(seed), "push a box"))).scenario for seed in (1, 1, 2)]
    poses = [np.array(one.robots[0].start.poses) for one in drawn]
    off = np.hypot(*(poses[0] - given)[:, :2].T)
    assert (off <= 0.03 + 1e-9).all() and off.max() > 0.0 and np.abs((poses[0] - given)[:, 2]).max() <= 20.0
    assert (poses[0] == poses[1]).all() and (poses[0] != poses[2]).any() and drawn[0].objects[0].mass == 2.0
    wedge = load("formation_translate", changes(FloorDraw(Seed(4), "form a wedge"))).scenario
    assert (wedge.seed, wedge.robots[0].count, wedge.control.formation.shape) == (4, 6, "wedge")
