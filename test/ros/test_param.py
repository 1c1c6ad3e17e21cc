"""``swarm param`` on real nodes: what is set is what they have and say, what makes no sense is refused and changes nothing."""

from contextlib import closing

import pytest
from graph import Graph
from test_missions import swarm

pytestmark = pytest.mark.ros(anytime=True)


def test_parameters_are_set_and_read_on_the_nodes_that_own_them(tmp_path):
    with closing(Graph(tmp_path)) as g:
        g.until(lambda: {"/swarm/behaviours", "/swarm/neighbourhood"} <= set(g.status))
        (line,) = swarm(g, "param", "set", "separation.weight=1", "perception.radius=1.25")
        assert line == "swarm: taken by /swarm/behaviours, /swarm/neighbourhood"
        assert swarm(g, "param", "get", "separation.weight", "perception.radius") == ["separation.weight: 1.0", "perception.radius: 1.25"]
        (line,) = swarm(g, "param", "set", "separation.weigth=1", status=2)
        assert line.startswith("swarm: separation.weigth: unknown parameter, did you mean separation.weight")
        (line,) = swarm(g, "param", "set", "separation.weight=-1", "cohesion.weight=0.7", status=2)
        assert line.startswith("swarm: swarm param set: separation.weight: -1 found, expected a number from 0")
        (line,) = swarm(g, "param", "set", "separation.weight=0.3", "separation.weight=0.4", status=2)
        assert line == "swarm: swarm param set: a name is given twice, expected each once"
        (line,) = swarm(g, "param", "set", "groups.red.cohesion.weight=1", status=2)
        expected = "no groups.red.cohesion.weight found, expected the name of a group that the scenario has"
        assert line == f"swarm: /swarm/behaviours: {expected}"
        (line,) = swarm(g, "param", "set", "period=0.5", status=2)
        assert line.startswith("swarm: period: fixed while the swarm runs")
        assert swarm(g, "param", "get", "separation.weight", "cohesion.weight")[0] == "separation.weight: 1.0"
