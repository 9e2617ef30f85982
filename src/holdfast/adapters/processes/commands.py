"""The commands that a model asks for, and their output as a person would read it."""

from __future__ import annotations

import re
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.processes.environment import environment
from holdfast.adapters.processes.project_programs import path_outside
from holdfast.adapters.processes.sandbox.layout import ConfinedProcess
from holdfast.adapters.processes.sandbox.sandbox import UNCONFINED, Sandbox
from holdfast.tools.ports import CommandDone

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.sandbox import GitAccess, SandboxLevel, SandboxStatus

_HEAD = _TAIL = 8_000

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
# A progress bar overwrites its line many times; only its last state is shown.
_OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)")


class OsCommands:
    """The commands that a model asks for, in the project at a root (port `Commands`)."""

    def __init__(
        self, root: str, sandbox: Sandbox = UNCONFINED, passed: Collection[str] = ()
    ) -> None:
        """Set the project, its sandbox, and the names of variables that the user passes on."""
        self._root = root
        self._sandbox = sandbox
        self._passed = frozenset(passed)

    @property
    def sandbox(self) -> SandboxStatus:
        """What enforces the levels."""
        return self._sandbox.status

    def run(
        self,
        argv: Sequence[str],
        level: SandboxLevel,
        *,
        cwd: str,
        timeout: float,
        cancel: Cancel,
        network: bool = False,
        git: GitAccess = "read",
    ) -> CommandDone:
        """Run a program to its end, for at most `timeout` seconds."""
        output = HeadAndTail(_HEAD, _TAIL)
        variables = environment(self._passed)
        if level == "read":
            # What runs unasked starts no program of the project, by whatever name.
            variables["PATH"] = path_outside(Path(self._root))

        try:
            ended = self._sandbox.run(
                argv,
                level,
                root=self._root,
                cwd=cwd,
                variables=variables,
                timeout=timeout,
                cancel=cancel,
                on_output=output.add,
                network=network,
                git=git,
            )
        except FileNotFoundError as error:
            if error.filename == cwd:
                return CommandDone(127, f"{cwd}: no such directory.")
            return CommandDone(127, f"{argv[0]}: no such program.")
        except OSError as error:
            return CommandDone(126, f"{argv[0]}: this cannot be run ({error.strerror}).")

        text = readable(output.text())
        blocked = ""
        if ended.exit_code not in {0, None}:
            process = ConfinedProcess(argv, level, self._root, cwd, variables, network, git)
            blocked = self._sandbox.explain(process, text)

        return CommandDone(
            exit_code=ended.exit_code,
            output=text,
            timed_out=ended.timed_out,
            cancelled=ended.cancelled,
            signal=ended.signal,
            left=ended.left,
            blocked=blocked,
        )


def readable(text: str) -> str:
    r"""Return a program's output as it looks on a terminal, without colours.

    >>> readable("\x1b[31mred\x1b[0m\r\n10%\r50%\rdone\n")
    'red\ndone\n'
    """
    return _OVERWRITTEN.sub("", _ESCAPES.sub("", text).replace("\r\n", "\n"))


class HeadAndTail:
    """The first and the last bytes of a stream of any length."""

    def __init__(self, head: int, tail: int) -> None:
        """Set how many bytes to keep of either end."""
        self._head = bytearray()
        self._head_limit = head
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._tail_limit = tail
        self._total = 0

    def add(self, data: bytes) -> bool:
        """Add the next chunk; return True: there is no limit."""
        self._total += len(data)
        room = self._head_limit - len(self._head)
        self._head += data[:room]
        rest = data[room:]
        if not rest:
            return True

        self._tail.append(rest[-self._tail_limit :])
        self._tail_size += len(self._tail[-1])
        while self._tail_size - len(self._tail[0]) >= self._tail_limit:
            self._tail_size -= len(self._tail.popleft())

        return True

    def text(self) -> str:
        """Return the kept bytes as text; a line says how many bytes of the middle are left out."""
        head = bytes(self._head)
        tail = b"".join(self._tail)[-self._tail_limit :]
        left_out = self._total - len(head) - len(tail)
        if left_out <= 0:
            return (head + tail).decode("utf-8", "replace")

        head_text = head.decode("utf-8", "replace")
        tail_text = tail.decode("utf-8", "replace")
        return f"{head_text}\n… ({left_out} bytes left out) …\n{tail_text}"
