"""Each peer as an engine."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.landing.cases import Case
from bench.landing.engines import Answer, timed
from bench.landing.peers.bridge import Bridge, BridgeDownError
from bench.landing.peers.notation import begin_patch, pairs
from holdfast import Patch


@dataclass(frozen=True, slots=True)
class PlainPeer:
    """Text for text, in process: what anybody would write first."""

    name: str
    replace: Callable[[str, str, str], str | None]
    """(text, old, new) -> the new text."""

    def answer(self, case: Case) -> Answer | None:
        texts = pairs(case.edit)
        return None if texts is None else timed(lambda: self._apply(case.before, texts))

    def close(self) -> None:
        """Hold nothing."""

    def _apply(self, text: str, texts: Sequence[tuple[str, str]]) -> str | None:
        made: str | None = text
        for old, new in texts:
            made = None if made is None else self.replace(made, old, new)
        return made


@dataclass(frozen=True, slots=True)
class TextPeer:
    """Text for text, in the peer's own process; the time is measured there."""

    name: str
    bridge: Bridge
    tool: str

    def answer(self, case: Case) -> Answer | None:
        texts = pairs(case.edit)
        if texts is None:
            return None
        text: str | None = case.before
        ms = 0.0
        for old, new in texts:
            part = _ask(
                self.bridge,
                {"tool": self.tool, "file": case.file_name, "before": text, "old": old, "new": new},
            )
            ms += part.ms
            if part.text is None:
                return Answer(None, ms, part.error)
            text = part.text
        return Answer(text, ms)

    def close(self) -> None:
        self.bridge.close()


@dataclass(frozen=True, slots=True)
class DiffPeer:
    """Unified diffs as they are, in the peer's own process."""

    name: str
    bridge: Bridge
    tool: str

    def answer(self, case: Case) -> Answer | None:
        if not isinstance(case.edit, Patch):
            return None
        ask = {
            "tool": self.tool,
            "file": case.file_name,
            "before": case.before,
            "diff": case.edit.diff,
        }
        return _ask(self.bridge, ask)

    def close(self) -> None:
        self.bridge.close()


@dataclass(frozen=True, slots=True)
class ClinePatchPeer:
    """`*** Begin Patch` in the peer's own process; unified diffs only, for it hangs on much else."""

    name: str
    bridge: Bridge

    def answer(self, case: Case) -> Answer | None:
        patch = begin_patch(case.edit, "@@FILE@@") if isinstance(case.edit, Patch) else None
        if patch is None:
            return None
        return _ask(
            self.bridge,
            {"tool": "clinePatch", "file": case.file_name, "before": case.before, "patch": patch},
        )

    def close(self) -> None:
        self.bridge.close()


@dataclass(frozen=True, slots=True)
class CommandPeer:
    """A command that changes a file on disk; the time includes starting it."""

    name: str
    command: Callable[[Case, str], tuple[list[str], str] | None]
    """(case, file name) -> arguments and input; None where the edit's format is not its own."""
    limit_seconds: float
    keep_name: bool = False
    """Whether the file must have its own path, because the diff names it."""

    def answer(self, case: Case) -> Answer | None:
        name = case.file_name if self.keep_name else "f" + Path(case.file_name).suffix
        call = self.command(case, name)
        if call is None:
            return None
        with tempfile.TemporaryDirectory(prefix="landing-") as folder:
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(case.before.encode("utf-8", "surrogateescape"))
            return self._run(call, Path(folder), path)

    def close(self) -> None:
        """Hold nothing."""

    def _run(self, call: tuple[list[str], str], folder: Path, path: Path) -> Answer:
        arguments, text = call
        start = time.perf_counter()
        try:
            done = subprocess.run(
                arguments,
                input=text.encode("utf-8", "surrogateescape"),
                capture_output=True,
                cwd=folder,
                timeout=self.limit_seconds,
                env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)},
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Answer(
                None, self.limit_seconds * 1000, f"no answer within {self.limit_seconds:.0f} s"
            )
        ms = (time.perf_counter() - start) * 1000
        if done.returncode != 0:
            return Answer(None, ms)
        return Answer(path.read_bytes().decode("utf-8", "surrogateescape"), ms)


def first_hit(text: str, old: str, new: str) -> str | None:
    """Replace the first occurrence, whichever that is."""
    return text.replace(old, new, 1) if old and old in text else None


def exact_once(text: str, old: str, new: str) -> str | None:
    """Replace the only occurrence."""
    return text.replace(old, new) if old and text.count(old) == 1 else None


def patch_command(case: Case, name: str) -> tuple[list[str], str] | None:
    """patch(1) with its default fuzz."""
    if not isinstance(case.edit, Patch):
        return None
    return ["patch", "-N", "-s", "-r", "-", "--no-backup-if-mismatch", name], case.edit.diff


def git_apply_command(*options: str) -> Callable[[Case, str], tuple[list[str], str] | None]:
    """`git apply` with these options."""

    def command(case: Case, name: str) -> tuple[list[str], str] | None:
        del name
        return (
            (["git", "apply", *options], case.edit.diff) if isinstance(case.edit, Patch) else None
        )

    return command


def codex_command(binary: Path) -> Callable[[Case, str], tuple[list[str], str] | None]:
    """Codex as its own apply_patch tool."""

    def command(case: Case, name: str) -> tuple[list[str], str] | None:
        patch = begin_patch(case.edit, name)
        return None if patch is None else ([str(binary), "--codex-run-as-apply-patch", patch], "")

    return command


def _ask(bridge: Bridge, question: dict[str, Any]) -> Answer:
    start = time.perf_counter()
    try:
        answer = bridge.ask(question)
    except BridgeDownError as error:
        return Answer(None, (time.perf_counter() - start) * 1000, str(error))
    return Answer(answer["out"], answer["ms"])
