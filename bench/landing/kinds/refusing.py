"""Edits that must not land: absent, ambiguous, stale, applied already, cutting a token."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Final

from bench.landing import drift as drifts
from bench.landing.cases import Case
from bench.landing.drawing import is_alone, is_plain, with_clone
from bench.landing.drift import Drift
from bench.landing.forms import (
    Form,
    as_replace,
    write_line_edits,
    write_patch,
    write_patch_blindly,
    write_replace,
)
from bench.landing.grammar import (
    defined_name,
    is_code,
    occurs_as_word,
    other_name,
    swap_at,
)
from bench.landing.kinds.diffing import several_hunks
from bench.landing.kinds.replacing import is_clear
from bench.landing.kinds.workshop import Maker, Workshop
from bench.landing.likeness import key, keys, strong_lines, windows
from bench.landing.mutations import (
    Mutate,
    mutate_call,
    mutate_case,
    mutate_name,
    mutate_number,
    mutate_operator,
    mutate_string,
)
from bench.landing.scene import Line, Scene, Script, added, is_insertion, kept, new_side, old_side
from bench.landing.true_edits import INSERTIONS, REPLACEMENTS, STEADY, rename_local, statement
from holdfast import Patch, Replace

# Not there


def absent(form: Form) -> Maker:
    """The text belongs to another file."""

    def make(shop: Workshop) -> Case | None:
        scene, host = shop.scene(context=(2, 4)), shop.source()
        if scene is None or host is None or strong_lines(old_side(scene.true)) < 2:
            return None
        here = set(keys(host.lines))
        if any(found in here for found in keys(old_side(scene.true)) if len(found) >= 6):
            return None
        before = "\n".join(host.lines) + "\n"
        return shop.refuse(
            Scene(host.name, host.lang, (), (), host.lines, ()), form(scene, shop.rng), before
        )

    return make


def renamed(form: Form) -> Maker:
    """The needle names another function than the one that stands there."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(context=(1, 6))
        drifted = _rename_definition(scene, shop.rng) if scene else None
        return (
            shop.refuse(drifted, form(drifted, shop.rng)) if drifted and is_alone(drifted) else None
        )

    return make


def similar(form: Form) -> Maker:
    """A sibling stands there: the definition and another line differ."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(context=(1, 6))
        drifted = _rename_definition(scene, shop.rng) if scene else None
        twice = drifts.stale_name(drifted, shop.rng) if drifted else None
        return shop.refuse(twice, form(twice, shop.rng)) if twice and is_alone(twice) else None

    return make


# Stale


def stale_removal(form: Form, mutate: Mutate) -> Maker:
    """A line that the edit removes reads otherwise in the file: somebody changed it meanwhile."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(STEADY, (1, 4))
        drifted = _mutated_removal(scene, shop.rng, mutate) if scene else None
        return (
            shop.refuse(drifted, form(drifted, shop.rng)) if drifted and is_alone(drifted) else None
        )

    return make


def half_applied(form: Form) -> Maker:
    """The first of two changes is in the file already, the second is not."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene((rename_local,), (1, 3))
        news = [at for at, line in enumerate(scene.true) if line.mark == "+"] if scene else []
        if scene is None or len(news) < 2:
            return None
        done = shop.rng.choice(news)
        lines = [
            line.text
            for at, line in enumerate(scene.true)
            if (line.mark == "+" and at == done) or (line.mark != "+" and at != done - 1)
        ]
        before = "\n".join([*scene.above, *lines, *scene.below]) + "\n"
        return shop.refuse(scene, form(scene, shop.rng), before) if is_alone(scene) else None

    return make


def one_hunk_stale(shop: Workshop) -> Case | None:
    """One hunk of several does not fit any more: all or nothing."""
    found = several_hunks()(shop)
    if found is None or not isinstance(found.edit, Patch):
        return None
    lines = found.edit.diff.split("\n")
    spots = [
        at
        for at, line in enumerate(lines)
        if at > 2 and line.startswith("-") and is_code(line[1:], found.lang)
    ]
    if not spots:
        return None
    at = shop.rng.choice(spots)
    text = mutate_name(lines[at][1:], shop.rng) or mutate_number(lines[at][1:], shop.rng)
    if text is None or key(text) in keys(found.before.split("\n")):
        return None
    diff = "\n".join([*lines[:at], "-" + text, *lines[at + 1 :]])
    return replace(found, polarity="refuse", expected=(), region=None, edit=Patch(diff))


# In several places


def duplicate(form: Form, drift: Drift | None = None) -> Maker:
    """The region stands a second time in the file, exactly."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(context=(1, 4))
        drifted = drift(scene, shop.rng) if scene and drift else scene
        if drifted is None:
            return None
        cloned = with_clone(drifted, old_side(drifted.true), shop.rng)
        return shop.refuse(cloned, form(cloned, shop.rng))

    return make


def natural_duplicate(form: Form) -> Maker:
    """The file itself has the lines in several places."""

    def make(shop: Workshop) -> Case | None:
        source = shop.source()
        block = _repeated_block(source.lines, shop.rng) if source else None
        if source is None or block is None:
            return None
        start, size = block
        lines = source.lines[start : start + size]
        cut = shop.rng.randint(1, size - 1)
        new = [statement(shop.rng, source.lang, "    ")]
        true = kept(lines[:cut]) + added(new) + kept(lines[cut:])
        scene = Scene(
            source.name, source.lang, source.lines[:start], true, source.lines[start + size :], true
        )
        return shop.refuse(scene, form(scene, shop.rng))

    return make


# Applied already


def applied(form: Form, drift: Drift | None = None) -> Maker:
    """The edit is landed a second time on the file that it made."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(STEADY, (1, 4), fits=_second_time_is_clear)
        drifted = drift(scene, shop.rng) if scene and drift else scene
        return shop.refuse(drifted, form(drifted, shop.rng), drifted.after) if drifted else None

    return make


def applied_insertion(form: Form) -> Maker:
    """The context still stands there once, and right beside it what was to be inserted."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(INSERTIONS, (2, 4), fits=_second_time_is_clear)
        if scene is None or not is_insertion(scene.true):
            return None
        first = next(at for at, line in enumerate(scene.true) if line.mark == "+")
        size = sum(line.mark == "+" for line in scene.true)
        context_above = shop.rng.random() < 0.5
        draft = scene.true[: first + size] if context_above else scene.true[first:]
        if strong_lines(old_side(draft)) == 0:
            return None
        return shop.refuse(scene, form(_narrowed(scene, draft, first), shop.rng), scene.after)

    return make


# Cutting a token


def cuts_end(shop: Workshop) -> Case | None:
    """`timeout = 10` where the file has `timeout = 100`."""
    scene = shop.scene(
        REPLACEMENTS, (0, 2), fits=lambda one: is_clear(one) and not _context_below(one)
    )
    if scene is None:
        return None
    text = next(line.text for line in scene.true if line.mark == "-")
    ends = [found.end() for found in re.finditer(r"\d{2,}(?!\w)|[^\W\d]\w{4,}(?!\w)", text)]
    if not ends:
        return None
    cut = shop.rng.choice(ends) - shop.rng.randint(1, 1)
    above = [line.text for line in scene.true if line.mark == " "]
    return _cutting(shop, scene, above, text[:cut])


def cuts_start(shop: Workshop) -> Case | None:
    """`out = 10` where the file has `timeout = 10`."""
    scene = shop.scene(REPLACEMENTS, (0, 0), fits=is_clear)
    if scene is None:
        return None
    text = next(line.text for line in scene.true if line.mark == "-")
    starts = [found.start() for found in re.finditer(r"(?<!\w)(?:\d{2,}|[^\W\d]\w{4,})", text)]
    if not starts:
        return None
    cut = shop.rng.choice(starts) + shop.rng.randint(1, 2)
    return _cutting(shop, scene, [], text[cut:])


# Nothing to go by


def blank_old(shop: Workshop) -> Case | None:
    """The old text is empty or blank."""
    scene = shop.scene()
    if scene is None:
        return None
    return shop.refuse(
        scene, Replace(shop.rng.choice(("", " ", "\n", "\n\n", "    ", "\t")), "x = 1\n")
    )


def unpaired_elision(shop: Workshop) -> Case | None:
    """The new text has a line of dots that the old one has not: lines would be lost."""
    scene = shop.scene(REPLACEMENTS, (3, 6))
    drifted = drifts.elided(scene, shop.rng) if scene else None
    if scene is None or drifted is None:
        return None
    return shop.refuse(scene, Replace(as_replace(scene).old, as_replace(drifted).new))


# Parts


def _definition_above_change(script: Script) -> int | None:
    first = next(at for at, line in enumerate(script) if line.mark != " ")
    spots = [at for at in range(first) if defined_name(script[at].text)]
    return spots[-1] if spots else None


def _rename_definition(scene: Scene, rng: Random) -> Scene | None:
    """The needle gives the definition above the change another name."""
    at = _definition_above_change(scene.draft)
    if at is None:
        return None
    text = scene.draft[at].text
    name = defined_name(text)
    if name is None or len(name) < 4 or name.startswith("__"):
        return None
    other = other_name(rng, name)
    found = re.search(rf"(?<!\w){name}(?!\w)", text)
    if found is None or occurs_as_word(other, scene.before_lines):
        return None
    line = Line(" ", swap_at(text, found, other))
    return scene.drafted((*scene.draft[:at], line, *scene.draft[at + 1 :]))


def _mutated_removal(scene: Scene, rng: Random, mutate: Mutate) -> Scene | None:
    spots = [
        at
        for at, line in enumerate(scene.draft)
        if line.mark == "-" and is_code(line.text, scene.lang)
    ]
    if not spots:
        return None
    at = rng.choice(spots)
    text = mutate(scene.draft[at].text, rng)
    if text is None or text.lstrip().startswith(("#", "//")):
        return None
    mutated = (*scene.draft[:at], Line("-", text), *scene.draft[at + 1 :])
    if key(text) in keys(new_side(scene.draft)) or key(text) in keys(scene.before_lines):
        return None
    return scene.drafted(mutated) if windows(scene.before_lines, old_side(mutated)) == 0 else None


def _second_time_is_clear(scene: Scene) -> bool:
    """Whether nobody could mean the edit a second time: old is gone, or what was added stands beside it."""
    if not is_plain(scene):
        return False
    if is_insertion(scene.true):
        coming = [line.text for line in scene.true if line.mark == "+"]
        return strong_lines(coming) == len(coming)
    return windows(scene.after_lines, old_side(scene.true)) == 0


def _narrowed(scene: Scene, draft: Script, first: int) -> Scene:
    """The scene whose region is only the draft, so that line numbers fit."""
    top = 0 if draft[0] == scene.true[0] else first
    above = (*scene.above, *old_side(scene.true[:top]))
    rest = scene.true[top + len(draft) :]
    return Scene(scene.name, scene.lang, above, draft, (*old_side(rest), *scene.below), draft)


def _repeated_block(lines: Sequence[str], rng: Random) -> tuple[int, int] | None:
    places: dict[tuple[str, ...], list[int]] = {}
    size = rng.randint(2, 4)
    for at in range(len(lines) - size):
        block = tuple(lines[at : at + size])
        if block[0].strip() and block[-1].strip() and strong_lines(block) >= 1:
            places.setdefault(block, []).append(at)
    repeated = [found for found in places.values() if len(found) > 1]
    return (rng.choice(rng.choice(repeated)), size) if repeated else None


def _context_below(scene: Scene) -> bool:
    return scene.true[-1].mark == " "


def _cutting(shop: Workshop, scene: Scene, above: list[str], cut: str) -> Case | None:
    """An edit of the cut text, which stands nowhere in the file as whole words."""
    changed = mutate_number(cut, shop.rng) or mutate_name(cut, shop.rng)
    if changed is None or not cut.strip() or len(cut.strip()) < 4:
        return None
    whole = re.compile(rf"(?<!\w){re.escape(cut.strip())}(?!\w)")
    if whole.search(scene.before) or cut not in scene.before:
        return None
    return shop.refuse(scene, Replace("\n".join([*above, cut]), "\n".join([*above, changed])))


KINDS: Final[dict[str, Maker]] = {
    "neg-absent": absent(write_replace),
    "neg-dup-exact": natural_duplicate(write_replace),
    "neg-dup-cloned": duplicate(write_replace),
    "neg-dup-fuzzy": duplicate(write_replace, drifts.SLIGHT),
    "neg-dup-mixed": duplicate(write_replace, drifts.MIXED),
    "neg-similar": similar(write_replace),
    "neg-renamed": renamed(write_replace),
    "neg-applied": applied(write_replace),
    "neg-applied-drifted": applied(write_replace, drifts.ANY),
    "neg-applied-mixed": applied(write_replace, drifts.MIXED),
    "neg-applied-insert": applied_insertion(write_replace),
    "neg-stale-minus": stale_removal(write_replace, mutate_call),
    "neg-mutated-name": stale_removal(write_replace, mutate_name),
    "neg-mutated-number": stale_removal(write_replace, mutate_number),
    "neg-mutated-case": stale_removal(write_replace, mutate_case),
    "neg-mutated-operator": stale_removal(write_replace, mutate_operator),
    "neg-mutated-string": stale_removal(write_replace, mutate_string),
    "neg-half-applied": half_applied(write_replace),
    "neg-token-end": cuts_end,
    "neg-token-start": cuts_start,
    "neg-blank-old": blank_old,
    "neg-elision-unpaired": unpaired_elision,
    "ud-neg-absent": absent(write_patch),
    "ud-neg-dup": natural_duplicate(write_patch_blindly),
    "ud-neg-dup-cloned": duplicate(write_patch_blindly),
    "ud-neg-dup-fuzzy": duplicate(write_patch_blindly, drifts.SLIGHT),
    "ud-neg-similar": similar(write_patch),
    "ud-neg-renamed": renamed(write_patch),
    "ud-neg-applied": applied(write_patch),
    "ud-neg-applied-drifted": applied(write_patch, drifts.ANY),
    "ud-neg-applied-mixed": applied(write_patch, drifts.MIXED),
    "ud-neg-applied-insert": applied_insertion(write_patch),
    "ud-neg-stale-minus": stale_removal(write_patch, mutate_call),
    "ud-neg-mutated-name": stale_removal(write_patch, mutate_name),
    "ud-neg-mutated-number": stale_removal(write_patch, mutate_number),
    "ud-neg-mutated-case": stale_removal(write_patch, mutate_case),
    "ud-neg-mutated-operator": stale_removal(write_patch, mutate_operator),
    "ud-neg-half-applied": half_applied(write_patch),
    "ud-neg-one-hunk-stale": one_hunk_stale,
    "le-neg-mutated-case": stale_removal(write_line_edits, mutate_case),
    "le-neg-mutated-operator": stale_removal(write_line_edits, mutate_operator),
    "le-neg-half-applied": half_applied(write_line_edits),
    "le-neg-absent": absent(write_line_edits),
    "le-neg-renamed": renamed(write_line_edits),
    "le-neg-applied": applied(write_line_edits),
    "le-neg-applied-mixed": applied(write_line_edits, drifts.MIXED),
    "le-neg-applied-insert": applied_insertion(write_line_edits),
    "le-neg-stale-minus": stale_removal(write_line_edits, mutate_call),
    "le-neg-mutated-name": stale_removal(write_line_edits, mutate_name),
    "le-neg-mutated-number": stale_removal(write_line_edits, mutate_number),
}
