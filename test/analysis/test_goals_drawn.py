"""Pictures of runs show goals where they are: one with its circle, or a place for each robot."""

from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure

from swarm_control.analysis.experiments.pictures import _draw_goals
from swarm_control.scenario.schema import Goal

EACH = Goal(each=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))


@pytest.mark.parametrize(("goals", "places", "circles"), [
    ((Goal(position=(1.5, -2.0), radius=0.4),), [[(1.5, -2.0)]], 1),
    ((EACH,), [[(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]], 0),
    ((EACH, Goal(position=(0.5, 0.5), radius=0.4)), [[(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)], [(0.5, 0.5)]], 1),
])  # fmt: skip
def test_goals_are_drawn_where_they_are(goals, places, circles):
    axes = Figure().add_subplot()
    _draw_goals(axes, SimpleNamespace(flight=SimpleNamespace(goals=goals, robots=3)))
    assert [list(zip(line.get_xdata(), line.get_ydata())) for line in axes.lines] == [[tuple(one) for one in many] for many in places]
    assert len(axes.patches) == circles and len(axes.texts) == (len(goals) if len(goals) > 1 else 0)
