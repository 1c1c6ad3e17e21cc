"""Checks SDF files with Debian's libsdformat, as ``ign sdf --check`` does: ``python sdf_check.py FILE``; status 0 if it is valid."""

import ctypes
import ctypes.util
import sys

LIBRARY = "libsdformat12.so.12"


def available():
    """Whether the library is on this machine (Debian: libsdformat12-12 and sdformat-sdf)."""
    try:
        return ctypes.CDLL(LIBRARY) is not None
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(-ctypes.CDLL(LIBRARY).cmdCheck(sys.argv[1].encode()))
