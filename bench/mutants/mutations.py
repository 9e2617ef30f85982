"""Find the mutations of a Python source text: small edits of conditions, numbers and calls inside functions."""

from __future__ import annotations

import ast
import io
import random
import tokenize
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
_CONNECTIVES: dict[type[ast.boolop], tuple[str, str]] = {
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}
_SIGNS: dict[type[ast.operator], tuple[str, str]] = {ast.Add: ("+", "-"), ast.Sub: ("-", "+")}

# Operands that make `+` a concatenation: `-` would raise in any test that reaches the line.
_CONCATENATED = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp, ast.Dict)


@dataclass(frozen=True, slots=True)
class Mutation:
    """Replace `start:end` of the text of `path` by `replacement`."""

    path: str
    line: int
    lines: tuple[int, int]
    """The first and last line of the statement around it, without the statements in its body."""
    kind: str
    start: int
    end: int
    replacement: str

    def apply(self, text: str) -> str:
        return text[: self.start] + self.replacement + text[self.end :]

    def compiles(self, text: str) -> bool:
        try:
            ast.parse(self.apply(text))
        except SyntaxError:
            return False
        return True

    def old_line(self, text: str) -> str:
        return text.split("\n")[self.line - 1].strip()

    def new_line(self, text: str) -> str:
        return self.apply(text).split("\n")[self.line - 1].strip()


def find_mutations(path: str, text: str) -> list[Mutation]:
    """Return the mutations of the text in the order of their position."""
    return sorted(
        _Finder(path, text).find(),
        key=lambda mutation: (mutation.start, mutation.end, mutation.replacement),
    )


def find_in_tree(root: Path, places: Iterable[Path]) -> list[Mutation]:
    """Return the mutations of these files and of all below these folders; their paths are relative to the root."""
    files = sorted(
        {file for place in places for file in ([place] if place.is_file() else place.rglob("*.py"))}
    )
    return [
        mutation
        for file in files
        for mutation in find_mutations(
            file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")
        )
    ]


def draw(mutations: list[Mutation], count: int, seed: str) -> list[Mutation]:
    """Return `count` of the mutations, at most one for each line, sorted by position. The same seed draws the same."""
    shuffled = random.Random(seed).sample(mutations, len(mutations))
    one_per_line: dict[tuple[str, int], Mutation] = {}
    for mutation in shuffled:
        one_per_line.setdefault((mutation.path, mutation.line), mutation)
    drawn = list(one_per_line.values())[:count]
    return sorted(drawn, key=lambda mutation: (mutation.path, mutation.start))


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    string: str


class _Finder:
    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._text = text
        self._lines = text.split("\n")
        self._line_starts = [0]
        for line in self._lines:
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)
        self._tokens = self._tokenize()
        self._token_starts = [token.start for token in self._tokens]
        self._statement = (1, 1)

    def find(self) -> Iterator[Mutation]:
        for node in _outermost_functions(ast.parse(self._text)):
            yield from self._visit_all(node.body)

    # ---- the tree

    def _visit_all(self, nodes: Iterable[ast.AST]) -> Iterator[Mutation]:
        for node in nodes:
            yield from self._visit(node)

    def _visit(self, node: ast.AST) -> Iterator[Mutation]:
        if isinstance(node, ast.JoinedStr) or _is_type_checking(node):
            return  # Positions inside of an f-string are wrong before Python 3.12.
        if isinstance(node, ast.stmt):
            self._statement = _own_lines(node)
        own_statement = self._statement
        yield from self._mutations_of(node)
        for child in _children(node):
            self._statement = own_statement
            yield from self._visit(child)

    def _mutations_of(self, node: ast.AST) -> Iterator[Mutation]:
        match node:
            case ast.Compare():
                yield from self._comparisons(node)
            case ast.BoolOp():
                yield from self._connectives(node)
            case ast.UnaryOp(op=ast.Not()):
                yield self._without_not(node)
            case ast.BinOp(op=ast.Add() | ast.Sub()) if not _concatenates(node):
                yield from self._swap("sign", _SIGNS[type(node.op)], node.left, node.right)
            case ast.AugAssign(op=ast.Add() | ast.Sub()) if not isinstance(
                node.value, _CONCATENATED
            ):
                old, new = _SIGNS[type(node.op)]
                yield from self._swap("sign", (f"{old}=", f"{new}="), node.target, node.value)
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                yield self._replace("number", node, repr(number + 1))
                yield self._replace("number", node, repr(number - 1))
            case ast.Return(value=ast.Constant(value=bool() as value) as constant):
                yield self._replace("return", constant, str(not value))
            case ast.Expr(value=ast.Call() | ast.Await(value=ast.Call())) if not _asserts_never(
                node.value
            ):
                yield self._replace("call dropped", node, "pass")
            case ast.If() | ast.IfExp():
                yield from self._condition(node.test)
            case ast.While():
                yield from self._condition(node.test, constants=("False",))
            case ast.comprehension():
                for condition in node.ifs:
                    yield from self._condition(condition)
            case _:
                pass

    def _comparisons(self, node: ast.Compare) -> Iterator[Mutation]:
        operands = [node.left, *node.comparators]
        for operator, left, right in zip(node.ops, operands, operands[1:], strict=False):
            yield from self._swap("comparison", _COMPARISONS[type(operator)], left, right)

    def _connectives(self, node: ast.BoolOp) -> Iterator[Mutation]:
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield from self._swap("connective", _CONNECTIVES[type(node.op)], left, right)

    def _without_not(self, node: ast.UnaryOp) -> Mutation:
        start = self._start(node)
        following = self._tokens[bisect_left(self._token_starts, start) + 1]
        return self._mutation("not removed", start, following.start, "")

    def _condition(
        self, test: ast.expr, constants: tuple[str, ...] = ("True", "False")
    ) -> Iterator[Mutation]:
        if isinstance(test, ast.Constant):
            return
        for constant in constants:
            yield self._replace("condition", test, constant)
        # The negation of these two is a mutation of their own operator.
        is_one_comparison = isinstance(test, ast.Compare) and len(test.ops) == 1
        is_negation = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        if not is_one_comparison and not is_negation:
            yield self._replace(
                "not added", test, f"not ({self._text[self._start(test) : self._end(test)]})"
            )

    # ---- the text

    def _swap(
        self, kind: str, words: tuple[str, str], left: ast.expr, right: ast.expr
    ) -> Iterator[Mutation]:
        """Yield the replacement of the operator that is written between the two operands."""
        old, new = words
        between = [
            token
            for token in self._tokens[bisect_left(self._token_starts, self._end(left)) :]
            if token.start < self._start(right) and token.string in old.split()
        ]
        if [token.string for token in between] == old.split():
            yield self._mutation(kind, between[0].start, between[-1].end, new)

    def _replace(self, kind: str, node: ast.expr | ast.stmt, replacement: str) -> Mutation:
        return self._mutation(kind, self._start(node), self._end(node), replacement)

    def _mutation(self, kind: str, start: int, end: int, replacement: str) -> Mutation:
        line = self._text.count("\n", 0, start) + 1
        return Mutation(self._path, line, self._statement, kind, start, end, replacement)

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._offset(node.lineno, node.col_offset)

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, line: int, column_in_bytes: int) -> int:
        column = len(self._lines[line - 1].encode()[:column_in_bytes].decode())
        return self._line_starts[line - 1] + column

    def _tokenize(self) -> list[_Token]:
        tokens = tokenize.generate_tokens(io.StringIO(self._text).readline)
        return [
            _Token(
                self._line_starts[token.start[0] - 1] + token.start[1],
                self._token_end(token),
                token.string,
            )
            for token in tokens
            if token.type in {tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING}
        ]

    def _token_end(self, token: tokenize.TokenInfo) -> int:
        return self._line_starts[token.end[0] - 1] + token.end[1]


def _outermost_functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        elif not _is_type_checking(node):
            yield from _outermost_functions(node)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below that run with the function: no annotation, decorator or default value."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield from node.body
        case ast.Lambda():
            yield node.body
        case ast.AnnAssign():
            if node.value is not None:
                yield node.value
        case _:
            yield from ast.iter_child_nodes(node)


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in {
        "TYPE_CHECKING",
        "typing.TYPE_CHECKING",
    }


def _asserts_never(node: ast.expr) -> bool:
    """Return whether the call is `assert_never(…)`: type checkers run it, tests cannot."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("assert_never")


def _concatenates(node: ast.BinOp) -> bool:
    operands = (node.left, node.right)
    is_text = any(
        isinstance(each, ast.Constant) and isinstance(each.value, str | bytes) for each in operands
    )
    return is_text or any(isinstance(each, _CONCATENATED) for each in operands)


def _own_lines(statement: ast.stmt) -> tuple[int, int]:
    """Return the first and the last line of a statement, without those of its body."""
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if not body:
        return statement.lineno, statement.end_lineno or statement.lineno
    first = body[0]
    first_line = first.pattern.lineno if isinstance(first, ast.match_case) else first.lineno
    return statement.lineno, max(statement.lineno, first_line - 1)
