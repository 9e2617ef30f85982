"""Corners beyond the corpus: blank edges, odd characters, whole files, very short and very long needles, no context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Final

from bench.landing import drift as drifts
from bench.landing.cases import Case
from bench.landing.drawing import indents_tell, is_plain
from bench.landing.drift import Drift
from bench.landing.forms import as_patch, as_replace, file_header, hunk_of
from bench.landing.grammar import indent_of, is_prose
from bench.landing.kinds.replacing import drifting, is_clear, is_clear_by_indent, surely
from bench.landing.kinds.workshop import Maker, Workshop
from bench.landing.likeness import strong_lines, windows
from bench.landing.scene import Line, Scene, is_insertion, old_side
from bench.landing.true_edits import ALL, STEADY, Change, replace_line, wrap_in_if
from holdfast import Patch, Replace

_ODD: Final = ("\f", "\v", "\u2028", "\u2029", "\x85", "\x1c", "\x1e", "\U0001f600")
"""Characters at which `str.splitlines` breaks and a file's lines do not, and one outside the first plane."""


def blank_edges(shop: Workshop) -> Case | None:
    """The needle begins or ends with the file's own blank lines."""
    scene = shop.scene(ALL, (2, 5), fits=is_clear, trim=False)
    if scene is None or not (scene.draft[0].blank or scene.draft[-1].blank):
        return None
    return shop.land(scene, as_replace(scene, end=shop.rng.choice(("", "\n"))))


def added_blank_edges(shop: Workshop) -> Case | None:
    """The needle begins or ends with blank lines that are not the file's, in old and in new."""
    scene = shop.scene(context=(1, 4))
    if scene is None or scene.draft[0].mark != " " or scene.draft[-1].mark != " ":
        return None
    edit = as_replace(scene)
    head, tail = shop.rng.choice((("\n", ""), ("", "\n"), ("\n\n", "\n"), ("", "\n\n")))
    return shop.land(scene, Replace(head + edit.old + tail, head + edit.new + tail))


def blanks_behind_changed_line(shop: Workshop) -> Case | None:
    """A line that the edit replaces ends in blanks in the file; the new one may keep them or not."""
    scene = shop.scene((replace_line,), (1, 3))
    if scene is None:
        return None
    blanks = shop.rng.choice((" ", "  ", "\t"))
    filed = tuple(
        Line("-", line.text + blanks) if line.mark == "-" else line for line in scene.true
    )
    size = sum(line.mark == "+" for line in scene.true)
    also = [
        _with_endings(scene.filed(filed), ends).after for ends in product(("", blanks), repeat=size)
    ]
    return shop.land(scene.filed(filed), as_replace(scene), *also[1:])


def reindented(lines: Sequence[str], at: int, rng: Random, lang: str) -> Change | None:
    """An edit that only moves one to three lines to another depth."""
    del lang
    size = rng.randint(1, 3)
    block = lines[at : at + size]
    if len(block) < size or not all(line.strip() for line in block):
        return None
    step = "\t" if any(line.startswith("\t") for line in lines) else "    "
    inward = rng.random() < 0.5 or not all(line.startswith(step) for line in block)
    moved = [step + line if inward else line[len(step) :] for line in block]
    return Change(
        at, tuple(Line("-", line) for line in block) + tuple(Line("+", line) for line in moved)
    )


def stands_once(scene: Scene) -> bool:
    """Whether the old text stands once in the file; the new one may be the same but for its indentation."""
    return (
        strong_lines(old_side(scene.true)) >= 1
        and windows(scene.before_lines, old_side(scene.true)) == 1
    )


def tiny(drift: Drift) -> Maker:
    """A single line without any context, which stands once in the file.

    Where the line without its indentation is in the file to the letter, putting new for old is right as well: the text
    does not tell whether all lines of new lost their indentation or the first one only.
    """

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene((replace_line,), (0, 0), fits=is_clear_by_indent)
        drifted = drift(scene, shop.rng) if scene else None
        if drifted is None:
            return None
        edit = as_replace(drifted)
        at = drifted.before.find(edit.old)
        spliced = (
            [drifted.before[:at] + edit.new + drifted.before[at + len(edit.old) :]]
            if at >= 0
            else []
        )
        return shop.land(drifted, edit, *spliced)

    return make


def odd_characters(shop: Workshop) -> Case | None:
    """Characters that look like line ends and are not stand in a line of context, in the file and in the needle."""
    scene = shop.scene(context=(1, 4))
    spots = (
        [
            at
            for at, line in enumerate(scene.true)
            if line.mark == " " and len(line.text.strip()) > 8
        ]
        if scene
        else []
    )
    if scene is None or not spots:
        return None
    at = shop.rng.choice(spots)
    text = scene.true[at].text
    cut = shop.rng.randrange(len(indent_of(text)) + 1, len(text))
    line = Line(" ", text[:cut] + shop.rng.choice(_ODD) + text[cut:])
    true = (*scene.true[:at], line, *scene.true[at + 1 :])
    odd = scene.filed(true).drafted(true)
    drifted = drifts.trailing_blanks(odd, shop.rng) if shop.rng.random() < 0.5 else odd
    return shop.land(drifted, as_replace(drifted)) if drifted else None


def old_mac_newlines(shop: Workshop) -> Case | None:
    """The file's lines end in CR alone."""
    scene = shop.scene(ALL, fits=is_clear)
    case = shop.land(replace(scene, newline="\r"), as_replace(scene)) if scene else None
    return replace(case, region=None) if case else None


def whole_file(shop: Workshop) -> Case | None:
    """The needle is the whole file, exact or with blanks at the ends of its lines."""
    scene = shop.scene(
        ALL, (400, 400), fits=lambda one: is_clear(one) and not one.above and not one.below
    )
    if scene is None or len(scene.true) > 150:
        return None
    drifted = (
        drifts.trailing_blanks(scene, shop.rng)
        if shop.rng.random() < 0.5 and is_plain(scene)
        else scene
    )
    return shop.land(drifted, as_replace(drifted)) if drifted else None


def long_typos(scene: Scene, rng: Random) -> Scene | None:
    """A misspelled word in about every tenth line."""
    drifted: Scene | None = scene
    prose = sum(line.mark == " " and is_prose(line.text, scene.lang) for line in scene.draft)
    for _ in range(max(1, min(prose, len(scene.draft) // 10))):
        drifted = drifts.soft_typos(drifted, rng) if drifted else None
    return drifted


def without_context(shop: Workshop) -> Case | None:
    """A hunk of changed lines only, as `diff -U0` writes it; an insertion has nothing but its number."""
    scene = shop.scene(STEADY, (0, 0), fits=lambda one: is_insertion(one.true) or is_plain(one))
    if scene is None:
        return None
    if not is_insertion(scene.true):
        return shop.land(scene, as_patch(scene), refuse_ok=True)
    size = len(scene.true)
    header = f"@@ -{scene.start - 1},0 +{scene.start},{size} @@"
    patch = "\n".join([*file_header(scene.name), header, *hunk_of(scene).body]) + "\n"
    return shop.land(scene, Patch(patch), refuse_ok=True)


def at_the_border(shop: Workshop) -> Case | None:
    """Lines come before the first or behind the last line of the file."""
    source = shop.source()
    if source is None:
        return None
    new = tuple(
        Line("+", line)
        for line in (f"first_{shop.rng.randint(1, 99)}()", f"second_{shop.rng.randint(1, 99)}()")
    )
    size = shop.rng.randint(1, 3)
    lines = source.lines
    if shop.rng.random() < 0.5:
        true = new + tuple(Line(" ", line) for line in lines[:size])
        scene = Scene(source.name, source.lang, (), true, lines[size:], true)
    else:
        true = tuple(Line(" ", line) for line in lines[-size:]) + new
        scene = Scene(source.name, source.lang, lines[:-size], true, (), true)
    block = old_side(true)
    if (
        not is_plain(scene)
        or windows(lines, block) != 1
        or not block[0].strip()
        or not block[-1].strip()
    ):
        return None
    edit = as_patch(scene) if shop.rng.random() < 0.5 else as_replace(scene)
    return shop.land(scene, edit)


def _with_endings(scene: Scene, ends: tuple[str, ...]) -> Scene:
    """The scene whose new lines end in these blanks."""
    left = iter(ends)
    return scene.filed(
        Line("+", line.text + next(left)) if line.mark == "+" else line for line in scene.true
    )


def _told_clear(scene: Scene) -> bool:
    return is_clear(scene) and indents_tell(scene.true)


KINDS: Final[dict[str, Maker]] = {
    "blank-edges": blank_edges,
    "blank-edges-added": added_blank_edges,
    "trail-ws-file-changed": blanks_behind_changed_line,
    "reindent": drifting(lambda scene, _: scene, stands_once, (reindented,)),
    "reindent-trail": drifting(drifts.trailing_blanks, stands_once, (reindented,)),
    "reindent-crlf": drifting(drifts.crlf_in_file, stands_once, (reindented,)),
    "wrap-trail": drifting(drifts.trailing_blanks, is_clear, (wrap_in_if,)),
    "wrap-indent-shift": drifting(drifts.shifted_indent, _told_clear, (wrap_in_if,), (2, 4)),
    "wrap-tabs-to-spaces": drifting(drifts.tabs_to_spaces, _told_clear, (wrap_in_if,), (2, 4)),
    "wrap-spaces-to-tabs": drifting(drifts.spaces_to_tabs, _told_clear, (wrap_in_if,), (2, 4)),
    "tiny-shift": tiny(drifts.shifted_indent),
    "tiny-trail": tiny(drifts.trailing_blanks),
    "tiny-quotes": tiny(drifts.typography),
    "odd-characters": odd_characters,
    "cr-file": old_mac_newlines,
    "whole-file": whole_file,
    "long-trail": drifting(drifts.trailing_blanks, context=(15, 40)),
    "long-indent-shift": drifting(drifts.shifted_indent, is_clear_by_indent, context=(15, 40)),
    "long-typos": drifting(surely(long_typos), context=(15, 40)),
    "long-comment-dropped": drifting(surely(drifts.dropped_comment), context=(10, 30)),
    "ud-zero-context": without_context,
    "border": at_the_border,
}
