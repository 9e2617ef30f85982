"""One run of a tool: in a group of its own, without our environment, within a time limit and an output cap."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdfast.adapters.processes.commands import run_process
from holdfast.repair.ports import CheckCrashed
from holdfast.vocab.cancellation import Cancel

LARGEST_OUTPUT = 8_000_000
_GRACE = 0.2
"""A compiler has nothing to save."""

# What a compiler needs to find its parts. Nothing else of ours is its business: no keys, and no `CFLAGS` or
# `JAVA_TOOL_OPTIONS` that make today's answer differ from yesterday's.
_INHERITED = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "JAVA_HOME",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "GOMODCACHE",
    "XDG_CACHE_HOME",
)
_SETTINGS = {
    "LC_ALL": "C",
    "LANG": "C",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "CARGO_TERM_COLOR": "never",
    "RUSTUP_AUTO_INSTALL": "0",
    "GOTOOLCHAIN": "local",
    "PYTHONUTF8": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
NEVER = threading.Event()
"""Nobody cancels."""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """What a run left: `code` is negative for a signal; `flooded`: it wrote more than anybody reads, and was ended."""

    code: int
    output: str
    timed_out: bool = False
    flooded: bool = False


def scrubbed() -> dict[str, str]:
    """Give the environment that a compiler gets."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ} | _SETTINGS


def run_tool(
    argv: Sequence[str],
    cwd: str,
    deadline: float,
    *,
    variables: Mapping[str, str] | None = None,
    given: bytes = b"",
    cancel: Cancel = NEVER,
) -> ToolRun:
    """Run a tool until `deadline` (of `time.monotonic`), with `given` to read; raises `CheckCrashed` if it cannot.

    One that is cancelled is ended as if its time were up.
    """
    output = _Output()
    with tempfile.TemporaryFile() as stream:
        stream.write(given)
        stream.seek(0)
        try:
            ended = run_process(
                argv,
                cwd,
                scrubbed() | dict(variables or {}),
                max(deadline - time.monotonic(), 0.0),
                cancel,
                on_output=output.take,
                stdin=stream.fileno(),
                grace=_GRACE,
            )
        except OSError as error:
            raise CheckCrashed(
                f"{argv[0]}: this cannot be run ({error.strerror}); install it anew."
            ) from error
    return ToolRun(ended.code, output.text(), ended.timed_out or ended.cancelled, output.is_full)


class _Output:
    """What a tool writes, up to the cap."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self.is_full = False

    def take(self, data: bytes) -> bool:
        self._bytes += data[: LARGEST_OUTPUT - len(self._bytes)]
        self.is_full = len(self._bytes) >= LARGEST_OUTPUT
        return not self.is_full

    def text(self) -> str:
        return self._bytes.decode("utf-8", "replace")
