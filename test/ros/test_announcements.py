"""What tools for any robots expect of real robots' graph: the map, unless a map server has one, and diagnostics of all nodes."""

from contextlib import closing

import numpy as np
import pytest
from graph import Graph
from nav_msgs.msg import OccupancyGrid

from swarm_control.ros.graph import topics
from swarm_control.ros.messages.maps import grid_message, grid_of, same_grid
from swarm_control.scenario.loader import find, load_prepared
from swarm_control.scenario.yaml_text import read_yaml

pytestmark = pytest.mark.ros(anytime=True)


def test_the_map_and_all_nodes_states_are_told_and_a_map_server_takes_over(tmp_path):
    own = load_prepared("migrate_boxes")[1].grid
    with closing(Graph(tmp_path, {**read_yaml(find("migrate_boxes")), "world": "boxes.world"}, simulator="none")) as g:
        maps, states = [], {}
        topics.subscribe(g.node, topics.MAP, maps.append)
        topics.subscribe(g.node, topics.DIAGNOSTICS, lambda message: states.update((one.name, one.message) for one in message.status))
        g.until(lambda: maps and {"/swarm/director", "/swarm/motion_model", "/swarm/behaviours"} <= states.keys())
        assert same_grid(grid_of(maps[0]), own) and maps[0].header.frame_id == "map"
        assert states["/swarm/behaviours"] == g.status["/swarm/behaviours"]["state"]
        server = topics.publisher(g.node, topics.MAP)
        walls = np.ones((3, 4), bool)
        server.publish(grid_message(own.__class__(walls, (0.0, 0.0), 0.5), OccupancyGrid()))
        g.until(lambda: g.node.count_publishers("/map") == 1)
        g.until(lambda: any("the scenario's own is withdrawn" in line for line in g.lines))
