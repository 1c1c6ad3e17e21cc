"""The experiment on the firmware in C, quick."""

import pytest

from swarm_control.analysis.experiments import EXPERIMENTS
from swarm_control.errors import Failed


@pytest.mark.study
@pytest.mark.ros
def test_what_the_page_says_holds(lab):
    pytest.importorskip("rclpy")
    try:
        finding = EXPERIMENTS["wheel_firmware"].run(lab)
    except Failed as error:
        pytest.skip(str(error))
    assert all(finding.claims.values()), finding.claims
    assert finding.numbers["real_way"] > 1.0 and len(finding.rows) == 3
