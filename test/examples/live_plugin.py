"""Run by ``test_plugin``, with the plugin on the path: real nodes take its parameters while they run. Argument: a folder."""

import sys
from pathlib import Path

import numpy as np
from graph import Graph

from swarm_control.dashboard.catalogue import catalogue
from swarm_control.scenario.groups import controls_of
from swarm_control.scenario.loader import load

DATA = {
    "duration": 600, "robots": [{"count": 6, "model": "lookout", "start": {"pattern": "grid", "spacing": 0.5}}],
    "control": {"perception": {"radius": 3.0}},
}  # fmt: skip


def main(folder):
    graph = Graph(folder, DATA)
    try:
        graph.until(lambda: graph.states and graph.state.time > 1.0)
        assert not graph.state.velocity.any()
        assert graph.get("behaviours", "swirl.weight", "swirl.clockwise") == [0.0, False]
        refused = graph.set("behaviours", swirl__weight=-1.0)
        assert not refused.successful and "swirl.weight" in refused.reason
        assert graph.set("behaviours", swirl__weight=1.0).successful
        graph.until(lambda: np.hypot(*graph.state.velocity[:, :2].T).min() > 0.05)
        scenario = load(str(graph.file)).scenario
        entries = {entry["name"]: entry for entry in catalogue(controls_of(scenario, "here"))}
        assert (entries["swirl.weight"]["low"], entries["swirl.weight"]["high"]) == (0.0, 100.0)
        assert entries["swirl.clockwise"]["kind"] == "boolean"
    finally:
        graph.close()
    print("lived")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
