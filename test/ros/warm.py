"""The process from which the tests of a worker fork all their nodes, guards too: those of ``swarm run`` have processes of their own."""

import atexit

from swarm_control.ros.support.supervisor import Starter

NODES = ("guard", "neighbourhood", "behaviours", "virtual_structure", "motion_model", "director", "simulator", "aggregator")

STARTER = Starter(NODES, apart=())
atexit.register(STARTER.server.end)
