"""What pictures show, read from matplotlib's figures before they are written: nothing is left out, and all is to scale."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.collections import EllipseCollection, LineCollection, PatchCollection
from matplotlib.figure import Figure

from swarm_control.analysis.experiments import pictures
from swarm_control.analysis.experiments.finding import Bars, Curves, Finding, Paths, Photo, Snapshot
from swarm_control.analysis.experiments.flight import UNSEEDED, Flight, Trial
from swarm_control.analysis.metrics.polarization import polarization
from swarm_control.analysis.recording import Trajectory
from swarm_control.analysis.report import measures, plots, trajectories
from swarm_control.analysis.report.objects import BETWEEN, draw_objects, outline
from swarm_control.core.grid import Grid
from swarm_control.core.state import Society, SwarmState
from swarm_control.scenario.objects import PassiveObject
from swarm_control.scenario.schema import Goal

GRID = Grid(np.eye(20, dtype=bool), (-1.0, -2.0), 0.2)


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """The figure that a picture is made of."""
    kept = []
    monkeypatch.setattr(Figure, "savefig", lambda self, file, **_: kept.append(self) or open(file, "wb").close())

    def draw(*panels):
        pictures.draw(Finding("", "", (), (), {}, panels), tmp_path / "picture.png")
        return kept[-1]

    draw.kept = kept
    return draw


def flight(n=3, ticks=11, goals=(), grid=None, radius=0.02):
    rng = np.random.default_rng(4)
    time, position = 0.5 * np.arange(ticks), rng.uniform(-2.0, 2.0, (ticks, n, 2)) + np.array([1.0, 0.0])
    leads = rng.random((ticks, n)) < 0.5
    society = Society((frozenset({""}), frozenset({"a"})), np.arange(n) % 2, np.array([[3.5, 4.0]]), np.array([1]), np.zeros(n, bool), ())
    return Flight(
        Trial("", (), UNSEEDED), time, position, np.diff(position, axis=0, append=0.0), leads, np.full((ticks, n), 0.5), leads,
        np.full(n, radius), np.full(n, 1.0), grid, tuple(Goal(position=goal, radius=0.5) for goal in goals), {}, society,
    )  # fmt: skip


def found(axes, kind):
    return next(one for one in axes.collections if isinstance(one, kind))


def limits(axes):
    return np.array([axes.get_xlim(), axes.get_ylim()])


def square(points, share=0.53):
    low, high = points.min(axis=0), points.max(axis=0)
    half = max(share * (high - low).max(), 0.5)
    return np.column_stack(((low + high) / 2 - half, (low + high) / 2 + half))




@pytest.mark.parametrize(("count", "photo", "bars", "columns", "rows"), [
    (1, False, False, 1, 1), (4, False, False, 4, 1), (5, False, False, 3, 2), (7, False, False, 4, 2), (3, True, False, 2, 2),
    (2, False, True, 2, 1),
])  # fmt: skip
def test_panels_have_their_places(drawn, count, photo, bars, columns, rows):
    kinds = [Photo("", np.zeros((4, 6, 3), np.uint8), np.zeros((2, 1, 2)))] * photo + [Bars("", "", ("a",), {"b": np.ones(1)})] * bars
    curve = Curves("", "x", "y", {"c": (np.arange(3.0), np.arange(3.0), None)})
    figure = drawn(*kinds, *[curve] * (count - len(kinds)))
    grid = figure.axes[-1].get_subplotspec().get_gridspec()
    wide = 2.4 if bars else 1.45 if photo else 1.0
    assert (grid.ncols, grid.nrows, len(figure.axes)) == (columns, rows, count)
    assert figure.get_size_inches() == pytest.approx([wide * 3.6 * columns, 1.08 * 3.6 * rows])


@pytest.mark.parametrize("leaders", [False, True])
def test_paths_are_where_the_robots_went(drawn, leaders):
    run = flight(goals=((5.0, 0.0), (1.0, 4.0)), grid=GRID)
    (axes,) = drawn(Paths("t", run, leaders=leaders)).axes
    points = np.vstack((run.position.reshape(-1, 2), [(5.0, 0.0), (1.0, 4.0)], np.array(GRID.extent).reshape(2, 2).T))
    assert limits(axes) == pytest.approx(square(points))
    lines = found(axes, LineCollection)
    width = np.clip(3.5 / np.sqrt(3.0), 0.5, 1.4)
    assert lines.get_linewidths() == pytest.approx([width])
    pieces = lines.get_segments()
    if leaders:
        assert len(pieces) == 30 and np.allclose(pieces[4], run.position[1:3, 1])
        red = np.isclose(lines.get_colors()[:, 0], 0xD6 / 255)
        assert (red == run.leads[1:].ravel()).all()
    else:
        assert len(pieces) == 3 and np.allclose(pieces[1], run.position[:, 1])
    assert [text.get_text() for text in axes.texts] == ["1", "2"]
    dots = [one for one in axes.collections if isinstance(one, PatchCollection)]
    size = max(0.02, 0.008 * np.diff(limits(axes)[0])[0])
    for one, instant in zip(dots, (0, -1)):
        boxes = [path.get_extents() for path in one.get_paths()]
        assert np.allclose([(box.x0 + box.width / 2, box.y0 + box.height / 2) for box in boxes], run.position[instant])
        assert [box.width / 2 for box in boxes] == pytest.approx([size] * 3)


def test_a_zoomed_panel_is_round_the_robots_end(drawn):
    run = flight()
    (axes,) = drawn(Paths("t", run, zoom=1.5)).axes
    middle = np.median(run.position[-1], axis=0)
    assert limits(axes) == pytest.approx(np.column_stack((middle - 0.75, middle + 0.75)))


def test_a_large_map_does_not_make_the_swarm_small(drawn):
    run = flight(grid=Grid(np.zeros((40, 40), bool), (-20.0, -20.0), 1.0))
    (axes,) = drawn(Paths("t", run)).axes
    assert limits(axes) == pytest.approx(square(run.position.reshape(-1, 2)))


@pytest.mark.parametrize(("half", "n", "radius"), [(0.0, 3, 0.02), (6.0, 3, 0.5), (0.0, 900, 0.001)])
def test_a_snapshot_shows_robots_and_where_they_came_from(drawn, half, n, radius):
    run = flight(n=n, radius=radius, grid=GRID)
    (axes,) = drawn(Snapshot("t", run, 4.0, trail=1.5, half=half)).axes
    points = np.array([[-half, -half], [half, half]]) if half else np.vstack((run.position.reshape(-1, 2), [[3.5, 4.0]]))
    shown = square(points)
    assert limits(axes) == pytest.approx(shown)
    robots, trails = found(axes, EllipseCollection), found(axes, LineCollection)
    wide = 2.0 * max(radius, 0.014 * np.diff(shown[0])[0] / 2 * min(1.0, np.sqrt(400.0 / n)))
    assert robots.get_widths() == pytest.approx(np.full(n, wide))
    assert robots.get_offsets() == pytest.approx(run.position[8])
    assert np.allclose(trails.get_segments()[1], run.position[5:9, 1])
    colours = robots.get_facecolors()
    assert (colours[0] != colours[1]).any() and (colours[0] == colours[2]).all(), "a colour for each group"
    (start,) = drawn(Snapshot("t", run, 0.0)).axes
    assert not any(isinstance(one, LineCollection) for one in start.collections)


@pytest.mark.parametrize(("heights", "scale"), [
    ([65.0, 99.0, 100.0], "linear"), ([0.0, 0.5, 40.0], "linear"), ([0.01, 3.0, 7.0], "symlog"), ([0.0, np.nan, 5.0], "linear"),
    ([0.0], "linear"),
])  # fmt: skip
def test_bars_are_as_long_as_their_values_and_dots_where_these_differ_a_hundredfold(drawn, heights, scale):
    (bar,) = drawn(Bars("b", "y", tuple("abc"[: len(heights)]), {"first": np.array(heights)})).axes
    assert bar.get_yscale() == scale
    assert len(bar.patches) == (len(heights) if scale == "linear" else 0), "the length of a bar says nothing on a logarithmic scale"
    if scale == "symlog":
        assert bar.yaxis.get_transform().linthresh == pytest.approx(0.01)
        assert bar.lines[0].get_xydata() == pytest.approx(np.column_stack((np.arange(3), heights)))
        assert [text.get_text() for text in bar.texts] == ["0.01", "3", "7"]


def test_the_legend_of_bars_covers_none_of_them(drawn):
    figure = drawn(Bars("b", "y", tuple("abcdef"), {name: np.full(6, 90.0) for name in ("first", "second", "third")}))
    (bar,) = figure.axes
    figure.draw_without_rendering()
    assert bar.get_legend().get_window_extent().y0 >= bar.get_window_extent().y1


def test_a_picture_is_written_in_pixels_and_in_lines_the_same_each_time(tmp_path):
    panels = (Bars("bars of it", "y", ("one", "two"), {"first": np.array([1.0, 2.0])}),)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        written = pictures.draw(Finding("", "", (), (), {}, panels), tmp_path / folder / "it.png")
        assert written == [tmp_path / folder / "it.png", tmp_path / folder / "it.svg"]
    texts = [(tmp_path / folder / "it.svg").read_text() for folder in ("a", "b")]
    assert texts[0] == texts[1] and "bars of it" in texts[0]
    assert (tmp_path / "a" / "it.png").read_bytes().startswith(b"\x89PNG")


def test_curves_bars_and_photos(drawn):
    x = np.arange(61.0)
    photo = Photo("p", np.zeros((40, 60, 3), np.uint8), np.arange(12.0).reshape(2, 3, 2))
    bars = Bars("b", "y", ("one", "two"), {"first": np.array([1.0, 2.0]), "second": np.array([3.0, 4.0])})
    figure = drawn(Curves("c", "x", "y", {"many": (x, x, None), "few": (x[:60], x[:60], x[:60])}), bars, photo)
    curves, bar, shown = figure.axes
    many, few = (container.lines[0] for container in curves.containers)
    assert (many.get_linewidth(), few.get_linewidth()) == (0.8, 1.5) and curves.get_ylim()[0] == 0.0
    places = np.array([patch.get_x() + patch.get_width() / 2 for patch in bar.patches])
    assert places == pytest.approx([-0.2, 0.8, 0.2, 1.2]) and bar.patches[0].get_width() == pytest.approx(0.4)
    assert [patch.get_height() for patch in bar.patches] == [1.0, 2.0, 3.0, 4.0]
    assert limits(shown) == pytest.approx(np.array([[0, 60], [40, 0]])) and len(shown.lines) == 3
    assert shown.lines[1].get_xydata() == pytest.approx(photo.track[:, 1])


def test_what_a_flight_is_judged_by():
    run = flight()
    way = [sum(np.hypot(*(run.position[k + 1, i] - run.position[k, i])) for k in range(10)) for i in range(3)]
    assert run.path_length == pytest.approx(way)
    assert run.interventions_per_minute == pytest.approx(run.leads[1:].sum() / 3 / 5.0 * 60.0) and run.saturated == 0.0
    assert (run.at(1.0), run.at(1.01), run.at(99.0)) == (2, 3, 10) and run.after(1.0) == slice(8, None)
    assert run.members("a").tolist() == [1] and run.landmarks("a").tolist() == [[3.5, 4.0]] and not len(run.landmarks("b"))


def run_of(trajectory, radius, **series):
    phases = [{"name": "p", "start": 0.3, "end": None}, {"name": "q", "start": 99.0, "end": None}]
    return SimpleNamespace(trajectory=trajectory, radius=radius, series=series, summary={"phases": phases}, name="r", settings={})


def moving(n=3, ticks=9, objects=0):
    rng = np.random.default_rng(1)
    pose, velocity = rng.uniform(-3.0, 3.0, (ticks, n, 3)), rng.normal(size=(ticks, n, 3))
    return Trajectory(0.1 * np.arange(ticks), pose, velocity, tuple(f"r{k}" for k in range(n)), rng.uniform(-1.0, 1.0, (ticks, objects, 3)))


def test_measures_over_time_are_what_they_are_called():
    trajectory, radius = moving(), np.array([0.1, 0.2, 0.3])
    run = run_of(trajectory, radius, time=np.arange(2.0), formation_error=np.array([np.nan, 1.0]), arrived=np.full(2, np.nan))
    curves = measures.curves(run)
    assert list(curves) == ["mean speed (m/s)", "order (polarization)", "smallest gap between robots (m)", "formation error (m)"]
    for k, (pose, velocity) in enumerate(zip(trajectory.pose, trajectory.velocity)):
        gap = min(np.hypot(*(pose[i, :2] - pose[j, :2])) - radius[i] - radius[j] for i, j in ((0, 1), (0, 2), (1, 2)))
        assert curves["smallest gap between robots (m)"][1][k] == pytest.approx(gap)
        assert curves["mean speed (m/s)"][1][k] == pytest.approx(np.hypot(*velocity[:, :2].T).mean())
        assert curves["order (polarization)"][1][k] == pytest.approx(polarization(SwarmState.of(0.0, pose, velocity)))
    alone = run_of(moving(1, 4000), radius[:1])
    assert list(measures.curves(alone)) == ["mean speed (m/s)"]
    time = measures.curves(alone)["mean speed (m/s)"][0]
    assert len(time) == measures.INSTANTS and time[[0, -1]] == pytest.approx([0.0, 399.9])


def test_a_panel_for_each_measure_with_phases_marked(drawn, tmp_path):
    run = run_of(moving(), np.full(3, 0.1), time=0.1 * np.arange(9), **{"share/a": np.ones(9), "share/b": np.full(9, np.nan)})
    plots.draw_measures(run, tmp_path / "m.png")
    figure = drawn.kept[-1]
    assert len(figure.axes) == 4 and figure.get_size_inches() == pytest.approx([8.6, 1.75 * 4 + 0.4])
    for axes in figure.axes:
        assert axes.get_xlim() == pytest.approx((0.0, 0.8)) and [text.get_text() for text in axes.texts] == [" p"]
    assert [one.get_label() for one in figure.axes[-1].collections] == ["a", "b"]


def test_the_picture_of_a_run_is_framed_and_thinned(monkeypatch):
    run, box = moving(), PassiveObject("box", (0.4, 0.2), 0.0, (0.0, 0.0, 0.0), 1.0, 0.4, 0.2)
    figure = trajectories.draw(run, None, [(4.0, 0.0, 0.5)], np.full(3, 0.1), "t")
    axes = figure.axes[0]
    points = np.vstack((run.pose[..., :2].reshape(-1, 2), [[3.5, -0.5], [4.5, 0.5]]))
    low, high = points.min(axis=0) - 0.15, points.max(axis=0) + 0.15
    pad = np.maximum(0.3 * (high - low).max() - 0.5 * (high - low), 0.02 * (high - low).max())
    assert limits(axes) == pytest.approx(np.column_stack((low - pad, high + pad)))
    pieces = found(axes, LineCollection)
    assert len(pieces.get_segments()) == 24 and np.allclose(pieces.get_segments()[4], run.pose[1:3, 1, :2])
    assert np.allclose(pieces.get_array(), np.repeat(0.05 + 0.1 * np.arange(8), 3)) and pieces.get_clim() == pytest.approx((0.0, 0.8))
    assert axes.get_title(loc="left") == "t — 3 robots, 0.8 s"
    monkeypatch.setattr(trajectories, "MOST_ROBOTS", 2)
    monkeypatch.setattr(trajectories, "MOST_PIECES", 6)
    few = trajectories.draw(run, GRID, [], np.full(3, 0.1), "t", objects=(box,)).axes[0]
    assert np.allclose(found(few, LineCollection).get_array(), np.repeat([0.15, 0.45, 0.7], 2))
    assert few.get_title(loc="left") == "t — 3 robots, 2 of them shown, 0.8 s"


def test_outlines_of_objects_at_the_start_the_end_and_evenly_between():
    round_one = PassiveObject("disc", (0.4, 0.4), 0.3, (0.0, 0.0, 0.0), 1.0, 0.4, 0.2)
    box = PassiveObject("box", (0.6, 0.2), 0.0, (0.0, 0.0, 0.0), 1.0, 0.4, 0.2)
    rim = outline(round_one, np.array([1.0, 2.0, 0.5]))
    assert np.hypot(*(rim - (1.0, 2.0)).T) == pytest.approx(np.full(48, 0.3)) and len(np.unique(np.round(rim, 6), axis=0)) == 48
    corners = outline(box, np.array([1.0, 2.0, np.pi / 2]))
    assert corners == pytest.approx(np.array([[0.9, 2.3], [0.9, 1.7], [1.1, 1.7], [1.1, 2.3]]))
    way = np.zeros((101, 1, 3))
    way[:, 0, 0] = np.linspace(0.0, 1.0, 101) ** 2
    axes = Figure().add_subplot()
    assert len(draw_objects(axes, (box,), way)) == 4 * (BETWEEN + 2)
    middles = np.array([patch.get_xy()[:4].mean(axis=0)[0] for patch in axes.patches])
    assert middles[:BETWEEN] == pytest.approx(np.arange(1, BETWEEN + 1) / (BETWEEN + 1), abs=0.02)
    assert middles[BETWEEN:] == pytest.approx([0.0, 1.0], abs=1e-9)
