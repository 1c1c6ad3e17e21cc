"""``swarm laws`` as its users call it: what it says of a scenario, a design that runs, and wrong options, each with a line."""

from pathlib import Path

import pytest

import swarm_control as sc
from swarm_control.cli.main import main


def test_a_scenarios_laws_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["laws", "cluster", "--robots", "50"]) == 0
    out = capsys.readouterr().out
    assert "held at 2 m" in out and "50 robots form a disc of " in out


def test_a_design_is_written_tried_and_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a box.yaml"
    options = ["--robots", "12", "--trials", "1", "--seed", "5", "--out", str(path)]
    assert main(["laws", "--polygon", "0,0 2,0 2,1 0,1", *options]) == 0
    told = capsys.readouterr()
    assert all(part in told.out for part in ("12 robots", "seed 0: at the end ", ", 0 collisions", f"swarm simulate '{path}'"))
    assert "of 5 rounds" in told.err
    assert main(["simulate", str(path), "--duration", "0.2", "--out", str(tmp_path / "run")]) == 0
    assert (tmp_path / "run" / "summary.json").is_file()


@pytest.mark.parametrize("corners", [
    pytest.param("0,0 200,0 200,150 0,150", marks=pytest.mark.study), "20000,-7000 20003,-7000 20003,-6998 20000,-6998",
])  # fmt: skip
def test_designs_are_as_good_far_away_and_large(corners: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "far.yaml"
    assert main(["laws", "--polygon", corners, "--robots", "15", "--trials", "1", "--out", str(path)]) == 0
    told = capsys.readouterr().out
    assert all(float(told.split(before)[1].split("%")[0]) < 12.0 for before in ("wrong place: ", "at the end "))


def test_a_design_for_a_floor_of_hundreds_of_metres_can_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    assert main(["laws", "--polygon", "0,0 900,0 0,600", "--robots", "15", "--trials", "0", "--out", str(path)]) == 0
    assert len(sc.load(str(path)).scenario.landmarks) > 3


@pytest.mark.study
def test_a_density_that_landmarks_cannot_follow_is_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, path = tmp_path / "steep.csv", tmp_path / "steep.yaml"
    table.write_text("r,density\n0,1000\n0.5,1000\n0.51,1\n3,1\n", encoding="utf-8")
    assert main(["laws", "--density", str(table), "--robots", "20", "--radius", "0.02", "--trials", "0", "--out", str(path)]) == 0
    assert "warning: landmarks cannot follow this density well" in capsys.readouterr().out


@pytest.mark.parametrize("edges,springs", [("all", 15), ("fewest", 10)])
def test_a_structure_forms_by_its_springs(edges: str, springs: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = tmp_path / "places.csv"
    places.write_text("0,0\n1,0.1\n0.2,1\n1.3,1.2\n2.1,0.2\n2,1.4\n", encoding="utf-8")
    path = tmp_path / "structure.yaml"
    assert main(["laws", "--structure", str(places), "--edges", edges, "--trials", "1", "--out", str(path)]) == 0
    out = capsys.readouterr().out
    assert f"6 robots, {springs} springs: rigid" in out and "shape off by 0.0%" in out and "0 collisions" in out


@pytest.mark.parametrize(
    "text,options,told",
    [
        ("0,0\n1,0\n0,1\n", [], "3 places found, expected at least four"),
        ("0,0\n1,0\n2,0\n3,0\n", [], "places along a line"),
        ("0,0\n1,0\n0,1\n1,a\n", [], "row 4: '1,a' found, expected 2 numbers"),
        ("0,0\n1,0\n0,1\n1,0\n", [], "a place that is given twice"),
        ("0,0\n1,0\n0,1\n1,1.02\n0.98,0\n", [], "two places 0.02 m apart found, expected at least 0.0825 m"),
        ("0,0\n1,0\n0,1\n1,1.02\n", ["--edges", "some"], "--edges: 'some' found, expected one of all, fewest"),
        ("0,0\n1,0\n0,1\n1,1.02\n", ["--robots", "4"], "--robots: found with --structure"),
        ("".join(f"{k},{k * k}\n" for k in range(101)), [], "all with 101 robots found, expected at most 100"),
    ],
)  # fmt: skip
def test_what_is_no_structure_is_one_line(
    text: str, options: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    places = tmp_path / "places.csv"
    places.write_text(text, encoding="utf-8")
    assert main(["laws", "--structure", str(places), *options, "--out", str(tmp_path / "s.yaml")]) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1
    assert not (tmp_path / "s.yaml").exists()


@pytest.mark.parametrize(
    "arguments,told",
    [
        ([], "neither a scenario nor"),
        (["cluster", "--polygon", "0,0 1,0 1,1"], "a scenario and --polygon found"),
        (["--polygon", "0,0 1,0 1,1", "--density", "x.csv"], "--density: given beside --polygon"),
        (["--polygon", "0,0 1,0 1,1"], "--out: nothing found"),
        (["--polygon", "0,0 1,0 1,1", "--out", "x.txt"], "--out: x.txt found"),
        (["--polygon", "0,0 1,0 1,1", "--out", "x.yaml", "--set", "seed=1"], "--set: is for a scenario"),
        (["--polygon", "0,0 1,0 1,1", "--out", "x.yaml", "--duration", "1"], "--duration: is for a scenario"),
        (["--polygon", "0,0 1,0 1,1", "--out", "x.yaml", "--robots", "1"], "--robots: '1' found"),
        (["--polygon", "0,0 1,0 1,1", "--out", "x.yaml", "--trials", "-1"], "--trials: '-1' found"),
        (["--polygon", "0,0 1,0 1,1", "--out", "x.yaml", "--radius", "0"], "--radius: '0' found"),
        (["--polygon", "0,0 1,0 1,1", "--out", "x.yaml", "--robots", "500"], "--robots: 500 robots of 0.0375 m radius"),
        (["--picture", "x.png", "--out", "x.yaml"], "--width: none found"),
        (["--picture", "x.png", "--width", "nan", "--out", "x.yaml"], "--width: 'nan' found"),
        (["--picture", "x.png", "--width", "3", "--out", "x.yaml"], "no such bitmap"),
        (["--density", "none.csv", "--out", "x.yaml"], "--density none.csv: not readable"),
        (["cluster", "--width", "3"], "--width: found without --picture"),
        (["--polygon", "0,0 1,0 1,1", "--out", "x.yaml", "--edges", "fewest"], "--edges: found without --structure"),
        (["nowhere"], "nowhere"),
        (["flock_frame"], "no control.social.laws"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_line_and_nothing_is_written(
    arguments: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["laws", *arguments]) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1
    assert not list(tmp_path.iterdir())
