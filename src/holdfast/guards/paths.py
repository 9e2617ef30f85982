"""Judge which paths a model may use."""

from __future__ import annotations

from posixpath import normpath
from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

# HFS+ ignores these characters in a name; the list is that of git (`next_hfs_char`).
_IGNORED = lazy_pattern("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_GIT = lazy_pattern(r"\.git|git~[0-9]+")
"""The folder of git, and its short names on NTFS."""

_BARRED: Mapping[re.Pattern[str], str] = {
    # Python names a byte that is no UTF-8 by U+DC80 to U+DCFF: a file may have such a name.
    lazy_pattern("[\ud800-\udc7f\udd00-\udfff]"): (
        "a file name cannot contain half of a surrogate pair."
    ),
    lazy_pattern(r"\0"): "a file name cannot contain a NUL.",
    lazy_pattern(r"\A(?:/|~/|~\Z|[A-Za-z]:[\\/])"): (
        "this path is not relative to the project's root; give it from there, such as src/a.py."
    ),
    # Two dots with nothing but a slash on either side.
    lazy_pattern(r"\.\.(?<![^/]..)(?![^/])"): (
        "'..' leads out of the project; give the path relative to the project's root."
    ),
    lazy_pattern(r"\A\.?\Z|/\.?\Z"): "this names a directory; name a file.",
}
"""What a path may not contain, and why; in the order in which it is looked for."""


@dataclass(frozen=True, slots=True)
class Barred:
    """A path that may not be used; `message` says why, and what to write instead."""

    message: str


def judge_path(path: str) -> str | Barred:
    """Return the path below the root in its normal form, or why it is barred.

    This is lexical only: the file adapter resolves symlinks and judges the real path again.

    >>> judge_path("./src//a.py")
    'src/a.py'
    >>> judge_path("../a.py")
    Barred(message="../a.py: '..' leads out of the project; give the path relative to the project's root.")
    """
    if not path:
        return Barred(
            "a file is named without a path; give its path relative to the project's root."
        )

    for pattern, why in _BARRED.items():
        if pattern.search(path):
            return Barred(f"{path}: {why}")

    # NTFS separates by a backslash too.
    names = map(folded_name, path.replace("\\", "/").split("/"))
    if any(map(_GIT.fullmatch, names)):
        return Barred(f"{path}: this belongs to git itself; edit the project's files instead.")

    return normpath(path)


def folded_name(name: str) -> str:
    """Return the name that other file systems make of a name, in lower case.

    NTFS removes blanks and dots at the end, and what follows a colon is a stream of the same file;
    HFS+ ignores some characters; both ignore case. A hook is a program that git will run, whoever
    wrote it under whatever name.

    >>> folded_name(".GIT. ")
    '.git'
    """
    plain = _IGNORED.sub("", name).partition(":")[0]
    return plain.rstrip(" .").casefold()
