"""The floor under its camera, and the whole loop over image and wheels in one process."""

from dataclasses import replace

import numpy as np
import pytest

from swarm_control.analysis.simulation import simulate
from swarm_control.core.geometry import norm
from swarm_control.core.state import Commands
from swarm_control.errors import Failed, InputError
from swarm_control.formation.shapes import shape
from swarm_control.hardware.protocol import STOPPED, WheelSpeeds, decode, encode
from swarm_control.hardware.tracking.track import Tracking
from swarm_control.scenario.loader import load
from swarm_control.scenario.setup import prepare
from swarm_control.sim.floor.floor import LabFloor, misplaced, seen_by, widest, wiring
from swarm_control.sim.floor.loop import FloorLoop
from swarm_control.sim.floor.world import r3_of
from swarm_control.sim.mujoco.camera import Overhead, over


def loaded(*changes):
    found = load("formation_translate", changes)
    return found, prepare(found.scenario, found.source)


def rendered(make):
    """What ``make`` makes, or a skipped test where nothing renders."""
    try:
        return make()
    except Failed as error:
        pytest.skip(str(error))


def floor(*changes):
    run, setup = loaded(*changes)
    made = rendered(lambda: LabFloor(run.scenario, setup))
    return run, setup, made


def test_the_points_of_the_calibration_are_the_corners_of_a_square_that_is_seen():
    camera = Overhead((0.5, -0.2), 2.5)
    found = camera.calibration(click=0.0)
    floor, seen = np.reshape(found.floor_points, (4, 2)), np.reshape(found.image_points, (4, 2))
    sides = np.hypot(*(np.roll(floor, 1, axis=0) - floor).T)
    assert sides == pytest.approx(sides[0]) and floor.mean(axis=0) == pytest.approx(camera.centre)
    assert (seen > 0.0).all() and (seen < np.array(camera.size) - 1).all()


def test_the_calibration_is_the_cameras_projection():
    from swarm_control.hardware.tracking.floor import FloorProjection

    camera = Overhead((0.5, -0.2), 2.5)
    seen = FloorProjection.of(camera.calibration(click=0.0))
    points = np.random.default_rng(2).uniform(-0.6, 0.6, (20, 2))
    for height in (0.0, 0.2):
        pixels = camera.project(np.column_stack((points, np.full(20, height))))
        assert np.abs(seen.to_floor(pixels, height) - points).max() < 1e-9


def test_the_camera_hangs_where_it_sees_robots_at_the_start_and_at_every_goal():
    run, setup = loaded()
    camera = over(setup.fleet, setup.start, run.scenario.goals, setup.grid)
    for goal in run.scenario.goals:
        for turn in np.linspace(0.0, 6.0, 20):
            edge = np.array([goal.position]) + 0.55 * np.array([[np.cos(turn), np.sin(turn)]])
            assert (camera.project(np.column_stack((edge, [[0.2]]))) > 0.0).all()
            assert (camera.project(np.column_stack((edge, [[0.2]]))) < camera.size).all()


def reach(*changes):
    run, setup = loaded(*changes)
    return widest(run.scenario, setup)


def test_the_camera_sees_the_widest_formation_of_the_scenario_around_its_goals():
    wedge = ("formation.shape=wedge", "formation.spacing=0.8", "robots.0.count=6", "robots.0.start.pattern=scatter")
    points = shape("wedge", 6, 0.8)
    assert reach(*wedge) == pytest.approx(norm(points - points.mean(axis=0)).max())
    line = ("phases=[{start: 9, set: {formation.shape: line}}, {start: 20, set: {formation.enabled: false}}]",)
    assert reach(*wedge, *line) == pytest.approx(2.0), "in a phase, too"
    assert reach("formation.enabled=false", *line) == 0.0
    run, setup = loaded(*wedge, "goals=[{position: [1, 0]}]")
    overhead, _ = seen_by(run.scenario, setup, r3_of(setup.fleet, run.scenario.hardware.wheels))
    places = np.array([1.0, 0.0]) + points - points.mean(axis=0)
    seen = overhead.project(np.column_stack((places, np.full(6, 0.2))))
    assert (seen > 0.0).all() and (seen < overhead.size).all()


@pytest.mark.parametrize("markers", ["aruco", "spots"])
def test_the_tracker_finds_the_rendered_robots(markers):
    size = 0.1 if markers == "aruco" else 0.2
    _, setup, made = floor(f"hardware.tracker.markers={markers}", f"hardware.tracker.marker_size={size}")
    tracking = Tracking(made.tracker, 3, setup.start.pose)
    seen = tracking.see(made.picture(), 0.0)[0].pose
    made.close()
    away, askew = misplaced(seen, made.world.truth().pose)
    # markers are stuck on to 1 mm and 0.5° each way, the calibration is read to 1 px = 2 mm: three standard deviations
    assert away < 0.006 and np.rad2deg(askew) < 1.5


def test_robots_hear_and_speak_the_wheel_protocol_and_stop_when_nobody_speaks():
    _, _, made = floor()
    robot = made.firmware[1]
    robot.hear(encode(WheelSpeeds(1, 2000, 2000, 300)).rstrip(b"\n"), made.time)
    said = []
    while made.time < 1.0:
        made.step()
        said.append(robot.tell(made.time))
    lines = [decode(line.rstrip(b"\n")) for line in said if line]
    made.close()
    assert 45 <= len(lines) <= 51, "an encoder reading every 20 ms"
    way = 2.0 * np.pi * 0.05 / 2048 * lines[-1].left
    moved = made.world.truth().pose[:, 0] - [0.3464, -0.1732, -0.1732]
    assert lines[-1].status & STOPPED and lines[-1].heard == 1
    assert 0.02 < moved[1] < 0.035 and abs(moved[0]) < 1e-4, "0.1 m/s for 0.3 s, less the motor's lag"
    assert moved[1] == pytest.approx(way, rel=0.03), "wheels differ by 0.5 %, and slip"


def test_a_robot_that_fails_stands():
    _, _, made = floor("simulator.failures=[{robot: robot_0, start: 0.2}]")
    for number in range(400):
        for robot in made.firmware[:2]:
            robot.hear(encode(WheelSpeeds(number, 2000, 2000, 300)).rstrip(b"\n"), made.time)
        made.step()
    speed = made.world.truth().velocity[:, 0]
    made.close()
    assert abs(speed[0]) < 0.002 < 0.08 < speed[1]


def test_pictures_of_a_seed_are_the_same():
    pictures = []
    for seed in (3, 3, 4):
        _, _, made = floor(f"seed={seed}")
        pictures.append([made.picture(), made.picture()])
        made.close()
    assert np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[0][0], pictures[0][1]), "noise"
    assert not np.array_equal(pictures[0][0], pictures[2][0])


def test_without_a_renderer_the_run_fails_in_one_line(monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "nothing")
    run, setup = loaded()
    with pytest.raises(Failed, match="MUJOCO_GL=nothing"):
        LabFloor(run.scenario, setup)


def closed(seconds, *changes):
    run, setup = loaded(f"duration={seconds}", *changes)
    loop = rendered(lambda: FloorLoop(run.scenario, setup))
    errors = []
    outcome = simulate(run, setup, engine=loop, odometry=loop, watch=lambda frame, _: errors.append(frame.formation.error(frame.truth)))
    loop.floor.close()
    return outcome.recorder.trajectory(), np.array(errors)


def test_the_loop_is_closed_over_image_and_wheels_and_gives_the_same_bits():
    one, errors = closed(2.5)
    two, _ = closed(2.5)
    assert np.array_equal(one.pose, two.pose)
    assert one.pose[-1, :, 0].min() - one.pose[0, :, 0].min() > 0.3, "they go to their goal"
    assert errors.mean() < 0.0047


def test_nothing_moves_without_commands():
    run, setup = loaded()
    loop = rendered(lambda: FloorLoop(run.scenario, setup))
    for _ in range(30):
        loop.step(Commands(np.zeros((3, 3))))
    seen = loop.observe(loop.truth())
    loop.floor.close()
    assert np.abs(loop.truth().pose - setup.start.pose).max() < 1e-4
    assert seen.valid.all() and np.abs(seen.velocity[:, :2]).max() < 0.01


def test_the_wiring_makes_the_scenarios_tracker_the_floors():
    own = ["hardware.tracker.markers=spots", "hardware.tracker.marker_size=0.15"]
    run, setup = loaded(*own)
    changes = [*own, *wiring(run.scenario, setup, "127.1.2.3")]
    again = load("formation_translate", changes)
    made = rendered(lambda: LabFloor(run.scenario, setup))
    made.close()
    assert replace(again.scenario.hardware.tracker, topic="") == made.tracker
    assert again.scenario.hardware.wheels.link.format(index=2) == "tcp://127.1.2.3:50002"


def test_robots_without_two_wheels_have_no_floor():
    run = load("flock_frame", ["robots=3"])
    with pytest.raises(InputError, match="expected differential"):
        LabFloor(run.scenario, prepare(run.scenario, run.source))


def test_markers_too_small_for_a_wide_floor_are_refused():
    goals = "goals=[{position: [20, 0]}]"
    run, setup = loaded(goals)
    with pytest.raises(InputError, match=r"6 px wide .* expected 0\.26 m to 0\.28 m"):
        LabFloor(run.scenario, setup)
    run, setup, made = floor(goals, "hardware.tracker.marker_size=0.26")
    found = Tracking(made.tracker, 3, setup.start.pose).see(made.picture(), 0.0)[1]
    made.close()
    assert found.all()


def test_how_far_a_tracker_is_off_is_a_root_mean_square():
    truth, turned = np.zeros((2, 2, 3)), 2.0 * np.pi
    measured = np.array([[[3.0, 4.0, 0.1], [0.0, 0.0, turned - 0.1]], [[0.0, 0.0, 0.3], [0.0, 0.0, 0.0]]])
    assert misplaced(measured, truth) == pytest.approx((2.5, np.sqrt(0.11 / 4.0)))
