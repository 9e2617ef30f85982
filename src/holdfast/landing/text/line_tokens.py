"""Words, numbers, comments and definitions: what distinguishes a drifted line from another line."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"(?<!\w)\d[\w.]*")
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_DIRECTIVE = r"\s*(?:include|define|undef|if|ifdef|ifndef|elif|else|endif|pragma|error|import|region|endregion)\b"
_COMMENT = re.compile(
    r"\s*(?:#(?!\[|!|" + _DIRECTIVE + r")|//|/\*|\*(?:\s|/|$)|<!--|--\s|;|%|\"\"\"|'''|rem\s)",
    re.IGNORECASE,
)
_PROSE = re.compile(r"[^(){}\[\]=<>;$@&|\\+*/^~\"`_]*")

_MODIFIERS = (
    r"(?:(?:export|default|pub(?:\([a-z]+\))?|public|private|protected|internal|static|async|abstract|final|const|unsafe|"
    r"extern|inline|virtual|override|open|sealed|data|declare|readonly|native|synchronized)\s+)*"
)
_DEFINES = re.compile(
    r"\s*"
    + _MODIFIERS
    + r"(?:def|class|fn|func|function|struct|enum|trait|impl|interface|type|module|namespace|mod|"
    r"macro_rules!|package|protocol|extension|object|union|record)\s+(?:\([^)]*\)\s*)?[*&<]?(?P<name>[\w$.:-]+)"
)
_OPENS_METHOD = re.compile(r"(?P<name>[\w$~]+)\s*\([^;]*\)?[^;=]*[{:,(]?\s*$")
_CONTROL = frozenset(
    {
        "if",
        "for",
        "while",
        "switch",
        "catch",
        "return",
        "elif",
        "else",
        "try",
        "with",
        "match",
        "when",
        "unless",
    }
    | {"until", "do", "foreach", "assert", "print"}
)
_OPENS_SECTION = re.compile(r"\s*(?P<name>[^\s{}()=][^{}()=]*?)\s*\{\s*$")
_OPENS_TABLE = re.compile(r"\s*\[+(?P<name>[^\]]+)\]+\s*$")
_HEADING = re.compile(r"#{2,6}\s+(?P<name>\S.*)")
_KEY = re.compile(r"\s*-?\s*[\"']?(?P<name>[\w.$/-]+)[\"']?\s*:\s*[{\[(|>]?\s*$")
_ASSIGNS = re.compile(
    r"\s*(?:export\s+)?(?:(?:const|let|var|final|static|pub|mut|val)\s+)*(?P<name>[\w.$]+)(?:\s*:[^=]+?)?\s*:?=(?!=).*[{(\[]\s*$"
)
_CASE = re.compile(r"\s*(?:case|when)\s+(?P<name>\S.*?)(?::|=>|then)?\s*$")
_OPENS_TAG = re.compile(r"\s*<(?P<name>[A-Za-z][^<>]*[^<>/])>\s*$")
# A call that names what it opens: it('does a thing', () => {, router.get('/users', …, describe("…".
_NAMED_CALL = re.compile(r"\s*(?P<name>[\w.$]+\s*\(\s*(?P<quote>[\"'`]).*?(?P=quote)).*[{(:,]\s*$")


def words_of(line: str) -> list[str]:
    """Return the identifiers and words of a line, in order."""
    return _WORD.findall(line)


def numbers_of(line: str) -> list[str]:
    """Return the numbers that are alone on a line, in order."""
    return _NUMBER.findall(line)


def tokens_of(line: str) -> list[str]:
    """Return the line cut into words, runs of white space and single marks.

    Joined they are the line.
    """
    return _TOKEN.findall(line)


def is_comment(line: str) -> bool:
    """Return whether the line is a comment, or the first line of a docstring, in most languages."""
    return _COMMENT.match(line) is not None


_ENOUGH_WORDS = 4


def is_prose(line: str) -> bool:
    """Return whether the line reads as running text: several words and no mark of code."""
    return len(words_of(line)) >= _ENOUGH_WORDS and _PROSE.fullmatch(line) is not None


def strength(line: str) -> int:
    """Return how many letters and digits a line has: `}` is no landmark, a call is."""
    return sum(map(str.isalnum, line))


def defined_name(line: str) -> str | None:
    """Return the name a line defines (function, class, selector, key), or None.

    >>> defined_name("    async def load(self):"), defined_name("func (w *Wizard) run() error {")
    ('load', 'run')
    >>> defined_name(".card > a {"), defined_name("[dependencies]"), defined_name("    return x")
    ('.card > a', 'dependencies', None)
    >>> defined_name("const stage = {"), defined_name("  port: 80"), defined_name("it('adds', () => {")
    ('stage', None, "it('adds'")
    """
    if is_comment(line):
        return _first_name(line, (_HEADING,))
    name = _first_name(line, (_DEFINES, _CASE))
    first = _WORD.search(line)
    if name is not None or (first is not None and first.group() in _CONTROL):
        return name
    name = _first_name(line, (_KEY, _ASSIGNS, _NAMED_CALL, _OPENS_TAG))
    if name is None and line.rstrip().endswith("{") and "=" not in line:
        method = _OPENS_METHOD.search(line)
        name = method["name"] if method else None
    return name or _first_name(line, (_OPENS_SECTION, _OPENS_TABLE))


def _first_name(line: str, patterns: tuple[re.Pattern[str], ...]) -> str | None:
    for pattern in patterns:
        found = pattern.match(line)
        if found is not None:
            return found["name"]
    return None


def cuts_token(text: str, start: int, end: int) -> tuple[bool, bool]:
    """Return whether `text[start:end]` cuts an identifier, a number or a line ending in two at its start, and at its end.

    >>> cuts_token("timeout = 100", 0, 12)
    (False, True)
    """
    return _joins(text, start), _joins(text, end)


def _joins(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if (_is_word(before) and _is_word(after)) or (before == "\r" and after == "\n"):
        return True
    if _joins_by_hyphen(text, at):
        return True
    # 1.5 and 0x1.8p3: a point between digits is part of the number.
    if before == "." and after.isdigit():
        return at >= 2 and text[at - 2].isdigit()
    if after == "." and before.isdigit():
        return at + 1 < len(text) and text[at + 1].isdigit()
    return False


_BEFORE_HYPHEN = re.compile(r"[^\W\d_]{3,}-?$")
_AFTER_HYPHEN = re.compile(r"-?[^\W\d_]{2,}")


def _joins_by_hyphen(text: str, at: int) -> bool:
    """Inside `background-color` and `data-id`.

    With letters on both sides and no blank, a hyphen is part of a name.
    """
    if (text[at - 1] == "-") == (text[at] == "-"):
        return False
    before, after = text[max(0, at - 40) : at], text[at : at + 40]
    return _BEFORE_HYPHEN.search(before) is not None and _AFTER_HYPHEN.match(after) is not None


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def knows_word(text: str, word: str) -> bool:
    """Return whether `word` is in the text as a whole word."""
    return word in text and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
