"""Walls and robots in the world frame as Stage places them."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from shapely import Polygon, box, union_all

from swarm_control.errors import InputError
from swarm_control.world import World, read_world

Read = Callable[[str], World]
REUSES_FOLDER = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
COORDINATES = st.floats(-50, 50)
POSES = st.tuples(COORDINATES, COORDINATES, st.floats(-360, 360))


def area(world: World) -> Polygon:
    return union_all([Polygon(wall) for wall in world.walls])


def matrix(x: float, y: float, degrees: float) -> np.ndarray:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, -s, x], [s, c, y], [0, 0, 1]])


def same(one: Polygon, other: Polygon) -> bool:
    return one.symmetric_difference(other).area < 1e-9


def test_box_with_pose_in_degrees_and_origin(world: Read) -> None:
    found = world("model ( size [2 1 1] pose [3 0 0 90] origin [0.5 0 0 0] )")
    assert same(area(found), box(2.5, -0.5, 3.5, 1.5))
    assert found.bounds == pytest.approx((2.5, -0.5, 3.5, 1.5))


def test_what_stage_assumes(world: Read) -> None:
    found = world("model ( )\nposition ( )")
    assert same(area(found), box(-0.2, -0.2, 0.2, 0.2))
    assert (found.interval_sim, found.resolution) == (0.1, 0.02)
    robot = found.robots[0]
    assert (robot.name, robot.pose, robot.size, robot.color) == ("position:0", (0, 0, 0), (0.4, 0.4), "red")
    assert (robot.drive, robot.localization, robot.localization_origin, robot.odom_error) == (
        "diff",
        "gps",
        None,
        None,
    )
    assert (
        robot.velocity_bounds == ((-1, 1), (-1, 1), (-math.pi / 2, math.pi / 2)) == robot.acceleration_bounds
    )


def test_robot_through_macros(world: Read) -> None:
    found = world(
        """interval_sim 10 resolution 0.01
        define base position ( size [0.2 0.1 0.1] drive "omni" color "blue"
          velocity_bounds [-1 2 -3 4 0 0 -180 90] )
        define robot base ( localization "odom" odom_error [0.1 0.2 0 0.3] localization_origin [1 2 0 90] )
        robot ( name "ann" pose [1 2 0 180] acceleration_bounds [-1 1 -2 2 0 0 -45 45] )
        robot ( name "bob" color_rgba [0 0 1 1] drive "car" wheelbase 0.3 )"""
    )
    ann, bob = found.robots
    assert (ann.name, ann.size, ann.drive, ann.color) == ("ann", (0.2, 0.1), "omni", "blue")
    assert ann.pose == pytest.approx((1, 2, math.pi))
    assert ann.velocity_bounds == ((-1, 2), (-3, 4), (-math.pi, math.pi / 2))
    assert ann.acceleration_bounds == ((-1, 1), (-2, 2), (-math.pi / 4, math.pi / 4))
    assert ann.localization == "odom" and ann.odom_error == (0.1, 0.2, 0.3)
    assert ann.localization_origin == pytest.approx((1, 2, math.pi / 2))
    assert (bob.drive, bob.wheelbase, bob.color) == ("car", 0.3, "blue")
    assert (found.interval_sim, found.resolution, found.walls) == (0.01, 0.01, ())


def test_units_of_the_file(world: Read) -> None:
    found = world(
        'unit_length "cm" unit_angle "radians"\n'
        'position ( size [20 10 10] pose [100 0 0 1] wheelbase 50 drive "car" )'
    )
    assert found.robots[0].size == pytest.approx((0.2, 0.1))
    assert found.robots[0].pose == pytest.approx((1, 0, 1)) and found.robots[0].wheelbase == pytest.approx(
        0.5
    )


@REUSES_FOLDER
@given(st.lists(POSES, min_size=1, max_size=5))
def test_nested_poses_compose_like_rigid_motions(
    world: Read, poses: list[tuple[float, float, float]]
) -> None:
    text, expected = 'position ( name "/r" )', np.eye(3)
    for x, y, degrees in poses:
        expected = expected @ matrix(x, y, degrees)
    for x, y, degrees in reversed(poses):
        text = f"model ( pose [{x!r} {y!r} 7 {degrees!r}] origin [1 1 0 30] {text} )"
    x, y, yaw = world(text).robots[0].pose
    np.testing.assert_allclose(matrix(x, y, math.degrees(yaw)), expected, atol=1e-9)
    assert -math.pi <= yaw <= math.pi


@REUSES_FOLDER
@given(
    arrays(bool, st.tuples(st.integers(1, 9), st.integers(1, 9))),
    st.tuples(st.floats(0.1, 20), st.floats(0.1, 20)),
    st.tuples(COORDINATES, COORDINATES),
)
def test_occupied_extent_of_a_bitmap_fills_size(
    world: Read,
    picture: Callable[..., Path],
    walls: np.ndarray,
    size: tuple[float, float],
    centre: tuple[float, float],
) -> None:
    picture(walls)
    found = world(
        f'model ( bitmap "map.png" size [{size[0]!r} {size[1]!r} 1] pose [{centre[0]!r} {centre[1]!r} 0 0] )'
    )
    if not walls.any():
        assert found.walls == () and "no dark pixel" in found.notices[0]
        return
    rows, columns = np.nonzero(walls)
    scale_x, scale_y = (
        size[0] / np.ptp([*columns, columns.max() + 1]),
        size[1] / np.ptp([*rows, rows.max() + 1]),
    )
    left, top = centre[0] - size[0] / 2, centre[1] + size[1] / 2
    x, y = left + (columns - columns.min()) * scale_x, top - (rows - rows.min()) * scale_y
    expected = union_all([box(a, b - scale_y, a + scale_x, b) for a, b in zip(x, y, strict=True)])
    assert area(found).symmetric_difference(expected).area < 1e-7 * size[0] * size[1]


def test_blocks_are_scaled_to_size_whatever_their_order(world: Read) -> None:
    for points in ("[0 0] [4 0] [0 2]", "[0 0] [0 2] [4 0]"):
        listed = " ".join(f"point[{i}] [{pair}" for i, pair in enumerate(points.split("[")[1:]))
        found = world(f"model ( size [2 6 1] boundary 1 block ( points 3 {listed} z [0 1] ) )")
        assert len(found.walls) == 1 and same(area(found), Polygon([(-1, -3), (1, -3), (-1, 3)]))
        assert Polygon(found.walls[0]).exterior.is_ccw


def test_blocks_join_a_bitmap_and_share_its_scale(world: Read, picture: Callable[..., Path]) -> None:
    picture(np.ones((2, 2), bool))
    block = "block ( points 4 point[0] [1 -1] point[1] [3 -1] point[2] [3 1] point[3] [1 1] )"
    found = world(f'model ( bitmap "map.png" size [2 2 1] {block} )')
    assert len(found.walls) == 2 and same(area(found), box(-1, -1, 1, 1)) and found.lattice is None


def test_boundary_is_a_thin_frame_inside(world: Read, picture: Callable[..., Path]) -> None:
    dots = np.zeros((5, 5), bool)
    dots[0, 0] = dots[4, 4] = True
    picture(dots)
    found = world('model ( bitmap "map.png" size [10 5 1] boundary 1 )')
    corners = [box(-5, 1.5, -3, 2.5), box(3, -2.5, 5, -1.5)]
    frame = box(-5, -2.5, 5, 2.5).difference(box(-4.99, -2.49, 4.99, 2.49))
    assert same(area(found), union_all([*corners, frame]))
    picture(np.zeros((5, 5), bool))
    empty = world('model ( bitmap "map.png" size [10 5 1] boundary 1 )')
    assert same(area(empty), frame) and "no dark pixel" in empty.notices[0]
    assert same(area(world("model ( noblocks 1 size [10 5 1] boundary 1 )")), frame)


def test_what_is_no_wall(world: Read, picture: Callable[..., Path]) -> None:
    picture(np.ones((2, 2), bool))
    found = world(
        """model ( obstacle_return 0 model ( size [1 1 1] pose [5 0 0 0] ) )
        model ( obstacle_return 0 bitmap "map.png" )
        position ( ranger ( pose [1 0 0 0] ) model ( size [3 3 1] ) )
        model ( noblocks 1 ) camera ( ) window ( size [1 2] )"""
    )
    assert same(area(found), box(4.5, -0.5, 5.5, 0.5))
    assert found.notices[0].endswith("test.world:2: obstacle_return 0, so its bitmap is no wall")


def test_names_are_stages(world: Read) -> None:
    found = world(
        'position ( ) position ( name "b" ) position ( ) '
        'model ( name "m" position ( ) position ( name "c" ) )'
    )
    assert [robot.name for robot in found.robots] == ["position:0", "b", "position:2", "m.position:0", "m.c"]


def test_keys_not_used_are_counted_in_one_line_for_each_file(world: Read, tmp_path: Path) -> None:
    (tmp_path / "shared.inc").write_text(
        "define robot position ( gui_nose 1 mass 2 sonar 3 )\n"
        "define plan model ( gui_nose 0 ranger ( sensor ( fov 3 ) ) )"
    )
    found = world(
        'include "shared.inc"\nrobot ( name "a" size [1 1 1 9] ) robot ( name "b" ) window ( scale 3 )'
    )
    assert list(found.notices) == [
        f"{tmp_path / 'test.world'}:2: size has 4 values, [x y z] count",
        "shared.inc: 4 keys not used here: gui_nose ×2, mass, ranger; 1 key unknown: sonar",
        "test.world: 1 key not used here: window",
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("model (\nsize [1 0 1] )", "test.world:2: size: expected x and y above 0, found [1 0] m"),
        ("model (\n\npose [1 0 1] )", "test.world:3: pose: expected 4 numbers [x y z heading], found 3"),
        ("model ( pose 1 )", "test.world:1: pose: expected 4 numbers"),
        ('model ( size [1 "a" 1] )', 'size: expected a number, found "a"'),
        ("model ( size [1e12 1 1] )", "size: expected numbers up to 1e+09"),
        ("\nfloor ( )", "test.world:2: no such type of model: floor; expected one of actuator"),
        ("block ( )", "expected block only inside a model"),
        ('position ( drive "fly" )', 'drive: expected "omni" or "diff" or "car", found "fly"'),
        ('position ( localization "odo" )', 'localization: expected "gps" or "odom", found "odo"'),
        (
            "position ( velocity_bounds [1 -1 0 0 0 0 0 0] )",
            "velocity_bounds: expected each lowest value before its highest",
        ),
        ("position ( name 3 )", "name: expected a string in quotes, found 3"),
        (
            'position ( name "a" )\nposition ( name "a" )',
            'test.world:2: expected a name of its own, "a" is the robot of',
        ),
        ("\ninterval_sim 0", "test.world:2: interval_sim: expected a number above 0, found 0"),
        ("resolution -1", "resolution: expected a number above 0"),
        ('unit_length "ft"', 'unit_length: expected "m" or "cm" or "mm"'),
        ('\nmodel (\nbitmap "none.png" )', "test.world:3: no such bitmap"),
        ('model ( bitmap "" )', "test.world:1: cannot read the bitmap"),
        ("model ( block ( points 2 ) )", "points: expected a whole number from 3 to 10000, found 2"),
        (
            "model (\nblock ( points 3 point[0] [0 0] point[2] [1 1] ) )",
            "test.world:2: expected point[1] of the block's 3 points",
        ),
        ("model ( block ( points 3 point[0] [0 0] point[1] [1 1] point[2] [2 2] ) )", "enclose an area"),
    ],
)
def test_complaints_name_the_place(world: Read, text: str, complaint: str) -> None:
    with pytest.raises(InputError) as error:
        world(text)
    assert (
        complaint in str(error.value) and "test.world:" in str(error.value) and "\n" not in str(error.value)
    )


SOUP = """model position ( ) [ ] pose size 0 1 -3 1e300 "a" "" name bitmap boundary block points point[0]
    define include # ranger origin drive velocity_bounds obstacle_return noblocks unit_length window"""
WORDS = st.sampled_from((*SOUP.split(), "\n"))


@settings(REUSES_FOLDER, max_examples=250)
@given(st.binary(max_size=80) | st.lists(WORDS, max_size=40).map(lambda words: " ".join(words).encode()))
def test_arbitrary_bytes_give_a_world_or_a_complaint(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "any.world"
    path.write_bytes(data)
    try:
        found = read_world(path)
    except InputError as error:
        assert "any.world" in str(error)
    else:
        assert np.isfinite(found.bounds).all() and found.occupancy().occupied.size > 0
