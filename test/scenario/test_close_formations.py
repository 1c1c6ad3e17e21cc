"""Shapes that robots cannot stand in are named before the run, also those that they are to take later."""

import pytest
import yaml

import swarm_control as sc


def notices(folder, later=None, noise=0.0, **formation):
    made = {
        "duration": 10.0, "simulator": {"noise_position": noise},
        "robots": [{"count": 30, "model": "omni", "radius": 0.1, "start": {"spacing": 0.5}}],
        "control": {"separation_filter": {"enabled": True, "margin": 0.02}, "formation": {"enabled": True, **formation}},
        "phases": [{"name": "later", "start": 5, "set": later}] if later else [],
    }  # fmt: skip
    (folder / "run.yaml").write_text(yaml.safe_dump(made))
    return [line for line in sc.Simulation(folder / "run.yaml").setup.notices if "two places" in line]


@pytest.mark.parametrize(("spacing", "named"), [(0.23, False), (0.21, True)])
def test_a_line_is_as_close_as_its_spacing(tmp_path, spacing, named):
    lines = notices(tmp_path, shape="line", spacing=spacing)
    said = "control.formation: two places are 0.21 m apart; separation_filter keeps robots 0.22 m apart, and may hold them up"
    assert lines == ([said] if named else [])


def test_a_shape_that_is_taken_later_counts_as_well(tmp_path):
    assert not notices(tmp_path, shape="line", spacing=0.25)
    (line,) = notices(tmp_path, {"formation.shape": "diamond"}, shape="line", spacing=0.25)
    assert "0.177 m apart" in line, "its spacing is along the outline"


def test_noise_is_part_of_it(tmp_path):
    (line,) = notices(tmp_path, shape="line", spacing=0.23, noise=0.01)
    assert "of it for noise" in line
