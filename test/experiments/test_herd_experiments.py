"""The herd experiments, with one seed and point masses: what the page says holds, and its files can be written."""

import json

import pytest

from swarm_control.analysis.experiments import EXPERIMENTS
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.page import save, write_pages


class Alone(Lab):
    """A lab without worker processes."""

    def map(self, work, items):
        return [work(item) for item in items]


@pytest.mark.study
@pytest.mark.parametrize("name", ["herd_steady_points", "herd_turn_points", "herd_obstacle_points"])
def test_what_the_page_says_of_point_masses_holds(name, tmp_path):
    finding = EXPERIMENTS[name].run(Alone(quick=True, seeds=1, first_seed=0))
    assert finding.claims and all(finding.claims.values())
    assert all(len(row) == len(finding.columns) for row in finding.rows)
    picture, *_, record = save(name, finding, "swarm experiment", tmp_path)
    assert picture.read_bytes().startswith(b"\x89PNG") and json.loads(record.read_text())["claims"] == finding.claims
    (page,) = write_pages(tmp_path)
    assert finding.title in page.read_text()


def test_every_kind_has_its_experiments():
    kinds = {kind: {name.split("_")[1] for name in EXPERIMENTS if name.startswith("herd_") and name.endswith(f"_{kind}")}
             for kind in ("points", "hoppers", "bicycles")}  # fmt: skip
    assert kinds["points"] == kinds["hoppers"] == {"steady", "turn", "obstacle", "aside", "sizes", "spacing"}
    assert kinds["bicycles"] == {"steady", "turn", "obstacle", "aside"}
