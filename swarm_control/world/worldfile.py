"""Parser of Stage's world-file syntax: macros and nested entities become one tree (after worldfile.cc)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from swarm_control.errors import InputError
from swarm_control.world.includes import MAX_DEPTH, load_tokens
from swarm_control.world.tokens import Token

MAX_ENTITIES = 200_000

Value = float | str


@dataclass(frozen=True)
class Property:
    """``key value`` or ``key [values]`` as written; ``key`` keeps its index, as in ``point[0]``."""

    key: str
    values: tuple[Value, ...]
    file: str
    line: int

    @property
    def where(self) -> str:
        """Place for messages, ``file:line``."""
        return f"{self.file}:{self.line}"


@dataclass
class Entity:
    """``type ( properties and children )`` with macros resolved: ``type`` is what their chain ends in."""

    type: str
    file: str
    line: int
    properties: dict[str, Property] = field(default_factory=dict)
    children: list[Entity] = field(default_factory=list)

    @property
    def where(self) -> str:
        """Place for messages, ``file:line``."""
        return f"{self.file}:{self.line}"


@dataclass
class Statement:
    """``type ( body )`` as it stands in the file, before macros are resolved."""

    head: Token
    body: list[Property | Statement]


@dataclass(frozen=True)
class WorldFile:
    """A parsed world file.

    ``root`` holds the global properties and top-level entities; ``statements`` is everything as written,
    ``macros`` by name (the first definition of a name counts, as in Stage), ``folder`` is where Stage looks
    for bitmaps.
    """

    root: Entity
    statements: list[Property | Statement]
    macros: dict[str, Statement]
    ignored_macros: list[Token]
    folder: Path


def parse(path: str | Path) -> WorldFile:
    """Parse the world file at ``path`` with all that it includes. InputError with ``file:line`` if amiss."""
    return _Parser(load_tokens(Path(path)), Path(path)).parse()


class _Parser:
    """Reads tokens into statements; expands top-level ones with the macros known so far, as Stage does."""

    def __init__(self, tokens: list[Token], path: Path) -> None:
        self.tokens, self.next = tokens, 0
        self.entities = 0
        self.file = WorldFile(Entity("", str(path), 1), [], {}, [], path.parent)

    def parse(self) -> WorldFile:
        root = self.file.root
        while (token := self.take()) is not None:
            if token.kind != "word":
                raise InputError(token.where, f"expected a property or an entity, found {token.text!r}")
            if token.text == "define":
                self.define(token)
                continue
            statement = self.statement(token, 0)
            self.file.statements.append(statement)
            if isinstance(statement, Property):
                root.properties[statement.key] = statement
            else:
                root.children.append(self.expand(statement, (), 0))
        return self.file

    def take(self) -> Token | None:
        self.next += 1
        return self.tokens[self.next - 1] if self.next <= len(self.tokens) else None

    def define(self, start: Token) -> None:
        """Remember the macro of ``define NAME base ( … )``."""
        name, base = self.take(), self.take()
        if name is None or base is None or name.kind != "word" or base.kind != "word":
            raise InputError(start.where, "expected define NAME base ( … )")
        statement = self.statement(base, 0)
        if isinstance(statement, Property):
            raise InputError(start.where, f"expected '(' after define {name.text} {base.text}")
        self.file.statements.append(statement)
        if self.file.macros.setdefault(name.text, statement) is not statement:
            self.file.ignored_macros.append(name)

    def statement(self, head: Token, depth: int) -> Property | Statement:
        """What begins with the word ``head``."""
        token = self.take()
        if head.text == "define":
            raise InputError(head.where, "expected define only outside of all parentheses")
        if token is not None and token.text == "(" and token.kind == "punctuation":
            return Statement(head, self.body(token, depth + 1))
        if token is not None and token.text == "[" and token.kind == "punctuation":
            return Property(head.text, self.values(token), head.file, head.line)
        if token is not None and token.kind in ("number", "string"):
            return Property(head.text, (_value(token),), head.file, head.line)
        found = "the end of the file" if token is None else repr(token.text)
        raise InputError(
            head.where, f"expected a number, a string, '[' or '(' after {head.text}, found {found}"
        )

    def body(self, opening: Token, depth: int) -> list[Property | Statement]:
        """Up to and with the ``)``."""
        if depth > MAX_DEPTH:
            raise InputError(opening.where, f"more than {MAX_DEPTH} entities inside one another")
        content: list[Property | Statement] = []
        while (token := self.take()) is not None:
            if token.kind == "word":
                content.append(self.statement(token, depth))
            elif token.kind == "punctuation" and token.text == ")":
                return content
            else:
                raise InputError(token.where, f"expected a property, an entity or ')', found {token.text!r}")
        raise InputError(opening.where, "this '(' is not closed")

    def values(self, opening: Token) -> tuple[Value, ...]:
        """Up to and with the ``]``."""
        values: list[Value] = []
        while (token := self.take()) is not None and token.kind in ("number", "string"):
            values.append(_value(token))
        if token is None:
            raise InputError(opening.where, "this '[' is not closed")
        if token.text != "]":
            raise InputError(token.where, f"expected a number, a string or ']', found {token.text!r}")
        return tuple(values)

    def expand(self, statement: Statement, active: tuple[str, ...], depth: int) -> Entity:
        """Entity of a statement: first what its macro says, so that what the statement says overrides."""
        head = statement.head
        self.entities += 1
        if head.text in active:
            raise InputError(head.where, f"the macro {head.text} is defined by itself")
        if self.entities > MAX_ENTITIES or depth > MAX_DEPTH:
            raise InputError(
                head.where, f"macros grow to more than {MAX_ENTITIES} entities or {MAX_DEPTH} levels"
            )
        macro = self.file.macros.get(head.text)
        entity = Entity(head.text, head.file, head.line)
        if macro is not None:
            entity = self.expand(macro, (*active, head.text), depth + 1)
            entity.file, entity.line = head.file, head.line
        for part in statement.body:
            if isinstance(part, Property):
                entity.properties[part.key] = part
            else:
                entity.children.append(self.expand(part, active, depth + 1))
        return entity


def _value(token: Token) -> Value:
    return float(token.text) if token.kind == "number" else token.text
