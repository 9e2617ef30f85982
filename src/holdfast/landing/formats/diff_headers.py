"""The header lines of a diff: which file, and where in it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing.formats.hunks import Malformed
from holdfast.landing.formats.paths import tidy_path
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    counts = None if plus is None else (_number(old, absent=1), _number(new, absent=1))
    return HunkHeader(_number(start, absent=0), counts, section=(section or "").strip())


def _number(digits: str | None, *, absent: int) -> int:
    # int() refuses more than 4300 digits; a count of a billion lines is wrong anyway.
    return absent if digits is None else int(digits[-9:])


def _named(name: str, section: str) -> HunkHeader:
    at_line = _LINE.match(name)
    if at_line:
        return HunkHeader(_number(at_line[1], absent=0), section=section)
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
HEADER_LETTERS = frozenset("@-dionsrcI")
"""What a header line, of a file or of a hunk, can begin with."""
_TIMESTAMP = re.compile(r"\s+[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}[0-9:.+ Z-]*$")
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_MNEMONIC = re.compile(r"([abciow])/(?=.)")


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


def starts_file(lines: Sequence[str], at: int) -> bool:
    """Return whether a file's header begins here, at a place that is outside of any hunk."""
    line = lines[at]
    if line.startswith("--- "):
        return at + 1 < len(lines) and lines[at + 1].startswith("+++ ")
    return _starts_extended(lines, at)


def interrupts(lines: Sequence[str], at: int) -> bool:
    """Return whether a file's header begins here, inside of a hunk.

    What could be a change has to name a file clearly.

    A removed line `-- x` above an added line `++ y` looks just like a file's header; it is one only
    if a hunk follows, or if the two agree about the file.
    """
    line = lines[at]
    if not line.startswith("--- "):
        return _starts_extended(lines, at)
    if at + 1 >= len(lines) or not lines[at + 1].startswith("+++ "):
        return False
    below = at + 2
    while below < len(lines) and not lines[below]:
        below += 1
    return (below < len(lines) and lines[below].startswith("@@")) or _agree(
        line[4:], lines[at + 1][4:]
    )


def _agree(old: str, new: str) -> bool:
    first, second = _strip_prefixes(_header_path(old), _header_path(new))
    return first is None or second is None or first == second


def _starts_extended(lines: Sequence[str], at: int) -> bool:
    line = lines[at]
    if line[:1] not in HEADER_LETTERS:
        return False
    if line.startswith("diff -"):
        return True
    if line.startswith("Index: "):
        return at + 1 < len(lines) and lines[at + 1].startswith("=====")
    # Alone, `rename to x` may be prose.
    if line.startswith("rename from "):
        return at + 1 < len(lines) and lines[at + 1].startswith("rename to ")
    if line.startswith("rename to "):
        return at > 0 and lines[at - 1].startswith("rename from ")
    return _EXTENDED.match(line) is not None


def read_file_header(lines: Sequence[str], at: int, *, judge_paths: bool) -> FileHeader | Malformed:
    """Return the header that `starts_file` found at `at`."""
    head = FileHeader(end=at)
    command = lines[at] if lines[at].startswith("diff -") else ""
    for i in range(at, len(lines)):
        line = lines[i]
        if not line or line.startswith("====="):
            continue
        if line.startswith("--- ") and starts_file(lines, i):
            head = replace(_with_names(head, line, lines[i + 1], command), end=i + 2)
            break
        if not _starts_extended(lines, i) or (line.startswith("diff -") and i > at):
            break
        changed = _with_line(head, line)
        if isinstance(changed, Malformed):
            return changed
        head = replace(changed, end=i + 1)
    if not head.named and not head.rename:
        head = _with_command(head, command)
    return _judged(head, judge_paths=judge_paths)


def _with_line(head: FileHeader, line: str) -> FileHeader | Malformed:
    for applies, message in _UNSUPPORTED:
        if applies(line):
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


def _is_combined(line: str) -> bool:
    return line.startswith(("diff --cc ", "diff --combined "))


def _is_copy(line: str) -> bool:
    return line.startswith("copy ")


def _is_link(line: str) -> bool:
    return line.endswith((" 120000", " 160000")) and ("mode" in line or line.startswith("index"))


_UNSUPPORTED: tuple[tuple[Callable[[str], bool], str], ...] = (
    (
        _is_combined,
        "a combined diff of a merge has two marker columns; write a plain diff against one version.",
    ),
    (_is_copy, "a copy cannot be applied; write the new file as a diff from /dev/null."),
    (_is_link, "a symbolic link or submodule cannot be applied; write only changes of text files."),
)


def _with_names(head: FileHeader, minus: str, plus: str, command: str) -> FileHeader:
    if head.rename:
        return replace(head, named=True)
    old, new = _header_path(minus[4:]), _header_path(plus[4:])
    old, new = (
        _strip_one_sided(old, new, command)
        if old is None or new is None
        else _strip_prefixes(old, new)
    )
    return replace(
        head,
        old=None if head.old is None else old,
        new=None if head.new is None else new,
        named=True,
    )


def _with_command(head: FileHeader, command: str) -> FileHeader:
    """Take the path from `diff --git a/x b/x`.

    An empty file that is created or deleted has no other line.
    """
    paths = _command_paths(command)
    if paths is None:
        return head
    old, new = paths
    return replace(
        head, old=None if head.old is None else old, new=None if head.new is None else new
    )


def _command_paths(command: str) -> tuple[str, str] | None:
    if not command.startswith("diff --git "):
        return None
    rest = command[11:].strip()
    if rest.startswith('"'):
        middle = rest.find('" "')
        old, new = (
            (_unquote(rest[: middle + 1]), _unquote(rest[middle + 2 :])) if middle > 0 else ("", "")
        )
    else:
        # Without quotes a path may contain spaces, but both sides are equally long: the space is in
        # the middle.
        middle = len(rest) // 2
        old, new = (
            (rest[:middle], rest[middle + 1 :]) if rest[middle : middle + 1] == " " else ("", "")
        )
    first, second = _strip_prefixes(old, new)
    return (first, second) if first and first == second else None


def _header_path(written: str) -> str | None:
    """Return the path behind `--- ` or `+++ `.

    Without its timestamp, its quotes and the prefix `./`.
    """
    path = written.split("\t", 1)[0].strip() if not written.startswith('"') else written.strip()
    if path.startswith('"'):
        return _unquote(path[: path.rfind('"') + 1] or path)
    stamped = _TIMESTAMP.search(path, max(0, len(path) - 60))
    path = path[: stamped.start()] if stamped else path
    return None if path == "/dev/null" else path


def _unquote(path: str) -> str:
    r"""Undo the C escapes that git writes in a quoted path.

    >>> _unquote('"a/\\303\\266 \\"x\\".txt"'), _unquote("plain")
    ('a/ö "x".txt', 'plain')
    """
    if len(path) < 2 or not (path.startswith('"') and path.endswith('"')):
        return path
    raw = bytearray()
    at = 0
    inner = path[1:-1]
    for found in _ESCAPE.finditer(inner):
        raw += inner[at : found.start()].encode("utf-8", "surrogatepass")
        raw += _escaped_byte(found[1])
        at = found.end()
    raw += inner[at:].encode("utf-8", "surrogatepass")
    return raw.decode("utf-8", "surrogateescape")


def _escaped_byte(code: str) -> bytes:
    if code.isascii() and code.isdigit():
        return bytes([int(code, 8) & 255])
    return bytes([_ESCAPED[code]]) if code in _ESCAPED else code.encode("utf-8", "surrogatepass")


def _strip_prefixes(old: str | None, new: str | None) -> tuple[str | None, str | None]:
    """Return both paths without git's prefixes, if both have one, or if without them they are the same path.

    >>> _strip_prefixes("a/x", "b/x"), _strip_prefixes("i/x", "w/x"), _strip_prefixes("a/x", "a/x")
    (('x', 'x'), ('x', 'x'), ('a/x', 'a/x'))
    >>> _strip_prefixes("a/x", "x")
    ('x', 'x')
    """
    if old is None or new is None or old == new:
        return old, new
    first, second = _MNEMONIC.match(old), _MNEMONIC.match(new)
    if first and second and first[1] != second[1]:
        return old[2:], new[2:]
    if first and old[2:] == new:
        return new, new
    if second and new[2:] == old:
        return old, old
    return old, new


def _strip_one_sided(
    old: str | None, new: str | None, command: str
) -> tuple[str | None, str | None]:
    """Beside `/dev/null` the `diff --git` line shows what is a prefix.

    Without one `a/` and `b/` are.
    """
    paths = _command_paths(command)
    told = paths[0] if paths else None
    return _strip_side(old, "a/", told), _strip_side(new, "b/", told)


def _strip_side(path: str | None, prefix: str, told: str | None) -> str | None:
    if path is None or path == told:
        return path
    if told is not None and path[2:] == told:
        return told
    return path[2:] if path.startswith(prefix) and len(path) > 2 else path


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
    return path if isinstance(tidy, Malformed) and not judge else tidy
