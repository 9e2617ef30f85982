"""Split a command line into the words that a program receives, where that needs no shell."""

from __future__ import annotations

import re
from itertools import dropwhile

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

_BUILT_INS = lazy_pattern(
    r"[.:]|alias|bg|bind|break|builtin|caller|cd|command|continue|declare|dirs|disown|enable|eval|exec|exit|export|fc|fg|"
    r"getopts|hash|help|history|jobs|let|local|logout|mapfile|popd|pushd|read|readonly|return|set|shift|shopt|source|"
    r"suspend|times|trap|type|typeset|ulimit|umask|unalias|unset|wait"
)
_KEYWORDS = lazy_pattern(
    r"if|then|else|elif|fi|for|in|do|done|while|until|case|esac|select|function|time|coproc|[!{}]|\[\[|\]\]"
)
_ASSIGNMENT = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
# A dollar sign before one of these begins an expansion; before anything else it is itself.
_EXPANDS = r"-A-Za-z0-9_{(@*#?$!\["
_PIECE = lazy_pattern(
    rf"""
    (?P<blank>[ \t]+)
  | \\\n(?P<joined>)
  | '(?P<single>[^']*)'
  | "(?P<double>(?:[^"\\$`]|\\.|\$(?![{_EXPANDS}]))*)"
  | \\(?P<escaped>[^\n])
  | (?P<plain>(?:[^\x00-\x20\x7f'"\\$`;|&<>()]|\$(?![{_EXPANDS}'"]))+)
    """,
    re.VERBOSE | re.DOTALL,
)
_IN_DOUBLE = lazy_pattern(r'\\([$`"\\])|\\\n')
_BOTH_STREAMS = lazy_pattern(r"(?<!\\)[ \t]2>&1\Z")
_BLANK = lazy_pattern(r"(?:[ \t]|\\\n)+")
# A pattern, a home, or alternatives. Beginning at `\A` keeps the time linear.
_REPLACED = lazy_pattern(
    r"[*?]|(?:\A|[=:])~|\A[^\[]*\[.*\]|\A[^{]*\{(?:[^,.]|\.(?!\.))*(?:,|\.\.).*\}", re.DOTALL
)
_REASONS = {
    **dict.fromkeys("\n;|", "it is more than one command"),
    **dict.fromkeys("&()", "it contains a shell operator"),
    "<": "it redirects with <",
    ">": "it redirects with >",
    "'": "a quote is not closed",
    "\\": "it ends in a backslash",
}


@dataclass(frozen=True, slots=True)
class NeedsShell:
    """Only a shell can run the line; `why` says so in words."""

    why: str


def split_words(line: str) -> tuple[str, ...] | NeedsShell:
    r"""Return the words of one plain command: quotes are removed, and nothing is expanded.

    >>> split_words("grep -n 'a b' \"c\\$\" d\\ e")
    ('grep', '-n', 'a b', 'c$', 'd e')
    >>> split_words("ls *.py"), split_words("ls; make")
    (NeedsShell(why='the shell decides what *.py expands to'), NeedsShell(why='it is more than one command'))
    """
    # Both streams of a command go to one place anyway.
    line = _BOTH_STREAMS.sub("", line.strip(" \t\n"))
    words: list[str] = []
    at = 0
    while at < len(line):
        blank = _BLANK.match(line, at)
        if blank is not None:
            at = blank.end()
            continue
        word = _read_word(line, at)
        if isinstance(word, NeedsShell):
            return word
        why = word.why_shell(is_first=not words)
        if why:
            return NeedsShell(why)
        words.append(word.text)
        at = word.end

    if not words:
        return NeedsShell("it contains no command")

    return tuple(words)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word without its quotes; `bare` has an x for each quoted part. `end` is the index behind it."""

    text: str
    bare: str
    end: int

    def why_shell(self, *, is_first: bool) -> str | None:
        """Return why a shell would treat the word otherwise than as text, or None."""
        if self.bare.startswith("#"):
            return "it contains a comment"
        if _REPLACED.search(self.bare):
            return f"the shell decides what {self.text} expands to"
        if is_first:
            return self._why_shell_first()

        return None

    def _why_shell_first(self) -> str | None:
        if _ASSIGNMENT.match(self.bare):
            return f"it sets {self.text.partition('=')[0].removesuffix('+')}"
        if _KEYWORDS.fullmatch(self.bare):
            return f"it uses shell syntax (`{self.text}`)"
        if _BUILT_INS.fullmatch(self.text):
            return f"{self.text} is a shell built-in"

        return None


def _read_word(line: str, start: int) -> _Word | NeedsShell:
    """Return the word that begins here."""
    text: list[str] = []
    bare: list[str] = []
    at = start
    while at < len(line):
        piece = _PIECE.match(line, at)
        if piece is None:
            return NeedsShell(_why_shell_at(line, start, at))
        kind = str(piece.lastgroup)
        if kind == "blank":
            break

        at = piece.end()
        part = piece[kind]
        if kind == "double":
            part = _IN_DOUBLE.sub(r"\1", part)

        text.append(part)
        if kind not in {"plain", "joined"}:
            part = "x"

        bare.append(part)

    return _Word("".join(text), "".join(bare), at)


def _why_shell_at(line: str, start: int, at: int) -> str:
    """Return why the character at this place needs a shell."""
    char = line[at]
    if line.startswith(("&&", "||"), at):
        return "it is more than one command"
    if char == '"' and not re.search(r"[$`]", line[at:]):
        return "a quote is not closed"
    if char in '$`"':
        shown = line[start : at + 40].split(maxsplit=1)[0]
        return f"the shell decides what {shown} expands to"

    return _REASONS.get(char, "it contains a control character")


# ---------------------------------------------------------------------------------- lines of a shell

_BREAKS = lazy_pattern(r"[;|&()`{}\n]")
_BEFORE_PROGRAM = lazy_pattern(rf"(?:{_KEYWORDS.pattern})\Z|{_ASSIGNMENT.pattern}")
_REDIRECT = lazy_pattern(r"\d{0,3}(?:<<<|<<-?|>>|<>|[<>]\|?)&?\s*\S+")
_WRAPPERS = frozenset({"env", "eval", "exec", "command", "nohup", "nice", "timeout", "xargs"})
_MOST_WRAPPERS = 8
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish"})


def rough_commands(line: str) -> list[list[str]]:
    r"""Return the words of what may be the commands of any shell line, without quotes.

    Quotes do not hide an operator here: rather one command too many than one too few.

    >>> rough_commands("cd a && X=1 r\\m -rf 'b' >log | timeout 5 wc")
    [['cd', 'a'], ['rm', '-rf', 'b'], ['timeout', '5', 'wc'], ['wc']]
    """
    found: list[list[str]] = []
    for part in _BREAKS.split(line):
        bare = _REDIRECT.sub(" ", part)
        words = re.sub(r"['\"\\]", "", bare).split()
        words = _from_program(words)
        for _ in range(_MOST_WRAPPERS):
            if words:
                found.append(words)
                words = _wrapped(words)

    return found


def _from_program(words: list[str]) -> list[str]:
    """Return the words without keywords and assignments before the program."""
    return list(dropwhile(_BEFORE_PROGRAM.match, words))


def _wrapped(words: list[str]) -> list[str]:
    """Return the command that a program such as `env` or `sh -c` runs; [] for other programs."""
    name, rest = words[0].rpartition("/")[2], words[1:]
    if name in _SHELLS and "-c" in rest:
        return _from_program(rest[rest.index("-c") + 1 :])
    if name not in _WRAPPERS:
        return []

    return _from_program(list(dropwhile(re.compile(r"-|\d").match, rest)))
