"""`holdfast repair`: mend code that does not pass its check."""

from __future__ import annotations

import os
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.render.repair import JsonRepair, TerminalRepair, exit_code
from holdfast.cli.render.text import warn
from holdfast.config.settings import BadConfig
from holdfast.repair.strictness import RepairPolicy
from holdfast.usecases.repair.repair_files import repair_files
from holdfast.wiring.checks import list_files, target_of
from holdfast.wiring.repairs import repair_dependencies_at
from holdfast.wiring.settings import settings_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.config.settings import Settings
    from holdfast.usecases.repair.repair_files import FileRepair
    from holdfast.vocab.diagnostics import Target


class Language(StrEnum):
    """What `--target` takes."""

    python = "python"
    javascript = "javascript"
    typescript = "typescript"
    c = "c"
    cpp = "cpp"
    rust = "rust"
    java = "java"
    go = "go"
    any = "any"


class Level(StrEnum):
    """What `--strictness` takes."""

    sketch = "sketch"
    development = "development"
    production = "production"


def repair(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH…", help="Files, or directories to look into.")
    ],
    *,
    target: Annotated[
        Language | None,
        typer.Option("--target", help="The language, where a file's name does not tell it."),
    ] = None,
    strictness: Annotated[
        Level | None,
        typer.Option(
            "--strictness",
            help="production: nothing but what is pinned, and no model. sketch: no review.",
        ),
    ] = None,
    no_model: Annotated[bool, typer.Option("--no-model", help="Do without a model.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change, and write nothing.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Take a model's word only from 0.90 on, not 0.75.")
    ] = False,
    timeout: Annotated[
        int | None,
        typer.Option(
            "--timeout",
            metavar="SECONDS",
            min=1,
            help="How long a check may take; else `command_timeout`.",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="The model to use.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", metavar="U", help="The server, up to /v1.")
    ] = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Check files, and mend those that fail by the cheapest that works: fix-its, pinned decisions, rules, a model.

    Every fix passes the real compiler and keeps what the code declares, or nothing is written.

    Exit 0: all pass. 1: some still fail. 2: wrong usage. 4: blocked by the strictness. 130: stopped with Ctrl-C.
    """
    level = strictness.value if strictness else None
    flags = {"model": model, "base_url": base_url, "strictness": level, "command_timeout": timeout}
    settings = _settings(root, flags)
    language: Target | None = target.value if target else None
    chosen, met = _choose(paths, root, language, has_check=settings["check"] is not None)
    face = JsonRepair() if as_json else TerminalRepair(len(chosen), progress=sys.stderr.isatty())
    policy = RepairPolicy(settings["strictness"], strict)
    ask = not no_model and policy.allowed.fresh_model_calls
    done: list[FileRepair] = []

    def show(each: FileRepair) -> None:
        done.append(each)
        face.show(each)

    try:
        with repair_dependencies_at(
            root, settings, target=language, model=ask, dry_run=dry_run, say=face.say
        ) as dependencies:
            mended = repair_files(chosen, dependencies, policy, show, met)
    except KeyboardInterrupt:
        face.say(_tell_stopped(done, len(chosen)))
        raise typer.Exit(130) from None
    except OSError as error:
        face.say(
            f"{error.filename or root}: {error.strerror}; the project's rules or the state cannot be used."
        )
        raise typer.Exit(1) from None
    face.end()
    face.show_all(mended, dry_run=dry_run)
    raise typer.Exit(exit_code(mended))


def _tell_stopped(done: Sequence[FileRepair], total: int) -> str:
    written = [each.path for each in done if each.change_id is not None]
    mended = f" Mended: {', '.join(written)}." if written else ""
    rest = "every other file is as it was" if written else "every file is as it was"
    return (
        f"stopped after {len(done)} of {total} files.{mended} The compilers are ended, and {rest}."
    )


def _settings(root: Path, flags: dict[str, str | int | None]) -> Settings:
    require_directory(root)
    settings = settings_at(root, flags)
    if isinstance(settings, BadConfig):
        for problem in settings.problems:
            warn(problem)
        raise typer.Exit(2)
    for warning in settings.warnings:
        warn(warning)
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
    """Give the files that are named, with those in directories that can be checked; and which were only met there."""
    chosen: dict[str, bool] = {}
    for path in paths:
        at = _below(path, root)
        if not (root / at).is_dir():
            _require_check(at, target, has_check=has_check)
            chosen[at] = True
            continue
        for name in list_files(root, "" if at == "." else at):
            language = target_of(name)
            inside = at == "." or name.startswith(f"{at}/")
            if (
                inside
                and language is not None
                and target in {None, language}
                and not name.startswith(".holdfast/")
            ):
                chosen.setdefault(name, False)
    return list(chosen), frozenset(name for name, named in chosen.items() if not named)


def _require_check(path: str, target: Target | None, *, has_check: bool) -> None:
    if (target or target_of(path) or "any") == "any" and not has_check:
        told = f"{path}: no check is known for this; name its language with --target, or set `check` in"
        raise typer.BadParameter(f"{told} .holdfast/config.toml.", param_hint="PATH")


def _below(path: str, root: Path) -> str:
    """Give a path from the root downwards: as it is named from there, or else from here."""
    top = root.resolve()
    for start in (top, Path.cwd()):
        # Not resolved: a link is named as it is, and the file border says where it leads.
        place = Path(os.path.normpath(start / path))
        if place.exists() or place.is_symlink():
            real = place if place.is_relative_to(top) else place.resolve()
            if real.is_relative_to(top):
                return str(real.relative_to(top))
            raise typer.BadParameter(
                f"{path}: this is outside of {root}; name another --root.", param_hint="PATH"
            )
    raise typer.BadParameter(f"{path}: there is no such file.", param_hint="PATH")
