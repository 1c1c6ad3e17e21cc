"""Writing result files so that nothing written before is ever left damaged."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from swarm_control.errors import InputError


def output_directory(path: Path) -> Path:
    """Make the directory ``path`` if need be and return it; ``InputError`` when results cannot be written there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError(str(path), "is a file, expected a directory for the results") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be made ({error.strerror}), expected a directory for the results") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise InputError(str(path), "is not writable, expected a directory for the results")
    return path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path`` to write to; it takes the place of ``path`` if all goes well and vanishes if not."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        raise InputError(str(path), f"cannot be written ({error.strerror or error}), expected a place for the results") from None
    finally:
        temporary.unlink(missing_ok=True)
