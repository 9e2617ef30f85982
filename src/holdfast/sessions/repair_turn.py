"""After a turn's edits: check the files that it changed as their project does, and mend those that fail."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, assert_never

from holdfast.changes.files import Found
from holdfast.guards.commands import Allow, Ask, Refuse
from holdfast.guards.secrets import is_secret
from holdfast.landing.encoding import decode
from holdfast.loop.ports import UsagePiece
from holdfast.repair.outcomes import Repaired, RuleRepaired
from holdfast.repair.ports import CheckCrashed, CheckTimedOut, ToolchainMissing
from holdfast.repair.strictness import Policy
from holdfast.repair.verify import errors_of
from holdfast.sessions.repair import Mended, repair_files
from holdfast.sessions.repair_words import tell_mended
from holdfast.tools.ports import Denied, Nobody
from holdfast.tools.words import clean, sendable, shorten
from holdfast.vocab.events import EditLanded, RepairEnded, TurnEnded, UsageReported

if TYPE_CHECKING:
    from holdfast.loop.ports import Ask as Question
    from holdfast.loop.ports import Cancel, Model, Piece
    from holdfast.repair.outcomes import Outcome
    from holdfast.sessions.turn_repairs import ProjectCheck, Turn, TurnRepairs
    from holdfast.tools.ports import Answer
    from holdfast.vocab.events import Event

MOST_FILES = 20
SECONDS = 300.0
"""After so long a repair is ended, whatever it is at: somebody waits for the turn's end."""
_NOT_RUN = "NotRun"
_MOST_TOLD = 4_000


def repair_turn(ended: TurnEnded, turn: Turn, repairs: TurnRepairs, emit: Callable[[Event], None]) -> TurnEnded:
    """Check and mend what a turn has changed that came to its end; gives that end, with what the repair took.

    What cannot be checked is said, and no reason for the turn to fail.
    """
    model = _Metered(turn.model)
    _Repairs(turn, repairs, emit).run(ended.files, model)
    for used in model.used:
        emit(used)
    ended = replace(
        ended,
        prompt_tokens=ended.prompt_tokens + sum(used.prompt for used in model.used),
        completion_tokens=ended.completion_tokens + sum(used.completion for used in model.used),
    )
    if turn.cancel.is_set():
        told = "Cancelled while the turn's edits were being checked; they are on the disk."
        return replace(ended, stop_reason="cancelled", message=told)
    return ended


class _Repairs:
    """The repair after one turn."""

    def __init__(self, turn: Turn, repairs: TurnRepairs, emit: Callable[[Event], None]) -> None:
        self._turn = turn
        self._repairs = repairs
        self._emit = emit
        self._until = _Until(turn.cancel, repairs.now, repairs.now() + SECONDS)

    def run(self, changed: Sequence[str], model: Model) -> None:
        checks = self._allowed(self._find(changed))
        broken = [*checks]
        for command in dict.fromkeys(each.command for each in checks.values() if each.whole):
            about = [path for path, each in checks.items() if each.whole and each.command == command]
            named = self._check_whole(about, checks[about[0]])
            broken = [path for path in broken if path not in about or path in named]
        if not broken:
            return
        try:
            crew = self._repairs.crew(model, self._until)
        except OSError as error:
            self._not_run("", f"{error.filename or ''}: {error.strerror}; nothing was repaired.")
            return
        crew = replace(
            crew,
            owner=self._turn.owner,
            check_for=lambda path: checks[path].check,
            may_begin=self._may_begin,
            may_write=self._may_write,
        )
        repair_files(broken, crew, Policy(), self._show)

    # -------------------------------------------------------------------------------------------------------- checks

    def _find(self, changed: Sequence[str]) -> dict[str, ProjectCheck]:
        """Give the checks of the files that can be checked, by their real paths."""
        found: dict[str, ProjectCheck] = {}
        left_out = 0
        try:
            for path in self._texts(changed):
                check = self._repairs.find(path, self._until)
                if check is None:
                    continue
                if len(found) == MOST_FILES:
                    left_out += 1
                else:
                    found[path] = check
        except ValueError as error:
            self._not_run("", f"the check cannot be read: {error}")
            return {}
        if left_out:
            told = f"{left_out} more files were not checked, for one turn checks {MOST_FILES}; use `holdfast repair`."
            self._not_run("", told)
        return found

    def _texts(self, changed: Sequence[str]) -> Iterator[str]:
        """Give those that a model may see whole: not what is gone, is no text, or holds keys."""
        for path in changed:
            looked = self._turn.workspace.files.look(path)
            if not isinstance(looked, Found) or is_secret(path) or is_secret(looked.at):
                continue
            decoded = decode(looked.data)
            holds_key = any(secret in decoded.text for secret in self._repairs.secrets)
            if not decoded.binary and not holds_key and PurePosixPath(looked.at).parts[:1] != (".holdfast",):
                yield looked.at

    def _allowed(self, checks: dict[str, ProjectCheck]) -> dict[str, ProjectCheck]:
        """Give those that may run, after asking where somebody must be asked, once for each command."""
        refusals = {
            command: self._ask(command)
            for command in dict.fromkeys(each.command for each in checks.values())
            if command is not None
        }
        for path, each in checks.items():
            refusal = refusals.get(each.command or "")
            if refusal is not None:
                self._not_run(path, refusal)
        return {path: each for path, each in checks.items() if refusals.get(each.command or "") is None}

    def _ask(self, command: str) -> str | None:
        verdict = self._repairs.judge(command)
        match verdict:
            case Allow():
                return None
            case Ask(why):
                return _refusal(self._turn.gate.ask("command", command, f"to check this turn's edits; {why}"), command)
            case Refuse(message):
                return message
            case _:
                assert_never(verdict)

    def _check_whole(self, paths: Sequence[str], found: ProjectCheck) -> Collection[str]:
        """Run a check that is about all files once, and give those of the turn's that it complains of."""
        looked = self._turn.workspace.files.look(paths[0])
        if not isinstance(looked, Found):
            return ()
        try:
            checked = found.check.run(paths[0], looked.data)
        except (ToolchainMissing, CheckCrashed) as error:
            self._not_run("", str(error))
            return ()
        if isinstance(checked, CheckTimedOut):
            self._not_run("", self._late() or f"{found.command} was ended after {checked.seconds:g} s.")
            return ()
        if checked.ok:
            self._emit(RepairEnded("", "FirstTrySuccess", success=True, message=f"{found.command} passes."))
            return ()
        named = {each.path for each in errors_of(checked) if each.area is not None}
        broken = named.intersection(paths)
        if not broken:
            last = shorten(clean(checked.output.strip()), _MOST_TOLD)
            told = f"{found.command} fails, and names no line of what this turn changed:\n{last}"
            self._emit(RepairEnded("", "NotRepaired", success=False, message=sendable(told)))
        return broken

    # --------------------------------------------------------------------------------------------------------- repair

    def _may_begin(self, path: str) -> str | None:
        late = self._late()
        return f"{path}: {late}" if late else None

    def _may_write(self, path: str, diff: str) -> str | None:
        if self._turn.cancel.is_set():
            return f"{path}: {self._late()}"
        return _refusal(self._turn.gate.ask("edit", path, shorten(clean(diff), _MOST_TOLD)), path)

    def _late(self) -> str | None:
        if self._turn.cancel.is_set():
            return "the repair was cancelled."
        if self._until.is_set():
            return f"the {SECONDS:g} s that a repair after a turn may take are over; use `holdfast repair`."
        return None

    def _show(self, mended: Mended) -> None:
        landed = mended.landed
        if landed is not None:
            diff = sendable(landed.diff)
            self._emit(EditLanded(landed.path, "edit", landed.rung, landed.similarity, diff, mended.change_id))
        late = self._late()
        if late is not None and not mended.success:
            self._not_run(mended.path, late)
            return
        name = mended.outcome.name if mended.outcome is not None and mended.trouble is None else _NOT_RUN
        told, rules = sendable(tell_mended(mended)), _rules_of(mended.outcome)
        self._emit(RepairEnded(mended.path, name, mended.success, told, rules, mended.change_id))

    def _not_run(self, path: str, why: str) -> None:
        self._emit(RepairEnded(path, _NOT_RUN, success=False, message=sendable(why)))


def _refusal(answer: Answer, subject: str) -> str | None:
    match answer:
        case "yes":
            return None
        case Denied(message):
            return message
        case Nobody():
            return f"{subject}: this needs somebody's approval, and nobody is there to give it."


def _rules_of(outcome: Outcome | None) -> tuple[str, ...]:
    match outcome:
        case RuleRepaired(_, rules):
            return rules
        case Repaired(_, _, rule) if rule is not None:
            return (rule,)
        case _:
            return ()


class _Until:
    """Says stop when the turn is cancelled, and when the time is up (port `Cancel`)."""

    def __init__(self, cancel: Cancel, now: Callable[[], float], deadline: float) -> None:
        self._cancel, self._now, self._deadline = cancel, now, deadline

    def is_set(self) -> bool:
        return self._cancel.is_set() or self._now() >= self._deadline


class _Metered:
    """The turn's model (port `Model`), with what it takes; several repairs at once may ask it."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.used: list[UsageReported] = []

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def context(self) -> int | None:
        return self._model.context

    def stream(self, ask: Question, cancel: Cancel) -> Iterator[Piece]:
        for piece in self._model.stream(ask, cancel):
            if isinstance(piece, UsagePiece):
                self.used.append(UsageReported(piece.prompt, piece.completion))
            yield piece
