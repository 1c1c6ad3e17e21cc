"""Bodies of bicycles of other sizes than the paper's: MuJoCo takes them, and they weigh what they are told to."""

import mujoco
import numpy as np
import pytest
from test_bicycle import Yard

from swarm_control.robots.bicycle.body import RIM


@pytest.mark.parametrize("mass", [1.674, 1.9, 2.3])
@pytest.mark.parametrize("radius", [0.3162, 0.33, 0.35])
def test_wheels_of_any_size_are_discs(mass, radius):
    """A disc's axis has as much inertia as the other two together, to the last digit."""
    model = Yard(wheel_mass=mass, wheel_radius=radius).model
    for name in ("rear", "front"):
        wheel = model.body(f"robot_0/{name}")
        assert wheel.mass[0] == pytest.approx(mass)
        spin = mass * (RIM * radius) ** 2
        assert sorted(wheel.inertia) == pytest.approx([0.5 * spin, 0.5 * spin, spin])


@pytest.mark.parametrize("frame", [9.0, 13.0])
def test_a_stiff_rider_weighs_the_same_in_the_same_place_as_one_of_fifteen_segments(frame):
    """Mass, centre and inertia of all that moves with the frame, but for what is not the same on both sides."""
    found = []
    for rider in ("articulated", "rigid"):
        yard = Yard(rider=rider, steering="fork", frame_mass=frame, phase=[0.0])
        model, data = yard.model, yard.data
        wheels = {"robot_0/rear", "robot_0/front", "robot_0/fork", "robot_0/crank"}
        parts = [k for k in range(1, model.nbody) if model.body(k).name not in wheels]
        mass, place = model.body_mass[parts], data.xipos[parts] - data.body("robot_0/rear").xpos
        centre, inertia = mass @ place / mass.sum(), np.zeros((3, 3))
        for k, m, at in zip(parts, mass, place - mass @ place / mass.sum()):
            turn = data.ximat[k].reshape(3, 3)
            inertia += turn @ np.diag(model.body_inertia[k]) @ turn.T + m * (at @ at * np.eye(3) - np.outer(at, at))
        found.append((len(parts), mass.sum(), centre, inertia))
    (many, mass, centre, inertia), (one, same, stiff, lump) = found
    assert (many, one) == (16, 1) and same == pytest.approx(mass) and same > frame + 80.0
    assert stiff[[0, 2]] == pytest.approx(centre[[0, 2]], abs=0.01) and abs(stiff[1]) < 1e-9
    assert np.diag(lump) == pytest.approx(np.diag(inertia), rel=0.02) and lump[0, 2] == pytest.approx(inertia[0, 2], rel=0.05)
    assert abs(lump[0, 1]) < 1e-6 and abs(lump[1, 2]) < 1e-6


def test_a_stiff_rider_looks_as_one_of_fifteen_segments_does():
    """The same shapes of the same sizes and colours in the same places, of the frame and of the rider."""
    seen = []
    for rider in ("articulated", "rigid"):
        yard = Yard(rider=rider, steering="fork", phase=[0.0])
        model, data = yard.model, yard.data
        shapes = np.isin(model.geom_type, (int(mujoco.mjtGeom.mjGEOM_CAPSULE), int(mujoco.mjtGeom.mjGEOM_ELLIPSOID)))
        turned = np.abs(data.geom_xmat.reshape(-1, 3, 3)[:, :, 2])  # where the long axis points, either way
        seen.append(np.column_stack((data.geom_xpos, 0.1 * turned, model.geom_size, model.geom_rgba))[shapes])
    articulated, stiff = seen
    assert len(articulated) == len(stiff) > 30
    for one, other in ((articulated, stiff), (stiff, articulated)):
        for shape in one:
            alike = other[np.abs(other[:, 6:] - shape[6:]).max(axis=1) < 1e-6]
            assert np.abs(alike[:, :6] - shape[:6]).max(axis=1).min() < 0.03
