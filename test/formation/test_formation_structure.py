from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.core.geometry import wrap
from swarm_control.formation.design import Design, reconfigure
from swarm_control.formation.shapes import SHAPES, shape
from swarm_control.formation.structure import Structure, compose, inverse, members, place

POSE = np.array([1.0, 2.0, 0.5])


def make(n=4):
    return Structure(shape("circle", n, 0.6) + np.array([0.2, -0.1]), tuple(f"r{k}" for k in range(n)), POSE)


def test_centring_moves_nothing():
    s = make()
    assert np.abs(s.centred().points.mean(axis=0)).max() < 1e-12
    assert np.abs(s.centred().world - s.world).max() < 1e-12


def test_add_and_drop_leave_the_others():
    s = make()
    bigger = s.add("new", np.array([3.0, 3.0]))
    assert len(bigger) == 5 and (bigger.world[:4] == s.world).all()
    back = bigger.drop("r1")
    assert back.names == ("r0", "r2", "r3", "new")
    assert (back.world == bigger.world[[0, 2, 3, 4]]).all()


def test_merge_and_split_move_nobody():
    s = make()
    other = Structure(shape("line", 2, 1.0), ("a", "b"), np.array([-3.0, 0.0, 2.0]))
    both = s.merge(other)
    assert np.abs(both.world - np.vstack((s.world, other.world))).max() < 1e-12
    part, rest = both.split(("b", "r2"))
    assert part.names == ("r2", "b") and rest.names == ("r0", "r1", "r3", "a")
    assert np.abs(rest.world - both.world[[0, 1, 3, 4]]).max() < 1e-12


def test_a_robot_is_put_on_another_point():
    assert make().reposition("r2", np.array([9.0, 9.0])).points[2].tolist() == [9.0, 9.0]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Structure(np.array([[0, 0], [1, 0], [0, 1e-9]]), ("a", "b", "c"), POSE), "points 0 and 2 of the structure coincide"),
        (lambda: Structure(np.array([[0.0, 0], [1, 0], [0, 1.0]]), ("a", "b"), POSE), "3 points but 2 robots"),
        (lambda: Structure(np.array([[0.0, 0], [1, 0]]), ("a", "b", "c"), POSE), "2 points but 3 robots"),
        (lambda: Structure(np.array([[0.0, 0], [1, 0]]), ("a", "a"), POSE), "names a robot twice"),
        (lambda: Structure(np.array([[0.0, 0], [np.nan, 0]]), ("a", "b"), POSE), "point 1 of the structure is not finite"),
        (lambda: Structure(np.zeros((0, 2)), (), POSE), "at least one"),
        (lambda: Structure(np.zeros((1, 3)), ("a",), POSE), "shape"),
        (lambda: Structure(np.zeros((1, 2)), ("a",), np.array([0, 0, np.inf])), "finite"),
        (lambda: make().drop("nobody"), "'nobody' is not in the structure; expected one of r0"),
        (lambda: make(1).drop("r0"), "last robot"),
        (lambda: make().split(()), "each side"),
        (lambda: make().split(("r0", "r1", "r2", "r3")), "each side"),
        (lambda: make().merge(replace(make(), pose=POSE + np.array([9.0, 9.0, 0.0]))), "twice"),
        (lambda: make().add("new", make().points[3]), "points 3 and 4 of the structure coincide"),
        (lambda: shape("blob", 3, 1.0), "no shape 'blob'; expected one of line"),
        (lambda: members(("r0", "r9"), ("r0", "r1")), "'r9'"),
    ],
)
def test_bad_input_is_named(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_coincident_points_are_found_among_many_in_a_row():
    points = np.column_stack((np.zeros(300), np.arange(300.0)))
    Structure(points, tuple(map(str, range(300))), POSE)
    points[250] = points[17]
    with pytest.raises(ValueError, match="points 17 and 250"):
        Structure(points, tuple(map(str, range(300))), POSE)


@pytest.mark.parametrize("name", sorted(SHAPES))
@given(n=st.integers(1, 40))
def test_shapes_are_centred_and_apart(name, n):
    points = shape(name, n, 0.5)
    assert points.shape == (n, 2)
    assert np.abs(points.mean(axis=0)).max() < 1e-9
    if n > 1:
        gap = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))[~np.eye(n, dtype=bool)].min()
        # the outline of a diamond turns corners, elsewhere neighbours are one spacing apart
        assert gap >= (0.35 if name == "diamond" else 0.5) - 1e-9


def test_members_finds_rows():
    assert members(("c", "a"), ("a", "b", "c")).tolist() == [2, 0]


@given(st.tuples(st.floats(-9, 9), st.floats(-9, 9), st.floats(-3, 3)).map(np.array))
def test_inverse_undoes_a_pose(pose):
    home = compose(pose, inverse(pose))
    assert np.abs(home[:2]).max() < 1e-9 and abs(wrap(home[2])) < 1e-9
    points = shape("wedge", 3, 1.0)
    assert np.abs(place(place(points, pose), inverse(pose)) - points).max() < 1e-9


@given(st.integers(0, 10**6))
def test_a_structure_that_is_made_of_robots_as_they_stand_lies_where_they_are(seed):
    before, rng = make(), np.random.default_rng(seed)
    names, position = ("r2", "new", "r0"), rng.uniform(-5.0, 5.0, (3, 2))
    made = reconfigure(Design(names, None, False), before, names, position)
    expected = np.array([before.world[2], position[1], before.world[0]])
    assert made.structure.world == pytest.approx(expected) and made.begin == pytest.approx(made.structure.points)
    asked = reconfigure(Design(names, shape("line", 3, 0.8) + 7.0, False), before, names, position)
    assert asked.structure.points.mean(axis=0) == pytest.approx([0.0, 0.0], abs=1e-9)
    rows = [names.index(name) for name in asked.structure.names]
    assert place(asked.begin, asked.structure.pose) == pytest.approx(expected[rows]), "a gradual change begins where robots are"
