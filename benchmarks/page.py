"""Write ``docs/results/performance.md`` from what the benchmarks print: ``python benchmarks/page.py``. Takes about ten minutes."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "docs" / "results" / "performance.md"
RUNS = (
    ("The swarm tick", ["tick.py"]),
    ("Separation filter and estimator, per tick", ["overhead.py"]),
    ("Virtual structures", ["formation.py"]),
    ("Social potential fields", ["social.py"]),
    ("All nodes on one machine, 20 Hz", ["ros_graph.py", "--robots", "10", "100", "300", "1000", "2000", "--seconds", "15"]),
    ("The same, each robot told by itself", ["ros_graph.py", "--one-by-one", "--robots", "100", "300", "1000", "--seconds", "15"]),
    ("Robots onboard, all on one machine", ["ros_graph.py", "--onboard", "--robots", "4", "8", "--seconds", "15"]),
)


def main() -> None:
    """Run each benchmark and put its output under its command."""
    said = "Written by `python benchmarks/page.py` on a shared machine with two processors; ratios carry further than times."
    lines = ["# Speed", "", said]
    for title, command in RUNS:
        done = subprocess.run([sys.executable, str(HERE / command[0]), *command[1:]], capture_output=True, text=True, check=True)
        lines += ["", f"## {title}", "", f"`python benchmarks/{' '.join(command)}`", "", "```", done.stdout.rstrip(), "```"]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
