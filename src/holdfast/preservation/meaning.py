"""Changes of meaning in the edits of a fix: what they do beyond the errors that they are for.

The facts that an edit removes and adds are compared. What is removed needs an explanation: an error
names it, or calls it superfluous, or the text did not parse there. A change that is never a fix is
refused; one that may be right or wrong is shown to a person.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.preservation import fact_tables as tables
from holdfast.preservation.broken_text import RULES as BROKEN_TEXT_RULES
from holdfast.preservation.edit_facts import EditFacts, FactComparison, most_similar
from holdfast.preservation.explanations import is_explained
from holdfast.preservation.fact_rule import (
    FactRule,
    TextRule,
    is_broken,
    is_in_function,
    is_named,
    is_narrowing,
    is_new_statement,
    is_superfluous,
    may_delete,
)
from holdfast.preservation.facts import (
    arguments_around,
    unused_parameters,
    value_of,
    written_names,
)
from holdfast.preservation.meaning_change import MeaningChange, MeaningRule, refused, review
from holdfast.preservation.relevance import unrelated_edits
from holdfast.preservation.stand_ins import RULES as STAND_IN_RULES
from holdfast.syntax.edits import edits_between
from holdfast.syntax.node_kinds import functions_in
from holdfast.syntax.tokens import COMMON
from holdfast.syntax.tree import field_text
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.preservation.fact import Fact, FactKind
    from holdfast.preservation.reports import Reports
    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

_CONFLICT: Final = lazy_pattern(r"^(?:<{7}|```)", re.MULTILINE)
"""Text that is no code: the marks of a merge conflict or of Markdown."""
_DEFAULT_NONE: Final = lazy_pattern(r"[^\n,()]*=\s*None\b")
_TESTS_VALUE: Final = lazy_pattern(
    r"\b(?:None|null|nullptr|NULL|nil|undefined|isinstance|instanceof|typeof|Some|Ok|Err)\b|!\w|\bnot \w"
)
"""A condition that asks whether there is a value, or of what type it is."""
_NEUTRAL: Final = lazy_pattern(r"(?:None|null|nullptr|undefined|0|\"\"|''|\[\]|\{\}|\(\))\s*[,)]")
_COMPARES_WITH_NONE: Final = {
    "==": lazy_pattern(r"is\s+None\b"),
    "!=": lazy_pattern(r"is\s+not\s+None\b"),
}
"""What asks the same of `None` as a comparison does, unless a class compares in its own way."""
_OPTIONAL: Final = lazy_pattern(r"\bOptional\[|\bNone\b")
_ENDS_ON_CONDITION: Final = lazy_pattern(
    rf"\A(?!(?!.*\breturn [tT]rue\b).*(?:{_TESTS_VALUE.pattern}))"
    r"(?=.*\b(?:if|unless)\b).*?\b(return|break|continue)\b",
    re.DOTALL,
)
"""Without a value most results are nothing; `true` is a decision."""
_SETS_AS_CONDITION: Final = lazy_pattern(r"\(\s*[\w.]+\s*:?=(?!=)[^()]*\)")
"""An assignment in brackets: a condition."""
_CONTINUED: Final = lazy_pattern(r"([ \t]*)(?=\S)[^{\n]*\n(?:[ \t]*\n)*\1[ \t]+\S")
"""A line without a block, and the next one, which is indented deeper."""
_DECLARED: Final = lazy_pattern(r"(?:[\w<>\[\].*&]+\s+)*(\w+)(?:\s*:[^=\n]+)?\s*:?=(?!=)")
"""A declaration with a value."""
_NUMBER: Final = lazy_pattern(r"\d")
_QUOTED: Final = lazy_pattern(r"[\"'`]([^\"'`]*)[\"'`]")
_WORD: Final = lazy_pattern(r"\w+")
_NAME: Final = lazy_pattern(r"\b[^\W\d]\w*")
_OWN_CODE: Final = lazy_pattern(r"[-=]>|(?<!:):(?!:)")
"""What is between the values of a case and its code."""
_CALL: Final = lazy_pattern(r"(\w+)\(")
_TO_NUMBER: Final = lazy_pattern(rf"\b(?:as (?!usize)|(?=\w+\())({'|'.join(tables.NUMBER_BITS)})\b")
"""A conversion to a type of numbers; an index, which is `usize`, is never negative."""
_AWAITED: Final = frozenset({"await", "Promise"})
_MOST_SHOWN: Final = 40


def changes_of_meaning(
    old: ParsedSource,
    new: ParsedSource,
    path: str,
    reports: Reports,
    diagnostics: Sequence[Diagnostic],
) -> list[MeaningChange]:
    """Return what the edits of a fix change beyond the errors."""
    if _CONFLICT.search(old.text):
        return []

    unrelated = unrelated_edits(old, new, path, diagnostics)
    comparison = FactComparison(old, new, reports)
    edits = edits_between(old.text, new.text, old.language)
    found: list[MeaningChange | None] = []
    for edit in edits:
        facts = comparison.of_edit(edit)
        if edit not in unrelated:
            rules = RULES + STAND_IN_RULES + BROKEN_TEXT_RULES * facts.is_syntax
            found += [rule(facts) for rule in rules]
        else:
            found.append(_unrelated(facts))

    return list(dict.fromkeys(filter(None, found)))


def _unrelated(facts: EditFacts) -> MeaningChange:
    what = f"adds `{_short(facts.added)}`"
    if facts.removed.strip():
        what = f"changes `{_short(facts.removed)}`"

    where = f"in line {facts.old.line_of(facts.edit.start) + 1}, which no error points at"
    return refused(f"it {what} {where}; change only what the errors are about.")


def _short(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _MOST_SHOWN:
        return line

    return f"{line[:_MOST_SHOWN]}…"


# ------------------------------------------------------------------------ conditions of the facts


def _similar_name(fact: Fact, facts: EditFacts) -> str:
    """Return the name of the program that is most like the one of a fact."""
    similar = most_similar(fact.text, facts.had_texts("name", "function") - {fact.text})
    # An interface may declare a function, too; a name that is gone was the one that was misspelt.
    kind: FactKind = "function" if fact.kind == "function" else "name"
    if facts.has[kind, similar]:
        return similar

    return ""


def _is_named_in_any_case(fact: Fact, facts: EditFacts) -> bool:
    return fact.text.lower() in map(str.lower, facts.reports.names)


def _is_other_spelling(fact: Fact, facts: EditFacts) -> bool:
    """Return whether the edit had the word in other letters: `any` for `Any`."""
    return fact.text.lower() in _WORD.findall(facts.removed.lower())


def _is_unchecked(fact: Fact, _: EditFacts) -> bool:
    return fact.text in tables.UNCHECKED_TYPES


def _is_only_changed(fact: Fact, facts: EditFacts) -> bool:
    """Return whether all that is done with a variable is statements that begin with it."""
    around = _text_around(facts.new, fact.start)
    line = facts.new.line_text(fact.start)
    below = around.partition(line)[2]
    uses = re.findall(rf"\b{fact.text}\b", below)
    changes = re.findall(rf"^[ \t]*{fact.text}(?:\.|\[)", below, re.MULTILINE)
    return 0 < len(changes) == len(uses)


def _takes_part_in_condition(fact: Fact, facts: EditFacts) -> bool:
    """Return whether an edit makes an assignment a comparison, or an error wants a truth."""
    # Nobody writes `=` for `!=`.
    if "=" in facts.removed and not fact.text.startswith("!"):
        return True

    # A promise is no truth: the error asks for `await`.
    if not _AWAITED.isdisjoint(facts.reports.names):
        return False

    return not tables.TRUTH_TYPES.isdisjoint(facts.reports.names)


def _compares_with_itself(facts: EditFacts) -> MeaningChange | None:
    """Find a comparison or a difference of something with itself: it has one result only."""
    if facts.is_syntax:
        return None

    if facts.new.idle_operations <= facts.old.idle_operations:
        return None

    return review("it writes an operator with the same operand on both sides.")


def _asks_for_none(fact: Fact, facts: EditFacts) -> bool:
    """Return whether `is None` takes the place of `== None`, and no class compares otherwise."""
    same = _COMPARES_WITH_NONE.get(fact.text)
    if same is None:
        return False

    if "__eq__" in facts.old.text:
        return False

    return same.match(facts.new.text, facts.edit.new_start) is not None


def _may_return_none(fact: Fact, facts: EditFacts) -> bool:
    """Return whether the function around a fact is declared to return something or `None`."""
    functions = functions_in(facts.new.nodes_around(fact.start))
    declared = [field_text(node, "return_type") for node in functions[-1:]]
    return any(map(_OPTIONAL.search, declared))


def _has_operands_of_call(fact: Fact, facts: EditFacts) -> bool:
    """Return whether `k in d` takes the place of a call of both that an error is about."""
    removed = set(_WORD.findall(facts.removed))
    operands = set(_WORD.findall(facts.added)) - {fact.text}
    if not operands:
        # A sign alone was left out or misspelt; nobody leaves out a negation.
        return not fact.text.startswith("!")

    return removed.issuperset(operands)


def _is_member(fact: Fact, facts: EditFacts) -> bool:
    """Return whether the object has a member with the text of a fact as its name."""
    member = rf"\b(?:self|this)(?:\.|->){re.escape(fact.text)}\b"
    return re.search(member, facts.old.text) is not None


def _parameter_of(fact: Fact, _: EditFacts) -> str:
    return fact.text.split(" ", 2)[2]


def _swapped_sign(fact: Fact, facts: EditFacts) -> str:
    """Return the sign of an operation whose left operand is on the right side of a new one."""
    left, sign, _ = fact.text.split("\0")
    new = [other.split("\0")[1:] for other in facts.gained.texts("order")]
    if [sign, left] in new:
        return sign

    return ""


def _new_number(_: Fact, facts: EditFacts) -> str:
    """Return a number that is new."""
    return next(filter(_NUMBER.match, sorted(facts.gained.texts("literal"))), "")


def _function_of(fact: Fact, facts: EditFacts) -> str:
    """Return the function whose parameter a fact is, if the program had it and no error is about it."""
    name = fact.text.partition(" ")[0]
    known = facts.reports.names | facts.reports.called | facts.reports.pointed
    if name in facts.had_texts("function") - known:
        return name

    return ""


def _names_parameter(fact: Fact, facts: EditFacts) -> bool:
    """Return whether an error asks for the name of a parameter.

    It may be a further one only of a function that nothing outside of the file can call.
    """
    is_further = len(facts.lost.of("parameter")) < len(facts.gained.of("parameter"))
    if is_further and not _is_local(fact.text.partition(" ")[0], facts.old):
        return False

    return _parameter_of(fact, facts) in facts.reports.names


def _is_further_argument(fact: Fact, facts: EditFacts) -> bool:
    """Return whether a constant is a further argument of a function of the program, beside variables."""
    _, had = arguments_around(facts.old, facts.edit.start)
    name, has = arguments_around(facts.new, fact.start)
    if name not in facts.had_texts("function"):
        return False

    # A call of constants only has no variable at hand, as in a test.
    if had and facts.had_texts("literal").issuperset(had):
        return False

    values = [text.rpartition("=")[2].strip() for text in has]
    return fact.text in values and len(had) < len(has)


def _is_local(function: str, source: ParsedSource) -> bool:
    """Return whether a function can be called only in its file, by the line that declares it."""
    sign = tables.LOCAL_FUNCTIONS.get(source.language)
    if sign is None:
        return False

    return re.search(sign.replace("NAME", function), source.text, re.MULTILINE) is not None


def _may_be_set(fact: Fact, facts: EditFacts) -> bool:
    """Return whether an error is about the local variable or reference that may not be set."""
    around = facts.old.nodes_around(fact.start)
    if fact.text not in tables.READ_ONLY:
        return False

    if _sets_as_condition(facts):
        return False

    # What is declared for others is a promise.
    if fact.text != "const" and not functions_in(around):
        return False

    names = set(_WORD.findall(facts.old.line_text(fact.start))) - COMMON
    return not names.isdisjoint(facts.reports.names | facts.reports.near)


def _sets_as_condition(facts: EditFacts) -> bool:
    """Return whether an error is at a condition that is an assignment: a comparison was meant."""
    lines = facts.old.text.split("\n")
    at_errors = [lines[number - 1] for number in facts.reports.lines]
    return any(map(_SETS_AS_CONDITION.search, at_errors))


def _is_brought(fact: Fact, facts: EditFacts) -> bool:
    """Return whether a name is still used: it passes the check, so an import or a pattern brings it."""
    if fact.kind != "declared":
        return False

    return facts.has["name", fact.text] > 0


def _may_narrow(fact: Fact, facts: EditFacts) -> bool:
    """Return whether a name is new, or its `static` or `private` was misspelt."""
    if not is_narrowing(fact, facts):
        return False

    if facts.is_syntax:
        return True

    return bool(facts.gained.of("name"))


def _hides(fact: Fact, facts: EditFacts) -> bool:
    """Return whether fewer others can use a name without a word, or with it."""
    return (fact in facts.lost) != (fact.text in tables.NARROWING)


# ----------------------------------------------------------------------------- rules about edits


def _makes_up(facts: EditFacts) -> MeaningChange | None:
    """Find a missing name that is defined without meaning."""
    for fact in facts.gained.of("nothing"):
        defined = facts.reports.names.intersection(_WORD.findall(fact.text))
        names = defined - tables.NAMES_OF_NOTHING
        # `total += x` needs `total = 0`.
        if names and names.isdisjoint(written_names(facts.old)):
            return refused(
                f"it makes up {min(names)} without meaning;"
                " find the name that was meant, or define it properly."
            )

    return None


def _drops_effect(facts: EditFacts) -> MeaningChange | None:
    """Find a call that goes with something superfluous: the variable is not needed, the call may be."""
    # Code that cannot run has no facts: so the text is searched.
    call = _CALL.search(facts.removed)
    if call is None or call[0] in facts.added:
        return None

    if not facts.may_delete:
        return None

    if facts.gained:
        return None

    if facts.lost.of("function"):
        return None

    return review(f"it drops the call of `{call[1]}`, which may have an effect.")


def _drops_calculation(facts: EditFacts) -> MeaningChange | None:
    """Find a calculation that goes with a declaration, though its name is used and has no other value."""
    lost = facts.lost.of("arithmetic", "logic")
    declared = _DECLARED.match(facts.removed.strip())
    if not facts.may_delete or not lost or declared is None:
        return None

    # Of two functions, either may go.
    if facts.gained or facts.lost.of("function"):
        return None

    name = declared[1]
    kept = _text_around(facts.new, facts.edit.new_start)
    is_set = re.search(rf"\b{name}\b(?:\s*:[^=\n]+)?\s*:?=(?!=)", kept)
    if is_set is not None or not re.search(rf"\b{name}\b", kept):
        return None

    return refused(f"it drops the calculation of `{name}`, which is used; keep the code.")


def _text_around(source: ParsedSource, offset: int) -> str:
    """Return the text of the function around an offset; the whole text without one."""
    for function in functions_in(source.nodes_around(offset))[-1:]:
        return function.text()

    return source.text


def _misses_placeholder(facts: EditFacts) -> MeaningChange | None:
    """Find a string that spells a parameter which nothing uses: it may be meant to be in it."""
    line = facts.new.line_text(facts.edit.new_start)
    spelled = set(_WORD.findall(" ".join(_QUOTED.findall(line))))
    for function in functions_in(facts.new.nodes_around(facts.edit.new_start))[-1:]:
        for name in sorted(spelled.intersection(unused_parameters(function))):
            return review(f"it leaves `{name}` unused, and a string spells it.")

    return None


def _changes_constant(facts: EditFacts) -> MeaningChange | None:
    if facts.is_syntax:
        return None

    for one, other in zip(facts.lost.of("literal"), facts.gained.of("literal"), strict=False):
        if value_of(one.text) == value_of(other.text):
            continue

        if facts.reports.names.isdisjoint(_NAME.findall(one.text)):
            return review(f"it changes the constant {one.text} to {_short(other.text)}.")

    return None


def _drops_name(facts: EditFacts) -> MeaningChange | None:
    """Find a name or a call that is gone without an explanation."""
    for fact in facts.lost.of("call", "name"):
        if is_explained(fact, facts):
            continue

        for value in facts.gained.of("literal"):
            return review(f"it writes `{_short(value.text)}` where `{fact.text}` was used.")

        if facts.gained:
            return review(f"it no longer uses `{fact.text}`.")

        reason = f"it drops the code that uses `{fact.text}`; fix the code instead."
        if facts.covers_lines:
            return refused(reason)

        return review(reason)

    return None


def _changes_arguments(facts: EditFacts) -> MeaningChange | None:
    """Find a call whose arguments change their places, or that gets one of them a second time."""
    edit = facts.edit
    old, new = edit.start, edit.new_start
    # An edit may begin with the name of the function.
    if not arguments_around(facts.old, old)[1]:
        old, new = edit.end, edit.new_end

    name, had = arguments_around(facts.old, old)
    called, has = arguments_around(facts.new, new)
    if name != called and name not in facts.reports.names:
        return None

    return _misplaced(name, had, has)


def _misplaced(name: str, had: list[str], has: list[str]) -> MeaningChange | None:
    """Find an argument of a call that has another place among the others, or is there twice."""
    if _are_swapped(had, has):
        return review(f"it swaps the arguments of `{name}`.")

    for argument in _moved_arguments(had, has):
        return review(f"it moves the argument `{argument}` of `{name}`.")

    for argument in _repeated_arguments(had, has):
        return review(f"it passes `{argument}` to `{name}` twice.")

    return None


def _are_swapped(had: list[str], has: list[str]) -> bool:
    """Return whether the arguments that a call keeps are in another order."""
    kept = [text for text in has if text in had]
    left = [text for text in had if text in has]
    if kept == left:
        return False

    return sorted(kept) == sorted(left)


def _moved_arguments(had: list[str], has: list[str]) -> list[str]:
    """Return the arguments with another place among as many as before."""
    if len(had) != len(has):
        return []

    kept = filter(had.__contains__, has)
    return [text for text in kept if had.index(text) != has.index(text)]


def _repeated_arguments(had: list[str], has: list[str]) -> list[str]:
    """Return the variables that a call gets more often than before."""
    kept = filter(str.isidentifier, filter(had.__contains__, has))
    return [text for text in kept if has.count(text) > had.count(text)]


def _cuts_number_off(facts: EditFacts) -> MeaningChange | None:
    """Find a conversion to a type that cannot hold all values of the other one in the message."""
    found = _TO_NUMBER.search(facts.added)
    if found is None:
        return None

    size = tables.NUMBER_BITS[found[1]]
    others = facts.reports.names & tables.NUMBER_BITS.keys() - {found[1]}
    for other in sorted(others):
        is_signed = other[0] in "if" and found[1][0] == "u"
        if is_signed or tables.NUMBER_BITS[other] > size:
            return review(f"`{found[0]}` cuts off what only `{other}` can hold.")

    return None


def _deletes_test(facts: EditFacts) -> MeaningChange | None:
    """Find a test that is gone, also where another one has its name."""
    lost = sorted(filter(_is_test, facts.lost.texts("function")))
    gained = sorted(filter(_is_test, facts.gained.texts("function")))
    if len(lost) <= len(gained):
        return None

    return refused(f"it deletes the test `{lost[0]}`; keep it, or give it a name of its own.")


def _is_test(name: str) -> bool:
    return name.lower().startswith("test")


# ----------------------------------------------------------------------------------- the rules

RULES: Final[tuple[MeaningRule, ...]] = (
    FactRule(
        "it throws a result away that may be an error; handle the result.",
        gained=("discard",),
        severity="refused",
    ),
    FactRule(
        "it hides code from the compiler (`{0}`); fix the code instead.",
        gained=("compiled out",),
        severity="refused",
    ),
    FactRule("it ends `{0}` before the code that is in it.", gained=("idle body",)),
    FactRule(
        "it turns code into a string; fix the code instead.",
        gained=("idle string",),
        severity="refused",
    ),
    _makes_up,
    FactRule(
        "it declares `{0}`, and the program has `{1}`.",
        gained=("declared", "constant", "function"),
        only=(is_named,),
        shown=_similar_name,
    ),
    FactRule(
        "it no longer computes `{0}`, but writes it out.",
        gained=("constant",),
        only=(
            lambda fact, facts: facts.had["computed", fact.text] > facts.has["computed", fact.text],
        ),
        unless=(is_broken,),
    ),
    _drops_effect,
    _drops_calculation,
    _changes_arguments,
    _cuts_number_off,
    _deletes_test,
    _compares_with_itself,
    _misses_placeholder,
    FactRule("it changes only a copy (`{0}`).", gained=("copy",)),
    FactRule(
        "it changes only a copy (`{0}`).", gained=("copied variable",), only=(_is_only_changed,)
    ),
    FactRule("it makes up an argument (`{0}`).", gained=("literal",), only=(_is_further_argument,)),
    FactRule(
        "it takes an address for a number (`{0}`).",
        gained=("cast",),
        only=(lambda _, facts: any(name.endswith("*") for name in facts.reports.names),),
    ),
    FactRule(
        "it gives a case the code of another one (`{0}`).",
        gained=("shared case",),
        unless=(
            lambda fact, facts: (
                _OWN_CODE.search(facts.new.text, fact.start, facts.edit.new_end) is not None
            ),
        ),
    ),
    TextRule(
        "it gives a case the code of another one (`{0}`).",
        added=lazy_pattern(r"\A(?=.*\bcase\b)([^;{}]*:(?:\s*case)?)\s*\Z", re.DOTALL),
        removed=lazy_pattern(r"\s*"),
    ),
    FactRule(
        "it no longer declares {0}; keep every name that others may use.",
        lost=("function", "declared", "exported"),
        unless=(is_named, is_explained, _is_brought),
        severity="refused",
    ),
    FactRule(
        "it no longer exports what it did (`{0}`); keep what others may use.",
        lost=("visibility",),
        gained=("visibility",),
        only=(_hides,),
        unless=(is_superfluous, lambda _, facts: facts.reports.about_visibility, _may_narrow),
        severity="refused",
    ),
    FactRule(
        "it changes how {1} is called; keep the parameters.",
        lost=("default",),
        gained=("parameter",),
        unless=(
            lambda fact, facts: fact.text in facts.gained.texts("default"),
            _names_parameter,
        ),
        shown=_function_of,
        severity="refused",
    ),
    FactRule(
        "it removes the type of {0}; correct the type instead.",
        lost=("type",),
        only=(lambda fact, facts: facts.has["no type", fact.text] > 0,),
        unless=(is_superfluous,),
        severity="refused",
    ),
    FactRule(
        "it swallows errors (`{0}`); let them reach the caller.",
        gained=("handler",),
    ),
    FactRule(
        "it evades the check with `{0}` instead of a fix.",
        gained=("evasion", "wide type"),
        only=(_is_unchecked,),
        unless=(_is_other_spelling,),
        severity="refused",
    ),
    FactRule(
        "it evades the check with `{0}` instead of a fix.",
        gained=("evasion", "wide type"),
        unless=(_is_unchecked, _is_named_in_any_case),
    ),
    FactRule(
        "it allows more values than `{0}`; give a right one.",
        lost=("literal type",),
    ),
    FactRule(
        "it allows more values (`{0}`) instead of giving a right one.",
        gained=("wider type",),
        unless=(lambda fact, facts: _DEFAULT_NONE.match(facts.new.text, fact.start) is not None,),
    ),
    FactRule("it returns a constant, though `{0}` is not used.", gained=("constant result",)),
    FactRule(
        "it makes up a result (`{1}`).",
        gained=("made up",),
        only=(lambda fact, facts: facts.added.strip() == fact.text, is_new_statement),
        unless=(_may_return_none,),
        shown=lambda fact, _: _short(fact.text),
    ),
    TextRule(
        "it ends the code on a new condition (`{0}`).",
        added=_ENDS_ON_CONDITION,
        removed=lazy_pattern(r"(?!.*\bif\b).*", re.DOTALL),
    ),
    FactRule(
        "it compares where a value was used (`{0}` is new).",
        gained=("comparison",),
        unless=(
            _takes_part_in_condition,
            is_new_statement,
            _has_operands_of_call,
        ),
    ),
    FactRule(
        "it declares `{0}`, and the object has a member of that name.",
        gained=("constant", "nothing"),
        only=(is_in_function, is_named, _is_member),
    ),
    FactRule(
        "it makes the parameter `{1}` optional.",
        gained=("default",),
        only=(lambda fact, facts: facts.had["parameter", fact.text] > 0,),
        unless=(lambda fact, facts: _NEUTRAL.match(facts.new.text, fact.start) is not None,),
        shown=_parameter_of,
    ),
    FactRule(
        "it changes a condition (`{0}` is gone).",
        lost=("logic", "comparison"),
        unless=(may_delete, is_named, _asks_for_none),
    ),
    FactRule(
        "it changes a condition or takes another value (`{0}` is new).",
        gained=("logic",),
        unless=(is_broken, is_new_statement),
    ),
    FactRule(
        "it changes a calculation (`{0}` is now `{1}`).",
        lost=("arithmetic",),
        unless=(is_broken,),
        shown=lambda _, facts: "".join(facts.gained.texts("arithmetic")),
    ),
    FactRule(
        "it changes a calculation (`{0} {1}` is new).",
        gained=("arithmetic",),
        unless=(is_broken, is_new_statement, lambda _, facts: bool(facts.gained.of("function"))),
        shown=_new_number,
    ),
    TextRule(
        "it ends a statement that the next line continues; keep the line whole.",
        added=lazy_pattern(r"\A\s*[;,]\s*\Z"),
        removed=lazy_pattern(r"\s*"),
        line=_CONTINUED,
    ),
    FactRule("it swaps the operands of `{1}`.", lost=("order",), shown=_swapped_sign),
    _changes_constant,
    FactRule(
        "it drops `{0}`; keep what the code checks and promises.",
        lost=("stop", "guard", "handler"),
        unless=(may_delete, _may_be_set),
    ),
    _drops_name,
)
