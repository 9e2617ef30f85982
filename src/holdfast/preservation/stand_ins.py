"""Changes of meaning by what takes the place of something: another name, call, value or statement.

The checker is content with it, and it does not do what the code was there for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.preservation import fact_tables as tables
from holdfast.preservation.edit_facts import most_similar
from holdfast.preservation.fact_rule import FactRule, TextRule, is_broken, is_conversion, is_named
from holdfast.preservation.facts import written_names
from holdfast.preservation.meaning_change import MeaningChange, MeaningRule, review
from holdfast.syntax.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.preservation.edit_facts import EditFacts
    from holdfast.preservation.fact import Fact
    from holdfast.syntax.source import ParsedSource
    from holdfast.syntax.tokens import Token

_WORD: Final = re.compile(r"\w+")
_BOUND: Final = re.compile(r"^[ \t]*(?:[\w<>\[\].*&]+[ \t]+)*(\w+)(?::[^=\n(]+)? = ", re.MULTILINE)
_IGNORING: Final = r"\((?:move )?(?:\|_\||lambda _:|_ =>|\(_?\) =>)"
"""A function that drops the value it gets, as an argument."""
_NOTHING: Final = "|".join(map(re.escape, filter(None, tables.NOTHING)))
_INDEX: Final = re.compile(r"\[(.+)\]")
_COPIED: Final = re.compile(r"(?<![&\w])[^\W\d]\w*")


def _similar_function(fact: Fact, facts: EditFacts) -> str:
    """Return the function of the program that is most like a new one."""
    similar = most_similar(fact.text, facts.had_texts("function") - {fact.text})
    # An interface may declare it, too.
    if facts.has["function", similar]:
        return similar

    return ""


def _avoided_name(fact: Fact, facts: EditFacts) -> str:
    """Return what is written for a missing name, though the program has a similar one."""
    name = fact.text
    gained = [each.text for each in facts.gained_of("name")]
    parameters = {text.rpartition(" ")[2] for text in facts.had_texts("parameter")}
    others = facts.had_texts("constant", "computed") | parameters
    similar = most_similar(name, others)
    is_known = name in others or re.search(rf"\bimport\b.*\b{name}\b", facts.old.text)
    if is_known:
        return ""

    if not gained:
        return ""

    if not similar:
        return ""

    if most_similar(name, gained):
        return ""

    return f"`{gained[0]}` for `{name}`; the program has `{similar}`"


def _is_limit(fact: Fact, facts: EditFacts) -> bool:
    """Return whether a comparison of order of the old text has a name as an operand."""
    orders = [text.split("\0") for text in facts.had_texts("order")]
    return any(fact.text in order and order[1] in tables.COMPARISONS for order in orders)


def _equated(fact: Fact, facts: EditFacts) -> str:
    """Return a missing name and the name beside it that is its value now."""
    name, value = fact.text.split("\0")
    is_beside = name in facts.reports.names and {name, value} <= facts.reports.near
    if is_beside:
        return f"`{name}` the same as `{value}`"

    return ""


def _replaces_use(_: Fact, facts: EditFacts) -> bool:
    return bool(facts.lost_of("call", "name"))


def _gets_index(_: Fact, facts: EditFacts) -> bool:
    """Return whether a new call gets what was the index: `ports.at(name)` for `ports[name]`."""
    index = _INDEX.fullmatch(facts.removed)
    if index is None:
        return False

    return facts.added.endswith(f"({index[1]})")


def _is_between_text_and_number(_: Fact, facts: EditFacts) -> bool:
    """Return whether the errors name a type of text and a type of numbers."""
    language = facts.old.language
    sorts = (tables.TEXT_TYPES[language], tables.NUMBER_TYPES[language])
    return not any(facts.reports.names.isdisjoint(sort) for sort in sorts)


def _gets_two_arguments(fact: Fact, facts: EditFacts) -> bool:
    """Return whether a new call computes something from a value and another one."""
    passed = [text.partition("\0")[0] for text in facts.gained_texts("argument")]
    return passed.count(fact.text) > 1


def _call_beside_correction(fact: Fact, facts: EditFacts) -> str:
    """Return a call that is new beside the correction of a misspelt name."""
    calls = [each.text for each in facts.gained_of("call")]
    meant = most_similar(fact.text, calls)
    known = facts.lost_texts("call", "name") | {meant}
    others = [call for call in calls if call not in known]
    if meant:
        return "".join(others[:1])

    return ""


def _drops_function(_: Fact, facts: EditFacts) -> bool:
    return bool(facts.lost_of("function"))


def _is_missing(fact: Fact, facts: EditFacts) -> bool:
    return fact.text in facts.reports.missing


def _leaves_argument(fact: Fact, facts: EditFacts) -> bool:
    """Return whether an edit leaves nothing of a call but one of its arguments."""
    passed = _arguments_at(facts.old, fact)
    if "(" not in facts.removed:
        return False

    return facts.added.strip(" ()") in passed


def _is_unused_function(fact: Fact, facts: EditFacts) -> bool:
    """Return whether the program has a function and uses it less often than before."""
    name = fact.text
    if facts.has["function", name] <= 0:
        return False

    return facts.has["name", name] < facts.had["name", name]


def _calls_without_arguments(fact: Fact, facts: EditFacts) -> bool:
    """Return whether there are new calls, and none of them gets all arguments of an old one."""
    passed = set(_arguments_at(facts.old, fact))
    calls = [set(_arguments_at(facts.new, call)) for call in facts.gained_of("call")]
    if not bool(calls):
        return False

    return not any(passed <= call for call in calls)


def _arguments_at(source: ParsedSource, call: Fact) -> list[str]:
    """Return the arguments of a call."""
    for node in reversed(source.nodes_around(call.start)):
        listed = node.field("arguments")
        if node.kind() in tables.CALLEES and listed is not None:
            return [each.text() for each in listed.named_children()]

    return []


# ----------------------------------------------------------------------------- rules about edits


def _drops_loop(facts: EditFacts) -> MeaningChange | None:
    """Find a loop that runs once or never: its word is gone, and its code stays."""
    if facts.may_delete:
        return None

    if not _WORD.search(facts.added):
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


def _captures_copy(facts: EditFacts) -> MeaningChange | None:
    """Find a function that gets a copy of a variable which is set afterwards."""
    around = facts.new.nodes_around(facts.edit.new_start)
    if "lambda_capture_specifier" not in [node.kind() for node in around]:
        return None

    for name in _COPIED.findall(facts.added):
        again = rf"\b{name}\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)|\b{name}(?:\+\+|--)|(?:\+\+|--){name}\b"
        if re.search(again, facts.new.text[facts.edit.new_end :]):
            return review(f"it copies `{name}`, which is set afterwards.")

    return None


RULES: Final[tuple[MeaningRule, ...]] = (
    FactRule(
        "it defines `{0}`, and the program has `{1}`.",
        gained=("function",),
        only=(is_named,),
        shown=_similar_function,
    ),
    FactRule(
        "it writes {1}.",
        lost=("name",),
        only=(is_named,),
        unless=(is_broken,),
        shown=_avoided_name,
    ),
    FactRule(
        "it makes up the value of `{0}`, on which a condition depends.",
        gained=("constant",),
        only=(is_named, _is_limit),
        unless=(lambda fact, facts: fact.text in written_names(facts.old),),
    ),
    FactRule("it makes {1}, which is used beside it.", gained=("alias",), shown=_equated),
    TextRule(
        "it makes up an argument (`{0}`).",
        added=re.compile(rf"\A\s*(?:,\s*({_NOTHING})|({_NOTHING})\s*,)\s*\Z"),
        removed=re.compile(r"\s*"),
    ),
    FactRule("it sets a variable in a condition (`{0}`).", gained=("set in condition",)),
    FactRule(
        "it takes what `{0}` says of a value for the value.",
        gained=("call",),
        only=(_is_between_text_and_number,),
        unless=(
            _replaces_use,
            _gets_index,
            lambda _, facts: (
                not tables.VALUE_CONVERSIONS.isdisjoint(facts.gained_texts("call", "name"))
            ),
        ),
    ),
    FactRule(
        "it computes another value with `{0}`; correct the type.",
        gained=("call",),
        only=(
            lambda _, facts: len(facts.reports.names & tables.NUMBER_TYPES[facts.old.language]) > 1,
            _gets_two_arguments,
        ),
        unless=(_replaces_use, lambda fact, _: fact.text in tables.VALUE_CONVERSIONS),
    ),
    _drops_loop,
    _stores_unused,
    TextRule(
        "it drops the value that `{0}` gets.",
        added=re.compile(rf"\b(?!\w*(?:err|else|catch|then))(\w+){_IGNORING}"),
        removed=re.compile(rf"(?!.*\w{_IGNORING}).*", re.DOTALL),
    ),
    FactRule(
        "it calls `{1}` beside the correction of `{0}`.",
        lost=("call", "name"),
        only=(lambda _, facts: bool(facts.gained_of("literal")),),
        shown=_call_beside_correction,
    ),
    FactRule(
        "it changes what an assertion checks (`{0}` is gone).",
        lost=("literal", "comparison"),
        only=(
            lambda _, facts: (
                tables.ASSERTION.match(facts.old.line_text(facts.edit.start)) is not None
            ),
        ),
        unless=(is_broken, lambda fact, _: fact.text.endswith(('"', "'"))),
    ),
    _captures_copy,
    FactRule(
        "it drops the call of `{0}`, and keeps what it was passed.",
        lost=("call",),
        only=(is_named, _leaves_argument),
        unless=(is_broken, _drops_function, _is_missing, is_conversion),
    ),
    FactRule(
        "it no longer calls `{0}`.",
        lost=("call",),
        only=(_is_unused_function, _calls_without_arguments),
        unless=(is_broken, _drops_function, _is_missing, is_conversion),
    ),
)
