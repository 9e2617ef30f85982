"""What a check consists of: its unit, and the runs of tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Literal, NoReturn, Protocol, TypeAlias

from holdfast.adapters.processes.sandbox.sandbox import UNCONFINED, Sandbox
from holdfast.adapters.toolchains.installed_tool import (
    InstalledTool,
    ToolProgram,
    Unusable,
    explain_missing,
    find_tool,
)
from holdfast.adapters.toolchains.nearest_file import nearest_file
from holdfast.adapters.toolchains.run_tool import NEVER
from holdfast.repair.ports import ToolchainMissing
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from pathlib import Path, PurePosixPath

    from holdfast.adapters.toolchains.scratch_dir import ScratchDir
    from holdfast.repair.diagnostics.columns import SourceLines
    from holdfast.repair.ports import Answers
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.diagnostics import Diagnostic

CheckMode: TypeAlias = Literal["file", "project"]


class Parser(Protocol):
    """A parser of a tool's output."""

    def __call__(
        self, output: str, *, version: str, sources: SourceLines
    ) -> tuple[Diagnostic, ...]:
        """Return the diagnostics; () for any other output."""


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The unit of a check: a file of a project with the text to check, and its scratch folder.

    Without `own_code` nothing of the project's own is run: no tool, no plugin, no build script.
    `versions` has the versions of tools that an earlier process found, `tools` the tools that this
    run has found for a folder.
    """

    root: Path
    path: str
    text: bytes
    mode: CheckMode
    scratch: ScratchDir
    deadline: float
    cancel: Cancel = NEVER
    sandbox: Sandbox = UNCONFINED
    own_code: bool = False
    versions: Answers | None = None
    tools: dict[tuple[str, bool, str], InstalledTool | None] = field(default_factory=dict)

    def find_tool(self, tool: ToolProgram) -> InstalledTool | None:
        """Return an installed tool for this unit, or None."""
        key = tool.name, self.own_code, self.path.rpartition("/")[0]
        if key not in self.tools:
            self.tools[key] = self._find_tool(tool)
        return self.tools[key]

    def _find_tool(self, tool: ToolProgram) -> InstalledTool | None:
        return find_tool(
            tool,
            self.root,
            self.path,
            self.deadline,
            self.cancel,
            own_code=self.own_code,
            sandbox=self.sandbox,
            versions=self.versions,
        )

    def require_tool(self, tool: ToolProgram) -> InstalledTool:
        """Return an installed tool for this unit; raise `ToolchainMissing`."""
        found = self.find_tool(tool)
        if found is None:
            self.refuse_tool(tool, self.explain_missing(tool))
        return found

    def refuse_tool(self, tool: ToolProgram, unusable: Unusable) -> NoReturn:
        """Raise `ToolchainMissing` about a tool that the check depends on."""
        raise ToolchainMissing(
            f"{self.path}: {tool.name} {unusable.reason}, and this cannot be checked without it. "
            f"{unusable.cure}"
        )

    def explain_missing(self, tool: ToolProgram) -> Unusable:
        """Return why a tool was not found for this unit, and what to do."""
        return explain_missing(tool, self.root, self.path, own_code=self.own_code)

    def folder_with(self, name: str) -> PurePosixPath | None:
        """Return the nearest folder from the unit up to the root that has a file of this name."""
        file = nearest_file(self.root, self.path, [name])
        if file is None:
            return None
        return file.parent


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One run of one tool.

    `is_complete` returns whether an output is that of a run that came to its end. `adjust` may
    change the severity of a diagnostic. A step with `skip_if_broken` is left out if an earlier step
    found an error, which this step would only repeat. With `exit_code_decides`, a failure without a
    diagnostic is an error of the code, not a crash of the tool. `aliases` map the names that the
    tool uses for files to their paths. `base` is the folder, from the root, that its relative paths
    begin at. `reads` is what decides the result besides the unit: settings, headers (the tool then
    writes the list of those that it read to `dependencies`), or any file of the project. `batch` is
    how several files are checked at once, if they can be. `prepare` is called before the step is
    run for its file alone.
    """

    tool: InstalledTool
    argv: Sequence[str]
    cwd: str
    parse: Parser
    stdin: bytes = b""
    variables: Mapping[str, str] = field(default_factory=dict)
    is_complete: Callable[[str], bool] = lambda _: True
    adjust: Callable[[Diagnostic], Diagnostic] = lambda found: found
    skip_if_broken: bool = False
    exit_code_decides: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)
    base: str = "."
    reads: Literal["settings", "headers", "project"] = "project"
    dependencies: str = ""
    batch: BatchForm | None = None
    prepare: Callable[[], object] = lambda: None


@dataclass(frozen=True, slots=True)
class BatchForm:
    """A run of a tool for several files as they are on the disk, which are added to `argv`.

    Without `adds_files` the tool checks the whole project anyway. With `one_by_one` it takes only
    one file: then the step of each file is run in `cwd`, all of them in one sandbox.
    """

    argv: tuple[str, ...]
    cwd: str
    adds_files: bool = True
    one_by_one: bool = False


@dataclass(frozen=True, slots=True)
class MissingStep:
    """A step whose tool the project has settings for, and which cannot be run.

    The other steps may still find errors. If they find none, the check has not passed.
    """

    tool: ToolProgram
    unusable: Unusable


CheckPlan: TypeAlias = Callable[[CheckedFile], Sequence[CheckStep | MissingStep]]
"""A function that returns the steps for a unit; it raises `ToolchainMissing`."""
