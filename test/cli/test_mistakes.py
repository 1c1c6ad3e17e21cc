"""The page docs/mistakes.md: each mistake is made, and what swarm says of it compared with the page."""

import re
import shlex
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs/mistakes.md").read_text(encoding="utf-8")
RIGHT = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1]
FILES, COMMANDS, NOTICES = (
    [[cell.strip().removeprefix("`").removesuffix("`") for cell in line.strip("| ").split(" | ")] for line in table.splitlines()[2:]]
    for table in re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE)
)


def says(line, expected):
    return line.startswith(expected[:-1]) if expected.endswith("…") else line == expected


def wrong_file(folder, right, wrong):
    assert RIGHT.count(right) == 1, right
    (folder / "my_flock.yaml").write_text(RIGHT.replace(right, wrong), encoding="utf-8")


def test_the_file_on_the_page_is_right(swarm, tmp_path):
    (tmp_path / "my_flock.yaml").write_text(RIGHT, encoding="utf-8")
    done = swarm("simulate", "my_flock.yaml", "--duration", "0.1")
    assert done.returncode == 0 and not done.stdout.startswith("swarm:")
    assert len(FILES) + len(COMMANDS) + len(NOTICES) >= 30, "mistakes that people make"


@pytest.mark.parametrize(("right", "wrong", "expected"), FILES)
def test_a_mistake_in_a_file_is_one_line_that_helps(swarm, tmp_path, right, wrong, expected):
    wrong_file(tmp_path, right, wrong)
    done = swarm("simulate", "my_flock.yaml")
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2 and not (tmp_path / "results").exists()
    assert says(re.sub(r"^swarm: \S*my_flock\.yaml:(\d+)?:? ?", lambda found: f"line {found[1]}: " if found[1] else "", line), expected)


@pytest.mark.parametrize(("command", "expected"), COMMANDS)
def test_a_mistake_in_a_command_is_one_line_that_helps(swarm, tmp_path, command, expected):
    (tmp_path / "my_flock.yaml").write_text(RIGHT, encoding="utf-8")
    done = swarm(*shlex.split(command)[1:])
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2 and says(line, expected)
    assert (tmp_path / "my_flock.yaml").read_text(encoding="utf-8") == RIGHT and not list(tmp_path.glob("results/**/*.*"))


@pytest.mark.parametrize(("right", "wrong", "expected"), NOTICES)
def test_what_is_hardly_meant_is_said_before_the_run(swarm, tmp_path, right, wrong, expected):
    wrong_file(tmp_path, right, wrong)
    done = swarm("simulate", "my_flock.yaml", "--duration", "0.1")
    assert done.returncode == 0 and done.stdout.splitlines()[0] == expected
