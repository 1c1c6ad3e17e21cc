"""The experiment on the lab floor, quick: one round of each of the paper's two motions."""

import json

import pytest

from swarm_control.analysis.experiments import EXPERIMENTS
from swarm_control.analysis.experiments.page import save, write_pages
from swarm_control.errors import Failed


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
