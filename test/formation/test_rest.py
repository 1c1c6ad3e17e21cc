"""When a formation rests: it is where it is to be, and so are its robots; once it rests it takes twice as much to move again."""

from types import SimpleNamespace

import numpy as np
import pytest

from swarm_control.formation.course import _rests

PARAMS = SimpleNamespace(tolerance=0.02)
POSE = np.array([1.0, -2.0, 0.5])


def rests(*, pose=POSE, distance=(0.0, 0.0), end=None, wish=POSE, was=False):
    structure = SimpleNamespace(points=np.array([[0.3, 0.0], [-0.3, 0.0]]), pose=np.asarray(pose))
    return _rests(structure, SimpleNamespace(distance=np.array(distance)), end, np.asarray(wish), was, PARAMS)


@pytest.mark.parametrize("k", range(3))
def test_one_that_goes_by_wishes_rests_where_it_wishes_to_be(k):
    assert rests()
    for shift in (-1e-6, 1e-6, 1.0):
        assert not rests(wish=POSE + shift * np.eye(3)[k])
    assert not rests(wish=-POSE), "on the other side of the origin"


@pytest.mark.parametrize("was", [False, True])
def test_one_with_an_end_rests_near_it_and_farther_off_once_it_has(was):
    near = 0.04 if was else 0.02
    for share, expected in ((0.9, True), (1.1, False)):
        assert rests(end=POSE + share * near * np.eye(3)[0], wish=np.zeros(3), was=was) == expected
        assert rests(distance=(0.0, share * near), was=was) == expected


def test_robots_that_nobody_knows_of_do_not_count():
    assert rests(distance=(0.01, np.nan)) and rests(distance=(np.nan, np.nan)) and not rests(distance=(0.03, np.nan))
