"""Make a rewrite of neighbouring tokens from examples, for a text that does not parse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.rules.match.token_pattern import class_of, constructs_at, is_last_of_line
from holdfast.rules.rule import END_OF_LINE, TokenRewrite
from holdfast.rules.tree_learner import Hole, hole_names, kinds_of
from holdfast.syntax.tokens import find_runs, texts_of, tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.rules.sample import Sample
    from holdfast.syntax.tokens import Token

_VALUES: Final = frozenset({"name", "number", "string"})
_OPERAND_ENDS: Final = _VALUES | {"close"}
_BRACKETS: Final = frozenset({")", "]", "}"})
_PLAIN: Final = frozenset(
    {"number", "string:text", "string:empty", "name:variable", "name:constant"}
)
"""The values that stand for each other beside a sign; digits in quotes may mean a number.

A name that is called or has members is only the beginning of an operand.
"""


def token_rewrite(samples: Sequence[Sample]) -> TokenRewrite | None:
    """Return the rewrite of the tokens around an edit; None if the samples differ in shape."""
    windows = list(map(_window, samples))
    lengths = {high - low for low, high in windows}
    line_ends = set(map(_ends_line, samples, windows))
    if len(lengths) != 1:
        return None

    if len(line_ends) != 1:
        return None

    news = list(map(_new_window, samples, windows))
    holes = _carried_holes(_holes(samples, windows), news, samples[0].source.language)
    if holes is None:
        return None

    # The caller applies the rule to all samples: one with another fix is found there.
    names = hole_names(holes, samples)
    return TokenRewrite(
        pattern=_token_pattern(samples[0], windows[0], holes, names),
        fix=_fix(news[0], holes, names, samples[0].source.language),
        kinds=kinds_of(holes, names),
        inside=_common_constructs(samples, windows),
    )


def _holes(samples: Sequence[Sample], windows: Sequence[tuple[int, int]]) -> list[Hole]:
    """Return the tokens that may be free: names and literals, and what differs."""
    holes: list[Hole] = []
    free = _OPERAND_ENDS
    if any(sample.is_choice for sample in samples):
        free = _VALUES

    numbers_of = [range(low, high) for low, high in windows]
    for numbers in zip(*numbers_of, strict=True):
        tokens = list(map(_token_at, samples, numbers))
        texts = tuple(texts_of(tokens))
        kinds = {token.kind for token in tokens}
        is_held = kinds.isdisjoint(free) and len(set(texts)) == 1
        if is_held:
            continue

        spans = tuple((token.start, token.end) for token in tokens)
        holes.append(Hole(spans, texts, _kinds_at(numbers, samples)))

    return holes


def _token_at(sample: Sample, number: int) -> Token:
    return sample.source.tokens[number]


def _kinds_at(numbers: Sequence[int], samples: Sequence[Sample]) -> tuple[str, ...]:
    """Return the kinds that a free token may have: the more a fix writes, the fewer."""
    if not any(sample.is_choice for sample in samples):
        return (*sorted(_VALUES), "close")

    kinds = tuple(dict.fromkeys(map(_class_of, samples, numbers)))
    if _PLAIN.isdisjoint(kinds):
        return kinds

    if any(sample.brings_words for sample in samples):
        return kinds

    return tuple(sorted(_PLAIN.union(kinds)))


def _class_of(sample: Sample, number: int) -> str:
    return class_of(sample.source.tokens, number)


def _kind_of(sample: Sample, number: int) -> str:
    return sample.source.tokens[number].kind


def _carried_holes(holes: Sequence[Hole], news: Sequence[str], language: str) -> list[Hole] | None:
    """Return the holes that the fix carries over; None if it drops something that differs."""
    kept: list[Hole] = []
    words = [set(texts_of(tokenize(new, language))) for new in news]

    for hole in holes:
        if all(map(set.__contains__, words, hole.texts)):
            kept.append(hole)
        elif len(set(hole.texts)) > 1:
            return None

    return kept


def _fix(new: str, holes: Sequence[Hole], names: dict[tuple[str, ...], str], language: str) -> str:
    """Return the new text of the first sample with holes for what is carried over."""
    for hole in holes:
        new = _with_hole(new, hole.texts[0], names[hole.texts], language)

    return new


def _common_constructs(
    samples: Sequence[Sample], windows: Sequence[tuple[int, int]]
) -> tuple[str, ...]:
    """Return the construct around that all examples have in common."""
    constructs = set()
    for sample, (low, _) in zip(samples, windows, strict=True):
        constructs.add(constructs_at(sample.source, low)[-1])

    if len(constructs) == 1:
        return tuple(constructs)

    return ()


def _window(sample: Sample) -> tuple[int, int]:
    """Return the tokens of an edit with a neighbour on each side, on the same line."""
    source = sample.source
    low, high = sample.first, sample.last
    is_below = "\n" in source.text[sample.low : sample.edit.start]
    begins_line = is_below and "\n" not in sample.gap[len(sample.gap.rstrip()) :]
    only_adds = low == high and not begins_line
    follows = only_adds or not is_last_of_line(source, low - 1)
    is_followed = high < len(source.tokens) and not is_last_of_line(source, high - 1)
    if low > 0 and follows:
        low -= 1

    if is_followed:
        high += 1

    return low, max(high, low + 1)


def _ends_line(sample: Sample, window: tuple[int, int]) -> bool:
    if window[1] != sample.last:
        return False

    return is_last_of_line(sample.source, window[1] - 1)


def _new_window(sample: Sample, window: tuple[int, int]) -> str:
    start = sample.source.tokens[window[0]].start
    end = sample.source.tokens[window[1] - 1].end
    if end > sample.low:
        end = max(end, sample.edit.end)

    new_end = end + sample.shift
    if end <= sample.high and window[1] == sample.last:
        new_end = sample.high + sample.shift

    return sample.body[start:new_end].rstrip()


def _token_pattern(
    sample: Sample,
    window: tuple[int, int],
    holes: Sequence[Hole],
    names: dict[tuple[str, ...], str],
) -> str:
    signs = {hole.spans[0][0]: f"${names[hole.texts]}" for hole in holes}
    tokens = sample.source.tokens[window[0] : window[1]]
    words = [signs.get(token.start, token.text) for token in tokens]

    if _ends_line(sample, window):
        words.append(f"${END_OF_LINE}")

    return " ".join(words)


def _with_hole(text: str, old: str, name: str, language: str) -> str:
    """Replace a run of tokens by a hole wherever it occurs; a bracket only at one end of a text."""
    if old in _BRACKETS and text.startswith(old):
        return f"${name}{text[len(old) :]}"

    if old in _BRACKETS:
        return f"{text.removesuffix(old)}${name}"

    words = texts_of(tokenize(old, language))
    runs = find_runs(tokenize(text, language), words)
    for run in reversed(runs):
        start, end = run[0].start, run[-1].end
        if not text[:start].rstrip().endswith("$"):
            text = f"{text[:start]}${name}{text[end:]}"

    return text
