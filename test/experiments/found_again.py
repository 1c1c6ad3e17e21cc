"""An experiment, quick, finds again what the page of results says; shared by the tests of all groups."""

import json
from collections.abc import Callable, Container
from pathlib import Path

from swarm_control.analysis.experiments import EXPERIMENTS
from swarm_control.analysis.experiments.finding import Finding
from swarm_control.analysis.experiments.lab import Lab
from swarm_control.analysis.experiments.page import save, seeds_line, write_pages


def found_again(name: str, lab: Lab, folder: Path, missed: Container[str] | Callable[[str], bool] = ()) -> Finding:
    """Run the experiment ``name``; its claims hold but for those ``missed``, and picture, record and page in ``folder`` show what it found.

    ``missed``: claims that the page itself says do not hold, or that a test cannot hold it to.
    """
    finding = EXPERIMENTS[name].run(lab)
    excused = missed if callable(missed) else lambda claim: claim in missed
    assert finding.claims
    assert not {claim for claim, held in finding.claims.items() if not held and not excused(claim)}
    assert all(len(row) == len(finding.columns) for row in finding.rows)
    picture, *_, record = save(name, finding, "swarm experiment", folder)
    assert picture.read_bytes().startswith(b"\x89PNG")
    written = json.loads(record.read_text())
    assert written["claims"] == finding.claims and written["rows"] == [list(row) for row in finding.rows]
    (page,) = write_pages(folder)
    text = page.read_text()
    assert seeds_line(written) in text
    assert finding.title in text and finding.rows[0][0] in text and f"{EXPERIMENTS[name].page.name}/{name}.png" in text
    return finding
