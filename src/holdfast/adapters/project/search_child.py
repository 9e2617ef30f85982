"""The search itself, in a process of its own: an expression can keep Python's `re` busy until it is killed.

Started as a script with `python -I -S`, for speed; so it imports nothing but the standard library.
Reads one JSON object, prints one JSON line a match, `null` at the end if all files were read.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from typing import Any

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_LARGEST = 2_000_000
_LONGEST_LINE = 1_000
_ENDING = re.compile(r"\r\n?")


class Reader:
    """Reads files below a root by descriptors, so that no symlink is followed; keeps the last directory open."""

    def __init__(self, root: str) -> None:
        """Open the root."""
        self._root = os.open(root, _DIRECTORY)
        self._at = ""
        self._here = self._root

    def read(self, path: str) -> bytes | None:
        """Give what a regular file of modest size holds; None for anything else."""
        directory, _, name = path.rpartition("/")
        try:
            self._enter(directory)
            handle = os.open(name, _READ, dir_fd=self._here)
        except OSError:
            return None
        with os.fdopen(handle, "rb") as file:
            there = os.fstat(handle)
            return (
                file.read() if stat.S_ISREG(there.st_mode) and there.st_size <= _LARGEST else None
            )

    def _enter(self, directory: str) -> None:
        if directory == self._at:
            return
        if self._here != self._root:
            os.close(self._here)
        self._at, self._here = "", self._root
        here = self._root
        for part in directory.split("/") if directory else ():
            inner = os.open(part, _DIRECTORY, dir_fd=here)
            if here != self._root:
                os.close(here)
            here = inner
        self._at, self._here = directory, here


def search(asked: dict[str, Any]) -> None:
    """Print the matches, and `null` after the last file."""
    expression = re.compile(asked["pattern"])
    reader = Reader(asked["root"])
    room = asked["most"]
    texts: dict[str, str] = asked["texts"]
    for path in asked["paths"]:
        text = texts.get(path)
        if text is None:
            data = reader.read(path)
            if data is None or b"\0" in data[:8_192]:
                continue
            text = data.decode("utf-8", "replace")
        for number, line in matches(expression, text):
            sys.stdout.write(json.dumps([path, number, line[:_LONGEST_LINE]]) + "\n")
            room -= 1
            if not room:
                return
    sys.stdout.write("null\n")


def matches(expression: re.Pattern[str], text: str) -> list[tuple[int, str]]:
    """Give the lines that match, with their numbers; of a match over several lines the first."""
    text = _ENDING.sub("\n", text)
    if "\n" in expression.pattern or r"\n" in expression.pattern:
        found = {text.count("\n", 0, match.start()) for match in expression.finditer(text)}
        lines = text.split("\n")
        return [(number + 1, lines[number]) for number in sorted(found)]
    return [
        (number, line) for number, line in enumerate(text.split("\n"), 1) if expression.search(line)
    ]


if __name__ == "__main__":
    search(json.loads(sys.stdin.buffer.read().decode("utf-8", "surrogatepass")))
