"""An inserted bracket among brackets: which of the equal places it has come to is seen from what it closes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.rules.fix_hunks import FixHunk, NewLines
from holdfast.syntax.source import ParsedSource
from holdfast.syntax.tokens import first_at
from holdfast.syntax.tree import span_of

_CLOSES = {"(": ")", "[": "]", "{": "}"}


def slid(source: ParsedSource, edits: Sequence[FixHunk | NewLines]) -> list[FixHunk | NewLines]:
    """Move each inserted closing bracket to where what follows the inserted opening one ends.

    Of `max(a, v.size())` and `max(a, int(v.size()))` the comparison only says that there is a `)` more; it is the one
    behind `v.size()`, since `v.size(` is nothing to be closed.
    """
    moved = list(edits)
    for number, edit in enumerate(moved):
        opener = next(
            (each for each in reversed(moved[:number]) if isinstance(each, FixHunk)), None
        )
        if isinstance(edit, FixHunk) and opener is not None and _closes(edit, opener):
            moved[number] = _moved(source, edit, opener.end)
    return moved


def _closes(edit: FixHunk, opener: FixHunk) -> bool:
    opened = opener.new.rstrip()[-1:]
    return edit.start == edit.end and opened in _CLOSES and edit.new == _CLOSES[opened]


def _moved(source: ParsedSource, edit: FixHunk, operand: int) -> FixHunk:
    text, bracket = source.text, edit.new
    places = [edit.start]
    while text.startswith(bracket, places[-1]):
        places.append(places[-1] + 1)
    while places[0] > 0 and text[places[0] - 1] == bracket:
        places.insert(0, places[0] - 1)
    ends = {
        span_of(node)[1]
        for node in source.nodes_around(operand)
        if span_of(node)[0] == operand and node.is_named()
    }
    fitting = [place for place in places if place in ends]
    if edit.start in fitting or not fitting:
        return edit
    low = first_at(source.tokens, fitting[0])
    return replace(edit, start=fitting[0], end=fitting[0], low=low, high=low)
