"""Apply a rule to a text: the message, the place and the code must fit."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import compress, product, starmap
from typing import TYPE_CHECKING

from holdfast.rules.import_block import place_import
from holdfast.rules.match.context import comments_at
from holdfast.rules.match.header_match import TYPE, find_headers
from holdfast.rules.match.missing_name import Reading, other_reading
from holdfast.rules.match.node_classes import is_operation
from holdfast.rules.match.site import Site
from holdfast.rules.match.token_pattern import TokenMatch, find_token_matches, is_last_of_line
from holdfast.rules.match.traits import difference
from holdfast.rules.match.tree_pattern import TreeMatch, find_matches, kind_of_pattern
from holdfast.rules.rule import (
    END_OF_LINE,
    HeaderRewrite,
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
from holdfast.rules.type_text import fits_type
from holdfast.syntax.edits import common_start
from holdfast.syntax.source import ParsedSource
from holdfast.syntax.tokens import first_at, is_content, texts_of, tokenize
from holdfast.syntax.tree import span_of
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.rules.match.site import NewContent
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

    reason = _other_meaning(rule, source, diagnostic)
    if reason:
        return NoFit(reason)

    rewritten = _rewrite_place(rule, source, diagnostic)
    if isinstance(rewritten, NoFit):
        return rewritten

    new = _with_imports(rewritten.text, rule, diagnostic)
    return _checked(new, source, rule)


def _rewrite_place(rule: Rule, source: ParsedSource, diagnostic: Diagnostic) -> Rewritten | NoFit:
    """Return the text with the rewrite of a rule; without a rewrite, the text as it is."""
    text = source.text
    if rule.rewrite is None:
        place = source.place_of(diagnostic) or 0
        reason = _other_choice(rule, source, place, place)
        return NoFit(reason) if reason else Rewritten(text)

    change = _change_of(rule.rewrite, source, diagnostic)
    if isinstance(change, NoFit):
        return change

    reason = _difference_around(rule, _site(rule.rewrite, source, change, diagnostic))
    if reason:
        return NoFit(reason)

    start, end = _dropped_line(change, text) or (change.start, change.end)
    new = text[:start] + change.text + text[end:]
    if isinstance(rule.rewrite, TreeRewrite) and _is_taken_apart(new, source, change, rule.rewrite):
        return NoFit("an operator around would take only a part of the new text")

    return Rewritten(new)


def _dropped_line(change: _Change, text: str) -> tuple[int, int] | None:
    """Return the span of the lines of which a change leaves nothing, or None."""
    if change.text:
        return None

    start = text.rfind("\n", 0, change.start) + 1
    end = text.find("\n", change.end)
    if end < 0 or (text[start : change.start] + text[change.end : end]).strip():
        return None

    return start, end + 1


def _is_taken_apart(new: str, source: ParsedSource, change: _Change, rewrite_: TreeRewrite) -> bool:
    """Return whether an operator binds more tightly to a part of what changed: `k in d == x`."""
    if not is_operation(str(kind_of_pattern(rewrite_.fix, source.language))):
        return False

    start, end = change.whole
    end += len(new) - len(source.text)
    kinds = {span_of(node): node.kind() for node in ParsedSource(new, source.language).nodes}
    return not is_operation(kinds.get((start, end), ""))


def _other_meaning(rule: Rule, source: ParsedSource, diagnostic: Diagnostic) -> str:
    """Return why a missing name may be another thing than in the examples of a rule, or ""."""
    if rule.widened:
        return ""

    known: list[Reading | None] = [None]
    for example in rule.examples:
        before = ParsedSource(example.before, rule.target)
        known.append(_reading(rule, before, diagnostic_of(rule, example)))

    if _reading(rule, source, diagnostic) in known:
        return ""

    return "the program may have another thing that the missing name means"


def _reading(rule: Rule, source: ParsedSource, diagnostic: Diagnostic) -> Reading | None:
    """Return how else than by a rule the missing name of a diagnostic may be read."""
    texts = argument_texts(diagnostic.args)
    lines = [fill(each, texts) for each in rule.imports]
    return other_reading(source, diagnostic, imports=lines)


def _other_choice(rule: Rule, source: ParsedSource, start: int, end: int) -> str:
    """Return why a comment may say that another thing is meant than in the examples, or ""."""
    if not rule.uncommented:
        return ""

    comments = comments_at(source, start, end)
    known_texts = "\n".join(example.before for example in rule.examples)
    if all(map(known_texts.__contains__, comments.split("\n"))):
        return ""

    return "a comment says what is meant, and a rule cannot read it"


def _difference_around(rule: Rule, site: Site) -> str:
    """Return what around a place may say that something else is meant than in the examples."""
    reason = _other_choice(rule, site.source, site.start, site.end)
    if reason:
        return reason

    known: list[Site] = []
    for example in rule.examples:
        diagnostic = diagnostic_of(rule, example)
        source = ParsedSource(example.before, rule.target)
        change = _change_of(site.rewrite, source, diagnostic)
        if isinstance(change, _Change):
            known.append(_site(site.rewrite, source, change, diagnostic))

    if rule.widened or not known:
        return ""

    return difference(site, known, _content_of(rule, site.rewrite))


def _site(rewrite_: Rewrite, source: ParsedSource, change: _Change, diagnostic: Diagnostic) -> Site:
    return Site(
        rewrite_,
        source,
        diagnostic,
        span=change.whole,
        changed=(change.start, change.end),
        holes=change.holes,
    )


def _content_of(rule: Rule, rewrite_: Rewrite) -> NewContent:
    """Return what the fix writes that neither the pattern nor the message has."""
    pattern, fix = rewrite_.pattern, rewrite_.fix
    if is_conversion(rewrite_):
        return "conversion"

    known = set(texts_of(tokenize(pattern, rule.target)))
    for values in rule.values.values():
        known.update(re.findall(r"\w+", " ".join(values)))

    written = filter(is_content, tokenize(fix, rule.target))
    if known.issuperset(texts_of(written)):
        return "nothing"

    return "words"


def is_conversion(rewrite_: Rewrite) -> bool:
    """Return whether a fix gives an operand of the pattern to a function or a type."""
    if _CONVERTED.search(rewrite_.pattern):
        return False

    return _CONVERTED.search(rewrite_.fix) is not None


_CONVERTED = lazy_pattern(r"(?<!\$)\b\w+\(\$\w+\)|\(\w+\) ?\(?\$|\$\w+ as \w|\$\w+\.\w+\(\)")
"""An operand that is given to a function or a type: `int($A)`, `(int) $A`, `$A.encode()`."""


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

    return all(_has_value(rule, number, source, diagnostic) for number in rule.values)


def _has_value(rule: Rule, number: int, source: ParsedSource, diagnostic: Diagnostic) -> bool:
    """Return whether a name in the message has a value that a rule is for."""
    if number >= len(diagnostic.args):
        return False

    found, values = diagnostic.args[number], rule.values[number]
    known = value_in(found, source.text, source.line_at(diagnostic))
    own = value_in(found, source.text)
    # A class is called, too.
    spelled = (plain_type(found), value_in(found, ""), own, known, _CALLED.get(own, own))
    if not any(starmap(fits_type, product(spelled, values))):
        return False

    # What the program declares itself is no name of a library.
    if known in values or not known.startswith("<"):
        return True

    declared = [value_in(each.args[number], each.before) for each in rule.examples]
    if not declared:
        return True

    return any(value.startswith("<") for value in declared)


_CALLED = {"<class>": "<function>"}


def _change_of(rewrite_: Rewrite, source: ParsedSource, diagnostic: Diagnostic) -> _Change | NoFit:
    match rewrite_:
        case TreeRewrite():
            return _tree_change(rewrite_, source, diagnostic)
        case TokenRewrite():
            return _token_change(rewrite_, source, diagnostic)
        case HeaderRewrite():
            return _header_change(rewrite_, source, diagnostic)


# ------------------------------------------------------------------------------------ headers


def _header_change(
    rewrite_: HeaderRewrite, source: ParsedSource, diagnostic: Diagnostic
) -> _Change | NoFit:
    found = find_headers(rewrite_, source, diagnostic)
    if len(found) != 1:
        return NoFit(f"the message is about {len(found)} functions")

    header = found[0]
    text = f"{rewrite_.fix} "
    if rewrite_.place.startswith("after"):
        text = f" {rewrite_.fix}"
    elif rewrite_.place == "above":
        text = _indented(f"{rewrite_.fix}\n", source, header.at) + _indent_at(source, header.at)

    # As the name of a function: a type is no variable that may be read or passed on.
    holes = {"NAME": header.name} if header.name and not TYPE.match(rewrite_.pattern) else {}
    return _Change(header.at, header.at, text, header.span, holes)


# -------------------------------------------------------------------------------------- trees


def _tree_change(
    rewrite_: TreeRewrite, source: ParsedSource, diagnostic: Diagnostic
) -> _Change | NoFit:
    matches = find_matches(rewrite_, source, diagnostic.args)
    if rewrite_.elsewhere:
        words = {*re.findall(r"\w+", source.line_at(diagnostic)), *diagnostic.args}
        place = source.place_of(diagnostic) or 0
        matches = [match for match in matches if not words.isdisjoint(match.texts.values())]
        # Of several, what the message is about is not the place of the message itself.
        matches = [match for match in matches if not match.covers(place, place)] or matches
    else:
        matches = _at_diagnostic(matches, source, diagnostic)

    if len(matches) != 1:
        return NoFit(f"the pattern fits at {len(matches)} places")

    match = matches[0]
    texts = {**argument_texts(diagnostic.args), **match.texts}
    needed = [fill(each, texts) for each in rewrite_.needs]
    if not all(map(source.has_words, needed)):
        return NoFit("the program has no other place with what the fix writes")

    new = fill(_indented(rewrite_.fix, source, match.start), texts)
    whole = match.start, match.end
    return _trimmed(_Change(*whole, new, whole, texts), source)


def _trimmed(change: _Change, source: ParsedSource) -> _Change:
    """Return a change without the tokens at its ends that stay, so that the blanks there stay."""
    old_text = source.text[change.start : change.end]
    old, new = tokenize(old_text, source.language), tokenize(change.text, source.language)
    head = common_start(old, new)
    tail = common_start(old[head:][::-1], new[head:][::-1])
    low, new_low = ([0, *(token.end for token in tokens)][head] for tokens in (old, new))
    cut, new_cut = (
        [0, *(len(text) - token.start for token in reversed(tokens))][tail]
        for text, tokens in ((old_text, old), (change.text, new))
    )
    text = change.text[new_low : len(change.text) - new_cut]
    return replace(change, start=change.start + low, end=change.end - cut, text=text)


def _at_diagnostic(
    matches: Sequence[TreeMatch], source: ParsedSource, diagnostic: Diagnostic
) -> list[TreeMatch]:
    """Return the smallest of the matches around the place of the diagnostic."""
    start = source.place_of(diagnostic)
    if start is None:
        return []

    for end in (source.operand_end(diagnostic), start):
        around = [match for match in matches if match.covers(start, end)]
        if around:
            sizes = [match.end - match.start for match in around]
            return list(compress(around, map(min(sizes).__eq__, sizes)))

    # An argument in the reported call.
    reported = TreeMatch(start, source.operand_end(diagnostic), {})
    return [match for match in matches if reported.covers(match.start, match.end)]


def _indent_at(source: ParsedSource, at: int) -> str:
    line_start = source.text.rfind("\n", 0, at) + 1
    line = source.text[line_start:]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _indented(text: str, source: ParsedSource, at: int) -> str:
    indent = _indent_at(source, at)
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
    following = min(match.high, len(source.tokens) - 1)
    if is_last_of_line(source, match.high - 1):
        line = source.line_of(source.tokens[following].start)
        following = first_at(source.tokens, source.line_end(line)) - 1

    return following


# ------------------------------------------------------------------------------------ the text


def _with_imports(text: str, rule: Rule, diagnostic: Diagnostic) -> str:
    """Return the text with the imports of a rule."""
    texts = argument_texts(diagnostic.args)
    for each in rule.imports:
        edit = place_import(text, fill(each, texts), rule.target)
        if edit is not None:
            text = text[: edit.at] + edit.text + text[edit.at :]

    return text
