"""The same robots in Pinocchio: a tree of joints made from any MuJoCo model, to check accelerations by its articulated-body algorithm.

``Pinned(model).acceleration(data)`` is what ``data.qacc`` must be after ``mj_forward``: gravity, armature, springs, damping, actuators,
``qfrc_applied`` and, when wanted, the constraints' forces that MuJoCo found. Joints: free, ball, hinge, slide, any number per body.
"""

import mujoco
import numpy as np
import pinocchio as pin

FREE, BALL, SLIDE, HINGE = (int(kind) for kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL,
                                                  mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE))  # fmt: skip


def placed(position, quaternion=(1.0, 0.0, 0.0, 0.0)):
    w, x, y, z = quaternion
    return pin.SE3(pin.Quaternion(w, x, y, z).normalized().matrix(), np.array(position, float))


def moves(kind, axis):
    """Pinocchio's joint."""
    if kind == FREE:
        return pin.JointModelFreeFlyer()
    if kind == BALL:
        return pin.JointModelSpherical()
    return pin.JointModelPrismaticUnaligned(axis) if kind == SLIDE else pin.JointModelRevoluteUnaligned(axis)


class Pinned:
    """A model in both: ``model`` is MuJoCo's, ``tree`` Pinocchio's. Coordinates of joints lie elsewhere, which the two indices tell."""

    def __init__(self, model):
        self.model, self.tree = model, pin.Model()
        self.tree.gravity = pin.Motion(np.array(model.opt.gravity), np.zeros(3))
        self.joint = np.zeros(model.njnt, int)  # of each of MuJoCo's joints, Pinocchio's
        self._hold = {0: (0, pin.SE3.Identity())}  # of each body, the joint that carries it, and where it is on that
        for body in range(1, model.nbody):
            self._add(body)
        armature = np.zeros(self.tree.nv)
        for k, j in enumerate(self.joint.tolist()):
            width, at, to = self.tree.joints[j].nv, model.jnt_dofadr[k], self.tree.joints[j].idx_v
            armature[to : to + width] = model.dof_armature[at : at + width]
        self._bare = pin.Model(self.tree)  # as yet without armature, which counts in Pinocchio's energy for some joints and not for others
        self.tree.armature = armature
        self.data, self._bare_data = self.tree.createData(), self._bare.createData()

    def _add(self, body):
        m = self.model
        joint, on = self._hold[int(m.body_parentid[body])]
        at = on * placed(m.body_pos[body], m.body_quat[body])
        first = int(m.body_jntadr[body])
        for k in range(first, first + int(m.body_jntnum[body])):
            kind, anchor = int(m.jnt_type[k]), placed(m.jnt_pos[k])
            if kind == FREE:
                at, anchor = pin.SE3.Identity(), pin.SE3.Identity()
            joint = self.tree.addJoint(joint, moves(kind, np.array(m.jnt_axis[k])), at * anchor, f"joint {k}")
            self.joint[k] = joint
            at = anchor.inverse()
        self._hold[body] = joint, at
        turned = placed(m.body_ipos[body], m.body_iquat[body])
        if m.body_mass[body] > 0.0 and joint > 0:
            inertia = pin.Inertia(float(m.body_mass[body]), np.zeros(3), np.diag(m.body_inertia[body]))
            self.tree.appendBodyToJoint(joint, inertia, at * turned)

    def q(self, data):
        """Pinocchio's coordinates."""
        q, m = pin.neutral(self.tree), self.model
        for k, j in enumerate(self.joint.tolist()):
            to, at, kind = self.tree.joints[j].idx_q, m.jnt_qposadr[k], m.jnt_type[k]
            if kind == FREE:
                q[to : to + 3] = data.qpos[at : at + 3]
            if kind in (FREE, BALL):
                last = at + (3 if kind == FREE else 0)
                w, x, y, z = data.qpos[last : last + 4]
                to += 3 if kind == FREE else 0
                q[to : to + 4] = np.array((x, y, z, w)) / np.linalg.norm((w, x, y, z))
            else:
                q[to] = data.qpos[at] - m.qpos0[at]
        return q

    def _turned(self, data):
        """Per joint: where its coordinates are in both, how many, and the rotation of a free body (others: None)."""
        for k, j in enumerate(self.joint.tolist()):
            turn = None
            if self.model.jnt_type[k] == FREE:
                at = self.model.jnt_qposadr[k] + 3
                turn = placed(np.zeros(3), data.qpos[at : at + 4]).rotation
            yield int(self.model.jnt_dofadr[k]), self.tree.joints[j].idx_v, self.tree.joints[j].nv, turn

    def v(self, data, values=None):
        """Pinocchio's velocities, or forces when ``values`` (nv,) are MuJoCo's forces: a free body's are in its own frame."""
        values, result = data.qvel if values is None else values, np.zeros(self.tree.nv)
        for at, to, width, turn in self._turned(data):
            result[to : to + width] = values[at : at + width]
            if turn is not None:
                result[to : to + 3] = turn.T @ values[at : at + 3]
        return result

    def passive(self, data):
        """Forces (nv,) of springs and dampers, from their definitions."""
        m = self.model
        force = -m.dof_damping.reshape(m.nv, -1)[:, 0] * data.qvel
        for k in range(m.njnt):
            stiffness = float(m.jnt_stiffness.reshape(m.njnt, -1)[k, 0])
            if stiffness > 0.0:
                assert m.jnt_type[k] in (SLIDE, HINGE), "springs of free and ball joints are not known here"
                at = m.jnt_qposadr[k]
                force[m.jnt_dofadr[k]] -= stiffness * (data.qpos[at] - m.qpos_spring[at])
        return force

    def acceleration(self, data, constraints=False):
        """MuJoCo's ``qacc`` (nv,) by the articulated-body algorithm; ``constraints``: with the forces that MuJoCo found for them."""
        force = self.passive(data) + data.qfrc_applied + data.qfrc_actuator
        if constraints:
            force = force + data.qfrc_constraint
        v, result = self.v(data), np.zeros(self.model.nv)
        found = pin.aba(self.tree, self.data, self.q(data), v, self.v(data, force))
        for at, to, width, turn in self._turned(data):
            result[at : at + width] = found[to : to + width]
            if turn is not None:
                result[at : at + 3] = turn @ (found[to : to + 3] + np.cross(v[to + 3 : to + 6], v[to : to + 3]))
        return result

    def energy(self, data):
        """Kinetic and potential energy of the bodies (springs left out); armature's share not counted."""
        q, v = self.q(data), self.v(data)
        pin.computeKineticEnergy(self._bare, self._bare_data, q, v)
        return self._bare_data.kinetic_energy, pin.computePotentialEnergy(self._bare, self._bare_data, q)
