"""Judge which paths a model may use."""

from __future__ import annotations

import re

from holdfast.vocab.lazy_dataclass import dataclass

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


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
    # Casefolded: on macOS `.GIT/hooks/pre-commit` is the same file, and a hook is a program that
    # git will run.
    if any(part.casefold() == ".git" for part in parts):
        return Barred(f"{path}: this belongs to git itself; edit the project's files instead.")
    return "/".join(parts)
