import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from swarm_control.analysis.bags.runs import read_bag
from swarm_control.analysis.recording import Trajectory
from swarm_control.analysis.report.groups import grouped, mean_and_interval
from swarm_control.analysis.report.measures import curves, shares
from swarm_control.analysis.report.page import table
from swarm_control.analysis.report.runs import Run, read_runs
from swarm_control.analysis.series import Series, load_series
from swarm_control.cli.main import main
from swarm_control.errors import InputError


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Three runs: two seeds of one setting, another setting; the first one recorded as well."""
    folder = tmp_path_factory.mktemp("results")
    words = ["simulate", "migrate_boxes", "--duration", "3", "--robots", "4"]
    assert main([*words, "--out", str(folder / "a"), "--record", str(folder / "a.mcap")]) == 0
    assert main([*words, "--seed", "1", "--out", str(folder / "b")]) == 0
    assert main([*words, "--set", "separation.weight=0.5", "--out", str(folder / "c")]) == 0
    return folder


def test_the_page_holds_everything_itself(results, tmp_path, capsys):
    assert main(["report", str(results), "--out", str(tmp_path)]) == 0
    page = (tmp_path / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 3 * 2 + 1 and not re.search(r'(?:src|href)="(?!data:)', page)
    assert "separation.weight=0.5" in page and "goal 1" in page
    printed = capsys.readouterr().out
    assert "least separation (m)" in printed and "±" in printed


def test_seeds_of_one_setting_belong_together(results):
    groups = grouped(read_runs([results]))
    assert [len(group.runs) for group in groups] == [2, 1]
    assert [group.label for group in groups] == [f"migrate_boxes (separation.weight={weight})" for weight in (0.2, 0.5)]


def test_collisions_that_nobody_knows_are_not_nought(results, tmp_path, capsys):
    """Of two runs with the same settings one does not know them; of another run alone nothing is known."""
    for name in "abc":
        shutil.copytree(results / name, tmp_path / name)
        file = tmp_path / name / "summary.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), "collisions": 2 if name == "a" else None}))
    columns, rows = table(grouped(read_runs([tmp_path])))
    assert [row[columns.index("collisions")] for row in rows] == ["2 (1 unknown)", "unknown"]
    assert main(["report", str(tmp_path / "c"), str(tmp_path / "b"), "--out", str(tmp_path / "report")]) == 0
    assert "unknown" in capsys.readouterr().out


def test_the_interval_is_student_s():
    mean, half = mean_and_interval(np.array([1.0, 2.0, 3.0]))
    assert mean == 2.0 and half == pytest.approx(4.302653 / np.sqrt(3.0), rel=1e-6)
    assert mean_and_interval(np.array([5.0])) == (5.0, 0.0)


def test_a_bag_tells_the_same_as_the_results(results):
    folder, bag = read_runs([results / "a"])[0], read_bag(results / "a.mcap")
    assert bag.trajectory.names == folder.trajectory.names
    assert np.allclose(bag.trajectory.time + 0.05, folder.trajectory.time[1:], atol=1e-9)  # bags begin with the first tick
    assert np.allclose(bag.trajectory.pose, folder.trajectory.pose[1:])
    assert np.allclose(bag.trajectory.velocity, folder.trajectory.velocity[1:])
    assert np.array_equal(bag.grid.occupied, folder.grid.occupied)
    for name, column in bag.series.items():
        if name.startswith("share/"):
            assert np.allclose(column, folder.series[name])
    assert bag.mission is not None and bag.mission.swarm.results() == read_runs([results / "a.mcap"])[0].summary
    assert bag.mission.swarm.results()["phases"] == folder.summary["phases"] != []


def test_a_mission_of_another_version_is_left_out_with_a_notice(results, tmp_path):
    from std_msgs.msg import String

    from swarm_control.analysis.bags.reader import Bag
    from swarm_control.analysis.bags.writer import BagWriter

    serialize_message = pytest.importorskip("rclpy.serialization").serialize_message
    writer = BagWriter(tmp_path / "newer.mcap", {}, print)
    for message in Bag(results / "a.mcap").messages():
        data = serialize_message(String(data='{"version": 99}')) if message.topic == "/swarm/mission" else message.data
        writer.write(message.topic, message.kind, message.time, data)
    writer.close()
    (run,) = read_runs([tmp_path / "newer.mcap"])
    assert run.summary == {} and len(run.trajectory.time) > 0
    assert run.notices == (f"{tmp_path / 'newer.mcap'}: /swarm/mission: 1 message left out: mission.version: 99 found, expected 3",)


def test_odometry_alone_is_enough(results, tmp_path):
    from swarm_control.analysis.bags.reader import Bag
    from swarm_control.analysis.bags.writer import BagWriter

    writer = BagWriter(tmp_path / "others.mcap", {}, print)
    for message in Bag(results / "a.mcap").messages():
        if message.topic.endswith("/odom"):
            writer.write(message.topic.replace("robot_", "turtle"), message.kind, message.time, message.data)
    writer.close()
    found, known = read_bag(tmp_path / "others.mcap").trajectory, read_runs([results / "a"])[0].trajectory
    assert found.names == ("turtle0", "turtle1", "turtle2", "turtle3")
    assert np.allclose(found.pose[:, :, :2], known.pose[1:, :, :2]) and np.allclose(found.velocity, known.velocity[1:])
    assert np.allclose(np.exp(1j * found.pose[:, :, 2]), np.exp(1j * known.pose[1:, :, 2]))


def test_robots_of_whom_nothing_that_can_be_is_heard_are_left_out(results, tmp_path):
    from swarm_control.analysis.bags.reader import Bag
    from swarm_control.analysis.bags.writer import BagWriter
    from swarm_control.ros.messages import cdr

    writer = BagWriter(tmp_path / "odd.mcap", {}, print)
    for message in Bag(results / "a.mcap").messages(["/swarm/swarm_state"]):
        stamp, rows = cdr.read_cloud(message.data)
        rows = rows.copy()
        rows["x"][1], rows["vx"][2] = np.nan, 1e30
        writer.write(message.topic, message.kind, message.time, cdr.CloudWriter("map", rows.dtype).write(stamp, rows))
    writer.close()
    found = read_bag(tmp_path / "odd.mcap").trajectory
    assert found.names == ("robot_0", "robot_3") and np.isfinite(found.pose).all()


def test_a_bag_without_robots_says_what_is_in_it(results, tmp_path):
    from swarm_control.analysis.bags.reader import Bag
    from swarm_control.analysis.bags.writer import BagWriter

    writer = BagWriter(tmp_path / "map.mcap", {}, print)
    for message in Bag(results / "a.mcap").messages(["/map"]):
        writer.write(message.topic, message.kind, message.time, message.data)
    writer.close()
    with pytest.raises(InputError, match=r"no robot's motion found among /map"):
        read_bag(tmp_path / "map.mcap")


def test_measures_of_a_known_motion():
    time = np.arange(11) * 0.1
    pose = np.zeros((11, 2, 3))
    pose[:, 1, 1] = 1.0
    pose[:, :, 0] = 2.0 * time[:, None]
    velocity = np.zeros((11, 2, 3))
    velocity[:, :, 0] = 2.0
    series = {"time": time, "share/seek": np.full(11, 0.5), "formation_error": np.full(11, np.nan)}
    run = Run(Path("x"), Trajectory(time, pose, velocity, ("a", "b")), {}, {}, series, None, (), np.array([0.1, 0.2]))
    found = curves(run)
    assert {title: float(values[3]) for title, (_, values) in found.items()} == pytest.approx(
        {"mean speed (m/s)": 2.0, "order (polarization)": 1.0, "smallest gap between robots (m)": 0.7}
    )
    assert shares(run)[1]["seek"][0] == 0.5


def test_series_with_a_column_that_comes_late(tmp_path):
    series = Series()
    series.add(0.0, {"a": 1.0})
    series.add(1.0, {"a": None, "b": 2.0})
    series.add(2.0, {"b": 3.0})
    series.write(tmp_path / "series.npz")
    found = load_series(tmp_path / "series.npz")
    assert {name: column.tolist() for name, column in found.items() if name != "time"} == {
        "a": pytest.approx([1.0, np.nan, np.nan], nan_ok=True), "b": pytest.approx([np.nan, 2.0, 3.0], nan_ok=True)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda run: (run / "trajectory.npz").write_bytes(b"PK"), "trajectory.npz"),
        (lambda run: (run / "summary.json").write_text("{"), "summary.json"),
        (lambda run: (run / "series.npz").write_bytes(b"PK"), "series.npz"),
        (lambda run: (run / "trajectory.npz").unlink(), "no results found"),
    ],
)  # fmt: skip
def test_damaged_results_are_one_line(results, tmp_path, capsys, break_it, message):
    import shutil

    run = tmp_path / "run"
    shutil.copytree(results / "a", run)
    break_it(run)
    assert main(["report", str(run), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and "Traceback" not in error


def test_a_scenario_whose_world_is_gone_is_drawn_without_it(results, tmp_path, capsys):
    import shutil

    run = tmp_path / "run"
    shutil.copytree(results / "a", run)
    text = (run / "scenario.yaml").read_text()
    (run / "scenario.yaml").write_text(text.replace("boxes.world", "gone.world"))
    assert main(["report", str(run), "--out", str(tmp_path / "out")]) == 0
    assert "drawn without its map" in capsys.readouterr().out
    assert json.loads((run / "summary.json").read_text())["robots"] == 4


def test_recording_does_not_overwrite(results, capsys):
    before = (results / "a.mcap").read_bytes()
    assert main(["simulate", "migrate_boxes", "--duration", "1", "--record", str(results / "a.mcap"), "--out", str(results / "d")]) == 2
    assert "there already" in capsys.readouterr().err and (results / "a.mcap").read_bytes() == before
