"""The stiff rider: the frame carries its mass and its looks in the posture that the articulated one starts in. A simplification."""

from dataclasses import replace

import numpy as np

from swarm_control.robots.bicycle import body as body
from swarm_control.robots.bicycle.body import numbers
from swarm_control.robots.bicycle.mjcf import Writer
from swarm_control.robots.bicycle.posture import STEERS, Model, posture

SHAPES = {3: "capsule", 4: "ellipsoid"}
"""MuJoCo's numbers of the shapes that a rider is drawn with."""


def stiff_rider(writer: Writer) -> tuple[str, str]:
    """MJCF of the frame with the rider's mass, and of what is seen of the rider."""
    made = Model(replace(writer.bicycle, rider="articulated"), writer.looks)
    found = posture(writer.bicycle)
    made.sit(found.arm[STEERS // 2], found.leg)
    m, d = made.model, made.data
    first = m.body("r/pelvis").id
    rider = np.arange(first, m.nbody)
    masses = np.append(m.body_mass[rider], writer.bicycle.frame_mass)
    (x, z), own = writer.at.centre, np.diag(body.FRAME_INERTIA)
    places = np.vstack((d.xipos[rider], (x, 0.0, z)))
    centre = masses @ places / masses.sum()
    total = np.zeros((3, 3))
    for k, (mass, place) in enumerate(zip(masses, places - centre)):
        turn = d.ximat[rider[k]].reshape(3, 3) if k < len(rider) else np.eye(3)
        inertia = np.diag(m.body_inertia[rider[k]]) if k < len(rider) else own
        total += turn @ inertia @ turn.T + mass * (place @ place * np.eye(3) - np.outer(place, place))
    centre[1] = total[0, 1] = total[1, 2] = 0.0  # one pedal is up, the other down: taken as the mean of both sides
    full = numbers(*total[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)])
    mass = f'<inertial pos="{numbers(*centre)}" mass="{masses.sum():.9g}" fullinertia="{full}"/>'
    return mass, "".join(_seen(m, d, k) for k in range(m.ngeom) if m.geom_bodyid[k] >= first)


def _seen(m, d, k) -> str:  # type: ignore[no-untyped-def]
    """MJCF of a geom where it is."""
    import mujoco

    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, d.geom_xmat[k])
    shape, size, colour = SHAPES[int(m.geom_type[k])], numbers(*m.geom_size[k]), numbers(*m.geom_rgba[k])
    at = f'pos="{numbers(*d.geom_xpos[k])}" quat="{numbers(*quat)}"'
    return f'<geom class="bicycle/seen" type="{shape}" {at} size="{size}" rgba="{colour}"/>'
