"""What a line is, told from its looks: a comment, prose, a definition; and the names and numbers in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Final

from bench.landing import words

COMMENT_MARK: Final = {
    "python": "#",
    "toml": "#",
    "yaml": "#",
    "javascript": "//",
    "typescript": "//",
    "go": "//",
    "rust": "//",
    "java": "//",
    "c": "//",
}
BRACED: Final = frozenset({"javascript", "typescript", "go", "rust", "java", "c"})
CODE: Final = frozenset({"python", *BRACED})

_KEYWORDS: Final = frozenset(
    words.listed("""
    import from return raise yield not and or if else elif for while in is lambda assert del global nonlocal with as
    pass break continue def class try except finally async await None True False self let const var mut pub fn func
    struct enum impl match use package public private static void int new throw throws export function type range
    null true false nil this super string bool char double float long size_t unsigned extern typedef sizeof
    default switch case goto include define ifdef endif interface extends implements final err Err Ok
""")
)
_DEFINITION: Final = re.compile(
    r"^\s*(?:export\s+|pub\s+|public\s+|private\s+|static\s+|async\s+|int\s+)*"
    r"(?:def|class|fn|func|function|struct|enum|interface)\s+([^\W\d]\w*)"
    r"|^\s*public int ([^\W\d]\w*)\("
)
_IDENTIFIER: Final = re.compile(r"(?<![\w.$@-])[^\W\d]\w{3,}(?![\w$-])")
_NUMBER: Final = re.compile(r"(?<![\w.#-])\d{1,6}(?![\w.%])")
_CODE_CHARACTERS: Final = re.compile(r"[=(){};\[\]<>@|\\`*_$/]")
_WORD: Final = re.compile(r"(?<![\w'-])[a-z]{5,}(?![\w'-])")


def indent_of(line: str) -> str:
    """The white space at the start."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def is_comment(line: str, lang: str) -> bool:
    """Whether the whole line is a comment of this language."""
    mark = COMMENT_MARK.get(lang)
    body = line.strip()
    return (
        mark is not None
        and body.startswith(mark)
        and len(body) > len(mark) + 8
        and not body.startswith("#!")
    )


def is_prose(line: str, lang: str) -> bool:
    """Whether the line is a comment or reads like a sentence: what a slip in it says is not code."""
    body = line.strip()
    if is_comment(line, lang):
        return True
    plain = body.strip("\"'.,:#- ")
    if _CODE_CHARACTERS.search(plain) or body.endswith((":", ",")) or '"' in plain or "'" in plain:
        return False
    parts = plain.split()
    return len(parts) >= 5 and parts[0] not in _KEYWORDS


def is_code(line: str, lang: str) -> bool:
    """Whether the line is surely a statement of a programming language, and no line of a block comment."""
    if (
        lang not in CODE
        or not line.strip()
        or is_prose(line, lang)
        or line.lstrip().startswith(("*", "/*"))
    ):
        return False
    return re.search(r"[=(){};.:]", line) is not None


def defined_name(line: str) -> str | None:
    """The name that the line defines: of a function, a class or the like.

    >>> defined_name("    async def load(self):"), defined_name("x = 1")
    ('load', None)
    """
    found = _DEFINITION.match(line)
    return next((group for group in found.groups() if group), None) if found else None


def identifiers(line: str) -> list[re.Match[str]]:
    """Names of four letters and more that are no keywords."""
    return [found for found in _IDENTIFIER.finditer(line) if found.group() not in _KEYWORDS]


def numbers(line: str) -> list[re.Match[str]]:
    """Whole numbers that stand alone."""
    return list(_NUMBER.finditer(line))


def prose_words(line: str) -> list[re.Match[str]]:
    """Lower-case words of five letters and more."""
    return list(_WORD.finditer(line))


def swap_at(line: str, found: re.Match[str], text: str) -> str:
    """The line with the match replaced."""
    return line[: found.start()] + text + line[found.end() :]


def other_name(rng: Random, old: str) -> str:
    """A name like the old one that is not it."""
    styles = (
        f"{old}_{words.noun(rng)}",
        f"{words.verb(rng)}_{old}",
        old + rng.choice("23579"),
        old + "s" if not old.endswith("s") else old[:-1],
        old[: len(old) // 2] + words.noun(rng),
    )
    return rng.choice(styles)


def other_number(rng: Random, old: str) -> str:
    """Another number of about the same size."""
    while True:
        new = str(max(0, int(old) + rng.choice((-10, -2, -1, 1, 2, 5, 10, 90, 100))))
        if new != old:
            return new


def misspelled(rng: Random, word: str) -> str:
    """The word with one slip of the finger, which is another word."""
    at = rng.randrange(1, len(word) - 1)
    slips = (
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + rng.choice("aeionrst") + word[at + 1 :],
    )
    return rng.choice(slips)


def occurs_as_word(word: str, lines: Sequence[str]) -> bool:
    """Whether the word stands alone in one of the lines."""
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    return any(word in line and pattern.search(line) for line in lines)
