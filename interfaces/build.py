"""Build messages into this Python environment, with ROS 2's generators from wheels: ``make messages``.

``swarm_control_msgs``, and ``tf2_msgs`` where ROS 2's own is not installed. It needs CMake, a C++ compiler and Python's headers (Debian:
``apt install cmake g++ python3-dev``).
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

PACKAGES = ("swarm_control_msgs", "tf2_msgs")
DEBIAN = {"cmake": "cmake", "c++": "g++"}


def main() -> int:
    """Build and install; exit status 2 with one line where a program is missing."""
    wanted = [package for package in PACKAGES if not provided(package)]
    missing = [package for program, package in DEBIAN.items() if shutil.which(program) is None]
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").exists():
        missing.append("python3-dev")
    if missing and wanted:
        print(f"{' and '.join(wanted)} are not built: apt install {' '.join(missing)}", file=sys.stderr)
        return 2
    return max((build(package) for package in wanted), default=0)


def provided(package: str) -> bool:
    """Whether ROS 2 has the package, outside of this environment."""
    sys.path = [place for place in sys.path if Path(place).resolve() != Path(__file__).parent.resolve()]  # where its source is
    found = importlib.util.find_spec(package)
    return found is not None and found.origin is not None and not Path(found.origin).is_relative_to(sys.prefix)


def build(package: str) -> int:
    """Build one package; exit status 1 and the end of what was said where it cannot be."""
    prefix = sys.prefix
    environment = {**os.environ, "AMENT_PREFIX_PATH": prefix, "PATH": f"{prefix}/bin:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:
        configure = [
            "cmake", "-S", str(Path(__file__).parent / package), "-B", folder, f"-DCMAKE_INSTALL_PREFIX={prefix}",
            f"-DCMAKE_PREFIX_PATH={prefix}", f"-DPython3_EXECUTABLE={sys.executable}", f"-DCMAKE_INSTALL_RPATH={prefix}/lib",
            "-DCMAKE_BUILD_TYPE=Release",
        ]  # fmt: skip
        for line in (configure, ["cmake", "--build", folder, "--parallel"], ["cmake", "--install", folder]):
            made = subprocess.run(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if made.returncode:
                print(made.stdout[-3000:], f"{package} is not built: {' '.join(line[:2])} failed", sep="\n", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
