"""`holdfast repair`: fix code that does not pass its check."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TextIO

import typer

from holdfast.cli.interrupts import deferred_interrupt
from holdfast.cli.options import AsJson, Root, SandboxOption, Trust
from holdfast.cli.render.edits import attempt
from holdfast.cli.render.repair import JsonRepair, TerminalRepair, exit_code
from holdfast.cli.render.sarif_and_annotations import (
    github_annotations,
    stopped_commands,
    write_sarif,
)
from holdfast.cli.render.text import plain, warn
from holdfast.cli.settings import read_settings_or_exit
from holdfast.cli.trust.question import ask_to_trust, is_terminal
from holdfast.config.settings import Settings
from holdfast.repair.strictness import RepairPolicy
from holdfast.usecases.locked_workspace import settle_first
from holdfast.usecases.repair.file_repair import FileRepair
from holdfast.usecases.repair.repair_files import repair_files
from holdfast.usecases.trust.project_trust import CURE, ProjectTrust, name_items
from holdfast.usecases.workspace import NothingDone, Workspace
from holdfast.vocab.diagnostics import Target
from holdfast.vocab.trust import CodeItem
from holdfast.wiring.checks import code_of_files, list_files, target_of
from holdfast.wiring.repairs import repair_dependencies_at
from holdfast.wiring.trust import server_of, trust_at


class Language(StrEnum):
    """The values of `--target`."""

    python = "python"
    javascript = "javascript"
    typescript = "typescript"
    c = "c"
    cpp = "cpp"
    rust = "rust"
    java = "java"
    go = "go"
    any = "any"


class AnnotationStyle(StrEnum):
    """The values of `--annotations`."""

    github = "github"


class Oracle(StrEnum):
    """The values of `--verify`."""

    compile = "compile"
    check = "check"
    tests = "tests"


class Level(StrEnum):
    """The values of `--strictness`."""

    sketch = "sketch"
    development = "development"
    production = "production"


def repair(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH", help="Files, or directories of files.")
    ],
    *,
    target: Annotated[
        Language | None,
        typer.Option("--target", help="The language, if a file's name does not show it."),
    ] = None,
    strictness: Annotated[
        Level | None,
        typer.Option(
            "--strictness",
            help="production: only pinned fixes, and no model.",
        ),
    ] = None,
    no_model: Annotated[bool, typer.Option("--no-model", help="Use no model.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change; write nothing.")
    ] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Require a model's confidence of 0.90, instead of 0.75."),
    ] = False,
    attempts: Annotated[
        int | None,
        typer.Option(
            "--attempts",
            metavar="N",
            min=1,
            max=9,
            help="How often a model is asked.",
            show_default="2",
        ),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            "--confidence",
            metavar="X",
            min=0.0,
            max=1.0,
            help="The least confidence of a model that is accepted.",
            show_default="0.75",
        ),
    ] = None,
    unsafe_fixes: Annotated[
        bool,
        typer.Option(
            "--unsafe-fixes",
            help="Also apply a compiler's guesses and rules that are not certain.",
        ),
    ] = False,
    verify: Annotated[
        Oracle | None,
        typer.Option(
            "--verify",
            help="What a fix must pass: compile, the checks, or also the tests (the default).",
        ),
    ] = None,
    sarif: Annotated[
        Path | None,
        typer.Option("--sarif", metavar="FILE", help="Write what still fails as SARIF."),
    ] = None,
    annotations: Annotated[
        AnnotationStyle | None,
        typer.Option("--annotations", help="Print what still fails for this service."),
    ] = None,
    timeout: Annotated[
        int | None,
        typer.Option(
            "--timeout",
            metavar="SECONDS",
            min=1,
            help="Limit of a check's time; else `command_timeout`.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            max=64,
            help="How many files are checked at once; else one for each core, at most 4.",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="The model to use.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", metavar="U", help="The server, up to /v1.")
    ] = None,
    trust: Trust = False,
    sandbox: SandboxOption = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Check files and fix what fails, cheapest method first.

    Methods: certain fix-its of the compiler, pinned decisions, safe rules, then a model. A fix is
    written only if it passes the real compiler and keeps what the code declares.

    Exit 0: all pass. 1: some still fail. 2: wrong usage. 4: blocked by the strictness. 130:
    stopped with Ctrl-C.
    """
    level = strictness and strictness.value
    flags = {
        "model": model,
        "base_url": base_url,
        "strictness": level,
        "command_timeout": timeout,
        "sandbox": sandbox and sandbox.value,
        "attempts": attempts,
        "confidence": confidence,
    }
    settings = _settings(root, flags)
    language: Target | None = target.value if target else None
    chosen, found = _choose(paths, root, language, has_check=settings["check"] is not None)
    output: JsonRepair | TerminalRepair
    if as_json:
        output = JsonRepair(len(chosen), dry_run=dry_run)
    else:
        output = TerminalRepair(len(chosen), dry_run=dry_run, progress=sys.stderr.isatty())

    policy = RepairPolicy(
        strictness=settings["strictness"],
        strict=strict,
        max_attempts=settings["attempts"],
        confidence=settings["confidence"],
        unsafe_fixes=unsafe_fixes,
    )
    uses_model = not no_model and policy.allowed.fresh_model_calls
    done: list[FileRepair] = []

    def show(each: FileRepair) -> None:
        done.append(each)
        output.show(each)

    log = _annotation_log(annotations, as_json=as_json)
    with stopped_commands(log):
        try:
            trusted = trust_at(root, everything=trust)
            code = code_of_files(root, settings, chosen, language)
            if uses_model:
                code += server_of(settings)
            _ask_for_code(code, trusted, output, as_json=as_json)
            with repair_dependencies_at(
                root,
                settings,
                target=language,
                model=uses_model,
                dry_run=dry_run,
                tests=verify in {None, Oracle.tests},
                workers=workers,
                compile_only=verify is Oracle.compile,
                trust=trusted,
                say=output.say,
            ) as dependencies:
                if not dry_run:
                    _settle(dependencies.workspace, output)
                with deferred_interrupt() as check:

                    def tick() -> None:
                        check()
                        output.tick()

                    repairs = repair_files(chosen, dependencies, policy, show, found, tick=tick)
        except KeyboardInterrupt:
            output.say(_stopped_message(done, len(chosen)))
            raise typer.Exit(130) from None
        except OSError as error:
            problem = f"{error.filename or root}: {error.strerror}"
            output.say(f"{problem}; the project's rules or the state cannot be used.")
            raise typer.Exit(1) from None

        output.end()
        output.show_all(repairs)

    _report(repairs, sarif, log)
    raise typer.Exit(exit_code(repairs))


def _annotation_log(annotations: AnnotationStyle | None, *, as_json: bool) -> TextIO | None:
    """Return where annotations are printed; None if they are not."""
    if annotations is None:
        return None
    return sys.stderr if as_json else sys.stdout


def _report(repairs: Sequence[FileRepair], sarif: Path | None, log: TextIO | None) -> None:
    """Write what still fails for other programs."""
    if log is not None:
        for line in github_annotations(repairs):
            print(plain(line), file=log)

    if sarif is None:
        return

    try:
        write_sarif(sarif, repairs)
    except OSError as error:
        warn(f"{sarif}: {error.strerror}; no SARIF file was written.")
        raise typer.Exit(1) from None


def _ask_for_code(
    code: Sequence[CodeItem],
    trust: ProjectTrust,
    output: JsonRepair | TerminalRepair,
    *,
    as_json: bool,
) -> None:
    """Ask for the project's code that the checks would run; without a terminal, name it."""
    judged = trust.untrusted(code)
    if not judged:
        return
    if not as_json and is_terminal() and ask_to_trust(judged):
        trust.accept(judged)
        return

    output.say(
        f"not run, because it is not trusted: {name_items(judged)}. {CURE} "
        "Checks use tools outside the project."
    )


def _settle(workspace: Workspace, output: JsonRepair | TerminalRepair) -> None:
    """Settle what interrupted commands left, so that no half of an edit is checked."""
    settled = attempt(lambda: settle_first(workspace))
    if not isinstance(settled, NothingDone):
        output.show_settled(settled)
        return
    for each in settled.refusals:
        output.say(each.refused.message)


def _stopped_message(done: Sequence[FileRepair], total: int) -> str:
    progress = f"stopped after {len(done)} of {total} files."
    written = [each.path for each in done if each.change_id is not None]
    if not written:
        return f"{progress} The compilers are stopped, and no file was changed."
    names = ", ".join(written)
    return f"{progress} Repaired: {names}. The compilers are stopped; no other file was changed."


def _settings(root: Path, flags: Mapping[str, str | float | None]) -> Settings:
    settings = read_settings_or_exit(root, flags)
    try:
        shlex.split(settings["check"] or "")
    except ValueError:
        raise typer.BadParameter(
            f"{settings['check']}: a quote is open in `check`.", param_hint="check"
        ) from None

    return settings


def _choose(
    paths: list[str], root: Path, target: Target | None, *, has_check: bool
) -> tuple[list[str], frozenset[str]]:
    """Return the files to check, and which of these were found in a directory."""
    is_named: dict[str, bool] = {}
    for path in paths:
        at = _below(path, root)
        if (root / at).is_dir():
            for name in _checkable(root, at, target):
                is_named.setdefault(name, False)
        else:
            _require_check(at, target, has_check=has_check)
            is_named[at] = True

    found = frozenset(name for name, named in is_named.items() if not named)
    return list(is_named), found


def _checkable(root: Path, directory: str, target: Target | None) -> list[str]:
    """Return the files below a directory that have a check, of the target's language only."""
    under, prefix = directory, f"{directory}/"
    if directory == ".":
        under = prefix = ""

    chosen = []
    for name in list_files(root, under):
        if not name.startswith(prefix):
            continue
        if name.startswith(".holdfast/"):
            continue
        language = target_of(name)
        if language is None:
            continue
        if target in {None, language}:
            chosen.append(name)

    return chosen


def _require_check(path: str, target: Target | None, *, has_check: bool) -> None:
    language = target or target_of(path) or "any"
    if language == "any" and not has_check:
        raise typer.BadParameter(
            f"{path}: no check is known for this; name its language with --target, "
            "or set `check` in .holdfast/config.toml.",
            param_hint="PATH",
        )


def _below(path: str, root: Path) -> str:
    """Return a path relative to the root; `path` is relative to here, or else to the root.

    From outside of the root it is relative to the root first.
    """
    top, here = root.resolve(), Path.cwd()
    starts = (here, top) if here.is_relative_to(top) else (top, here)
    for start in starts:
        # Not resolved: a link keeps its name, and the guards judge where it leads.
        place = Path(os.path.normpath(start / path))
        if not place.exists() and not place.is_symlink():
            continue
        real = place if place.is_relative_to(top) else place.resolve()
        if real.is_relative_to(top):
            return str(real.relative_to(top))
        raise typer.BadParameter(
            f"{path}: this is outside of {root}; name another --root.", param_hint="PATH"
        )

    raise typer.BadParameter(f"{path}: there is no such file.", param_hint="PATH")
