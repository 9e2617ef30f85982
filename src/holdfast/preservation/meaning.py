"""Changes of meaning in the edits of a fix: what they do beyond the errors that they are for.

The facts that an edit removes and adds are compared. What is removed needs an explanation: an error
names it, or calls it superfluous, or the text did not parse there. A change that is never a fix is
refused; one that may be right or wrong is shown to a person.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import get_close_matches
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from holdfast.preservation import fact_tables as tables
from holdfast.preservation.broken_text import RULES as BROKEN_TEXT_RULES
from holdfast.preservation.edit_facts import EditFacts, FactComparison
from holdfast.preservation.facts import unused_parameters, value_of, written_names
from holdfast.preservation.meaning_change import MeaningChange, MeaningRule, refused, review
from holdfast.preservation.relevance import unrelated_edits
from holdfast.preservation.stand_ins import RULES as STAND_IN_RULES
from holdfast.syntax.edits import Edit, edits_between
from holdfast.syntax.node_kinds import FUNCTIONS
from holdfast.syntax.tokens import COMMON, tokenize
from holdfast.syntax.tree import all_nodes, span_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ast_grep_py import SgNode

    from holdfast.preservation.fact import Fact
    from holdfast.preservation.reports import Reports
    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

_CONFLICT: Final = re.compile(r"^(?:<{7}|```)", re.MULTILINE)
"""Text that is no code: the marks of a merge conflict or of Markdown."""
_DEFAULT_NONE: Final = re.compile(r"[^\n,()]*=\s*None\b")
_TESTS_VALUE: Final = re.compile(
    r"\b(?:None|null|nullptr|NULL|nil|undefined|isinstance|instanceof|typeof|Some|Ok|Err)\b|!\w|\bnot \w"
)
"""A condition that asks whether there is a value, or of what type it is."""
_NEUTRAL: Final = re.compile(r"(?:None|null|nullptr|undefined|0|\"\"|''|\[\]|\{\}|\(\))\s*[,)]")
_NULL: Final = re.compile(r"=\s*(null|None|nullptr|NULL|nil|undefined)\b")
_WORD: Final = re.compile(r"\w+")
_CALL: Final = re.compile(r"(\w+)\(")
_PART: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_MOST_SHOWN: Final = 40
_ALIKE: Final = 0.8


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

    found: list[MeaningChange] = []
    unrelated = unrelated_edits(old, new, path, diagnostics)
    comparison = FactComparison(old, new, reports)
    edits = edits_between(old.text, new.text, old.language)
    for edit in edits:
        if edit in unrelated and _is_move(edit, edits, comparison):
            continue
        if edit in unrelated:
            found.append(_unrelated(edit, old, new))
            continue
        facts = comparison.of_edit(edit)
        rules = RULES + STAND_IN_RULES
        if facts.is_syntax:
            rules += BROKEN_TEXT_RULES
        for rule in rules:
            change = rule(facts)
            if change is not None:
                found.append(change)

    return found


def _is_move(edit: Edit, edits: Sequence[Edit], comparison: FactComparison) -> bool:
    """Return whether an edit only puts a statement where it can run: an error calls it dead."""
    added = comparison.of_edit(edit)
    for other in edits:
        removed = comparison.of_edit(other)
        if not added.removed and removed.is_superfluous and removed.removed == added.added:
            return True
    return False


def _unrelated(edit: Edit, old: ParsedSource, new: ParsedSource) -> MeaningChange:
    removed = old.text[edit.start : edit.end].strip()
    added = new.text[edit.new_start : edit.new_end].strip()
    what = f"adds `{_short(added)}`"
    if removed:
        what = f"changes `{_short(removed)}`"

    where = f"in line {old.line_of(edit.start) + 1}, which no error points at"
    return refused(f"it {what} {where}; change only what the errors are about.")


def _short(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _MOST_SHOWN:
        return line
    return f"{line[:_MOST_SHOWN]}…"


# -------------------------------------------------------------------------------- what is added


def _throws_away(facts: EditFacts) -> MeaningChange | None:
    if not facts.gained_of("discard"):
        return None
    return refused("it throws a result away that may be an error; handle the result.")


def _compiles_out(facts: EditFacts) -> MeaningChange | None:
    hidden = facts.gained_of("compiled out")
    if facts.is_syntax or not hidden:
        return None
    return refused(f"it hides code from the compiler (`{hidden[0].text}`); fix the code instead.")


def _becomes_string(facts: EditFacts) -> MeaningChange | None:
    if not facts.gained_of("idle string"):
        return None
    return refused("it turns code into a string; fix the code instead.")


def _makes_up(facts: EditFacts) -> MeaningChange | None:
    """Find a missing name that is defined without meaning."""
    for fact in facts.gained_of("nothing"):
        defined = set(_WORD.findall(fact.text))
        names = {name for name in defined if name.lower() not in tables.NAMES_OF_NOTHING}
        names &= facts.reports.names
        if not names:
            continue
        # `total += x` needs `total = 0`.
        if names.isdisjoint(written_names(facts.old)):
            return refused(
                f"it makes up {min(names)} without meaning;"
                " find the name that was meant, or define it properly."
            )

    return None


def _shadows_name(facts: EditFacts) -> MeaningChange | None:
    """Find a missing name that is declared anew, though the program has a similar one."""
    for fact in facts.gained_of("constant"):
        name = fact.text
        is_known = facts.had["constant", name] or facts.had["computed", name]
        if is_known or name not in facts.reports.names:
            continue
        others = {text for kind, text in facts.had if kind == "name"} - {name}
        similar = get_close_matches(name, sorted(others), 1, _ALIKE)
        if similar:
            return review(f"it declares `{name}`, and the program has `{similar[0]}`.")

    return None


def _writes_out(facts: EditFacts) -> MeaningChange | None:
    """Find a variable whose value a call computed, and which is a constant now."""
    if facts.is_syntax:
        return None
    for fact in facts.gained_of("constant"):
        name = fact.text
        if facts.had["computed", name] > facts.has["computed", name]:
            return review(f"it no longer computes `{name}`, but writes it out.")
    return None


def _drops_effect(facts: EditFacts) -> MeaningChange | None:
    """Find a call that goes with something superfluous: the variable is not needed, the call may be."""
    if not facts.may_delete or facts.gained or facts.lost_of("function"):
        return None
    calls = [fact.text for fact in facts.lost_of("call")]
    if facts.old.is_dead(facts.edit.start) and facts.removed not in facts.new.text:
        # Code that cannot run has no facts.
        calls += _CALL.findall(facts.removed)
    if not calls:
        return None
    return review(f"it drops the call of `{calls[0]}`, which may have an effect.")


def _misses_placeholder(facts: EditFacts) -> MeaningChange | None:
    """Find a string that spells a variable which nothing uses: it may be meant to be in it."""
    for function in reversed(facts.new.nodes_around(facts.edit.new_start)):
        if function.kind() not in FUNCTIONS:
            continue
        used, spelled = _words_of_code(function), _words_of_strings(function, facts)
        unused = set(unused_parameters(function))
        # The words of a string that was not closed are no names.
        if not facts.is_syntax:
            unused |= facts.lost_names() - used
        for name in sorted(unused & spelled):
            return review(f"it leaves `{name}` unused, and a string spells it.")
        return None
    return None


def _words_of_code(function: SgNode) -> set[str]:
    return {node.text() for node in all_nodes(function) if node.kind() in tables.NAMES}


def _words_of_strings(function: SgNode, facts: EditFacts) -> set[str]:
    """Return the words in the strings of a function, without its documentation."""
    found: set[str] = set()
    for node in all_nodes(function):
        statement = node.parent()
        is_document = statement is not None and statement.kind() == "expression_statement"
        if node.kind() in tables.LITERALS and not is_document:
            found.update(_WORD.findall(node.text()))
    return found if facts.removed else set()


def _defines_stub(facts: EditFacts) -> MeaningChange | None:
    """Find a missing function that is defined by a single result, which nobody asked for."""
    for fact in facts.gained_of("stub"):
        if fact.text in facts.reports.names:
            return review(f"it defines {fact.text} itself; find the function that was meant.")
    return None


def _converts_nothing(facts: EditFacts) -> MeaningChange | None:
    """Find a conversion of a value that may be missing: `Number(undefined)`."""
    if not facts.reports.about_nothing:
        return None
    for fact in facts.gained_of("call"):
        if fact.text in tables.CONVERSIONS:
            return review(f"it converts a value that may be missing with `{fact.text}`.")
    return None


def _works_on_copy(facts: EditFacts) -> MeaningChange | None:
    found = facts.gained_of("copy")
    if not found:
        return None
    return review(f"it changes only a copy (`{found[0].text}`).")


def _swallows(facts: EditFacts) -> MeaningChange | None:
    for handler in facts.gained_of("handler"):
        word = handler.text
        # Where the old text does not parse, its tree may lack a handler that was there.
        if _count_word(facts.new, word) > _count_word(facts.old, word):
            return review(f"it swallows errors (`{word}`); let them reach the caller.")
    return None


def _count_word(source: ParsedSource, word: str) -> int:
    return sum(token.text == word for token in tokenize(source.text, source.language))


def _evades(facts: EditFacts) -> MeaningChange | None:
    named = {name.lower() for name in facts.reports.names}
    for fact in facts.gained_of("evasion", "wide type"):
        if fact.text.lower() in named:
            continue
        reason = f"it evades the check with `{fact.text}` instead of a fix."
        if fact.text in tables.UNCHECKED_TYPES:
            return refused(reason)
        return review(reason)

    return None


def _widens_type(facts: EditFacts) -> MeaningChange | None:
    lost = facts.lost_of("literal type")
    if lost and not facts.gained_of("literal type"):
        return review(f"it allows more values than `{lost[0].text}`; give a right one.")

    for fact in facts.gained_of("wider type"):
        if not _DEFAULT_NONE.match(facts.new.text, fact.start):
            return review(f"it allows more values (`{fact.text}`) instead of giving a right one.")
    return None


def _hard_codes_result(facts: EditFacts) -> MeaningChange | None:
    """Find a constant result of a function that does not use all its parameters."""
    found = facts.gained_of("constant result")
    if not found:
        return None
    return review(f"it returns a constant, though `{found[0].text}` is not used.")


# ------------------------------------------------------------------------------ what is changed


def _makes_up_result(facts: EditFacts) -> MeaningChange | None:
    """Find a new statement that returns what nothing computed before, and nothing else that is new."""
    for fact in facts.gained_of("made up"):
        if facts.added.strip() == fact.text and facts.is_new_statement(fact):
            return review(f"it makes up a result (`{_short(fact.text)}`).")
    return None


def _sets_nothing(facts: EditFacts) -> MeaningChange | None:
    """Find a variable that is set to nothing, so that the compiler no longer sees the gap."""
    found = _NULL.match(facts.added.strip())
    if found is None or facts.removed:
        return None
    return review(f"it sets a variable to `{found[1]}`, which hides where it is not set.")


def _ends_otherwise(facts: EditFacts) -> MeaningChange | None:
    """Find a new way out of a function or a loop, on a condition that is not about a missing value."""
    if facts.is_syntax and facts.is_similar:
        return None
    had, has = Counter(_WORD.findall(facts.removed)), Counter(_WORD.findall(facts.added))
    ways = [word for word in tables.WAYS_OUT if has[word] > had[word]]
    is_conditional = any(has[word] > had[word] for word in ("if", "unless"))
    if not ways or not is_conditional or _TESTS_VALUE.search(facts.added):
        return None
    return review(f"it ends the code on a new condition (`{ways[0]}`).")


def _compares_anew(facts: EditFacts) -> MeaningChange | None:
    """Find a comparison in place of a value that no error wants to be true or false."""
    if facts.is_syntax or facts.lost_of("comparison") or facts.gained_of("logic"):
        return None
    if facts.reports.names & tables.TRUTH_TYPES or "=" in facts.removed:
        return None
    for fact in facts.gained_of("comparison"):
        if not facts.is_new_statement(fact) and not _TESTS_VALUE.search(facts.added):
            return review(f"it compares where a value was used (`{fact.text}` is new).")
    return None


def _shadows_member(facts: EditFacts) -> MeaningChange | None:
    """Find a missing name that becomes a new variable, though the object has a member so named."""
    around = facts.new.nodes_around(facts.edit.new_start)
    if not any(node.kind() in FUNCTIONS for node in around):
        return None
    gained = (*facts.gained_of("constant"), *facts.gained_of("nothing"))
    for name in {fact.text for fact in gained} & facts.reports.names:
        if re.search(rf"\b(?:self|this)(?:\.|->){re.escape(name)}\b", facts.old.text):
            return review(f"it declares `{name}`, and the object has a member of that name.")
    return None


def _exposes(facts: EditFacts) -> MeaningChange | None:
    """Find a member that everybody may use now, though the object has a function for it."""
    if not any(fact.text in tables.NARROWING for fact in facts.lost_of("visibility")):
        return None
    functions = {text for kind, text in facts.had if kind == "function"}
    for name in set(_WORD.findall(facts.old.line_text(facts.edit.start))) & facts.reports.names:
        for function in sorted(functions):
            if name.lower() in function.lower() and name != function:
                return review(f"it exposes `{name}`, and the program has `{function}`.")
    return None


def _shares_state(facts: EditFacts) -> MeaningChange | None:
    """Find a variable of each object that all objects share now, though a method sets it."""
    if "static" not in _WORD.findall(facts.added) or "static" in _WORD.findall(facts.removed):
        return None
    line = facts.old.line_text(facts.edit.start).partition("=")[0]
    names = set(_WORD.findall(line)) & facts.reports.names & written_names(facts.old)
    if not names or "(" in line or not _has_objects(facts):
        return None
    return review(f"it lets all objects share `{min(names)}`, which the program sets.")


def _has_objects(facts: EditFacts) -> bool:
    """Return whether the program makes objects of the class around an edit, or it has own methods."""
    for node in reversed(facts.old.nodes_around(facts.edit.start)):
        name, body = node.field("name"), node.field("body")
        if name is None or body is None:
            continue
        if re.search(rf"\bnew\s+{re.escape(name.text())}\b", facts.old.text):
            return True
        methods = [each for each in body.named_children() if each.kind() in FUNCTIONS]
        return any(not re.search(r"\bstatic\b", each.text()) for each in methods)
    return True


def _makes_optional(facts: EditFacts) -> MeaningChange | None:
    """Find a value that calls had to pass, and that has a default now."""
    for fact in facts.gained_of("default"):
        if facts.had["parameter", fact.text] and not _NEUTRAL.match(facts.new.text, fact.start):
            _, _, name = fact.text.split(" ", 2)
            return review(f"it makes the parameter `{name}` optional.")
    return None


def _changes_condition(facts: EditFacts) -> MeaningChange | None:
    if facts.is_syntax:
        return None
    if facts.may_delete:
        return None

    for fact in facts.lost_of("logic", "comparison"):
        if fact.text not in facts.reports.names:
            return review(f"it changes a condition (`{fact.text}` is gone).")

    for fact in facts.gained_of("logic"):
        is_stricter = fact.text in tables.STRICTER and not _guards_stop(facts.new, fact.start)
        if is_stricter or facts.is_new_statement(fact):
            continue
        return review(f"it changes a condition or takes another value (`{fact.text}` is new).")

    return None


def _guards_stop(source: ParsedSource, offset: int) -> bool:
    """Return whether a condition at an offset decides if an error is raised or a function ends."""
    for node in source.nodes_around(offset):
        condition, body = node.field("condition"), node.field("consequence")
        if condition is None or body is None:
            continue
        start, end = span_of(condition)
        if start <= offset < end:
            return any(each.kind() in tables.STOPS for each in all_nodes(body))

    return False


def _changes_calculation(facts: EditFacts) -> MeaningChange | None:
    if facts.is_syntax:
        return None
    lost, gained = facts.lost_of("arithmetic"), facts.gained_of("arithmetic")
    for one, other in zip(lost, gained, strict=False):
        return review(f"it changes a calculation (`{one.text}` is now `{other.text}`).")

    if facts.gained_of("function"):
        return None

    numbers = [fact.text for fact in facts.gained_of("literal") if fact.text[:1].isdigit()]
    if gained and numbers and not facts.is_new_statement(gained[0]):
        return review(f"it changes a calculation (`{gained[0].text} {numbers[0]}` is new).")

    return None


def _ends_early(facts: EditFacts) -> MeaningChange | None:
    """Find a separator at the end of a line that the next line continues."""
    if facts.removed.strip() or facts.added.strip() not in tables.SEPARATORS:
        return None

    place = facts.old.gap_before(facts.edit.start)
    following = facts.old.gap_after(place)
    if facts.old.line_of(place) == facts.old.line_of(following):
        return None
    if "{" in facts.old.line_text(place):
        return None

    if _indent(facts.old, following) > _indent(facts.old, place):
        return review("it ends a statement that the next line continues; keep the line whole.")
    return None


def _indent(source: ParsedSource, offset: int) -> int:
    line = source.line_text(offset)
    return len(line) - len(line.lstrip(" \t"))


def _compares_with_itself(facts: EditFacts) -> MeaningChange | None:
    if facts.new.idle_operations > facts.old.idle_operations:
        return review("it compares or subtracts a value and itself, or sets it to itself.")
    found = facts.gained_of("twice")
    if found and "twice" not in {fact.kind for fact in facts.lost}:
        return review(f"it passes the same value twice to `{found[0].text}`.")
    return None


def _swaps_operands(facts: EditFacts) -> MeaningChange | None:
    for one in facts.lost_of("order"):
        left, sign, _ = one.text.split("\0")
        for other in facts.gained_of("order"):
            _, other_sign, right = other.text.split("\0")
            if (left, sign) == (right, other_sign):
                return review(f"it swaps the operands of `{sign}`.")

    return None


def _moves_argument(facts: EditFacts) -> MeaningChange | None:
    """Find an argument that is passed in another place, beside a name that is replaced."""
    if not facts.lost_of("name"):
        return None
    gained = {fact.text for fact in facts.gained_of("argument")}
    for fact in facts.lost_of("argument"):
        called, place, text = fact.text.split("\0")
        for other in gained:
            other_called, other_place, other_text = other.split("\0")
            if (called, text) == (other_called, other_text) and place != other_place:
                return review(f"it passes `{text}` to `{called}` in another place.")
    return None


def _changes_constant(facts: EditFacts) -> MeaningChange | None:
    if facts.is_syntax:
        return None

    lost, gained = facts.lost_of("literal"), facts.gained_of("literal")
    for one, other in zip(lost, gained, strict=False):
        if value_of(one.text) == value_of(other.text):
            continue
        if facts.reports.names.isdisjoint(_WORD.findall(one.text)):
            return review(f"it changes the constant {one.text} to {_short(other.text)}.")

    return None


def _changes_call(facts: EditFacts) -> MeaningChange | None:
    """Find a function that can no longer be called as before."""
    if facts.is_at_error:
        return None

    for fact in [*_new_parameters(facts), *_lost_defaults(facts)]:
        name = fact.text.partition(" ")[0]
        if not facts.had["function", name]:
            continue
        if name in facts.reports.names:
            continue
        if name not in facts.reports.called:
            return refused(f"it changes how {name} is called; keep the parameters.")

    return None


def _new_parameters(facts: EditFacts) -> list[Fact]:
    """Return the parameters that calls must pass now, except those that errors ask for."""
    gained = facts.gained_of("parameter")
    defaults = {fact.text for fact in facts.gained_of("default")}
    renames = len(facts.lost_of("parameter")) >= len(gained)
    found = []
    for fact in gained:
        if fact.text in defaults:
            continue
        _, _, parameter = fact.text.split(" ", 2)
        if renames and parameter in facts.reports.names:
            continue
        found.append(fact)

    return found


def _lost_defaults(facts: EditFacts) -> list[Fact]:
    """Return the parameters that are still there, and have no default any more."""
    return [fact for fact in facts.lost_of("default") if facts.has["parameter", fact.text]]


# ------------------------------------------------------------------------------ what is removed


def _drops_guard(facts: EditFacts) -> MeaningChange | None:
    if facts.is_syntax:
        return None
    if facts.may_delete:
        return None

    for fact in facts.lost_of("stop", "guard", "handler"):
        if fact.text in facts.reports.names and fact.text not in tables.PROMISES:
            continue
        if fact.text in tables.READ_ONLY and _may_be_set(fact, facts):
            continue
        return review(f"it drops `{fact.text}`; keep what the code checks and promises.")

    return None


def _may_be_set(fact: Fact, facts: EditFacts) -> bool:
    """Return whether an error is about the local variable or reference that may not be set."""
    around = facts.old.nodes_around(fact.start)
    if fact.text != "const" and not any(node.kind() in FUNCTIONS for node in around):
        # What is declared for others is a promise.
        return False
    if _sets_as_condition(facts):
        return False
    line = facts.old.line_text(fact.start)
    names = {word for word in _WORD.findall(line) if word not in COMMON}
    return not names.isdisjoint(facts.reports.names | facts.reports.near)


def _sets_as_condition(facts: EditFacts) -> bool:
    """Return whether an error is at a condition that is an assignment: a comparison was meant."""
    for kind in tables.ASSIGNMENTS:
        for node in facts.old.find(kind):
            bracket = node.parent()
            if facts.old.line_of(span_of(node)[0]) + 1 not in facts.reports.lines:
                continue
            if bracket is not None and bracket.kind() in tables.CONDITIONS:
                return True
    return False


def _drops_declaration(facts: EditFacts) -> MeaningChange | None:
    """Find a name that others may use and that is no longer declared."""
    for fact in facts.lost_of("function", "declared", "exported"):
        if fact.text in facts.reports.names:
            continue
        if _is_explained(fact, facts):
            continue
        # If the name is still used and passes the check, an import or a pattern brings it.
        if fact.kind == "declared" and facts.has["name", fact.text]:
            continue
        return refused(f"it no longer declares {fact.text}; keep every name that others may use.")

    return None


def _hides_name(facts: EditFacts) -> MeaningChange | None:
    """Find a name that fewer others can use."""
    if facts.is_superfluous:
        return None
    if facts.reports.about_visibility:
        return None

    hiding = [fact for fact in facts.lost_of("visibility") if fact.text not in tables.NARROWING]
    if not _may_narrow(facts):
        hiding += [fact for fact in facts.gained_of("visibility") if fact.text in tables.NARROWING]

    if not hiding:
        return None

    word = hiding[0].text
    return refused(f"it no longer exports what it did (`{word}`); keep what others may use.")


def _may_narrow(facts: EditFacts) -> bool:
    """Return whether a name is new, or its `static` or `private` was misspelt."""
    if facts.gained_of("name"):
        return True
    if not facts.is_syntax:
        return False
    return facts.is_similar and facts.adds_words


def _drops_type(facts: EditFacts) -> MeaningChange | None:
    if facts.is_superfluous:
        return None
    for fact in facts.lost_of("type"):
        if facts.has["no type", fact.text]:
            return refused(f"it removes the type of {fact.text}; correct the type instead.")
    return None


def _weakens_comparison(facts: EditFacts) -> MeaningChange | None:
    """Find a function that compares, in whose place one is called that does something else."""
    calls = [fact.text for fact in facts.gained_of("call")]
    for fact in facts.lost_of("call"):
        if not calls or not tables.EQUALITY.search(fact.text):
            continue
        if not any(_compares_as_strictly(call, fact.text) for call in calls):
            return review(f"it calls `{calls[0]}` where `{fact.text}` compared two values.")
    return None


def _compares_as_strictly(call: str, before: str) -> bool:
    """Return whether a function compares, and its name has no word such as `ignoreCase` more."""
    words, had = _PART.findall(call), _PART.findall(before)
    return tables.EQUALITY.search(call) is not None and len(words) <= len(had)


def _drops_name(facts: EditFacts) -> MeaningChange | None:
    """Find a name or a call that is gone without an explanation."""
    for fact in facts.lost_of("call", "name"):
        if _is_explained(fact, facts):
            continue
        values = facts.gained_of("literal")
        if values:
            shown = _short(values[0].text)
            return review(f"it writes `{shown}` where `{fact.text}` was used.")
        if facts.gained:
            return review(f"it no longer uses `{fact.text}`.")
        reason = f"it drops the code that uses `{fact.text}`; fix the code instead."
        if facts.covers_lines:
            return refused(reason)
        return review(reason)

    return None


# -------------------------------------------------------------------------------- explanations


def _is_explained(fact: Fact, facts: EditFacts) -> bool:
    """Return whether there is a reason why a name, a call or a declaration is gone."""
    if facts.may_delete:
        return True
    for explains in EXPLANATIONS:
        if explains(fact.text, facts):
            return True
    return fact.text in facts.reports.names and _is_replaced(facts)


def _is_replaced(facts: EditFacts) -> bool:
    """Return whether something takes the place of a name that an error is about."""
    values = facts.gained_of("literal")
    if not values:
        return facts.adds_words or bool(facts.gained)

    written: set[str] = set()
    for each in values:
        written.update(_WORD.findall(each.text.lower()))

    # Only the quotes were missing, or the capital of `True`, or it was `null` for `None`.
    gone = {name.lower() for name in facts.lost_names()}
    return gone <= written or gone <= tables.NAMES_OF_NOTHING


def _is_receiver(name: str, _: EditFacts) -> bool:
    return name in tables.RECEIVERS


def _is_conversion(name: str, facts: EditFacts) -> bool:
    if name not in tables.CONVERSIONS:
        return False
    return bool(facts.lost_of("call"))


def _is_only_named(name: str, facts: EditFacts) -> bool:
    """Return whether a name was called before and is only named now, or the reverse."""
    return any(fact.text == name for fact in facts.gained_of("call", "name"))


def _is_misread(name: str, facts: EditFacts) -> bool:
    """Return whether a name is a misspelt keyword, or two words that were written as one."""
    if not facts.is_syntax:
        return False
    if name in COMMON:
        return True
    if not facts.is_similar:
        return False

    if not facts.gained_names():
        return True
    words = _WORD.findall(facts.added)
    return any(name == one + other for one, other in pairwise(words))


def _is_foreign_comment(_: str, facts: EditFacts) -> bool:
    """Return whether a comment of another language was taken for code."""
    if not facts.is_syntax:
        return False
    return facts.removed.startswith(tables.FOREIGN_COMMENTS[facts.old.language])


def _is_misspelt(name: str, facts: EditFacts) -> bool:
    """Return whether an error points at a name that is replaced by a similar one."""
    if name not in facts.reports.pointed:
        return False
    return bool(get_close_matches(name, facts.gained_names(), 1, _ALIKE))


def _is_related(name: str, facts: EditFacts) -> bool:
    """Return whether a function of the same family is called instead: `split_whitespace`."""
    if not facts.may_drop_part:
        return False
    return any(fact.text.startswith(f"{name}_") for fact in facts.gained_of("call"))


def _is_renamed(_: str, facts: EditFacts) -> bool:
    """Return whether names that errors miss take the place of as many others."""
    news = set(facts.gained_names())
    if not news:
        return False
    if len(facts.lost_names()) > len(news):
        return False
    return news <= facts.reports.names


EXPLANATIONS: Final[tuple[Callable[[str, EditFacts], bool], ...]] = (
    _is_receiver,
    _is_conversion,
    _is_only_named,
    _is_misread,
    _is_foreign_comment,
    _is_misspelt,
    _is_related,
    _is_renamed,
)
RULES: Final[tuple[MeaningRule, ...]] = (
    _throws_away,
    _compiles_out,
    _becomes_string,
    _makes_up,
    _shadows_name,
    _writes_out,
    _drops_effect,
    _misses_placeholder,
    _defines_stub,
    _converts_nothing,
    _works_on_copy,
    _drops_declaration,
    _hides_name,
    _changes_call,
    _drops_type,
    _swallows,
    _evades,
    _widens_type,
    _hard_codes_result,
    _makes_up_result,
    _sets_nothing,
    _ends_otherwise,
    _compares_anew,
    _shadows_member,
    _exposes,
    _shares_state,
    _makes_optional,
    _changes_condition,
    _changes_calculation,
    _ends_early,
    _compares_with_itself,
    _swaps_operands,
    _moves_argument,
    _changes_constant,
    _drops_guard,
    _weakens_comparison,
    _drops_name,
)
