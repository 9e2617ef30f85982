"""Which paths a model may name."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True)
class Barred:
    """The path may not be touched; `message` says why, and what to write instead."""

    message: str


def judge_path(path: str) -> str | Barred:
    """Give the path below the root in its plain spelling, or say why it is barred.

    Lexical only: where symlinks lead is for the file border to find out, which judges the real path here again.

    >>> judge_path("./src//a.py")
    'src/a.py'
    >>> judge_path("../a.py")
    Barred(message="../a.py: '..' leads out of the project; give the path from the project's root downwards.")
    """
    if not path:
        return Barred(
            "a file is named with no path; give its path from the project's root downwards."
        )
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return Barred(f"{path}: half of a surrogate pair cannot stand in a file's name.")
    if "\0" in path:
        return Barred(f"{path}: a NUL cannot stand in a file's name.")
    if path.startswith(("/", "~/")) or path == "~" or _DRIVE.match(path):
        return Barred(
            f"{path}: this path does not start at the project's root; give it from there, such as src/a.py."
        )
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if ".." in parts:
        return Barred(
            f"{path}: '..' leads out of the project; give the path from the project's root downwards."
        )
    if not parts or path.endswith(("/", "/.")):
        return Barred(f"{path}: this names a directory; name a file.")
    # Casefolded: on macOS `.GIT/hooks/pre-commit` is the same file, and a hook is a program that git will run.
    if any(part.casefold() == ".git" for part in parts):
        return Barred(
            f"{path}: this belongs to git itself; edit the project's files and let git keep its own."
        )
    return "/".join(parts)
