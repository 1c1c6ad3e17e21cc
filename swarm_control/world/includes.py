"""World files with all that they include, as one sequence of tokens; where the files they name are found."""

from pathlib import Path

from swarm_control.errors import InputError
from swarm_control.world.tokens import Token, read_text, tokenize

MAX_DEPTH = 60
"""Files that include files, entities inside entities, macros on macros."""
MAX_INCLUDES = 1000
MAX_TOKENS = 1_000_000


def load_tokens(path: Path) -> list[Token]:
    """Tokens of the world file at ``path``, each ``include`` replaced by the tokens of what it names."""
    loader = _Loader(path.parent)
    loader.load(path, str(path), ())
    return loader.tokens


class _Loader:
    """Collects tokens; counts files so that includes cannot go on for ever."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.tokens, self.files = folder, list[Token](), 0

    def load(self, path: Path, where: str, stack: tuple[Path, ...]) -> None:
        """Append the tokens of ``path``, asked for at ``where`` from inside the files of ``stack``."""
        text = read_text(path, where)
        resolved = path.resolve()
        self.files += 1
        if resolved in stack:
            raise InputError(where, f"{path} includes itself")
        if len(stack) >= MAX_DEPTH or self.files > MAX_INCLUDES:
            raise InputError(
                where, f"expected at most {MAX_INCLUDES} includes, {MAX_DEPTH} inside one another"
            )
        tokens = iter(tokenize(text, str(path)))
        for token in tokens:
            if token.kind != "word" or token.text != "include":
                self.tokens.append(token)
                continue
            name = next(tokens, None)
            if name is None or name.kind != "string":
                raise InputError(token.where, 'expected include "file"')
            found = find_file(name.text, self.folder, name.file)
            self.load(found, f"{name.where}: {name.text}", (*stack, resolved))
        if len(self.tokens) > MAX_TOKENS:
            raise InputError(where, f"expected at most {MAX_TOKENS} words with all includes")


def find_file(name: str, folder: Path, stated_in: str) -> Path:
    """Path meant by ``name``: in the world file's ``folder`` (Stage's rule), else beside the stating file."""
    candidates = (folder / name, Path(stated_in).parent / name)
    return next((path for path in candidates if _exists(path)), candidates[-1])


def _exists(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
