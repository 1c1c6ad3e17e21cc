"""What is too large to be a world, or cannot be read, is refused; values that stand alone; names of files and robots."""

from pathlib import Path

import numpy as np
import pytest

from swarm_control.core.grid import Grid
from swarm_control.errors import InputError
from swarm_control.world import includes, sdf_writer, tokens, values
from swarm_control.world.includes import find_file, load_tokens
from swarm_control.world.names import bridge_of, robot_names
from swarm_control.world.tokens import read_text
from swarm_control.world.worldfile import parse


def written(folder, text, name="a.world"):
    path = folder / name
    path.write_text(text)
    return path


def test_a_file_may_be_as_large_as_that_and_no_larger(tmp_path, monkeypatch):
    path = written(tmp_path, "x" * 100)
    monkeypatch.setattr(tokens, "MAX_BYTES", 100)
    assert read_text(path, "here") == "x" * 100
    monkeypatch.setattr(tokens, "MAX_BYTES", 99)
    with pytest.raises(InputError, match=r"^here: expected a world file of at most 0 MB$"):
        read_text(path, "here")


def test_a_path_that_cannot_be_one_is_no_file(tmp_path):
    with pytest.raises(InputError, match=r"^here: (no such world file|cannot read the world file)"):
        read_text(Path("a\0b"), "here")
    assert find_file("a\0b", tmp_path, str(tmp_path / "x")) == tmp_path / "a\0b"


def test_a_file_that_cannot_be_read_is_told(tmp_path, monkeypatch):
    def broken(path):
        raise OSError("the disk is gone")

    monkeypatch.setattr(Path, "read_bytes", broken)
    with pytest.raises(InputError, match=r"^here: cannot read the world file \(the disk is gone\)$"):
        read_text(written(tmp_path, ""), "here")


def test_words_are_counted_with_all_includes(tmp_path, monkeypatch):
    written(tmp_path, "b 1 c 2", "b.inc")
    path = written(tmp_path, 'a 1\ninclude "b.inc"')
    monkeypatch.setattr(includes, "MAX_TOKENS", 6)
    assert [token.text for token in load_tokens(path)] == ["a", "1", "b", "1", "c", "2"]
    monkeypatch.setattr(includes, "MAX_TOKENS", 5)
    with pytest.raises(InputError, match="expected at most 5 words with all includes"):
        load_tokens(path)


def test_a_file_is_looked_for_in_the_worlds_folder_and_then_beside_the_one_that_names_it(tmp_path):
    deep = tmp_path / "deep"
    deep.mkdir()
    stated = str(deep / "x.inc")
    assert find_file("a", tmp_path, stated) == deep / "a", "the last place is named where there is none"
    for place in (deep / "a", tmp_path / "a"):
        place.write_text("")
        assert find_file("a", tmp_path, stated) == place


def entity(tmp_path, text):
    return parse(written(tmp_path, text)).root


def test_values_that_stand_alone_are_one_of_their_kind(tmp_path):
    root = entity(tmp_path, 'n 3 z 0 m -1 two [1 2] s "diff" w "boat" far 1e300')
    assert values.positive(root, "n", 1.0) == 3.0 and values.positive(root, "none", 7.0) == 7.0
    assert [values.flag(root, key, True) for key in ("n", "z", "none")] == [True, False, True]
    assert values.text(root, "s", "x") == "diff" and values.choice(root, "none", ("diff",), "diff") == "diff"
    for call, said in (
        (lambda: values.positive(root, "z", 1.0), "z: expected a number above 0, found 0"),
        (lambda: values.positive(root, "m", 1.0), "m: expected a number above 0, found -1"),
        (lambda: values.number(root, "two", 1.0), "two: expected one value, found 2"),
        (lambda: values.number(root, "s", 1.0), 's: expected a number, found "diff"'),
        (lambda: values.text(root, "n", "x"), "n: expected a string in quotes, found 3"),
        (lambda: values.choice(root, "w", ("diff", "car"), "diff"), 'w: expected "diff" or "car", found "boat"'),
        (lambda: values.number(root, "far", 1.0), f"far: expected numbers up to {values.LARGEST:g}, found 1e+300"),
    ):  # fmt: skip
        with pytest.raises(InputError) as refused:
            call()
        assert str(refused.value).endswith(f"a.world:1: {said}")


def test_maps_of_too_many_pieces_are_not_exported(monkeypatch):
    grid = Grid(np.eye(7, dtype=bool), (1.0, -2.0), 0.5)
    monkeypatch.setattr(sdf_writer, "MAX_BOXES", 7)
    found = sdf_writer.walls(grid, "here")
    expected = [[1.0 + 0.5 * k, -2.0 + 0.5 * k, 1.5 + 0.5 * k, -1.5 + 0.5 * k] for k in range(7)]
    assert np.array(sorted(found.tolist())) == pytest.approx(np.array(expected))
    monkeypatch.setattr(sdf_writer, "MAX_BOXES", 6)
    with pytest.raises(InputError, match=r"^here: 7 rectangles of walls found, expected at most 6$"):
        sdf_writer.walls(grid, "here")


def test_walls_are_joined_along_the_axis_that_makes_fewer():
    lines = np.zeros((5, 8), bool)
    lines[::2] = True
    for occupied, count in ((lines, 3), (lines.T, 3), (np.ones((4, 6), bool), 1)):
        assert len(sdf_writer.walls(Grid(occupied, (0.0, 0.0), 0.1), "here")) == count


def test_names_in_ros_stay_apart_and_worlds_have_bridges_of_their_own():
    assert robot_names(["ann", "robot 1"]) == [robot_names(["ann"])[0], robot_names(["robot 1"])[0]]
    with pytest.raises(InputError, match=r"^robots: robot 1 and robot-1 are both \w+ in ROS, expected names that stay apart$"):
        robot_names(["robot 1", "ann", "robot-1"])
    assert bridge_of(Path("/a/maze.sdf")) == Path("/a/maze.bridge.yaml")
