"""Learn a rule from verified fixes: narrow after one, as wide as the examples after more."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING

from holdfast.rules.apply_rule import Rewritten, is_conversion, rewrite
from holdfast.rules.header_learner import header_rewrite
from holdfast.rules.import_block import import_lines
from holdfast.rules.match.node_classes import class_of_name
from holdfast.rules.match.tree_pattern import kind_of_pattern
from holdfast.rules.rule import (
    HOLE,
    Example,
    HeaderRewrite,
    Rewrite,
    Rule,
    TokenRewrite,
    TreeRewrite,
    argument_texts,
    diagnostic_of,
    example_of,
    fill,
    plain_type,
    value_in,
)
from holdfast.rules.sample import Sample
from holdfast.rules.token_learner import token_rewrite
from holdfast.rules.tree_learner import tree_rewrite
from holdfast.rules.type_text import TOP_TYPES, common_type, outline
from holdfast.syntax.edits import Edit, edits_between
from holdfast.syntax.source import ParsedSource
from holdfast.syntax.syntax_errors import is_syntax
from holdfast.syntax.tokens import COMMON
from holdfast.syntax.tree import node_text
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

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
    imports = fixes[0].imports
    if any(fix.imports != imports for fix in fixes):
        return NotLearned("the examples import different things")

    samples = list(filter(None, (fix.sample for fix in fixes)))
    if not samples and not imports:
        return NotLearned("nothing but blanks differs")

    if 0 < len(samples) < len(fixes):
        return NotLearned("one of the examples changes only an import")

    rewrites: list[Rewrite | None] = [None]
    if samples:
        rewrites = _rewrites_of(samples, diagnostic)

    for made in rewrites:
        rule = replace(
            blank,
            rewrite=made,
            imports=imports,
            values=_values(fixes, made, _holes_used(made, imports)),
            uncommented=_is_choice(samples) or _imports_choice(fixes, imports),
            safe=isinstance(made, HeaderRewrite) or _is_certain(fixes),
        )
        if all(explains(rule, example) for example in examples):
            return replace(rule, id=id_of(rule))

    if rewrites:
        return NotLearned("the rule would not repeat the fix")

    return NotLearned("the change is not one construct at the diagnostic")


def _holes_used(made: Rewrite | None, imports: tuple[str, ...]) -> set[str]:
    """Return the holes of a rewrite and of imports, and those that a hole must mention."""
    used = set(HOLE.findall(" ".join(imports)))
    if made is not None:
        used.update(HOLE.findall(f"{made.pattern} {made.fix}"))

    if isinstance(made, TreeRewrite):
        used.update(*made.mentions.values())

    return used


def suggested_rule(
    before: str, after: str, diagnostic: Diagnostic, target: Target, suggested: tuple[str, str]
) -> Rule | None:
    """Return a model's rule for a diagnostic, as proposed; None if it does not repeat the fix."""
    pattern, fix = suggested
    example = example_of(before, after, diagnostic)
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
        examples=(example,),
    )
    if not explains(rule, example):
        return None

    return replace(rule, id=id_of(rule))


def explains(rule: Rule, example: Example) -> bool:
    """Return whether a rule makes of an example what was recorded, blank lines not counted."""
    made = rewrite(rule, example.before, diagnostic_of(rule, example))
    if example.after is None:
        return not isinstance(made, Rewritten)

    if not isinstance(made, Rewritten):
        return False

    return _squeezed(made.text) == _squeezed(example.after)


def _squeezed(text: str) -> list[str]:
    lines = filter(str.strip, text.split("\n"))
    return list(map(str.rstrip, lines))


def _is_choice(samples: Sequence[Sample]) -> bool:
    """Return whether another fix is possible, which a comment may ask for."""
    return any(sample.heeds_comments for sample in samples)


def _imports_choice(fixes: Sequence[_Fix], imports: tuple[str, ...]) -> bool:
    """Return whether a fix only imports a name of the message by a path: `math/rand`, `a.b.Date`.

    Another path may end in the same name.
    """
    if any(fix.sample is not None for fix in fixes):
        return False

    named = set(re.findall(r"[/.:](\w+)\W*$", "\n".join(imports), re.MULTILINE))
    return not named.isdisjoint(chain.from_iterable(fix.example.args for fix in fixes))


def _is_certain(fixes: Sequence[_Fix]) -> bool:
    """Return whether a rule may be applied without a person.

    A value that one fix writes may be another one in another program, until a second fix agrees.
    What is in a variable of any type, no example can tell.
    """
    for fix in fixes:
        types = map(plain_type, fix.example.args)
        if not TOP_TYPES.isdisjoint(types) and not fix.has("annotates"):
            return False

    first, *others = fixes
    if others:
        return True

    return not first.has("brings_value")


def id_of(rule: Rule) -> str:
    """Return the id of a rule: a hash of its diagnostic and of what it does first.

    Two branches may learn the same rule from two programs. The program is in the hash, so that git
    merges two files, and not two texts of one.
    """
    parts = [*rule.key, repr(rule.rewrite), *rule.imports]
    for first in rule.examples[:1]:
        parts += first.args
        if rule.provenance != "manual":
            parts += [rule.provenance, first.before, first.after or ""]

    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


# ----------------------------------------------------------------------------------- one fix


class _Fix:
    """A fix split into its imports and its one other edit."""

    def __init__(self, example: Example, rule: Rule) -> None:
        self.example = example
        self.diagnostic = diagnostic_of(rule, example)
        self.source = ParsedSource(example.before, rule.target)
        after = example.after or ""
        self.imports: tuple[str, ...] = ()
        others: list[Edit] = []
        for edit in edits_between(example.before, after, rule.target):
            added = import_lines(edit, after, rule.target)
            self.imports += tuple(added)
            if not added:
                others.append(edit)

        self.sample: Sample | None = None
        if others:
            first, last = others[0], others[-1]
            whole = Edit(first.start, last.end, first.new_start, last.new_end)
            self.sample = Sample(example, self.diagnostic, whole, rule.target)

    def has(self, trait: str) -> bool:
        """Return a property of the edit; a fix that only imports brings a name, and no more."""
        found: bool = getattr(self.sample, trait, trait == "brings_content")
        return found


# ------------------------------------------------------------------------------- all of them


def _rewrites_of(samples: list[Sample], diagnostic: Diagnostic) -> list[Rewrite | None]:
    """Return the rewrites to try: of trees where the texts parse, of tokens where they do not."""
    parsed = not any(sample.source.errors for sample in samples)
    made: list[Rewrite | None] = [header_rewrite(samples)]
    if parsed:
        made.append(tree_rewrite(samples))

    if not parsed or is_syntax(diagnostic):
        made.append(token_rewrite(samples))

    return list(filter(None, made))


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

        if isinstance(made, HeaderRewrite) and all(_is_declared(fix, number) for fix in fixes):
            continue

        if all(_tells_place(fix, number, made) for fix in fixes):
            continue

        found = _common_values(fixes, number)
        is_free = taken and len(found) > 1
        if found and not is_free:
            values[number] = found

    return values


def _is_declared(fix: _Fix, number: int) -> bool:
    """Return whether the program declares a name of the message."""
    text = fix.example.args[number]
    if _is_plain_name(text) and class_of_name(text) == "variable":
        return True

    return "(" in text or "<" in value_in(text, fix.example.before).replace(text, "")


def _common_values(fixes: Sequence[_Fix], number: int) -> tuple[str, ...]:
    """Return what the examples have as a name of the message; () if that is nothing.

    Names of functions or of members that differ are listed where the fix brings a word of its own:
    that word belongs to them.
    """
    values = [_value(fix, number) for fix in fixes]
    common = reduce(common_type, values)
    if common:
        return (common,)

    names = [plain_type(fix.example.args[number]) for fix in fixes]
    if not all(map(_is_plain_name, names)):
        return ()

    if not any(fix.has("brings_content") for fix in fixes):
        return ()

    return tuple(dict.fromkeys(names))


def _is_plain_name(text: str) -> bool:
    if not text.isidentifier():
        return False

    return text not in COMMON


def _is_bare(made: Rewrite | None, fixes: Sequence[_Fix]) -> bool:
    """Return whether a fix writes words beside a name that nothing else ties them to."""
    if not isinstance(made, TreeRewrite):
        return False

    if made.needs:
        return False

    if not re.fullmatch(r"\$ARG\d+", made.pattern) or is_conversion(made):
        return False

    if made.pattern not in made.fix:
        return False

    filled = [fill(made.fix, argument_texts(fix.example.args)) for fix in fixes]
    if all(new in fix.example.args for new, fix in zip(filled, fixes, strict=True)):
        return False

    return any(fix.has("brings_words") for fix in fixes)


def _value(fix: _Fix, number: int) -> str:
    """Return what a name of the message must be.

    If the fix brings nothing of its own, a type of the program is held by its kind. For another
    member of an object, the types of its elements do not matter.
    """
    text = fix.example.args[number]
    if fix.has("renames_member"):
        return outline(value_in(text, ""))

    known = value_in(text, fix.example.before, fix.source.line_at(fix.diagnostic))
    if not fix.has("brings_content"):
        return outline(known)

    # What the program declares itself has another name in another program.
    # The names that the message has alone, too, are free.
    plain = value_in(text, fix.example.before)
    for name in filter(_is_plain_name, {*fix.example.args} - {text}):
        plain = re.sub(rf"\b{name}\b", "_", plain)

    return plain


def _tells_place(fix: _Fix, number: int, made: Rewrite | None) -> bool:
    text = fix.example.args[number]
    source = fix.source
    place = source.place_of(fix.diagnostic)
    if place is None:
        return False

    is_elsewhere = isinstance(made, TreeRewrite) and made.elsewhere
    # What Go quotes is code, and not a name.
    is_code = re.search(r"\w\W.*\w", text) is not None
    if isinstance(made, TokenRewrite) or is_elsewhere or is_code:
        return source.text.startswith(text, place)

    for node in source.nodes_around(place):
        texts = list(map(node_text, node.children()))
        if _TYPE_DECLARATION.search(node.kind()) and text in texts:
            return True

    return False


_TYPE_DECLARATION = lazy_pattern("class|interface|enum|record|struct|impl|trait")
