"""How the braces of a text nest, seen by how its lines are indented: the one sign of where a lost brace was."""

from __future__ import annotations

from holdfast.syntax.source import SourceText
from holdfast.syntax.tokens import Token

_OPENERS = {")": "(", "]": "[", "}": "{"}


def nests_as_indented(source: SourceText) -> bool:
    """Whether all brackets pair up, and each brace that begins a line stands below the line with its opening one."""
    walk = _Walk(source)
    return all(walk.take(token) for token in source.tokens) and not walk.opened


def stray_brace(source: SourceText) -> int | None:
    """Give the number of the first closing brace that has no opening one and stands below another like it.

    Below anything else it ends a block whose opening brace was lost.
    """
    walk, tokens = _Walk(source), source.tokens
    number = next((number for number, token in enumerate(tokens) if not walk.take(token)), None)
    if not number or tokens[number - 1].text != "}":
        return None
    pair = tokens[number - 1], tokens[number]
    alike = all(map(walk.begins_line, pair)) and walk.indent_of(pair[0]) == walk.indent_of(pair[1])
    return number if alike else None


def unclosed_before(source: SourceText) -> int | None:
    """Give the number of the token whose line is the first one no deeper than that of a bracket which is still open."""
    walk = _Walk(source)
    for number, token in enumerate(source.tokens):
        if walk.opened and token.kind not in {"open", "close"} and walk.begins_line(token):
            own, around = walk.indent_of(token), walk.opened[-1][1]
            if len(own) <= len(around):
                return number if own == around else None
        if not walk.take(token):
            return None
    return None


class _Walk:
    """Goes from bracket to bracket; `opened` are those still open, with how the lines they belong to are indented."""

    def __init__(self, source: SourceText) -> None:
        self.opened: list[tuple[str, str]] = []
        self._source = source
        self._head: tuple[int, str] | None = None

    def take(self, token: Token) -> bool:
        """Take a bracket in; False if it closes none, or if a brace stands below another line than it should."""
        if token.kind == "open":
            self.opened.append((token.text, self._line_of(token)))
        if token.kind != "close":
            return True
        if not self.opened or self.opened[-1][0] != _OPENERS[token.text]:
            return False
        _, indent = self.opened.pop()
        self._head = (token.end, indent) if token.text == ")" else None
        return token.text != "}" or not self.begins_line(token) or indent == self.indent_of(token)

    def _line_of(self, token: Token) -> str:
        """Say how the line is indented; if a head over several lines ends there, the line where that began."""
        if self._head is not None and "\n" not in self._source.text[self._head[0] : token.start]:
            return self._head[1]
        return self.indent_of(token)

    def begins_line(self, token: Token) -> bool:
        return not self._before(token).strip()

    def indent_of(self, token: Token) -> str:
        line = self._before(token)
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _before(self, token: Token) -> str:
        text = self._source.text
        return text[text.rfind("\n", 0, token.start) + 1 : token.start]
