"""Where cameras are put, what renders, and the live window; nothing is rendered."""

import os
import sys
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest
from swarms import fleet, room, swarm

from swarm_control.core.geometry import norm
from swarm_control.errors import Failed, InputError
from swarm_control.scenario.schema import Goal
from swarm_control.sim.engines import make_views
from swarm_control.sim.mujoco import canvas
from swarm_control.sim.mujoco.camera import Overhead, Pictures, over
from swarm_control.sim.mujoco.canvas import renderer
from swarm_control.sim.mujoco.film import Film, Window, aim

PLACES = np.array([[0.0, 0.0], [2.0, 1.0], [2.0, -1.0], [1.0, 4.0], [3.0, 0.5]])


def engine(fallen=None, unit=1.0, radius=0.25):
    state = swarm(PLACES)
    state = state if fallen is None else SimpleNamespace(position=state.position, fallen=np.array(fallen))
    return SimpleNamespace(fleet=fleet(5, radius=radius), unit=unit, truth=lambda: state, model="model", data="data", time=0.0)


@pytest.mark.parametrize(("width", "height"), [(6.0, 4.0), (4.0, 6.0)])
def test_a_camera_over_a_map_sees_all_of_it_up_to_twenty_centimetres_and_little_else(width, height):
    grid = room(side=6.0, resolution=0.1)
    grid = type(grid)(grid.occupied[: round(height / 0.1), : round(width / 0.1)], (-2.0, 1.0), 0.1)
    camera = over(fleet(2), swarm([[0.0, 0.0], [1.0, 1.0]]), (), grid)
    assert camera.centre == pytest.approx((-2.0 + 0.5 * width, 1.0 + 0.5 * height))
    corners = np.array([[x, y, 0.2] for x in (-2.0, -2.0 + width) for y in (1.0, 1.0 + height)])
    seen = camera.project(corners) / (np.array(camera.size) - 1.0)
    assert (seen > -1e-3).all() and (seen < 1.0 + 1e-3).all()
    assert np.ptp(seen, axis=0).max() == pytest.approx(1.0, abs=2e-3), "one side fills the image"


def test_on_open_floor_a_camera_sees_the_robots_where_they_start_and_as_they_go_to_goals():
    robots, start, goals = fleet(5, radius=0.3), swarm(PLACES), (Goal(position=(9.0, 0.0)), Goal(position=(1.0, -5.0)))
    camera = over(robots, start, goals, None, room=0.1)
    middle = PLACES.mean(axis=0)
    spread = norm(PLACES - middle).max() + 0.3 + 0.1
    low, high = np.array([1.0, -5.0]) - spread, np.array([9.0, middle[1]]) + spread
    assert camera.centre == pytest.approx(tuple(0.5 * (low + high)))
    assert camera.height - 0.2 == pytest.approx(0.5 * max(high[1] - low[1], 0.75 * (high[0] - low[0])) / np.tan(0.35))
    wide = over(robots, start, goals, None, reach=9.0, room=0.1)
    assert wide.centre == pytest.approx((5.0, 0.5 * (middle[1] - 5.0)))
    assert wide.height - 0.2 == pytest.approx(0.5 * max(18.8 + middle[1] + 5.0, 0.75 * (8.0 + 18.8)) / np.tan(0.35))
    alone = over(robots, start, (), None, room=0.1)
    assert alone.centre == pytest.approx(tuple(middle)) and alone.height - 0.2 == pytest.approx(spread / np.tan(0.35))


def test_a_camera_sees_right_what_is_at_larger_x_and_above_what_is_at_larger_y():
    camera = Overhead((1.0, 2.0), 3.0, fovy=0.8)
    assert camera.project(np.array([[1.0, 2.0, 0.0]]))[0] == pytest.approx([639.5, 479.5])
    edge = camera.project(np.array([[1.0, 2.0 + 2.5 * np.tan(0.4), 0.5], [1.4, 2.0, 0.5]]))
    assert edge[0] == pytest.approx([639.5, -0.5]) and edge[1] == pytest.approx([639.5 + 0.4 * 480 / np.tan(0.4) / 2.5, 479.5])
    assert f'pos="1 2 3" fovy="{np.rad2deg(0.8):.9g}"' in camera.mjcf()


def test_a_calibration_is_read_to_whole_clicks():
    camera = Overhead((0.5, -0.2), 2.5)
    exact, read = (np.array(camera.calibration(click).image_points) for click in (0.0, 4.0))
    assert (read % 4.0 == 0.0).all() and 0.0 < np.abs(read - exact).max() <= 2.0
    assert camera.calibration().camera_position == (0.5, -0.2, 2.5) and camera.calibration().image_size == (1280.0, 960.0)


def test_pictures_have_the_noise_of_the_camera_or_none(monkeypatch):
    drawn = np.full((960, 1280, 3), 100, np.uint8)[::-1]
    monkeypatch.setattr("swarm_control.sim.mujoco.camera.Canvas", lambda *_, **__: SimpleNamespace(draw=lambda data, pose: drawn))
    model = SimpleNamespace(camera=lambda name: SimpleNamespace(id=3))
    still = Pictures(model, Overhead((0.0, 0.0), 2.0, noise=0.0), 1)
    assert still._pose.fixedcamid == 3 and (still.take(None) == 100).all() and still.take(None).flags.c_contiguous
    noisy = Pictures(model, Overhead((0.0, 0.0), 2.0, noise=5.0), 1)
    first, second = noisy.take(None).astype(float), noisy.take(None).astype(float)
    assert first.std() == pytest.approx(5.0, rel=0.02) and first.mean() == pytest.approx(100.0, abs=0.05)
    assert np.abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.05, "each has noise of its own"


@pytest.mark.parametrize(("there", "asked", "found"), [
    (("EGL", "OSMesa"), "", "egl"), (("OSMesa",), "", "osmesa"), ((), "", "egl"), (("EGL",), "glfw", "glfw"), ((), "osmesa", "osmesa"),
])  # fmt: skip
def test_what_is_there_renders_unless_another_is_asked_for(monkeypatch, there, asked, found):
    monkeypatch.setattr(canvas.ctypes.util, "find_library", lambda name: name if name in there else None)
    monkeypatch.setenv("MUJOCO_GL", asked)
    assert renderer() == found
    monkeypatch.setitem(sys.modules, f"mujoco.{found}", SimpleNamespace(GLContext=lambda width, height: (found, width, height)))
    assert canvas._context(4, 3) == (found, 4, 3)


def test_a_renderer_that_there_is_not_is_refused_and_one_that_fails_is_told(monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "paper")
    with pytest.raises(Failed, match=r"^nothing can render: MUJOCO_GL=paper found, expected one of egl, osmesa, glfw$"):
        renderer()
    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.setitem(sys.modules, "mujoco.egl", SimpleNamespace(GLContext=lambda *_: 1 / 0))
    with pytest.raises(Failed, match=r"^nothing can render: division by zero; libegl1 or libosmesa6 is needed$"):
        canvas.Canvas("model", (4, 3))


def seen(camera, places):
    """Where points (M, 3) of the floor are in the picture: right and up of its middle, in tangents of the angle from it."""
    turn, down = np.deg2rad(camera.azimuth), np.deg2rad(camera.elevation)
    ahead = np.array([np.cos(down) * np.cos(turn), np.cos(down) * np.sin(turn), np.sin(down)])
    right = np.array([np.sin(turn), -np.cos(turn), 0.0])
    offset = places - (camera.lookat - camera.distance * ahead)
    return offset @ np.column_stack((right, np.cross(right, ahead))) / (offset @ ahead)[:, None]


@pytest.mark.parametrize("elevation", [-18.0, -50.0, -89.0])
@pytest.mark.parametrize(("fallen", "unit"), [(None, 1.0), ([False] * 4 + [True], 0.01), ([True] * 5, 1.0)])
def test_a_view_is_of_the_robots_that_stand_and_from_as_far_as_all_of_a_few_are_seen(fallen, unit, elevation):
    camera, robots = mujoco.MjvCamera(), engine(fallen, unit)
    camera.elevation = elevation
    aim(camera, robots.truth(), robots)
    standing = PLACES[:4] if unit == 0.01 else PLACES
    centre = np.median(standing, axis=0)
    assert camera.lookat == pytest.approx(np.array([*centre, 1.5 * 0.25]) / unit)
    spread = norm(standing - centre).max()
    around = centre + spread * np.column_stack((np.cos(np.arange(40)), np.sin(np.arange(40))))
    up = seen(camera, np.column_stack((around, np.full(40, 1.5 * 0.25))) / unit)[:, 1]
    assert np.abs(up).max() < np.tan(np.pi / 8), "in a picture of 45 degrees from top to bottom"
    assert np.abs(up).max() > 0.4 * np.tan(np.pi / 8), "and not far away"


def test_a_view_of_one_robot_is_not_from_too_near_and_of_many_leaves_out_one_of_ten():
    camera, close = mujoco.MjvCamera(), engine(radius=3.0)
    camera.elevation = -90.0
    aim(camera, close.truth(), close)
    assert camera.distance == pytest.approx(1.3 * 2.5 * 3.0 / np.tan(np.pi / 8))
    state = swarm([*np.tile([[0.0, 0.0], [5.0, 0.0], [-5.0, 0.0]], (15, 1)), [90.0, 0.0]])
    many = SimpleNamespace(fleet=fleet(46, radius=0.2), unit=1.0, truth=lambda: state)
    aim(camera, state, many)
    assert camera.distance == pytest.approx(1.3 * 5.0 / np.tan(np.pi / 8))


def test_a_window_shows_what_is_now_as_long_as_it_is_open(monkeypatch):
    calls, viewer = [], SimpleNamespace(cam=mujoco.MjvCamera(), is_running=lambda: not calls.count("sync"))
    viewer.sync, viewer.close = lambda: calls.append("sync"), lambda: calls.append("close")
    made = SimpleNamespace(launch_passive=lambda model, data, **shown: calls.append((model, data, *shown.values())) or viewer)
    monkeypatch.setitem(sys.modules, "mujoco.viewer", made)
    monkeypatch.setattr(mujoco, "viewer", made, raising=False)
    monkeypatch.setitem(os.environ, "DISPLAY", ":0")
    (window,) = make_views(engine(), None, True)
    assert calls == [("model", "data", False, False)] and viewer.cam.distance > 1.0
    window.watch()
    window.watch()
    window.close()
    assert calls[1:] == ["sync", "close"]
    made.launch_passive = lambda *_, **__: 1 / 0
    with pytest.raises(Failed, match=r"^MuJoCo's viewer cannot be opened \(division by zero\); leave --window out$"):
        Window(engine())


def test_a_film_needs_a_folder(tmp_path):
    with pytest.raises(InputError, match=r"none/a\.mp4: expected a folder that is there"):
        Film(engine(), tmp_path / "none" / "a.mp4")
    (tmp_path / "d.mp4").mkdir()
    with pytest.raises(InputError, match=r"d\.mp4: is a folder, expected the name of a file$"):
        Film(engine(), tmp_path / "d.mp4")


def test_a_film_of_a_run_without_a_tick_has_its_start(tmp_path, monkeypatch):
    taken = []
    monkeypatch.setattr("swarm_control.sim.mujoco.film.Canvas", lambda *_: SimpleNamespace(close=lambda: None))
    monkeypatch.setattr(Film, "picture", lambda film: taken.append(1))
    monkeypatch.setattr("swarm_control.sim.mujoco.film.Video", lambda *_: SimpleNamespace(add=lambda picture: None, close=lambda: None))
    film = Film(engine(), tmp_path / "a.mp4")
    film.close()
    assert len(taken) == 1
    film = Film(engine(), tmp_path / "a.mp4")
    film.watch()
    film.close()
    assert len(taken) == 2, "and no more than is due"
