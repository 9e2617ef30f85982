"""How the braces of a text nest, compared with the indentation of its lines.

The indentation is the only sign of where a lost brace was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.syntax.tokens import Token

if TYPE_CHECKING:
    from holdfast.syntax.source import ParsedSource

_OPENERS = {")": "(", "]": "[", "}": "{"}


def nests_as_indented(source: ParsedSource) -> bool:
    """Return whether all brackets pair up and are indented alike.

    A brace that begins a line must be indented like the line of its opening brace.
    """
    brackets = _OpenBrackets(source)
    for token in source.tokens:
        if not brackets.accept(token):
            return False
    return not brackets.opened


def stray_brace(source: ParsedSource) -> int | None:
    """Return the index of the first closing brace without an opening one; None if there is none.

    It must be on the line below a closing brace with the same indentation: below anything else
    it ends a block whose opening brace was lost.
    """
    brackets = _OpenBrackets(source)
    previous = Token("edge", "", 0, 0)
    for index, token in enumerate(source.tokens):
        if brackets.accept(token):
            previous = token
            continue
        if previous.text != "}":
            return None
        if not brackets.begins_line(previous) or not brackets.begins_line(token):
            return None
        if source.indent_at(previous.start) == source.indent_at(token.start):
            return index
        return None
    return None


def unclosed_before(source: ParsedSource) -> int | None:
    """Return the index of the token before which a closing bracket is missing; None if unknown.

    It begins the first line that is indented no deeper than the line of a bracket still open.
    """
    brackets = _OpenBrackets(source)
    for index, token in enumerate(source.tokens):
        if not brackets.accept(token):
            return None
        if token.kind in {"open", "close"} or not brackets.opened:
            continue
        if not brackets.begins_line(token):
            continue
        own = source.indent_at(token.start)
        _, around = brackets.opened[-1]
        if own == around:
            return index
        if len(own) <= len(around):
            return None
    return None


class _OpenBrackets:
    """The brackets that are still open, each with the indentation of the line it belongs to."""

    def __init__(self, source: ParsedSource) -> None:
        self.opened: list[tuple[str, str]] = []
        self._source = source
        self._parentheses: tuple[int, str] | None = None
        """Where the last closed parentheses end, and the indentation of the line they began on."""

    def accept(self, token: Token) -> bool:
        """Add or remove a bracket; return False if it is unpaired or indented otherwise."""
        if token.kind == "open":
            self.opened.append((token.text, self._indent_for(token)))
            return True
        if token.kind != "close":
            return True
        if not self.opened:
            return False
        opener, indent = self.opened[-1]
        if opener != _OPENERS[token.text]:
            return False
        self.opened.pop()
        self._parentheses = None
        if token.text == ")":
            self._parentheses = (token.end, indent)
        if token.text != "}" or not self.begins_line(token):
            return True
        return indent == self._source.indent_at(token.start)

    def _indent_for(self, token: Token) -> str:
        """Return the indentation of the line that an opening bracket belongs to.

        After parentheses over several lines, that is the line where they began.
        """
        if self._parentheses is not None:
            end, indent = self._parentheses
            if "\n" not in self._source.text[end : token.start]:
                return indent
        return self._source.indent_at(token.start)

    def begins_line(self, token: Token) -> bool:
        text = self._source.text
        start = text.rfind("\n", 0, token.start) + 1
        line = text[start : token.start]
        return not line.strip()
