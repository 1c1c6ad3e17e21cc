"""The project's own experiments, in a checkout in which they are not installed."""

import importlib.util
import sys
from pathlib import Path

OURS = "swarm_experiments"
"""Import name of this project's own experiments, the folder ``experiments`` of a checkout."""


def find_checkout() -> bool:
    """Make the folder ``experiments`` beside this package importable as :data:`OURS`, and return whether there is one.

    Installed in editable mode, that folder is found without help; a checkout alone knows it by another name.
    """
    folder = Path(__file__).resolve().parents[3] / "experiments"
    if not (folder / "pyproject.toml").is_file():
        return False
    if OURS not in sys.modules:
        spec = importlib.util.spec_from_file_location(OURS, folder / "__init__.py", submodule_search_locations=[str(folder)])
        assert spec is not None and spec.loader is not None
        sys.modules[OURS] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return True
