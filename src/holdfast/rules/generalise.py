"""Make a pattern and a fix from examples: free is only what the examples allow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.rules.rule import END_OF_LINE, TokenRewrite, TreeRewrite
from holdfast.rules.sample import BLOCKS, Sample, is_operand
from holdfast.rules.token_pattern import construct_at, is_last_of_line
from holdfast.rules.tree_pattern import declared_type, kind_of_pattern
from holdfast.syntax.tokens import tokenize
from holdfast.syntax.tree import is_plain_string, span_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ast_grep_py import SgNode

_LITERAL: Final = re.compile(r"string|number|integer|float|char_literal|decimal|_literal$")
_NAME: Final = re.compile(r"^(?:identifier|(?:field|property|shorthand_property)_identifier)$")
_MEMBERS: Final = frozenset(
    {
        "attribute",
        "field_expression",
        "member_expression",
        "field_access",
        "method_invocation",
        "selector_expression",
        "scoped_identifier",
        "qualified_identifier",
    }
)
_CALLS: Final = frozenset(
    {"call", "call_expression", "method_invocation", "new_expression", "object_creation_expression"}
)
_FIXED_NAMES: Final = frozenset({"self", "cls", "this", "super"})
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MOST_LINE_BREAKS: Final = 3
_NEVER_FREE: Final = frozenset({"null", "true", "false", "none", "null_literal"})


@dataclass(frozen=True, slots=True)
class _Hole:
    """A part that is free: its span and its text in each example, and the kinds of its nodes."""

    spans: tuple[tuple[int, int], ...]
    texts: tuple[str, ...]
    kinds: tuple[str, ...]
    run: bool = False


# -------------------------------------------------------------------------------------- trees


def tree_rewrite(samples: Sequence[Sample]) -> TreeRewrite | None:
    """Return the rewrite of the smallest construct that explains all samples; None without one."""
    first, *others = samples
    for node in first.nodes():
        nodes = [node]
        for sample in others:
            same = [each for each in sample.nodes() if each.kind() == node.kind()]
            nodes += same[:1]
        if len(nodes) < len(samples):
            continue
        made = _rewrite_of(nodes, samples)
        if made is not None:
            return made
    return None


def _rewrite_of(nodes: Sequence[SgNode], samples: Sequence[Sample]) -> TreeRewrite | None:
    holes: list[_Hole] = []
    if not _align(nodes, samples, holes):
        return None
    names = _names_of(holes, samples)
    language = samples[0].source.language
    pattern = _pattern_text(nodes[0], holes, names)
    lone = len(holes) == 1 and pattern == f"${names[holes[0].texts]}"
    if not lone and kind_of_pattern(pattern, language) != nodes[0].kind():
        return None
    fixes = {
        _fix_text(each, sample, holes, names, number)
        for number, (each, sample) in enumerate(zip(nodes, samples, strict=True))
    }
    if len(fixes) != 1:
        return None
    here = all(sample.is_at(span_of(node)) for node, sample in zip(nodes, samples, strict=True))
    named = any(name.startswith("ARG") for name in names.values())
    if not here and not named:
        return None
    if pattern.count("\n") > _MOST_LINE_BREAKS:
        return None
    return TreeRewrite(
        pattern=pattern,
        fix=fixes.pop(),
        kinds=_kinds_of(holes, names),
        types=_types_of(holes, names, samples),
        inside=_parents(nodes) if is_operand(nodes[0], (-1, -1)) else (),
        elsewhere=not here,
    )


def _types_of(
    holes: Sequence[_Hole], names: dict[tuple[str, ...], str], samples: Sequence[Sample]
) -> dict[str, tuple[str, ...]]:
    """Return the declarations of the variables at an edit, where the message names no type."""
    types: dict[str, tuple[str, ...]] = {}
    if any(sample.diagnostic.args for sample in samples):
        return types
    for hole in holes:
        spans = zip(samples, hole.spans, strict=True)
        if hole.run or not all(sample.touches(span) for sample, span in spans):
            continue
        pairs = zip(samples, hole.texts, strict=True)
        found = [declared_type(sample.source, text) for sample, text in pairs]
        known = tuple(dict.fromkeys(each for each in found if each is not None))
        if known and None not in found:
            types[names[hole.texts]] = known
    return types


def _parents(nodes: Sequence[SgNode]) -> tuple[str, ...]:
    parents = (node.parent() for node in nodes)
    return tuple(dict.fromkeys(parent.kind() for parent in parents if parent is not None))


def _align(nodes: Sequence[SgNode], samples: Sequence[Sample], holes: list[_Hole]) -> bool:
    """Collect the parts that are free; return False if the nodes differ where nothing may."""
    kinds = {node.kind() for node in nodes}
    texts = {node.text() for node in nodes}
    children = [node.children() for node in nodes]
    if len(kinds) == 1 and _is_run(nodes, samples):
        return _add_run(children, holes)
    if len(kinds) == 1 and _is_atom(nodes[0], children[0]):
        if len(texts) > 1 or _is_free(nodes[0], samples[0]):
            return _add_hole(nodes, samples, holes)
        return True
    if len(kinds) == 1 and len({len(each) for each in children}) == 1:
        return all(_align(each, samples, holes) for each in zip(*children, strict=True))
    return _add_hole(nodes, samples, holes)


def _is_atom(node: SgNode, children: list[SgNode]) -> bool:
    return not children or is_plain_string(node.kind(), children)


def _is_run(nodes: Sequence[SgNode], samples: Sequence[Sample]) -> bool:
    """Return whether these are blocks in brackets that no edit and no diagnostic touches."""
    if nodes[0].kind() not in BLOCKS or not nodes[0].text().startswith("{"):
        return False
    for node, sample in zip(nodes, samples, strict=True):
        start, end = span_of(node)
        if start < sample.high and sample.low < end:
            return False
    return True


def _add_run(children: Sequence[list[SgNode]], holes: list[_Hole]) -> bool:
    insides = [each[1:-1] for each in children]
    if not all(insides):
        return False
    spans = tuple((span_of(each[0])[1], span_of(each[-1])[0]) for each in children)
    holes.append(_Hole(spans, tuple(f"{{block {len(holes)}}}" for _ in spans), (), run=True))
    return True


def _add_hole(nodes: Sequence[SgNode], samples: Sequence[Sample], holes: list[_Hole]) -> bool:
    for node, sample in zip(nodes, samples, strict=True):
        if not node.is_named():
            return False
        start, end = span_of(node)
        partly = start < sample.edit.end and sample.edit.start < end
        if partly and not sample.is_edited(start, end):
            return False
        if partly and sample.edit.end > sample.edit.start and not _carries(sample, node.text()):
            return False
    spans = tuple(span_of(node) for node in nodes)
    texts = tuple(node.text() for node in nodes)
    holes.append(_Hole(spans, texts, tuple(dict.fromkeys(node.kind() for node in nodes))))
    return True


def _carries(sample: Sample, text: str) -> bool:
    words = [token.text for token in tokenize(text, sample.source.language)]
    added = [token.text for token in sample.added_tokens]
    return any(added[at : at + len(words)] == words for at in range(len(added)))


def _is_free(node: SgNode, sample: Sample) -> bool:
    """Return whether one example frees a leaf: a name or a literal that the fix carries over."""
    text, kind = node.text(), node.kind()
    start, end = span_of(node)
    # `number` is a keyword of TypeScript, and the kind of a literal elsewhere.
    is_fixed = not node.is_named() or kind in _NEVER_FREE or text in _FIXED_NAMES
    is_lost = sample.is_edited(start, end) and not sample.carries(text)
    if is_fixed or is_lost:
        return False
    if _LITERAL.search(kind):
        return True
    if not _NAME.match(kind):
        return False
    if _is_callee_or_member(node):
        return not sample.brings_content and text not in sample.diagnostic.args
    return True


def _is_callee_or_member(node: SgNode) -> bool:
    parent = node.parent()
    if parent is None:
        return False
    siblings = parent.children()
    at = [span_of(each) for each in siblings].index(span_of(node))
    following = siblings[at + 1].kind() if at + 1 < len(siblings) else ""
    if parent.kind() in _CALLS and following in {"argument_list", "arguments"}:
        return True
    return parent.kind() in _MEMBERS and at > 0


def _names_of(holes: Sequence[_Hole], samples: Sequence[Sample]) -> dict[tuple[str, ...], str]:
    """Return the name of each hole, by its texts: equal texts in all examples share a name."""
    names: dict[tuple[str, ...], str] = {}
    letters = iter(_LETTERS)
    for hole in holes:
        if hole.texts in names:
            continue
        number = _argument_number(hole.texts, samples)
        names[hole.texts] = f"ARG{number}" if number is not None else next(letters, "Z")
    return names


def _argument_number(texts: tuple[str, ...], samples: Sequence[Sample]) -> int | None:
    arguments = [sample.diagnostic.args for sample in samples]
    for number, values in enumerate(zip(*arguments, strict=False)):
        if values == texts:
            return number
    return None


def _pattern_text(node: SgNode, holes: Sequence[_Hole], names: dict[tuple[str, ...], str]) -> str:
    base, _ = span_of(node)
    text = node.text()
    for hole in sorted(holes, key=lambda hole: hole.spans[0], reverse=True):
        start, end = hole.spans[0]
        sign = "$$$" if hole.run else "$"
        text = text[: start - base] + sign + names[hole.texts] + text[end - base :]
    return _dedented(text, node)


def _fix_text(
    node: SgNode,
    sample: Sample,
    holes: Sequence[_Hole],
    names: dict[tuple[str, ...], str],
    number: int,
) -> str:
    """Return the new text of a node with holes for the texts that are carried over."""
    new = sample.new_text(node)
    for hole in holes:
        if hole.run:
            start, end = hole.spans[number]
            inside = sample.source.text[start:end]
            new = new.replace(inside, f"$$${names[hole.texts]}", 1)
    whole = [hole for hole in holes if not hole.run]
    for hole in sorted(whole, key=lambda hole: len(hole.texts[number]), reverse=True):
        new = _with_hole(new, hole.texts[number], names[hole.texts], sample.source.language)
    return _dedented(new, node)


def _with_hole(text: str, old: str, name: str, language: str) -> str:
    """Replace a run of tokens by a hole wherever it occurs."""
    words = [token.text for token in tokenize(old, language)]
    tokens = tokenize(text, language)
    starts = []
    for at in range(len(tokens) - len(words) + 1):
        run = tokens[at : at + len(words)]
        is_hole = at > 0 and tokens[at - 1].text == "$"
        if [token.text for token in run] == words and not is_hole:
            starts.append((run[0].start, run[-1].end))
    for start, end in reversed(starts):
        text = f"{text[:start]}${name}{text[end:]}"
    return text


def _dedented(text: str, node: SgNode) -> str:
    column = node.range().start.column
    indent = " " * column
    lines = text.split("\n")
    if all(line.startswith(indent) or not line.strip() for line in lines[1:]):
        lines[1:] = [line[column:] for line in lines[1:]]
    return "\n".join(lines)


def _kinds_of(
    holes: Sequence[_Hole], names: dict[tuple[str, ...], str]
) -> dict[str, tuple[str, ...]]:
    kinds: dict[str, tuple[str, ...]] = {}
    for hole in holes:
        if hole.kinds:
            name = names[hole.texts]
            kinds[name] = tuple(dict.fromkeys([*kinds.get(name, ()), *hole.kinds]))
    return kinds


# ------------------------------------------------------------------------------------- tokens


def token_rewrite(samples: Sequence[Sample]) -> TokenRewrite | None:
    """Return the rewrite of the tokens around an edit; None if the samples differ in shape."""
    windows = [_window(sample) for sample in samples]
    if len({high - low for low, high in windows}) != 1:
        return None
    if (
        len({_ends_line(sample, window) for sample, window in zip(samples, windows, strict=True)})
        != 1
    ):
        return None
    holes: list[_Hole] = []
    columns = [
        sample.source.tokens[low:high] for sample, (low, high) in zip(samples, windows, strict=True)
    ]
    for tokens in zip(*columns, strict=True):
        kinds = tuple(dict.fromkeys(token.kind for token in tokens))
        texts = tuple(token.text for token in tokens)
        free = set(kinds) <= {"name", "number", "string"}
        if free or len(set(texts)) > 1:
            spans = tuple((token.start, token.end) for token in tokens)
            holes.append(_Hole(spans, texts, kinds))
    return _token_rewrite_of(samples, windows, holes)


def _token_rewrite_of(
    samples: Sequence[Sample], windows: Sequence[tuple[int, int]], holes: list[_Hole]
) -> TokenRewrite | None:
    kept: list[_Hole] = []
    news = [_new_window(sample, window) for sample, window in zip(samples, windows, strict=True)]
    for hole in holes:
        carried = all(
            _has(new, text, samples[0]) for new, text in zip(news, hole.texts, strict=True)
        )
        if carried:
            kept.append(hole)
        elif len(set(hole.texts)) > 1:
            return None
    names = _names_of(kept, samples)
    fixes = set()
    for number, (new, sample) in enumerate(zip(news, samples, strict=True)):
        fix = new
        for hole in kept:
            fix = _with_hole(fix, hole.texts[number], names[hole.texts], sample.source.language)
        fixes.add(fix)
    if len(fixes) != 1:
        return None
    return TokenRewrite(
        pattern=_token_pattern(samples[0], windows[0], kept, names),
        fix=fixes.pop(),
        kinds=_kinds_of(kept, names),
        inside=tuple(
            dict.fromkeys(
                construct_at(sample.source, low)
                for sample, (low, _) in zip(samples, windows, strict=True)
            )
        ),
    )


def _window(sample: Sample) -> tuple[int, int]:
    """Return the tokens of an edit with a neighbour on each side, on the same line."""
    source = sample.source
    low, high = sample.first, sample.last
    has_left = low > 0 and not is_last_of_line(source, low - 1)
    if low > 0 and (has_left or low == high):
        low -= 1
    if high < len(source.tokens) and not is_last_of_line(source, high - 1):
        high += 1
    return low, max(high, low + 1)


def _ends_line(sample: Sample, window: tuple[int, int]) -> bool:
    return window[1] == sample.last and is_last_of_line(sample.source, window[1] - 1)


def _new_window(sample: Sample, window: tuple[int, int]) -> str:
    start = sample.source.tokens[window[0]].start
    end = sample.source.tokens[window[1] - 1].end
    if end > sample.low:
        end = max(end, sample.edit.end)
    new_end = end + sample.shift
    if end <= sample.high and window[1] == sample.last:
        new_end = sample.high + sample.shift
    return sample.body[start:new_end].rstrip()


def _has(new: str, text: str, sample: Sample) -> bool:
    return any(token.text == text for token in tokenize(new, sample.source.language))


def _token_pattern(
    sample: Sample,
    window: tuple[int, int],
    holes: Sequence[_Hole],
    names: dict[tuple[str, ...], str],
) -> str:
    by_start = {hole.spans[0][0]: names[hole.texts] for hole in holes}
    words = []
    for token in sample.source.tokens[window[0] : window[1]]:
        name = by_start.get(token.start)
        words.append(f"${name}" if name else token.text)
    if _ends_line(sample, window):
        words.append(f"${END_OF_LINE}")
    return " ".join(words)
