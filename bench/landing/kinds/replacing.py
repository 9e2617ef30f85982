"""Text for text: the needle drifts, the file's own lines must survive."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Final

from bench.landing import drift as drifts
from bench.landing import mangling as manglings
from bench.landing import words
from bench.landing.cases import Case
from bench.landing.drawing import indents_tell, is_plain, is_unrivalled
from bench.landing.drift import Drift
from bench.landing.forms import as_replace
from bench.landing.grammar import identifiers
from bench.landing.kinds.workshop import Maker, Workshop
from bench.landing.likeness import keys, strong_lines, windows
from bench.landing.mangling import Mangling
from bench.landing.parsing import breaks_syntax
from bench.landing.scene import Scene, kept, new_side, old_side
from bench.landing.true_edits import ALL, REPLACEMENTS, STEADY, TrueEdit
from holdfast import Replace

_DOTS: Final = re.compile(r"\W*\.\.\.\W*$")


def is_clear(scene: Scene) -> bool:
    """Whether the old text stands once in the file and the new one not at all."""
    before = scene.before_lines
    old, new = old_side(scene.true), new_side(scene.true)
    return strong_lines(old) >= 1 and windows(before, old) == 1 and windows(before, new) == 0


def is_clear_by_indent(scene: Scene) -> bool:
    """Plain, and the old lines show how the new ones are to be indented."""
    return is_plain(scene) and indents_tell(scene.true)


def surely(drift: Drift) -> Drift:
    """The drift, where no other place comes near and the file stays a program: a slip or two leave no doubt."""

    def drift_surely(scene: Scene, rng: Random) -> Scene | None:
        # A line of dots in the file itself would be taken for a gap.
        if any(_DOTS.match(line.text) for line in scene.draft):
            return None
        drifted = drift(scene, rng)
        if (
            drifted is None
            or not is_unrivalled(scene)
            or breaks_syntax(scene.lang, scene.before, scene.after)
        ):
            return None
        return drifted

    return drift_surely


def drifting(
    drift: Drift,
    fits: Callable[[Scene], bool] = is_plain,
    edits: Sequence[TrueEdit] = STEADY,
    context: tuple[int, int] = (1, 4),
    lang: str | None = None,
) -> Maker:
    """The needle drifts and the edit lands."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(edits, context, lang, fits)
        drifted = drift(scene, shop.rng) if scene else None
        if drifted is None or windows(drifted.before_lines, old_side(drifted.draft)) > 1:
            return None
        return shop.land(drifted, as_replace(drifted, end=shop.rng.choice(("", "\n"))))

    return make


def mangling(
    mangle: Mangling,
    drift: Drift | None = None,
    fits: Callable[[Scene], bool] = is_clear,
    edits: Sequence[TrueEdit] = ALL,
) -> Maker:
    """The needle arrives mangled and the edit lands."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(edits, fits=fits)
        if scene and drift:
            scene = drift(scene, shop.rng)
        if scene is None or breaks_syntax(scene.lang, scene.before, scene.after):
            return None
        plain = as_replace(scene, end=shop.rng.choice(("", "\n")))
        pair = mangle(plain.old, plain.new, shop.rng, scene.start)
        return shop.land(scene, Replace(*pair)) if pair and pair[0] not in scene.before else None

    return make


def clean(shop: Workshop) -> Case | None:
    """Everything is exact, with or without context."""
    scene = shop.scene(ALL, (0, 4), fits=is_clear)
    if scene is None or not old_side(scene.draft):
        return None
    end = "\n" if not new_side(scene.draft) else shop.rng.choice(("", "\n"))
    edit = as_replace(scene, end=end)
    return shop.land(scene, edit) if not _cuts_token(scene.before, edit.old) else None


def partial_lines(shop: Workshop) -> Case | None:
    """The first and the last line of the needle are not whole; both are context."""
    scene = shop.scene(STEADY, (1, 3))
    if (
        scene is None
        or scene.draft[0].mark != " "
        or scene.draft[-1].mark != " "
        or len(scene.draft) < 3
    ):
        return None
    first, last = scene.draft[0].text, scene.draft[-1].text
    if len(first.strip()) < 8 or len(last.strip()) < 8:
        return None
    edit = as_replace(scene, end="")
    head = shop.rng.choice((0, shop.rng.randrange(1, len(first) - 4)))
    tail = shop.rng.choice((0, shop.rng.randrange(1, len(last) - 4)))
    old = edit.old[head : len(edit.old) - tail]
    return shop.land(scene, Replace(old, edit.new[head : len(edit.new) - tail]))


def part_of_line(shop: Workshop) -> Case | None:
    """One expression within one line, which occurs once in the file."""
    scene = shop.scene(REPLACEMENTS, (0, 0), fits=lambda one: len(one.true) == 2)
    if scene is None:
        return None
    old, new = scene.true[0].text, scene.true[1].text
    head, tail = _shared(old, new)
    head, tail = _word_start(old, head), _word_start(old[::-1], tail)
    small, fresh = old[head : len(old) - tail], new[head : len(new) - tail]
    if not small.strip() or _cuts_token(scene.before, small) or small in fresh:
        return None
    return shop.land(scene, Replace(small, fresh))


def quotes_in_file(shop: Workshop) -> Case | None:
    """Typography in the file's prose; new lines may be plain or take the file's style."""
    scene = shop.scene(context=(2, 5))
    drifted = drifts.typography_in_file(scene, shop.rng) if scene else None
    return shop.land(drifted, as_replace(drifted)) if drifted else None


def crlf_in_needle(shop: Workshop) -> Case | None:
    """The needle has CR LF, the file LF."""
    scene = shop.scene(ALL, fits=is_clear)
    if scene is None:
        return None
    edit = as_replace(scene, end=shop.rng.choice(("", "\n")))
    pair = manglings.crlf(edit.old, edit.new, shop.rng, 1)
    return shop.land(scene, Replace(*pair)) if pair and "\r" in pair[0] else None


def mixed_newlines(shop: Workshop) -> Case | None:
    """Some lines of the file end in CR LF; each keeps its own, and a new one takes either."""
    scene = shop.scene()
    if scene is None or sum(line.mark == "+" for line in scene.true) > 4:
        return None
    wide = [shop.rng.random() < 0.5 for _ in scene.before_lines]
    case = shop.land(scene, as_replace(scene))
    if case is None:
        return None
    expected = tuple(_joined(scene.after_lines, flags) for flags in _newlines_after(scene, wide))
    return replace(case, before=_joined(scene.before_lines, wide), expected=expected)


def _newlines_after(scene: Scene, wide: list[bool]) -> Iterator[list[bool]]:
    """The endings after the edit, for each choice of endings of the new lines."""
    top, bottom = scene.region
    for choice in product((False, True), repeat=sum(line.mark == "+" for line in scene.true)):
        own, fresh = iter(wide[top:bottom]), iter(choice)
        marked = [
            (line.mark, next(fresh) if line.mark == "+" else next(own)) for line in scene.true
        ]
        yield [*wide[:top], *(flag for mark, flag in marked if mark != "-"), *wide[bottom:]]


def no_final_newline(shop: Workshop) -> Case | None:
    """The file's last line has no newline, and the edit is there."""
    scene = shop.scene(context=(1, 6), fits=lambda one: is_plain(one) and not one.below)
    if scene is None or scene.draft[-1].mark != " ":
        return None
    return shop.land(replace(scene, ends=False), as_replace(scene, end=shop.rng.choice(("", "\n"))))


def dollars(shop: Workshop) -> Case | None:
    """The new text is full of what substitution engines take for references."""
    scene = shop.scene(REPLACEMENTS)
    if scene is None:
        return None
    poison = shop.rng.choice((r"$1", r"\1", r"\g<0>", "$&", "$$", r"\n", "%s", "{0}"))
    at = next(at for at, line in enumerate(scene.true) if line.mark == "+")
    line = replace(scene.true[at], text=f"{scene.true[at].text} {poison}")
    true = (*scene.true[:at], line, *scene.true[at + 1 :])
    scene = scene.filed(true).drafted(true)
    return shop.land(scene, as_replace(scene))


def every_name(shop: Workshop) -> Case | None:
    """A name changes everywhere, and names that only contain it do not."""
    source = shop.source("python")
    if source is None:
        return None
    line = shop.rng.choice(source.lines)
    found = identifiers(line)
    if not found:
        return None
    old = shop.rng.choice(found).group()
    new = words.name(shop.rng)
    text = "\n".join(source.lines) + "\n"
    if new in text or re.search(rf"[$\\-]{old}|{old}[$-]", text):
        return None
    pattern = re.compile(rf"(?<!\w){old}(?!\w)")
    scene = Scene(source.name, source.lang, (), (), source.lines, ())
    after = pattern.sub(new, text)
    return Case(
        shop.id,
        scene.lang,
        shop.kind,
        "land",
        scene.name,
        text,
        Replace(old, new, every=True),
        (after,),
    )


def every_block(shop: Workshop) -> Case | None:
    """A line that stands in several places at the same depth changes everywhere."""
    source = shop.source()
    if source is None:
        return None
    lines = source.lines
    old = shop.rng.choice(lines)
    if (
        strong_lines([old]) == 0
        or windows(lines, [old]) != lines.count(old)
        or lines.count(old) < 2
    ):
        return None
    text = "\n".join(lines) + "\n"
    if text.count(old) != lines.count(old):
        return None
    new = old + "  " + words.name(shop.rng)
    after = "".join((new if line == old else line) + "\n" for line in lines)
    edit = Replace(old + "\n", new + "\n", every=True)
    return Case(shop.id, source.lang, shop.kind, "land", source.name, text, edit, (after,))


def mixed(shop: Workshop) -> Case | None:
    """Several drifts at once, perhaps mangled as well: refusing is fine, harming is not."""
    scene = shop.scene(context=(2, 6), fits=is_clear_by_indent)
    drifted = surely(drifts.MIXED)(scene, shop.rng) if scene else None
    if drifted is None:
        return None
    edit = as_replace(drifted, end=shop.rng.choice(("", "\n")))
    mangle = shop.rng.choice(
        (None, None, manglings.fenced, manglings.numbered, manglings.crlf, manglings.html_entities)
    )
    pair = mangle(edit.old, edit.new, shop.rng, drifted.start) if mangle else (edit.old, edit.new)
    return shop.land(drifted, Replace(*pair), refuse_ok=True) if pair else None


def elision(drift: Drift) -> Maker:
    """A gap in the needle; what stands on each side of it is in the file once."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(context=(4, 12))
        drifted = surely(drift)(scene, shop.rng) if scene else None
        if drifted is None or not _sides_are_unique(drifted):
            return None
        return shop.land(drifted, as_replace(drifted, end=shop.rng.choice(("", "\n"))))

    return make


def shortened(shop: Workshop) -> Case | None:
    """The model stopped copying early: less context, all of it right."""
    scene = shop.scene(context=(0, 1), fits=is_clear)
    if scene is None or not old_side(scene.draft) or not new_side(scene.draft):
        return None
    edit = as_replace(scene, end="")
    return (
        shop.land(scene, edit, refuse_ok=True) if not _cuts_token(scene.before, edit.old) else None
    )


def invented_tail(shop: Workshop) -> Case | None:
    """The model went on writing lines that are not in the file, alike in old and new."""
    scene = shop.scene(context=(3, 6))
    source = shop.source(scene.lang) if scene else None
    if scene is None or source is None or scene.draft[-1].mark != " ":
        return None
    at = shop.rng.randrange(len(source.lines))
    invented = [line for line in source.lines[at : at + 3] if line.strip()]
    if not invented or set(keys(invented)) & set(keys(scene.before_lines)):
        return None
    longer = surely(lambda one, _: one.drafted((*one.draft, *kept(invented))))(scene, shop.rng)
    return shop.land(longer, as_replace(longer), refuse_ok=True) if longer else None


def _sides_are_unique(scene: Scene) -> bool:
    """Whether each run of lines between the dots stands once in the file."""
    run: list[str] = []
    for text in [*old_side(scene.draft), "..."]:
        if text.rstrip(" */->").endswith("...") or text.endswith("-->"):
            if run and (windows(scene.before_lines, run) != 1 or strong_lines(run) == 0):
                return False
            run = []
        else:
            run.append(text)
    return True


def _cuts_token(text: str, part: str) -> bool:
    at = text.find(part)
    end = at + len(part)
    left = at > 0 and text[at - 1].isalnum() and part[0].isalnum()
    right = end < len(text) and text[end].isalnum() and part[-1].isalnum()
    return left or right or "_" in (text[at - 1 : at], text[end : end + 1])


def _shared(old: str, new: str) -> tuple[int, int]:
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail


def _word_start(text: str, at: int) -> int:
    """Go back to where the word begins, and to the start of the word before."""
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] in "_.("):
        at -= 1
    return at


def _joined(lines: Sequence[str], crlf: Sequence[bool]) -> str:
    return "".join(
        line + ("\r\n" if wide else "\n") for line, wide in zip(lines, crlf, strict=True)
    )


KINDS: Final[dict[str, Maker]] = {
    "clean": clean,
    "trail-ws-needle": drifting(drifts.trailing_blanks),
    "trail-ws-both": drifting(drifts.trailing_blanks_everywhere),
    "trail-ws-file": drifting(drifts.trailing_blanks_in_file),
    "tabs-to-spaces": drifting(drifts.tabs_to_spaces, is_clear_by_indent),
    "spaces-to-tabs": drifting(drifts.spaces_to_tabs, is_clear_by_indent),
    "indent-shift": drifting(drifts.shifted_indent, is_clear_by_indent),
    "indent-lost-first": drifting(drifts.lost_first_indent),
    "indent-lost-first-multi": drifting(drifts.lost_first_indent_changed, context=(0, 3)),
    "blank-dropped": drifting(drifts.dropped_blank_line, context=(2, 6)),
    "blank-added": drifting(drifts.added_blank_line, context=(2, 5)),
    "crlf-file": drifting(drifts.crlf_in_file, is_clear, ALL),
    "crlf-needle": crlf_in_needle,
    "mixed-eol": mixed_newlines,
    "no-final-newline": no_final_newline,
    "bom-file": drifting(
        drifts.with_bom, lambda scene: is_plain(scene) and not scene.above, context=(0, 8)
    ),
    "quotes-needle": drifting(drifts.typography),
    "quotes-file": quotes_in_file,
    "nfc-nfd": drifting(drifts.composed_otherwise, context=(2, 5)),
    "zero-width": drifting(drifts.zero_width),
    "esc-newlines": mangling(manglings.escaped_newlines),
    "esc-quotes": mangling(manglings.escaped_quotes),
    "html-entities": mangling(manglings.html_entities),
    "lineno-prefix": mangling(manglings.numbered),
    "lineno-prefix-old-only": mangling(manglings.numbered_old),
    "fences": mangling(manglings.fenced),
    "wrappers": mangling(manglings.wrapped),
    "elision": elision(drifts.elided),
    "elision-edge": elision(drifts.elided_edge),
    "typo-soft": drifting(surely(drifts.soft_typos), context=(2, 6)),
    "comment-reworded": drifting(surely(drifts.reworded_comment), context=(2, 6)),
    "comment-dropped": drifting(surely(drifts.dropped_comment), context=(2, 6)),
    "stale-ident-ctx": drifting(surely(drifts.stale_name), context=(2, 5)),
    "partial-lines": partial_lines,
    "part-of-line": part_of_line,
    "combo-indent-trail": drifting(
        drifts.both(drifts.shifted_indent, drifts.trailing_blanks), is_clear_by_indent
    ),
    "combo-fence-lineno-indent": mangling(manglings.then(manglings.numbered, manglings.fenced)),
    "combo-crlf-quotes-blank": drifting(
        drifts.both(drifts.both(drifts.crlf_in_file, drifts.dropped_blank_line), drifts.typography),
        context=(2, 6),
    ),
    "combo-typo-indent": drifting(
        surely(drifts.both(drifts.soft_typos, drifts.shifted_indent)),
        is_clear_by_indent,
        context=(2, 6),
    ),
    "dollars": dollars,
    "every-name": every_name,
    "every-block": every_block,
    "loose-mixed": mixed,
    "loose-shortened": shortened,
    "loose-invented-tail": invented_tail,
}
