"""What tests compare results with: a JSON file beside the test, with a line for each case."""

import json

import numpy as np


def short(numbers):
    """Ten digits of each number."""
    return [float(f"{number:.10g}") for number in numbers]


def sums(arrays):
    """A sum of each array, in which each number has another weight."""
    return [float(np.cos(np.arange(np.size(array))) @ np.asarray(array, float).ravel()) for array in arrays]


def write(file, cases):
    """Write ``cases``: name → what it comes to."""
    file.write_text(
        "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(found)}" for name, found in cases.items()) + "\n}\n", encoding="utf-8"
    )
