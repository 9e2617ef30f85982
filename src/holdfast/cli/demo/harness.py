"""The temporary project of the demo, the commands run in it, and the claims about it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from typing import TypeAlias

import typer

from holdfast.cli.demo import samples
from holdfast.testing import RecordedRequest, Reply, ScriptedServer
from holdfast.vocab.lazy_dataclass import dataclass

# Runs words of the command line in this process; returns the exit code if `standalone_mode` is off.
CommandMain: TypeAlias = Callable[..., int | None]

_NO_GIT = "git is not installed; the demo needs it for its sample project."


@dataclass(frozen=True, slots=True)
class StepRun:
    """The result of a command. `requests` are those that the scripted model received."""

    code: int
    output: str
    requests: tuple[RecordedRequest, ...] = ()

    def word_after(self, words: str) -> str:
        """Return the word that follows the last `words` of the output; empty if there is none."""
        _, found, rest = self.output.rpartition(words)
        following = rest.split()
        if not found or not following:
            return ""
        return following[0].rstrip(",")


class DemoHarness:
    """A temporary git repository with a few files."""

    def __init__(self, place: Path, main: CommandMain) -> None:
        """Create the project below this place; `main` runs a command in this process."""
        self.root = place / "project"
        self._main = main
        self.checked = 0
        self.failed = 0
        # A step leaves these to the next ones: the session, and the checkpoint to restore.
        self.session = self.checkpoint = ""
        self.kept: dict[str, str] = {}
        self._reply = place / "reply.txt"
        for name, text in samples.FILES.items():
            file = self.root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

        identity = ("-c", "user.name=demo", "-c", "user.email=demo@localhost")
        for words in (
            ("init", "-q", "-b", "main"),
            ("add", "."),
            (*identity, "commit", "-q", "-m", "The sample."),
        ):
            self.git(*words)

        self.start = self.texts()

    def git(self, *words: str) -> str:
        """Run git in the project, and return its output."""
        command = ["git", "-C", str(self.root), *words]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout  # noqa: S603 - git

    def file(self, name: str) -> Path:
        """Return the path of a source file."""
        return self.root / "src" / name

    def text(self, name: str) -> str:
        """Return the text of a source file."""
        return self.file(name).read_text(encoding="utf-8")

    def texts(self) -> dict[str, str]:
        """Return the text of every file except those of git."""
        texts = {}
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if name.startswith(".git/") or not path.is_file():
                continue
            texts[name] = path.read_text(encoding="utf-8")

        return texts

    def apply(self, reply: str, *options: str, alone: bool = False) -> StepRun:
        """Apply a reply."""
        self._reply.write_text(reply, encoding="utf-8")
        return self._command("apply", str(self._reply), *options, alone=alone)

    def undo(self, *, alone: bool = False) -> StepRun:
        """Undo the last applied change."""
        return self._command("undo", alone=alone)

    def command(self, *words: str) -> StepRun:
        """Run a command on the project."""
        return self._command(*words, alone=False)

    def turn(self, prompt: str, script: Sequence[Reply], *options: str) -> StepRun:
        """Run a turn of the agent, with a model that answers from a script."""
        with ScriptedServer(script) as server:
            hidden = ("--base-url", server.base_url, "--model", "scripted")
            ran = self._command("run", prompt, *options, hidden=hidden)
            return StepRun(ran.code, ran.output, tuple(server.requests))

    def repair(self, name: str, script: Sequence[Reply]) -> StepRun:
        """Repair a source file, with a model that answers from a script."""
        with ScriptedServer(script) as server:
            hidden = ("--base-url", server.base_url, "--model", "scripted")
            ran = self._command("repair", f"src/{name}", hidden=hidden)
            return StepRun(ran.code, ran.output, tuple(server.requests))

    def _command(self, *words: str, alone: bool = False, hidden: Sequence[str] = ()) -> StepRun:
        """Run the command, in this process or in its own, and print its output."""
        shown = " ".join(f'"{word}"' if " " in word else word for word in words)
        typer.echo(f"   $ holdfast {shown}".replace(str(self._reply), self._reply.name))
        command = [*words, *hidden, "--root", str(self.root)]
        ran = _run_alone(command) if alone else self._run_here(command)
        typer.echo(indent(ran.output, "   | ", lambda _: True))
        return ran

    def _run_here(self, words: list[str]) -> StepRun:
        output = StringIO()
        with redirect_stdout(output), redirect_stderr(output):
            code = self._main(words, prog_name="holdfast", standalone_mode=False)
        return StepRun(code or 0, output.getvalue())

    def claim(self, what: str, holds: bool) -> None:
        """Print a claim about this step, and count whether it holds."""
        self.checked += 1
        self.failed += not holds
        typer.echo(f"   {'ok' if holds else 'NOT SO'}: {what}")


@dataclass(frozen=True, slots=True)
class DemoStep:
    """A title to print, and what is done and claimed below it."""

    title: str
    run: Callable[[DemoHarness], None]


@dataclass(frozen=True, slots=True)
class DemoResult:
    """How many claims were checked, and how many of these did not hold."""

    checked: int
    failed: int


def play(steps: Sequence[DemoStep], main: CommandMain) -> DemoResult:
    """Run the steps in one temporary project."""
    if shutil.which("git") is None:
        typer.echo(_NO_GIT, err=True)
        return DemoResult(checked=0, failed=1)

    with TemporaryDirectory(prefix="holdfast-demo-") as place, _environment(Path(place)):
        stage = DemoHarness(Path(place), main)
        for number, step in enumerate(steps, 1):
            typer.secho(f"\n{number}. {step.title}", bold=True)
            step.run(stage)
        return DemoResult(stage.checked, stage.failed)


@contextmanager
def _environment(place: Path) -> Iterator[None]:
    """Hide the user's settings, store, key and git configuration from the commands."""
    kept = dict(os.environ)
    for name in kept:
        if name.startswith(("HOLDFAST_", "GIT_")):
            del os.environ[name]

    os.environ.update(
        HOLDFAST_STATE_DIR=str(place / "state"),
        HOLDFAST_CONFIG_FILE=str(place / "no-settings.toml"),
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_NOSYSTEM="1",
        NO_COLOR="1",
    )
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


def _run_alone(words: list[str]) -> StepRun:
    command = [sys.executable, "-m", "holdfast.cli.main", *words]
    ran = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - our own command
    return StepRun(ran.returncode, (ran.stdout + ran.stderr).decode(errors="replace"))
