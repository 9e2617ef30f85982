"""The commands that a model asks for, and their output as a person would read it."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.processes.environment import environment
from holdfast.adapters.processes.project_programs import path_outside
from holdfast.adapters.processes.sandbox.layout import ConfinedProcess
from holdfast.adapters.processes.sandbox.sandbox import UNCONFINED, Sandbox
from holdfast.guards.tokens import remove_tokens
from holdfast.tools.ports import CommandDone
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.sandbox import GitAccess, SandboxLevel, SandboxStatus

_HEAD = _TAIL = 8_000
_MARGIN = 64_000
"""How many bytes are kept beyond what is shown, to know a token that begins or ends there."""

_ESCAPES = lazy_pattern(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")


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
        output = HeadAndTail(_HEAD, _TAIL, _MARGIN)
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

        text = output.text(lambda raw: remove_tokens(readable(raw)))
        process = ConfinedProcess(argv, level, self._root, cwd, variables, network, git)
        blocked = self._sandbox.explain(process, ended, text)

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
    lines = _ESCAPES.sub("", text).replace("\r\n", "\n").split("\n")
    # A progress bar overwrites its line many times; only its last state is shown.
    return "\n".join(line.rpartition("\r")[2] for line in lines)


class HeadAndTail:
    """The first and the last characters of a stream of any length.

    More than these is kept: the text is edited before it is cut, so that no part is left of what an
    edit removes.
    """

    def __init__(self, head: int, tail: int, margin: int) -> None:
        """Set how many characters to return of either end, and how many more bytes to keep."""
        self._sizes = (head, tail)
        self._head = bytearray()
        self._head_limit = head + margin
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._tail_limit = tail + margin
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

    def text(self, edit: Callable[[str], str]) -> str:
        """Return the edited text; a line says how much of the middle is left out."""
        head_size, tail_size = self._sizes
        head = bytes(self._head)
        tail = b"".join(self._tail)[-self._tail_limit :]
        if self._total == len(head) + len(tail):
            whole = edit((head + tail).decode("utf-8", "replace"))
            if len(whole) <= head_size + tail_size:
                return whole
            first, last = whole[:head_size], whole[-tail_size:]
        else:
            first = edit(head.decode("utf-8", "replace"))[:head_size]
            last = edit(tail.decode("utf-8", "replace"))[-tail_size:]

        left_out = self._total - len(first.encode()) - len(last.encode())
        return f"{first}\n… ({left_out} bytes left out) …\n{last}"
