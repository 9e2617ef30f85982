"""Learn a rule from verified fixes: narrow after one, as wide as the examples after more."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING

from holdfast.rules.apply_rule import Rewritten, rewrite
from holdfast.rules.import_block import is_import
from holdfast.rules.match.tree_pattern import kind_of_pattern
from holdfast.rules.rule import (
    HOLE,
    Example,
    Rewrite,
    Rule,
    TokenRewrite,
    TreeRewrite,
    diagnostic_of,
    example_of,
    plain_type,
    value_in,
)
from holdfast.rules.sample import Sample
from holdfast.rules.token_learner import token_rewrite
from holdfast.rules.tree_learner import tree_rewrite
from holdfast.rules.type_text import TOP_TYPES, common_type, elements_of, outline
from holdfast.syntax.edits import Edit, edits_between
from holdfast.syntax.source import ParsedSource
from holdfast.syntax.syntax_errors import is_syntax
from holdfast.syntax.tokens import COMMON
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.diagnostics import Diagnostic, Target


@dataclass(frozen=True, slots=True)
class NotLearned:
    """No rule follows from the fix; `reason` says why."""

    reason: str


def learn(
    before: str, after: str, diagnostic: Diagnostic, target: Target, *, model: str = ""
) -> Rule | NotLearned:
    """Return the narrow rule that one verified fix shows."""
    example = example_of(before, after, diagnostic)
    return learn_from([example], diagnostic, target, model=model)


def learn_from(
    examples: Sequence[Example], diagnostic: Diagnostic, target: Target, *, model: str = ""
) -> Rule | NotLearned:
    """Return the narrowest rule for the kind of a diagnostic that explains all examples."""
    blank = Rule(
        id="",
        target=target,
        tool=diagnostic.tool,
        code=diagnostic.code,
        template=diagnostic.template,
        examples=tuple(examples),
        model=model,
    )
    fixes = [_Fix(example, blank) for example in examples]
    imports = _common_imports(fixes)
    if imports is None:
        return NotLearned("the examples import different things")

    edited = [fix for fix in fixes if fix.edit is not None]
    if not edited and not imports:
        return NotLearned("nothing but blanks differs")
    if edited and len(edited) < len(fixes):
        return NotLearned("one of the examples changes only an import")

    rewrites: list[Rewrite | None] = [None]
    if edited:
        rewrites = _rewrites_of([fix.sample() for fix in fixes], diagnostic)

    for made in rewrites:
        texts = (getattr(made, "pattern", ""), getattr(made, "fix", ""), *imports)
        used = set(HOLE.findall(" ".join(texts)))
        for mentioned in getattr(made, "mentions", {}).values():
            used.update(mentioned)
        rule = _with(blank, made, imports, _values(fixes, made, used))
        rule = replace(rule, uncommented=_is_uncommented(fixes), safe=_is_certain(fixes))
        if all(explains(rule, example) for example in examples):
            return rule

    if rewrites:
        return NotLearned("the rule would not repeat the fix")

    return NotLearned("the change is not one construct at the diagnostic")


def suggested_rule(
    before: str, after: str, diagnostic: Diagnostic, target: Target, suggested: tuple[str, str]
) -> Rule | None:
    """Return a model's rule for a diagnostic, as proposed; None if it does not repeat the fix."""
    pattern, fix = suggested
    if kind_of_pattern(pattern, target) is None:
        return None

    rule = Rule(
        id="",
        target=target,
        tool=diagnostic.tool,
        code=diagnostic.code,
        template=diagnostic.template,
        rewrite=TreeRewrite(pattern, fix),
        values={number: (plain_type(text),) for number, text in enumerate(diagnostic.args)},
        provenance="model",
        status="proposed",
        examples=(example_of(before, after, diagnostic),),
    )
    if not explains(rule, rule.examples[0]):
        return None

    return replace(rule, id=id_of(rule))


def explains(rule: Rule, example: Example) -> bool:
    """Return whether a rule makes of an example what was recorded, blank lines not counted."""
    made = rewrite(rule, example.before, diagnostic_of(rule, example))
    if example.after is None:
        return not isinstance(made, Rewritten)
    return isinstance(made, Rewritten) and _squeezed(made.text) == _squeezed(example.after)


def _squeezed(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n") if line.strip()]


def _is_uncommented(fixes: Sequence[_Fix]) -> bool:
    """Return whether a rule is only for code without comments about it.

    A choice may be another one where a comment says what is meant; two fixes that differ in their
    comments show that the comments do not matter.
    """
    samples = [fix.sample() for fix in fixes if fix.edit is not None]
    comments = {sample.comments for sample in samples}
    freed = len(comments) > 1 and "" not in comments
    return any(sample.is_choice for sample in samples) and not freed


def _is_certain(fixes: Sequence[_Fix]) -> bool:
    """Return whether a rule may be applied without a person.

    A value that one fix writes may be another one in another program, until a second fix agrees.
    What is in a variable of any type, no example can tell.
    """
    for fix in fixes:
        if not TOP_TYPES.isdisjoint(map(plain_type, fix.example.args)):
            return False
    if len(fixes) > 1:
        return True
    return all(fix.edit is None or not fix.sample().brings_value for fix in fixes)


def _with(
    rule: Rule, made: Rewrite | None, imports: tuple[str, ...], values: dict[int, tuple[str, ...]]
) -> Rule:
    new = replace(rule, rewrite=made, imports=imports, values=values)
    return replace(new, id=id_of(new))


def id_of(rule: Rule) -> str:
    """Return the id of a rule: a hash of its diagnostic and of what it does first."""
    first = rule.examples[0] if rule.examples else None
    parts = [*rule.key, repr(rule.rewrite), *rule.imports]
    if first is not None:
        parts += first.args
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


# ----------------------------------------------------------------------------------- one fix


class _Fix:
    """A fix split into its imports and its one other edit."""

    def __init__(self, example: Example, rule: Rule) -> None:
        self.example = example
        self.diagnostic = diagnostic_of(rule, example)
        self.source = ParsedSource(example.before, rule.target)
        self._target = rule.target
        after = example.after or ""
        edits = edits_between(example.before, after, rule.target)
        self.imports: list[str] = []
        others: list[Edit] = []
        for edit in edits:
            added = _import_lines(edit, after, rule.target)
            if added and edit.start == edit.end:
                self.imports += added
            else:
                others.append(edit)

        self.edit = _joined(others)

    @property
    def brings_content(self) -> bool:
        return self.edit is None or self.sample().brings_content

    def sample(self) -> Sample:
        assert self.edit is not None  # noqa: S101 - the caller asked
        return Sample(self.example, self.diagnostic, self.edit, self._target)


def _import_lines(edit: Edit, after: str, target: str) -> list[str]:
    """Return the added lines if all of them are imports."""
    lines = [line for line in after[edit.new_start : edit.new_end].split("\n") if line.strip()]
    line_start = after.rfind("\n", 0, edit.new_start) + 1
    if after[line_start : edit.new_start].strip():
        return []
    if all(is_import(line, target) for line in lines):
        return lines

    return []


def _joined(edits: Sequence[Edit]) -> Edit | None:
    if not edits:
        return None
    first, last = edits[0], edits[-1]
    return Edit(first.start, last.end, first.new_start, last.new_end)


def _common_imports(fixes: Sequence[_Fix]) -> tuple[str, ...] | None:
    """Return the imports of all fixes, with holes for names of the message where they differ."""
    if len({tuple(fix.imports) for fix in fixes}) == 1:
        return tuple(fixes[0].imports)
    templates = {tuple(_templates(fix)) for fix in fixes}
    if len(templates) != 1:
        return None
    return templates.pop()


def _templates(fix: _Fix) -> list[str]:
    lines = []
    for line in fix.imports:
        template = line
        for number, text in enumerate(fix.example.args):
            if re.fullmatch(r"\w+", text):
                template = re.sub(rf"\b{text}\b", f"$ARG{number}", template)
        lines.append(template)

    return lines


# ------------------------------------------------------------------------------- all of them


def _rewrites_of(samples: list[Sample], diagnostic: Diagnostic) -> list[Rewrite | None]:
    """Return the rewrites to try: of trees where the texts parse, of tokens where they do not."""
    parsed = not any(sample.source.errors for sample in samples)
    made: list[Rewrite | None] = []
    if parsed:
        made.append(tree_rewrite(samples))

    if not parsed or is_syntax(diagnostic):
        made.append(token_rewrite(samples))

    return [each for each in made if each is not None]


def _values(
    fixes: Sequence[_Fix], made: Rewrite | None, used: set[str]
) -> dict[int, tuple[str, ...]]:
    """Return the values that the names of the message must have.

    A name that a hole takes up is free, and so is one that only tells the place: the class around
    it, or the token where a text stops to parse. What differs between the examples is free; of a
    rule that only imports it is a list.
    """
    bare = _is_bare(made, fixes)
    values: dict[int, tuple[str, ...]] = {}
    for number in range(min(len(fix.example.args) for fix in fixes)):
        taken = f"ARG{number}" in used
        if taken and not bare:
            continue
        if all(_tells_place(fix, number, made) for fix in fixes):
            continue
        if all(_is_element(fix.example.args, number) for fix in fixes):
            continue
        found = _common_values(fixes, number, bare=bare and taken, listed=made is None)
        differs = len(found) > 1
        if found and not (differs and taken and made is not None):
            values[number] = found

    return values


def _is_element(args: Sequence[str], number: int) -> bool:
    """Return whether a type is the last element of another: `int` in `Coroutine[Any, Any, int]`."""
    return any(args[number] == each for arg in args for each in elements_of(arg)[-1:])


def _common_values(
    fixes: Sequence[_Fix], number: int, *, bare: bool, listed: bool
) -> tuple[str, ...]:
    """Return what the examples have as a name of the message; () if that is nothing.

    Names of functions or of members that differ are listed where the fix brings a word of its own:
    that word belongs to them.
    """
    kinds = list(dict.fromkeys(_value(fix, number, bare=bare) for fix in fixes))
    names = tuple(dict.fromkeys(plain_type(fix.example.args[number]) for fix in fixes))
    if len(kinds) == 1 and (listed or bare or kinds[0]):
        return (kinds[0],)
    if listed or bare:
        return names

    common = reduce(_common_value, kinds)
    if common:
        return (common,)
    if all(map(_is_plain_name, names)) and any(fix.brings_content for fix in fixes):
        return names
    return ()


def _common_value(one: str, other: str) -> str:
    if not one or not other:
        return ""
    return common_type(one, other)


def _is_plain_name(text: str) -> bool:
    return text.isidentifier() and text not in COMMON


def _is_bare(made: Rewrite | None, fixes: Sequence[_Fix]) -> bool:
    """Return whether a fix writes words beside a name that nothing else ties them to."""
    if not isinstance(made, TreeRewrite) or made.needs:
        return False
    if not re.fullmatch(r"\$ARG\d+", made.pattern):
        return False
    return any(fix.sample().brings_words for fix in fixes)


def _value(fix: _Fix, number: int, *, bare: bool) -> str:
    """Return what a name of the message must be.

    If the fix brings nothing of its own, a type of the program is held by its kind. For another
    member of an object, the types of its elements do not matter.
    """
    text = fix.example.args[number]
    if bare:
        return value_in(text, "")
    if fix.edit is not None and fix.sample().renames_member:
        return outline(value_in(text, ""))
    if fix.brings_content:
        known = value_in(text, fix.example.before)
        return known if known == "<function>" else _without_names(fix, number)
    return outline(value_in(text, fix.example.before, fix.source.line_at(fix.diagnostic)))


def _without_names(fix: _Fix, number: int) -> str:
    """Return a name of the message with `_` for the names that the message has alone, too."""
    text = value_in(fix.example.args[number], "")
    for name in fix.example.args:
        if name != fix.example.args[number] and _is_plain_name(name):
            text = re.sub(rf"\b{name}\b", "_", text)
    return text


def _tells_place(fix: _Fix, number: int, made: Rewrite | None) -> bool:
    text = fix.example.args[number]
    source = fix.source
    place = source.place_of(fix.diagnostic)
    if place is None:
        return False
    if isinstance(made, TokenRewrite):
        return source.text.startswith(text, place)
    if _is_own_signature(fix, text):
        return True

    for node in source.nodes_around(place):
        if not _TYPE_DECLARATION.search(node.kind()):
            continue
        if any(child.text() == text for child in node.children()):
            return True

    return False


def _is_own_signature(fix: _Fix, text: str) -> bool:
    """Return whether a text is the signature of a function that is declared at the place."""
    if "(" not in text:
        return False
    known = value_in(text, fix.example.before, fix.source.line_at(fix.diagnostic))
    words = set(re.findall(r"<?\w+>?", known)) - COMMON
    return not any(word.strip("_<>") and not word.startswith("<") for word in words)


_TYPE_DECLARATION = re.compile("class|interface|enum|record|struct|impl|trait")
