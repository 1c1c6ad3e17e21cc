"""``swarm bench`` runs the repository's benchmarks."""

import pytest

from swarm_control.cli import bench
from swarm_control.cli.main import main


def test_every_benchmark_is_there_and_can_be_run_alone():
    for name in bench.BENCHMARKS:
        text = (bench.folder() / f"{name}.py").read_text()
        assert '__name__ == "__main__"' in text
        assert name not in bench.QUICK or name == "formation" or "asks_for_quick(" in text
    assert set(bench.QUICK) <= set(bench.BENCHMARKS)


def test_benchmarks_are_run_in_turn_and_the_first_failure_is_told(tmp_path, monkeypatch, capfd):
    for name in ("tick", "social", "ros_graph"):
        (tmp_path / f"{name}.py").write_text(f"import sys\nprint('{name} says', *sys.argv[1:])\nsys.exit(3 * ({name == 'social'}))\n")
    monkeypatch.setattr(bench, "folder", lambda: tmp_path)
    assert main(["bench", "ros_graph", "tick", "--quick"]) == 0
    said = capfd.readouterr().out
    assert "ros_graph says\n" in said and "tick says --quick\n" in said
    assert main(["bench", "tick", "social", "ros_graph"]) == 3
    assert "ros_graph says" not in capfd.readouterr().out


@pytest.mark.parametrize("words", [["bench", "nothing"], ["bench", "tick", "nothing"]])
def test_unknown_benchmarks_are_refused_in_one_line(words, capsys):
    assert main(words) == 2
    assert capsys.readouterr().err.startswith("swarm: bench: nothing found, expected some of tick, social")


def test_where_there_are_none_that_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench.paths, "share", lambda: tmp_path)
    assert main(["bench"]) == 2
    assert "no benchmarks beside this installation" in capsys.readouterr().err
