"""What tests compare results with: a JSON file beside the test, with a line for each case."""

import json


def short(numbers):
    """Ten digits of each number."""
    return [float(f"{number:.10g}") for number in numbers]


def write(file, cases):
    """Write ``cases``: name → what it comes to."""
    file.write_text(
        "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(found)}" for name, found in cases.items()) + "\n}\n", encoding="utf-8"
    )
