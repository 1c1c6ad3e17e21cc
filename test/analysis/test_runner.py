"""Workers that are lost are made up for; work that fails is not hidden."""

import os
from functools import partial

import pytest

from swarm_control.analysis.pool import workers
from swarm_control.analysis.runner import Runner
from swarm_control.errors import Failed


def squared(number):
    return number * number


def die_once(folder, number):
    """Ends its process the first time that it gets number 3."""
    mark = folder / "died"
    if number == 3 and not mark.exists():
        mark.touch()
        os._exit(9)
    return number * number


def die(number):
    os._exit(9)


def refuse(number):
    raise ValueError(f"not {number}")


def test_every_item_is_done_once_whatever_dies_on_the_way(tmp_path):
    with Runner(partial(workers, 2)) as runner:
        assert sorted(runner.run(partial(die_once, tmp_path), range(8))) == [(k, k * k) for k in range(8)]
        assert (tmp_path / "died").exists()
        assert dict(runner.run(squared, [7])) == {0: 49}  # and goes on


def test_workers_that_always_die_end_it():
    with Runner(partial(workers, 1)) as runner, pytest.raises(Failed, match="workers ended 3 times in a row"):
        list(runner.run(die, [1]))


def test_an_error_of_the_work_is_raised():
    with Runner(partial(workers, 1)) as runner, pytest.raises(ValueError, match="not 1"):
        list(runner.run(refuse, [1]))
