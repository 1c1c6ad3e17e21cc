"""Write ``docs/parameters.md`` and ``config/scenario.schema.json`` from the schema: ``python docs/make_parameters.py [ROOT]``."""

import json
import sys
from pathlib import Path

from swarm_control.scenario.json_schema import json_schema
from swarm_control.scenario.reference import page

if __name__ == "__main__":
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    schema = json.dumps(json_schema(), indent=1, ensure_ascii=False)
    for name, text in (("docs/parameters.md", page()), ("config/scenario.schema.json", schema)):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n", encoding="utf-8")
