"""Mutants of source files: one operator or number changed at a time."""

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]

OTHER = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Mod: ast.Mult, ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or,
    ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
"""What becomes of an operator. Comparisons turn round: ``<`` to ``<=`` would change nothing but at one number."""


GUARDS = {10.0**-k for k in range(6, 16)}
"""What is added or taken away so that rounding decides nothing: with the other sign it decides as little, and no test could tell."""


SIDE = re.compile(r"((side|sign)(\[.*\]|\([^()]*\))?|\(1\.0 if .* else -1\.0\))$")
"""A factor of 1 or −1, by name: who divides by it multiplies."""


@dataclass(frozen=True)
class Mutant:
    """``path`` is relative to the root; ``source`` is the whole changed file; ``before`` and ``after`` what has changed in it."""

    path: Path
    line: int
    before: str
    after: str
    source: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before} -> {self.after}"


def changed(node: ast.AST, numbers: bool) -> ast.AST | None:
    """The node with another operator or number; None: nothing to change here."""
    new = copy.deepcopy(node)
    if isinstance(new, ast.BinOp) and isinstance(new.right, ast.Constant) and new.right.value in GUARDS:
        return None
    if isinstance(new, ast.BinOp) and isinstance(new.op, ast.Mult) and SIDE.search(ast.unparse(new)):
        new.op = ast.Add()
    elif isinstance(new, ast.BinOp | ast.BoolOp) and type(new.op) in OTHER:
        new.op = OTHER[type(new.op)]()
    elif isinstance(new, ast.Compare) and type(new.ops[0]) in OTHER:
        new.ops[0] = OTHER[type(new.ops[0])]()
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.USub | ast.Not):
        return new.operand
    elif numbers and isinstance(new, ast.Constant) and type(new.value) in (int, float):
        new.value = type(new.value)(2 * new.value if new.value else 1)
    else:
        return None
    return new


def places(tree: ast.AST) -> Iterator[ast.AST]:
    """What functions do: no defaults, no declarations of parameters, no annotations."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                yield from (node for node in _walk(statement) if hasattr(node, "end_col_offset"))


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it, but annotations."""
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                yield from _walk(child) if isinstance(child, ast.AST) else ()


def mutants(path: Path, numbers: bool) -> list[Mutant]:
    """Every mutant of a file, each place once."""
    text = path.read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: dict[tuple[int, int], Mutant] = {}
    for node in places(ast.parse(text)):
        new = changed(node, numbers)
        start, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        before = text[start:end].decode()
        if new is not None and is_written(node, before):
            mutated = (text[:start] + f"({ast.unparse(new)})".encode() + text[end:]).decode()
            found[start, end] = Mutant(path.relative_to(ROOT), node.lineno, before, ast.unparse(new), mutated)
    return list(found.values())


def is_written(node: ast.AST, text: str) -> bool:
    """Whether the text is the node's: within f-strings Python 3.11 tells wrong places."""
    try:
        return ast.dump(ast.parse(f"({text})", mode="eval").body) == ast.dump(node)
    except SyntaxError:
        return False
