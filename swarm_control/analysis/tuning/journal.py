"""The runs of a tuning, a line each in a file, so that an interrupted one goes on where it was."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from swarm_control.errors import InputError

Values = Mapping[str, float | int]


class Journal:
    """What ``path`` holds of a tuning described by ``problem`` (plain JSON data), and what is added to it.

    ``InputError`` when the file holds another tuning, or is none. A last line that was cut off is forgotten.
    """

    def __init__(self, path: Path, problem: Mapping[str, Any]) -> None:
        self._known: dict[str, dict[str, Any]] = {}
        lines = self._read(path)
        if lines and lines[0] != {"problem": problem}:
            raise InputError(str(path), "holds another tuning, expected this one begun before, or another folder with --out")
        try:
            for line in lines[1:]:
                self._known[_key(line["values"], line["seed"])] = line["summary"]
            whole = "".join(json.dumps(line) + "\n" for line in lines or [{"problem": problem}])
            path.write_text(whole, encoding="utf-8")
            self._file = path.open("a", encoding="utf-8")
        except (KeyError, TypeError):
            raise InputError(str(path), "found a line without values, seed and summary, expected a tuning's runs") from None
        except OSError as error:
            raise InputError(str(path), f"cannot be written ({error.strerror})") from None

    def __len__(self) -> int:
        return len(self._known)

    def get(self, values: Values, seed: int) -> dict[str, Any] | None:
        """The summary of a run that was made; None when it was not."""
        return self._known.get(_key(values, seed))

    def add(self, values: Values, seed: int, summary: dict[str, Any]) -> None:
        """Keep a run."""
        self._known[_key(values, seed)] = summary
        self._file.write(json.dumps({"values": dict(values), "seed": seed, "summary": summary}) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @staticmethod
    def _read(path: Path) -> list[Any]:
        if not path.exists():
            return []
        try:
            texts = path.read_text(encoding="utf-8").splitlines(keepends=True)
            return [json.loads(text) for text in texts if text.endswith("\n")]
        except (OSError, ValueError):
            raise InputError(str(path), "cannot be read, expected a tuning's runs, one JSON object a line") from None


def _key(values: Values, seed: int) -> str:
    return json.dumps([dict(values), seed])
