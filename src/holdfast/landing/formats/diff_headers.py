"""The header lines of a diff: which file, and where in it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing.formats.hunks import Malformed
from holdfast.landing.formats.paths import tidy_path
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

# ------------------------------------------------------------------------------------- hunk headers

_NUMBERED = re.compile(
    r"@@\s*-\s*([0-9]+)(?:\s*,\s*([0-9]+))?(?:\s+\+\s*([0-9]+)(?:\s*,\s*([0-9]+))?)?\s*(?:@@(.*))?$",
    re.DOTALL,
)
_ENCLOSED = re.compile(r"@@(.*?)@@(?=\s|$)(.*)$", re.DOTALL)
_LINE = re.compile(r"(?:lines?\s+)?([0-9]+)(?:\s*[-,]\s*[0-9]+)?$", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"[\s.…_?*#,+-]*$|-[\w?.…,]*\s+\+[\w?.…,]*$|(?:\.\.\.|…).*(?:\.\.\.|…)$")
_LONGEST_HEADER = 1000


@dataclass(frozen=True, slots=True)
class HunkHeader:
    """An `@@` line. Any part may be missing.

    Models leave out numbers, and put a name in their place.
    """

    start: int | None = None
    counts: tuple[int, int] | None = None
    anchor: str = ""
    section: str = ""


_BARE = HunkHeader()


def read_hunk_header(line: str) -> HunkHeader:
    """Return what an `@@` line says.

    >>> read_hunk_header("@@ -3,7 +3,8 @@ def f():")
    HunkHeader(start=3, counts=(7, 8), anchor='', section='def f():')
    >>> read_hunk_header("@@ class A:")
    HunkHeader(start=None, counts=None, anchor='class A:', section='')
    >>> read_hunk_header("@@ ... @@") == read_hunk_header("@@") == HunkHeader()
    True
    """
    if line == "@@":
        return _BARE

    numbered = _NUMBERED.match(line)
    if numbered:
        return _numbered(numbered)
    # A line of megabytes is an anchor that no file has: it needs no reading.
    if len(line) > _LONGEST_HEADER:
        return HunkHeader(anchor=line[2:].strip())

    enclosed = _ENCLOSED.match(line)
    if not enclosed:
        return _named(line[2:].strip(), "")

    return _named(enclosed[1].strip(), enclosed[2].strip())


def _numbered(found: re.Match[str]) -> HunkHeader:
    start, old, plus, new, section = found.groups()
    counts = None
    if plus is not None:
        counts = _number(old), _number(new)

    return HunkHeader(_number(start), counts, section=(section or "").strip())


def _number(digits: str | None) -> int:
    """Return the number; a count that is left out is 1."""
    # int() refuses more than 4300 digits; a count of a billion lines is wrong anyway.
    return int((digits or "1")[-9:])


def _named(name: str, section: str) -> HunkHeader:
    at_line = _LINE.match(name)
    if at_line:
        return HunkHeader(_number(at_line[1]), section=section)
    if _PLACEHOLDER.match(name):
        return HunkHeader(section=section)
    return HunkHeader(anchor=name, section=section)


# ------------------------------------------------------------------------------------- file headers

_EXTENDED = re.compile(
    r"index [0-9a-f]+\.\.[0-9a-f]+(?: [0-7]+)?\s*$"
    r"|(?:old|new|deleted file|new file) mode [0-7]+\s*$"
    r"|(?:dis)?similarity index [0-9]+%\s*$"
    r"|copy (?:from|to) \S"
)
HEADER_LETTERS = frozenset("@-*dionsrcI")
"""What a header line, of a file or of a hunk, can begin with."""
_TIMESTAMP = re.compile(r"\s+[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}[0-9:.+ Z-]*$")
_QUOTED = re.compile(r'"(.*)"', re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(.))", re.DOTALL)
_ESCAPED = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
}
_PREFIX = re.compile(r"\A[abciow]/(?=.)")


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
    if lines[at].startswith("--- "):
        return _is_next(lines, at, "+++ ")
    return _is_starred(lines, at) or _starts_extended(lines, at)


def _is_starred(lines: Sequence[str], at: int) -> bool:
    """Return whether `***` and `---` above a numbered hunk name the file, as in a context diff."""
    if not lines[at].startswith("*** ") or not _is_next(lines, at, "--- "):
        return False
    return _is_next(lines, at + 1, "@@ -")


def interrupts(lines: Sequence[str], at: int) -> bool:
    """Return whether a file's header begins here, inside of a hunk.

    What could be a change has to name a file clearly.

    A removed line `-- x` above an added line `++ y` looks just like a file's header; it is one only
    if a hunk follows, or if the two agree about the file.
    """
    line = lines[at]
    if not line.startswith("--- "):
        return _starts_extended(lines, at)
    if not _is_next(lines, at, "+++ "):
        return False

    last = at + 1
    while lines[last + 1 : last + 2] == [""]:
        last += 1

    return _is_next(lines, last, "@@") or _agree(line[4:], lines[at + 1][4:])


def _is_next(lines: Sequence[str], at: int, beginning: str) -> bool:
    """Return whether the line below line `at` begins so."""
    return any(line.startswith(beginning) for line in lines[at + 1 : at + 2])


def _agree(old: str, new: str) -> bool:
    first, second = _header_path(old), _header_path(new)
    if first is None or second is None:
        return True

    first, second = _strip_prefixes(first, second)
    return first == second


def _starts_extended(lines: Sequence[str], at: int) -> bool:
    line = lines[at]
    if line[:1] not in HEADER_LETTERS:
        return False
    if line.startswith("diff -"):
        return True
    if line.startswith("Index: "):
        return _is_next(lines, at, "=====")
    # Alone, `rename to x` may be prose.
    if line.startswith("rename from "):
        return _is_next(lines, at, "rename to ")
    if line.startswith("rename to "):
        return at > 0 and lines[at - 1].startswith("rename from ")

    return _EXTENDED.match(line) is not None


def read_file_header(lines: Sequence[str], at: int, *, judge_paths: bool) -> FileHeader | Malformed:
    """Return the header that `starts_file` found at `at`."""
    command = lines[at]
    head = FileHeader(end=at)
    for i in range(at, len(lines)):
        line = lines[i]
        if not line or line.startswith("====="):
            continue
        is_next_file = i > at and line.startswith("diff -")
        if is_next_file or not starts_file(lines, i):
            break
        if line.startswith(("--- ", "*** ")):
            head = replace(_with_names(head, line, lines[i + 1], command), end=i + 2)
            break
        changed = _with_line(head, line)
        if isinstance(changed, Malformed):
            return changed
        head = replace(changed, end=i + 1)

    return _judged(_with_command(head, command), judge_paths=judge_paths)


def _with_line(head: FileHeader, line: str) -> FileHeader | Malformed:
    """Return the header with what one of git's extended lines says."""
    for pattern, message in _UNSUPPORTED:
        if pattern.match(line):
            return Malformed(message)

    if line.startswith("rename from "):
        return replace(head, old=_unquote(line[12:].strip()), rename=True)
    if line.startswith("rename to "):
        return replace(head, new=_unquote(line[10:].strip()), rename=True)
    if line.startswith("new file mode"):
        return replace(head, old=None)
    if line.startswith("deleted file mode"):
        return replace(head, new=None)

    return head


_UNSUPPORTED = (
    (
        re.compile(r"diff --(?:cc|combined) "),
        "a combined diff of a merge has two marker columns; write a plain diff against one version.",
    ),
    (
        re.compile(r"copy "),
        "a copy cannot be applied; write the new file as a diff from /dev/null.",
    ),
    (
        re.compile(r"(?:index|.*mode).* 1[26]0000\Z"),
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
    if not command.startswith("diff --git "):
        return None

    rest = command[11:].strip()
    # Without quotes a path may contain spaces, but both sides are equally long: the space is in the
    # middle.
    middle = len(rest) // 2
    if rest.startswith('"'):
        middle = rest.find('" "', 1) + 1
    if rest[middle : middle + 1] != " ":
        return None

    old, new = _strip_prefixes(_unquote(rest[:middle]), _unquote(rest[middle + 1 :]))
    if not old or old != new:
        return None
    return old


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
    if path == "/dev/null":
        return None
    return path


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
    if path is None or path == told:
        return path
    if path[2:] == told:
        return told
    return path.removeprefix(prefix) or path


def _judged(head: FileHeader, *, judge_paths: bool) -> FileHeader | Malformed:
    old, new = _plain(head.old, judge=judge_paths), _plain(head.new, judge=judge_paths)
    if isinstance(old, Malformed):
        return old
    if isinstance(new, Malformed):
        return new
    if old is None and new is None:
        return Malformed("both sides are /dev/null; name the file on one of them.")

    return replace(head, old=old, new=new)


def _plain(path: str | None, *, judge: bool) -> str | Malformed | None:
    if not path:
        return path

    tidy = tidy_path(path)
    if isinstance(tidy, Malformed) and not judge:
        return path
    return tidy
