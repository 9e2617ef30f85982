"""A check: its steps, each one run of one tool, and what they say together."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Literal, Protocol, TypeAlias

from holdfast.adapters.toolchains.installed_tool import Installed
from holdfast.adapters.toolchains.run_tool import LARGEST_OUTPUT, NEVER, ToolRun, run_tool
from holdfast.adapters.toolchains.scratch_dir import ScratchDir, borrow
from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.repair.ports import CheckCrashed, Checked, CheckTimedOut
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.diagnostics import Diagnostic, Target

CheckMode: TypeAlias = Literal["file", "project"]

_LAST_WORDS = 2_000
_OUTPUT_KEPT = 20_000


class Parser(Protocol):
    """A tool's output becomes diagnostics."""

    def __call__(
        self, output: str, *, version: str, sources: SourceLines
    ) -> tuple[Diagnostic, ...]:
        """Give them; () for what is no such output."""
        ...


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What is checked: a file of a project, as it shall be, and the scratch folder for it."""

    root: Path
    path: str
    text: bytes
    mode: CheckMode
    scratch: ScratchDir
    deadline: float
    cancel: Cancel = NEVER


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One run of one tool. `shown` says that its output is that of a run that came to its end.

    `soften` judges anew what it found. A step `unless_broken` is left out if one before it found an error, which it
    would only say again. One whose failure `speaks` needs no diagnostic to be an answer. `names` are files by what the
    tool calls them, and `base` is the folder, from the root, that its relative paths begin at.
    """

    tool: Installed
    argv: Sequence[str]
    cwd: str
    parse: Parser
    given: bytes = b""
    variables: Mapping[str, str] = field(default_factory=dict)
    shown: Callable[[str], bool] = lambda _: True
    soften: Callable[[Diagnostic], Diagnostic] = lambda found: found
    unless_broken: bool = False
    speaks: bool = False
    names: Mapping[str, str] = field(default_factory=dict)
    base: str = "."


CheckPlan: TypeAlias = Callable[[CheckedFile], Sequence[CheckStep]]
"""Which steps a unit needs; raises `ToolchainMissing`."""


class ToolCheck:
    """A check by tools (port `Check`). Each run starts each tool once; to tell its version, once for each program."""

    def __init__(  # noqa: PLR0917 - what a check is
        self,
        target: Target,
        root: Path,
        mode: CheckMode,
        timeout: float,
        plan: CheckPlan,
        cancel: Cancel = NEVER,
    ) -> None:
        """Join a plan and the root it is for."""
        self._target: Target = target
        self._root = Path(os.path.realpath(root))
        self._mode: CheckMode = mode
        self._timeout = timeout
        self._plan = plan
        self._cancel = cancel
        self._instead: Mapping[str, bytes | None] = {}

    @property
    def target(self) -> Target:
        """What language it checks."""
        return self._target

    @property
    def mode(self) -> CheckMode:
        """Whether it sees a file alone, or with its project."""
        return self._mode

    def with_files(self, instead: Mapping[str, bytes | None]) -> ToolCheck:
        """Give the same check of a project in which these files hold this (None: are not there), the unit too."""
        other = ToolCheck(
            self._target, self._root, self._mode, self._timeout, self._plan, self._cancel
        )
        other._instead = instead
        return other

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        """Check the file at `path` as if it held `text`."""
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
            raise ValueError(f"{path}: the path of a unit is below the root.")
        with borrow(self._root) as scratch:
            scratch.instead = self._instead
            until = time.monotonic() + self._timeout
            unit = CheckedFile(self._root, path, text, self._mode, scratch, until, self._cancel)
            return self._run_steps(unit, self._plan(unit))

    def _run_steps(self, unit: CheckedFile, steps: Sequence[CheckStep]) -> Checked | CheckTimedOut:
        oracle = " + ".join(step.tool.title for step in steps)
        said: list[str] = []
        found: list[Diagnostic] = []
        for step in steps:
            if step.unless_broken and any(each.severity == "error" for each in found):
                continue
            ran = run_tool(
                step.argv,
                step.cwd,
                unit.deadline,
                variables=step.variables,
                given=step.given,
                cancel=self._cancel,
            )
            if ran.timed_out:
                return CheckTimedOut(oracle, self._timeout)
            diagnostics = step.parse(
                ran.output, version=step.tool.version, sources=_sources(unit, step)
            )
            judge_run(step, ran, diagnostics)
            if ran.code != 0 and not any(each.severity == "error" for each in diagnostics):
                diagnostics = (*diagnostics, _failure(unit, step, ran))
            found += [step.soften(_at_home(each, unit, step)) for each in diagnostics]
            said.append(ran.output)
        ok = all(each.severity != "error" for each in found)
        return Checked(ok, tuple(found), oracle, _clean("\n".join(said), unit)[:_OUTPUT_KEPT])


def judge_run(step: CheckStep, ran: ToolRun, found: Sequence[Diagnostic]) -> None:
    """Raise `CheckCrashed` if the tool failed, and not the code."""
    name = step.tool.title
    if ran.flooded:
        size = LARGEST_OUTPUT // 1_000_000
        raise CheckCrashed(
            f"{name} wrote more than {size} MB and was ended; it began with:\n{ran.output[:_LAST_WORDS]}"
        )
    if ran.code < 0:
        raise CheckCrashed(f"{name} was ended by {_name_signal(-ran.code)}; {_last_words(ran)}")
    if ran.code != 0 and not step.speaks and not any(each.severity == "error" for each in found):
        raise CheckCrashed(
            f"{name} failed with exit code {ran.code} and named no error in the code; {_last_words(ran)}"
        )
    if ran.code == 0 and not step.shown(ran.output):
        raise CheckCrashed(
            f"{name} ended well, but its output is not what it should be; {_last_words(ran)}"
        )


def _failure(unit: CheckedFile, step: CheckStep, ran: ToolRun) -> Diagnostic:
    """Give what a command that names no place says: that it failed, and its last words."""
    template = "the check failed with exit code {0}"
    message = f"{template.format(ran.code)}; {_last_words(ran)}"
    args = (str(ran.code),)
    return Diagnostic(
        "command", step.tool.version, "", "error", message, template, args, unit.path, None
    )


def _last_words(ran: ToolRun) -> str:
    words = ran.output.strip()[-_LAST_WORDS:]
    return f"its last words:\n{words}" if words else "it said nothing."


def _name_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


# -------------------------------------------------------------------------------------------------------------- paths


def _sources(unit: CheckedFile, step: CheckStep) -> SourceLines:
    """Give the unit's text by every name that a tool may call it."""
    text = unit.text.decode("utf-8", "surrogateescape")
    name = PurePosixPath(unit.path).name
    told = os.path.relpath(unit.path, step.base)
    names = [
        unit.path,
        f"./{unit.path}",
        name,
        str(unit.root / unit.path),
        str(Path(step.cwd, told)),
        told,
    ]
    names += [word for word in step.argv if word.endswith(name)]
    names += [called for called, path in step.names.items() if path == unit.path]
    return SourceLines(dict.fromkeys(names, text))


def _at_home(found: Diagnostic, unit: CheckedFile, step: CheckStep) -> Diagnostic:
    """Give the diagnostic with the project's paths in place of the scratch folder's."""

    def home(path: str) -> str:
        return _home_path(path, unit, step)

    fixits = tuple(
        replace(fixit, edits=tuple(replace(edit, path=home(edit.path)) for edit in fixit.edits))
        for fixit in found.fixits
    )
    related = tuple(
        replace(each, path=home(each.path), message=_clean(each.message, unit))
        for each in found.related
    )
    return replace(
        found,
        message=_clean(found.message, unit),
        template=_clean(found.template, unit),
        args=tuple(_clean(arg, unit) for arg in found.args),
        path=home(found.path),
        fixits=fixits,
        related=related,
    )


def _clean(words: str, unit: CheckedFile) -> str:
    """Give a tool's words without the scratch folder: its name is another each time, and nobody's business."""
    for folder in ("farm/", "mirror/", "file/", ""):
        words = words.replace(f"{unit.scratch.folder}/{folder}", "")
    return words


def _top(step: CheckStep) -> str:
    """Give the folder that shows the root: where the tool runs, or some folders above it."""
    return os.path.normpath(Path(step.cwd, os.path.relpath(".", step.base)))


def _home_path(path: str, unit: CheckedFile, step: CheckStep) -> str:
    if not path:
        return path
    if path.startswith("/"):
        for top in (_top(step), str(unit.root)):
            path = path.removeprefix(f"{top}/")
    else:
        path = os.path.normpath(PurePosixPath(step.base, path))
    if path in step.names:
        return step.names[path]
    # javac gives the name alone; and a file that is shown alone in the scratch folder has no other.
    is_unit = (
        path == PurePosixPath(unit.path).name or Path(path).parent == unit.scratch.folder / "file"
    )
    return unit.path if is_unit and not (unit.root / path).is_file() else path
