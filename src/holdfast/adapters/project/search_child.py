"""The search with Python's `re`, in its own process: an expression can run until it is killed.

Started as a script with `python -I -S`, for speed, and imports only the standard library. Reads one
JSON object; prints one JSON line per match, and `null` at the end if all files were read.
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
_SIZE_LIMIT = 2_000_000
_LINE_LIMIT = 1_000
_ENDING = re.compile(r"\r\n?")


class Reader:
    """A reader of the files below a root. It follows no symlink; the last directory stays open."""

    def __init__(self, root: str) -> None:
        """Open the root."""
        self._root = os.open(root, _DIRECTORY)
        self._at = ""
        self._here = self._root

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a regular file of limited size; None for anything else."""
        directory, _, name = path.rpartition("/")
        try:
            self._enter(directory)
            handle = os.open(name, _READ, dir_fd=self._here)
        except OSError:
            return None

        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _SIZE_LIMIT:
                return None
            return file.read()

    def _enter(self, directory: str) -> None:
        if directory == self._at:
            return

        if self._here != self._root:
            os.close(self._here)

        self._at, self._here = "", self._root
        here = self._root
        parts = directory.split("/") if directory else []
        for part in parts:
            inner = os.open(part, _DIRECTORY, dir_fd=here)
            if here != self._root:
                os.close(here)
            here = inner

        self._at, self._here = directory, here


def search(request: dict[str, Any]) -> None:
    """Print the matches, and `null` after the last file."""
    expression = re.compile(request["pattern"])
    reader = Reader(request["root"])
    room = request["limit"]
    texts: dict[str, str] = request["texts"]
    for path in request["paths"]:
        text = texts.get(path)
        if text is None:
            text = read_text(reader, path)
        if text is None:
            continue
        for number, line in matches(expression, text):
            sys.stdout.write(json.dumps([path, number, line[:_LINE_LIMIT]]) + "\n")
            room -= 1
            if not room:
                return

    sys.stdout.write("null\n")


def read_text(reader: Reader, path: str) -> str | None:
    """Return the text of a file, or None if it cannot be read or is binary."""
    data = reader.read(path)
    if data is None or b"\0" in data[:8_192]:
        return None
    return data.decode("utf-8", "replace")


def matches(expression: re.Pattern[str], text: str) -> list[tuple[int, str]]:
    """Return the lines that match, with their numbers; of a multi-line match the first line."""
    text = _ENDING.sub("\n", text)
    lines = text.split("\n")
    found: set[int] = set()
    if "\n" in expression.pattern or r"\n" in expression.pattern:
        for match in expression.finditer(text):
            found.add(text.count("\n", 0, match.start()))
    else:
        for index, line in enumerate(lines):
            if expression.search(line):
                found.add(index)

    return [(index + 1, lines[index]) for index in sorted(found)]


if __name__ == "__main__":
    search(json.loads(sys.stdin.buffer.read().decode("utf-8", "surrogatepass")))
