"""What robots that MuJoCo moves look like: their description, read back, shows the shapes of the model where they are."""

import math
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swarm_control.scenario.loader import load_prepared
from swarm_control.sim.mujoco.herd import HerdEngine
from swarm_control.sim.mujoco.looks import _ellipsoid, looks
from swarm_control.world.urdf import Piece, urdf

ANGLE = st.floats(-math.pi, math.pi)


def read_back(text):
    """The description, as MuJoCo reads it, with what it shows, all in one piece."""
    option = '<mujoco><compiler discardvisual="false" strippath="false"/></mujoco>'
    model = mujoco.MjSpec.from_string(text.replace("file://", "").replace("<link", f"{option}<link", 1)).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize("name", ["hexapod_flock", "herd_hoppers", "herd_bicycles"])
def test_a_description_shows_the_shapes_of_the_model_where_they_are(name, tmp_path):
    loaded, setup = load_prepared(name, [])
    scenario = loaded.scenario
    pieces = looks(setup.fleet, setup.start, 0, scenario.bodies, scenario.seed, tmp_path)
    model, data = read_back(urdf(setup.fleet, 0, pieces))
    assert model.ngeom == len(pieces) > 5
    engine = HerdEngine(setup.fleet, setup.start, None, 0.05, scenario.bodies, scenario.seed)
    root = engine.model.body_rootid[engine.model.geom_bodyid]
    own = np.flatnonzero((root == root[root > 0][0]) & (engine.model.geom_group < 3))
    heights = engine.unit * engine.data.geom_xpos[own, 2]
    assert data.geom_xpos[:, 2].max() == pytest.approx(heights.max(), rel=0.1)
    assert data.geom_xpos[:, 2].min() == pytest.approx(heights.min(), abs=0.1 * heights.max())
    for geom, piece in enumerate(pieces):
        if piece.shape == "mesh":  # which MuJoCo puts about its middle
            assert Path(unquote(urlsplit(piece.file).path)).is_file()
        else:
            assert data.geom_xpos[geom] == pytest.approx(piece.place, abs=1e-4)
            assert data.geom_xmat[geom].reshape(3, 3) == pytest.approx(piece.turn, abs=1e-4)
            assert model.geom_rgba[geom] == pytest.approx(piece.colour, abs=1e-5)
    again = looks(setup.fleet, setup.start, 0, scenario.bodies, scenario.seed, tmp_path)
    assert [one.file for one in again] == [one.file for one in pieces], "what looks alike is one file"


@given(ANGLE, ANGLE, ANGLE)
def test_any_turn_is_read_back(roll, pitch, yaw):
    (x, u), (y, v), (z, w) = ((math.cos(angle), math.sin(angle)) for angle in (roll, pitch, yaw))
    about_x, about_y = np.array([[1, 0, 0], [0, x, -u], [0, u, x]]), np.array([[y, 0, v], [0, 1, 0], [-v, 0, y]])
    turn = np.array([[z, -w, 0], [w, z, 0], [0, 0, 1]]) @ about_y @ about_x
    _, setup = load_prepared("herd_hoppers", [])
    piece = Piece("box", (0.1, 0.2, 0.3), np.array([0.1, -0.2, 0.3]), turn, np.ones(4))
    roll, pitch, yaw = (float(t) for t in ElementTree.fromstring(urdf(setup.fleet, 0, [piece])).find(".//origin").get("rpy").split())
    _, data = read_back(urdf(setup.fleet, 0, [piece]))
    assert data.geom_xmat[0].reshape(3, 3) == pytest.approx(turn, abs=2e-5)


@given(st.tuples(*[st.floats(0.01, 10.0)] * 3))
def test_an_ellipsoid_is_on_its_surface_and_nearly_as_large(size):
    corners, faces = _ellipsoid(np.array(size))
    assert np.square(corners / size).sum(axis=1) == pytest.approx(1.0)
    a, b, c = np.moveaxis(corners[faces], 1, 0)
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert 0.9 < volume / (4.0 / 3.0 * math.pi * math.prod(size)) < 1.0, "its triangles look outwards"
