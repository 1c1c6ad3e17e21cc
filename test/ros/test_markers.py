"""What RViz and Foxglove are shown."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from builtin_interfaces.msg import Time
from graph import SCENARIO, Graph
from visualization_msgs.msg import Marker

from swarm_control import paths
from swarm_control.dashboard.frames import LEADER, VALID, Table
from swarm_control.ros.graph import topics
from swarm_control.ros.messages.markers import REACH, WEDGE, markers

RADIUS = np.array([0.1, 0.2])


def points(marker):
    return np.array([[p.x, p.y] for p in marker.points])


def made(more=None):
    robots = np.array([[0.0, 0.0, 0.0, 0, 0, 0, VALID], [1.0, 2.0, np.pi / 2, 0, 0, 0, VALID | LEADER]])
    found = markers({Table.ROBOTS: robots, **(more or {})}, ["seek"], RADIUS, Time(sec=3))
    return {marker.ns: marker for marker in found.markers}


def test_a_robot_is_a_wedge_that_points_ahead():
    found = made()
    assert np.allclose(points(found["robots"]), 0.1 * WEDGE)
    assert np.allclose(points(found["leaders"])[0], [1.0, 2.0 + 0.2 * WEDGE[0, 0]])  # its tip, heading along y
    assert found["robots"].header.frame_id == topics.FRAME and found["robots"].header.stamp.sec == 3
    assert len({marker.id for marker in found.values()}) == len(found)


def test_neighbours_and_shares_are_lines_from_the_robot():
    seen, granted = np.array([[0, 0, 0.0, 0.0], [0, 1, 1.0, 2.0]]), np.array([[1, 0, 2.0, 0.0], [0, -1, 9.0, 9.0]])
    found = made({Table.NEIGHBOURS: seen, Table.ARROWS: granted})
    assert np.allclose(points(found["neighbours"]), [[0.0, 0.0], [1.0, 2.0]])
    assert np.allclose(points(found["seek"]), [[1.0, 2.0], [1.0 + 2.0 * REACH, 2.0]])


def test_what_is_not_there_any_more_is_taken_away():
    unheard = {Table.ROBOTS: np.full((2, 7), np.nan), Table.NEIGHBOURS: np.array([[0, 1, 1.0, 2.0]])}
    unheard[Table.ROBOTS][:, 6] = 0.0
    found = markers(unheard, [], RADIUS, Time())
    assert all(marker.action == Marker.DELETE and not marker.points for marker in found.markers)


@pytest.mark.ros
def test_a_running_graph_is_shown(tmp_path):
    graph = Graph(tmp_path, SCENARIO, markers=True)
    heard = []
    try:
        topics.subscribe(graph.node, topics.Topic("/swarm/markers", topics.MARKERS.kind), heard.append)
        graph.until(lambda: heard and {m.ns for m in heard[-1].markers if m.points} >= {"robots", "neighbours", "seek", "separation"}, 90.0)
        described = topics.Topic("/robot_3/robot_description", topics.ROBOT_DESCRIPTION.kind, lossy=False, latched=True)
        models = []
        topics.subscribe(graph.node, described, models.append)
        graph.until(lambda: models)
        assert ElementTree.fromstring(models[0].data).get("name") == "robot_3"
        tips = points(next(marker for marker in heard[-1].markers if marker.ns == "robots"))
        assert len(tips) == 3 * 10
    finally:
        graph.close()


def test_the_view_shows_what_is_published():
    view = yaml.safe_load((paths.share() / "config/rviz/swarm.rviz").read_text())["Visualization Manager"]
    shown = {display["Topic"]["Value"] for display in view["Displays"] if "Topic" in display}
    names = {name if name.startswith("/") else f"/swarm/{name}" for name in (topic.name for topic in topics.TABLE)}
    assert shown == {"/map", "/swarm/markers", "/swarm/structure/pose"} and shown <= names
    assert view["Global Options"]["Fixed Frame"] == topics.FRAME


def test_the_layout_for_foxglove_names_topics_of_the_table():
    layout = json.loads((paths.share() / "config/foxglove/swarm.json").read_text())
    panels = layout["configById"]
    kinds = {topic.of("robot_0") if topic.of("").startswith("/") else f"/swarm/{topic.name}": topic.kind for topic in topics.TABLE}
    scene, stop = panels["3D!swarm"], panels["Publish!stop"]
    shown = [*scene["topics"], scene["publish"]["poseTopic"], panels["DiagnosticSummary!nodes"]["topicToRender"], stop["topicName"]]
    plotted = [path["value"].split(".")[0] for path in panels["Plot!speed"]["paths"]]
    assert {*shown, *plotted, panels["Teleop!structure"]["topic"]} <= set(kinds)
    assert stop["datatype"] == "std_msgs/msg/Bool" and kinds[stop["topicName"]].__name__ == "Bool"
    assert json.loads(stop["value"]) == {"data": True} and scene["followTf"] == topics.FRAME

    def leaves(node):
        return [node] if isinstance(node, str) else [*leaves(node["first"]), *leaves(node["second"])]

    assert sorted(leaves(layout["layout"])) == sorted(panels)
