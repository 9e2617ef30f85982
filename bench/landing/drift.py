"""How the model's lines drift from the file's. Each drift gives a new scene, or None where it does not fit.

What drifts in a line of context drifts alike in old and new: the model copied it. The file's own lines never move,
except where the drift is in the file (`*_in_file`), and then in the file before and after alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random
from typing import Final, Literal, TypeAlias

from bench.landing import words
from bench.landing.grammar import (
    CODE,
    COMMENT_MARK,
    defined_name,
    identifiers,
    indent_of,
    is_code,
    is_comment,
    is_prose,
    misspelled,
    occurs_as_word,
    other_name,
    prose_words,
    swap_at,
)
from bench.landing.scene import Line, Scene, Script, is_insertion, old_side, touches_change

Composition: TypeAlias = Literal["NFC", "NFD"]
Drift: TypeAlias = Callable[[Scene, Random], Scene | None]

ELISIONS: Final = ("... existing code ...", "...", "... (unchanged) ...", "... rest of code ...")
_TYPOGRAPHY: Final = (
    str.maketrans({'"': "\u201d", "'": "\u2019"}),
    str.maketrans({"-": "\u2013"}),
    str.maketrans({"'": "\u2018"}),
)
_NBSP: Final = re.compile(r"(?<=\w) (?=\w)")
_ZERO_WIDTH: Final = "\u200b\u200c\u2060\ufeff"
_COMPOSITIONS: Final[tuple[tuple[Composition, Composition], ...]] = (("NFC", "NFD"), ("NFD", "NFC"))
_ACCENTS: Final = str.maketrans({"e": "é", "o": "ö", "a": "å", "u": "ü", "n": "ñ"})


# White space


def trailing_blanks(scene: Scene, rng: Random) -> Scene | None:
    """Some copied lines end in blanks."""
    blanks = rng.choice(("  ", " ", "\t", "    "))
    return _each_old_line(scene, rng, lambda text: text + blanks if text.strip() else text)


def trailing_blanks_everywhere(scene: Scene, rng: Random) -> Scene | None:
    """Every line ends in blanks, the new ones too."""
    blanks = rng.choice(("  ", " ", "\t"))
    return scene.drafted(
        Line(line.mark, line.text + blanks if not line.blank else line.text) for line in scene.draft
    )


def trailing_blanks_in_file(scene: Scene, rng: Random) -> Scene | None:
    """Some lines of context end in blanks in the file."""
    blanks = rng.choice(("  ", " ", "\t"))
    return _each_filed_context(scene, rng, lambda text: text + blanks)


def tabs_to_spaces(scene: Scene, rng: Random) -> Scene | None:
    """The file has tabs, the model writes spaces."""
    if not all(set(indent_of(line.text)) <= {"\t"} for line in scene.draft) or not _is_indented(
        scene.draft
    ):
        return None
    width = rng.choice((2, 4, 4, 8))
    return _reindented(scene, lambda indent: " " * (width * len(indent)))


def spaces_to_tabs(scene: Scene, rng: Random) -> Scene | None:
    """The file has spaces, the model writes tabs."""
    del rng
    step = _space_step(scene)
    if step is None or not _is_indented(scene.draft):
        return None
    return _reindented(scene, lambda indent: "\t" * (len(indent) // step))


def shifted_indent(scene: Scene, rng: Random) -> Scene | None:
    """All lines stand further left or right than in the file."""
    indents = [indent_of(line.text) for line in scene.draft if not line.blank]
    common = _common_prefix(indents)
    if common and rng.random() < 0.6:
        cut = len(common) if common.startswith("\t") or rng.random() < 0.5 else len(common) // 4 * 2
        # One space less is no shift: in a diff it is the marker that was lost.
        return _reindented(scene, lambda indent: indent[cut:]) if common != " " else None
    pad = "\t" if any("\t" in indent for indent in indents) else rng.choice(("  ", "    "))
    return _reindented(scene, lambda indent: pad + indent)


def lost_first_indent(scene: Scene, rng: Random) -> Scene | None:
    """The first line lost its indentation, in old and in new."""
    del rng
    first = scene.draft[0]
    if first.mark != " " or not indent_of(first.text):
        return None
    return scene.drafted((Line(" ", first.text.lstrip()), *scene.draft[1:]))


def lost_first_indent_changed(scene: Scene, rng: Random) -> Scene | None:
    """The first line lost its indentation and is one that changes."""
    del rng
    olds = [at for at, line in enumerate(scene.draft) if line.mark == "-"]
    news = [at for at, line in enumerate(scene.draft) if line.mark == "+"]
    if not olds or olds[0] != 0 or not news:
        return None
    indent = indent_of(scene.draft[0].text)
    if not indent or indent_of(scene.draft[news[0]].text) != indent or scene.draft[1].mark == " ":
        return None
    lost = {0, news[0]}
    return scene.drafted(
        Line(line.mark, line.text.lstrip()) if at in lost else line
        for at, line in enumerate(scene.draft)
    )


def dropped_blank_line(scene: Scene, rng: Random) -> Scene | None:
    """A blank line of the file is not in the model's copy."""
    spots = [
        at
        for at, line in enumerate(scene.draft)
        if line.mark == " "
        and line.blank
        and 0 < at < len(scene.draft) - 1
        and not touches_change(scene.draft, at)
    ]
    return _without(scene, rng.choice(spots)) if spots else None


def added_blank_line(scene: Scene, rng: Random) -> Scene | None:
    """The model's copy has a blank line that is not in the file."""
    spots = [
        at
        for at in range(1, len(scene.draft))
        if all(line.mark == " " and not line.blank for line in scene.draft[at - 1 : at + 1])
    ]
    if not spots:
        return None
    at = rng.choice(spots)
    return scene.drafted((*scene.draft[:at], Line(" ", ""), *scene.draft[at:]))


# Characters


def typography(scene: Scene, rng: Random) -> Scene | None:
    """The model writes curly quotes, dashes or hard spaces."""
    if _has_odd_characters(scene.draft):
        return None
    if rng.random() < 0.3:
        changed = _each_text(scene.draft, _hard_spaces)
    else:
        table = rng.choice(_TYPOGRAPHY)
        changed = _each_text(scene.draft, lambda text: text.translate(table))
    return scene.drafted(changed) if old_side(changed) != old_side(scene.draft) else None


def typography_in_file(scene: Scene, rng: Random) -> Scene | None:
    """The file has curly quotes, dashes or hard spaces in its prose, the model writes plain ones."""
    if _has_odd_characters(scene.draft):
        return None
    table = rng.choice(_TYPOGRAPHY)

    def fancy(text: str) -> str:
        if not is_prose(text, scene.lang):
            return text
        return _hard_spaces(text) if text.translate(table) == text else text.translate(table)

    return _each_filed_context(scene, rng, fancy)


def composed_otherwise(scene: Scene, rng: Random) -> Scene | None:
    """An accent is one character in the file and two in the model's copy, or the other way round."""
    filed, drafted = rng.choice(_COMPOSITIONS)
    spots = [
        at
        for at, line in enumerate(scene.true)
        if line.mark == " " and is_prose(line.text, scene.lang)
    ]
    spots = [at for at in spots if prose_words(scene.true[at].text)]
    if not spots or scene.true != scene.draft:
        return None
    at = rng.choice(spots)
    word = rng.choice(prose_words(scene.true[at].text))
    accented = swap_at(scene.true[at].text, word, word.group().translate(_ACCENTS))
    if unicodedata.normalize("NFD", accented) == unicodedata.normalize("NFC", accented):
        return None
    written = _with_text(scene.draft, at, unicodedata.normalize(drafted, accented))
    return scene.filed(_with_text(scene.true, at, unicodedata.normalize(filed, accented))).drafted(
        written
    )


def zero_width(scene: Scene, rng: Random) -> Scene | None:
    """Invisible characters stand in some copied lines."""

    def pricked(text: str) -> str:
        if len(text.strip()) < 3:
            return text
        at = rng.randrange(len(indent_of(text)) + 1, len(text))
        return text[:at] + rng.choice(_ZERO_WIDTH) + text[at:]

    return _each_old_line(scene, rng, pricked)


# Words


def soft_typos(scene: Scene, rng: Random) -> Scene | None:
    """One or two words of prose in the context are misspelled."""
    spots = [
        at
        for at, line in enumerate(scene.draft)
        if line.mark == " " and is_prose(line.text, scene.lang)
    ]
    if not spots:
        return None
    at = rng.choice(spots)
    found = prose_words(scene.draft[at].text)
    text = scene.draft[at].text
    before = scene.before_lines
    for word in sorted(
        rng.sample(found, min(len(found), rng.randint(1, 2))), key=lambda one: -one.start()
    ):
        slip = misspelled(rng, word.group())
        if slip == word.group() or occurs_as_word(slip, before):
            return None
        text = swap_at(text, word, slip)
    return (
        scene.drafted(_with_text(scene.draft, at, text)) if text != scene.draft[at].text else None
    )


def reworded_comment(scene: Scene, rng: Random) -> Scene | None:
    """A comment in the context says about the same in other words."""
    spots = [
        at
        for at, line in enumerate(scene.draft)
        if line.mark == " " and is_comment(line.text, scene.lang)
    ]
    if not spots:
        return None
    at = rng.choice(spots)
    text = scene.draft[at].text
    mark = COMMENT_MARK[scene.lang]
    parts = text.strip()[len(mark) :].split()
    if len(parts) < 5 or any(letter.isdigit() for letter in text):
        return None
    for spot in rng.sample(range(1, len(parts)), max(1, len(parts) // 4)):
        parts[spot] = rng.choice(words.FILLERS)
    new = f"{indent_of(text)}{mark} {' '.join(parts)}"
    return scene.drafted(_with_text(scene.draft, at, new)) if new != text else None


def dropped_comment(scene: Scene, rng: Random) -> Scene | None:
    """A comment of the file is not in the model's copy."""
    spots = [
        at
        for at, line in enumerate(scene.draft)
        if line.mark == " " and is_comment(line.text, scene.lang) and 0 < at < len(scene.draft) - 1
    ]
    if is_insertion(scene.draft):
        spots = [at for at in spots if not touches_change(scene.draft, at)]
    return _without(scene, rng.choice(spots)) if spots else None


def stale_name(scene: Scene, rng: Random) -> Scene | None:
    """One name in one line of context is not the file's; the line defines nothing."""
    if scene.lang not in CODE:
        return None
    spots = [
        at
        for at, line in enumerate(scene.draft)
        if line.mark == " " and _may_be_stale(line.text, scene.lang)
    ]
    if not spots:
        return None
    at = rng.choice(spots)
    text = scene.draft[at].text
    found = _used_names(text)
    if not found:
        return None
    one = rng.choice(found)
    stale = other_name(rng, one.group())
    if any(stale in line for line in scene.before_lines) or stale in "\n".join(
        old_side(scene.draft)
    ):
        return None
    return scene.drafted(_with_text(scene.draft, at, swap_at(text, one, stale)))


# Gaps


def elided(scene: Scene, rng: Random) -> Scene | None:
    """Some lines of context became one line of dots, in old and in new."""
    runs = [
        (a, b)
        for a in range(1, len(scene.draft))
        for b in range(a + 2, min(a + 9, len(scene.draft)))
        if all(line.mark == " " for line in scene.draft[a - 1 : b + 1])
        and not scene.draft[a - 1].blank
    ]
    runs = [(a, b) for a, b in runs if not scene.draft[b].blank]
    if not runs:
        return None
    a, b = rng.choice(runs)
    dots = Line(" ", indent_of(scene.draft[a].text) + _elision(scene, rng))
    return scene.drafted((*scene.draft[:a], dots, *scene.draft[b:]))


def elided_edge(scene: Scene, rng: Random) -> Scene | None:
    """A line of dots stands before or behind the model's lines, in old and in new."""
    dots = _elision(scene, rng)
    side = rng.choice(("top", "bottom", "both"))
    top = [Line(" ", indent_of(scene.draft[0].text) + dots)] if side != "bottom" else []
    bottom = [Line(" ", indent_of(scene.draft[-1].text) + dots)] if side != "top" else []
    return scene.drafted((*top, *scene.draft, *bottom))


# The file as a whole


def crlf_in_file(scene: Scene, rng: Random) -> Scene | None:
    """The file's lines end in CR LF, the model's in LF."""
    del rng
    return replace(scene, newline="\r\n")


def with_bom(scene: Scene, rng: Random) -> Scene | None:
    """The file begins with a byte order mark, and the edit is at its top."""
    del rng
    return replace(scene, bom=True) if not scene.above else None


def any_of(*drifts: Drift) -> Drift:
    """One of the drifts, by chance."""
    return lambda scene, rng: rng.choice(drifts)(scene, rng)


def both(first: Drift, second: Drift) -> Drift:
    """One drift, then another."""

    def drift(scene: Scene, rng: Random) -> Scene | None:
        once = first(scene, rng)
        return second(once, rng) if once else None

    return drift


def _each_text(script: Iterable[Line], change: Callable[[str], str]) -> Script:
    return tuple(Line(line.mark, change(line.text)) for line in script)


def _each_old_line(scene: Scene, rng: Random, change: Callable[[str], str]) -> Scene | None:
    """Change a random half of the copied lines, one at least."""
    spots = [at for at, line in enumerate(scene.draft) if line.mark != "+" and not line.blank]
    if not spots:
        return None
    chosen = set(rng.sample(spots, rng.randint(1, len(spots))))
    changed = tuple(
        Line(line.mark, change(line.text)) if at in chosen else line
        for at, line in enumerate(scene.draft)
    )
    return scene.drafted(changed) if changed != scene.draft else None


def _each_filed_context(scene: Scene, rng: Random, change: Callable[[str], str]) -> Scene | None:
    """Change a random half of the context in the file, one line at least."""
    spots = [at for at, line in enumerate(scene.true) if line.mark == " "]
    if not spots:
        return None
    chosen = set(rng.sample(spots, rng.randint(1, len(spots))))
    changed = tuple(
        Line(line.mark, change(line.text)) if at in chosen else line
        for at, line in enumerate(scene.true)
    )
    return scene.filed(changed) if changed != scene.true else None


def _reindented(scene: Scene, change: Callable[[str], str]) -> Scene | None:
    def moved(text: str) -> str:
        indent = indent_of(text)
        return change(indent) + text[len(indent) :] if text.strip() else text

    changed = _each_text(scene.draft, moved)
    return scene.drafted(changed) if old_side(changed) != old_side(scene.draft) else None


def _is_indented(script: Script) -> bool:
    return any(indent_of(line.text) for line in script if line.mark != "+" and not line.blank)


def _space_step(scene: Scene) -> int | None:
    indents = [indent_of(line) for line in scene.before_lines if line.strip()]
    if any("\t" in indent for indent in indents):
        return None
    depths = [len(indent_of(line.text)) for line in scene.draft if not line.blank]
    for step in (4, 2):
        if all(depth % step == 0 for depth in depths) and sum(
            len(i) % step == 0 for i in indents
        ) > 0.9 * len(indents):
            return step
    return None


def _common_prefix(indents: list[str]) -> str:
    shortest = min(indents, key=len, default="")
    while not all(indent.startswith(shortest) for indent in indents):
        shortest = shortest[:-1]
    return shortest


def _without(scene: Scene, at: int) -> Scene:
    return scene.drafted((*scene.draft[:at], *scene.draft[at + 1 :]))


def _with_text(script: Script, at: int, text: str) -> Script:
    return (*script[:at], Line(script[at].mark, text), *script[at + 1 :])


def _hard_spaces(text: str) -> str:
    indent = indent_of(text)
    return indent + _NBSP.sub("\u00a0", text[len(indent) :])


def _has_odd_characters(script: Script) -> bool:
    return any(not line.text.isascii() for line in script)


def _may_be_stale(text: str, lang: str) -> bool:
    first = text.strip().split(" ", 1)[0]
    quiet = first not in {
        "import",
        "from",
        "use",
        "package",
        "#include",
    } and not text.lstrip().startswith(("@", "#"))
    return quiet and is_code(text, lang) and defined_name(text) is None


def _used_names(text: str) -> list[re.Match[str]]:
    """Names that the line uses rather than sets: behind the first `=` or `(`, and no key of an argument."""
    border = min((at for at in (text.find("="), text.find("(")) if at >= 0), default=len(text))
    return [
        one
        for one in identifiers(text)
        if one.start() > border
        and not re.match(r"\s*[=:]", text[one.end() :])
        and text[one.start() - 1] not in "\"'"
    ]


def _elision(scene: Scene, rng: Random) -> str:
    dots = rng.choice(ELISIONS)
    if scene.lang == "html":
        return f"<!-- {dots} -->"
    if scene.lang == "css":
        return f"/* {dots} */"
    return f"{COMMENT_MARK.get(scene.lang, '#')} {dots}"


SLIGHT: Final = any_of(trailing_blanks, shifted_indent, typography, soft_typos)
ANY: Final = any_of(
    trailing_blanks,
    shifted_indent,
    tabs_to_spaces,
    typography,
    soft_typos,
    crlf_in_file,
    trailing_blanks_in_file,
    dropped_blank_line,
    dropped_comment,
    stale_name,
    zero_width,
    lost_first_indent,
)
MIXED: Final = both(ANY, ANY)
