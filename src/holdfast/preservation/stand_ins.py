"""Changes of meaning by what takes the place of something: another name, call, value or statement.

The checker is content with it, and it does not do what the code was there for.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from holdfast.preservation import fact_tables as tables
from holdfast.preservation.facts import written_names
from holdfast.preservation.meaning_change import MeaningChange, MeaningRule, review
from holdfast.syntax.node_kinds import FUNCTIONS
from holdfast.syntax.tokens import tokenize
from holdfast.syntax.tree import span_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ast_grep_py import SgNode

    from holdfast.preservation.edit_facts import EditFacts
    from holdfast.preservation.fact import Fact
    from holdfast.syntax.source import ParsedSource
    from holdfast.syntax.tokens import Token

_WORD: Final = re.compile(r"\w+")
_BOUND: Final = re.compile(r"^[ \t]*(?:[\w<>\[\].*&]+[ \t]+)*(\w+)(?::[^=\n(]+)? = ", re.MULTILINE)
_IGNORING: Final = re.compile(r"(\w+)\((?:move )?(?:\|_\||lambda _:|_ =>|\(_?\) =>)")
_FOR_ERRORS: Final = re.compile("err|else|catch|then")
_COPIED: Final = re.compile(r"(?<![&\w])[^\W\d]\w*")
_ALIKE: Final = 0.8


def _defines_beside(facts: EditFacts) -> MeaningChange | None:
    """Find a missing function that is defined anew, though the program has a similar one."""
    functions = {text for kind, text in facts.had if kind == "function"}
    for fact in facts.gained_of("function"):
        if fact.text not in facts.reports.names:
            continue
        # An interface may declare it, too.
        similar = get_close_matches(fact.text, sorted(functions - {fact.text}), 1, _ALIKE)
        if similar and facts.has["function", similar[0]]:
            return review(f"it defines `{fact.text}`, and the program has `{similar[0]}`.")
    return None


def _avoids_similar(facts: EditFacts) -> MeaningChange | None:
    """Find a missing value in whose place is another, though the program has a similar one."""
    gained = facts.gained_names()
    if facts.is_syntax or not gained:
        return None
    others = {text for kind, text in facts.had if kind in {"constant", "computed"}}
    others |= {text.rpartition(" ")[2] for kind, text in facts.had if kind == "parameter"}
    for fact in facts.lost_of("name"):
        name = fact.text
        is_known = name in others or re.search(rf"\bimport\b.*\b{name}\b", facts.old.text)
        if name not in facts.reports.names or is_known:
            continue
        similar = get_close_matches(name, sorted(others), 1, _ALIKE)
        if similar and not get_close_matches(name, gained, 1, _ALIKE):
            return review(f"it writes `{gained[0]}` for `{name}`; the program has `{similar[0]}`.")
    return None


def _makes_up_limit(facts: EditFacts) -> MeaningChange | None:
    """Find a missing name that a condition compares with, and that gets a constant of the fix's own."""
    limits = _compared_names(facts)
    for fact in facts.gained_of("constant"):
        if fact.text in limits & facts.reports.names - written_names(facts.old):
            return review(f"it makes up the value of `{fact.text}`, on which a condition depends.")
    return None


def _compared_names(facts: EditFacts) -> set[str]:
    """Return the operands of the old text's comparisons of order."""
    found: set[str] = set()
    for kind, text in facts.had:
        if kind == "order":
            left, sign, right = text.split("\0")
            found |= {left, right} if sign in tables.COMPARISONS else set()
    return found


def _equates(facts: EditFacts) -> MeaningChange | None:
    """Find a missing name that is set to a name that is used beside it: both are the same now."""
    for fact in facts.gained_of("alias"):
        name, value = fact.text.split("\0")
        if name in facts.reports.names and {name, value} <= facts.reports.near:
            return review(f"it makes `{name}` the same as `{value}`, which is used beside it.")
    return None


def _makes_up_argument(facts: EditFacts) -> MeaningChange | None:
    """Find a missing argument that is passed as nothing: `memset(key, 0, 0)`."""
    added = facts.added.strip(" ,\n")
    if facts.removed.strip() or not added or added not in tables.NOTHING:
        return None
    for node in facts.new.nodes_around(facts.edit.new_start):
        if node.kind() in tables.ARGUMENT_LISTS and facts.added.strip() != added:
            return review(f"it makes up an argument (`{added}`).")
    return None


def _sets_in_condition(facts: EditFacts) -> MeaningChange | None:
    found = facts.gained_of("set in condition")
    if not found:
        return None
    return review(f"it sets a variable in a condition (`{found[0].text}`).")


def _measures_value(facts: EditFacts) -> MeaningChange | None:
    """Find a call for text where a number is asked for, or the reverse, that converts nothing."""
    texts, numbers = _types_said(facts)
    if not texts or not numbers:
        return None
    calls = facts.gained_of("call")
    used = {fact.text for fact in calls} | set(facts.gained_names())
    if not calls or facts.lost_of("call", "name") or used & tables.VALUE_CONVERSIONS:
        return None
    return review(f"it takes what `{calls[0].text}` says of a value for the value.")


def _limits_value(facts: EditFacts) -> MeaningChange | None:
    """Find a number of the wrong type that a new call computes anew, from it and another value."""
    _, numbers = _types_said(facts)
    if len(numbers) <= 1 or facts.lost_of("call", "name"):
        return None
    passed = Counter(fact.text.partition("\0")[0] for fact in facts.gained_of("argument"))
    for fact in facts.gained_of("call"):
        if passed[fact.text] > 1 and fact.text not in tables.VALUE_CONVERSIONS:
            return review(f"it computes another value with `{fact.text}`; correct the type.")
    return None


def _types_said(facts: EditFacts) -> tuple[frozenset[str], frozenset[str]]:
    """Return the types of text and of numbers that the errors name."""
    language, names = facts.old.language, facts.reports.names
    return names & tables.TEXT_TYPES[language], names & tables.NUMBER_TYPES[language]


def _drops_loop(facts: EditFacts) -> MeaningChange | None:
    """Find a loop that runs once or never: its word is gone, and its code stays."""
    if facts.may_delete or not _WORD.search(facts.added):
        return None
    language = facts.old.language
    lost = _loop_words(tokenize(facts.removed, language))
    is_fewer = len(_loop_words(tokenize(facts.added, language))) < len(lost)
    if is_fewer and len(_loop_words(facts.new.tokens)) < len(_loop_words(facts.old.tokens)):
        return review(f"it drops the loop (`{lost[0]}`).")
    return None


def _loop_words(tokens: Iterable[Token]) -> list[str]:
    return [token.text for token in tokens if token.text in tables.LOOP_WORDS]


def _stores_unused(facts: EditFacts) -> MeaningChange | None:
    """Find a new variable that nothing uses: its value is computed and dropped."""
    start = facts.new.text.rfind("\n", 0, facts.edit.new_start) + 1
    lines = facts.new.text[start : facts.edit.new_end]
    for name in _BOUND.findall(lines):
        is_new = not re.search(rf"\b{name}\b", facts.old.text)
        if is_new and len(re.findall(rf"\b{name}\b", facts.new.text)) == 1:
            return review(f"it sets `{name}`, which nothing uses.")
    return None


def _ignores_argument(facts: EditFacts) -> MeaningChange | None:
    """Find a new function that drops the value it gets, and is not for an error."""
    for called in _IGNORING.findall(facts.added):
        if not _FOR_ERRORS.search(called) and not _IGNORING.search(facts.removed):
            return review(f"it drops the value that `{called}` gets.")
    return None


def _adds_to_correction(facts: EditFacts) -> MeaningChange | None:
    """Find a call that is new beside the correction of a misspelt name."""
    calls = [fact.text for fact in facts.gained_of("call")]
    lost = [fact.text for fact in facts.lost_of("call", "name")]
    for name in lost:
        meant = get_close_matches(name, calls, 1, _ALIKE)
        others = [call for call in calls if call not in {*meant, *lost}]
        if meant and others and facts.gained_of("literal"):
            return review(f"it calls `{others[0]}` beside the correction of `{name}`.")
    return None


def _changes_assertion(facts: EditFacts) -> MeaningChange | None:
    """Find a number or a sign of an assertion that is another one now: it fits what it has to check."""
    if facts.is_syntax or not tables.ASSERTION.match(facts.old.line_text(facts.edit.start)):
        return None
    for fact in facts.lost_of("literal", "comparison"):
        if fact.text[-1:] not in {'"', "'"}:
            return review(f"it changes what an assertion checks (`{fact.text}` is gone).")
    return None


def _captures_copy(facts: EditFacts) -> MeaningChange | None:
    """Find a function that gets a copy of a variable which is set afterwards."""
    around = facts.new.nodes_around(facts.edit.new_start)
    kinds = [node.kind() for node in around]
    if "lambda_capture_specifier" not in kinds:
        return None
    function = around[kinds.index("lambda_capture_specifier")].parent()
    if function is None:
        return None
    _, end = span_of(function)
    for name in _COPIED.findall(facts.added):
        again = rf"\b{name}\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)|\b{name}(?:\+\+|--)|(?:\+\+|--){name}\b"
        if re.search(again, facts.new.text[end : _end_of_function(around, end)]):
            return review(f"it copies `{name}`, which is set afterwards.")
    return None


def _end_of_function(around: list[SgNode], start: int) -> int:
    """Return where the function ends that is around a place and does not end there."""
    for node in reversed(around):
        _, end = span_of(node)
        if node.kind() in FUNCTIONS and end > start:
            return end
    return start


def _drops_call(facts: EditFacts) -> MeaningChange | None:
    """Find a call that is no longer made, though its function exists."""
    if facts.is_syntax or facts.lost_of("function"):
        return None
    for fact in facts.lost_of("call"):
        name = fact.text
        if name in facts.reports.missing | tables.CONVERSIONS:
            continue
        passed = _arguments_at(facts.old, fact)
        if name in facts.reports.names and _is_one_of(passed, facts):
            return review(f"it drops the call of `{name}`, and keeps what it was passed.")
        is_own = (
            facts.has["function", name] > 0 and facts.has["name", name] < facts.had["name", name]
        )
        if is_own and facts.gained_of("call") and not _are_passed(passed, facts):
            return review(f"it no longer calls `{name}`.")
    return None


def _arguments_at(source: ParsedSource, call: Fact) -> list[str]:
    """Return the arguments of a call."""
    for node in reversed(source.nodes_around(call.start)):
        listed = node.field("arguments")
        if node.kind() in tables.CALLEES and listed is not None:
            return [each.text() for each in listed.named_children()]
    return []


def _is_one_of(arguments: list[str], facts: EditFacts) -> bool:
    """Return whether an edit leaves nothing of a call but one of its arguments."""
    return "(" in facts.removed and facts.added.strip(" ()") in arguments


def _are_passed(arguments: list[str], facts: EditFacts) -> bool:
    """Return whether a new call gets all arguments of an old one."""
    for fact in facts.gained_of("call"):
        if set(arguments) <= set(_arguments_at(facts.new, fact)):
            return True
    return False


RULES: Final[tuple[MeaningRule, ...]] = (
    _defines_beside,
    _avoids_similar,
    _makes_up_limit,
    _equates,
    _makes_up_argument,
    _sets_in_condition,
    _measures_value,
    _limits_value,
    _drops_loop,
    _stores_unused,
    _ignores_argument,
    _adds_to_correction,
    _changes_assertion,
    _captures_copy,
    _drops_call,
)
