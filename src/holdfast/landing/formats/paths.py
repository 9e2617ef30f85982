"""The path a notation names, in its plain spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing.formats.hunks import MalformedError
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

_UNPRINTABLE = lazy_pattern(r"[\x00-\x1f\x7f]")


def tidy_path(path: str) -> str:
    r"""Return the path below the project's root, or raise `MalformedError`. Lexical.

    The file adapter resolves symlinks.

    >>> tidy_path("./src//a.py")
    'src/a.py'
    >>> tidy_path("../a.py")
    Traceback (most recent call last):
    holdfast.landing.formats.hunks.MalformedError: the path ../a.py leaves the project; write it from the project root, such as src/a.py.
    """
    for pattern, what in _FAULTS:
        if pattern.search(path):
            raise MalformedError(f"the path {shorten(path)} {what}")

    parts = [part for part in path.split("/") if part not in {"", "."}]
    if not parts:
        raise MalformedError("the path is empty; write it from the project root, such as src/a.py.")
    return "/".join(parts)


_FAULTS = (
    (_UNPRINTABLE, "contains a control character; write the file's plain name."),
    (
        lazy_pattern(r"\A(?:/|[A-Za-z]:)"),
        "is absolute; write it from the project root, such as src/a.py.",
    ),
    (lazy_pattern(r"\\"), "has backslashes; write it with /, from the project root."),
    (
        lazy_pattern(r"(?:\A|/)\.\.(?:/|\Z)"),
        "leaves the project; write it from the project root, such as src/a.py.",
    ),
)


def path_at(written: str, number: int, fault: Callable[[str, int], MalformedError]) -> str:
    """Return the path of a line, or raise the fault of this line."""
    try:
        return tidy_path(written)
    except MalformedError as error:
        raise fault(str(error), number) from error


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
