"""Robots that nobody here drew, from MJCF and URDF files of installed packages: they go where they are told and stay on their feet."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import swarm_control as sc
from swarm_control import paths
from swarm_control.cli.identify import with_ability
from swarm_control.cli.main import main
from swarm_control.core.geometry import rotate
from swarm_control.core.motion import Motion
from swarm_control.core.robot import ROBOTS
from swarm_control.core.state import Commands, Fleet, SwarmState
from swarm_control.errors import InputError
from swarm_control.robots.from_file.legs import LegChains, level_frames, turns
from swarm_control.robots.from_file.machine import Machine
from swarm_control.robots.from_file.model import STEADY, UNKNOWN, ability_of, digest, drive_of, forget, register
from swarm_control.robots.from_file.source import resolve
from swarm_control.robots.sensors import Readings
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.loader import load
from swarm_control.scenario.models import described, unidentified
from swarm_control.scenario.yaml_text import parse_file, read_text
from swarm_control.sim.mujoco.herd import HerdEngine

QUICK = "solo12", "tiago"
SHIPPED = [name if name in QUICK else pytest.param(name, marks=pytest.mark.study) for name in paths.models()]
ANT = "package://gymnasium/envs/mujoco/assets/ant.xml"
GO2 = "package://example-robot-data/robots/go2_description/urdf/go2.urdf"

ROVER = """
<robot name="rover">
  <link name="body"><inertial><mass value="4"/><inertia ixx=".02" iyy=".03" izz=".04" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size=".3 .2 .06"/></geometry></collision></link>
  {wheels}
  <link name="nose"><collision><geometry><sphere radius=".02"/></geometry></collision></link>
  <joint name="under" type="fixed"><parent link="body"/><child link="nose"/><origin xyz=".12 0 -.03"/></joint>
</robot>
"""
WHEEL = """
  <link name="{0}"><inertial><mass value=".2"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin rpy="1.5708 0 0"/><geometry><cylinder radius=".05" length=".01"/></geometry></collision></link>
  <joint name="{0}_joint" type="continuous"><parent link="body"/><child link="{0}"/><origin xyz="-.05 {1} 0"/><axis xyz="0 {2} 0"/></joint>
"""


@pytest.fixture(autouse=True)
def nobody_else():
    """Robots that a test brings are gone after it."""
    before = set(ROBOTS)
    yield
    for name in set(ROBOTS) - before:
        forget(name)


def told(name):
    """A shipped robot."""
    path = paths.models()[name]
    return described(parse_file(read_text(path), path), path)


def engine(robot, n=1, footprint=0.5, track=0.1, seed=0, spacing=20.0):
    """``n`` of the robots in a row, far from each other."""
    register("tried", robot, "tried")
    fleet = Fleet(tuple(f"robot_{k}" for k in range(n)), ("tried",) * n, *(np.full(n, v) for v in (footprint, 9.0, 9.0, 9.0, track)))
    pose = np.column_stack((np.zeros(n), spacing * np.arange(n), np.linspace(0.0, 3.0, n)))
    return HerdEngine(fleet, SwarmState.of(0.0, pose, np.zeros((n, 3))), None, 0.01, Bodies(), seed)


def made(engine, twist, duration, counted):
    """Mean twists (n, 3) in the last ``counted`` seconds, and who fell."""
    total, steps, last = np.zeros_like(twist), round(duration / 0.01), round(counted / 0.01)
    for step in range(steps):
        engine.step(Commands(twist))
        if step >= steps - last:
            truth = engine.truth()
            total += np.column_stack((rotate(truth.velocity[:, :2], -truth.pose[:, 2]), truth.velocity[:, 2])) / last
    return total, engine.fallen


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_robots_make_the_speeds_that_their_files_promise(name):
    robot = told(name)
    able, rolls = robot.ability, robot.controller == "wheels"
    speed, rate = 0.9 * able.max_speed, 0.9 * able.max_turn_rate
    ways = [[speed, 0, 0], [-speed, 0, 0], [0, 0, rate], [0, 0, -0.5 * rate], [0, 0, 0], [0, speed, 0], [0, -speed, 0]]
    twist = np.array(ways[:5] if rolls else ways, float)
    got, fallen = made(engine(robot, len(twist), able.footprint, able.track or 0.1, seed=9), twist, 4.5, 2.0)
    assert not fallen.any()
    scale = np.where(np.arange(3) < 2, able.max_speed, able.max_turn_rate)
    assert (np.abs(got - twist) / scale).max() < 0.25, (twist, got)
    assert np.abs(got[4]).max() < 0.01, "told to stand, it stands"


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_robots_stay_on_their_feet_whatever_they_are_told_within_their_limits(name):
    robot, n = told(name), 6
    able, rng = robot.ability, np.random.default_rng(31)
    world = engine(robot, n, able.footprint, able.track or 0.1, seed=31)
    for hold in (0.1, 0.4, 1.0) * 2:
        course, fast = rng.uniform(-np.pi, np.pi, n), able.max_speed * np.sqrt(rng.uniform(0, 1, n))
        twist = np.column_stack((fast * np.cos(course), fast * np.sin(course), able.max_turn_rate * rng.uniform(-1, 1, n)))
        twist[:, 1] *= robot.controller != "wheels"
        for _ in range(round(hold / 0.01)):
            world.step(Commands(twist))
    assert not world.fallen.any()


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_robots_were_identified_as_they_are(name):
    robot = told(name)
    assert robot.ability.found_for == digest(robot)
    assert unidentified({name: robot}) == ()
    assert "run that again" in unidentified({name: replace(robot, step=0.001)})[0]


def test_what_somebody_says_that_a_robot_can_do_holds_and_a_reset_repeats_the_run():
    robot = described({"mjcf": ANT, "footprint": 1.1, "ability": {"max_speed": 0.2}}, Path("ant.yaml"), "ant")
    assert ability_of(robot) == replace(UNKNOWN, max_speed=0.2)
    assert unidentified({"ant": robot}) == ()
    world, twist = engine(robot, 2, 1.1), np.array([[0.2, 0.0, 0.1], [0.0, 0.2, 0.0]])
    poses = []
    for _ in range(2):
        world.reset()
        for _ in range(100):
            world.step(Commands(twist))
        poses.append(world.truth().pose)
    assert np.array_equal(*poses)


@pytest.mark.parametrize("robot", [
    "anymal_c_simple_description/urdf/anymal", "tiago_description/robots/tiago_no_hand", "a1_description/urdf/a1",
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*touches nothing")
def test_robots_weigh_what_their_descriptions_say(robot):
    file = resolve(f"package://example-robot-data/robots/{robot}.urdf", Path(), "robot")
    masses = [float(mass.get("value")) for mass in ElementTree.parse(file).getroot().iter("mass")]
    assert Machine(file, "", (), "robot").mass == pytest.approx(sum(masses), rel=1e-9)


def test_feet_are_where_mujoco_has_them_and_angles_put_them_anywhere_in_reach():
    machine = Machine(resolve(GO2, Path(), "go2"), "", (), "go2")
    limbs = machine.limbs()
    legs, data = LegChains(limbs, machine.low, machine.high), mujoco.MjData(machine.model)
    rng = np.random.default_rng(0)
    for _ in range(20):
        angle = rng.uniform(legs.low, legs.high)
        data.qpos[machine.angles[legs.joints]] = angle
        mujoco.mj_kinematics(machine.model, data)
        base = machine.model.body(machine.base).id
        foot, jacobian, _ = legs.feet(angle[None])
        for k, limb in enumerate(limbs):
            body = machine.model.body(limb.name).id
            joint = machine.body_of(limb.joints[-1])
            assert body == joint
            tip = data.xpos[body] + data.xmat[body].reshape(3, 3) @ limb.tip
            assert foot[0, k] == pytest.approx(data.xmat[base].reshape(3, 3).T @ (tip - data.xpos[base]), abs=1e-9)
        small = 1e-6 * rng.normal(size=angle.shape)
        moved = legs.feet((angle + small)[None])[0]
        assert moved - foot == pytest.approx((jacobian @ small[None, ..., None])[..., 0], abs=1e-10)
        near = np.clip(angle + rng.uniform(-0.2, 0.2, angle.shape), legs.low, legs.high)
        assert legs.feet(legs.angles(near[None], foot, steps=200, damping=0.01))[0] == pytest.approx(foot, abs=5e-3)


def test_a_limb_turns_about_its_joints_wherever_these_are_in_their_bodies(tmp_path):
    """Joints that are not at the origins of their bodies, some of them two in a body."""
    leg = """<body pos="{0} .2 0" euler="10 20 30"><joint name="a{0}" axis="1 0 0" pos=".01 .02 .03"/>
      <joint name="b{0}" axis="0 1 0" pos=".05 0 -.02"/><geom size=".05"/><body pos="0 .1 -.2" euler="5 0 40">
      <joint name="c{0}" axis="0 1 1" pos="0 -.03 .04"/><geom size=".02" pos="0 0 -.1"/></body></body>"""
    legs = "".join(leg.format(x) for x in (0.1, 0.3))
    trunk = f"<body name='trunk'><freejoint/><geom size='.1'/>{legs}</body>"
    (tmp_path / "odd.xml").write_text(f"<mujoco><worldbody>{trunk}</worldbody></mujoco>")
    machine = Machine(tmp_path / "odd.xml", "", (), "odd")
    chains, data = LegChains(machine.limbs(), machine.low, machine.high), mujoco.MjData(machine.model)
    for seed in range(5):
        angle = np.random.default_rng(seed).uniform(-1.0, 1.0, chains.joints.shape)
        data.qpos[machine.angles[chains.joints]] = angle
        mujoco.mj_kinematics(machine.model, data)
        base = machine.model.body("trunk").id
        for foot, limb in zip(chains.feet(angle[None])[0][0], machine.limbs()):
            body = machine.model.body(limb.name).id
            geom = next(k for k in range(machine.model.ngeom) if machine.model.geom_bodyid[k] == body)
            assert data.xmat[base].reshape(3, 3) @ foot + data.xpos[base] == pytest.approx(data.geom_xpos[geom], abs=1e-9)


def test_motors_are_as_strong_as_their_forces_or_their_controls_and_gears_let_them_be(tmp_path):
    names, joint = "abcd", "<body><joint name='{}'/><geom size='.1'/></body>"
    said = {"a": "forcerange='-3 3' ctrlrange='-9 9' gear='2'", "b": "gainprm='5' ctrlrange='-2 2' gear='-.5'", "c": "gainprm='5'"}
    motors = "".join(f"<general joint='{name}' {how}/>" for name, how in said.items())
    trunk = f"<body name='trunk'><freejoint/><geom size='.1'/>{''.join(map(joint.format, names))}</body>"
    (tmp_path / "odd.xml").write_text(f"<mujoco><worldbody>{trunk}</worldbody><actuator>{motors}</actuator></mujoco>")
    machine = Machine(tmp_path / "odd.xml", "", (), "odd")
    assert dict(zip(machine.joints, machine.effort)) == {"a": 6.0, "b": 5.0, "c": np.inf, "d": np.inf}


def test_poses_are_those_of_the_orientation_and_control_comes_at_its_period():
    robot = told("solo12")
    world = engine(robot, 3, robot.ability.footprint)
    kind = world.shards[0].kind
    turn = Rotation.random(3, random_state=5)
    world.shards[0].data.qpos[kind.roots[:, None] + np.arange(3, 7)] = turn.as_quat()[:, [3, 0, 1, 2]]
    assert kind._turn(world.shards[0].data) == pytest.approx(turn.as_matrix())
    calls, targets = [], kind._drive.targets
    kind._drive.targets = lambda *args: calls.append(args[-1]) or targets(*args)
    for _ in range(20):
        world.step(Commands(np.zeros((3, 3))))
    assert calls == pytest.approx([robot.period] * round(20 * world.dt / robot.period))


def test_requests_of_a_group_are_answered_in_steps_as_long_as_the_robot_takes():
    register("tried", told("solo12"), "tried")
    position, velocity, ahead = ROBOTS["tried"].gains(Motion(), 0.05)
    assert ahead == pytest.approx(max(told("solo12").ability.reaction, STEADY, 0.05))
    assert position == pytest.approx(0.5 / (0.75 * ahead**2)) and velocity == pytest.approx(0.5 / ahead)


def test_neighbouring_legs_take_turns_and_level_frames_stand_upright():
    square = np.array([[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0]], float)
    assert turns(square)[0] == turns(square)[3] != turns(square)[1] == turns(square)[2]
    six = np.array([[np.cos(a), np.sin(a), 0] for a in np.arange(6) * np.pi / 3 + 0.1])
    assert sorted(turns(six).tolist()) == [0, 0, 0, 0.5, 0.5, 0.5]
    assert np.array_equal(turns(six + np.array([7.0, -4.0, 0.0])), turns(six)), "wherever the trunk's middle is"
    up = np.random.default_rng(1).normal(size=(50, 3))
    up[:, 2] = np.abs(up[:, 2])
    frames = level_frames(up)
    unit = up / np.linalg.norm(up, axis=1)[:, None]
    assert (frames @ unit[..., None])[..., 0] == pytest.approx(np.tile([0.0, 0.0, 1.0], (50, 1)), abs=1e-12)
    assert frames @ frames.swapaxes(1, 2) == pytest.approx(np.tile(np.eye(3), (50, 1, 1)), abs=1e-12)


def rover(folder, left=0.1, axis=1, **more):
    """A robot with two wheels and a castor, as a URDF file and what is said of it."""
    wheels = WHEEL.format("left", left, axis) + WHEEL.format("right", -left, axis)
    (folder / "rover.urdf").write_text(ROVER.format(wheels=wheels))
    own = {"left": ["left_joint"], "right": ["right_joint"]}
    return {"urdf": "rover.urdf", "controller": "wheels", "wheels": own, "footprint": 0.2, **more}


@pytest.mark.parametrize("axis", [1, -1])
def test_wheels_are_found_as_they_are_described_whichever_way_their_axles_point(tmp_path, axis):
    robot = described(rover(tmp_path, 0.12, axis), tmp_path / "rover.yaml")
    drive = drive_of(robot, 1, "rover")[1]
    assert drive.track == pytest.approx(0.24)
    assert drive.height == pytest.approx(0.05)
    three = engine(robot, 3, 0.2, 0.24)
    assert three.truth().pose == pytest.approx(np.column_stack((np.zeros(3), [0.0, 20.0, 40.0], [0.0, 1.5, 3.0])), abs=1e-6), "of its axle"
    got, fallen = made(three, np.array([[0.3, 0, 0], [0, 0, 1.0], [-0.2, 0, -0.5]]), 5.0, 2.0)
    assert not fallen.any()
    assert got == pytest.approx(np.array([[0.3, 0, 0], [0, 0, 1.0], [-0.2, 0, -0.5]]), abs=0.03)


def test_wheels_are_where_they_are_on_a_base_that_stands_anywhere_and_only_what_has_limits_is_held(tmp_path):
    wheel = "<body pos='.02 {0} .01'><joint name='{1}' axis='0 1 0'/><geom type='cylinder' size='.05 .01' euler='90 0 0'/></body>"
    castor = "<body pos='-.1 0 -.02'><joint name='castor' axis='0 0 1'/><geom size='.02'/></body>"
    arm = "<body pos='0 0 .1'><joint name='arm' axis='0 1 0' range='-30 30' limited='true'/><geom size='.02'/></body>"
    parts = wheel.format(0.2, "l") + wheel.format(-0.1, "r") + castor + arm
    base = f"<body name='base' pos='1 2 .3' euler='0 0 70'><freejoint/><geom size='.03'/>{parts}</body>"
    (tmp_path / "cart.xml").write_text(f"<mujoco><worldbody>{base}</worldbody></mujoco>")
    own = {"mjcf": "cart.xml", "controller": "wheels", "wheels": {"left": ["l"], "right": ["r"]}}
    machine, drive = drive_of(described(own, tmp_path / "cart.yaml", "cart"), 1, "cart")
    assert [drive.track, *drive.middle, drive.height] == pytest.approx([0.3, 0.02, 0.05, 0.04])
    assert [machine.joints[servo.joint] for servo in drive.servos] == ["l", "r", "arm"]


def test_rows_of_wheels_skid_and_turn_as_they_are_told(tmp_path):
    text = "".join(
        WHEEL.format(f"{side}{k}", y, 1).replace('xyz="-.05 ', f'xyz="{x} ') for side, y in (("l", 0.12), ("r", -0.12))
        for k, x in enumerate((-0.12, 0.0, 0.12))
    )  # fmt: skip
    (tmp_path / "six.urdf").write_text(ROVER.format(wheels=text))
    own = {side: [f"{side[0]}{k}_joint" for k in range(3)] for side in ("left", "right")}
    robot = described({"urdf": "six.urdf", "controller": "wheels", "wheels": own}, tmp_path / "six.yaml", "six")
    twist = np.array([[0.3, 0, 0], [0, 0, 1.0], [0.3, 0, -0.5]])
    got, fallen = made(engine(robot, 3, 0.2, 0.24), twist, 12.0, 2.0)
    assert not fallen.any()
    assert got == pytest.approx(twist, abs=0.1)


@pytest.mark.study
def test_a_robot_of_ones_own_is_identified_and_flies_a_herd_in_twenty_lines(tmp_path, capsys):
    page = (Path(__file__).parents[2] / "docs/bring_your_robot.md").read_text(encoding="utf-8")
    robot, herd = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[:2]
    assert len((robot + herd).splitlines()) <= 20
    rover(tmp_path)
    (tmp_path / "rover.yaml").write_text(robot)
    (tmp_path / "herd.yaml").write_text(herd)
    assert main(["info", str(tmp_path / "herd.yaml")]) == 2, "nobody knows how large it is"
    assert "swarm identify" in capsys.readouterr().err
    assert main(["identify", str(tmp_path / "rover.yaml")]) == 0
    able = described(parse_file(read_text(tmp_path / "rover.yaml"), tmp_path), tmp_path / "rover.yaml").ability
    assert 0.15 < able.footprint < 0.25
    assert able.max_speed > 0.5
    assert able.track == pytest.approx(0.2, abs=0.01)
    summary = sc.Simulation(tmp_path / "herd.yaml", seed=4).run().metrics()
    assert summary["falls"] == 0
    assert summary["collisions"] == 0
    assert summary["polarization"] > 0.9


def test_what_was_run_can_be_run_again_from_the_scenario_that_it_wrote(tmp_path):
    text = f"duration: 0.5\nrobots: [{{count: 2, model: {{mjcf: '{ANT}', footprint: 1.1}}, start: {{spacing: 4}}}}]\n"
    (tmp_path / "ants.yaml").write_text(text)
    assert main(["simulate", str(tmp_path / "ants.yaml"), "--out", str(tmp_path / "one")]) == 0
    assert main(["simulate", str(tmp_path / "one/scenario.yaml"), "--out", str(tmp_path / "two")]) == 0
    one, two = (np.load(tmp_path / name / "trajectory.npz")["pose"] for name in ("one", "two"))
    assert np.array_equal(one, two)


@pytest.mark.study
def test_traffic_of_quadrupeds_with_the_separation_filter_does_not_touch():
    sim = sc.Simulation("traffic_antipodal", robots=4, seed=11, duration=60.0, set={"robots.0.model": "go2"})
    summary = sim.run(until="arrival").metrics()
    assert summary["arrived_fraction"] == 1.0
    assert summary["collisions"] == 0
    assert summary["falls"] == 0


def test_files_of_one_name_are_two_robots_and_what_is_set_is_said_of_the_one_that_is_named(tmp_path):
    for folder, height in (("a", 0.7), ("b", 0.8)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.yaml").write_text(f"mjcf: '{ANT}'\nfootprint: 1.1\ntrot: {{height: {height}}}\n")
    inline = f"{{mjcf: '{ANT}', footprint: 1.2}}"
    groups = "".join(f"  - {{count: 1, model: {model}}}\n" for model in ("a/mine.yaml", "b/mine.yaml", "a/mine.yaml", inline))
    (tmp_path / "s.yaml").write_text(f"robots:\n{groups}")
    scenario = load(str(tmp_path / "s.yaml"), ("models.ant.trot.height=0.6", "models.mine.sensors.delay=0.1")).scenario
    assert [group.model for group in scenario.robots] == ["mine", "mine_2", "mine", "ant"]
    heights = {name: robot.trot.height for name, robot in scenario.models.items()}
    assert heights == {"mine": 0.7, "mine_2": 0.8, "ant": 0.6}
    assert [scenario.models[name].sensors.delay for name in ("mine", "mine_2")] == [0.1, 0.004]


@pytest.mark.parametrize("text", [
    "models: {go2: 5}\nrobots: [{model: go2}]", "models: 3\nrobots: [{model: go2}]", "robots: [{model: tank}]", "robots: [{model: 3}]",
    "robots: [{model: gone.yaml}]", "robots: [{model: {mjcf: 3}}]",
])  # fmt: skip
def test_models_that_are_none_are_refused_in_a_line(tmp_path, text):
    (tmp_path / "s.yaml").write_text(text)
    with pytest.raises(InputError, match=r"model|robots") as error:
        load(str(tmp_path / "s.yaml"))
    assert "\n" not in str(error.value)


def test_straight_legs_are_bent_swapped_wheels_and_impossible_masses_named(tmp_path):
    inertia = "<inertia ixx='.01' iyy='.01' izz='.01' ixy='0' ixz='0' iyz='0'/>"
    links = f"<link name='{{0}}'><inertial><mass value='{{2}}'/>{inertia}</inertial>{{1}}</link>"
    ball = "<collision><origin xyz='0 0 -.2'/><geometry><sphere radius='.02'/></geometry></collision>"
    limit = "<limit lower='-2.5' upper='2.5' effort='60' velocity='9'/>"
    text = links.format("trunk", "<collision><geometry><box size='.4 .2 .1'/></geometry></collision>", 6)
    for k, (x, y) in enumerate(((0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1))):
        parent, place = "trunk", f"{x} {y} 0"
        for name, axis, last in (("hip", "1 0 0", ""), ("thigh", "0 1 0", ""), ("shin", "0 1 0", ball)):
            text += links.format(f"{name}{k}", last, 0.3)
            text += f"<joint name='{name}{k}_joint' type='revolute'><parent link='{parent}'/><child link='{name}{k}'/>"
            text += f"<origin xyz='{place}'/><axis xyz='{axis}'/>{limit}</joint>"
            parent, place = f"{name}{k}", "0 0 0" if name == "hip" else "0 0 -.2"
    (tmp_path / "quad.urdf").write_text(f"<robot name='quad'>{text}</robot>")
    robot = described({"urdf": "quad.urdf"}, tmp_path / "quad.yaml", "quad")
    machine, drive = drive_of(robot, 1, "quad")
    bent = dict(zip(machine.joints, drive.posture))
    assert all(bent[f"thigh{k}_joint"] > 0.2 and bent[f"shin{k}_joint"] < -0.4 for k in range(4)), "knees point forward"
    got, fallen = made(engine(robot, 2, 0.3), np.array([[0.3, 0, 0], [0, 0, 0.5]]), 5.0, 2.0)
    assert not fallen.any()
    assert got == pytest.approx(np.array([[0.3, 0, 0], [0, 0, 0.5]]), abs=0.08)
    (tmp_path / "quad.urdf").write_text(f"<robot name='quad'>{text}</robot>".replace("mass value='6'", "mass value='-6'"))
    with pytest.raises(InputError, match="trunk: a mass of -6 kg"):
        drive_of(robot, 1, "quad")
    swapped = rover(tmp_path) | {"wheels": {"left": ["right_joint"], "right": ["left_joint"]}}
    with pytest.raises(InputError, match="swapped"):
        drive_of(described(swapped, tmp_path / "rover.yaml", "rover"), 1, "rover")


def test_parts_that_are_not_read_are_warned_of_and_a_root_called_world_is_one_like_others(tmp_path):
    robot = described(rover(tmp_path), tmp_path / "rover.yaml", "rover")
    text = (tmp_path / "rover.urdf").read_text().replace('"body"', '"world"')
    (tmp_path / "rover.urdf").write_text(text.replace('<box size=".3 .2 .06"/>', '<mesh filename="shell.dae"/>'))
    with pytest.warns(UserWarning, match=r"rover: what collides as shell\.dae touches nothing"):
        machine, drive = drive_of(robot, 1, "rover")
    assert machine.base == "world_link"
    assert drive.track == pytest.approx(0.2)


@pytest.mark.parametrize(("said", "expected"), [
    ({}, "expected either mjcf or urdf"),
    ({"mjcf": ANT, "urdf": GO2}, "expected either mjcf or urdf"),
    ({"urdf": "nowhere.urdf"}, "nowhere.urdf found, expected a file"),
    ({"urdf": "package://nobody/has.urdf"}, "no installed package nobody has it"),
    ({"mjcf": ANT, "base": "leg"}, "expected the body that carries all others: torso"),
    ({"mjcf": ANT, "posture": ["knee=1"]}, "knee found, expected one of hip_1"),
    ({"mjcf": ANT, "posture": ["hip_1"]}, "hip_1 found, expected a joint's name = its angle"),
    ({"mjcf": ANT, "trot": {"feet": ["nose", "tail"]}}, "nose, tail found, expected 4, 6 or 8 legs"),
    ({"mjcf": ANT, "trot": {"feet": ["body_3", "body_6"]}}, "body_3, body_6 found, expected 4, 6 or 8 legs"),
    ({"mjcf": ANT, "trot": {"feet": ["body_3", "body_6", "body_9", "body_12", "tail"]}}, "body_12, tail found, expected 4, 6 or 8 legs"),
    ({"mjcf": ANT, "trot": {"height": 1.0}}, "in which legs can stand"),
    ({"mjcf": ANT, "controller": "wheels"}, "none found, expected joints among hip_1"),
    ({"urdf": "package://example-robot-data/robots/ur_description/urdf/ur5_robot.urdf"}, "none found, expected 4, 6 or 8 legs"),
    ({"mjcf": ANT, "controller": "hops"}, "expected one of"),
    ({"mjcf": ANT, "colour": "red"}, "unknown key"),
])  # fmt: skip
def test_what_is_wrong_with_a_description_is_said_in_a_line(tmp_path, said, expected):
    with pytest.raises(InputError, match=re.escape(expected)) as error:
        drive_of(described(said, tmp_path / "robot.yaml", "models.mine"), 1, "models.mine")
    assert "models.mine" in str(error.value)
    assert "\n" not in str(error.value)


DAMAGED = ("<mujoco><worldbody/></mujoco>", "<robot/>", "no XML", "<mujoco><worldbody><body><joint/></body></mujoco>", "")


@pytest.mark.parametrize("text", DAMAGED)
def test_damaged_descriptions_are_refused_in_a_line(tmp_path, text, capfd):
    for suffix in ("xml", "urdf"):
        (tmp_path / f"robot.{suffix}").write_text(text)
        key = "urdf" if suffix == "urdf" else "mjcf"
        (tmp_path / "robot.yaml").write_text(f"{key}: robot.{suffix}\nfootprint: 0.3\n")
        assert main(["identify", str(tmp_path / "robot.yaml")]) == 2
        said = [line for line in capfd.readouterr().err.splitlines() if line.startswith("swarm: ")]
        assert len(said) == 1


def test_what_was_found_replaces_what_was_there_and_leaves_the_rest():
    text = "urdf: a.urdf  # mine\nability:\n  footprint: 1\n\n  max_speed: 2\ntrot: {height: 0.7}\n"
    assert with_ability(text, "ability:\n  footprint: 3\n") == "urdf: a.urdf  # mine\ntrot: {height: 0.7}\nability:\n  footprint: 3\n"
    assert with_ability("urdf: a.urdf", "ability: {}\n") == "urdf: a.urdf\nability: {}\n"


def test_the_name_of_a_model_that_is_built_in_is_refused(tmp_path):
    (tmp_path / "s.yaml").write_text(f"models: {{omni: {{mjcf: '{ANT}', footprint: 1}}}}\nrobots: [{{model: omni}}]\n")
    with pytest.raises(InputError, match="omni"):
        sc.Simulation(tmp_path / "s.yaml")


def network(path, weights):
    """An ONNX file: actions are observations times ``weights`` (numbers, joints)."""
    onnx = pytest.importorskip("onnx")
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    value = helper.make_tensor("W", kind, weights.shape, weights.astype(np.float32).ravel())
    ends = [helper.make_tensor_value_info(name, kind, ["n", size]) for name, size in zip("xy", weights.shape)]
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "W"], ["y"])], "policy", ends[:1], ends[1:], [value])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)


def test_a_policy_is_told_what_it_asks_for_and_moves_the_joints_that_it_names(tmp_path):
    joints = ("ankle_2", "hip_1", "hip_4")
    observation = {"down": 3, "gyro": 3, "command": 3, "joints": 3, "rates": 3, "action": 3}
    rng = np.random.default_rng(4)
    weights = rng.normal(size=(sum(observation.values()), len(joints)))
    network(tmp_path / "policy.onnx", weights)
    scales = rng.uniform(0.5, 2.0, len(observation))
    policy = {"file": "policy.onnx", "observation": list(observation), "scales": scales.tolist(), "joints": list(joints), "height": 0.5}
    told = {"mjcf": ANT, "controller": "policy", "posture": ["ankle_2=-0.9"], "policy": {**policy, "action_scale": 0.3}}
    robot = described(told, tmp_path / "ant.yaml", "ant")
    machine, drive = drive_of(robot, 2, "ant")
    order, last = [machine.joints.index(name) for name in joints], np.zeros((2, 3))
    for _ in range(3):
        readings = Readings(*(rng.normal(size=shape) for shape in ((2, 3), (2, 3), (2, 8), (2, 8))))
        twist = rng.normal(size=(2, 3))
        parts = (-readings.up, readings.gyro, twist, readings.joint[:, order] - machine.rest[order], readings.rate[:, order], last)
        last = np.hstack([scale * part for scale, part in zip(scales, parts)]) @ weights
        assert drive.targets(readings, twist, 0.004) == pytest.approx(machine.rest[order] + 0.3 * last, rel=1e-4, abs=1e-4)
    assert drive.posture[order[0]] == -0.9


def test_a_policy_of_another_robot_is_refused_in_a_line(tmp_path):
    network(tmp_path / "small.onnx", np.zeros((9, 8)))
    network(tmp_path / "few.onnx", np.zeros((33, 5)))
    (tmp_path / "none.onnx").write_text("no network")
    refusals = {"small.onnx": "told 33 numbers", "few.onnx": "expected (1, 8)", "none.onnx": "none.onnx", "gone": "gone"}
    for file, expected in refusals.items():
        policy = {"file": file, "height": 0.5}
        with pytest.raises(InputError, match=re.escape(expected)) as error:
            drive_of(described({"mjcf": ANT, "controller": "policy", "policy": policy}, tmp_path / "ant.yaml", "ant"), 1, "ant")
        assert "\n" not in str(error.value)
    with pytest.raises(InputError, match=r"ant\.policy\.height"):
        drive_of(described({"mjcf": ANT, "controller": "policy"}, tmp_path / "ant.yaml", "ant"), 1, "ant")


def test_a_policy_that_does_nothing_has_a_robot_stand(tmp_path):
    network(tmp_path / "rest.onnx", np.zeros((45, 12)))
    posture = [f"{leg}_{joint}_joint={angle}" for leg in ("FL", "FR", "RL", "RR") for joint, angle in (("thigh", 0.73), ("calf", -1.47))]
    policy = {"file": "rest.onnx", "height": 0.32, "stiffness": 100.0, "damping": 3.0}
    robot = described({"urdf": GO2, "controller": "policy", "posture": posture, "policy": policy}, tmp_path / "go2.yaml", "go2")
    got, fallen = made(engine(robot, 2, 0.43), np.zeros((2, 3)), 3.0, 1.0)
    assert not fallen.any()
    assert np.abs(got).max() < 0.01
