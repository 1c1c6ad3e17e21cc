"""Herds in MuJoCo: the engine around the kinds, the ground, views. The kinds themselves have tests of their own."""

from ctypes.util import find_library

import numpy as np
import pytest
import yaml

from swarm_control.analysis.recording import Trajectory
from swarm_control.analysis.simulation import Simulation, simulate
from swarm_control.core.state import Commands
from swarm_control.errors import Failed, InputError
from swarm_control.robots import ROBOTS
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.scenario.terrain import Terrain
from swarm_control.sim.engines import make_engine, make_views
from swarm_control.sim.mujoco.film import Film
from swarm_control.sim.mujoco.ground import make_ground
from swarm_control.sim.mujoco.video import Video

mujoco = pytest.importorskip("mujoco")


def herd(tmp_path, robots, **more):
    file = tmp_path / "herd.yaml"
    file.write_text(yaml.safe_dump({"duration": 2.0, "robots": robots, **more}))
    loaded = load(str(file), [])
    return loaded, prepare(loaded.scenario, loaded.source)


def hoppers(*poses, **more):
    start = {"pattern": "poses", "poses": [list(pose) for pose in poses]}
    return {"count": len(poses), "model": "hopper", "radius": 0.25, "max_speed": 2.5, "start": start, **more}


def run(engine, seconds, twist):
    for _ in range(round(seconds / engine.dt)):
        engine.step(Commands(np.asarray(twist, float)))
    return engine.truth()


def test_the_same_start_gives_the_same_bits_again(tmp_path):
    engine = make_engine(*herd(tmp_path, [hoppers((0, 0, 0), (2, 0, 90))]))
    twist = [[1.0, 0.0, 0.0], [0.0, 0.5, 0.2]]
    first = run(engine, 1.0, twist)
    engine.reset()
    assert engine.time == 0.0 and not engine.energy.any()
    again = run(engine, 1.0, twist)
    assert np.array_equal(first.pose, again.pose) and np.array_equal(first.velocity, again.velocity)
    other = make_engine(*herd(tmp_path, [hoppers((0, 0, 0), (2, 0, 90))]))
    assert np.array_equal(run(other, 1.0, twist).pose, first.pose)


def test_footprints_that_overlap_are_collisions(tmp_path):
    engine = make_engine(*herd(tmp_path, [hoppers((0, 0, 0), (1.5, 0, 180))]))
    apart, begun = [], 0
    for _ in range(250):
        run(engine, engine.dt, [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
        apart.append(float(np.hypot(*np.diff(engine.truth().position, axis=0)[0])))
        begun += engine.collisions[0] > begun
        assert engine.collisions.tolist() == [begun, 0] and (begun == 0) == (min(apart) >= 0.5)
    assert begun


def test_who_is_pushed_over_has_fallen_for_good_and_is_told_to_everybody(tmp_path):
    engine = make_engine(*herd(tmp_path, [hoppers((0, 0, 0), (3, 0, 0))]))
    run(engine, 0.5, np.zeros((2, 3)))
    assert engine.truth().fallen is None and not engine.fallen.any()
    root = engine.shards[0].model.joint("robot_0").dofadr[0]
    engine.shards[0].data.qvel[root + 3 : root + 6] = [0.0, 14.0, 0.0]  # a blow that no control survives
    truth = run(engine, 2.0, np.zeros((2, 3)))
    assert truth.fallen.tolist() == engine.fallen.tolist() == [True, False] and truth.valid.all()
    engine.reset()
    assert engine.truth().fallen is None


@pytest.mark.parametrize("broken", ["speed", "place"])
def test_one_that_cannot_be_integrated_has_fallen_and_the_others_go_on(tmp_path, broken):
    loaded, setup = herd(tmp_path, [hoppers((0, 0, 0), (3, 0, 0), (6, 0, 90))])
    engine, alone = make_engine(loaded, setup), make_engine(loaded, setup)
    twist = [[1.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]]
    at = run(engine, 0.5, twist).pose[1]
    run(alone, 0.5, twist)
    dof, place = engine.shards[0].model.joint("robot_1").dofadr[0], engine.shards[0].model.joint("robot_1").qposadr[0]
    if broken == "speed":
        engine.shards[0].data.qvel[dof + 4] = 1e12
    else:
        engine.shards[0].data.qpos[place + 1] = np.nan
    truth = run(engine, 2.0, twist)
    assert truth.fallen.tolist() == engine.fallen.tolist() == [False, True, False] and truth.complete
    assert not truth.velocity[1].any()
    assert np.hypot(*(truth.pose[1] - at)[:2]) < 0.1, "where it was"
    assert np.hypot(*truth.velocity[[0, 2], :2].T) == pytest.approx([1.0, 1.0], abs=0.35)
    assert truth.pose[[0, 2]] == pytest.approx(run(alone, 2.0, twist).pose[[0, 2]], abs=0.1)
    engine.reset()
    assert engine.truth().fallen is None


def test_the_trajectory_tells_who_fell_when(tmp_path):
    loaded, setup = herd(tmp_path, [hoppers((0, 0, 0), (3, 0, 0))])
    simulation = Simulation(loaded, setup=setup)
    for _ in range(20):
        simulation.step()
    engine = simulation.plant.engine
    engine.shards[0].data.qvel[engine.shards[0].model.joint("robot_0").dofadr[0] + 4] = 1e12
    simulation.run()
    simulation.save(tmp_path / "out")
    found = Trajectory.load(tmp_path / "out" / "trajectory.npz")
    assert found.fallen.shape == found.pose.shape[:2] and not found.fallen[:21].any()
    assert found.fallen[21:].tolist() == [[True, False]] * (len(found.time) - 21)


def test_wheels_and_legs_go_together(tmp_path):
    wheels = {"count": 1, "model": "differential", "radius": 0.3, "wheel_base": 0.4, "start": {"pattern": "poses", "poses": [[0, 3, 0]]}}
    loaded, setup = herd(tmp_path, [hoppers((0, 0, 0)), wheels])
    engine = make_engine(loaded, setup)
    truth = run(engine, 2.0, [[1.0, 0.0, 0.0], [0.5, 0.0, 0.0]])
    assert truth.pose[0, 0] > 1.0
    exact = 0.5 * 2.0 - 0.5 * 0.5**2 / setup.fleet.max_acceleration[1]  # as in the embedded engine: a ramp, then a steady speed
    assert truth.pose[1] == pytest.approx([exact, 3.0, 0.0], abs=0.5 * engine.dt)
    assert engine.data.mocap_pos[0, 0] == truth.pose[1, 0]


def test_robots_of_other_orders_of_size_are_refused(tmp_path):
    insects = {"count": 1, "model": "hexapod", "radius": 0.02, "start": {"pattern": "poses", "poses": [[5, 0, 0]]}}
    with pytest.raises(InputError, match=r"hexapod, hopper found, expected robots of one order of size"):
        make_engine(*herd(tmp_path, [hoppers((0, 0, 0)), insects]))


def test_level_ground_is_a_plane_and_slopes_lean_gravity():
    ground = make_ground(Terrain(slope=30.0), 0.01, 0, None)
    assert ground.heights is None and ground.gravity == pytest.approx((-490.5, 0.0, -981.0 * np.sqrt(3.0) / 2.0))
    assert ground.under(np.zeros((2, 2)), np.ones(2)).tolist() == [0.0, 0.0]


def test_uneven_ground_has_its_height_its_wavelength_and_a_level_border():
    terrain = Terrain(roughness=0.2, wavelength=1.0, extent=20.0)
    heights = make_ground(terrain, 1.0, 1, None).heights
    assert np.ptp(heights) == pytest.approx(1.0) and not heights[0].any() and not heights[:, -1].any()
    assert np.array_equal(heights, make_ground(terrain, 1.0, 1, None).heights)
    assert not np.array_equal(heights, make_ground(terrain, 1.0, 2, None).heights)
    middle = heights[40:160, 40:160]
    crossings = (np.diff(np.sign(middle - middle.mean()), axis=1) != 0).sum(axis=1).mean()
    hills = 0.5 * crossings / (120 * 20.0 / 200)  # hills per metre
    assert hills == pytest.approx(1.0, rel=0.1)


def test_blocks_steps_and_gaps_have_their_sizes():
    def inside(form, **given):
        heights = make_ground(Terrain(roughness=0.2, wavelength=1.0, extent=20.0, form=form, **given), 1.0, 1, None).heights
        k = len(heights)
        assert k == 200 and np.abs(heights[[0, -1]]).max() == np.abs(heights[:, [0, -1]]).max() == 0.0
        return heights[k // 5 : -k // 5, k // 5 : -k // 5]  # not where it fades to level ground

    blocks = inside("blocks")
    assert np.abs(blocks).max() <= 0.5 and blocks.std() == pytest.approx(1.0 / np.sqrt(12.0), rel=0.15)
    assert ((np.diff(blocks, axis=0) != 0.0).mean(), (np.diff(blocks, axis=1) != 0.0).mean()) == pytest.approx((0.1, 0.1), abs=0.02)
    checks = inside("checks")
    assert set(np.unique(checks)) == {-0.5, 0.5} and abs((checks > 0.0).mean() - 0.5) < 0.05
    assert (checks[:, 10:] == -checks[:, :-10]).mean() > 0.95 and (checks[10:] == -checks[:-10]).mean() > 0.95
    steps = inside("steps")
    assert set(np.unique(steps)) == {-0.5, 0.5} and (steps == steps[0]).all()
    assert np.diff(np.flatnonzero(np.diff(steps[0]))) == pytest.approx(10.0, abs=1.0)
    gaps = inside("gaps")
    assert set(np.unique(gaps)) == {-1.0, 0.0} and (gaps == gaps[0]).all() and (gaps < 0.0).mean() == pytest.approx(1.0 / 3.0, abs=0.04)


def test_ground_from_an_image_is_as_bright_as_it(tmp_path):
    from PIL import Image

    ramp = np.tile(np.linspace(0, 255, 64).astype(np.uint8), (64, 1))
    Image.fromarray(ramp).save(tmp_path / "ramp.png")
    ground = make_ground(Terrain(roughness=0.1, wavelength=0.5, extent=10.0, image="ramp.png"), 1.0, 0, tmp_path)
    k = len(ground.heights)
    row = ground.heights[k // 2, k // 4 : 3 * k // 4]
    assert np.all(np.diff(row) > 0.0) and row[0] == pytest.approx(-0.25, abs=0.02)
    with pytest.raises(InputError, match=r"bodies\.terrain\.image"):
        make_ground(Terrain(roughness=0.1, image="none.png"), 1.0, 0, tmp_path)


def test_robots_start_above_the_hills(tmp_path):
    loaded, setup = herd(tmp_path, [hoppers((0, 0, 0), (1, 1, 0))], bodies={"terrain": {"roughness": 0.5, "wavelength": 2.0}})
    engine, level = make_engine(loaded, setup), make_engine(*herd(tmp_path, [hoppers((0, 0, 0), (1, 1, 0))]))
    roots = [engine.shards[0].model.joint(f"robot_{k}").qposadr[0] + 2 for k in range(2)]
    lift = engine.shards[0].data.qpos[roots] - level.shards[0].data.qpos[roots]
    assert np.all(np.abs(lift) <= 0.25) and lift.any()
    assert np.all(engine.shards[0].data.contact.dist[: engine.shards[0].data.ncon] > -1e-6)


def test_the_summary_tells_falls_and_effort_where_robots_can_fall(tmp_path):
    loaded, setup = herd(tmp_path, [hoppers((0, 0, 0))], control={"cruise": {"weight": 1.0, "speed": 1.0}})
    summary = simulate(loaded, setup).summary
    assert summary["falls"] == 0 and summary["energy"] > 10.0 and 0.9 < summary["straightness"] <= 1.0
    assert summary["travel_speed"] == pytest.approx(np.hypot(*simulate(loaded, setup).recorder.trajectory().pose[-1, 0, :2]) / 2.0)


def test_views_are_refused_where_nothing_is_to_see(tmp_path, monkeypatch):
    flat = make_engine(*herd(tmp_path, [{"count": 2}]))
    moving = ", ".join(name for name, model in ROBOTS.items() if model.body)
    with pytest.raises(InputError, match=f"--film: no robots found that MuJoCo moves, expected one of {moving}"):
        make_views(flat, str(tmp_path / "a.mp4"), None)
    assert make_views(flat, None, None) == ()
    engine = make_engine(*herd(tmp_path, [hoppers((0, 0, 0))]))
    with pytest.raises(InputError, match=r"expected the name of a file that ends in \.png or \.mp4 or \.gif"):
        make_views(engine, str(tmp_path / "a.avi"), None)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(Failed, match="no screen found"):
        make_views(engine, None, True)


@pytest.mark.parametrize(("ending", "period", "times"), [
    ("mp4", 0.02, [0.02, 0.04, 0.08, 0.12, 0.16, 0.2]), ("mp4", 0.1, [0.1, 0.1, 0.1, 0.2, 0.2, 0.2]), ("png", 0.02, []),
])  # fmt: skip
def test_a_film_takes_pictures_when_it_is_their_time_and_a_picture_takes_none_on_the_way(tmp_path, monkeypatch, ending, period, times):
    taken = []
    monkeypatch.setattr("swarm_control.sim.mujoco.film.Canvas", lambda *_: None)
    monkeypatch.setattr(Film, "picture", lambda film: None)
    monkeypatch.setattr(Video, "add", lambda video, picture: taken.append(engine.time))
    engine = make_engine(*herd(tmp_path, [hoppers((0, 0, 0))]))
    film = Film(engine, tmp_path / f"a.{ending}")
    for _ in range(round(0.2 / period)):
        run(engine, period, np.zeros((1, 3)))
        film.watch()
    assert taken == pytest.approx(times), "25 for each second, however long the ticks are"


@pytest.mark.skipif(not any(find_library(name) for name in ("EGL", "OSMesa")), reason="nothing renders without a screen here")
def test_a_film_has_a_picture_for_each_25th_of_a_second_and_shows_the_robots(tmp_path):
    import cv2

    engine = make_engine(*herd(tmp_path, [hoppers((0, 0, 0), (1, 1, 0))]))
    views = (*make_views(engine, str(tmp_path / "a.mp4"), None), *make_views(engine, str(tmp_path / "a.png"), None))
    for _ in range(10):
        run(engine, 0.05, np.zeros((2, 3)))
        for view in views:
            view.watch()
    for view in views:
        view.close()
    film = cv2.VideoCapture(str(tmp_path / "a.mp4"))
    assert film.get(cv2.CAP_PROP_FPS) == 25.0 and film.get(cv2.CAP_PROP_FRAME_COUNT) == 13, "for half a second"
    picture = cv2.imread(str(tmp_path / "a.png")).astype(int)
    assert picture.shape == (540, 960, 3)
    orange = (picture[..., 2] > 180) & (picture[..., 1] > 80) & (picture[..., 0] < 60)
    assert orange.sum() > 500  # their bodies are orange; sky and ground are not
