"""Learn a rule from a verified fix: the differences, tied to the diagnostic, generalised."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from holdfast.rules.fix_hunks import FixHunk, NewLines, hunks_between, with_brackets_moved
from holdfast.rules.learn.token_rules import token_fixes
from holdfast.rules.learn.tree_rules import tree_fixes
from holdfast.rules.match.apply_rule import Rewritten, body_line, rewrite
from holdfast.rules.match.bound_names import takes_own
from holdfast.rules.match.import_block import (
    IN_BLOCK,
    NO_BLOCK,
    blank_lines,
    has_block,
    is_import,
    line_for,
)
from holdfast.rules.match.message_constraints import constants_of
from holdfast.rules.match.names_at import with_names_here
from holdfast.rules.match.template_parts import join_constants, parts_of
from holdfast.rules.rule import (
    AddImport,
    AddLines,
    Example,
    FixEdit,
    PatternPiece,
    Provenance,
    Rule,
    RulePattern,
    Spot,
    example_of,
)
from holdfast.rules.rule_json import id_of
from holdfast.syntax.source import ParsedSource
from holdfast.syntax.syntax_errors import is_syntax
from holdfast.syntax.tokens import is_literal, tokenize
from holdfast.syntax.tree import broken_nodes, span_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.vocab.diagnostics import Diagnostic, Target

_MOST_EDITS = 6
_MOST_NEW = 600
"""A fix with more new characters than this is specific to one program."""


@dataclass(frozen=True, slots=True)
class NotLearned:
    """No rule follows from the fix; `reason` says why."""

    reason: str


@dataclass(frozen=True, slots=True)
class _Draft:
    pattern: RulePattern
    fix: tuple[FixEdit, ...]


def learn(
    before: str,
    after: str,
    diagnostic: Diagnostic,
    target: Target,
    *,
    created: str = "",
    provenance: Provenance = "extracted",
) -> Rule | NotLearned:
    """Return a rule that turns one text into the other, for the diagnostic about the first.

    The rule is tried before it is returned: it makes exactly this change.
    """
    source = ParsedSource(before, target, diagnostic.path)
    if before == after:
        return NotLearned("nothing differs")
    differing = hunks_between(source, ParsedSource(after, target, diagnostic.path))
    if differing is None or len(differing) > _MOST_EDITS:
        return NotLearned("too much differs for one fix")
    differing = with_brackets_moved(source, differing)
    if (
        sum(len(each.text if isinstance(each, NewLines) else each.new) for each in differing)
        > _MOST_NEW
    ):
        return NotLearned("the fix brings too much text of its own")
    reason = "the differences are not tied to the message or to its place"
    for draft in _drafts(source, differing, diagnostic):
        brought = [
            join_constants(edit.parts) for edit in draft.fix if not isinstance(edit, AddImport)
        ]
        if (own := takes_own(brought, source)) is not None:
            reason = f"the fix uses {own}, a name of this program"
            continue
        rule = _rule_of(draft, source, diagnostic, target)
        rule = replace(rule, examples=(example_of(before, after, diagnostic),))
        rewritten = rewrite(rule, before, diagnostic)
        if isinstance(rewritten, Rewritten) and rewritten.text == after:
            example = _short_example(rule, before, after, diagnostic)
            return replace(
                rule, id=id_of(rule), created=created, provenance=provenance, examples=(example,)
            )
    return NotLearned(reason)


def _rule_of(draft: _Draft, source: ParsedSource, diagnostic: Diagnostic, target: Target) -> Rule:
    constants = constants_of(draft.fix, draft.pattern, diagnostic, source.text, target)
    tree = draft.pattern.tree
    return Rule(
        id="",
        target=target,
        tool=diagnostic.tool,
        code=diagnostic.code,
        template=diagnostic.template,
        node_kind=tree.kinds[0] if tree is not None and tree.kinds else "",
        pattern=draft.pattern,
        fix=draft.fix,
        constants=constants,
    )


def _drafts(
    source: ParsedSource, differing: Sequence[FixHunk | NewLines], diagnostic: Diagnostic
) -> Iterator[_Draft]:
    """Yield the possible patterns and fixes, the narrowest first."""
    offset = source.place_of(diagnostic)
    imports = [
        each
        for each in differing
        if isinstance(each, NewLines)
        and any(is_import(line, source.language) for line in each.text.split("\n"))
    ]
    others = [each for each in differing if each not in imports]
    added: list[FixEdit] = []
    for each in imports:
        edits = _imports_of(source, each, diagnostic.args)
        if edits is None:
            return
        added += edits
    hunks = [each for each in others if isinstance(each, FixHunk)]
    if not others:
        yield _Draft(RulePattern("lines", *_seen_at(source, offset, diagnostic.args)), tuple(added))
        return
    syntax = _is_about_syntax(source, diagnostic, offset)
    by_tokens = (
        _Draft(pattern, (*edits, *added))
        for pattern, edits in token_fixes(source, others, diagnostic, marks=syntax)
    )
    if len(hunks) < len(others):
        yield from _line_drafts(source, others, added, diagnostic, offset)
        yield from by_tokens if syntax else ()
        return
    by_tree = _tree_drafts(source, hunks, added, diagnostic, offset)
    # Where a text does not parse, its tree is a guess, and that of another text another guess.
    yield from (*by_tokens, *by_tree) if syntax else (*by_tree, *by_tokens)


_SYNTAX = re.compile(
    r"expected\b|unexpected |missing |syntax error|.*\.expected\d?:|.*illegal\.start|.*should be '",
    re.IGNORECASE,
)


def _is_about_syntax(source: ParsedSource, diagnostic: Diagnostic, offset: int | None) -> bool:
    if diagnostic.code and is_syntax(diagnostic):
        return True
    # A message alone is not enough: the tree must be broken there too.
    if _SYNTAX.match(diagnostic.template) is None or source.root is None or offset is None:
        return False
    line = source.line_of(offset)
    return any(
        abs(source.line_of(span_of(node)[0]) - line) <= 2 for node in broken_nodes(source.root)
    )


def _tree_drafts(
    source: ParsedSource,
    hunks: Sequence[FixHunk],
    added: list[FixEdit],
    diagnostic: Diagnostic,
    offset: int | None,
) -> Iterator[_Draft]:
    if source.root is None:
        return
    for fix in tree_fixes(source, hunks, diagnostic.args, offset, source.end_of(diagnostic)):
        yield _Draft(fix.pattern, (*fix.splices, *added))


def _seen_at(
    source: ParsedSource, offset: int | None, args: Sequence[str]
) -> tuple[PatternPiece | None, tuple[int, Spot] | None]:
    """Return the piece for the name from the message that the diagnostic points at, if any."""
    if offset is None:
        return None, None
    for node in reversed(source.nodes_around(offset)):
        if node.range().start.index == offset and node.is_named() and node.text() in args:
            return PatternPiece((node.kind(),), arg=args.index(node.text())), (0, "start")
    return None, None


def _imports_of(source: ParsedSource, new: NewLines, args: Sequence[str]) -> list[FixEdit] | None:
    lines = [line + "\n" for line in source.text.split("\n")]
    texts = [line.rstrip("\r") for line in new.text.removesuffix("\n").split("\n")]
    blank = len(texts) - len([text for text in texts if text.strip()])
    brought = [text for text in texts if text.strip()]
    if len(brought) != 1 or any(not is_import(text, source.language) for text in brought):
        return None
    text = brought[0]
    blank = 1 if has_block(lines, source.language) else blank + blank_lines(lines, new.line)
    usable = IN_BLOCK if has_block(lines, source.language) else NO_BLOCK
    places = tuple(
        place
        for place in usable
        if line_for(place, lines, text + "\n", source.language) == new.line
    )
    return [AddImport(parts_of(text, source.language, args), places, blank)] if places else None


def _line_drafts(
    source: ParsedSource,
    others: Sequence[FixHunk | NewLines],
    added: list[FixEdit],
    diagnostic: Diagnostic,
    offset: int | None,
) -> Iterator[_Draft]:
    """Yield the fix as lines added near the line of the diagnostic."""
    new = others[0]
    if offset is None or len(others) > 1 or not isinstance(new, NewLines):
        return
    text = _dedented(new.text.removesuffix("\n"))
    line = source.line_of(offset)
    pattern = RulePattern("lines", *_seen_at(source, offset, diagnostic.args))
    if not diagnostic.args and any(is_literal(token) for token in tokenize(text, source.language)):
        # `return -1;`: nothing shows that the next program needs the same value.
        return
    parts = parts_of(text, source.language, with_names_here(source, diagnostic).args)
    places: list[Literal["before", "after", "body"]] = []
    places += ["before"] if new.line == line else []
    places += ["after"] if new.line == line + 1 else []
    places += ["body"] if new.line == body_line(source, offset) else []
    # A declaration such as `global x` must be the first line of the function.
    places.sort(
        key=lambda place: place == "body", reverse=text.startswith(("global ", "nonlocal "))
    )
    for place in places:
        yield _Draft(pattern, (AddLines(parts, place), *added))


def _dedented(text: str) -> str:
    lines = text.split("\n")
    indents = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line.strip()]
    indent = min(indents, key=len, default="")
    return "\n".join(line.removeprefix(indent) if line.strip() else "" for line in lines)


_WHOLE_TEXT = 4_000
_LINES_AROUND = 20


def _short_example(rule: Rule, before: str, after: str, diagnostic: Diagnostic) -> Example:
    """Return the example without lines far from the fix, if the rule makes the same of it."""
    whole = example_of(before, after, diagnostic)
    area = diagnostic.area
    if len(before) <= _WHOLE_TEXT or area is None:
        return whole
    lines = before.split("\n")
    first = max(0, area.line - 1 - _LINES_AROUND)
    short = "\n".join(lines[first : area.end_line + _LINES_AROUND])
    moved = replace(area, line=area.line - first, end_line=area.end_line - first)
    complaint = replace(diagnostic, area=moved)
    rewritten = rewrite(rule, short, complaint)
    if not isinstance(rewritten, Rewritten):
        return whole
    return example_of(short, rewritten.text, complaint)
