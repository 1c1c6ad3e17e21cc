"""The linearised equations of the Whipple bicycle: Meijaard, Papadopoulos, Ruina & Schwab, Proc. R. Soc. A 463 (2007), appendix A.

``M q̈ + v·C₁·q̇ + (g·K₀ + v²·K₂)·q = 0`` with q = (φ, δ): roll and steering angle, both to the right. Positions are measured from where
the rear wheel touches the ground, x ahead and z down; products of inertia are those of the matrix (I_xz = −∫xz dm).
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Whipple:
    """Wheel base ``w``, ``trail``, ``tilt`` of the steering axis from the vertical; wheels (radius, mass, I_xx, I_yy); rear frame and
    front frame (x, z, mass, I_xx, I_xz, I_zz). ``spin``: further angular momentum in the rear frame per speed, kg m.
    """

    w: float
    trail: float
    tilt: float
    rear: tuple
    front: tuple
    frame: tuple
    fork: tuple
    spin: float = 0.0
    g: float = 9.81

    def matrices(self):
        """M, C₁, K₀, K₂."""
        w, c, lean = self.w, self.trail, self.tilt
        (rr, mr, rxx, ryy), (rf, mf, fxx, fyy) = self.rear, self.front
        (xb, zb, mb, bxx, bxz, bzz), (xh, zh, mh, hxx, hxz, hzz) = self.frame, self.fork
        sin, cos = np.sin(lean), np.cos(lean)
        total = mr + mb + mh + mf
        xt, zt = (xb * mb + xh * mh + w * mf) / total, (-rr * mr + zb * mb + zh * mh - rf * mf) / total
        txx = rxx + bxx + hxx + fxx + mr * rr**2 + mb * zb**2 + mh * zh**2 + mf * rf**2
        txz = bxz + hxz - mb * xb * zb - mh * xh * zh + mf * w * rf
        tzz = rxx + bzz + hzz + fxx + mb * xb**2 + mh * xh**2 + mf * w**2
        ma = mh + mf
        xa, za = (xh * mh + w * mf) / ma, (zh * mh - rf * mf) / ma
        axx = hxx + fxx + mh * (zh - za) ** 2 + mf * (rf + za) ** 2
        axz = hxz - mh * (xh - xa) * (zh - za) + mf * (w - xa) * (rf + za)
        azz = hzz + fxx + mh * (xh - xa) ** 2 + mf * (w - xa) ** 2
        ua = (xa - w - c) * cos - za * sin
        all_, alx, alz = (
            ma * ua**2 + axx * sin**2 + 2.0 * axz * sin * cos + azz * cos**2, -ma * ua * za + axx * sin + axz * cos,
            ma * ua * xa + axz * sin + azz * cos,
        )  # fmt: skip
        mu, sr, sf = c / w * cos, ryy / rr + self.spin, fyy / rf
        st, sa = sr + sf, ma * ua + mu * total * xt
        mass = np.array([[txx, alx + mu * txz], [alx + mu * txz, all_ + 2.0 * mu * alz + mu**2 * tzz]])
        damping = np.array([
            [0.0, mu * st + sf * cos + txz / w * cos - mu * total * zt],
            [-(mu * st + sf * cos), alz / w * cos + mu * (sa + tzz / w * cos)],
        ])  # fmt: skip
        still = np.array([[total * zt, -sa], [-sa, -sa * sin]])
        moving = np.array([[0.0, (st - total * zt) / w * cos], [0.0, (sa + sf * sin) / w * cos]])
        return mass, damping, still, moving

    def system(self, v):
        """The matrix (4, 4) of the equations of first order in (φ, δ, φ̇, δ̇) at speed ``v``."""
        mass, damping, still, moving = self.matrices()
        inverse = np.linalg.inv(mass)
        return np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ (self.g * still + v**2 * moving), -inverse @ (v * damping)]])


BENCHMARK = Whipple(
    1.02, 0.08, np.pi / 10.0, (0.3, 2.0, 0.0603, 0.12), (0.35, 3.0, 0.1405, 0.28), (0.3, -0.9, 85.0, 9.2, 2.4, 2.8),
    (0.9, -0.7, 4.0, 0.05892, -0.00756, 0.00708),
)  # fmt: skip
"""The paper's benchmark bicycle (its table 1)."""


def of(model, data, robot="robot_0"):
    """The Whipple bicycle that a compiled bicycle with a stiff rider is: straight, upright, wheels on the ground."""
    hub, front, head = (data.body(f"{robot}/{part}").xpos for part in ("rear", "front", "fork"))
    axis = data.joint(f"{robot}/fork").xaxis
    foot = head + axis * (head[2] / -axis[2])  # where the steering axis meets the ground
    parts = {name: model.body(f"{robot}/{name}") for name in ("rear", "front", "crank")}
    radius = {k: float(model.geom(f"{robot}/{k}").size[0]) for k in ("rear", "front")}
    wheels = [(radius[k], float(parts[k].mass[0]), float(parts[k].inertia[0]), float(parts[k].inertia[1])) for k in radius]
    origin = np.array([hub[0], 0.0, 0.0])
    geared = float(parts["crank"].inertia[1]) * float(model.eq_data[model.equality(f"{robot}/chain").id][1]) / radius["rear"]
    return Whipple(
        float(front[0] - hub[0]), float(foot[0] - front[0]), float(np.arctan2(-axis[0], axis[2])), *wheels,
        _lump(model, data, origin, (robot, f"{robot}/crank")), _lump(model, data, origin, (f"{robot}/fork",)), float(geared),
    )  # fmt: skip


def _lump(model, data, origin, bodies):
    """x, z, mass and inertia of bodies taken as one; z down."""
    turn = np.diag([1.0, -1.0, -1.0])
    ids = [model.body(name).id for name in bodies]
    mass, place = model.body_mass[ids], (data.xipos[ids] - origin) @ turn
    centre, inertia = mass @ place / mass.sum(), np.zeros((3, 3))
    for k, m, r in zip(ids, mass, place - mass @ place / mass.sum()):
        axes = turn @ data.ximat[k].reshape(3, 3)
        inertia += axes @ np.diag(model.body_inertia[k]) @ axes.T + m * (r @ r * np.eye(3) - np.outer(r, r))
    return tuple(map(float, (centre[0], centre[2], mass.sum(), inertia[0, 0], inertia[0, 2], inertia[2, 2])))
