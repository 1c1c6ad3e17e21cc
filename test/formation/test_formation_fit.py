import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm_control.core.geometry import wrap
from swarm_control.formation.assign import assign, assign_at
from swarm_control.formation.fit import Fit, fit, fit_spatial
from swarm_control.formation.shapes import shape
from swarm_control.formation.structure import compose, place

HERE = np.array([0.3, -0.2, 0.7])
angles = st.floats(-3.0, 3.0)
places = st.tuples(st.floats(-5, 5), st.floats(-5, 5), angles).map(np.array)
seeds = st.integers(0, 2**32 - 1)


def close(a, b, tolerance=1e-9):
    return np.abs(a[:2] - b[:2]).max() < tolerance and abs(wrap(a[2] - b[2])) < tolerance


def cost(points, position, weight, pose):
    return float((weight * ((place(points, pose) - position) ** 2).sum(axis=1)).sum())


@given(places, seeds, st.integers(2, 9))
def test_exact_positions_give_the_pose_back(pose, seed, n):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2))
    for norm in ("squared", "l1", "huber"):
        fitted = fit(points, place(points, pose), rng.uniform(0.1, 2.0, n), HERE, Fit(norm=norm))
        assert close(fitted.pose, pose, 1e-7)
        assert fitted.error < 1e-7


@given(seeds)
@settings(max_examples=50)
def test_closed_form_is_the_optimum(seed):
    rng = np.random.default_rng(seed)
    points, position, weight = rng.normal(size=(5, 2)), rng.normal(size=(5, 2)), rng.uniform(0.1, 2.0, 5)
    best = fit(points, position, weight, HERE, Fit()).pose
    value = cost(points, position, weight, best)
    for step in np.concatenate((np.eye(3), -np.eye(3), rng.normal(size=(20, 3)))):
        for size in (1e-4, 1e-2, 1.0):
            assert cost(points, position, weight, best + size * step) >= value - 1e-12


@given(places, seeds)
@settings(max_examples=50)
def test_moving_the_robots_moves_the_fit(motion, seed):
    rng = np.random.default_rng(seed)
    points, position, weight = rng.normal(size=(4, 2)), rng.normal(size=(4, 2)), rng.uniform(0.1, 2.0, 4)
    for norm in ("squared", "huber"):
        first = fit(points, position, weight, HERE, Fit(norm=norm))
        second = fit(points, place(position, motion), weight, compose(motion, HERE), Fit(norm=norm))
        assert close(second.pose, compose(motion, first.pose), 1e-6)


def test_order_of_robots_does_not_matter():
    rng = np.random.default_rng(1)
    points, position, weight, order = rng.normal(size=(6, 2)), rng.normal(size=(6, 2)), rng.uniform(0.1, 1, 6), rng.permutation(6)
    assert close(fit(points, position, weight, HERE, Fit()).pose, fit(points[order], position[order], weight[order], HERE, Fit()).pose)


def test_no_reflection():
    points = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    fitted = fit(points, points * [1.0, -1.0], np.ones(3), np.zeros(3), Fit())
    assert fitted.error > 0.1


def test_two_robots_share_a_stretch_evenly():
    fitted = fit(np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array([[-1.5, 0.0], [1.5, 0.0]]), np.ones(2), HERE, Fit())
    assert close(fitted.pose, np.zeros(3))
    assert fitted.distance == pytest.approx([0.5, 0.5])


def test_weights_pull():
    points, position = np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array([[-1.0, 0.0], [1.4, 0.0]])
    fitted = fit(points, position, np.array([3.0, 1.0]), HERE, Fit())
    assert fitted.pose[0] == pytest.approx(0.1)  # centroids: -0.5 and -0.4


@pytest.mark.parametrize("norm", ["l1", "huber"])
def test_robust_norms_ignore_an_outlier(norm):
    points = shape("circle", 8, 0.5)
    position = place(points, HERE)
    position[3] += [4.0, 3.0]
    robust = fit(points, position, np.ones(8), HERE, Fit(norm=norm, iterations=300)).pose
    plain = fit(points, position, np.ones(8), HERE, Fit()).pose
    assert np.hypot(*(robust - HERE)[:2]) < 0.02 < 0.3 < np.hypot(*(plain - HERE)[:2])


def test_l1_of_points_on_a_line_is_their_median():
    # one point of the structure seen by three robots is what coincident points would be; here: pure translation along x
    points = np.column_stack((np.zeros(5), 1000.0 * np.arange(5)))
    position = points + np.column_stack(([0.0, 0.1, 0.2, 5.0, 9.0], np.zeros(5)))
    fitted = fit(points, position, np.ones(5), np.zeros(3), Fit(norm="l1", iterations=1000))
    assert fitted.distance.sum() <= fit(points, position, np.ones(5), np.zeros(3), Fit()).distance.sum()


@pytest.mark.parametrize("points", [[[0.0, 0.0]], [[0.5, 0.2]]])
def test_one_robot_keeps_the_heading(points):
    fitted = fit(np.array(points), np.array([[3.0, 4.0]]), np.ones(1), HERE, Fit())
    assert fitted.pose[2] == pytest.approx(HERE[2])
    assert fitted.error == pytest.approx(0.0, abs=1e-12)


def test_coincident_robots_keep_the_heading():
    fitted = fit(shape("circle", 4, 1.0), np.tile([3.0, 4.0], (4, 1)), np.ones(4), HERE, Fit())
    assert close(fitted.pose, np.array([3.0, 4.0, 0.7]))


def test_collinear_robots_have_a_heading():
    points = shape("line", 4, 0.5)
    assert close(fit(points, place(points, HERE), np.ones(4), np.zeros(3), Fit()).pose, HERE)


def test_robots_without_position_do_not_count():
    points = shape("circle", 5, 0.6)
    position = place(points, HERE)
    position[1], position[4] = np.nan, [np.inf, 0.0]
    fitted = fit(points, position, np.ones(5), np.zeros(3), Fit())
    assert close(fitted.pose, HERE)
    assert np.isfinite(fitted.distance).tolist() == [True, False, True, True, False]
    assert fitted.error < 1e-12


def test_nobody_heard_from_keeps_the_pose():
    fitted = fit(shape("circle", 3, 0.6), np.full((3, 2), np.nan), np.zeros(3), HERE, Fit())
    assert close(fitted.pose, HERE)
    assert fitted.error == 0.0


@pytest.mark.parametrize(("points", "robots"), [(3, 2), (2, 3)])
def test_numbers_must_agree(points, robots):
    for function in (fit, fit_spatial):
        with pytest.raises(ValueError, match=f"{points} points, {robots} robots"):
            function(np.zeros((points, 3)), np.zeros((robots, 3)), np.ones(robots), np.eye(3), Fit())


def random_rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


@given(seeds)
@settings(max_examples=50)
def test_space_gives_rotation_and_shift_back(seed):
    rng = np.random.default_rng(seed)
    points, rotation, shift = rng.normal(size=(5, 3)), random_rotation(rng), rng.normal(size=3)
    for norm in ("squared", "l1", "huber"):
        r, t, distance = fit_spatial(points, points @ rotation.T + shift, rng.uniform(0.1, 2, 5), np.eye(3), Fit(norm=norm))
        assert np.abs(r - rotation).max() < 1e-6 and np.abs(t - shift).max() < 1e-6
        assert distance.max() < 1e-6


def test_space_mirrored_points_are_not_reflected():
    points = np.random.default_rng(0).normal(size=(6, 3))
    r, _, _ = fit_spatial(points, points * [1, 1, -1], np.ones(6), np.eye(3), Fit())
    assert np.linalg.det(r) == pytest.approx(1.0)


def test_space_collinear_points_keep_their_roll():
    points = np.array([[-1.0, 0, 0], [0, 0, 0], [2.0, 0, 0]])
    c, s = np.cos(0.4), np.sin(0.4)
    roll = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    r, _, _ = fit_spatial(points, points, np.ones(3), roll, Fit())
    assert np.abs(r - roll).max() < 1e-6


@pytest.mark.parametrize(("norm", "far"), [("squared", 1e-9), ("huber", 1e-6), ("l1", 1e-3)])
def test_plane_is_space_seen_from_above(norm, far):
    rng = np.random.default_rng(3)
    points, weight = rng.normal(size=(5, 2)), rng.uniform(0.1, 1, 5)
    position = place(points, HERE) + 0.2 * rng.normal(size=(5, 2))  # most of them beyond the knee
    params = Fit(norm=norm, iterations=1000)
    flat = fit(points, position, weight, np.zeros(3), params).pose
    r, t, _ = fit_spatial(np.column_stack((points, np.zeros(5))), np.column_stack((position, np.zeros(5))), weight, np.eye(3), params)
    assert r[2, 2] > 0.999, "in space the structure may also be turned upside down"
    assert close(np.array([*t[:2], np.arctan2(r[1, 0], r[0, 0])]), flat, far)


@given(seeds, st.integers(1, 7))
@settings(max_examples=30)
def test_assignment_finds_shuffled_robots(seed, n):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2))
    order = rng.permutation(n)
    position = place(points, np.append(rng.normal(size=2), rng.uniform(-3, 3)))[order]
    robot, pose = assign(points, position, headings=24)
    assert sorted(robot) == list(range(n))
    assert np.abs(place(points, pose) - position[robot]).max() < 0.5 * np.abs(points).max() + 1e-9
    assert np.abs(place(points, pose) - position[robot]).max() < 1e-6 or n > 3


def test_assignment_beats_every_other_one():
    from itertools import permutations

    rng = np.random.default_rng(5)
    points, position = rng.normal(size=(4, 2)), rng.normal(size=(4, 2))
    robot, pose = assign(points, position, headings=24)
    mine = ((place(points, pose) - position[robot]) ** 2).sum()
    best = min((fit(points, position[list(p)], np.ones(4), HERE, Fit()).distance ** 2).sum() for p in permutations(range(4)))
    assert mine == pytest.approx(best, rel=1e-9)


def test_where_the_points_frame_begins_makes_no_difference_to_who_takes_which():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        points, position, away = rng.normal(size=(6, 2)), rng.normal(size=(6, 2)), rng.normal(0.0, 5.0, 2)
        (robot, pose), (same, other) = (assign(some, position, headings=3) for some in (points, points + away))
        assert robot.tolist() == same.tolist() and place(points + away, other) == pytest.approx(place(points, pose), abs=1e-6)


def test_assignment_at_a_pose_crosses_no_ways():
    points = shape("line", 5, 0.5)
    assert assign_at(points, points[[2, 0, 1, 4, 3]], np.zeros(3)).tolist() == [1, 2, 0, 4, 3]


def test_assignment_needs_as_many_robots_and_finite_positions():
    with pytest.raises(ValueError, match="3 points for 2 robots"):
        assign(np.zeros((3, 2)), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="finite position"):
        assign(np.eye(2), np.array([[0.0, 0.0], [np.nan, 0.0]]))


@pytest.mark.parametrize(("robots", "weights"), [(3, 4), (4, 3), (3, 3)])
def test_numbers_of_points_robots_and_weights_that_differ_are_refused(robots, weights):
    for solve, d, before in ((fit, 2, HERE), (fit_spatial, 3, np.eye(3))):
        with pytest.raises(ValueError, match=f"^4 points, {robots} robots and {weights} weights; as many of each were expected$"):
            solve(np.zeros((4, d)), np.zeros((robots, d)), np.ones(weights), before, Fit())


@pytest.mark.parametrize("n", [3, 4, 6])
def test_of_headings_that_are_as_good_the_first_is_taken(n):
    """A circle that is to become smaller fits as well turned by a place."""
    points = shape("circle", n, 1.0)
    robot, pose = assign(points, 1.3 * points + np.array([2.0, -1.0]))
    assert robot.tolist() == list(range(n)) and pose == pytest.approx([2.0, -1.0, 0.0], abs=1e-9)
