"""One robot of a description, compiled: its joints, what they can do, and the legs that they make."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from swarm_control.core.geometry import Array, IntArray
from swarm_control.errors import InputError
from swarm_control.robots.from_file.source import MESHES, read

BODY = 5
"""``contype`` of what meets ground, robots and walls; see :class:`~swarm_control.robots.mujoco.Kind`."""


@dataclass(frozen=True)
class Limb:
    """A chain of joints that hangs from the base. ``joints`` (K,): its joints; ``tip`` (3,) m: where it ends, in its last body's frame.

    ``places`` (K, 3) m, ``turns`` (K, 3, 3) and ``axes`` (K, 3): each joint's frame in that of the joint before (of the base, for the
    first) at angle zero, and its axis therein. ``name``: of the last body. ``thick`` (m): from the tip to what touches the ground.
    """

    name: str
    joints: IntArray
    places: Array
    turns: Array
    axes: Array
    tip: Array
    thick: float

    @property
    def reach(self) -> float:
        """How long it is from its second joint on, stretched, m."""
        lengths = [*np.linalg.norm(self.places[2:], axis=1), np.linalg.norm(self.tip)]
        return float(sum(lengths))


class Machine:
    """A robot as its description has it. ``spec``: MuJoCo's, ready to be attached; ``model``: compiled; ``where``: for errors.

    ``joints`` (J,): names of those that turn or slide, in the model's order; ``low`` and ``high`` (J,) rad or m, infinite where they turn
    freely; ``rest`` (J,): angles at the start, ``posed``: those that somebody asked for; ``mass`` kg. Parts of the description that are
    not understood are warned of.
    """

    def __init__(self, path: str, base: str, posture: tuple[str, ...], where: str) -> None:
        import mujoco

        self._mujoco, self.where = mujoco, where
        self.spec, missing = read(path, where)
        if missing:
            warnings.warn(f"{where}: what collides as {', '.join(missing)} touches nothing; expected {', '.join(MESHES)}", stacklevel=2)
        self._bare()
        self.base = self._free(base)
        try:
            self.model: Any = self.spec.compile()
        except ValueError as error:
            raise InputError(where, f"{path.rpartition('/')[2]}: {' '.join(str(error).split())[:200]}") from None
        self._numbers = [k for k in range(self.model.njnt) if self.model.jnt_type[k] != mujoco.mjtJoint.mjJNT_FREE]
        if any(self.model.jnt_type[k] == mujoco.mjtJoint.mjJNT_BALL for k in self._numbers):
            raise InputError(where, "a ball joint found, expected joints that turn or slide")
        self.joints = tuple(self.model.joint(k).name for k in self._numbers)
        limited = self.model.jnt_limited[self._numbers].astype(bool)
        self.low, self.high = np.where(limited[:, None], self.model.jnt_range[self._numbers], [-np.inf, np.inf]).T
        self.mass = float(self.model.body_mass.sum())
        self.posed = {self.number(name, "posture"): angle for name, angle in map(self._pose, posture)}
        self.rest = np.clip(np.zeros(len(self.joints)), self.low, self.high)
        self.rest[list(self.posed)] = list(self.posed.values())

    def _pose(self, entry: str) -> tuple[str, float]:
        """A joint and its angle."""
        name, _, angle = entry.partition("=")
        try:
            return name.strip(), float(angle)
        except ValueError:
            raise InputError(f"{self.where}.posture", f"{entry} found, expected a joint's name = its angle in rad") from None

    def _bare(self) -> None:
        """Take away what is the world's, and motors, whose limits are kept."""
        spec = self.spec
        self._strength = {}
        for actuator in list(spec.actuators):
            if actuator.trntype == self._mujoco.mjtTrn.mjTRN_JOINT:
                span = actuator.forcerange if actuator.forcerange[1] > 0.0 else actuator.ctrlrange * actuator.gainprm[0]
                self._strength[actuator.target] = float(abs(span[1] * actuator.gear[0])) or np.inf
            spec.delete(actuator)
        for things in (spec.worldbody.geoms, spec.lights, spec.cameras, spec.keys, spec.sensors):
            for thing in list(things):
                spec.delete(thing)
        for k, body in enumerate(spec.bodies[1:]):
            body.name = body.name or f"body_{k}"
        for k, joint in enumerate(spec.joints):
            joint.name = joint.name or f"joint_{k}"
        for geom in spec.geoms:
            if geom.contype or geom.conaffinity:
                geom.contype, geom.conaffinity = BODY, 2
                geom.friction[0] = 0.0

    def _free(self, base: str) -> str:
        """The name of the body that carries all others; it moves freely from now on."""
        free = [body for body in self.spec.bodies if any(joint.type == self._mujoco.mjtJoint.mjJNT_FREE for joint in body.joints)]
        tops = free or list(self.spec.worldbody.bodies)
        names = ", ".join(body.name for body in tops)
        found = [body for body in tops if body.name == base] if base else tops
        if len(found) != 1:
            raise InputError(f"{self.where}.base", f"{base or 'none'} found, expected the body that carries all others: {names}")
        if found[0] not in free:
            for joint in list(found[0].joints):
                self.spec.delete(joint)
            found[0].add_freejoint()
        for joint in found[0].joints:
            joint.name = "base"
        return str(found[0].name)

    @property
    def angles(self) -> IntArray:
        """Where in ``qpos`` the joints are (J,)."""
        return np.asarray(self.model.jnt_qposadr[self._numbers])

    @property
    def rotors(self) -> Array:
        """Inertia of the motors' rotors, as the joints feel it (J,), kg·m²; 0 where the description does not say."""
        return np.asarray(self.model.dof_armature[self.model.jnt_dofadr[self._numbers]])

    @property
    def effort(self) -> Array:
        """Most that a motor may give at each joint (J,), N·m or N."""
        limits = self.model.jnt_actfrcrange[self._numbers, 1]
        known = self.model.jnt_actfrclimited[self._numbers].astype(bool)
        return np.where(known, limits, [self._strength.get(name, np.inf) for name in self.joints])

    def number(self, joint: str, where: str) -> int:
        """Which joint has this name."""
        if joint not in self.joints:
            raise InputError(f"{self.where}.{where}", f"{joint} found, expected one of {', '.join(self.joints)}")
        return self.joints.index(joint)

    def body_of(self, joint: int) -> int:
        """The body that a joint moves."""
        return int(self.model.jnt_bodyid[self._numbers[joint]])

    def shapes(self, body: int) -> list[int]:
        """What of a body collides."""
        model = self.model
        return [k for k in range(model.ngeom) if model.geom_bodyid[k] == body and (model.geom_contype[k] or model.geom_conaffinity[k])]

    def polish(self, joints: IntArray) -> None:
        """Let all but what these ``joints`` move slide on the ground without friction, as castors do."""
        rough = {self.model.body(self.body_of(joint)).name for joint in joints}
        for body in self.spec.bodies:
            for geom in body.geoms if body.name not in rough else ():
                geom.priority, geom.friction = 1, [0.0, 0.0, 0.0]

    def limbs(self) -> list[Limb]:
        """Every chain of joints from the base to a last body that can touch something."""
        parents = set(self.model.body_parentid.tolist())
        last = [k for k in range(1, self.model.nbody) if k not in parents and self.shapes(k)]
        found = [self._limb(body) for body in last]
        return [limb for limb in found if limb is not None]

    def _limb(self, last: int) -> Limb | None:
        model, chain, k = self.model, [], last
        while k > 0 and model.body(k).name != self.base:
            chain.append(k)
            k = int(model.body_parentid[k])
        turn, place = np.eye(3), np.zeros(3)
        joints, places, turns, axes = [], [], [], []
        for body in reversed(chain):
            place = place + turn @ model.body_pos[body]
            turn = turn @ self._matrix(model.body_quat[body])
            first = int(model.body_jntadr[body])
            for joint in range(first, first + int(model.body_jntnum[body])):
                joints.append(self._numbers.index(joint))
                places.append(place + turn @ model.jnt_pos[joint])
                turns.append(turn)
                axes.append(model.jnt_axis[joint].copy())
                turn, place = np.eye(3), -model.jnt_pos[joint]
        if not joints or any(model.jnt_type[self._numbers[k]] != self._mujoco.mjtJoint.mjJNT_HINGE for k in joints):
            return None
        tip, thick = self._tip(last, model.jnt_pos[self._numbers[joints[-1]]])
        return Limb(model.body(last).name, np.array(joints), np.array(places), np.array(turns), np.array(axes), place + turn @ tip, thick)

    def _tip(self, body: int, joint: Array) -> tuple[Array, float]:
        """The point of a body's shapes that is farthest from its ``joint`` (m, its frame), and how thick it is there."""
        shapes, ends = self._mujoco.mjtGeom, []
        for k in self.shapes(body):
            kind = int(self.model.geom_type[k])
            half = self._matrix(self.model.geom_quat[k])[:, 2] * self.model.geom_size[k, 1] * (kind == int(shapes.mjGEOM_CAPSULE))
            rounded = kind in (int(shapes.mjGEOM_CAPSULE), int(shapes.mjGEOM_SPHERE))
            thick = float(self.model.geom_size[k, 0] if rounded else self.model.geom_aabb[k, 3:].min())
            ends += [(self.model.geom_pos[k] + half, thick), (self.model.geom_pos[k] - half, thick)]
        return max(ends, key=lambda end: float(np.linalg.norm(end[0] - joint)))

    def _matrix(self, quaternion: Array) -> Array:
        flat = np.empty(9)
        self._mujoco.mju_quat2Mat(flat, quaternion)
        return flat.reshape(3, 3)
