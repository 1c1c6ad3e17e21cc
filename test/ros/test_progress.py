"""What outlives a node: the map, the goal that the flock is heading for, what a phase has set; and time that is set back."""

import copy

import pytest
from graph import SCENARIO, Graph
from std_srvs.srv import SetBool, Trigger

from swarm_control.ros.graph import topics
from swarm_control.ros.messages import maps
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare

pytestmark = pytest.mark.ros


@pytest.fixture(scope="module")
def journey(tmp_path_factory):
    """A flock that has passed its first goal and its first phase, in a walled arena."""
    data = copy.deepcopy(SCENARIO)
    data["world"] = {"area_per_robot": 1000.0, "obstacle_area": 0.0, "resolution": 0.2}
    data["goals"] = [{"position": [0.0, 0.0], "arrival_radius": 3.0}, {"position": [1000.0, 0.0]}]
    data["phases"] = [{"start": 0.5, "set": {"alignment.weight": 0.8, "perception.radius": 1.1}}]
    graph = Graph(tmp_path_factory.mktemp("journey"), data)
    try:
        graph.until(lambda: graph.mission.swarm.goal_index == 1, timeout=90.0)
        yield graph
    finally:
        graph.close()


def test_phases_set_parameters_of_the_nodes_that_own_them(journey):
    journey.until(lambda: journey.get("behaviours", "alignment.weight") == [0.8])
    journey.until(lambda: journey.get("neighbourhood", "perception.radius") == [1.1])


def test_late_joiners_get_the_map(journey):
    heard = []
    journey.node.create_subscription(topics.MAP.kind, "/map", heard.append, topics.MAP.subscribe_qos)
    journey.until(lambda: heard)
    loaded = load(str(journey.file))
    assert maps.same_grid(maps.grid_of(heard[0]), prepare(loaded.scenario, loaded.source).grid)
    assert heard[0].header.frame_id == "map"


def test_a_restarted_director_goes_on_with_the_present_goal_and_the_whole_history(journey):
    journey.until(lambda: len(journey.mission.swarm.phases) == 3 and journey.repeated())
    before, process = journey.mission, journey.status["/swarm/director"]["process"]
    assert [(entry.kind, entry.name) for entry in before.swarm.phases] == [("goal", "goal 1"), ("goal", "goal 2"), ("phase", "phase 1")]
    journey.kill("director")
    journey.until(lambda: journey.status["/swarm/director"]["process"] != process)
    journey.until(lambda: journey.mission.number > before.number)
    assert journey.mission.swarm.goal_index == 1
    assert journey.mission.swarm.phases == before.swarm.phases, "nothing is lost, nothing happens twice"
    journey.until(lambda: journey.state.velocity[:, 0].min() > 0.5)


def test_the_mission_goes_on_though_all_who_know_of_it_have_died(journey):
    journey.until(lambda: len(journey.mission.swarm.phases) == 3 and "/swarm/director" in journey.status)
    before, process = journey.mission, journey.status["/swarm/director"]["process"]
    for name in ("director", "behaviours", "neighbourhood", "motion_model"):
        journey.kill(name)
    journey.until(lambda: journey.status["/swarm/director"]["process"] != process)
    journey.until(lambda: journey.mission.number > before.number, timeout=20.0)
    assert journey.mission.swarm.goal_index == 1 and journey.mission.swarm.phases == before.swarm.phases
    journey.until(lambda: journey.state.velocity[:, 0].min() > 0.5)


def test_a_restarted_node_gets_back_what_phases_have_set(journey):
    journey.until(lambda: "done" in journey.status.get("/swarm/director", {}))
    process = journey.status["/swarm/behaviours"]["process"]
    journey.kill("behaviours")
    journey.until(lambda: journey.status["/swarm/behaviours"]["process"] != process)
    journey.until(lambda: journey.get("behaviours", "alignment.weight") == [0.8])


def test_pause_holds_time_and_reset_begins_again(journey):
    assert journey.call(SetBool, "/swarm/pause", SetBool.Request(data=True)).success
    journey.until(lambda: len({state.time for _, state in journey.watch(0.3)}) == 1)
    assert journey.call(SetBool, "/swarm/pause", SetBool.Request(data=False)).success
    before, number = journey.state.time, journey.mission.number
    assert before > 2.0
    journey.until(lambda: journey.state.time > before)
    assert journey.call(Trigger, "/swarm/reset", Trigger.Request()).success
    journey.until(lambda: journey.state.time < 1.0)
    journey.until(lambda: journey.state.velocity[:, 0].min() > 0.5)
    journey.until(lambda: journey.mission.number > number and journey.mission.swarm.goal_index == 1)
