"""Merging a rule with a second example: what differs between the two becomes a variable."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.rules.learn.learn_rule import NotLearned, learn
from holdfast.rules.match.apply_rule import Rewritten, rewrite
from holdfast.rules.match.tree_match import size_of
from holdfast.rules.rule import (
    AddImport,
    AddLines,
    Example,
    FixEdit,
    Hole,
    PatternPiece,
    PieceSide,
    Rule,
    RulePattern,
    RuleSplice,
    TextPart,
    TokenEdit,
    complaint_of,
)
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_EXAMPLES = 8


@dataclass(frozen=True, slots=True)
class NotMerged:
    """The example belongs to another rule; `reason` says why."""

    reason: str


def merge(rule: Rule, example: Example) -> Rule | NotMerged:
    """Widen a rule so that it reproduces the example and still all its others."""
    if example.after is None:
        return NotMerged("a counter-example widens nothing")
    if explains(rule, example):
        return _with_example(rule, example)
    other = learn(example.before, example.after, complaint_of(rule, example), rule.target)
    return NotMerged(other.reason) if isinstance(other, NotLearned) else merge_rules(rule, other)


def merge_rules(rule: Rule, other: Rule) -> Rule | NotMerged:
    """Widen a rule by another for the same diagnostic, so that it covers the examples of both."""
    if rule.key != other.key:
        return NotMerged("the diagnostic is another one")
    merged: Rule | None = rule
    if not all(explains(rule, example) for example in other.examples):
        merged = _unify(rule, other)
    if merged is None:
        return NotMerged("a hole of the fix would have nothing to fill it")
    for example in other.examples:
        merged = _with_example(merged, example)
    if not all(explains(merged, each) for each in (*merged.examples, *merged.counter_examples)):
        return NotMerged("the wider rule would fail an example")
    return merged


def explains(rule: Rule, example: Example) -> bool:
    """Return whether the rule reproduces an example, or leaves a counter-example unchanged."""
    rewritten = rewrite(rule, example.before, complaint_of(rule, example))
    if example.after is None:
        return not isinstance(rewritten, Rewritten)
    return isinstance(rewritten, Rewritten) and rewritten.text == example.after


def _with_example(rule: Rule, example: Example) -> Rule:
    if example in rule.examples or len(rule.examples) >= _MOST_EXAMPLES:
        return rule
    return replace(rule, examples=(*rule.examples, example))


def _unify(one: Rule, other: Rule) -> Rule | None:
    """Return the most specific rule of which both are cases; None if there is none."""
    if one.pattern.place != other.pattern.place or len(one.fix) != len(other.fix):
        return None
    moved: dict[int, int] = {}
    pattern = _unify_patterns(one.pattern, other.pattern, moved)
    if pattern is None:
        return None
    fix = []
    for mine, its in zip(one.fix, other.fix, strict=True):
        edit = _unify_edits(mine, its, moved)
        if edit is None:
            return None
        fix.append(edit)
    constants = {
        number: tuple(sorted({*values, *other.constants[number]}))
        for number, values in one.constants.items()
        if number in other.constants
    }
    return replace(one, pattern=pattern, fix=tuple(fix), constants=constants)


def _unify_patterns(
    one: RulePattern, other: RulePattern, moved: dict[int, int]
) -> RulePattern | None:
    if one.tree is None or other.tree is None:
        return one if one.tree is None and other.tree is None else None
    tree = _unify_pieces(one.tree, other.tree, 0, 0, moved)
    if tree is None or (one.spot is None) != (other.spot is None):
        return None
    if one.spot is None:
        return RulePattern(one.place, tree)
    if one.spot != other.spot or one.spot[0] not in moved:
        return None
    return RulePattern(one.place, tree, (moved[one.spot[0]], one.spot[1]))


def _unify_pieces(
    one: PatternPiece, other: PatternPiece, old: int, new: int, moved: dict[int, int]
) -> PatternPiece | None:
    """Unify two pieces; record in `moved` the new number of each piece of the first."""
    if one.rest or other.rest:
        if one.rest and other.rest:
            moved[old] = new
            return one
        return None
    moved[old] = new
    kinds = tuple(dict.fromkeys((*one.kinds, *other.kinds)))
    arg = one.arg if one.arg == other.arg else None
    if (one.arg is None) != (other.arg is None):
        return None
    text = one.text if one.text == other.text else None
    if one.children is None and other.children is None:
        return PatternPiece(kinds, text, arg)
    if (
        one.children is not None
        and other.children is not None
        and len(one.children) == len(other.children)
    ):
        return _unify_children(one, other, old, new, moved)
    # One has children and the other has none: together they are a variable, and the pieces inside
    # have no number any more.
    return PatternPiece(kinds)


def _unify_children(
    one: PatternPiece, other: PatternPiece, old: int, new: int, moved: dict[int, int]
) -> PatternPiece | None:
    children = []
    at, to = old + 1, new + 1
    for mine, its in zip(one.children or (), other.children or (), strict=True):
        child = _unify_pieces(mine, its, at, to, moved)
        if child is None:
            return None
        children.append(child)
        at, to = at + size_of(mine), to + size_of(child)
    return PatternPiece(tuple(dict.fromkeys((*one.kinds, *other.kinds))), children=tuple(children))


def _unify_edits(one: FixEdit, other: FixEdit, moved: Mapping[int, int]) -> FixEdit | None:
    match one, other:
        case RuleSplice(), RuleSplice():
            if (one.start, one.end, one.parts, one.lines) != (
                other.start,
                other.end,
                other.parts,
                other.lines,
            ):
                return None
            start, end, parts = (
                _moved(one.start, moved),
                _moved(one.end, moved),
                _moved_parts(one.parts, moved),
            )
            return (
                None
                if start is None or end is None or parts is None
                else RuleSplice(start, end, parts, one.lines)
            )
        case TokenEdit(), TokenEdit():
            return _unify_token_edits(one, other)
        case AddImport(), AddImport():
            places = tuple(place for place in one.places if place in other.places)
            # Each was learned from its own file: one with an import block does not contradict one
            # without.
            places = places or tuple(dict.fromkeys((*one.places, *other.places)))
            return replace(one, places=places) if one.parts == other.parts else None
        case AddLines(), AddLines():
            return one if one == other else None
        case _:
            return None


def _unify_token_edits(one: TokenEdit, other: TokenEdit) -> TokenEdit | None:
    anchors = tuple(anchor for anchor in one.anchors if anchor in other.anchors)
    same = (
        one.parts == other.parts
        and one.sides == other.sides
        and len(one.removed) == len(other.removed)
    )
    if not anchors or not same:
        return None
    pairs = zip(
        (*one.removed, one.before, one.after),
        (*other.removed, other.before, other.after),
        strict=True,
    )
    pieces = [_unify_tokens(mine, its) for mine, its in pairs]
    *removed, before, after = pieces
    return TokenEdit(anchors, tuple(removed), one.parts, before, after, one.sides)


def _unify_tokens(one: PatternPiece, other: PatternPiece) -> PatternPiece:
    kinds = tuple(dict.fromkeys((*one.kinds, *other.kinds)))
    return PatternPiece(
        kinds,
        one.text if one.text == other.text else None,
        one.arg if one.arg == other.arg else None,
    )


def _moved(side: tuple[int, PieceSide], moved: Mapping[int, int]) -> tuple[int, PieceSide] | None:
    return None if side[0] not in moved else (moved[side[0]], side[1])


def _moved_parts(
    parts: tuple[TextPart, ...], moved: Mapping[int, int]
) -> tuple[TextPart, ...] | None:
    made: list[TextPart] = []
    for part in parts:
        if not isinstance(part, Hole) or part.of != "piece":
            made.append(part)
        elif part.number in moved:
            made.append(Hole("piece", moved[part.number]))
        else:
            return None
    return tuple(made)
