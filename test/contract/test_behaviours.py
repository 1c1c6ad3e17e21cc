"""Every registered behaviour, also a plugin's, keeps to the contract; and the checks notice what breaks it."""

import numpy as np
import pytest

from swarm_control.analysis.contract import check_behaviour
from swarm_control.behaviours import BEHAVIOURS
from swarm_control.behaviours.social import Social
from swarm_control.core.behaviour import Behaviour
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
