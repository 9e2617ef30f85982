"""Is a file the one that was meant? If not, how far is it off?"""

from __future__ import annotations

import unicodedata
from typing import Final, Literal, TypeAlias

from bench.landing.cases import Case
from holdfast import LineEdits, Patch, Replace

Verdict: TypeAlias = Literal[
    "landed", "refused_ok", "wrongly_refused", "cosmetic", "indent", "ctx", "wrong"
]

CORRUPTED: Final[tuple[Verdict, ...]] = ("wrong", "indent", "ctx", "cosmetic")
"""All of these are bad, the worst first.

- cosmetic: an expected file but for trailing blanks, blank lines, newline style or typographic characters;
- indent: the right place and text with the wrong leading white space;
- ctx: the right place, but the model's drifted copy of lines it did not mean to change replaced the file's own;
- wrong: anything else: the wrong place, lost or garbage lines, or landed where it must refuse.
"""

_PLAIN: Final = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2013": "-",
        "\u2014": "-",
        "\u00a0": " ",
        "\u2026": "...",
        "\u200b": None,
        "\u200c": None,
        "\u2060": None,
        "\ufeff": None,
        "\r": None,
    }
)


def judge(case: Case, out: str | None) -> Verdict:
    """The verdict on what an engine made of the case; None and the unchanged file are refusals."""
    if out is None or out == case.before:
        return "refused_ok" if case.polarity == "refuse" or case.refuse_ok else "wrongly_refused"
    if case.polarity == "refuse":
        return "cosmetic" if _visible(out) == _visible(case.before) else "wrong"
    if out in case.expected:
        return "landed"
    return _classify(case, out)


def _classify(case: Case, out: str) -> Verdict:
    seen = _visible(out)
    wanted = [_visible(one) for one in case.expected]
    if seen in wanted:
        return "cosmetic"
    if _squeezed(seen) in [_squeezed(one) for one in wanted]:
        return "indent"
    if case.region and _squeezed(out.split("\n")) == _squeezed(_written_over(case, case.region)):
        return "ctx"
    return "wrong"


def _visible(text: str) -> list[str]:
    """The lines a reader sees: no blank lines, no trailing blanks, plain typography."""
    plain = unicodedata.normalize("NFC", text.translate(_PLAIN))
    return [line.rstrip() for line in plain.split("\n") if line.strip()]


def _squeezed(lines: list[str]) -> list[str]:
    return ["".join(line.split()) for line in lines if line.strip()]


def _written_over(case: Case, region: tuple[int, int]) -> list[str]:
    """The file if the model's own lines were written over the region as they are."""
    lines = case.before.split("\n")
    start, end = region
    return lines[:start] + _new_side(case) + lines[end:]


def _new_side(case: Case) -> list[str]:
    match case.edit:
        case Replace(_, new):
            return new.split("\n")
        case LineEdits(edits):
            return edits[0].new.split("\n")
        case Patch(diff):
            return [
                line[1:]
                for line in diff.split("\n")
                if line[:1] in (" ", "+") and not line.startswith("+++")
            ]
