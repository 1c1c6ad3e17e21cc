"""Where the package's own scenarios and worlds are: a ROS or pip installation's share folder, or the source tree."""

import sys
from pathlib import Path


def share() -> Path:
    """Return the folder that holds ``config``, ``launch`` and ``worlds``."""
    source = Path(__file__).resolve().parent.parent
    installed = Path(__file__).resolve().parents[3] / "share" / "swarm_control"
    for folder in (source, *_overlays(), installed, Path(sys.prefix) / "share" / "swarm_control"):
        if (folder / "config" / "scenarios").is_dir():
            return folder
    return source


def scenarios() -> dict[str, Path]:
    """The shipped scenarios by name."""
    return {path.stem: path for path in sorted((share() / "config" / "scenarios").glob("*.yaml"))}


def _overlays() -> tuple[Path, ...]:
    try:
        from ament_index_python.packages import get_package_share_directory

        return (Path(get_package_share_directory("swarm_control")),)
    except (ImportError, LookupError):
        return ()
