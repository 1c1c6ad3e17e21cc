"""Every registered behaviour, also a plugin's, keeps to the contract; and the checks notice what breaks it."""

from dataclasses import dataclass

import numpy as np
import pytest

from swarm_control.analysis.contract import check_behaviour
from swarm_control.behaviours import BEHAVIOURS
from swarm_control.behaviours.social import Social
from swarm_control.core.behaviour import Behaviour
from swarm_control.core.parameters import param
from swarm_control.social.laws import Law


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_every_behaviour_keeps_the_contract(name):
    check_behaviour(BEHAVIOURS[name])


def test_forces_between_robots_keep_it_too():
    check_behaviour(BEHAVIOURS["social"], Social(weight=1.0, laws=(Law(equilibrium=0.5),)))


def separation(**changes):
    params = BEHAVIOURS["separation"].params
    request = BEHAVIOURS["separation"].request

    def broken(state, seen, around, params):
        """Broken."""
        return changes["wish"](request(state, seen, around, params), state, seen, params)

    return Behaviour("broken", params, broken, 1.0)


def spoil(wish, state, seen, params):
    seen.offset[0] = 7.0
    return wish


@pytest.mark.parametrize(("wish", "said"), [
    (lambda wish, state, seen, params: wish[:, :1], "shape"),
    (lambda wish, state, seen, params: wish + np.nan, "not finite"),
    (lambda wish, state, seen, params: wish + np.array([0.1, 0.0]), "turned or moved"),
    (lambda wish, state, seen, params: wish + 0.01 * state.position, "turned or moved"),
    (lambda wish, state, seen, params: wish * np.arange(len(wish))[:, None], "numbered otherwise"),
    (lambda wish, state, seen, params: wish * params.weight, "weight"),
    (lambda wish, state, seen, params: wish / (params.distance > 0.0), "not finite"),
    (lambda wish, state, seen, params: wish + np.random.default_rng().normal(), "same inputs"),
    (spoil, "inputs are changed"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_breaks_the_contract_is_named(wish, said):
    with pytest.raises(AssertionError, match=said):
        check_behaviour(separation(wish=wish))


@dataclass(frozen=True)
class Homing:
    """Parameters of a behaviour with places."""

    weight: float = param(0.0, "weight")
    home: tuple[float, ...] = param((1.0, 2.0), "where to", unit="m", size=2)
    ports: tuple[float, ...] = param((3.0, 0.0, -1.0, 4.0), "where else", unit="m")


def homing(state, seen, around, params):
    """Go to the middle of some places."""
    return np.mean(np.reshape((*params.home, *params.ports), (-1, 2)), axis=0) - state.position


def test_places_in_the_world_go_with_it():
    check_behaviour(Behaviour("homing", Homing, homing, 1.0, places=("home", "ports")))
    with pytest.raises(AssertionError, match="turned or moved"):
        check_behaviour(Behaviour("homing", Homing, homing, 1.0, places=("home",)))


def test_who_heeds_goals_says_so_and_nobody_else():
    seek, places = BEHAVIOURS["seek"], ("home", "ports")
    silent = Behaviour("seek", seek.params, seek.request, 1.0)
    for behaviour in (silent, Behaviour("homing", Homing, homing, 1.0, places=places, heeds_goals=True)):
        with pytest.raises(AssertionError, match="heeds_goals"):
            check_behaviour(behaviour)


@pytest.mark.parametrize(("named", "said"), [
    ({"places": ("hone",)}, "places hone found, expected names of parameters that are lists"),
    ({"places": ("weight",)}, "places weight found"), ({"bearings": ("home",)}, "bearings home found"),
])  # fmt: skip
def test_places_and_bearings_are_parameters_of_their_kind(named, said):
    with pytest.raises(ValueError, match=f"behaviour homing: {said}"):
        Behaviour("homing", Homing, homing, 1.0, **named)
