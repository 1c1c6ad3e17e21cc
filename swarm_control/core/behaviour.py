"""What a behaviour is: a wish, made of what a robot perceives. One file in ``behaviours/``, or in a plugin, registers one."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from swarm_control.core.declared import check_declared
from swarm_control.core.geometry import Array
from swarm_control.core.parameters import specs
from swarm_control.core.registry import Registry

Request = TypeVar("Request", bound=Callable[..., Array])
ATTENDS = ("everyone", "group")


def no_contradictions(control: Any) -> tuple[str, ...]:
    """Nothing that it says contradicts anything."""
    return ()


@dataclass(frozen=True)
class Behaviour:
    """A behaviour.

    ``params``: a frozen dataclass of its parameters (:func:`~swarm_control.core.parameters.param`), ``weight`` among them; its place in
    scenario files is ``control.<name>``. ``request``: (state, seen, around, params) → (N, 2) along the world's axes, which times the
    weight is an acceleration in m/s²; zeros where nothing is wished. ``priority``: urgency where a scenario says nothing of it, the
    greatest comes first. ``attends``: whose neighbours count where robots are in groups with parameters of their own. ``bearings``:
    parameters that are directions in the world, deg; ``places``: parameters that are places in the world, lists x0, y0, x1, y1, …, m; all
    else that a behaviour wishes turns and moves with the world. ``check``: (control) → lines on settings that contradict each other, asked
    where the behaviour has a weight. ``sees_all``: it wants ``around.swarm``, the states of all robots, however far, also where a
    controller serves one robot and hears of those nearby only; or (control) → whether it does with these parameters. ``heeds_goals``: it
    takes robots to their goals; without such a one nobody can be sent anywhere. ``keeps_off_walls``: it turns robots away from walls that
    are ahead, which those do not feel that are led alone past walls, as long as the separation filter is on.
    """

    name: str
    params: type
    request: Callable[..., Array]
    priority: float
    attends: str = "everyone"
    bearings: tuple[str, ...] = ()
    check: Callable[[Any], Iterable[str]] = no_contradictions
    places: tuple[str, ...] = ()
    sees_all: bool | Callable[[Any], bool] = False
    heeds_goals: bool = False
    keeps_off_walls: bool = False

    def __post_init__(self) -> None:
        try:
            check_declared(self.params)
        except ValueError as error:
            raise ValueError(f"behaviour {self.name}: {error}") from None
        declared = {spec.name: spec.type for spec in specs(self.params)}
        if declared.get("weight") is not float:
            expected = "expected a dataclass with a parameter called weight, a float"
            raise ValueError(f"behaviour {self.name}: {self.params.__name__} found, {expected}")
        for what, kinds, names in (("bearings", (float, int), self.bearings), ("places", (tuple,), self.places)):
            unknown = sorted(name for name in names if declared.get(name) not in kinds)
            if unknown:
                expected = f"expected names of parameters that are {'lists of numbers' if what == 'places' else 'numbers'}"
                raise ValueError(f"behaviour {self.name}: {what} {', '.join(unknown)} found, {expected}")
        if self.attends not in ATTENDS:
            raise ValueError(f"behaviour {self.name}: attends {self.attends!r} found, expected one of {', '.join(ATTENDS)}")
        if not self.help:
            raise ValueError(f"behaviour {self.name}: no docstring found, expected one that says in its first line what it does")

    @property
    def help(self) -> str:
        """One line on what it does."""
        return (self.request.__doc__ or "").strip().split("\n")[0]

    def hears_all(self, control: Any) -> bool:
        """Whether it wants the states of all robots, with the parameters in ``control`` (one attribute per behaviour)."""
        return self.sees_all(control) if callable(self.sees_all) else self.sees_all


BEHAVIOURS: Registry[Behaviour] = Registry("behaviour", "swarm_control.behaviours", order=lambda one: (-one.priority, one.name))
"""All behaviours by name, the most urgent first. Complete once :mod:`swarm_control.behaviours` has been imported."""


def register_behaviour(
    params: type, *, priority: float, attends: str = "everyone", bearings: tuple[str, ...] = (),
    check: Callable[[Any], Iterable[str]] = no_contradictions, places: tuple[str, ...] = (),
    sees_all: bool | Callable[[Any], bool] = False, heeds_goals: bool = False, keeps_off_walls: bool = False,
) -> Callable[[Request], Request]:  # fmt: skip
    """Register the decorated function as the behaviour of its name; see :class:`Behaviour`."""

    def register(request: Request) -> Request:
        BEHAVIOURS.add(Behaviour(
            request.__name__, params, request, priority, attends, bearings, check, places, sees_all, heeds_goals, keeps_off_walls
        ))  # fmt: skip
        return request

    return register


def active(control: Any) -> tuple[str, ...]:
    """Names of the behaviours whose weight in ``control`` (one attribute per behaviour) is not zero."""
    return tuple(name for name in BEHAVIOURS if getattr(control, name).weight > 0.0)


def heeds_goals(control: Any) -> bool:
    """Whether a behaviour that takes robots to their goals has a weight in ``control``."""
    return any(BEHAVIOURS[name].heeds_goals for name in active(control))


def goal_weights() -> str:
    """For errors: the weights of which one must not be zero where robots are to go to goals."""
    return "one of " + ", ".join(sorted(f"{name}.weight" for name, one in BEHAVIOURS.items() if one.heeds_goals))
