"""Imports every module beside and below this one, so that the experiments in them register. The package's entry point names it."""

import importlib
import pkgutil
from pathlib import Path

for _module in pkgutil.walk_packages([str(Path(__file__).parent)], f"{__package__}."):
    if not _module.ispkg and _module.name != __name__:
        importlib.import_module(_module.name)
