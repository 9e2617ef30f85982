"""Repair at a root: its decisions, its rules, its checks, and whoever takes part."""

from __future__ import annotations

import os
import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from holdfast.wiring.models import find_model
from holdfast.wiring.workspaces import open_workspace, state_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from holdfast.adapters.models.openai_compatible import OpenAICompatible
    from holdfast.adapters.toolchains.tool_check import CheckMode
    from holdfast.config.settings import Settings
    from holdfast.guards.commands import CommandRules, CommandVerdict
    from holdfast.loop.ports import Model
    from holdfast.repair.context import PipelinePorts
    from holdfast.repair.decisions.manifest import Manifest
    from holdfast.repair.ports import Check
    from holdfast.rules.rule_book import RuleBook
    from holdfast.usecases.repair.model_proposer import LateProvider
    from holdfast.usecases.repair.repair_files import RepairDependencies
    from holdfast.usecases.turns.repair_ports import ProjectCheck, TurnRepairs
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.diagnostics import Target
    from holdfast.wiring.workspaces import DiskWorkspace


def decisions_at(root: Path) -> Manifest:
    """Give the decisions about a project's code."""
    from holdfast.adapters.filesystem.decision_files import DiskDecisionFiles  # noqa: PLC0415 - help does without all this
    from holdfast.repair.decisions.manifest import Manifest  # noqa: PLC0415

    return Manifest(DiskDecisionFiles(root, state_directory()))


def rule_book_at(root: Path) -> RuleBook:
    """Give the rules that came with Holdfast and the project's own; raises OSError."""
    from holdfast.adapters.filesystem.rule_files import DiskRuleFiles  # noqa: PLC0415 - help does without all this
    from holdfast.repair.builtin import builtin_rules  # noqa: PLC0415
    from holdfast.rules.rule_book import read_book  # noqa: PLC0415

    return read_book(DiskRuleFiles(root), builtin_rules())


@contextmanager
def repair_crew_at(
    root: Path,
    settings: Settings,
    *,
    target: Target | None,
    model: bool,
    dry_run: bool,
    say: Callable[[str], None],
) -> Iterator[RepairDependencies]:
    """Bring together all that a repair below a root needs; a model is looked for when the first file needs one."""
    from holdfast.repair.ports import ProposerFailed  # noqa: PLC0415 - help does without all this
    from holdfast.usecases.repair.model_proposer import LateProvider  # noqa: PLC0415
    from holdfast.usecases.turns.send_message import NotSent  # noqa: PLC0415

    cancel = threading.Event()
    with ExitStack() as opened:

        def look() -> OpenAICompatible | ProposerFailed:
            found = find_model(settings, say)
            if isinstance(found, NotSent):
                return ProposerFailed(found.message)
            return opened.enter_context(found)

        named = settings["model"] or ""
        provider = LateProvider(look if model else None, named, settings["max_tokens"], say, cancel)
        tests = _tests_at(root, settings, cancel)
        workspace = opened.enter_context(open_workspace(root))
        yield replace(
            _crew_for(workspace, provider, tests, say, dry_run=dry_run),
            check_for=lambda path: _check_at(path, root, settings, target, cancel),
            stop=cancel.set,
        )


def turn_repairs_at(
    workspace: DiskWorkspace, settings: Settings, say: Callable[[str], None]
) -> TurnRepairs:
    """Give what the repair after a turn needs; nothing is looked at before the turn's end."""
    from holdfast.repair.strictness import RepairPolicy  # noqa: PLC0415 - help does without all this
    from holdfast.usecases.turns.repair_ports import TurnRepairs  # noqa: PLC0415

    root, limit, command = workspace.files.root, settings["command_timeout"], settings["check"]

    def find(path: str, cancel: Cancel) -> tuple[ProjectCheck, ...]:
        from holdfast.adapters.toolchains.project_checks import checks_of_project  # noqa: PLC0415 - most turns change no file

        return checks_of_project(path, root, command=command, timeout=limit, cancel=cancel)

    def judge(words: str) -> CommandVerdict:
        from holdfast.guards.commands import judge_command  # noqa: PLC0415 - as above

        return judge_command(words, command_rules(settings))

    def crew(model: Model, cancel: Cancel, tests: Check | None) -> RepairDependencies:
        from holdfast.usecases.repair.model_proposer import LateProvider  # noqa: PLC0415 - as above

        provider = LateProvider(lambda: model, model.name, settings["max_tokens"], say, cancel)
        return _crew_for(workspace, provider, tests, say)

    secrets = tuple(filter(None, (settings["api_key"], settings["database_url"])))
    return TurnRepairs(
        find, judge, crew, time.monotonic, RepairPolicy(settings["strictness"]), secrets
    )


def command_rules(settings: Settings) -> CommandRules:
    """Give the user's rules for commands."""
    from holdfast.guards.commands import CommandRules  # noqa: PLC0415 - help does without it

    return CommandRules(allow=settings["allow_commands"], deny=settings["deny_commands"])


def _crew_for(
    workspace: DiskWorkspace,
    provider: LateProvider,
    tests: Check | None,
    say: Callable[[str], None],
    *,
    dry_run: bool = False,
) -> RepairDependencies:
    """Bring together what every repair below a root needs; which file has which check, whoever calls says."""
    from holdfast.adapters.filesystem.response_cache import ResponseCache  # noqa: PLC0415 - help does without all this
    from holdfast.repair.context import PipelinePorts  # noqa: PLC0415
    from holdfast.repair.decisions.manifest import BadManifest  # noqa: PLC0415
    from holdfast.repair.dry_run import DryLedger, DryRules  # noqa: PLC0415
    from holdfast.repair.locked_rules import LockedRules  # noqa: PLC0415
    from holdfast.usecases.repair.repair_files import RepairDependencies  # noqa: PLC0415

    root = workspace.files.root
    book = rule_book_at(root)
    for problem in book.problems:
        say(problem)
    ledger, rules = decisions_at(root), LockedRules(book, _now)

    def withdraw(module: str, decision_id: str, why: str) -> None:
        try:
            ledger.withdraw(module, decision_id, why)
        except BadManifest as error:
            say(f"{error} The decision that was not carried out may still stand there as accepted.")
        except OSError as error:
            where = error.filename or root
            say(
                f"{where}: {error.strerror}; a decision that was not carried out still stands there as accepted."
            )

    def world(of: Check) -> PipelinePorts:
        return PipelinePorts(
            check=of,
            ledger=DryLedger(ledger) if dry_run else ledger,
            now=_now,
            rules=DryRules(rules) if dry_run else rules,
            provider=provider.find,
            answers=ResponseCache(state_directory()),
            tests=tests if of.target != "any" else None,
            project=_sees_project(of),
        )

    return RepairDependencies(
        workspace=workspace,
        check_for=lambda _: None,
        world_for=world,
        workers=min(4, os.cpu_count() or 1),
        dry_run=dry_run,
        withdraw=withdraw,
    )


def _check_at(
    path: str, root: Path, settings: Settings, target: Target | None, cancel: Cancel
) -> Check | None:
    from holdfast.adapters.toolchains.registry import check_for, target_of  # noqa: PLC0415 - as above

    language = target or target_of(path)
    mode: CheckMode = "project" if _with_its_project(language, root) else "file"
    # For a language that has a compiler, the project's own command is its tests.
    command = settings["check"] if language in {None, "any"} else None
    limit = settings["command_timeout"]
    return check_for(
        path, root, mode=mode, timeout=limit, command=command, target=target, cancel=cancel
    )


def _tests_at(root: Path, settings: Settings, cancel: Cancel) -> Check | None:
    from holdfast.adapters.toolchains.registry import check_for  # noqa: PLC0415 - as above

    command, limit = settings["check"], settings["command_timeout"]
    return (
        check_for("", root, mode="project", timeout=limit, command=command, cancel=cancel)
        if command
        else None
    )


def _with_its_project(target: Target | None, root: Path) -> bool:
    """Whether the compiler sees a file only as a part of its project; the others stand on their own."""
    return target in {"rust", "javascript", "typescript"} or (
        target == "go" and (root / "go.mod").is_file()
    )


def _sees_project(check: Check) -> bool:
    from holdfast.adapters.toolchains.tool_check import ToolCheck  # noqa: PLC0415 - as above
    from holdfast.usecases.turns.baseline import SinceCheck  # noqa: PLC0415

    inner = check.check if isinstance(check, SinceCheck) else check
    return isinstance(inner, ToolCheck) and inner.mode == "project"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def target_of(path: str) -> Target | None:
    """Return the language of a file, by its suffix, or None if no check is known for it."""
    from holdfast.adapters.toolchains import registry  # noqa: PLC0415 - help does without all this

    return registry.target_of(path)


def list_files(root: Path, under: str) -> tuple[str, ...]:
    """Return the project's files below a directory, as paths from the root."""
    from holdfast.adapters.project import project_files  # noqa: PLC0415 - as above

    return project_files.list_files(str(root), under).paths
