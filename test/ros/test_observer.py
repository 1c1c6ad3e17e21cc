"""What ``swarm run`` knows of formations: their errors while they are kept, part by part, and nothing of them afterwards."""

import numpy as np
import pytest

from swarm_control.core.state import SwarmState
from swarm_control.ros.messages import cdr, convert
from swarm_control.ros.support.observer import Observer
from swarm_control.scenario.loader import load_prepared

TRIANGLE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


@pytest.fixture(params=[True, False], ids=["points", "errors"])
def observer(request):
    """Hears where robots' points are, or only how far they are from them."""
    loaded, setup = load_prepared("formation_translate", ["robots=3"])
    found = Observer(loaded, setup, "swarm_state", true=request.param)
    found.judges = request.param
    yield found
    found.close()


def cloud(kind, time, rows):
    return cdr.CloudWriter("map", kind).write(time, rows)


def hear(observer, time, position, told):
    """The robots' true state, and what the node of the formation says if it says anything."""
    pose = np.column_stack((position, np.zeros(3)))
    state = SwarmState.of(time, pose, np.zeros((3, 3)))
    observer._hear(cloud(convert.SWARM_STATE, time, convert.state_rows(state, np.zeros(3, np.int64))))
    if told and observer.judges:
        rows = convert.target_rows(TRIANGLE, np.zeros((3, 3)), np.ones(3, np.int64), np.arange(3))
        observer._hear_targets(cloud(convert.TARGETS, time, rows))
    elif told:
        rows = np.zeros(1, convert.STRUCTURE)
        rows["robots"], rows["error"] = 3, 0.5
        observer._hear_structure(cloud(convert.STRUCTURE, time, rows))


def test_the_error_is_not_known_any_more_once_nobody_keeps_the_formation(observer):
    period, timeout = observer.control.period, observer.control.safety.command_timeout
    for k in range(1, 40):
        hear(observer, k * period, 2.0 * TRIANGLE, told=k <= 10)
    errors = observer.series.arrays()["formation_error"]
    kept = 10 + round(timeout / period)
    assert np.isfinite(errors[4:kept]).all() and (errors[4:kept] > 0.1).all()
    assert np.isnan(errors[kept + 3 :]).all()


@pytest.mark.parametrize("observer", [True], indirect=True, ids=["points"])
def test_each_part_of_a_split_formation_is_judged_by_itself(observer):
    """The third robot's part is elsewhere than the points say, but whole."""
    position = np.add(TRIANGLE, [[0.0, 0.0], [0.0, 0.0], [5.0, 0.0]])
    hear(observer, 0.1, position, told=False)
    for part, expected in ((np.array([1, 1, 2]), pytest.approx(0.0, abs=1e-9)), (np.array([1, 1, 1]), pytest.approx(1.5, abs=0.5))):
        rows = convert.target_rows(TRIANGLE, np.zeros((3, 3)), part, np.arange(3))
        observer._hear_targets(cloud(convert.TARGETS, 0.1, rows))
        assert observer._error == expected == observer._errors[""]
