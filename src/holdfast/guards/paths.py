"""Judge which paths a model may use."""

from __future__ import annotations

import re

from holdfast.vocab.lazy_dataclass import dataclass

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
# HFS+ ignores these characters in a name; the list is that of git (`next_hfs_char`).
_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_SHORT_GIT = re.compile(r"git~[0-9]+")


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
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return Barred(f"{path}: a file name cannot contain half of a surrogate pair.")
    if "\0" in path:
        return Barred(f"{path}: a file name cannot contain a NUL.")
    if path.startswith(("/", "~/")) or path == "~" or _DRIVE.match(path):
        return Barred(
            f"{path}: this path is not relative to the project's root; give it from there, such as src/a.py."
        )
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if ".." in parts:
        return Barred(
            f"{path}: '..' leads out of the project; give the path relative to the project's root."
        )
    if not parts or path.endswith(("/", "/.")):
        return Barred(f"{path}: this names a directory; name a file.")
    if any(map(_is_git, parts)):
        return Barred(f"{path}: this belongs to git itself; edit the project's files instead.")
    return "/".join(parts)


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


def _is_git(part: str) -> bool:
    """Return whether a part of a path is `.git` on some file system.

    NTFS separates by a backslash too.
    """
    for name in part.split("\\"):
        folded = folded_name(name)
        if folded == ".git" or _SHORT_GIT.fullmatch(folded):
            return True
    return False
