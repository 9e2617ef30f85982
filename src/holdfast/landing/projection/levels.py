"""How far a file indents a line below another one."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from itertools import filterfalse, pairwise, starmap
from typing import TYPE_CHECKING

from holdfast.landing.projection.indentation import unit_of
from holdfast.landing.text.languages import is_block_line
from holdfast.landing.text.line_keys import indent_of, key_of, width_of
from holdfast.landing.text.line_tokens import strength, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.text.lines import Doc

_SAMPLE = 600
"""Lines looked at: the time does not grow with the file."""
_ENOUGH = 2
"""Lines that show a habit."""
_CLOSER = re.compile(r"[})\]]|</|(?:end|fi|done|esac|else)\b")


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

    def step_below(self, above: str) -> str:
        """Return the only step that the file makes below a line that ends so, or below any; "" where that is not known."""
        # One blank is before each line of a block comment.
        chars = "".join(self.doc.indents - {" "})
        if len(set(chars)) > 1:
            return ""
        steps = Counter(self.steps.get(end_of(above), {}))
        del steps[""]
        known = steps or self.deeper
        if len(known) != 1:
            return ""

        (step,) = known
        if steps or known.total() >= _ENOUGH:
            return step
        # Where a tab has a meaning, one line is enough.
        if step == "\t" and self.doc.language.tabs:
            return step
        return ""

    def always_steps(self, above: str) -> bool:
        """Return whether the line opens a block, and each line below one that ends so is deeper."""
        steps = self.steps.get(end_of(above), Counter())
        if steps[""] or steps.total() < _ENOUGH:
            return False
        # In a value a line may begin anywhere.
        if _OPENS_VALUE.search(above):
            return False
        return self.may_open(above)

    def may_open(self, above: str) -> bool:
        """Return whether a deeper line may be below this one: it ends or begins as lines that open a block."""
        key = key_of(above)
        if is_block_line(key):
            return True
        if self.doc.language.lists_name(key):
            return True
        return _first_word(above) in self.openers

    def is_step_below(self, above: str, step: str) -> bool:
        """Return whether the file may make this step below such a line; any, if the file makes few."""
        if self.deeper.total() <= _ENOUGH:
            return True
        seen = Counter(self.steps.get(end_of(above), {}))
        same = seen.pop("", 0)
        if seen.total() > _ENOUGH:
            return step in seen or self._is_step_of_data(step)
        if self.may_open(above):
            return self._is_step(step)
        return bool(seen) or same <= _ENOUGH

    @cached_property
    def char(self) -> str:
        """The only character that the file indents with, if it has several such lines; else ""."""
        # One blank is before each line of a block comment.
        indents = list(filterfalse({"", " "}.__contains__, map(indent_of, self.sample)))
        chars = set("".join(indents))
        if len(indents) <= _ENOUGH:
            return ""
        if len(chars) > 1:
            return ""
        return chars.pop()

    def written(self, above: str, lines: Sequence[str]) -> list[str]:
        """Return new lines below `above` in the levels of the file, if all levels of the new lines are of another width."""
        found = set()
        for upper, line in pairwise([above, *filter(key_of, lines)]):
            step = step_between(upper, line)
            if step:
                found.add((step, self._step_instead(upper, step)))
        if len(found) != 1:
            return list(lines)
        step, own = found.pop()
        if own in {"", step}:
            return list(lines)
        return _with_steps(above, lines, step, own)

    def _step_instead(self, above: str, step: str) -> str:
        """Return the step of the file in the place of `step`; a level of data that no bracket opens has any width."""
        own = self.step_below(above)
        is_data = self.doc.language.has_keys and end_of(above) == ":"
        if not is_data:
            return own
        if set(step) == set(own):
            return step
        return own

    def fit(self, above: str, lines: Sequence[str]) -> bool:
        """Return whether the file may indent these lines so, below `above` and below each other."""
        solid = [above, *filter(key_of, lines)]
        return all(starmap(self._fits, pairwise(solid)))

    def _fits(self, above: str, line: str) -> bool:
        indent = indent_of(line)
        if indent and _first_word(line) in self.outermost:
            return False
        step = step_between(above, line)
        if not step:
            return self._is_level(indent)
        if not self._is_step(step):
            return False
        if self.may_open(above):
            return True
        steps = self.steps.get(end_of(above), Counter())
        return steps.total() > steps[""]

    def _is_step(self, step: str) -> bool:
        """Return whether a line may be deeper by `step` than the one above it."""
        known = {*self.deeper, unit_of(self.doc)}
        return step in known or self._is_step_of_data(step)

    def _is_step_of_data(self, step: str) -> bool:
        """Return whether the levels of this kind of file have any width."""
        return self.doc.language.has_keys and width_of(step) % 2 == 0

    def _is_level(self, indent: str) -> bool:
        if indent in self.doc.indents:
            return True
        unit = unit_of(self.doc)
        if not set(indent) <= set(unit):
            return False
        return width_of(indent) % width_of(unit) == 0

    @cached_property
    def outermost(self) -> frozenset[str]:
        """The first words of several lines, none of which is indented."""
        words = Counter(map(_first_word, self.sample))
        several = {word for word, count in words.items() if count >= _ENOUGH}
        indented = map(_first_word, filter(indent_of, self.sample))
        return frozenset(several.difference(indented, {""}))

    @cached_property
    def openers(self) -> frozenset[str]:
        """The first words of lines above deeper ones."""
        found = set()
        for above, line in pairwise(self.sample):
            if step_between(above, line):
                found.add(_first_word(above))
        return frozenset(found)


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
    if body.endswith(_OPENING) or not body:
        return False
    if body.endswith(_GOES_ON):
        return True
    if _OPEN_TAG.search(body):
        return True
    return any(body.count(one) > body.count(other) for one, other in _BRACKETS)


_OPENING = ("(", "[", "{")
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_OPENS_VALUE = re.compile(r"=\s*[\[({]\s*$")
_OPEN_TAG = re.compile(r"<\w[^<>]*$")
_GOES_ON = ("+", "-", "*", "/", "=", "&", "|", "\\", "?", "<", ".")


def end_of(line: str) -> str:
    """Return the last word of a line, or the mark at its end."""
    last = line.rstrip()[-1:]
    if last.isalnum():
        return line.rsplit(maxsplit=1)[-1]
    if last == ">" and _CLOSES_TAG.search(line):
        return "/>"
    return last


_CLOSES_TAG = re.compile(r"</|/>")


def _first_word(line: str) -> str:
    return next(iter(words_of(line)), "")


def is_closer(line: str) -> bool:
    """Return whether the line closes a block."""
    if not strength(line):
        return True
    return _CLOSER.match(key_of(line)) is not None


def _with_steps(above: str, lines: Sequence[str], step: str, own: str) -> list[str]:
    """Return the lines with `own` for each level of `step`; as they are if one is between two levels."""
    stack = [(indent_of(above), indent_of(above))]
    out: list[str] = []
    for line in lines:
        if not key_of(line):
            out.append(line)
            continue
        indent = indent_of(line)
        while len(stack) > 1 and width_of(indent) < width_of(stack[-1][0]):
            stack.pop()
        written, real = stack[-1]
        if indent == written + step:
            stack.append((indent, real + own))
        elif width_of(indent) < width_of(written):
            stack = [(indent, indent)]
        elif indent != written:
            return list(lines)
        out.append(stack[-1][1] + line[len(indent) :])
    return out
