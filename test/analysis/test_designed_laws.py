"""Laws by design: what is predicted of scenarios against what comes of them, and users' wished densities as scenarios that run."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import swarm_control as sc
from swarm_control.analysis.laws.densities import density_of_picture, density_of_table, density_over_polygon
from swarm_control.analysis.laws.prediction import predict
from swarm_control.analysis.laws.trial import end_of
from swarm_control.analysis.laws.written import push_at, scenario_text
from swarm_control.errors import InputError
from swarm_control.scenario.loader import load_prepared
from swarm_control.social.design import design, scattered_share


def lines_of(scenario: str | Path, *changes: str) -> str:
    return "\n".join(predict(*load_prepared(str(scenario), list(changes))))


def number_after(text: str, before: str) -> float:
    return float(text.split(before)[1].split()[0].rstrip(":,"))


@pytest.mark.parametrize("changes", [{}, {"robots": 60, "control.social.laws.0.equilibrium": 3.0}])
def test_a_cluster_becomes_as_large_and_as_dense_as_is_predicted(changes: dict[str, float]) -> None:
    text = lines_of("cluster", *(f"{name}={value}" for name, value in changes.items()))
    simulation = sc.Simulation("cluster", seed=4, duration=60.0, set=changes).run()
    place = simulation.state.position - simulation.state.position.mean(axis=0)
    r = np.linalg.norm(place, axis=1)
    assert number_after(text, "a disc of ") == pytest.approx(r.max(), rel=0.06)
    away = np.linalg.norm(place[:, None] - place, axis=-1) + np.eye(len(place)) * 1e9
    inner = np.sort(r)[len(r) // 5]
    assert number_after(text, "m radius, ") == pytest.approx(float(away.min(axis=1)[r < inner].mean()), rel=0.12)


def test_distances_at_which_robots_are_held_are_told() -> None:
    assert "guards of castle: held at 3 m" in lines_of("guard_castle")
    text = lines_of("cluster", "control.social.laws.0.equilibrium=1.5")
    assert "all of all: held at 1.5 m" in text


def two(tmp_path: Path, law: str, friction: float, period: float = 0.05) -> Path:
    path = tmp_path / "two.yaml"
    path.write_text(
        "duration: 12\nrobots:\n  - {count: 2, radius: 0.02, max_speed: 5, max_acceleration: 50, start: {pattern: poses, poses: "
        f"[[0, 0, 0], [0.95, 0, 0]]}}}}\ncontrol:\n  period: {period}\n  social: {{weight: 1.0, friction: {friction}, laws: [{law}]}}\n"
        "  accumulation: {method: weighted}\n",
        encoding="utf-8",
    )
    return path


def test_two_robots_swing_as_fast_as_is_told_when_nothing_damps_them(tmp_path: Path) -> None:
    path = two(tmp_path, "{spring: 2.0, length: 1.0}", 0.0, 0.01)
    text = lines_of(path)
    assert "nothing damps it" in text
    simulation = sc.Simulation(path)
    gap = []
    while simulation.time < 8.0:
        simulation.step()
        gap.append(float(np.ptp(simulation.state.position[:, 0])) - 1.0)
    crossings = np.flatnonzero(np.diff(np.sign(gap)))
    period = 2.0 * float(np.mean(np.diff(crossings))) * 0.01
    assert number_after(text, "swing is of ") == pytest.approx(2.0 * np.pi / period, rel=0.02)


@pytest.mark.parametrize("period,rests", [(0.05, True), (0.5, False)])
def test_a_period_too_long_for_a_law_is_warned_of_and_robots_do_not_rest_with_it(tmp_path: Path, period: float, rests: bool) -> None:
    path = two(tmp_path, "{spring: 10.0, length: 1.0}", 1.0, period)
    assert ("is too long" in lines_of(path)) != rests
    simulation = sc.Simulation(path).run()
    assert (float(np.abs(simulation.state.velocity).max()) < 0.05) == rests


def test_robots_that_do_not_fit_are_warned_of() -> None:
    assert "do not fit" in lines_of("cluster", "control.social.laws.0.equilibrium=0.3", "robots.0.radius=0.06", "robots.0.start.radius=3")
    assert "do not fit" not in lines_of("cluster")


def test_without_laws_there_is_nothing_to_tell() -> None:
    with pytest.raises(InputError, match=r"no control\.social\.laws"):
        lines_of("flock_frame")


def test_a_polygons_design_runs_and_brings_robots_into_it(tmp_path: Path) -> None:
    corners = tmp_path / "corners.csv"
    corners.write_text("0,0\n3,0\n\n3,2\n0,2\n", encoding="utf-8")
    wished = density_over_polygon(str(corners), 25)
    np.testing.assert_array_equal(wished.density, density_over_polygon("0,0 3,0 3,2 0,2", 25).density)
    path = tmp_path / "box.yaml"
    made = design(wished, push_at(wished.apart), 0)
    path.write_text(scenario_text(made, '25: "robots", #5', "swarm laws …", 7, 0.05), encoding="utf-8")
    position, collisions = end_of(path, 3)
    assert wished.misplaced(position) < 0.12 < scattered_share(wished, 0) and collisions == 0
    loaded = load_prepared(str(path), [])[0].scenario
    assert loaded.description == '25: "robots", #5' and loaded.seed == 7 and loaded.robots[0].radius == 0.05
    assert "all of home: attracted beyond" in lines_of(path)


@pytest.mark.parametrize("center", [*(pytest.param(far, marks=pytest.mark.study) for far in ([40.0, 0.0], [0.0, -25.0])), [-14.0, 14.0]])
def test_robots_come_into_a_design_from_far_away(center: list[float], far_design: Path) -> None:
    wished = density_over_polygon("-3,-3 3,-3 3,3 -3,3", 24)
    simulation = sc.Simulation(far_design, duration=150.0, set={"robots.0.start.center": center}).run()
    assert wished.misplaced(simulation.state.position) < 0.15


@pytest.fixture(scope="module")
def far_design(tmp_path_factory: pytest.TempPathFactory) -> Path:
    wished = density_over_polygon("-3,-3 3,-3 3,3 -3,3", 24)
    path = tmp_path_factory.mktemp("far") / "far.yaml"
    path.write_text(scenario_text(design(wished, push_at(wished.apart), 0), "far", "swarm laws …", 0, 0.0375), encoding="utf-8")
    return path


def test_what_is_transparent_in_a_picture_is_white(tmp_path: Path) -> None:
    pixels = np.zeros((40, 40, 4), np.uint8)
    pixels[10:30, 10:30, 3] = 255
    Image.fromarray(pixels).save(tmp_path / "disc.png")
    wished = density_of_picture(tmp_path / "disc.png", 4.0, 50)
    x, y = np.meshgrid(wished.x, wished.y)
    assert wished.density[np.maximum(np.abs(x), np.abs(y)) > 1.1].sum() == 0.0


def test_springs_between_single_robots_are_told() -> None:
    text = lines_of("harvest_line")
    assert "12 springs of 15/s² join single robots" in text
    swing = np.sqrt(15.0 * (2.0 - 2.0 * np.cos(12.0 * np.pi / 13.0)))  # the fastest of a chain of thirteen
    assert number_after(text, "swing is of ") == pytest.approx(swing, rel=0.01)


def test_a_picture_is_dense_where_it_is_dark_with_its_top_up(tmp_path: Path) -> None:
    grey = np.full((40, 80), 255, np.uint8)
    grey[:20, :40], grey[20:, 40:] = 0, 127  # dark in the upper left, half as dark in the lower right
    Image.fromarray(grey).save(tmp_path / "two.png")
    wished = density_of_picture(tmp_path / "two.png", 8.0, 90)
    x, y = np.meshgrid(wished.x, wished.y)
    held = wished.density * wished.cell**2
    assert held[(x < 0) & (y > 0)].sum() == pytest.approx(60.0, rel=0.03)
    assert held[(x > 0) & (y < 0)].sum() == pytest.approx(30.0, rel=0.03)
    assert held[np.abs(x) > 4.1].sum() == 0.0 and held[np.abs(y) > 2.1].sum() == 0.0


def test_tables_of_densities_are_read_around_the_origin_and_on_a_grid(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("r,density\n0,2\n1,2\n2,0\n", encoding="utf-8")
    around = density_of_table(tmp_path / "r.csv", 40)
    far = np.hypot(*np.meshgrid(around.x, around.y))
    middle, ring = around.density[far < 0.8].mean(), around.density[np.abs(far - 1.5) < 0.1].mean()
    assert ring == pytest.approx(0.5 * middle, rel=0.05)
    rows = [f"{x},{y},{1 + (x > 0)}" for y in (0.0, 0.5, 1.0) for x in (-0.5, 0.0, 0.5)]
    (tmp_path / "xy.csv").write_text("x,y,density\n" + "\n".join(rows[::-1]), encoding="utf-8")
    grid = density_of_table(tmp_path / "xy.csv", 30)
    held = (grid.density * grid.cell**2).sum(axis=0)
    assert held[grid.x > 0.26].sum() == pytest.approx(15.0, rel=0.06)


@pytest.mark.parametrize(
    "text,told",
    [
        ("a,b\n1,2\n", "row 1: a,b found, expected the columns r,density or x,y,density"),
        ("r,density\n0,1\nx,1\n", "row 3: 'x,1' found, expected 2 numbers"),
        ("r,density\n0,1\n1,inf\n", "row 3"),
        ("r,density\n1,1\n0,1\n", "do not grow"),
        ("r,density\n0,0\n1,0\n", "no density found"),
        ("x,y,density\n0,0,1\n1,0,1\n0,1,1\n", "3 rows found, expected a grid"),
        ("x,y,density\n0,0,1\n1,0,1\n0,1,1\n0,1,1\n", "4 rows found, expected a grid"),
        ("x,y,density\n" + "".join(f"{x},{y},1\n" for x in (0, 1, 3) for y in (0, 1)), "not evenly apart"),
        ("", "row 1: nothing found"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_read_are_told_of(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        density_of_table(path, 10)
    assert str(error.value).startswith(f"--density {path}") and told in str(error.value)


@pytest.mark.parametrize("text", [
    "0,0 1,1", "0,0 2,2 2,0 0,2", "0,0 1,0 1,x", "nowhere.csv", "1 2 3", "0,0 1e400,0 1,1", "0,0 20,0 20,0.02 0,0.02",
])  # fmt: skip
def test_polygons_that_are_none_are_told_of(text: str) -> None:
    with pytest.raises(InputError, match="--polygon"):
        density_over_polygon(text, 10)


def test_a_white_picture_and_none_are_told_of(tmp_path: Path) -> None:
    Image.fromarray(np.full((9, 9), 255, np.uint8)).save(tmp_path / "white.png")
    with pytest.raises(InputError, match="no pixel darker than white"):
        density_of_picture(tmp_path / "white.png", 1.0, 10)
    with pytest.raises(InputError, match="no such bitmap"):
        density_of_picture(tmp_path / "none.png", 1.0, 10)
