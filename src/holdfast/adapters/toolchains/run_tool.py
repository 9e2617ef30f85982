"""One run of a tool: in its own process group and environment, with limits on time and output."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.processes.project_programs import path_outside
from holdfast.adapters.processes.sandbox.sandbox import UNCONFINED, Sandbox
from holdfast.repair.ports import CheckCrashed
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.vocab.cancellation import Cancel

LARGEST_OUTPUT = 8_000_000
_GRACE = 0.2
"""Seconds until a stopped tool is killed: a compiler has nothing to save."""

# What a compiler needs to find its parts. Nothing else is inherited: no keys, and no `CFLAGS` or
# `JAVA_TOOL_OPTIONS`, with which the same code would get another answer.
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
"""A cancel event that is never set."""


class RunningTools:
    """The number of tools that this process runs now."""

    def __init__(self) -> None:
        """Begin with none."""
        self.count = 0
        self._guard = threading.Lock()

    def __enter__(self) -> None:
        """Count a tool that starts."""
        with self._guard:
            self.count += 1

    def __exit__(self, *_: object) -> None:
        """Count a tool that has ended."""
        with self._guard:
            self.count -= 1


RUNNING_TOOLS = RunningTools()


@dataclass(frozen=True, slots=True)
class ToolPlace:
    """Where a tool runs: in a sandbox in which it may change its scratch folder and nothing else.

    `root` is the project, which the tool reads. Without `own_code` neither the tool nor what it
    starts by name (the `node` of a script) is a program of the project.
    """

    sandbox: Sandbox = UNCONFINED
    root: str = "/"
    scratch: str | None = None
    own_code: bool = False

    @property
    def writable(self) -> tuple[str, ...]:
        """The directories that a tool may change."""
        return (self.scratch,) if self.scratch else ()

    @property
    def variables(self) -> dict[str, str]:
        """The variables that decide where a tool finds the programs that it starts."""
        return {} if self.own_code else {"PATH": path_outside(Path(self.root))}


@dataclass(frozen=True, slots=True)
class ToolRun:
    """The result of a run: `code` is negative for a signal.

    `flooded` means that the tool wrote more than the limit and was stopped.
    """

    code: int
    output: str
    timed_out: bool = False
    flooded: bool = False


def run_tool(
    argv: Sequence[str],
    cwd: str,
    deadline: float,
    *,
    variables: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    cancel: Cancel = NEVER,
    place: ToolPlace = ToolPlace(),  # noqa: B008 - frozen
) -> ToolRun:
    """Run a tool until `deadline` (of `time.monotonic`); raise `CheckCrashed` if it cannot run.

    A cancelled run counts as timed out.
    """
    output = _Output()
    with RUNNING_TOOLS, tempfile.TemporaryFile() as stream:
        stream.write(stdin)
        stream.seek(0)
        try:
            ended = place.sandbox.run(
                argv,
                "read",
                root=place.root,
                cwd=cwd,
                variables=_tool_environment() | dict(variables or {}) | place.variables,
                timeout=max(deadline - time.monotonic(), 0.0),
                cancel=cancel,
                on_output=output.append,
                stdin=stream.fileno(),
                grace=_GRACE,
                # What a check reads can be in its output, which a model is shown.
                git="read" if place.own_code else "hidden",
                writable=place.writable,
            )
        except OSError as error:
            raise CheckCrashed(
                f"{argv[0]}: this cannot be run ({error.strerror}); reinstall it."
            ) from error

    if ended.stopped_for:
        raise CheckCrashed(
            f"{argv[0]}: {ended.stopped_for} was replaced while this ran, and was no longer kept "
            "from it; run it again."
        )
    return ToolRun(ended.code, output.text(), ended.timed_out or ended.cancelled, output.is_full)


def _tool_environment() -> dict[str, str]:
    """Return the environment variables of a compiler."""
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return inherited | _SETTINGS


class _Output:
    """The output of a tool, up to the limit."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self.is_full = False

    def append(self, data: bytes) -> bool:
        """Append a piece; return whether more is wanted."""
        self._bytes += data[: LARGEST_OUTPUT - len(self._bytes)]
        self.is_full = len(self._bytes) >= LARGEST_OUTPUT
        return not self.is_full

    def text(self) -> str:
        return self._bytes.decode("utf-8", "replace")
