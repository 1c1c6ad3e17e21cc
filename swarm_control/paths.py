"""Where the package's own scenarios and worlds are: a ROS or pip installation's share folder, or the source tree."""

import sys
from pathlib import Path


def share() -> Path:
    """Return the folder that holds ``config``, ``launch`` and ``worlds``."""
    here = Path(__file__).resolve()
    source, prefix = here.parents[1], here.parents[min(4, len(here.parents) - 1)]
    for folder in (source, prefix / "share" / "swarm_control", Path(sys.prefix) / "share" / "swarm_control"):
        if (folder / "config" / "scenarios").is_dir():
            return folder
    return source


def models() -> dict[str, Path]:
    """The shipped descriptions of robots by name."""
    return {path.stem: path for path in sorted((share() / "config" / "models").glob("*.yaml"))}


def scenarios() -> dict[str, Path]:
    """The shipped scenarios by name."""
    return {path.stem: path for path in sorted((share() / "config" / "scenarios").glob("*.yaml"))}
