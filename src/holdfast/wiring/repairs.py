"""What a repair below a root needs: checks, decisions, rules and a model."""

from __future__ import annotations

import os
import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.response_cache import ResponseCache
from holdfast.adapters.project.secret_files import is_secret_file
from holdfast.adapters.toolchains.own_code import OwnCode
from holdfast.adapters.toolchains.project_checks import CheckRequest, checks_of_project
from holdfast.repair.decisions.manifest import BadManifest
from holdfast.repair.ledger_wrappers import ReadOnlyLedger
from holdfast.repair.locked_rules import DryRules, LockedRules
from holdfast.repair.model_queue import ModelQueue
from holdfast.repair.ports import Check, PipelinePorts, ProposerFailed
from holdfast.repair.strictness import RepairPolicy
from holdfast.usecases.repair.model_proposer import LateProvider
from holdfast.usecases.repair.repair_files import RepairDependencies
from holdfast.usecases.turns.repair_ports import ProjectCheck, TurnRepairs
from holdfast.wiring.checks import (
    BATCHED,
    FileChecks,
    check_together,
    sees_project,
    target_of,
)
from holdfast.wiring.decisions import decisions_at, rule_book_at
from holdfast.wiring.sandboxes import command_rules, sandbox_at
from holdfast.wiring.state_directory import state_directory
from holdfast.wiring.workspaces import DiskWorkspace, open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from holdfast.adapters.models.openai_compatible import OpenAICompatible
    from holdfast.config.settings import Settings
    from holdfast.guards.commands import CommandVerdict
    from holdfast.loop.ports import Model
    from holdfast.rules.rule_book import RuleBook
    from holdfast.usecases.trust.project_trust import ProjectTrust
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.diagnostics import Target

_MOST_WORKERS = 4


@contextmanager
def repair_dependencies_at(
    root: Path,
    settings: Settings,
    *,
    target: Target | None,
    model: bool,
    dry_run: bool,
    tests: bool,
    workers: int | None,
    trust: ProjectTrust,
    say: Callable[[str], None],
    compile_only: bool = False,
) -> Iterator[RepairDependencies]:
    """Open what a repair below a root needs; a model is found when the first file needs one.

    With `tests`, what passes its check must pass the project's tests, too, if there are any. With
    `compile_only`, only the compiler checks a file.
    """
    cancel = threading.Event()
    with ExitStack() as opened:

        def find() -> OpenAICompatible | ProposerFailed:
            # Most repairs need no model, and HTTP takes long to import.
            from holdfast.usecases.turns.recorded_turn import NotSent  # noqa: PLC0415 - see above
            from holdfast.wiring.models import find_model, refuse_server  # noqa: PLC0415 - see above

            refusal = refuse_server(settings, trust)
            found = refusal or find_model(settings, say)
            if isinstance(found, NotSent):
                # Without a server that somebody named there is nobody to ask.
                unreachable = refusal is None and settings["base_url"] is not None
                return ProposerFailed(found.message, unreachable)

            return opened.enter_context(found)

        named = settings["model"] or ""
        provider = LateProvider(find if model else None, named, settings["max_tokens"], say, cancel)
        at_once = workers or _default_workers()
        checks = FileChecks(root, settings, trust, compile_only=compile_only, at_once=at_once)
        own_tests = checks.tests(cancel) if tests else None
        workspace = opened.enter_context(open_workspace(root))
        workspace.secrets = tuple(filter(None, (settings["api_key"], settings["database_url"])))
        yield replace(
            _dependencies(workspace, provider, own_tests, say, dry_run=dry_run),
            check_for=lambda path: checks.find(path, target, cancel),
            can_batch=lambda path: (target or target_of(path)) in BATCHED,
            check_together=check_together,
            workers=at_once,
            stop=cancel.set,
            events=workspace.store.event_log(workspace.place if dry_run else workspace.claim()),
        )


def turn_repairs_at(
    workspace: DiskWorkspace, settings: Settings, trust: ProjectTrust, say: Callable[[str], None]
) -> TurnRepairs:
    """Return what the repair after a turn needs; nothing is read before the turn's end."""
    root = workspace.files.root
    own_code = OwnCode(root)

    def find(path: str, cancel: Cancel) -> tuple[ProjectCheck, ...]:
        request = CheckRequest(
            root,
            settings["command_timeout"],
            settings["check"],
            in_project=settings.values["check"].from_project_only,
            sandbox=sandbox_at(root, settings),
        )
        return checks_of_project(path, request, own_code, cancel)

    def judge(words: str) -> CommandVerdict:
        # A repair outside of a turn judges no command, and the guards take long to import.
        from holdfast.guards.commands import judge_command  # noqa: PLC0415 - see above

        return judge_command(words, command_rules(settings))

    def dependencies(model: Model, cancel: Cancel, tests: Check | None) -> RepairDependencies:
        provider = LateProvider(lambda: model, model.name, settings["max_tokens"], say, cancel)
        return _dependencies(workspace, provider, tests, say)

    secrets = tuple(filter(None, (settings["api_key"], settings["database_url"])))
    policy = RepairPolicy(
        settings["strictness"],
        max_attempts=settings["attempts"],
        confidence=settings["confidence"],
    )
    is_secret = partial(is_secret_file, str(root))
    return TurnRepairs(find, judge, dependencies, is_secret, trust, time.monotonic, policy, secrets)


def _dependencies(
    workspace: DiskWorkspace,
    provider: LateProvider,
    tests: Check | None,
    say: Callable[[str], None],
    *,
    dry_run: bool = False,
) -> RepairDependencies:
    """Return what every repair below a root needs; the caller adds the check of each file."""
    root = workspace.files.root

    @cache
    def read_book() -> RuleBook:
        book = rule_book_at(root)
        for problem in book.problems:
            say(problem)
        return book

    if os.path.lexists(root / ".holdfast/rules"):
        # What is wrong with the project's own rules is said at once.
        read_book()

    ledger, rules = decisions_at(root), LockedRules(read_book)
    queue = ModelQueue()

    def withdraw(module: str, decision_id: str, why: str) -> None:
        try:
            ledger.withdraw(module, decision_id, why)
        except BadManifest as error:
            say(f"{error} A decision that was not carried out may still be recorded as accepted.")
        except OSError as error:
            problem = f"{error.filename or root}: {error.strerror}"
            say(f"{problem}; a decision that was not carried out is still recorded as accepted.")

    def ports(check: Check) -> PipelinePorts:
        return PipelinePorts(
            check=check,
            ledger=ReadOnlyLedger(ledger) if dry_run else ledger,
            rules=DryRules(rules) if dry_run else rules,
            provider=provider.find,
            answers=ResponseCache(state_directory()),
            tests=None if check.target == "any" else tests,
            project=sees_project(check),
            queue=queue,
        )

    return RepairDependencies(
        workspace=workspace,
        check_for=lambda _: None,
        world_for=ports,
        is_secret=partial(is_secret_file, str(root)),
        workers=_default_workers(),
        dry_run=dry_run,
        withdraw=withdraw,
    )


def _default_workers() -> int:
    return min(_MOST_WORKERS, os.cpu_count() or 1)
