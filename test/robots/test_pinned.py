"""The bridge to Pinocchio: a tree with every kind of joint, several per body, moved and turned, has the same accelerations in both."""

import mujoco
import numpy as np
import pytest
from pinned import Pinned

TREE = """
<mujoco><compiler autolimits="true"/><option gravity="1 2 -9"><flag contact="disable"/></option><worldbody>
  <body pos="1 2 3" euler="10 20 30"><freejoint/><inertial pos=".1 .2 .3" mass="2" diaginertia=".3 .2 .4" euler="30 40 50"/>
    <body pos=".5 0 .1" euler="5 15 40"><inertial pos="0 .1 0" mass="1" diaginertia=".1 .2 .2"/>
      <joint type="hinge" axis="1 2 0" pos=".1 .2 0" armature=".1" damping=".3" stiffness="4" springref=".2"/>
      <joint type="slide" axis="0 1 1" ref=".4"/>
      <joint name="last" type="hinge" axis="0 0 1" pos="0 .1 .1"/>
      <body pos="0 0 .4"><joint type="ball" pos="0 .1 0" armature=".05"/><inertial pos="0 .1 .3" mass="1" diaginertia=".1 .2 .2"/>
        <body pos="0 0 .2" euler="3 4 5"><inertial pos="0 .1 .3" mass="1" diaginertia=".1 .2 .2"/></body>
      </body>
    </body>
  </body>
  <body pos="0 0 1"><joint type="hinge" axis="0 1 0"/><inertial pos="0 .1 .3" mass="1" diaginertia=".1 .2 .2"/></body>
</worldbody><actuator><motor joint="last" gear="3"/></actuator></mujoco>"""


@pytest.mark.parametrize("seed", range(5))
def test_accelerations_and_energies_are_the_same(seed):
    model, rng = mujoco.MjModel.from_xml_string(TREE), np.random.default_rng(seed)
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    data, pinned = mujoco.MjData(model), Pinned(model)
    mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 1.0)
    data.qvel[:], data.qfrc_applied[:], data.ctrl[:] = rng.normal(size=model.nv), rng.normal(size=model.nv), 2.0
    mujoco.mj_forward(model, data)
    assert pinned.acceleration(data) == pytest.approx(data.qacc, rel=1e-9, abs=1e-9)
    kinetic, _ = pinned.energy(data)
    rotors = 0.5 * float(model.dof_armature @ data.qvel**2)
    assert kinetic + rotors == pytest.approx(float(data.energy[1]), rel=1e-12)
