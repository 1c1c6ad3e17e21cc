"""What goes wrong for reasons outside the program: bad input, and runs that cannot go on. Both are one line for the user."""

import difflib
from collections.abc import Collection
from typing import Any

NEAR = 0.7
"""How like (0 to 1) a name is to what was typed if it may be what was meant."""


class InputError(Exception):
    """Input of the user that cannot be used; the command line prints it and exits with status 2.

    ``where`` names the file and place (``file.yaml: control.separation.weight``), ``what`` what was found and expected.
    """

    def __init__(self, where: str, what: str) -> None:
        super().__init__(" ".join(f"{where}: {what}".split()))

    def __reduce__(self) -> tuple[Any, ...]:
        """So that the error survives the way out of a worker process."""
        return _again, self.args


class Failed(Exception):  # noqa: N818 - as in "the run failed"
    """A run that could not be kept going; the command line prints it and exits with status 1."""


def nearest(name: object, known: Collection[str]) -> str:
    """The end of an error about a ``name`` that is not among the ``known``: which was probably meant, and which there are."""
    close = meant_by(name, known)
    meant = f", did you mean {close}?" if close else ";"
    return f"{meant} expected one of {', '.join(known)}"


def meant_by(name: object, known: Collection[str]) -> str:
    """The one of the ``known`` that a ``name`` is like, or is a word of, as ``speed`` of ``max_speed``; nothing if there is none."""
    close = difflib.get_close_matches(str(name)[:100], known, 1, NEAR)
    holding = [one for one in known if str(name) in one.split("_")]
    return (*close, *holding, "")[0]


def similar(name: object, known: Collection[str]) -> str:
    """The end of an error about a ``name`` that is not among ``known``, which are too many to be listed: the three that it may mean."""
    close = difflib.get_close_matches(str(name)[:100], known, 3, 0.5)
    return f", did you mean {' or '.join(close)}?" if close else f"; expected one of {len(known)} names such as {next(iter(known), '')}"


def _again(text: str) -> InputError:
    error = InputError.__new__(InputError)
    error.args = (text,)
    return error
