"""Build ``swarm_control_msgs`` into this Python environment, with ROS 2's generators from wheels: ``make messages``.

It needs CMake, a C++ compiler and Python's headers (Debian: ``apt install cmake g++ python3-dev``).
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

SOURCE = Path(__file__).parent / "swarm_control_msgs"
DEBIAN = {"cmake": "cmake", "c++": "g++"}


def main() -> int:
    """Build and install; exit status 2 with one line where a program is missing."""
    missing = [package for program, package in DEBIAN.items() if shutil.which(program) is None]
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").exists():
        missing.append("python3-dev")
    if missing:
        print(f"swarm_control_msgs is not built: apt install {' '.join(missing)}", file=sys.stderr)
        return 2
    prefix = sys.prefix
    environment = {**os.environ, "AMENT_PREFIX_PATH": prefix, "PATH": f"{prefix}/bin:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:
        configure = [
            "cmake", "-S", str(SOURCE), "-B", folder, f"-DCMAKE_INSTALL_PREFIX={prefix}", f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DPython3_EXECUTABLE={sys.executable}", f"-DCMAKE_INSTALL_RPATH={prefix}/lib", "-DCMAKE_BUILD_TYPE=Release",
        ]  # fmt: skip
        for line in (configure, ["cmake", "--build", folder, "--parallel"], ["cmake", "--install", folder]):
            made = subprocess.run(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if made.returncode:
                print(made.stdout[-3000:], f"swarm_control_msgs is not built: {' '.join(line[:2])} failed", sep="\n", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
