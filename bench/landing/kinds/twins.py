"""Twins: the same block stands elsewhere, all but a name or a number, or all of it; only the right one may change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from bench.landing import drift as drifts
from bench.landing.cases import Case
from bench.landing.drawing import indents_tell, is_alone, is_plain, with_clone
from bench.landing.drift import Drift
from bench.landing.forms import (
    Form,
    Hunk,
    as_line_edits,
    as_patch,
    as_replace,
    file_header,
    write_line_edits,
    write_patch,
    write_patch_blindly,
    write_replace,
)
from bench.landing.grammar import (
    defined_name,
    indent_of,
    is_code,
    is_prose,
    misspelled,
    occurs_as_word,
    prose_words,
    swap_at,
)
from bench.landing.kinds.workshop import Maker, Workshop
from bench.landing.likeness import key, keys, strong_lines, windows
from bench.landing.mutations import Mutate, mutate_case, mutate_name, mutate_number, mutate_operator
from bench.landing.scene import Line, Scene, Script, kept, new_side, old_side
from bench.landing.true_edits import STEADY
from holdfast import LineEdit, LineEdits, Patch, Replace


def clear_target(form: Form, mutate: Mutate, drift: Drift | None = None) -> Maker:
    """The twin differs in one name or number, and the needle has the target's: it lands on the target."""

    def make(shop: Workshop) -> Case | None:
        pair = _unequal_pair(shop, mutate)
        drifted = drift(pair, shop.rng) if pair and drift else pair
        if drifted is None or not _stands_once(drifted):
            return None
        return shop.land(drifted, form(drifted, shop.rng))

    return make


def drifting_target(form: Form, mutate: Mutate, drift: Drift) -> Maker:
    """The needle has a slip beside a twin: landing on the target and refusing are both fine, the twin is not."""

    def make(shop: Workshop) -> Case | None:
        pair = _unequal_pair(shop, mutate)
        drifted = drift(pair, shop.rng) if pair else None
        if drifted is None or windows(drifted.before_lines, old_side(drifted.draft)) > 0:
            return None
        return shop.land(drifted, form(drifted, shop.rng), refuse_ok=True)

    return make


def third(form: Form, mutate: Mutate) -> Maker:
    """Where target and twin differ the needle says a third thing: nobody knows which is meant."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(STEADY, (1, 4))
        twin = _twin(scene, shop.rng, mutate) if scene else None
        if scene is None or twin is None:
            return None
        text = mutate(scene.draft[twin.at].text, shop.rng)
        if (
            text is None
            or key(text) in keys([*scene.before_lines, *twin.lines])
            or not _same_spot(scene, twin, text)
        ):
            return None
        drifted = with_clone(scene, twin.lines, shop.rng).drafted(
            _with_text(scene.draft, twin.at, text)
        )
        return shop.refuse(drifted, form(drifted, shop.rng)) if is_alone(scene) else None

    return make


def crossed(form: Form) -> Maker:
    """Target and twin differ on two lines of one kind, and the needle takes one from each."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(STEADY, (2, 4))
        if scene is None:
            return None
        mark = shop.rng.choice(" -")
        # A line that defines something rules its place out by itself, and then the other place is a fair choice.
        spots = [
            at
            for at in _code_spots(scene)
            if scene.true[at].mark == mark and not defined_name(scene.true[at].text)
        ]
        if len(spots) < 2:
            return None
        one, other = shop.rng.sample(spots, 2)
        first, second = (mutate_name(scene.true[at].text, shop.rng) for at in (one, other))
        if (
            first is None
            or second is None
            or {key(first), key(second)} & set(keys(scene.before_lines))
        ):
            return None
        twin = old_side(_with_text(_with_text(scene.true, one, first), other, second))
        drifted = with_clone(scene, twin, shop.rng).drafted(_with_text(scene.draft, one, first))
        return shop.refuse(drifted, form(drifted, shop.rng)) if is_alone(scene) else None

    return make


def prose_between(form: Form) -> Maker:
    """Target and twin differ in a word of prose, and the needle's word is neither."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(STEADY, (2, 5))
        at = _prose_spot(scene, shop.rng) if scene else None
        if scene is None or at is None:
            return None
        text = scene.true[at].text
        word = shop.rng.choice(prose_words(text))
        there, here = (misspelled(shop.rng, word.group()) for _ in range(2))
        if len({there, here, word.group()}) < 3 or occurs_as_word(here, scene.before_lines):
            return None
        twin = old_side(_with_text(scene.true, at, swap_at(text, word, there)))
        draft = _with_text(scene.draft, at, swap_at(text, word, here))
        drifted = with_clone(scene, twin, shop.rng).drafted(draft)
        return shop.refuse(drifted, form(drifted, shop.rng)) if is_alone(scene) else None

    return make


def deleted_target(form: Form, mutate: Mutate) -> Maker:
    """The target is gone and its twin stayed; they differ on a line that the edit removes."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(STEADY, (1, 4))
        twin = _twin(scene, shop.rng, mutate, marks="-") if scene else None
        if scene is None or twin is None or not is_alone(scene):
            return None
        lines = [*scene.above, *twin.lines, *scene.below]
        return shop.refuse(scene, form(scene, shop.rng), "\n".join(lines) + "\n")

    return make


# Full twins and numbers


def number_decides(
    write: Callable[[Scene], Patch | LineEdits | Replace], drift: Drift | None = None
) -> Maker:
    """Two equal places, and an exact line number picks one."""

    def make(shop: Workshop) -> Case | None:
        pair = _equal_pair(shop)
        drifted = drift(pair, shop.rng) if pair and drift else pair
        if drifted is None:
            return None
        return shop.land(drifted, write(drifted), refuse_ok=drift is not None)

    return make


def number_misleads(write: Callable[[Scene, int], Patch | LineEdits | Replace]) -> Maker:
    """Two equal places, and the line number is that of neither."""

    def make(shop: Workshop) -> Case | None:
        pair = _equal_pair(shop)
        if pair is None:
            return None
        shift = shop.rng.choice((-1, 1)) * shop.rng.randint(2, 12)
        if pair.start + shift < 1 or pair.start + shift in _starts(pair):
            return None
        return shop.refuse(pair, write(pair, shift))

    return make


def both_twins(shop: Workshop) -> Case | None:
    """Two equal places, and the edit changes both by their exact numbers."""
    pair = _equal_pair(shop)
    if pair is None:
        return None
    size = len(old_side(pair.true))
    starts = _starts(pair)
    lines = pair.before_lines
    first, second = (start - 1 for start in starts)
    if second < first + size:
        return None
    between = kept(lines[first + size : second])
    true = (*pair.true, *between, *pair.true)
    scene = Scene(pair.name, pair.lang, lines[:first], true, lines[second + size :], true)
    grown = len(pair.true) - sum(line.mark == "-" for line in pair.true) - size
    hunks = (Hunk(starts[0], starts[0], pair.true), Hunk(starts[1], starts[1] + grown, pair.true))
    if shop.rng.random() < 0.5:
        body = [part for hunk in hunks for part in (hunk.header, *hunk.body)]
        return shop.land(scene, Patch("\n".join([*file_header(pair.name), *body]) + "\n"))
    new, old = "\n".join(new_side(pair.true)), "\n".join(old_side(pair.true))
    edits = [LineEdit(start, start + size - 1, new, old) for start in starts]
    shop.rng.shuffle(edits)
    return shop.land(scene, LineEdits(tuple(edits)))


def applied_beside_twin(write: Callable[[Scene], Patch | LineEdits | Replace]) -> Maker:
    """The edit landed by its number; the second time the twin is the only place left, and must not be taken."""

    def make(shop: Workshop) -> Case | None:
        pair = _equal_pair(shop)
        return shop.refuse(pair, write(pair), pair.after) if pair else None

    return make


def near_line_unneeded(shop: Workshop) -> Case | None:
    """A wrong `near_line` does no harm where the text stands once."""
    scene = shop.scene(STEADY, (1, 3))
    if scene is None:
        return None
    wrong = max(1, scene.start + shop.rng.choice((-30, -3, 3, 30)))
    return shop.land(scene, replace(as_replace(scene), near_line=wrong))


def near_line_about(shop: Workshop) -> Case | None:
    """`near_line` is close to one of two equal places and far from the other."""
    pair = _equal_pair(shop)
    if pair is None:
        return None
    shift = shop.rng.choice((-2, -1, 1, 2))
    target = pair.start + shift
    others = [at for at in _starts(pair) if at != pair.start]
    if target < 1 or any(abs(at - target) < 10 * abs(shift) for at in others):
        return None
    return shop.land(pair, replace(as_replace(pair), near_line=target), refuse_ok=True)


def near_line_between(shop: Workshop) -> Case | None:
    """`near_line` is as far from one of two equal places as from the other."""
    pair = _equal_pair(shop)
    starts = _starts(pair) if pair else []
    if pair is None or len(starts) != 2 or sum(starts) % 2:
        return None
    return shop.refuse(pair, replace(as_replace(pair), near_line=sum(starts) // 2))


def deeper_twin(shop: Workshop) -> Case | None:
    """The twin differs only in its indentation, and the needle is exact."""
    scene = shop.scene(STEADY, (1, 3))
    if scene is None:
        return None
    pad = "\t" if any(indent_of(line).startswith("\t") for line in scene.before_lines) else "    "
    clone = [pad + line if line.strip() else line for line in old_side(scene.true)]
    pair = with_clone(scene, clone, shop.rng)
    edit = as_replace(pair)
    return shop.land(pair, edit, refuse_ok=True) if pair.before.count(edit.old) == 1 else None


def repeated_lines(shop: Workshop) -> Case | None:
    """Lines within the block repeat (imports, decorators, braces), and only some of them change."""
    scene = shop.scene(STEADY, (3, 6), fits=lambda one: is_plain(one) and _repeats(one.true))
    drifted = (
        drifts.trailing_blanks(scene, shop.rng) if scene and shop.rng.random() < 0.5 else scene
    )
    return shop.land(drifted, as_replace(drifted)) if drifted else None


@dataclass(frozen=True, slots=True)
class _Twin:
    """A block with one token changed, and the line of the script where."""

    lines: list[str]
    at: int


def _unequal_pair(shop: Workshop, mutate: Mutate) -> Scene | None:
    """A scene with a twin that differs in one token."""
    scene = shop.scene(STEADY, (1, 5), fits=_has_told_indents)
    twin = _twin(scene, shop.rng, mutate) if scene else None
    return with_clone(scene, twin.lines, shop.rng) if scene and twin else None


def _twin(scene: Scene, rng: Random, mutate: Mutate, marks: str = " -") -> _Twin | None:
    spots = [at for at in _code_spots(scene) if scene.true[at].mark in marks]
    if not spots:
        return None
    at = rng.choice(spots)
    text = mutate(scene.true[at].text, rng)
    if text is None or key(text) in keys(scene.before_lines):
        return None
    return _Twin(old_side(_with_text(scene.true, at, text)), at)


def _code_spots(scene: Scene) -> list[int]:
    return [
        at
        for at, line in enumerate(scene.true)
        if line.mark != "+" and is_code(line.text, scene.lang)
    ]


def _prose_spot(scene: Scene, rng: Random) -> int | None:
    context = [
        at
        for at, line in enumerate(scene.true)
        if line.mark == " " and is_prose(line.text, scene.lang)
    ]
    spots = [at for at in context if prose_words(scene.true[at].text)]
    return rng.choice(spots) if spots else None


def _with_text(script: Script, at: int, text: str) -> Script:
    return (*script[:at], Line(script[at].mark, text), *script[at + 1 :])


def _same_spot(scene: Scene, twin: _Twin, text: str) -> bool:
    """Whether needle, target and twin differ in the same place of the line, so that none is nearer by a token."""
    target = scene.true[twin.at].text
    other = twin.lines[len(old_side(scene.true[: twin.at]))]
    return _first_difference(target, text) == _first_difference(target, other)


def _first_difference(one: str, other: str) -> int:
    """The column of the word in which they begin to differ."""
    at = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    while at > 0 and (one[at - 1].isalnum() or one[at - 1] == "_"):
        at -= 1
    return at


def _has_told_indents(scene: Scene) -> bool:
    return is_plain(scene) and indents_tell(scene.true)


def _stands_once(scene: Scene) -> bool:
    return (
        windows(scene.before_lines, old_side(scene.true)) == 1
        and windows(scene.before_lines, old_side(scene.draft)) <= 1
    )


def _equal_pair(shop: Workshop) -> Scene | None:
    """A scene whose old lines stand exactly twice."""
    scene = shop.scene(
        STEADY, (1, 3), fits=lambda one: is_plain(one) and strong_lines(old_side(one.true)) >= 1
    )
    pair = with_clone(scene, old_side(scene.true), shop.rng) if scene else None
    if (
        pair is None
        or len(_starts(pair)) != 2
        or windows(pair.before_lines, old_side(pair.true)) != 2
    ):
        return None
    return pair


def _starts(scene: Scene) -> list[int]:
    lines, block = scene.before_lines, tuple(old_side(scene.true))
    return [at + 1 for at in range(len(lines)) if lines[at : at + len(block)] == block]


def _repeats(script: Script) -> bool:
    old = keys(old_side(script))
    return len(set(old)) < len(old)


def _near(scene: Scene, shift: int = 0) -> Replace:
    return replace(as_replace(scene), near_line=scene.start + shift)


KINDS: Final[dict[str, Maker]] = {
    "twin-name": clear_target(write_replace, mutate_name),
    "twin-number": clear_target(write_replace, mutate_number),
    "twin-case": clear_target(write_replace, mutate_case),
    "twin-operator": clear_target(write_replace, mutate_operator),
    "twin-operator-indent": clear_target(write_replace, mutate_operator, drifts.shifted_indent),
    "twin-case-trail": clear_target(write_replace, mutate_case, drifts.trailing_blanks),
    "twin-name-trail": clear_target(write_replace, mutate_name, drifts.trailing_blanks),
    "twin-name-indent": clear_target(write_replace, mutate_name, drifts.shifted_indent),
    "twin-number-indent": clear_target(write_replace, mutate_number, drifts.shifted_indent),
    "twin-name-quotes": clear_target(write_replace, mutate_name, drifts.typography),
    "twin-deeper": deeper_twin,
    "twin-typo": drifting_target(write_replace, mutate_name, drifts.soft_typos),
    "twin-stale": drifting_target(write_replace, mutate_name, drifts.stale_name),
    "twin-comment": drifting_target(write_replace, mutate_number, drifts.dropped_comment),
    "twin-blank": clear_target(write_replace, mutate_number, drifts.dropped_blank_line),
    "repeated-lines": repeated_lines,
    "near-line": number_decides(_near),
    "near-line-unneeded": near_line_unneeded,
    "near-line-about": near_line_about,
    "neg-near-line-between": near_line_between,
    "neg-twin-third-name": third(write_replace, mutate_name),
    "neg-twin-third-number": third(write_replace, mutate_number),
    "neg-twin-crossed": crossed(write_replace),
    "neg-twin-prose": prose_between(write_replace),
    "neg-twin-deleted-name": deleted_target(write_replace, mutate_name),
    "neg-twin-deleted-number": deleted_target(write_replace, mutate_number),
    "neg-applied-near-twin": applied_beside_twin(_near),
    "neg-twin-deleted-case": deleted_target(write_replace, mutate_case),
    "neg-twin-deleted-operator": deleted_target(write_replace, mutate_operator),
    "twins-both": both_twins,
    "ud-twin-name": clear_target(write_patch, mutate_name),
    "ud-twin-indent": clear_target(write_patch, mutate_number, drifts.shifted_indent),
    "ud-twin-typo": drifting_target(write_patch, mutate_name, drifts.soft_typos),
    "ud-dup-lineno": number_decides(as_patch),
    "ud-dup-lineno-drift": number_decides(as_patch, drifts.trailing_blanks),
    "ud-neg-twin-lineno": number_misleads(lambda scene, shift: as_patch(scene, shift=shift)),
    "ud-neg-twin-third": third(write_patch_blindly, mutate_name),
    "ud-neg-twin-third-number": third(write_patch_blindly, mutate_number),
    "ud-neg-twin-deleted": deleted_target(write_patch, mutate_name),
    "ud-neg-applied-twin": applied_beside_twin(as_patch),
    "le-twin-name": clear_target(write_line_edits, mutate_name),
    "le-dup-lineno": number_decides(as_line_edits),
    "le-dup-lineno-drift": number_decides(as_line_edits, drifts.trailing_blanks),
    "le-neg-twin-lineno": number_misleads(lambda scene, shift: as_line_edits(scene, shift=shift)),
    "le-neg-twin-deleted": deleted_target(write_line_edits, mutate_number),
    "le-neg-applied-twin": applied_beside_twin(as_line_edits),
}
