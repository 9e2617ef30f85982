"""Search in files: with ripgrep if it is installed, otherwise with `search_child.py`."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.processes.child_process import run_process
from holdfast.adapters.processes.environment import environment
from holdfast.adapters.processes.project_programs import path_outside
from holdfast.adapters.project.project_files import CACHES, list_files
from holdfast.adapters.project.secret_files import linked_secrets
from holdfast.guards.secrets import is_secret
from holdfast.tools.globs import glob_to_regex
from holdfast.tools.ports import Hit, Hits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.tools.ports import Query
    from holdfast.vocab.cancellation import Cancel

_HIT_LIMIT = 100
_TIMEOUT = 10.0
_CHILD = Path(__file__).with_name("search_child.py")
_OUTPUT_LIMIT = 4_000_000
_RIPGREP_ERROR = 2
"""The exit code of ripgrep if it rejects the expression, or could not read all files."""


class DiskSearcher:
    """The search in the files below one root (port `Searcher`)."""

    def __init__(self, root: str, ripgrep: str = "rg") -> None:
        """Resolve the root to its real path; `ripgrep` is the name of that program."""
        self._root = os.path.realpath(root)
        self._ripgrep = shutil.which(ripgrep, path=path_outside(Path(self._root)))

    def find(self, query: Query, cancel: Cancel) -> Hits:
        """Return the lines that match."""
        found = None
        if self._ripgrep and not query.instead:
            found = self._search_with_ripgrep(self._ripgrep, query, cancel)
        if found is None:
            found = self._search_with_child(query, cancel)
        return self._without_linked_secrets(found, query)

    def _without_linked_secrets(self, found: Hits, query: Query) -> Hits:
        """Return the hits but for those in files that have the name of a secret elsewhere."""
        paths = {hit.path for hit in found.hits} - {query.under}
        linked = linked_secrets(self._root, paths)
        if not linked:
            return found
        return replace(found, hits=tuple(hit for hit in found.hits if hit.path not in linked))

    def _search_with_child(self, query: Query, cancel: Cancel) -> Hits:
        pattern = query.pattern
        if query.literal:
            pattern = re.escape(pattern)

        request = {
            "root": self._root,
            "pattern": pattern,
            "paths": self._paths(query),
            "texts": _replaced_texts(query),
            "limit": _HIT_LIMIT + 1,
        }
        output = _Output()
        with tempfile.TemporaryFile() as stdin:
            stdin.write(json.dumps(request, ensure_ascii=False).encode("utf-8", "surrogatepass"))
            stdin.seek(0)
            run_process(
                [sys.executable, "-I", "-S", str(_CHILD)],
                self._root,
                environment(),
                _TIMEOUT,
                cancel,
                on_output=output.add,
                stderr=subprocess.DEVNULL,
                stdin=stdin.fileno(),
            )

        records = [json.loads(line) for line in output.lines()]
        hits = [Hit(*record) for record in records if record is not None]
        more = len(hits) > _HIT_LIMIT
        finished = None in records
        return Hits(tuple(hits[:_HIT_LIMIT]), more, late=not more and not finished)

    def _paths(self, query: Query) -> list[str]:
        """Return the files to search: those on the disk, as changed by `query.instead`."""
        paths = set(list_files(self._root, query.under).paths)
        if not paths and query.under:
            paths.add(query.under)

        for path, text in (query.instead or {}).items():
            if text is None:
                paths.discard(path)
            elif _is_below(path, query.under):
                paths.add(path)

        return sorted(path for path in paths if _is_wanted(path, query))

    def _search_with_ripgrep(self, program: str, query: Query, cancel: Cancel) -> Hits | None:
        """Search with ripgrep; return None if it rejects the expression.

        Python's expressions have more features, such as look-behind.
        """
        output = _Output()
        ended = run_process(
            [program, *_ripgrep_arguments(query)],
            self._root,
            environment(),
            _TIMEOUT,
            cancel,
            on_output=output.add,
            stderr=subprocess.DEVNULL,
        )
        if ended.code == _RIPGREP_ERROR and not output.data:
            return None

        hits: list[Hit] = []
        for line in output.lines():
            hit = _parse_ripgrep(line)
            if hit is not None and _is_wanted(hit.path, query):
                hits.append(hit)

        hits.sort(key=lambda hit: (hit.path, hit.line))
        more = len(hits) > _HIT_LIMIT or output.full
        return Hits(tuple(hits[:_HIT_LIMIT]), more, late=ended.timed_out)


def _replaced_texts(query: Query) -> dict[str, str]:
    texts = query.instead or {}
    return {path: text for path, text in texts.items() if text is not None}


def _ripgrep_arguments(query: Query) -> Sequence[str]:
    arguments = [
        "--no-config",
        "--json",
        "--crlf",
        "--hidden",
        "--no-messages",
        "--max-filesize=2M",
    ]
    if r"\n" in query.pattern or "\n" in query.pattern:
        arguments.append("--multiline")

    if query.literal:
        arguments.append("--fixed-strings")

    for name in sorted(CACHES):
        arguments += ["--glob", f"!**/{name}/**"]

    place = f"./{query.under}" if query.under else "."
    return [*arguments, f"--regexp={query.pattern}", "--", place]


def _parse_ripgrep(line: bytes) -> Hit | None:
    """Return the match in a line of ripgrep's output, or None for another record."""
    record = json.loads(line)
    if record["type"] != "match":
        return None

    data = record["data"]
    path = _bytes(data["path"]).removeprefix(b"./")
    text = _bytes(data["lines"]).decode("utf-8", "replace")
    first_line = text.split("\n")[0].rstrip("\r")
    return Hit(os.fsdecode(path), data["line_number"], first_line)


def _bytes(value: Mapping[str, str]) -> bytes:
    """Return a string of ripgrep's output: text, or base64 if it is not UTF-8."""
    if "text" in value:
        return value["text"].encode()
    return base64.b64decode(value["bytes"])


def _is_below(path: str, under: str) -> bool:
    if under in {"", path}:
        return True
    return path.startswith(f"{under}/")


def _is_wanted(path: str, query: Query) -> bool:
    # A file named by the query is wanted even if it has secrets: the user was asked about it.
    if path == query.under:
        return True
    if is_secret(path):
        return False
    if query.glob is None:
        return True

    expression = glob_to_regex(query.glob)
    if expression.fullmatch(path):
        return True
    if not query.under:
        return False

    below = path[len(query.under) + 1 :]
    return expression.fullmatch(below) is not None


class _Output:
    """The output of a search, up to a limit."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.full = False

    def add(self, data: bytes) -> bool:
        """Add a chunk; return whether there is room for more."""
        self.data += data
        self.full = len(self.data) > _OUTPUT_LIMIT
        return not self.full

    def lines(self) -> list[bytes]:
        """Return the whole lines: the last line may have been cut."""
        *whole, _ = bytes(self.data).split(b"\n")
        return [line for line in whole if line]
