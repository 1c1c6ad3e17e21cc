"""Robots are cut off from the network: they rest, and a stop that is asked for meanwhile is confirmed when all have heard of it."""

import shutil

import pytest

from swarm_control.ros.support.fault_result import LONGEST
from swarm_experiments.network.namespaces import permitted
from swarm_experiments.safety import cuts

pytestmark = pytest.mark.ros

SEED = 3
"""One of the two robots is cut off."""


def test_who_is_cut_off_rests_and_no_stop_is_lost_meanwhile(monkeypatch):
    if reason := permitted() or ("" if shutil.which("nft") else "nft not found: apt install nftables"):
        pytest.skip(reason)
    changes = ("robots=2", *cuts.CHANGES[1:])
    for name, value in {"ROBOTS": 2, "CHANGES": changes, "SHORT": (1.0, 2.0), "LONGS": 0.0, "STOPS": 1.0}.items():
        monkeypatch.setattr(cuts, name, value)
    air, (cut,), contacts, dead = cuts._network(SEED, 1)
    assert contacts == dead == 0 and 0.0 < air.loss < 0.3 and cut.off == (2,)
    assert cut.rest <= LONGEST and cut.recovery < cuts.PATIENCE and cut.confirmed < cuts.PATIENCE and not cut.broken, cut
