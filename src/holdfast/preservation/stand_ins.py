"""Changes of meaning by what takes the place of something: another name, call, value or statement.

The checker is content with it, and it does not do what the code was there for.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from holdfast.preservation import fact_tables as tables
from holdfast.preservation.edit_facts import most_similar
from holdfast.preservation.fact_rule import (
    FactRule,
    TextRule,
    is_broken,
    is_conversion,
    is_miscalled,
    is_named,
    is_related,
)
from holdfast.preservation.facts import written_names
from holdfast.preservation.meaning_change import MeaningChange, MeaningRule, review
from holdfast.syntax.node_kinds import functions_in
from holdfast.syntax.tree import node_kind, node_text
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from holdfast.preservation.edit_facts import EditFacts
    from holdfast.preservation.fact import Fact, FactKind
    from holdfast.syntax.source import ParsedSource

_WORD: Final = lazy_pattern(r"\w+")
_BOUND: Final = lazy_pattern(
    r"^[ \t]*(?:(?:[\w<>\[\].*&]|::)+[ \t]+)*(\w+)(?::(?!:)[^=\n(]+)? = ", re.MULTILINE
)
_THING: Final = lazy_pattern(r"(?:\w+(?:\.|::|->))*(\w+)")
"""A name, and what it is in."""
_IGNORING: Final = r"\((?:move )?(?:\|_\||lambda _:|_ =>|\(_?\) =>)"
"""A function that drops the value it gets, as an argument."""
_NOTHING: Final = "|".join(map(re.escape, filter(None, tables.NOTHING)))
_AKIN: Final = 0.6
_LOOPS: Final = "while|for|do|loop"
_INDEX: Final = lazy_pattern(r"\[(.+)\]")
_MEMBER: Final = lazy_pattern(r"(?:\.|->|::)\s*(\w+)")
_SIGN: Final = lazy_pattern(r"(?:.* )?([=!<>]=|[<>])(?: .*)?")
_COPIED: Final = lazy_pattern(r"(?<![&\w])[^\W\d]\w*")


def _avoided_name(fact: Fact, facts: EditFacts) -> str:
    """Return what is written for a missing name, though the program has a similar one."""
    name = fact.text
    gained = [each.text for each in facts.gained.of("name")]
    parameters = {text.rpartition(" ")[2] for text in facts.had_texts("parameter")}
    others = facts.had_texts("constant", "computed") | parameters
    if _is_member(facts.old, fact.start):
        others &= set(_MEMBER.findall(facts.old.text))

    similar = most_similar(name, others)
    if name in others:
        return ""

    if not similar:
        return ""

    if not gained:
        return ""

    if most_similar(name, gained):
        return ""

    return f"`{gained[0]}` for `{name}`; the program has `{similar}`"


def _is_member(source: ParsedSource, offset: int) -> bool:
    """Return whether the name at an offset is one of an object, a type or a module."""
    end = source.gap_before(offset)
    return source.text.endswith((".", "->", "::"), 0, end)


def _displaced_name(fact: Fact, facts: EditFacts) -> str:
    """Return what a line below used before, and uses now a new variable; "" without such a line."""
    name = re.escape(fact.text)
    below = facts.new.text[fact.start :]
    for before, after in re.findall(rf"\n(.*)\b{name}\b(.*)", below):
        start = re.escape(before.lstrip())
        line = rf"^[ \t]*{start}((?!{name}\b)[\w.>-]+){re.escape(after)}$"
        found = re.search(line, facts.old.text, re.MULTILINE)
        if found is not None:
            return found[1]

    return ""


def _is_limit(fact: Fact, facts: EditFacts) -> bool:
    """Return whether a comparison of order of the old text has a name as an operand."""
    for text in facts.had_texts("order"):
        left, sign, right = text.split("\0")
        if sign not in tables.COMPARISONS:
            continue

        if fact.text in {left, right}:
            return True

    return False


def _equated(fact: Fact, facts: EditFacts) -> str:
    """Return a missing name and the name beside it that is its value now."""
    name, value = fact.text.split("\0")
    if name in facts.reports.names and facts.reports.near.issuperset((name, value)):
        return f"`{name}` the same as `{value}`"

    return ""


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
    return not any(map(facts.reports.names.isdisjoint, sorts))


def _call_beside_correction(fact: Fact, facts: EditFacts) -> str:
    """Return a call that is new beside the correction of a misspelt name."""
    calls = [each.text for each in facts.gained.of("call")]
    meant = most_similar(fact.text, calls)
    if not meant:
        return ""

    known = facts.lost.texts("call", "name") | {meant}
    for call in calls:
        if call not in known:
            return call

    return ""


def _leaves_argument(fact: Fact, facts: EditFacts) -> bool:
    """Return whether an edit leaves nothing of a call but one of its arguments."""
    left = facts.added.strip(" ()")
    return left in _arguments_at(facts.old, fact)


def _becomes_calculation(fact: Fact, facts: EditFacts) -> bool:
    """Return whether the arguments of a call are the operands of a new operator."""
    if not facts.gained.of("arithmetic"):
        return False

    line = facts.new.line_text(facts.edit.new_start)
    return all(map(line.__contains__, _arguments_at(facts.old, fact)))


def _arguments_at(source: ParsedSource, call: Fact) -> list[str]:
    """Return the arguments of a call."""
    for node in reversed(source.nodes_around(call.start)):
        listed = node.field("arguments")
        if listed is not None:
            return list(map(node_text, listed.named_children()))

    return []


# ----------------------------------------------------------------------------- rules about edits


def _stores_unused(facts: EditFacts) -> MeaningChange | None:
    """Find a new variable that nothing uses: its value is computed and dropped."""
    start = facts.new.text.rfind("\n", 0, facts.edit.new_start) + 1
    found = facts.new.text.find("\n", facts.edit.new_end)
    end = found if found >= 0 else len(facts.new.text)
    lines = facts.new.text[start:end]
    for name in _BOUND.findall(lines):
        is_new = not re.search(rf"\b{name}\b", facts.old.text)
        if not is_new or len(re.findall(rf"\b{name}\b", facts.new.text)) > 1:
            continue

        # What was unused before may be renamed.
        old = facts.removed
        if facts.added != name or _WORD.findall(facts.old.text).count(old) > 1:
            return review(f"it sets `{name}`, which nothing uses.")

    return None


def _calls_another(facts: EditFacts) -> MeaningChange | None:
    """Find a function or a decorator of another name in the place of a missing one."""
    old = _THING.match(facts.old.text, facts.edit.start)
    new = _THING.match(facts.new.text, facts.edit.new_start)
    if old is None or new is None:
        return None

    # The object says which functions it has.
    if _is_member(facts.old, facts.edit.start):
        return None

    end = facts.old.gap_before(facts.edit.start)
    is_decorator = facts.old.text.endswith("@", 0, end)
    kind: FactKind = "name" if is_decorator else "call"
    # A test of the project may name a function that is there.
    missing = facts.lost.texts(kind) & facts.reports.by_tools
    if old[1] in missing and new[1] in facts.gained.texts(kind):
        return _other_thing(old[1], new[1], facts)

    return None


def _other_thing(name: str, thing: str, facts: EditFacts) -> MeaningChange | None:
    """Find something that takes the place of a missing name, and neither is like it nor in a message."""
    if thing in facts.reports.names:
        return None

    if _is_akin(name, thing) or tables.CONVERSIONS.issuperset((name, thing)):
        return None

    return review(f"it takes `{thing}` for `{name}`, which is another name.")


def _is_akin(name: str, other: str) -> bool:
    """Return whether two names are alike, or one is short for the other."""
    one, two = sorted((name.lower(), other.lower()), key=len)
    if one in two:
        return True

    if SequenceMatcher(None, one, two, autojunk=False).ratio() >= _AKIN:
        return True

    if one[0] != two[0]:
        return False

    # `in` reads the iterator up to a letter: so the letters must be in the same order.
    letters = iter(two)
    return all(letter in letters for letter in one)


def _imports_another(facts: EditFacts) -> MeaningChange | None:
    """Find an import, or another name of a function, that gives something else a missing name."""
    called = facts.had_texts("call")
    for fact in facts.gained.of("import alias", "alias"):
        name, thing = fact.text.split("\0")
        if name not in facts.reports.names:
            continue

        if "default" in thing:
            continue

        if fact.kind == "alias" and name not in called:
            continue

        words = _WORD.findall(thing)
        whole = "".join(words)
        if not any(_is_akin(name, word) for word in (whole, *words)):
            return _other_thing(name, words[-1], facts)

    return None


def _makes_one_of_two(facts: EditFacts) -> MeaningChange | None:
    """Find a name that becomes a missing one, which was used beside it."""
    old, new = facts.lost.texts("name"), facts.gained.texts("name")
    if len(old) != 1 or len(new) != 1:
        return None

    name, missing = min(old), min(new)
    known = facts.reports.names
    if missing not in known:
        return None

    if name in known or _is_akin(name, missing):
        return None

    around = _function_text(facts.old, facts.edit.start)
    words = _WORD.findall(around)
    if words.count(name) > 1 and missing in words:
        return review(f"it makes `{name}` and `{missing}` one.")

    return None


def _function_text(source: ParsedSource, offset: int) -> str:
    """Return the text of the function around an offset; "" without one."""
    return "".join(map(node_text, functions_in(source.nodes_around(offset))[-1:]))


def _captures_copy(facts: EditFacts) -> MeaningChange | None:
    """Find a function that gets a copy of a variable which is set afterwards."""
    around = facts.new.nodes_around(facts.edit.new_start)
    if "lambda_capture_specifier" not in map(node_kind, around):
        return None

    for name in _COPIED.findall(facts.added):
        again = rf"\b{name}\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)|\b{name}(?:\+\+|--)|(?:\+\+|--){name}\b"
        if re.search(again, facts.new.text[facts.edit.new_end :]):
            return review(f"it copies `{name}`, which is set afterwards.")

    return None


RULES: Final[tuple[MeaningRule, ...]] = (
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
    FactRule(
        "it puts `{0}`, which has no value, in the place of `{1}`.",
        gained=("nothing",),
        unless=(lambda fact, facts: fact.text in written_names(facts.new),),
        shown=_displaced_name,
    ),
    FactRule("it makes {1}, which is used beside it.", gained=("alias",), shown=_equated),
    TextRule(
        "it makes up an argument (`{0}`).",
        added=lazy_pattern(rf"\A(?=\s*,|.*,\s*\Z)[\s,]*({_NOTHING})[\s,]*\Z"),
        removed=lazy_pattern(r"\s*"),
    ),
    FactRule("it sets a variable in a condition (`{0}`).", gained=("set in condition",)),
    FactRule(
        "it takes what `{0}` says of a value for the value.",
        gained=("call",),
        only=(_is_between_text_and_number,),
        unless=(
            _gets_index,
            lambda _, facts: (
                not tables.VALUE_CONVERSIONS.isdisjoint(facts.gained.texts("call", "name"))
            ),
        ),
    ),
    TextRule(
        "it drops the loop (`{1}`).",
        added=lazy_pattern(rf"\A(?!.*\b(?:{_LOOPS})\b)"),
        removed=lazy_pattern(rf"(?:.* )?({_LOOPS})(?: .*)?"),
        kinds=("keyword",),
    ),
    _stores_unused,
    TextRule(
        "it drops the value that `{0}` gets.",
        added=lazy_pattern(rf"\b(?!\w*(?:err|else|catch|then))(\w+){_IGNORING}"),
        removed=lazy_pattern(rf"(?!.*\w{_IGNORING}).*", re.DOTALL),
    ),
    FactRule(
        "it calls `{1}` beside the correction of `{0}`.",
        lost=("call", "name"),
        only=(lambda _, facts: bool(facts.gained.of("literal")),),
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
        unless=(lambda fact, _: fact.text.endswith(('"', "'")),),
    ),
    TextRule(
        "it changes what an assertion checks (`{1}` is gone).",
        added=_SIGN,
        removed=_SIGN,
        kinds=("operator",),
        line=tables.ASSERTION,
    ),
    _captures_copy,
    _calls_another,
    _imports_another,
    _makes_one_of_two,
    FactRule(
        "it drops the call of `{0}`, and keeps what it was passed.",
        lost=("call",),
        only=(is_named, _leaves_argument),
        unless=(is_conversion,),
    ),
    FactRule(
        "it writes the call of `{0}` out as a calculation.",
        lost=("call",),
        only=(_becomes_calculation,),
    ),
    FactRule(
        "it calls `{1}` for `{0}`, which an error wants to get other arguments.",
        lost=("call",),
        only=(is_miscalled,),
        unless=(is_related,),
        shown=lambda _, facts: min(facts.gained.texts("call"), default=""),
    ),
)
