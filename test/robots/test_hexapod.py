"""Walking insects in MuJoCo: the body, sensors, standing, gaits, commands, reflexes, lost legs, uneven ground; and the numerics."""

import numpy as np
import pytest

from swarm_control.errors import InputError
from swarm_control.gait.controller import control
from swarm_control.gait.leg import foot
from swarm_control.gait.odometry import Felt
from swarm_control.robots.hexapod.body import anatomy
from swarm_control.robots.sensors import Sensors
from swarm_control.scenario.bodies import Bodies
from swarm_control.scenario.terrain import Terrain
from swarm_control.sim.mujoco.hexapod_walk import SERIES, Insects, watch, with_hexapod
from swarm_experiments.papers.hexapod.disturbed import DisturbedInsect, halted
from swarm_experiments.papers.hexapod.numerics import balance
from swarm_experiments.papers.hexapod.terrain import COMPLIANT, Crossing, cross
from swarm_experiments.papers.hexapod.walking import stride

mujoco = pytest.importorskip("mujoco")

EXACT = Sensors(
    tilt_noise=0.0, gyro_noise=0.0, gyro_bias=0.0, encoder_noise=0.0, rate_noise=0.0, contact_error=0.0, load_noise=0.0, delay=0.0
)  # fmt: skip
LEVEL = Bodies(terrain=Terrain(friction=0.7))


@pytest.fixture(scope="module")
def tripod():
    """Two seconds of the tripod at the paper's speed, by three insects that begin at different phases."""
    insects = Insects(LEVEL, 3)
    before = insects.walk((0.055, 0.0, 0.0), 0.6).fired
    walk = insects.walk((0.055, 0.0, 0.0), 1.2)
    return walk.fired - before, walk


def test_the_body_is_the_papers():
    model = Insects(LEVEL).model
    assert model.nv == 38
    assert model.body_mass.sum() == pytest.approx(2.1, abs=0.01)
    trunk = LEVEL.hexapod.trunk
    assert trunk.head[0] + 3 * trunk.segment[0] + trunk.abdomen[0] == pytest.approx(2.9, abs=0.01)
    boxes = [k for k in range(model.ngeom) if model.geom_type[k] == mujoco.mjtGeom.mjGEOM_BOX and model.geom_bodyid[k] > 0]
    assert 8.0 * model.geom_size[boxes].prod(axis=1).sum() == pytest.approx(model.body_mass.sum()), "the density of water"
    legs = [k for k in range(model.ngeom) if model.geom_contype[k] == 4]  # meet the ground: feet, and four links each
    assert len(legs) == 6 * 5 and (model.geom_solref[legs, 0] <= 0.002).all()


@pytest.mark.parametrize("legs", [2, 4, 8, 20, 40])
def test_a_body_of_any_number_of_legs_is_generated(legs):
    insects = Insects(with_hexapod(LEVEL, legs__count=legs))
    assert insects.model.nv == 8 + 5 * legs
    feet = insects.kind.anatomy.foothold
    assert np.allclose(feet[0::2] * [1, -1, 1], feet[1::2]) and (np.diff(feet[0::2, 0]) < 0.0).all()
    assert abs(insects.data.subtree_com[1][1]) < 1e-9
    if 6 <= legs <= 20:
        walk = insects.walk((0.01, 0.0, 0.0), 0.6)
        assert walk.upright.min() > 0.95 and walk.pose[-1, 0, 0] > 0.002


def test_uprightness_is_the_height_of_the_bodys_unit_vertical():
    insects = Insects(LEVEL, 3)
    half = 0.5 * np.radians([60.0, 90.0, 180.0])
    axis = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.8, 0.0]])
    insects.data.qpos[insects.kind.roots[:, None] + np.arange(3, 7)] = np.column_stack((np.cos(half), np.sin(half)[:, None] * axis))
    assert dict(zip(SERIES, insects._row()))["upright"] == pytest.approx([0.5, 0.0, -1.0])


def test_lost_legs_are_missing():
    whole, lame = (Insects(with_hexapod(LEVEL, legs__lost=lost)).model for lost in ((), ("left_2", "right_3")))
    assert whole.nv - lame.nv == 10 and whole.body_mass.sum() - lame.body_mass.sum() > 0.05
    with pytest.raises(InputError, match=r"legs\.lost: left_4 found, expected some of left_1, right_1"):
        anatomy(with_hexapod(LEVEL, legs__lost=("left_4",)).hexapod)
    with pytest.raises(InputError, match="expected an even number"):
        anatomy(with_hexapod(LEVEL, legs__count=5).hexapod)


def test_what_is_felt_of_feet_is_where_they_are_and_what_they_bear():
    insects = Insects(with_hexapod(LEVEL, sensors=EXACT, period=0.0005))
    insects.walk((0.03, 0.0, 0.5), 0.2)
    model, data, kind = insects.model, insects.data, insects.kind
    mujoco.mj_forward(model, data)
    kind.control(data, np.zeros((1, 3)))
    turned = data.xmat[kind.bodies[0]].reshape(3, 3)
    place = (data.site_xpos[kind.tips[0]] - data.xpos[kind.bodies[0]]) @ turned
    assert np.allclose(kind.felt.place[0], place, atol=1e-9)
    assert np.allclose(kind.felt.load, kind.loads(data)) and kind.felt.load.sum() > 0.5 * kind.walker.weight
    assert kind.walker.weight == pytest.approx(981.0 * model.body_mass.sum())
    for k, leg in enumerate(kind.anatomy.legs):
        assert np.allclose(foot(leg, kind.felt.angle[:, k]), kind.felt.place[:, k], atol=1e-12)


def test_control_goes_by_readings_alone():
    """Whatever is true of the insect, with the same readings the legs are told the same."""
    told = []
    for shift in (0.0, 7.0):
        insects = Insects(LEVEL)
        data, kind = insects.data, insects.kind
        first = kind._sensors.read(data, load=kind.loads(data))
        kind._sensors.read = lambda *_, first=first, **__: first
        data.qpos[kind.roots[0] : kind.roots[0] + 3] += shift
        data.qvel[kind.speeds[0] : kind.speeds[0] + 6] += shift
        data.qpos[kind.angles] += 0.1 * shift
        for _ in range(40):
            kind.control(data, np.array([[0.03, 0.0, 0.2]]))
        told.append(np.concatenate((kind.memory.rest.ravel(), kind.memory.step.ravel(), kind.felt.moving.ravel())))
    assert np.array_equal(*told)


def test_noise_reaches_the_control_and_is_the_same_again():
    made = [Insects(with_hexapod(LEVEL, sensors=sensors), seed=2) for sensors in (EXACT, Sensors(), Sensors())]
    for insects in made:
        insects.walk((0.03, 0.0, 0.0), 0.1)
    rest = [insects.kind.memory.rest for insects in made]
    assert not np.array_equal(rest[0], rest[1]) and np.array_equal(rest[1], rest[2])


def test_a_muscle_has_no_torque_left_at_its_greatest_speed():
    insects = Insects(LEVEL)
    data, kind = insects.data, insects.kind
    data.qpos[kind.angles] -= 0.1
    found = []
    for speed in (-50.0, 0.0, 50.0, 100.0, 150.0):
        data.qvel[kind.rates] = speed
        kind.control(data, np.zeros((1, 3)))
        found.append(data.qfrc_applied[kind.rates].copy())
    assert (found[1] > 0.0).all() and np.allclose(found[0], found[1], rtol=0.05)
    assert np.allclose(found[2], 0.5 * found[1], rtol=0.05) and (found[3] == 0.0).all() and (found[4] == 0.0).all()


def test_dropped_insects_stand_on_exponential_springs_and_collapse_on_linear_ones_as_stiff_at_rest():
    heights = {}
    for law in ("exponential", "linear"):
        insects = Insects(with_hexapod(LEVEL, springs__law=law))
        heights[law] = insects.walk((0.0, 0.0, 0.0), 0.6).height[-1, 0]
        touching = {insects.model.geom(int(g)).name for g in insects.data.contact.geom[:, 1]}
        assert bool(touching - {f"insect_0/{leg}" for leg in insects.kind.anatomy.names}) == (law == "linear"), "not on its feet alone"
    assert heights["exponential"] > 0.5 > heights["linear"]


def test_the_tripod_walks_at_the_papers_speed(tripod):
    _, walk = tripod
    assert (walk.speed >= 0.0545).all() and walk.frequency.min() > 9.0
    assert np.abs(walk.pose[:, :, 1] - walk.pose[0, :, 1]).max() < 0.003, "straight"
    assert walk.upright.min() > 0.98 and walk.height.min() > 0.45
    first, second = walk.stepping[:, :, [0, 3, 4]], walk.stepping[:, :, [1, 2, 5]]
    assert ((first.all(axis=2) & ~second.any(axis=2)) | (second.all(axis=2) & ~first.any(axis=2))).mean() > 0.9


def test_the_tripod_is_statically_stable_nearly_always():
    walk = stride((0.0555, {}, 100))
    assert walk.walk.speed[0] >= 0.055 and (walk.margin > 0.0).mean() >= 0.95


def test_the_body_sways_from_side_to_side_once_a_period(tripod):
    _, walk = tripod
    side = walk.pose[:, 0, 1] - np.polyval(np.polyfit(walk.time, walk.pose[:, 0, 1], 3), walk.time)
    power = np.abs(np.fft.rfft(side * np.hanning(len(side))))
    at = np.fft.rfftfreq(len(side), walk.time[1] - walk.time[0])[power.argmax()]
    assert at == pytest.approx(walk.frequency[:, 0].mean(), rel=0.1)
    assert 1e-6 < side.std() < 1e-3


def test_sticky_feet_walk_faster_than_the_papers_eight():
    insects = Insects(with_hexapod(LEVEL, feet__adhesion=1000.0))
    insects.walk((0.085, 0.0, 0.0), 0.5)
    assert insects.walk((0.085, 0.0, 0.0), 1.0).speed[0] >= 0.08


@pytest.mark.parametrize("twist", [(0.01, 0.0, 0.0), (0.03, 0.0, 0.8), (0.0, 0.0, -1.0), (-0.03, 0.0, 0.0), (0.0, 0.02, 0.0)])
def test_commands_are_obeyed(twist):
    insects = Insects(LEVEL)
    insects.walk(twist, 0.7)
    walk = insects.walk(twist, 1.2)
    yaw, velocity = walk.pose[:, 0, 2], walk.velocity[:, 0]
    ahead = (np.cos(yaw) * velocity[:, 0] + np.sin(yaw) * velocity[:, 1]).mean()
    left = (np.cos(yaw) * velocity[:, 1] - np.sin(yaw) * velocity[:, 0]).mean()
    assert (ahead, left) == pytest.approx(twist[:2], abs=0.0025)
    assert walk.turn_rate[0] == pytest.approx(twist[2], abs=0.06)


def test_told_to_stand_it_stands():
    insects = Insects(LEVEL)
    insects.walk((0.05, 0.0, 0.0), 0.5)
    insects.walk((0.0, 0.0, 0.0), 0.3)
    walk = insects.walk((0.0, 0.0, 0.0), 0.5)
    assert not walk.stepping.any() and walk.speed[0] < 0.002


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_command_that_is_no_number_stops_one_insect_only(number):
    twist = np.array([[0.04, 0.0, 0.3], [0.04, number, 0.0], [0.04, 0.0, 0.3]])
    told, well = Insects(LEVEL, 3, seed=4), Insects(LEVEL, 3, seed=4)
    stopped = told.walk(twist, 0.4)
    others = well.walk((0.04, 0.0, 0.3), 0.4)
    assert np.allclose(stopped.pose[:, ::2], others.pose[:, ::2], atol=1e-9), "the others walk as ever"
    assert not stopped.stepping[:, 1].any() and np.abs(stopped.velocity[-50:, 1]).max() < 0.01
    assert told.kind.limited.tolist() == told.engine.limited.tolist() == [False, True, False] and not well.kind.limited.any()


@pytest.mark.parametrize("twist", [(1e9, 0.0, 0.0), (0.0, -1e300, 0.0), (0.0, 0.0, 1e9)])
def test_a_command_beyond_its_ability_is_cut_to_it_in_its_direction(twist):
    insects = Insects(LEVEL, 2)
    top = insects.kind.walker.top_speed
    able = np.array([0.01 * top, 0.01 * top, top / insects.kind.walker.arm])
    insects.walk(twist, 0.4)
    walk = insects.walk(twist, 0.6)
    assert insects.kind.limited.all() and not walk.fallen.any() and walk.upright.min() > 0.95
    made = np.column_stack((np.diff(walk.pose[[0, -1], :, :2], axis=0)[0] / np.ptp(walk.time), walk.turn_rate))
    share, along = made / able, np.sign(twist) != 0.0
    assert (share * np.sign(twist)).max(axis=1).min() > 0.35, "a good part of what feet could do"
    assert np.abs(share[:, ~along]).max() < 0.25, "and nothing else"
    insects.walk((0.03, 0.0, 0.0), 0.01)
    assert not insects.kind.limited.any()


def test_commands_are_cut_only_beyond_what_feet_can_do():
    insects = Insects(LEVEL, 2)
    top = insects.kind.walker.top_speed * insects.kind.unit
    insects.walk(np.array([[0.999 * top, 0.0, 0.0], [1.001 * top, 0.0, 0.0]]), 0.01)
    assert insects.kind.limited.tolist() == [False, True]
    insects.engine.reset()
    assert not insects.kind.limited.any()


def test_reset_gives_the_same_bits_again():
    insects = Insects(LEVEL, 2, seed=4)
    first = insects.walk((0.04, 0.0, 0.3), 0.3)
    insects.engine.reset()
    assert np.array_equal(first.pose, insects.walk((0.04, 0.0, 0.3), 0.3).pose)
    assert not np.array_equal(first.stepping[:, 0], first.stepping[:, 1]), "insects begin at phases of their own"


def test_the_thresholds_are_those_of_the_calibration_and_reflexes_are_silent_in_undisturbed_walking(tripod):
    found = watch(LEVEL, duration=2.5)
    params = LEVEL.hexapod.reflexes
    assert np.rad2deg(found.extension[0::2]) == pytest.approx(params.extension, rel=0.1)
    assert found.load[0::2] == pytest.approx(params.load, rel=0.15)
    fired, _ = tripod
    assert not fired.any()


def control_of(insects, phase, place=None, load=None, lag=None):
    """One call of the controllers with one leg as told; which legs step after it."""
    kind = insects.kind
    felt = Felt.nothing(1, 6)
    felt.angle[:] = kind.memory.rest if lag is not None else kind.walker.standing()
    felt.angle[0, :, 0] -= 0.0 if lag is None else lag
    felt.place[0, :, :2], felt.place[0, :, 2] = kind.walker.foothold, kind.walker.ground
    felt.place += 0.0 if place is None else place
    felt.load[:] = 100.0 if load is None else load
    kind.memory.phase[0] = phase
    control(kind.walker, kind.memory, felt, np.array([[3.0, 0, 0]]), 5e-4)
    return kind.memory.step[0] >= 0.0


def test_step_reflex_steps_a_leg_that_is_stretched_too_far():
    behind = np.zeros((1, 6, 3))
    behind[0, 2, 0] = -0.5
    assert control_of(Insects(LEVEL), 0.4, behind).tolist() == [False, False, True, False, False, False]
    assert not control_of(Insects(LEVEL), 0.4, -behind).any(), "ahead is not behind"
    assert not control_of(Insects(with_hexapod(LEVEL, reflexes__enabled=False)), 0.4, behind).any()


def test_load_bearing_reflex_keeps_a_leg_down_but_not_for_ever():
    insects, load = Insects(LEVEL), np.zeros((1, 6))
    load[0, 4] = 2000.0
    phase = np.array([0.1, 0.2, 0.3, 0.4, 1.0, 0.5])
    assert control_of(insects, phase)[4]
    insects = Insects(LEVEL)
    waited = 0
    while not control_of(insects, phase, load=load)[4]:
        waited += 1
        assert waited < 1000
    assert waited * 5e-4 == pytest.approx(LEVEL.hexapod.reflexes.patience, abs=2e-3)


def test_elevator_reflex_lifts_a_stumbling_leg_higher():
    for felt in ({"load": 1000.0}, {"lag": 0.5}, {"lag": 0.1}):
        insects = Insects(LEVEL)
        phase = np.array([0.1, 0.2, 0.3, 0.4, 1.0, 0.5])
        for _ in range(55):
            control_of(insects, phase)
            phase[4] = 0.5
        assert 0.35 < insects.kind.memory.step[0, 4] < 0.75
        one = np.arange(6) == 4
        control_of(insects, phase, **{name: np.where(one, value, 0.0) for name, value in felt.items()})
        lifted = 0.0 if felt == {"lag": 0.1} else LEVEL.hexapod.reflexes.elevation
        assert insects.kind.memory.raised[0].tolist() == [0, 0, 0, 0, lifted, 0], felt


def test_a_leg_that_has_stumbled_is_drawn_back():
    insects, ahead = Insects(LEVEL), []
    walker, memory, anatomy = insects.kind.walker, insects.kind.memory, insects.kind.anatomy
    for raised in (0.0, 0.25):
        control_of(insects, np.array([0.1, 0.2, 0.3, 0.4, 1.0, 0.5]))
        memory.raised[0, 4] = raised
        while memory.step[0, 4] < walker.rise_share - 0.015:
            control_of(insects, np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.5]))
        ahead.append(foot(anatomy.legs[4], memory.rest[0, 4][None])[0, 0])
        memory.step[0] = -1.0
    assert ahead[0] - ahead[1] == pytest.approx(walker.retraction, abs=0.05)


def test_a_leg_that_stands_on_nothing_reaches_down_until_it_finds_the_ground():
    insects = Insects(LEVEL)
    walker, memory, anatomy = insects.kind.walker, insects.kind.memory, insects.kind.anatomy
    load = np.where(np.arange(6) == 2, 0.0, 400.0)[None]

    def aim():
        return foot(anatomy.legs[2], memory.rest[0, 2][None])[0, 2]

    still = np.full(6, 0.5)
    before = aim()
    for _ in range(int(walker.search_after / 5e-4) - 1):
        control_of(insects, still, load=load)
    assert memory.deeper.max() == 0.0
    for _ in range(60):
        control_of(insects, still, load=load)
    found = memory.deeper[0, 2]
    assert found == pytest.approx(60 * 5e-4 * walker.search_speed, rel=0.05) and np.flatnonzero(memory.deeper[0]).tolist() == [2]
    assert before - aim() == pytest.approx(found, abs=0.04)
    for _ in range(60):
        control_of(insects, still, load=400.0)
    assert memory.deeper[0, 2] == found, "it has found the ground"
    for _ in range(400):
        control_of(insects, still, load=load)
    assert memory.deeper[0, 2] == walker.search


def test_a_trunk_that_is_low_or_lies_on_the_ground_is_raised_and_one_that_leans_is_righted():
    for place, load, grown in (((0.0, 0.0, 0.1), 350.0, [1, 0, 0]), ((0.0, 0.0, 0.0), 100.0, [1, 0, 0]), (None, 350.0, [0, 1, 0])):
        insects = Insects(LEVEL)
        if place is None:
            ahead = insects.kind.walker.foothold[:, 0]
            place = np.column_stack((np.zeros((6, 2)), 0.1 * (ahead - ahead.mean())))
        for _ in range(300):
            control_of(insects, np.full(6, 0.5), place, np.full((1, 6), load))
        assert (insects.kind.memory.posture[0, :3] > 0.005).tolist() == [bool(k) for k in grown], (place, load)


def test_on_a_steep_slope_it_holds_its_place_when_told_to_stand():
    drift, turned, way = halted(DisturbedInsect(1000, slope=20.0))
    assert drift < 0.002 and turned < 0.1 and way > 0.5


def test_a_leg_that_has_stumbled_aims_higher_until_it_is_put_down():
    """By the elevation when it rises, and on its way forward by the same share of it as of the lift."""
    insects, programs, reflexes = Insects(LEVEL), LEVEL.hexapod.programs, LEVEL.hexapod.reflexes
    walker, memory, anatomy = insects.kind.walker, insects.kind.memory, insects.kind.anatomy
    for raised in (0.0, reflexes.elevation):
        control_of(insects, np.array([0.1, 0.2, 0.3, 0.4, 1.0, 0.5]))
        memory.raised[0, 4] = raised
        for share, part in ((walker.rise_share, 1.0), (walker.forward, walker.carry)):
            while memory.step[0, 4] < share - 0.015:
                control_of(insects, np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.5]))
            aim = foot(anatomy.legs[4], memory.rest[0, 4][None])[0]
            assert aim[2] - anatomy.foothold[4, 2] == pytest.approx(part * (programs.lift + raised), abs=0.05)
        memory.step[0] = -1.0


def test_with_a_leg_lost_it_still_gets_on():
    insects = Insects(with_hexapod(LEVEL, legs__lost=("left_2",)))
    insects.walk((0.03, 0.0, 0.0), 0.5, 2.0)
    walk = insects.walk((0.03, 0.0, 0.0), 1.2, 2.0)
    assert walk.speed[0] > 0.02 and not walk.fallen.any()


def test_uneven_ground_is_crossed_by_compliance_alone():
    ahead, fired = cross(Crossing(COMPLIANT, 0.006, 1))
    assert ahead > 0.8 and not fired.any()


def test_no_part_of_a_leg_goes_through_the_ground():
    """On blocks with edges, the ends and the middle of every link stay above it, but for what contacts give."""
    ground = Terrain(friction=0.7, form="blocks", roughness=0.006, wavelength=0.015, extent=0.3)
    insects = Insects(with_hexapod(Bodies(terrain=ground), trunk__height=0.75, programs__lift=0.4), 1, seed=3, tick=0.01)
    model, data = insects.model, insects.data
    links = [k for k in range(model.ngeom) if model.geom_contype[k] == 4 and model.geom_type[k] == mujoco.mjtGeom.mjGEOM_BOX]
    deepest, touched = 0.0, 0
    for _ in range(150):
        insects.walk((0.02, 0.0, 0.0), 0.01)
        met = data.contact.geom[:, 1]
        touched += np.isin(met, links).sum()
        deepest = min(deepest, data.contact.dist[np.isin(met, links)].min(initial=0.0))
        along = data.geom_xmat[links].reshape(-1, 3, 3)[:, :, 0] * model.geom_size[links, :1]
        for share in (-1.0, 0.0, 1.0):
            point = data.geom_xpos[links] + share * along
            below = point[:, 2] < height_at(insects, point[:, :2]) - 0.05
            assert not below.any(), (share, point[below])
    assert touched > 0 and deepest > -0.1  # cm, at edges


def height_at(insects, point):
    """The lowest ground (n,) cm of the cells around ``point`` (n, 2) cm."""
    model = insects.model
    k, (half, _, high, _) = int(model.hfield_nrow[0]), model.hfield_size[0]
    heights = model.hfield_data[: k * k].reshape(k, k) * high + model.geom("ground").pos[2]
    row, column = (np.clip((np.floor((point[:, axis] + half) / (2 * half) * (k - 1))).astype(int), 0, k - 2) for axis in (1, 0))
    return np.min([heights[row + i, column + j] for i in (0, 1) for j in (0, 1)], axis=0)


def test_who_lies_on_its_back_has_fallen():
    insects = Insects(LEVEL, 2)
    insects.data.qpos[insects.kind.roots[1] + 3 :][:4] = [0.0, 1.0, 0.0, 0.0]
    assert insects.walk((0.0, 0.0, 0.0), 0.2).fallen.tolist() == [False, True]


def test_speed_and_energy_do_not_depend_on_the_time_step():
    coarse, fine = balance((0.0005, 0), 0.6), balance((0.00025, 0), 0.6)
    assert coarse.speed == pytest.approx(fine.speed, rel=0.03)
    assert coarse.work == pytest.approx(fine.work, rel=0.05)
    assert coarse.residual < 1e-3 and fine.residual < 1e-3
    assert coarse.work > coarse.damped > 0.0 and coarse.contact > 0.0


def test_accelerations_are_those_of_the_articulated_body_algorithm():
    pytest.importorskip("pinocchio")
    from pinned import Pinned

    insects = Insects(LEVEL)
    model, data = insects.model, insects.data
    model.opt.tolerance, model.opt.iterations = 1e-15, 100
    pinned, rng = Pinned(model), np.random.default_rng(1)
    for _ in range(5):
        insects.walk((0.05, 0.0, 0.5), 0.03)
        data.qvel += rng.normal(0.0, 2.0, model.nv)
        mujoco.mj_forward(model, data)
        exact = pinned.acceleration(data, constraints=True)
        assert np.abs(exact - data.qacc).max() < 1e-8 * np.abs(data.qacc).max()


def test_the_control_goes_by_the_models_time_step():
    insects = Insects(LEVEL, tick=0.0012)
    assert insects.model.opt.timestep == pytest.approx(0.0004)
    insects.walk((0.06, 0.0, 0.0), 0.6)
    walk = insects.walk((0.06, 0.0, 0.0), 0.6)
    begun = np.flatnonzero(walk.stepping[1:, 0, 0] & ~walk.stepping[:-1, 0, 0])
    assert np.diff(begun).mean() * 0.0012 == pytest.approx(0.1, rel=0.03)
