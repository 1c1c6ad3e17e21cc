"""Trajectories from files: what they say, what is refused, and how fast robots can follow them."""

import numpy as np
import pytest
from closed_loop import fleet, formed

from swarm_control.errors import InputError
from swarm_control.formation.drive import Drive
from swarm_control.formation.itinerary import Itinerary
from swarm_control.formation.limits import speeds
from swarm_control.formation.shapes import shape
from swarm_control.formation.trajectory_files import POLYNOMIALS, read_trajectory

TRIANGLE = shape("circle", 3, 0.6)
HEAD = ",".join(POLYNOMIALS)
SVG = '<svg xmlns="http://www.w3.org/2000/svg">\n<path d="{}"/>\n</svg>'


def written(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def test_polynomials_are_numpys(tmp_path):
    rng = np.random.default_rng(3)
    table = np.column_stack((rng.uniform(0.5, 2.0, 4), rng.normal(size=(4, 32))))
    table[:, 25:] *= 0.01
    text = HEAD + "\n" + "\n".join(",".join(f"{value!r}" for value in row.tolist()) + "," for row in table)
    found = read_trajectory(written(tmp_path, "p.csv", text))
    start = 0.0
    for row in table:
        inside = (found.times >= start) & (found.times < start + row[0] - 1e-9)
        for axis, column in ((0, 1), (1, 9)):
            expected = np.polynomial.Polynomial(row[column : column + 8])(found.times[inside] - start)
            np.testing.assert_allclose(found.poses[inside, axis], expected, rtol=1e-9, atol=1e-9)
        start += row[0]
    assert found.times[-1] == pytest.approx(table[:, 0].sum())


def test_poses_are_passed_at_their_times(tmp_path):
    found = read_trajectory(written(tmp_path, "p.csv", "time,x,y,yaw\n2,0,0,3\n4,1,0,-3\n6,1,2,-3\n"))
    assert found.times[0] == 0.0 and found.times[-1] == 4.0
    np.testing.assert_allclose(found.poses[found.times == 2.0][0], [1.0, 0.0, 2.0 * np.pi - 3.0])


def test_a_drawing_is_in_millimetres_with_y_up(tmp_path):
    found = read_trajectory(written(tmp_path, "d.svg", SVG.format("M 0 0 L 1000 0 A 500 500 0 0 1 1000 1000 C 900 1000 800 900 800 500")))
    assert found.times is None
    for known in ((0.0, 0.0), (1.0, 0.0), (1.5, -0.5), (1.0, -1.0), (0.8, -0.5)):
        assert np.hypot(*(found.poses[:, :2] - known).T).min() < 0.0011
    np.testing.assert_allclose(found.end, [0.8, -0.5, 0.0], atol=1e-12)


@pytest.mark.parametrize(("name", "text", "said"), [
    ("a.csv", "", "line 1: nothing found, expected the columns"),
    ("a.csv", "t,x,y\n1,2,3\n", "line 1: t,x,y found, expected the columns"),
    ("a.csv", "time,x,y,yaw\n0,0,0,0\n1,0,oops,0\n", "line 3: y: 'oops' found, expected a finite number"),
    ("a.csv", "time,x,y,yaw\n0,0,0,0\n1,0,nan,0\n", "line 3: y: 'nan' found"),
    ("a.csv", "time,x,y,yaw\n0,0,0,0\n\n0,1,0,0\n", "line 4: time: 0 s found, expected more than 0 s"),
    ("a.csv", "time,x,y,yaw\n0,0,0,0\n2,0,0,0\n1,0,0,0\n3,0,0,0\n", "line 4: time: 1 s found, expected more than 2 s"),
    ("a.csv", "time,x,y,yaw\n0,0,0\n", "line 2: 3 columns found, expected 4"),
    ("a.csv", "time,x,y,yaw\n", "no rows found"),
    ("a.csv", HEAD + "\n-1" + ",0" * 32, "line 2: duration: -1 s found, expected more than 0"),
    ("a.svg", "<svg><path", "line 1: not well-formed XML"),
    ("a.svg", "<svg/>", "0 paths found, expected one"),
    ("a.svg", SVG.format("M 0 0 L 5"), "line 2: d: 'M 0 0 L 5' found"),
    ("a.svg", SVG.format("M 0 0"), "expected an SVG path of some length"),
    ("a.svg", SVG.format("M 0 0 L 9 9 M 20 20 L 30 30"), "a gap found, expected one stroke"),
])  # fmt: skip
def test_damaged_files_are_refused_in_a_line(tmp_path, name, text, said):
    path = written(tmp_path, name, text)
    with pytest.raises(InputError) as error:
        read_trajectory(path)
    assert str(path) in str(error.value) and said in str(error.value) and "\n" not in str(error.value)


def needs(path):
    velocity = np.diff(path.poses, axis=0) / np.diff(path.times)[:, None]
    return max(float(speeds(TRIANGLE, pose, twist, fleet(3)).max()) for pose, twist in zip(path.poses, velocity))


def test_what_is_too_fast_is_slowed_and_the_rest_is_not():
    angle = np.linspace(0.0, 2.0 * np.pi, 601)
    circle = np.column_stack((np.cos(angle), np.sin(angle), np.zeros(601)))
    fast, slow = (Itinerary(circle, np.linspace(0.0, time, 601)) for time in (5.0, 60.0))
    path, slower = fast.path(TRIANGLE, fleet(3), Drive())
    assert slower > 4.0 and needs(path) <= 0.85 * 0.3 * 1.001
    assert slow.path(TRIANGLE, fleet(3), Drive())[1] == 1.0


def test_without_times_it_is_driven_at_the_robots_limits_and_kept_to():
    angle = np.linspace(0.0, np.pi, 301)
    arc = Itinerary(np.column_stack((np.sin(angle), 1.0 - np.cos(angle), np.zeros(301))), None)
    path, _ = arc.path(TRIANGLE, fleet(3), Drive())
    assert 0.2 < needs(path) <= 0.85 * 0.3 * 1.001
    loop = formed(TRIANGLE, fleet(3))
    errors = loop.run(path, path.times[-1] + 6.0)
    assert errors.max() < 0.001
    assert loop.memories[0].rest
