"""The header lines of a diff: which file, and where in it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing.formats.hunks import MalformedError
from holdfast.landing.formats.paths import tidy_path
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# ------------------------------------------------------------------------------------- hunk headers

_NUMBERED = lazy_pattern(
    r"@@\s*-\s*([0-9]+)(?:\s*,\s*([0-9]+))?(?:\s+\+\s*([0-9]+)(?:\s*,\s*([0-9]+))?)?\s*(?:@@(.*))?$",
    re.DOTALL,
)
_CLOSING = lazy_pattern(r"@@(?=\s|$)")
_PLACEHOLDER = lazy_pattern(
    r"\A(?:[\s.…_?*#,+-]*|-[\w?.…,]*\s+\+[\w?.…,]*|(?:\.\.\.|…).*(?:\.\.\.|…))\Z", re.DOTALL
)
_LONGEST_HEADER = 1000
"""A line of megabytes is an anchor of which the beginning is enough."""


@dataclass(frozen=True, slots=True)
class HunkHeader:
    """An `@@` line. Any part may be missing.

    Models leave out numbers, and put a name in their place.
    """

    start: int | None = None
    counts: tuple[int, int] | None = None
    anchor: str = ""
    section: str = ""


def read_hunk_header(line: str) -> HunkHeader:
    """Return what an `@@` line says.

    >>> read_hunk_header("@@ -3,7 +3,8 @@ def f():")
    HunkHeader(start=3, counts=(7, 8), anchor='', section='def f():')
    >>> read_hunk_header("@@ class A:")
    HunkHeader(start=None, counts=None, anchor='class A:', section='')
    >>> read_hunk_header("@@ ... @@") == read_hunk_header("@@") == HunkHeader()
    True
    """
    line = line[:_LONGEST_HEADER]
    numbered = _NUMBERED.match(line)
    if numbered is None:
        name, *section = _CLOSING.split(line[2:], maxsplit=1)
        anchor = _PLACEHOLDER.sub("", name.strip())
        return HunkHeader(anchor=anchor, section="".join(section).strip())

    start, old, plus, new, named = numbered.groups("")
    counts = None
    if plus:
        counts = _number(old or "1"), _number(new or "1")
    return HunkHeader(_number(start), counts, section=named.strip())


def _number(digits: str) -> int:
    # int() refuses more than 4300 digits; a count of a billion lines is wrong anyway.
    return int(digits[-9:])


# ------------------------------------------------------------------------------------- file headers

_EXTENDED = lazy_pattern(
    r"diff -"
    r"|index [0-9a-f]+\.\.[0-9a-f]+(?: [0-7]+)?\s*$"
    r"|(?:old|new|deleted file|new file) mode [0-7]+\s*$"
    r"|(?:dis)?similarity index [0-9]+%\s*$"
    r"|copy (?:from|to) \S"
)
HEADER_LETTERS = frozenset("@-*dionsrcI")
"""What a header line, of a file or of a hunk, can begin with."""
_TIMESTAMP = lazy_pattern(r"\s+[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}[0-9:.+ Z-]*$")
_QUOTED = lazy_pattern(r'"(.*)"', re.DOTALL)
_ESCAPE = lazy_pattern(rb"\\(?:([0-7]{1,3})|(.))", re.DOTALL)
_ESCAPED = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
}
_PREFIX = lazy_pattern(r"\A[abciow]/(?=.)")


@dataclass(frozen=True, slots=True)
class FileHeader:
    """The lines above a file's first hunk.

    A path is None for `/dev/null`, "" where none is given.
    """

    old: str | None = ""
    new: str | None = ""
    rename: bool = False
    named: bool = False
    """`---` and `+++` were there: what follows may be a hunk without `@@`."""
    end: int = 0
    """The index of the first line below."""

    def with_paths(self, old: str | None, new: str | None) -> FileHeader:
        """Return the header with these paths; a side that does not exist stays None."""
        if self.old is None:
            old = None
        if self.new is None:
            new = None
        return replace(self, old=old, new=new)


def starts_file(lines: Sequence[str], at: int) -> bool:
    """Return whether a file's header begins here, at a place that is outside of any hunk."""
    # As in a context diff: `***` and `---` above a numbered hunk.
    is_context_diff = lines[at].startswith("*** ") and _begins(lines, at + 1, "--- ")
    if is_context_diff:
        return _begins(lines, at + 2, "@@ -")
    return _is_header_line(lines, at)


def interrupts(lines: Sequence[str], at: int) -> bool:
    """Return whether a file's header begins here, inside of a hunk.

    What could be a change has to name a file clearly.

    A removed line `-- x` above an added line `++ y` looks just like a file's header; it is one only
    if a hunk follows.
    """
    if not _is_header_line(lines, at):
        return False
    if not lines[at].startswith("--- "):
        return True

    below = at + 2
    while lines[below : below + 1] == [""]:
        below += 1

    return _begins(lines, below, "@@")


def _begins(lines: Sequence[str], at: int, beginning: str) -> bool:
    """Return whether there is a line `at`, and it begins so."""
    return "".join(lines[at : at + 1]).startswith(beginning)


# Alone, `rename to x` may be prose.
_PAIRED = (
    ("--- ", 1, "+++ "),
    ("rename from ", 1, "rename to "),
    ("rename to ", -1, "rename from "),
)
"""What header lines begin with that need another one, how many lines below them, and what that begins with."""


def _is_header_line(lines: Sequence[str], at: int) -> bool:
    line = lines[at]
    for beginning, distance, other in _PAIRED:
        if line.startswith(beginning):
            return _begins(lines, at + distance, other)

    return _EXTENDED.match(line) is not None


def read_file_header(lines: Sequence[str], at: int, *, judge_paths: bool) -> FileHeader:
    """Return the header that `starts_file` found at `at`."""
    command = lines[at]
    head = FileHeader(end=at)
    for i in range(at, len(lines)):
        line = lines[i]
        if not line:
            continue
        is_next_file = i > at and line.startswith("diff -")
        if is_next_file or not starts_file(lines, i):
            break
        if line.startswith(("--- ", "*** ")):
            head = replace(_with_names(head, line, lines[i + 1], command), end=i + 2)
            break
        head = replace(_with_line(head, line), end=i + 1)

    return _judged(_with_command(head, command), judge_paths=judge_paths)


def _with_line(head: FileHeader, line: str) -> FileHeader:
    """Return the header with what one of git's extended lines says."""
    for pattern, message in _UNSUPPORTED:
        if pattern.match(line):
            raise MalformedError(message)

    for beginning, change in _CHANGES.items():
        if line.startswith(beginning):
            return change(head, _unquote(line.removeprefix(beginning).strip()))
    return head


_CHANGES: dict[str, Callable[[FileHeader, str], FileHeader]] = {
    "rename from ": lambda head, path: replace(head, old=path, rename=True),
    "rename to ": lambda head, path: replace(head, new=path, rename=True),
    "new file mode": lambda head, _: replace(head, old=None),
    "deleted file mode": lambda head, _: replace(head, new=None),
}
"""What the header becomes by a line that begins so."""


_UNSUPPORTED = (
    (
        lazy_pattern(r"diff --(?:cc|combined) "),
        "a combined diff of a merge has two marker columns; write a plain diff against one version.",
    ),
    (
        lazy_pattern(r"copy "),
        "a copy cannot be applied; write the new file as a diff from /dev/null.",
    ),
    (
        lazy_pattern(r"(?:index|.*mode).* 1[26]0000\Z"),
        "a symbolic link or submodule cannot be applied; write only changes of text files.",
    ),
)


def _with_names(head: FileHeader, minus: str, plus: str, command: str) -> FileHeader:
    """Return the header with the paths of the `---` and `+++` lines, unless it is that of a rename."""
    head = replace(head, named=True)
    if head.rename:
        return head

    old, new = _header_path(minus[4:]), _header_path(plus[4:])
    if old is not None and new is not None:
        return head.with_paths(*_strip_prefixes(old, new))

    # Beside `/dev/null` the `diff --git` line shows what is a prefix.
    path = _command_path(command)
    return head.with_paths(_strip_side(old, "a/", path), _strip_side(new, "b/", path))


def _with_command(head: FileHeader, command: str) -> FileHeader:
    """Return the header with the path of `diff --git a/x b/x`, where no other line names one.

    An empty file that is created or deleted has no other line.
    """
    if head.named or head.rename:
        return head
    path = _command_path(command)
    if path is None:
        return head
    return head.with_paths(path, path)


def _command_path(command: str) -> str | None:
    """Return the path that both sides of a `diff --git` line name, or None."""
    sides = _COMMAND.match(command)
    if sides is None:
        return None
    quote = sides["quote"]
    path = sides["path"] or sides["bare"]
    return _unquote(f"{quote}{path}{quote}")


# Without quotes a path may contain blanks: both sides are the same.
_COMMAND = lazy_pattern(
    r'diff --git (?P<quote>"?)(?:(?P<prefix>[abciow])/(?P<path>.{1,400})(?P=quote) (?P=quote)(?!(?P=prefix))[abciow]/(?P=path)'
    r"|(?P<bare>.{1,400})(?P=quote) (?P=quote)(?P=bare))(?P=quote)\s*$"
)


def _header_path(written: str) -> str | None:
    """Return the path behind `--- ` or `+++ `, without its timestamp and its quotes; None for `/dev/null`."""
    path = written.strip()
    if not written.startswith('"'):
        path = written.split("\t", 1)[0].strip()
    if path.startswith('"'):
        return _unquote(path[: path.rfind('"') + 1])

    stamped = _TIMESTAMP.search(path, max(0, len(path) - 60))
    if stamped:
        path = path[: stamped.start()]
    if _NO_FILE.fullmatch(path):
        return None
    return path


_NO_FILE = lazy_pattern(r"(?:[ab]/)?/?dev/null")
"""`/dev/null`, also as a model writes it that takes it for a path of the project."""


def _unquote(path: str) -> str:
    r"""Undo the C escapes that git writes in a quoted path.

    >>> _unquote('"a/\\303\\266 \\"x\\".txt"'), _unquote("plain"), _unquote('"\\8"')
    ('a/ö "x".txt', 'plain', '8')
    """
    quoted = _QUOTED.fullmatch(path)
    if quoted is None:
        return path

    raw = quoted[1].encode("utf-8", "surrogatepass")
    return _ESCAPE.sub(_escaped_byte, raw).decode("utf-8", "surrogateescape")


def _escaped_byte(found: re.Match[bytes]) -> bytes:
    octal, char = found.groups()
    if octal:
        return bytes([int(octal, 8) & 255])
    return _ESCAPED.get(char, char)


def _strip_prefixes(old: str, new: str) -> tuple[str, str]:
    """Return both paths without git's prefixes, if both have one, or if without them they are the same path.

    >>> _strip_prefixes("a/x", "b/x"), _strip_prefixes("i/x", "w/x"), _strip_prefixes("a/x", "a/x")
    (('x', 'x'), ('x', 'x'), ('a/x', 'a/x'))
    >>> _strip_prefixes("a/x", "x")
    ('x', 'x')
    """
    bare_old, bare_new = _PREFIX.sub("", old), _PREFIX.sub("", new)
    both_have_one = bare_old != old and bare_new != new
    if both_have_one and old[0] != new[0]:
        return bare_old, bare_new
    if bare_old == new:
        return new, new
    if bare_new == old:
        return old, old

    return old, new


def _strip_side(path: str | None, prefix: str, told: str | None) -> str | None:
    """Return the only path of a file that is created or deleted, without its prefix.

    `told` is the path as another line has it. Without one, `a/` and `b/` are prefixes.
    """
    if path is None:
        return None
    if told in {path, path[2:]}:
        return told
    return path.removeprefix(prefix)


def _judged(head: FileHeader, *, judge_paths: bool) -> FileHeader:
    """Return the header with plain paths, if they are to be judged."""
    if head.old is None and head.new is None:
        raise MalformedError("both sides are /dev/null; name the file on one of them.")
    if not judge_paths:
        return head
    return replace(head, old=_plain(head.old), new=_plain(head.new))


def _plain(path: str | None) -> str | None:
    if not path:
        return path
    return tidy_path(path)
