"""``swarm new`` and ``swarm info``."""

import pytest

from swarm_control.cli.main import main


def test_a_new_scenario_runs_and_is_told_about(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine", "--like", "flocks_cross"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "mine.yaml"
    assert main(["info", "mine.yaml", "--robots", "6"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("mine: Two flocks") and lines[4].split() == ["6", "in", "all"]
    assert main(["simulate", "mine.yaml", "--duration", "0.5", "--out", "out"]) == 0


def test_nothing_is_overwritten(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text("mine")
    assert main(["new", "mine"]) == 2
    assert "is there already" in capsys.readouterr().err and (tmp_path / "mine.yaml").read_text() == "mine"


def test_what_a_run_says_beforehand_is_told(capsys):
    assert main(["info", "migrate_boxes", "--set", "separation_filter.enabled=false", "--set", "arrival.weight=0"]) == 0
    known = capsys.readouterr().out
    assert main(["info", "migrate_boxes", "--set", "simulator.delay=2"]) == 0
    late = capsys.readouterr().out.partition("  to know ")[2]
    assert late and late not in known


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["info", "migrate_boxs"], "did you mean"), (["new", "a/b/c"], "a/b/c.yaml"), (["new", "x", "--like", "none"], "no such scenario"),
        (["info", "migrate_boxes", "--set", "separation.weigth=1"], "--set separation.weigth=1"), (["new", "?"], "?.yaml"),
        (["info", "migrate_boxes", "--robots", "0"], "--robots 0"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_leaves_nothing(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and (message in error or "expected a YAML file" in error)
    assert not list(tmp_path.iterdir())
