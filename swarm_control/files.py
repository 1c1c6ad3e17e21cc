"""Writing result files so that nothing written before is ever left damaged, and reading none that never ends."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from swarm_control.errors import InputError


def refuse_pipe(path: Path, where: str = "") -> None:
    """``InputError``, with ``where`` or the path, for a pipe, socket or device: whoever opens one may wait for ever."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InputError(where or str(path), f"{path} is a pipe, socket or device, expected a file")


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


def checked_directory(out: Path, option: str) -> Path:
    """Refuse, before anything runs, a folder given by ``option`` that results cannot be written to; it is tried, and left as it was."""
    existing = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not existing.is_dir():
        raise InputError(f"{option} {out}", "a file found, expected a folder")
    missing = [path for path in (out, *out.parents) if not path.exists()]
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise InputError(f"{option} {out}", f"cannot be written to ({error.strerror}), expected a folder that can") from None
    finally:
        for path in missing:
            with contextlib.suppress(OSError):
                path.rmdir()
    return out


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


def replace_together(folder: Path, writers: Mapping[str, Callable[[Path], object]]) -> list[Path]:
    """Write the files of these names in ``folder``, each by its writer, which gets a path; none takes its place before all are written."""
    with contextlib.ExitStack() as places:
        for name, write in writers.items():
            write(places.enter_context(replacing(folder / name)))
    return [folder / name for name in writers]
