"""Groups of parameters that others add to, such as a scenario's ``control``: each thing in a registry brings its own."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from swarm_control.core.registry import Registry

Group = TypeVar("Group")

GENERATED = (
    "__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__", "__match_args__", "__replace__", "__dataclass_fields__",
    "__dataclass_params__",
)  # fmt: skip
"""What ``dataclass`` writes into a class."""


def open_group(registry: Registry[Any], params_of: Callable[[Any], type | None], after: str) -> Callable[[type[Group]], type[Group]]:
    """Give a frozen dataclass one more group of parameters for each item of ``registry`` that has any.

    ``params_of``: the item's parameter dataclass, or None. The groups come ``after`` this field. An item that is registered later is
    added then; instances made before have its defaults. ``ValueError`` for an item whose name a field of the class has, ``InputError``
    where a plugin brought it.
    """

    def decorate(cls: type[Group]) -> type[Group]:
        declared = {f.name: f for f in fields(cls)}  # type: ignore[arg-type]
        own = {name: f.type for name, f in declared.items()}

        def make(items: Iterable[Any]) -> None:
            further = {item.name: params for item in items if (params := params_of(item)) is not None}
            taken = further.keys() & own.keys()
            if taken:
                name = min(taken)
                reason = f"{registry.kind} {name!r} found, which {cls.__name__} has a field of, expected another name"
                raise registry.refusal(name, reason)
            at = list(own).index(after) + 1
            hints = [*list(own.items())[:at], *further.items(), *list(own.items())[at:]]
            for name in GENERATED:
                if name in cls.__dict__:
                    delattr(cls, name)
            cls.__annotations__ = dict(hints)
            for name, default in {**declared, **{name: field(default_factory=params) for name, params in further.items()}}.items():
                setattr(cls, name, default)
            dataclass(frozen=True)(cls)

        def default(self: Any, name: str) -> Any:
            known = type(self).__dataclass_fields__.get(name)
            if known is None or not callable(known.default_factory):
                raise AttributeError(f"{type(self).__name__} has no {name}")
            return known.default_factory()

        cls.__getattr__ = default  # type: ignore[attr-defined]
        def add(item: Any) -> None:
            if params_of(item) is not None:
                make([*registry.values(), item])

        registry.listen(add, lambda: make(registry.values()))
        make(registry.values())
        return cls

    return decorate
