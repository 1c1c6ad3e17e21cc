"""What is read from the truth of robots on a bad network."""

import math

import pytest

from swarm_experiments.network.driven import rates, stopping_time


def write(path, turning):
    """Two robots, a row each 0.1 s for 2 s; robot b's wheels turn while ``turning(time)``."""
    rows = [f"{k / 10},{name},0,0,0,1.0,{1.0 if name == 'a' or turning(k / 10) else 0.0}" for k in range(20) for name in "ab"]
    path.write_text("\n".join(["time,robot,x,y,yaw,left,right", *(row.replace(",1.0,0.0", ",0.0,0.0") for row in rows), ""]))
    return path


def test_a_robot_that_is_cut_off_stops_when_its_wheels_turn_no_more(tmp_path):
    assert stopping_time(write(tmp_path / "a", lambda time: time < 0.85), "b", 0.5, 1.9) == pytest.approx(0.3)
    assert stopping_time(write(tmp_path / "b", lambda time: time < 0.45), "b", 0.5, 1.9) == 0.0
    assert math.isnan(stopping_time(write(tmp_path / "c", lambda time: True), "b", 0.5, 1.9))


def test_how_fast_wheels_turn_now_is_in_the_last_rows(tmp_path):
    assert not rates(tmp_path / "none", 2).any()
    assert rates(write(tmp_path / "a", lambda time: False), 2).tolist() in ([[1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]])
