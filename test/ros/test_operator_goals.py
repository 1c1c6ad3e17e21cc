"""Goals that an operator sets on the dashboard: nobody is sent into a wall, or off the map."""

import numpy as np
import pytest
import rclpy

from swarm_control.dashboard.protocol import Command
from swarm_control.errors import InputError
from swarm_control.ros.nodes.dashboard import Dashboard

pytestmark = pytest.mark.ros


@pytest.fixture(params=["migrate_boxes", "formation_obstacles"])
def dashboard(request):
    rclpy.init(args=["--ros-args", "-p", "port:=0", "-r", "__ns:=/swarm"])
    node = Dashboard(Dashboard.arguments(["--scenario", request.param]))
    node.forms = request.param.startswith("formation")
    yield node
    node.close()
    node.destroy_node()
    rclpy.shutdown()


def ask(dashboard, x, y):
    """What is answered to a goal."""
    answers = []
    dashboard._operator.fulfil(Command("goal", {"x": x, "y": y, "yaw": None}), lambda *answer: answers.append(answer))
    return answers


def test_a_goal_is_set_on_free_floor_only_but_a_formations_may_be_in_a_wall(dashboard):
    grid = dashboard.setup.grid
    rows, columns = np.nonzero(grid.occupied)
    walls = np.column_stack((columns, rows)) * grid.resolution + grid.origin + 0.5 * grid.resolution
    inside = walls[np.argmin(np.hypot(*walls.T))]
    for x, y in ((1e9, 1e9), (grid.extent[1] + 1.0, 0.0)):
        with pytest.raises(InputError, match=r"goal: .* is off the map, .* expected free floor"):
            ask(dashboard, x, y)
    if dashboard.forms:
        assert ask(dashboard, *inside.tolist()) == [(True, "")]
    else:
        with pytest.raises(InputError, match=r"goal: .* lies in a wall, expected free floor"):
            ask(dashboard, *inside.tolist())
    assert ask(dashboard, *dashboard.setup.start.position[0].tolist()) == [(True, "")]
