"""Search in files: with ripgrep where it is installed, else with a small program of ours."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.processes.commands import environment, run_process
from holdfast.adapters.project.project_files import CACHES, list_files
from holdfast.guards.secrets import is_secret
from holdfast.tools.globs import glob_to_regex
from holdfast.tools.ports import Hit, Hits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.tools.ports import Query
    from holdfast.vocab.cancellation import Cancel

_MOST_HITS = 100
_PATIENCE = 10.0
_CHILD = Path(__file__).with_name("search_child.py")
_LARGEST_OUTPUT = 4_000_000
_SOME_LEFT_OUT = 2
"""What ripgrep ends with when it could not read the expression, or not all files."""


class DiskSearcher:
    """Searches the files below one root (port `Searcher`)."""

    def __init__(self, root: str, ripgrep: str = "rg") -> None:
        """Take the root's real path; `ripgrep` is what that program is called, if it is installed."""
        self._root = os.path.realpath(root)
        self._ripgrep = shutil.which(ripgrep)

    def find(self, query: Query, cancel: Cancel) -> Hits:
        """Give the lines that match."""
        if self._ripgrep and not query.instead:
            found = self._ask_ripgrep(self._ripgrep, query, cancel)
            if found is not None:
                return found
        return self._search(query, cancel)

    # ------------------------------------------------------------------------------------------------ our own program

    def _search(self, query: Query, cancel: Cancel) -> Hits:
        asked = {
            "root": self._root,
            "pattern": re.escape(query.pattern) if query.literal else query.pattern,
            "paths": self._paths(query),
            "texts": {
                path: text for path, text in (query.instead or {}).items() if text is not None
            },
            "most": _MOST_HITS + 1,
        }
        output = _Output()
        with tempfile.TemporaryFile() as given:
            given.write(json.dumps(asked, ensure_ascii=False).encode("utf-8", "surrogatepass"))
            given.seek(0)
            run_process(
                [sys.executable, "-I", "-S", str(_CHILD)],
                self._root,
                environment(()),
                _PATIENCE,
                cancel,
                take=output.take,
                errors=subprocess.DEVNULL,
                given=given.fileno(),
            )
        read = [json.loads(line) for line in output.lines()]
        hits = [Hit(*each) for each in read if each is not None]
        more = len(hits) > _MOST_HITS
        return Hits(tuple(hits[:_MOST_HITS]), more, late=not more and None not in read)

    def _paths(self, query: Query) -> list[str]:
        instead = query.instead or {}
        names = list_files(self._root, query.under).paths or ((query.under,) if query.under else ())
        known = {path for path in names if instead.get(path, "") is not None}
        known |= {
            path
            for path, text in instead.items()
            if text is not None and _is_below(path, query.under)
        }
        return sorted(path for path in known if _is_wanted(path, query))

    # ---------------------------------------------------------------------------------------------------------- ripgrep

    def _ask_ripgrep(self, program: str, query: Query, cancel: Cancel) -> Hits | None:
        """Ask ripgrep; None if it cannot read the expression: Python's has more, such as looking behind."""
        output = _Output()
        ended = run_process(
            [program, *_words(query)],
            self._root,
            environment(()),
            _PATIENCE,
            cancel,
            take=output.take,
            errors=subprocess.DEVNULL,
        )
        if ended.code == _SOME_LEFT_OUT and not output.data:
            return None
        found = [
            hit
            for line in output.lines()
            if (hit := _read(line)) is not None and _is_wanted(hit.path, query)
        ]
        found.sort(key=lambda hit: (hit.path, hit.line))
        return Hits(
            tuple(found[:_MOST_HITS]), len(found) > _MOST_HITS or output.full, late=ended.timed_out
        )


def _words(query: Query) -> Sequence[str]:
    ignored = [word for name in sorted(CACHES) for word in ("--glob", f"!**/{name}/**")]
    return [
        "--no-config",
        "--json",
        "--crlf",
        "--hidden",
        "--no-messages",
        "--max-filesize=2M",
        *(["--multiline"] if r"\n" in query.pattern or "\n" in query.pattern else []),
        *(["--fixed-strings"] if query.literal else []),
        *ignored,
        f"--regexp={query.pattern}",
        "--",
        f"./{query.under}" if query.under else ".",
    ]


def _read(line: bytes) -> Hit | None:
    record = json.loads(line)
    if record["type"] != "match":
        return None
    data = record["data"]
    path, text = _bytes(data["path"]), _bytes(data["lines"]).decode("utf-8", "replace")
    return Hit(
        os.fsdecode(path.removeprefix(b"./")), data["line_number"], text.split("\n")[0].rstrip("\r")
    )


def _bytes(value: Mapping[str, str]) -> bytes:
    """Read what ripgrep writes as text, or in base64 where it is no UTF-8."""
    return value["text"].encode() if "text" in value else base64.b64decode(value["bytes"])


def _is_below(path: str, under: str) -> bool:
    return not under or path == under or path.startswith(f"{under}/")


def _is_wanted(path: str, query: Query) -> bool:
    # A file that was named is wanted, secrets or not: somebody has been asked about it.
    if path == query.under:
        return True
    if is_secret(path):
        return False
    if query.glob is None:
        return True
    expression = glob_to_regex(query.glob)
    below = path[len(query.under) + 1 :] if query.under else path
    return bool(expression.fullmatch(path) or expression.fullmatch(below))


class _Output:
    """What a search prints, up to a size."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.full = False

    def take(self, data: bytes) -> bool:
        self.data += data
        self.full = len(self.data) > _LARGEST_OUTPUT
        return not self.full

    def lines(self) -> list[bytes]:
        """Give the whole lines: the last one may have been cut."""
        *whole, _ = bytes(self.data).split(b"\n")
        return [line for line in whole if line]
