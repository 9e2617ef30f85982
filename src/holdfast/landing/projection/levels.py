"""How far a file indents a line below another one."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import filterfalse, pairwise, starmap
from typing import TYPE_CHECKING

from holdfast.landing.projection.indentation import unit_of
from holdfast.landing.text.languages import is_block_line
from holdfast.landing.text.line_keys import indent_of, key_of, width_of
from holdfast.landing.text.line_tokens import first_word, strength
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.landing.text.lines import Doc

_SAMPLE = 600
"""Lines looked at: the time does not grow with the file."""
_ENOUGH = 2
"""Lines that show a habit."""
_CLOSER = lazy_pattern(r"[})\]]|</|(?:end|fi|done|esac|else)\b")


class FileLevels:
    """What the lines of a file show about the indentation of a line below another one."""

    def __init__(self, doc: Doc) -> None:
        """Take the lines of a file to look at."""
        self.doc = doc
        self.sample = [doc.lines[i] for i in doc.solid[:_SAMPLE]]

    @cached_property
    def steps(self) -> dict[str, Counter[str]]:
        """For each end of a line what is put before the line below it in addition; "" for nothing."""
        found: dict[str, Counter[str]] = {}
        for above, line in pairwise(self.sample):
            if is_closer(line):
                continue
            below = found.setdefault(end_of(above), Counter())
            below[step_between(above, line)] += 1
        return found

    @cached_property
    def deeper(self) -> Counter[str]:
        """How often each step is made."""
        total: Counter[str] = Counter()
        for steps in self.steps.values():
            total.update(steps)
        del total[""]
        return total

    @cached_property
    def char(self) -> str:
        """The only character that the file indents with, if it has only one; else ""."""
        # One blank is before each line of a block comment.
        indents = list(filterfalse({"", " "}.__contains__, map(indent_of, self.sample)))
        chars = set("".join(indents))
        if len(chars) != 1:
            return ""
        return chars.pop()

    def is_foreign(self, line: str) -> bool:
        """Return whether the line is indented by another character than all lines of the file."""
        if not self.char:
            return False
        indent = indent_of(line)
        # One blank is before each line of a block comment; behind tabs blanks align.
        if indent in {"", " "}:
            return False
        if not indent.startswith(self.char):
            return True
        return "\t" in indent.lstrip(self.char)

    @cached_property
    def openers(self) -> frozenset[str]:
        """The first words of lines above deeper ones."""
        found = set()
        for above, line in pairwise(self.sample):
            if step_between(above, line):
                found.add(first_word(above))
        return frozenset(found)

    def opens(self, above: str) -> bool:
        """Return whether the line ends or begins as lines that open a block."""
        key = key_of(above)
        if is_block_line(key):
            return True
        if self.doc.language.lists_name(key):
            return True
        return first_word(above) in self.openers

    def always_steps(self, above: str) -> bool:
        """Return whether the line opens a block, and each line below one that ends so is deeper."""
        steps = self.steps.get(end_of(above), Counter())
        if steps[""]:
            return False
        if steps.total() < _ENOUGH:
            return False
        # In a value a line may begin anywhere.
        if _OPENS_VALUE.search(above):
            return False
        return self.opens(above)

    def may_step(self, above: str, step: str) -> bool:
        """Return whether a line may be deeper by `step` below such a line; any, if the file does not show it."""
        if not self.deeper:
            return True
        if self.opens(above):
            return step in self.deeper
        end = end_of(above)
        steps = self.steps.get(end, Counter())
        # A word shows less than a mark: few lines end with it.
        if steps.total() <= _ENOUGH * end.isalnum():
            return True
        if steps.total() == steps[""]:
            return False
        return step in self.deeper

    def fit(self, above: str, lines: Iterable[str]) -> bool:
        """Return whether the file indents such lines so, below `above` and below each other."""
        solid = [above, *filter(key_of, lines)]
        return all(starmap(self._fits, pairwise(solid)))

    def _fits(self, above: str, line: str) -> bool:
        if indent_of(line) and first_word(line) in self.outermost:
            return False
        step = step_between(above, line)
        if not step:
            return True
        if not self.opens(above):
            return False
        return step in {*self.deeper, unit_of(self.doc)}

    @cached_property
    def outermost(self) -> frozenset[str]:
        """The first words of several lines, none of which is indented."""
        words = Counter(map(first_word, self.sample))
        several = {word for word, count in words.items() if count >= _ENOUGH}
        indented = map(first_word, filter(indent_of, self.sample))
        return frozenset(several.difference(indented, {""}))


def step_between(above: str, line: str) -> str:
    """Return what is before `line` in addition to the indentation of `above`; "" if it is no deeper."""
    outer, inner = indent_of(above), indent_of(line)
    if inner.startswith(outer):
        return inner[len(outer) :]
    if width_of(inner) > width_of(outer):
        return inner
    return ""


def goes_on(line: str) -> bool:
    """Return whether the line leaves a bracket open behind which it goes on, or ends in the middle of something.

    >>> goes_on("f(a,"), goes_on("a = b +"), goes_on("f("), goes_on("if a {"), goes_on("a();")
    (True, True, False, False, False)
    """
    body = line.rstrip()
    if body.endswith(_OPENING):
        return False
    if body.endswith(_GOES_ON):
        return True
    if _OPEN_TAG.search(body):
        return True
    return any(body.count(one) > body.count(other) for one, other in _BRACKETS)


_OPENING = ("(", "[", "{")
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_OPENS_VALUE = lazy_pattern(r"=\s*[\[({]\s*$")
_OPEN_TAG = lazy_pattern(r"<\w[^<>]*$")
_GOES_ON = ("+", "-", "*", "/", "=", "&", "|", "\\", "?", "<", ".")


def end_of(line: str) -> str:
    """Return the last word of a line, or the mark at its end."""
    last = line.rstrip()[-1:]
    if last.isalnum():
        return line.rsplit(maxsplit=1)[-1]
    if last == ">" and _CLOSES_TAG.search(line):
        return "/>"
    return last


_CLOSES_TAG = lazy_pattern(r"</|/>")


def is_closer(line: str) -> bool:
    """Return whether the line closes a block."""
    if not strength(line):
        return True
    return _CLOSER.match(key_of(line)) is not None
