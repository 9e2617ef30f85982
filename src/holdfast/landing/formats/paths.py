"""The path a notation names, in its plain spelling."""

from __future__ import annotations

import re

from holdfast.landing.formats.hunks import MalformedError

_DRIVE = re.compile(r"[A-Za-z]:")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")


def tidy_path(path: str) -> str:
    r"""Return the path below the project's root, or raise `MalformedError`. Lexical.

    The file adapter resolves symlinks.

    >>> tidy_path("./src//a.py")
    'src/a.py'
    >>> tidy_path("../a.py")
    Traceback (most recent call last):
    holdfast.landing.formats.hunks.MalformedError: the path ../a.py leaves the project; write it from the project root, such as src/a.py.
    """
    shown = shorten(path)
    if _UNPRINTABLE.search(path):
        raise MalformedError(
            f"the path {shown} contains a control character; write the file's plain name."
        )
    if path.startswith("/") or _DRIVE.match(path):
        raise MalformedError(
            f"the path {shown} is absolute; write it from the project root, such as src/a.py."
        )
    if "\\" in path:
        raise MalformedError(
            f"the path {shown} has backslashes; write it with /, from the project root."
        )

    parts = [part for part in path.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise MalformedError(
            f"the path {shown} leaves the project; write it from the project root, such as src/a.py."
        )
    if not parts:
        raise MalformedError("the path is empty; write it from the project root, such as src/a.py.")

    return "/".join(parts)


def shorten(text: str, limit: int = 60) -> str:
    r"""Return the text on one line, cut to `limit` characters: what a message quotes.

    >>> shorten("a\tb\nc"), shorten("abcdefgh", limit=4)
    ('a b c', 'abc…')
    """
    # Cut first: the text may be one line of several megabytes.
    plain = " ".join(_UNPRINTABLE.sub(" ", text[: 4 * limit]).split())
    if len(plain) <= limit:
        return plain
    return plain[: limit - 1] + "…"
