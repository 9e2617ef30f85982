"""Apply a rule to a text: the message, the place and the code must fit."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from holdfast.rules.import_block import place_import
from holdfast.rules.match.context import comments_at
from holdfast.rules.match.missing_name import Reading, other_reading
from holdfast.rules.match.surroundings import Site
from holdfast.rules.match.token_pattern import TokenMatch, find_token_matches, is_last_of_line
from holdfast.rules.match.traits import difference
from holdfast.rules.match.tree_pattern import TreeMatch, find_matches
from holdfast.rules.rule import (
    END_OF_LINE,
    Example,
    Rewrite,
    Rule,
    TokenRewrite,
    TreeRewrite,
    argument_texts,
    diagnostic_of,
    fill,
    plain_type,
    value_in,
)
from holdfast.rules.type_text import elements_of, fits_type
from holdfast.syntax.edits import common_start
from holdfast.syntax.source import ParsedSource
from holdfast.syntax.tokens import COMMON, first_at, is_content, tokenize
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.rules.match.surroundings import NewContent
    from holdfast.vocab.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class NoFit:
    """The rule does not fit here; `reason` says why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The new text."""

    text: str


@dataclass(frozen=True, slots=True)
class _Change:
    """A new text for a span; `whole` is the span of the pattern, `holes` the texts of its holes."""

    start: int
    end: int
    text: str
    whole: tuple[int, int]
    holes: Mapping[str, str]


def rewrite(rule: Rule, text: str, diagnostic: Diagnostic) -> Rewritten | NoFit:
    """Rewrite the one place that the diagnostic is about."""
    source = ParsedSource(text, rule.target, diagnostic.path)
    if not _answers(rule, source, diagnostic):
        return NoFit("the message is another one, or names something else")
    if _may_mean_another(rule, source, diagnostic):
        return NoFit("the program may have another thing that the missing name means")

    changes: list[_Change] = []
    if rule.rewrite is not None:
        change = _change_of(rule.rewrite, source, diagnostic)
        if not isinstance(change, NoFit):
            change = _differs_around(rule, rule.rewrite, source, change, diagnostic) or change
        if isinstance(change, NoFit):
            return change
        changes.append(change)

    new = _with_imports(_spliced(text, changes), rule, diagnostic)
    if new is None:
        return NoFit("the message lacks a name that the import needs")

    return _checked(new, source, rule)


def _may_mean_another(rule: Rule, source: ParsedSource, diagnostic: Diagnostic) -> bool:
    """Return whether a missing name can be read in a way that no example of the rule can."""
    if rule.widened:
        return False
    reading = _reading(rule, source, diagnostic)
    if reading is None:
        return False
    for example in rule.examples:
        known = ParsedSource(example.before, rule.target)
        if _reading(rule, known, diagnostic_of(rule, example)) == reading:
            return False
    return True


def _reading(rule: Rule, source: ParsedSource, diagnostic: Diagnostic) -> Reading | None:
    """Return how else than by a rule the missing name of a diagnostic may be read."""
    texts = argument_texts(diagnostic.args)
    lines = [fill(each, texts) or "" for each in rule.imports]
    return other_reading(source, diagnostic, imports=lines)


def _is_uncommented(rule: Rule, source: ParsedSource, change: _Change) -> bool:
    """Return whether no comment is about a place, or only one that an example has too."""
    comments = comments_at(source, change.start, change.end)
    known = [example.before for example in rule.examples]
    return all(any(line in text for text in known) for line in comments.split("\n"))


def _differs_around(
    rule: Rule, rewrite_: Rewrite, source: ParsedSource, change: _Change, diagnostic: Diagnostic
) -> NoFit | None:
    """Return what around a place may say that something else is meant than in the examples."""
    if rule.uncommented and not _is_uncommented(rule, source, change):
        return NoFit("a comment says what is meant, and a rule cannot read it")

    known = [site for example in rule.examples for site in _sites_in(rule, example)]
    if not known or rule.widened:
        return None
    site = _site(rewrite_, source, change, diagnostic)
    reason = difference(site, known, content=_content_of(rule), choice=rule.uncommented)
    return NoFit(reason) if reason else None


def _site(rewrite_: Rewrite, source: ParsedSource, change: _Change, diagnostic: Diagnostic) -> Site:
    return Site(
        rewrite_,
        source,
        diagnostic,
        span=change.whole,
        changed=(change.start, change.end),
        holes=change.holes,
    )


def _sites_in(rule: Rule, example: Example) -> list[Site]:
    source = ParsedSource(example.before, rule.target)
    if rule.rewrite is None:
        return []
    diagnostic = diagnostic_of(rule, example)
    change = _change_of(rule.rewrite, source, diagnostic)
    if isinstance(change, NoFit):
        return []
    return [_site(rule.rewrite, source, change, diagnostic)]


def _content_of(rule: Rule) -> NewContent:
    """Return what the fix writes that neither the pattern nor the message has.

    A function that is called, or a type, is no operand, unless it is one more argument.
    """
    if rule.rewrite is None:
        return "nothing"
    if _adds_argument(rule.rewrite):
        return "argument"
    if _CONVERTED.search(rule.rewrite.fix) and not _CONVERTED.search(rule.rewrite.pattern):
        return "conversion"
    old = {token.text for token in tokenize(rule.rewrite.pattern, rule.target)}
    for value in (value for values in rule.values.values() for value in values):
        old.update(re.findall(r"\w+", value))
    new = tokenize(rule.rewrite.fix, rule.target)
    found: NewContent = "nothing"
    for token, following in zip_longest(new, new[1:]):
        if not is_content(token) or token.text in old:
            continue
        is_part = following is not None and following.text in _AFTER_PART
        if not is_part and token.text not in COMMON:
            return "operand"
        found = "call"
        if rule.rewrite.fix.count("\n") > rule.rewrite.pattern.count("\n"):
            found = "statement"

    return found


def _adds_argument(rewrite_: Rewrite) -> bool:
    """Return whether a fix passes more to the function that it calls."""
    old, new = _ONE_CALL.fullmatch(rewrite_.pattern), _ONE_CALL.fullmatch(rewrite_.fix)
    if old is None or new is None or old[1] != new[1]:
        return False
    return new[2].count(",") > old[2].count(",")


_ONE_CALL = re.compile(r"([\w.$:]+)\((.*)\)")
_CONVERTED = re.compile(r"(?<!\$)\b\w+\(\$\w+\)|\(\w+\) ?\(?\$|\$\w+ as \w|\$\w+\.\w+\(\)")
"""An operand that is given to a function or a type: `int($A)`, `(int) $A`, `$A.encode()`."""
_AFTER_PART = frozenset({"(", ".", "::", "<", "!"})
"""What follows a function that is called, or something with members."""


def _checked(new: str, source: ParsedSource, rule: Rule) -> Rewritten | NoFit:
    """Return a new text if it parses and all its parts have an effect."""
    if new == source.text:
        return NoFit("nothing would change")
    if rule.rewrite is None:
        return Rewritten(new)

    made = ParsedSource(new, source.language)
    if made.errors > source.errors and not source.errors:
        return NoFit("the new text would not parse")
    if made.idle_statements > source.idle_statements and not made.errors:
        return NoFit("a statement would have no effect")
    if made.idle_operations > source.idle_operations:
        return NoFit("an operator would have the same operand twice")

    return Rewritten(new)


def _answers(rule: Rule, source: ParsedSource, diagnostic: Diagnostic) -> bool:
    """Return whether a diagnostic is of the kind of a rule, with one of its names."""
    key = (diagnostic.tool, diagnostic.code, diagnostic.template)
    if key != (rule.tool, rule.code, rule.template):
        return False

    for number, values in rule.values.items():
        if number >= len(diagnostic.args):
            return False
        found = diagnostic.args[number]
        known = value_in(found, source.text, source.line_at(diagnostic))
        spelled = {plain_type(found), value_in(found, ""), known}
        if not any(fits_type(each, value) for each in spelled for value in values):
            return False
        if known.startswith("<") and known not in values and not _declares(rule, number):
            return False
        if _names_one_of_two(diagnostic.args, number) and not any(
            _names_one_of_two(example.args, number) for example in rule.examples
        ):
            return False

    return True


def _names_one_of_two(args: Sequence[str], number: int) -> bool:
    """Return whether a type has an element twice that the message names alone, too.

    In `Map<String, String>` it is open which of the two a `String` is.
    """
    elements = elements_of(args[number])
    repeated = {each for each in elements if elements.count(each) > 1}
    return not repeated.isdisjoint(args)


def _declares(rule: Rule, number: int) -> bool:
    """Return whether an example declares what its message names: it is no name of a library."""
    for example in rule.examples:
        if value_in(example.args[number], example.before).startswith("<"):
            return True
    return not rule.examples


def _change_of(
    rewrite_: TreeRewrite | TokenRewrite, source: ParsedSource, diagnostic: Diagnostic
) -> _Change | NoFit:
    if isinstance(rewrite_, TreeRewrite):
        return _tree_change(rewrite_, source, diagnostic)
    return _token_change(rewrite_, source, diagnostic)


# -------------------------------------------------------------------------------------- trees


def _tree_change(
    rewrite_: TreeRewrite, source: ParsedSource, diagnostic: Diagnostic
) -> _Change | NoFit:
    matches = find_matches(rewrite_, source, diagnostic.args)
    if not rewrite_.elsewhere:
        matches = _at_diagnostic(matches, source, diagnostic)

    if len(matches) != 1:
        return NoFit(f"the pattern fits at {len(matches)} places")

    match = matches[0]
    texts = {**argument_texts(diagnostic.args), **match.texts}
    needed = [fill(each, texts) for each in rewrite_.needs]
    if not all(each is not None and source.has_words(each) for each in needed):
        return NoFit("the program has no other place with what the fix writes")

    new = fill(_indented(rewrite_.fix, source, match.start), texts)
    if new is None:
        return NoFit("the fix needs a name that the message does not have")

    whole = match.start, match.end
    return _trimmed(_Change(*whole, new, whole, texts), source)


def _trimmed(change: _Change, source: ParsedSource) -> _Change:
    """Return a change without the tokens at its ends that stay, so that the blanks there stay."""
    old_text = source.text[change.start : change.end]
    old, new = tokenize(old_text, source.language), tokenize(change.text, source.language)
    head = common_start(old, new)
    tail = common_start(old[head:][::-1], new[head:][::-1])
    low, new_low = 0, 0
    high, new_high = len(old_text), len(change.text)
    if head:
        low, new_low = old[head - 1].end, new[head - 1].end

    if tail:
        high, new_high = old[-tail].start, new[-tail].start

    text = change.text[new_low:new_high]
    return replace(change, start=change.start + low, end=change.start + high, text=text)


def _at_diagnostic(
    matches: Sequence[TreeMatch], source: ParsedSource, diagnostic: Diagnostic
) -> list[TreeMatch]:
    """Return the smallest of the matches around the place of the diagnostic."""
    start = source.place_of(diagnostic)
    if start is None:
        return []

    around = [match for match in matches if match.start <= start <= match.end]
    end = source.end_of(diagnostic) or start
    whole = [match for match in around if end <= match.end]
    by_size: dict[int, list[TreeMatch]] = {}
    for match in whole or around:
        by_size.setdefault(match.end - match.start, []).append(match)

    if not by_size:
        return []

    return by_size[min(by_size)]


def _indented(text: str, source: ParsedSource, at: int) -> str:
    line_start = source.text.rfind("\n", 0, at) + 1
    line = source.text[line_start:]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    newline = "\r\n" if "\r\n" in source.text else "\n"
    first, *others = text.split("\n")
    lines = [indent + each if each else each for each in others]
    return newline.join([first, *lines])


# ------------------------------------------------------------------------------------- tokens


def _token_change(
    rewrite_: TokenRewrite, source: ParsedSource, diagnostic: Diagnostic
) -> _Change | NoFit:
    offset = source.place_of(diagnostic)
    if offset is None:
        return NoFit("the diagnostic has no place")

    matches = find_token_matches(rewrite_, source, diagnostic.args)
    near = _nearest(matches, source, offset)
    if len(near) != 1:
        return NoFit(f"the pattern fits at {len(near)} places")

    match = near[0]
    texts = {**argument_texts(diagnostic.args), **match.texts, END_OF_LINE: ""}
    start, end = source.tokens[match.low].start, source.tokens[match.high - 1].end
    new = fill(_indented(rewrite_.fix, source, start), texts)
    if new is None:
        return NoFit("the fix needs a name that the message does not have")

    return _trimmed(_Change(start, end, new, (start, end), texts), source)


def _nearest(matches: Sequence[TokenMatch], source: ParsedSource, offset: int) -> list[TokenMatch]:
    """Return the matches that a diagnostic at an offset is about.

    It is at one of their tokens or at the next one, otherwise on their line.
    """
    tokens = source.tokens
    around = []
    for match in matches:
        following = _last_after(match, source)
        if tokens[match.low].start <= offset <= tokens[following].end:
            around.append(match)

    if around:
        ends = {abs(tokens[match.high - 1].end - offset): match for match in around}
        return [ends[min(ends)]]

    line = source.line_of(tokens[min(first_at(tokens, offset), len(tokens) - 1)].start)
    return [match for match in matches if source.line_of(tokens[match.high - 1].start) == line]


def _last_after(match: TokenMatch, source: ParsedSource) -> int:
    """Return the number of the last token where the compiler notices what is missing in a match.

    That is the next token; after the end of a line, any token of the next line with code.
    """
    last = len(source.tokens) - 1
    following = min(match.high, last)
    if not is_last_of_line(source, match.high - 1):
        return following
    while following < last and not is_last_of_line(source, following):
        following += 1
    return following


# ------------------------------------------------------------------------------------ the text


def _spliced(text: str, changes: Sequence[_Change]) -> str:
    for change in changes:
        text = text[: change.start] + change.text + text[change.end :]
    return text


def _with_imports(text: str, rule: Rule, diagnostic: Diagnostic) -> str | None:
    """Return the text with the imports of a rule; None if a hole of an import is empty."""
    texts = argument_texts(diagnostic.args)
    for each in rule.imports:
        line = fill(each, texts)
        if line is None:
            return None
        edit = place_import(text, line, rule.target)
        if edit is not None:
            text = text[: edit.at] + edit.text + text[edit.at :]

    return text
