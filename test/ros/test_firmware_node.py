"""The firmware in C, driven by the real node ``wheel_driver`` over a serial line that loses and spoils lines."""

import claims
import pytest
from warm import STARTER

from swarm_control.errors import Failed
from swarm_experiments.lab.compiled import build
from swarm_experiments.lab.firmware import HEADING, PLACE
from swarm_experiments.lab.wheel_drives import Faults
from swarm_experiments.lab.wheel_node import NodeDrive

pytestmark = pytest.mark.ros


def test_the_node_drives_the_firmware_and_knows_where_the_robot_is(tmp_path):
    try:
        program = build(tmp_path)
    except Failed as error:
        pytest.skip(str(error))
    domain = claims.domain()
    node = NodeDrive(program, Faults(disconnect=0.0), 0, domain.number, STARTER)
    found = node.drive(1.5)
    domain.release()
    assert found.way > 0.1 and found.place < PLACE and found.heading < HEADING and found.lines > 0
    assert int(node.status["lines_bad"]) > 0 and node.status["counts_rejected"] == "0"
