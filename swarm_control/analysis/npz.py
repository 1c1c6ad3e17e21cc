"""Writing arrays to a file, a little at a time."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

BLOCK = 1 << 18
"""Bytes that are written at once."""


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write ``arrays`` as ``np.load`` reads them. ``np.savez`` copies up to 16 MB of each: a run that writes often would grow by that."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, values in arrays.items():
            values = np.ascontiguousarray(values)
            rows = max(BLOCK * len(values) // max(values.nbytes, 1), 1)
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(values))
                for begin in range(0, len(values), rows):
                    file.write(values[begin : begin + rows].view(np.uint8).data)
