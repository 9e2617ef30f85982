"""Make a rewrite of a syntax tree from examples: only parts that vary between them are free."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Final

from holdfast.rules.match.context import (
    uses_of,
)
from holdfast.rules.match.node_classes import (
    BLOCKS,
    CALLS,
    EXPRESSION,
    LISTS,
    PARAMETERS,
    called_name,
    class_of_name,
    construct_around,
    exact_kind_of,
    is_callee_or_member,
    is_expression,
    is_literal,
    is_name,
    is_type,
    kind_around,
    kind_of,
)
from holdfast.rules.match.tree_pattern import kind_of_pattern
from holdfast.rules.rule import TreeRewrite, value_in
from holdfast.rules.sample import Sample, names_type
from holdfast.syntax.tokens import COMMON, is_content
from holdfast.syntax.tree import node_children, node_kind, node_text, parent_kind, span_of
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ast_grep_py import SgNode


_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MOST_LINE_BREAKS: Final = 3
_FUNCTION_VALUE: Final = lazy_pattern("^(?:arrow|lambda|closure|func_literal)|function_expression$")
_DECLARATOR: Final = lazy_pattern("declarator$|^as_pattern_target$|^let_declaration$")
"""The kinds of nodes that declare a name."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A part that is free: its span and its text in each example, and the kinds of its nodes."""

    spans: tuple[tuple[int, int], ...]
    texts: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    run: bool = False
    declared: bool = False


def tree_rewrite(samples: Sequence[Sample]) -> TreeRewrite | None:
    """Return the rewrite of the smallest construct that explains all samples; None without one."""
    first, *others = [sample.nodes() for sample in samples]
    for node in first:
        same = [[each for each in nodes if each.kind() == node.kind()] for nodes in others]
        # Around an operand there may be several of a kind: one call in another.
        for nodes in product([node], *same):
            made = _Construct(nodes, samples).rewrite()
            if made is not None:
                return made

    return None


class _Construct:
    """The same construct in each sample."""

    def __init__(self, nodes: Sequence[SgNode], samples: Sequence[Sample]) -> None:
        self.nodes = nodes
        self.samples = samples
        self.holes: list[Hole] = []
        self._typed = all(map(names_type, nodes, samples))
        # What is converted by its type is afterwards as it was, unless it is moved.
        self._takes = not self._typed or any("std::move" in sample.gap for sample in samples)
        self._choice = any(sample.is_choice for sample in samples)
        self._writes = any(map(_writes_there, samples))
        self._brings_content = any(sample.brings_content for sample in samples)

    def rewrite(self) -> TreeRewrite | None:
        """Return the rewrite that explains all samples; None if there is none."""
        if not self._align_root():
            return None

        names = hole_names(self.holes, self.samples)
        pattern = self._pattern(names)
        alone = len(self.holes) == 1 and pattern == f"${names[self.holes[0].texts]}"
        language = self.samples[0].source.language
        kind = self.nodes[0].kind()
        if not alone and kind_of_pattern(pattern, language, kind) is None:
            return None

        if alone or kind_of_pattern(pattern, language) == kind:
            kind = ""

        fixes = {self._fix(number, names) for number in range(len(self.samples))}
        if len(fixes) != 1:
            return None

        if pattern.count("\n") > _MOST_LINE_BREAKS:
            return None

        here = all(map(_is_at_diagnostic, self.nodes, self.samples))
        is_named = any(name.startswith("ARG") for name in names.values())
        if not here and not is_named and not any(map(self._is_at_error, self.holes)):
            return None

        fix = fixes.pop()
        seen = self._seen(fix) if alone else ()
        return TreeRewrite(
            pattern=pattern,
            fix=fix,
            kinds=kinds_of(self.holes, names),
            uses=self._uses(names),
            mentions=self._mentions(names),
            inside=self._inside(alone=alone and not seen and not self._becomes_blank(self.nodes)),
            elsewhere=not here,
            needs=seen,
            kind=kind,
        )

    def _is_at_error(self, hole: Hole) -> bool:
        """Return whether a part is the name of a variable that is on the line of the diagnostic."""
        if not hole.declared:
            return False

        words: list[list[str]] = []
        for sample in self.samples:
            line = sample.source.line_at(sample.diagnostic)
            words.append(re.findall(r"\w+", line))

        return all(map(list.__contains__, words, hole.texts))

    # ------------------------------------------------------------------------------ the holes

    def _align_root(self) -> bool:
        children = list(map(node_children, self.nodes))
        is_operand = self._typed and all(map(_is_whole_operand, self.nodes))
        # The fix only writes around the construct, whose type the message names.
        if is_operand and all(map(_is_carried, self.nodes, self.samples)):
            return self._add_hole(self.nodes)

        if not all(children) or is_literal(self.nodes[0]):
            if self._add_hole(self.nodes):
                return True

            return self._align(self.nodes)

        if _differ_in_number(children):
            return False

        return all(map(self._align, zip(*children, strict=True)))

    def _align(self, nodes: Sequence[SgNode]) -> bool:
        """Collect the parts that are free; return False if the nodes differ where nothing may."""
        if all(map(_is_carried, nodes, self.samples)):
            if _same_kind(nodes) and nodes[0].kind() in BLOCKS | PARAMETERS:
                return self._add_run(nodes)

            if self._is_part(nodes):
                return self._add_part(nodes)

        children = list(map(node_children, nodes))
        if not _same_kind(nodes):
            return self._add_hole(nodes)

        if _differ_in_number(children):
            is_list = nodes[0].kind() in LISTS
            add = self._add_run if is_list else self._add_hole
            return add(nodes)

        if any(children):
            return all(map(self._align, zip(*children, strict=True)))

        is_free = all(map(_is_declared_name, nodes)) or self._becomes_blank(nodes)
        return (_same_text(nodes) and not is_free) or self._add_hole(nodes)

    def _is_part(self, nodes: Sequence[SgNode]) -> bool:
        """Return whether these are operands, and not constructs whose own parts count."""
        if all(is_literal(node) or node.is_leaf() or is_type(node) for node in nodes):
            return True

        if not all(map(_is_whole_operand, nodes)):
            return False

        if any(map(_shares_name, nodes, self.samples)):
            return False

        # The function that is called says what the value is, unless the message names its type.
        if self._typed or not self._brings_content:
            return True

        return CALLS.isdisjoint(map(kind_of, nodes))

    def _is_tied(self, nodes: Sequence[SgNode]) -> bool:
        """Return whether parts are beside an edit, or an edit brings content."""
        if self._brings_content:
            return True

        return any(map(Sample.touches, self.samples, map(span_of, nodes)))

    def _add_part(self, nodes: Sequence[SgNode]) -> bool:
        is_held = _same_text(nodes) and not self._is_free(nodes[0])
        return is_held or self._add_hole(nodes)

    def _is_free(self, node: SgNode) -> bool:
        """Return whether one example frees a part: an operand that the fix carries over."""
        if is_literal(node):
            return True

        if is_type(node):
            return not self.samples[0].brings_content

        if not is_expression(node):
            return False

        sample = self.samples[0]
        if not is_callee_or_member(node):
            # A class or a module says which function is called: `Math` in `Math.pow(x)`.
            is_owner = is_name(node) and class_of_name(node.text()) == "type"
            return not (is_owner and sample.brings_content)

        # What is dropped was passed to this function, or is a part of this object.
        if sample.brings_content or sample.drops_content:
            return False

        # Between two names a sign says how one is reached, whatever the names are.
        return node.text() not in sample.diagnostic.args or sample.replaces_sign

    def _add_hole(self, nodes: Sequence[SgNode]) -> bool:
        spans = tuple(map(span_of, nodes))
        is_untouched = all(map(Sample.is_untouched, self.samples, spans))
        is_carried = all(map(_is_carried, nodes, self.samples))
        is_dropped = all(map(Sample.is_edited, self.samples, spans)) and not _same_text(nodes)
        declared = all(map(_is_declared_name, nodes))
        if not (is_untouched or is_carried or is_dropped or declared or self._becomes_blank(nodes)):
            return False

        texts = tuple(map(node_text, nodes))
        self.holes.append(Hole(spans, texts, self._kinds_of(nodes), declared=declared))
        return True

    def _becomes_blank(self, nodes: Sequence[SgNode]) -> bool:
        """Return whether a fix writes `_` for a variable that the message is about."""
        if any(sample.gap.strip() != "_" for sample in self.samples):
            return False

        arguments = [sample.diagnostic.args for sample in self.samples]
        return all(map(tuple[str, ...].__contains__, arguments, map(node_text, nodes)))

    def _kinds_of(self, nodes: Sequence[SgNode]) -> tuple[str, ...]:
        """Return the kinds that a part may have; what differs between examples is wider."""
        is_tied = self._is_tied(nodes)
        if self._choice and is_tied:
            chosen = set(map(self._chosen_kind, nodes))
            if len(chosen) > 1 and CALLS.issuperset(map(node_kind, nodes)):
                # Different functions: any.
                chosen = set(map(kind_of, nodes))

            return tuple(sorted(chosen))

        if not is_tied:
            return ()

        wide = {EXPRESSION if is_expression(node) else node.kind() for node in nodes}
        exact = set(map(kind_of, nodes))
        if self._typed:
            return tuple(sorted(wide))

        if len(exact) > 1:
            return tuple(sorted(wide))

        return tuple(exact)

    def _chosen_kind(self, node: SgNode) -> str:
        # Where nothing is written there, any function may be called, and so may one of the program.
        if node.kind() in CALLS and (not self._writes or self._is_own(node)):
            return kind_of(node)

        return exact_kind_of(node)

    def _is_own(self, call: SgNode) -> bool:
        return value_in(called_name(call), self.samples[0].example.before) == "<function>"

    def _add_run(self, nodes: Sequence[SgNode]) -> bool:
        """Free what is in a block, unless the fix adds something of its own beside it."""
        spans = tuple(map(_inner_span, nodes))
        if self._brings_content and any(map(Sample.touches, self.samples, spans)):
            return False

        texts = (f"{{block {len(self.holes)}}}",) * len(spans)
        self.holes.append(Hole(spans, texts, run=True))
        return True

    # ------------------------------------------------------------------- the pattern and the fix

    def _pattern(self, names: dict[tuple[str, ...], str]) -> str:
        node = self.nodes[0]
        base, _ = span_of(node)
        text = node.text()
        for hole in reversed(self.holes):
            start, end = hole.spans[0]
            text = text[: start - base] + _sign(hole, names) + text[end - base :]

        return _dedented(text, node)

    def _fix(self, number: int, names: dict[tuple[str, ...], str]) -> str:
        """Return the new text of a node with holes for the parts that are carried over."""
        sample, node = self.samples[number], self.nodes[number]
        start, end = sample.new_span(span_of(node))
        places = []
        for hole in self.holes:
            old = hole.spans[number]
            if sample.is_untouched(old):
                places.append((*sample.moved(old), _sign(hole, names)))

        for hole in sorted(self.holes, key=lambda hole: -len(hole.texts[number])):
            places += sample.places_in_gap(hole.texts[number], _sign(hole, names), places)

        for at, name in enumerate(sample.diagnostic.args):
            if name.isidentifier() and name not in COMMON:
                places += sample.places_in_gap(name, f"$ARG{at}", places)

        text = sample.body[start:end]
        for low, high, sign in sorted(places, reverse=True):
            text = text[: low - start] + sign + text[high - start :]

        return _dedented(text, node)

    def _seen(self, fix: str) -> tuple[str, ...]:
        """Return the new text if each program has it elsewhere already, and no message names it."""
        news = list(map(Sample.new_text, self.samples, self.nodes))
        if all(
            new in sample.diagnostic.args for new, sample in zip(news, self.samples, strict=True)
        ):
            return ()

        pairs = zip(self.nodes, self.samples, strict=True)
        if all(sample.source.has_words(sample.new_text(node)) for node, sample in pairs):
            return (fix,)

        return ()

    # ----------------------------------------------------------------------------- the limits

    def _inside(self, *, alone: bool) -> tuple[str, ...]:
        """Return the kinds of the constructs around, unless the fix is the same in any of them."""
        sample, node = self.samples[0], self.nodes[0]
        if sample.new_text(node).count("\n") > node.text().count("\n"):
            return _agreed(map(kind_around, self.nodes))

        is_argument = all(map(Sample.is_argument, self.samples, self.nodes))
        if alone and (is_argument or not self._typed):
            return _agreed(map(construct_around, self.nodes))

        # A function that is passed on is called by somebody else than one with a name.
        if self._choice and _FUNCTION_VALUE.search(node.kind()):
            return _agreed(map(kind_around, self.nodes))

        return ()

    def _uses(self, names: dict[tuple[str, ...], str]) -> dict[str, tuple[str, ...]]:
        """Return how the variables are used that the fix gives a value, or passes to a function.

        Those, too, whose declaration the fix changes because of an error elsewhere.
        """
        uses: dict[str, tuple[str, ...]] = {}
        here = all(map(_is_at_diagnostic, self.nodes, self.samples))
        gives_value = all(map(_gives_value, self.nodes, self.samples))
        for hole in self.holes:
            name = names[hole.texts]
            is_set = gives_value and hole is self.holes[0]
            is_named = here or name.startswith("ARG")
            is_changed = not is_named and self._is_at_error(hole)
            is_passed = self._takes and all(map(Sample.wraps, self.samples, hole.texts))
            if not (is_set or is_passed or is_changed):
                continue

            found: set[str] = set()
            for node, sample, text in zip(self.nodes, self.samples, hole.texts, strict=True):
                found.update(uses_of(sample.source, text, *span_of(node)))

            uses[name] = tuple(sorted(found))

        return uses

    def _mentions(self, names: dict[tuple[str, ...], str]) -> dict[str, tuple[str, ...]]:
        """Return the names of the message that a part has in it in each example."""
        mentions: dict[str, tuple[str, ...]] = {}
        arguments = list(zip(*(sample.diagnostic.args for sample in self.samples), strict=False))
        for hole in self.holes:
            if hole.texts in arguments:
                continue

            words = [re.findall(r"\w+", text) for text in hole.texts]
            for number, texts in enumerate(arguments):
                if all(map(list.__contains__, words, texts)):
                    name = names[hole.texts]
                    mentions[name] = (*mentions.get(name, ()), f"ARG{number}")

        return mentions


def _gives_value(node: SgNode, sample: Sample) -> bool:
    """Return whether a fix lets a declaration or an assignment have a value of its own."""
    if not sample.brings_value:
        return False

    if re.search("declar|assign|let", node.kind()) is None:
        return False

    old, new = (text.partition("=")[2].strip() for text in (node.text(), sample.new_text(node)))
    # What follows the old value is no part of the new one.
    return not (old and new.startswith(old)) and new != ""


def _agreed(kinds: Iterable[str]) -> tuple[str, ...]:
    """Return what all examples have in common; nothing if they differ."""
    found = set(kinds)
    if len(found) == 1:
        return tuple(found)

    return ()


def _same_kind(nodes: Sequence[SgNode]) -> bool:
    return len(set(map(node_kind, nodes))) == 1


def _same_text(nodes: Sequence[SgNode]) -> bool:
    return len(set(map(node_text, nodes))) == 1


def _differ_in_number(children: Sequence[Sequence[SgNode]]) -> bool:
    return len(set(map(len, children))) > 1


def _is_declared_name(node: SgNode) -> bool:
    """Return whether a node declares a name: how that is spelled does not matter if it is dropped.

    If something else used the name, the new text would not compile.
    """
    if not is_name(node):
        return False

    # In Python, an assignment declares what is on its left side.
    is_left = node.prev() is None and parent_kind(node) == "assignment"
    return is_left or _DECLARATOR.search(parent_kind(node)) is not None


def _is_whole_operand(node: SgNode) -> bool:
    if not is_expression(node):
        return False

    return not is_callee_or_member(node)


def _inner_span(node: SgNode) -> tuple[int, int]:
    """Return the span of what is in a block or a list, without its brackets."""
    start, end = span_of(node)
    spans = list(map(span_of, node.children()))
    if node.text().startswith(("{", "(")):
        spans = spans[1:-1]
        start, end = start + 1, start + 1

    if not spans:
        return start, end

    first, last = spans[0], spans[-1]
    return first[0], last[1]


def _writes_there(sample: Sample) -> bool:
    """Return whether a fix writes a name, a value or a type, and not only in lines of its own."""
    return any(map(is_content, sample.new_tokens)) and not sample.adds_lines


def _is_at_diagnostic(node: SgNode, sample: Sample) -> bool:
    return sample.is_at(span_of(node)) or sample.is_argument(node)


def _shares_name(node: SgNode, sample: Sample) -> bool:
    """Return whether the added text uses a name that is only a part of a node."""
    if sample.places_in_gap(node.text(), "", []):
        return False

    names = {token.text for token in sample.added_tokens if token.kind == "name"}
    return not names.isdisjoint(re.findall(r"\w+", node.text()))


def _is_carried(node: SgNode, sample: Sample) -> bool:
    span = span_of(node)
    if sample.is_untouched(span):
        return True

    if not sample.is_edited(span):
        return False

    return bool(sample.places_in_gap(node.text(), "", []))


def _sign(hole: Hole, names: dict[tuple[str, ...], str]) -> str:
    return ("$$$" if hole.run else "$") + names[hole.texts]


def _dedented(text: str, node: SgNode) -> str:
    column = node.range().start.column
    first, *others = text.split("\n")
    if any(line[:column].strip() for line in others):
        return text

    return "\n".join([first, *(line[column:] for line in others)])


def hole_names(holes: Sequence[Hole], samples: Sequence[Sample]) -> dict[tuple[str, ...], str]:
    """Return the name of each hole, by its texts: equal texts in all examples share a name."""
    names: dict[tuple[str, ...], str] = {}
    letters = iter(_LETTERS)
    arguments = list(zip(*(sample.diagnostic.args for sample in samples), strict=False))
    for hole in holes:
        if hole.texts in names:
            continue

        if hole.texts in arguments:
            names[hole.texts] = f"ARG{arguments.index(hole.texts)}"
        else:
            names[hole.texts] = next(letters, "Z")

    return names


def kinds_of(
    holes: Sequence[Hole], names: dict[tuple[str, ...], str]
) -> dict[str, tuple[str, ...]]:
    """Return the kinds that each hole may have, by its name."""
    kinds: dict[str, tuple[str, ...]] = {}
    for hole in holes:
        if hole.kinds:
            name = names[hole.texts]
            kinds[name] = tuple(dict.fromkeys([*kinds.get(name, ()), *hole.kinds]))

    return kinds
