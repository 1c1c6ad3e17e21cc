"""What has no effect in a scenario is told of, and what has one is not."""

import pytest

from swarm_control.scenario.loader import load_prepared


def told_of(name, *changes):
    """The keys of which the user is told that they do nothing."""
    words = ("not used, as", "of which the first", "the run ends before", "no behaviour leads")
    return [notice.split(": ")[0] for notice in load_prepared(name, list(changes))[1].notices if any(word in notice for word in words)]


@pytest.mark.parametrize(("changes", "told"), [
    ((), []), (("robots.0.names=[a, b]",), []), (("robots.0.names=[a, b, c]", "robots=3"), []),
    (("robots.0.names=[a, b, c]", "robots=2"), ["robots[0].names"]),
    (("robots.0.start.outline=[0, 0, 1, 0, 1, 1]",), ["robots[0].start.outline"]),
    (("phases=[{start: 19.9, set: {separation.weight: 1.0}}]", "duration=20"), []),
    (("phases=[{}, {start: 20, set: {separation.weight: 1.0}}]", "duration=20"), ["phases[1].start"]),
    (("goals=[{position: [1, 1]}]",), ["goals"]), (("goals=[{position: [1, 1]}]", "arrival.weight=1"), []),
])  # fmt: skip
def test_what_does_nothing_is_told_of(changes, told):
    assert told_of("flock_frame", *changes) == told
