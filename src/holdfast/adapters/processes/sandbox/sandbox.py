"""The one way to start a process that runs something of a model's or of a project's."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from holdfast.adapters.processes.child_process import GRACE, ProcessEnded, run_process
from holdfast.vocab.sandbox import SandboxStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.sandbox import SandboxLevel


class Sandbox:
    """Runs processes in a level; where nothing can enforce that level, as they are."""

    def __init__(self, status: SandboxStatus) -> None:
        """Set what enforces the levels."""
        self.status = status

    def run(
        self,
        argv: Sequence[str],
        level: SandboxLevel,
        *,
        root: str,
        cwd: str,
        variables: Mapping[str, str],
        timeout: float,
        cancel: Cancel,
        on_output: Callable[[bytes], bool],
        stderr: int = subprocess.STDOUT,
        stdin: int = subprocess.DEVNULL,
        grace: float = GRACE,
        network: bool = False,
        git_writable: bool = False,
        writable: Sequence[str] = (),
    ) -> ProcessEnded:
        """Run a program in the project at `root` until it ends, as `run_process` does.

        `writable` are directories that the program may change besides. Raise OSError if the program
        cannot be started.
        """
        del level, root, network, git_writable, writable
        return run_process(
            argv,
            cwd,
            variables,
            timeout,
            cancel,
            on_output=on_output,
            stderr=stderr,
            stdin=stdin,
            grace=grace,
        )


UNCONFINED = Sandbox(SandboxStatus("none", "it is not used here."))
"""Runs every process as is."""
