import numpy as np
import pytest
import yaml

from swarm_control.cli.main import main
from swarm_control.hardware.tracking.floor import FloorProjection
from swarm_control.scenario.hardware import FloorCalibration
from swarm_control.scenario.tree import build

cv2 = pytest.importorskip("cv2")

POINTS = ["1021,55=1.4,1.4", "216,47=-1.4,1.4", "228,849=-1.4,-1.4", "1011,842=1.4,-1.4"]
"""Seen from above, x to the right and y up: as a camera that hangs upside down over the floor sees it."""


@pytest.fixture
def image(tmp_path):
    path = tmp_path / "floor.png"
    cv2.imwrite(str(path), np.full((960, 1280, 3), 128, np.uint8))
    return path


def test_what_is_printed_is_the_calibration(image, tmp_path, capsys):
    words = [word for point in POINTS for word in ("--point", point)]
    assert main(["calibrate", str(image), *words, "--camera", "0,0,3", "--out", str(tmp_path / "grid.png")]) == 0
    printed = capsys.readouterr().out
    data = yaml.safe_load(printed)["hardware"]["tracker"]["floor"]
    floor = FloorProjection.of(build(FloorCalibration, data, "printed"))
    assert np.allclose(floor.to_floor(np.array([[1021.0, 55.0]])), [[1.4, 1.4]]) and floor.camera.tolist() == [0.0, 0.0, 3.0]
    assert "met within 0.0 mm" in printed and "four points" in printed
    drawn = cv2.imread(str(tmp_path / "grid.png"))
    u, v = np.round(floor.to_image(np.array([[0.5, 0.25]]))[0]).astype(int)
    assert (drawn[v, u] != 128).any()  # on the line x = 0.5 m


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "image_points"), (["--point", "1,2"], "PX,PY=X,Y"), (["--point", "1,2=a,b"], "PX,PY=X,Y"),
        ([word for point in POINTS for word in ("--point", point)] + ["--camera", "high"], "numbers with commas"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(image, capsys, words, message):
    assert main(["calibrate", str(image), *words]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_what_is_no_image_is_one_line(tmp_path, capsys):
    (tmp_path / "text.png").write_text("no picture")
    assert main(["calibrate", str(tmp_path / "text.png")]) == 2
    assert "no image" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_one_line(capfd):
    assert main(["calibrate", "nope.png"]) == 2
    assert capfd.readouterr().err == "swarm: nope.png: no such file, expected an image\n"
