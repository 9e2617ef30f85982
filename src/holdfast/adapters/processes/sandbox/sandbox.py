"""The one way to start a process that runs something of a model's or of a project's."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.adapters.processes.child_process import GRACE, ProcessEnded, run_process
from holdfast.adapters.processes.sandbox.cleanup.git_settings import kept_settings
from holdfast.adapters.processes.sandbox.cleanup.placeholders import placeholders
from holdfast.adapters.processes.sandbox.cleanup.restoration import restored
from holdfast.adapters.processes.sandbox.git_places import git_places, main_worktree_of, settings
from holdfast.adapters.processes.sandbox.layout import ConfinedProcess, Layouts, home_of
from holdfast.adapters.processes.sandbox.mount_watch import watch_mounts
from holdfast.adapters.processes.sandbox.toolchain_folders import identity_variables
from holdfast.adapters.processes.sandbox.view import existing
from holdfast.adapters.running_commands import RunningCommands
from holdfast.vocab.sandbox import SandboxStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from holdfast.adapters.processes.sandbox.agent_confinement import AgentConfinement
    from holdfast.adapters.processes.sandbox.launch import Launcher
    from holdfast.adapters.processes.sandbox.layout import Layout, SecretFiles
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.sandbox import GitAccess, SandboxLevel

_SIGNALLED = 128
"""A sandbox program reports the end by signal 9 as the exit code 128 + 9, as a shell does."""
_FIRST_OUTPUT = 400


class SandboxFailed(OSError):  # noqa: N818 - the word for it
    """The sandbox could not be set up, and the program was not run."""


class Sandbox:
    """Runs processes in a level; where nothing can enforce that level, as they are."""

    def __init__(
        self,
        status: SandboxStatus,
        launcher: Launcher | None = None,
        layouts: Layouts | None = None,
        state: Path | None = None,
    ) -> None:
        """Set what enforces the levels, and the directory for what it has to remember."""
        self.status = status
        self._launcher = launcher
        self._layouts = layouts
        self._state = state

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
        git: GitAccess = "read",
        writable: Sequence[str] = (),
    ) -> ProcessEnded:
        """Run a program in the project at `root` until it ends, as `run_process` does.

        `writable` are directories that the program may change besides. Raise OSError if the program
        cannot be started.
        """
        launcher, layouts, state = self._launcher, self._layouts, self._state
        if level == "full" or launcher is None or layouts is None or state is None:
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

        _require_program(argv[0], cwd, variables)
        process = ConfinedProcess(argv, level, root, cwd, variables, network, git, writable)
        first = _FirstOutput(on_output)
        why_stop: Callable[[], str] = str
        with ExitStack() as opened:
            if self.status.kind == "bubblewrap":
                layout = opened.enter_context(_recorded(process, layouts, state))
            else:
                layout = layouts.of(process)
            put_back = opened.enter_context(restored(layout))
            if self.status.kind == "bubblewrap":
                opened.enter_context(_kept_places(process, layout, state, put_back))
                why_stop = opened.enter_context(watch_mounts(layout.view)).replaced
            launch = opened.enter_context(launcher.prepare(process, layout))
            identity = {}
            if git != "hidden":
                identity = identity_variables(home_of(variables), variables)
            ended = run_process(
                launch.argv,
                cwd,
                {**identity, **variables, **launch.variables},
                timeout,
                cancel,
                on_output=first.add,
                stderr=stderr,
                stdin=stdin,
                grace=grace,
                pass_fds=launch.pass_fds,
                inner_group=launch.inner_group,
                end_all=launch.end_all,
                why_stop=why_stop,
            )
            failed = launch.failed()

        if failed and ended.code > 0 and not _was_ended(ended):
            problem = first.data.decode("utf-8", "replace").strip()
            raise SandboxFailed(errno.EPERM, f"the sandbox could not be set up: {problem}")

        return replace(_as_signal(ended), put_back=tuple(put_back))

    def secret_files(self, root: str) -> SecretFiles | None:
        """Return the files of a project that processes must not read; None if they may."""
        return None if self._layouts is None else self._layouts.secret_files(root)

    def agent_confinement(self, agent: str, root: Path) -> AgentConfinement | None:
        """Return what confines an agent in a root; None where nothing can enforce a level."""
        if self._launcher is None or self._layouts is None or self._state is None:
            return None

        # Most processes are no agents.
        from holdfast.adapters.processes.sandbox.agent_confinement import (  # noqa: PLC0415 - see above
            AgentConfinement,
        )

        return AgentConfinement(
            agent,
            root,
            state=self._state,
            kind=self.status.kind,
            launcher=self._launcher,
            layouts=self._layouts,
        )

    def explain(self, process: ConfinedProcess, ended: ProcessEnded, output: str) -> str:
        """Return a sentence about what the sandbox forbade to a process or put back, or ""."""
        if process.level == "full" or self._launcher is None or self._layouts is None:
            return ""
        if ended.exit_code in {0, None} and not (ended.put_back or ended.stopped_for):
            return ""
        # Most processes do not fail, and this has many patterns.
        from holdfast.adapters.processes.sandbox import denials  # noqa: PLC0415 - see above

        if ended.stopped_for:
            return denials.explain_stop(ended, process)
        if ended.put_back:
            return denials.explain_restoration(ended.put_back, process)
        return denials.explain_failure(output, process, self._layouts.of(process).view)


UNCONFINED = Sandbox(SandboxStatus("none", "it is not used here."))
"""Runs every process as is."""


@contextmanager
def _recorded(process: ConfinedProcess, layouts: Layouts, state: Path) -> Iterator[Layout]:
    """Return the layout of a process; no file of the project that it masks is written meanwhile."""
    root = os.path.realpath(process.root)
    roots = [root, *existing(process.writable)]
    main = main_worktree_of(git_places(root), root)
    if main is not None:
        roots.append(main)
    with RunningCommands(state).record(roots) as running:
        layout = layouts.of(process)
        running.mask(path for path, access in layout.view.rules.items() if access == "masked")
        yield layout


@contextmanager
def _kept_places(
    process: ConfinedProcess, layout: Layout, state: Path, put_back: list[str]
) -> Iterator[None]:
    """Keep what mounts protect, and what mounts need, in its place while a process runs."""
    root = os.path.realpath(process.root)
    places = git_places(root)
    if places is None:
        with placeholders(layout.kept_out, root, state):
            yield
        return

    inside = f"{places.common}/"
    shared = [path for path in layout.kept_out if path.startswith(inside)]
    own = [path for path in layout.kept_out if not path.startswith(inside)]
    files: list[str] = []
    if process.level == "write" and process.git == "write":
        files = settings(places)
        # Also where there is one: it may be that of a process which ends before this one.
        shared += [lock for file in files if (lock := f"{file}.lock") not in shared]

    # All worktrees of a repository share what is missing in its git directory.
    with (
        placeholders(own, root, state),
        placeholders(shared, places.common, state),
        kept_settings(files, put_back),
    ):
        yield


class _FirstOutput:
    """The first bytes of an output, which passes on."""

    def __init__(self, on_output: Callable[[bytes], bool]) -> None:
        self._on_output = on_output
        self.data = b""

    def add(self, data: bytes) -> bool:
        """Pass a chunk on."""
        self.data += data[: _FIRST_OUTPUT - len(self.data)]
        return self._on_output(data)


def _require_program(name: str, cwd: str, variables: Mapping[str, str]) -> None:
    """Raise the error that a start without a sandbox would raise."""
    if not os.path.isdir(cwd):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), cwd)
    if "/" not in name:
        if shutil.which(name, path=variables.get("PATH", os.defpath)) is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        return

    program = os.path.join(cwd, name)
    if not os.path.exists(program):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    if not os.access(program, os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)


def _was_ended(ended: ProcessEnded) -> bool:
    """Return whether we have ended a process."""
    return ended.timed_out or ended.cancelled or bool(ended.stopped_for)


def _as_signal(ended: ProcessEnded) -> ProcessEnded:
    """Return the end with a negative code if a signal ended the program."""
    number = ended.code - _SIGNALLED
    if number in set(signal.Signals):
        return replace(ended, code=-number)
    return ended
