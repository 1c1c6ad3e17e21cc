"""The process from which the tests of a worker fork all their nodes, guards too: those of ``swarm run`` have processes of their own."""

import atexit

from forked_swarm import NODES

from swarm_control.ros.support.supervisor import Starter

STARTER = Starter(NODES, apart=())
atexit.register(STARTER.server.end)
