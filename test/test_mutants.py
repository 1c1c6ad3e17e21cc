"""The list of mutants that change no result is of this tree."""

from pathlib import Path

import pytest
from mutants import ROOT, mutants

LINES = Path(__file__).with_name("equivalent_mutants.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("line", LINES)
def test_a_mutant_that_changes_no_result_is_there_with_the_reason(line):
    change, _, why = line.partition("  # ")
    made = {f"{mutant.path}: {mutant.before} -> {mutant.after}" for mutant in mutants(ROOT / change.partition(": ")[0], False)}
    assert change in made and why
