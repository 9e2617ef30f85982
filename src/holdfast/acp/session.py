"""A session of the protocol: where it works, its mode, and the turn that runs."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from acp import PromptResponse, RequestError, update_agent_message_text

from holdfast.acp.client_asker import ClientAsker
from holdfast.acp.file_diffs import FileDiffs
from holdfast.acp.modes import approval_of
from holdfast.acp.slash_commands import parse_slash, run_slash
from holdfast.acp.turn_updates import TurnUpdates
from holdfast.config.settings import BadConfig, Settings
from holdfast.usecases.turns.send_message import UserMessage
from holdfast.vocab.events import TurnStarted
from holdfast.wiring.settings import settings_at
from holdfast.wiring.turns import run_turn_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from acp.schema import StopReason as AcpStopReason

    from holdfast.acp.client_link import ClientLink
    from holdfast.acp.modes import Mode
    from holdfast.usecases.turns.recorded_turn import NotSent
    from holdfast.vocab.events import Event, TurnEnded
    from holdfast.vocab.transcript import StopReason

Flags: TypeAlias = "Mapping[str, str | int | None]"
_log = logging.getLogger(__name__)

_STOP_REASONS: Mapping[StopReason, AcpStopReason] = {
    "done": "end_turn",
    "cancelled": "cancelled",
    "cap": "max_turn_requests",
    "mistakes": "max_turn_requests",
    "loop": "max_turn_requests",
    "max_tokens": "max_tokens",
    "refused": "refusal",
}
"""The ends of a turn that the protocol has a word for; the others are errors.

The protocol knows no turn that was stopped for its mistakes: the nearest is one that has had enough
requests.
"""
_LOGIN_NEEDED = -32000
_FAILED = -32603


class EditorSession:
    """One conversation with Holdfast's own model; at most one turn of it runs."""

    def __init__(
        self, session_id: str, root: Path, mode: Mode, flags: Flags, *, on_record: bool
    ) -> None:
        """Begin without a turn. `on_record`: the store has the session already."""
        self.id = session_id
        self.root = root
        self.mode = mode
        self._flags = flags
        self._on_record = on_record
        self._cancel: threading.Event | None = None

    @property
    def is_running(self) -> bool:
        """Whether a turn runs."""
        return self._cancel is not None

    def cancel(self) -> None:
        """Ask the running turn to end; do nothing if none runs."""
        if self._cancel is not None:
            self._cancel.set()

    @contextmanager
    def begun(self) -> Iterator[threading.Event]:
        """Return the event that cancels the turn which begins; the turn ends with the context."""
        self._cancel = threading.Event()
        try:
            yield self._cancel
        finally:
            self._cancel = None

    def answer(self, words: str, link: ClientLink, cancel: threading.Event) -> PromptResponse:
        """Run a slash command or a turn, and return how it ended; in a thread of its own.

        Raise `RequestError` for a turn that failed.
        """
        command = parse_slash(words)
        try:
            if command is not None:
                told = run_slash(command, self.root, self.id)
                link.update([update_agent_message_text(told)])
                return PromptResponse(stop_reason="end_turn")
            return self._run_turn(words, link, cancel)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise RequestError(_FAILED, f"{where}{error.strerror}") from error

    def _run_turn(self, words: str, link: ClientLink, cancel: threading.Event) -> PromptResponse:
        mode = self.mode
        settings = read_settings(self.root, {**self._flags, "approve": approval_of(mode)})
        shown = TurnUpdates(FileDiffs(self.root))

        def show(event: Event, _seq: int | None) -> None:
            if isinstance(event, TurnStarted):
                self._on_record = True
            link.update(shown.of(event))

        message = UserMessage(words, plan=mode == "plan", new_session=self.id)
        if self._on_record:
            message = UserMessage(words, self.id, plan=mode == "plan")

        ended = run_turn_at(
            self.root,
            settings,
            message,
            show=show,
            say=lambda note: _log.warning("session %s: %s", self.id, note),
            asker=ClientAsker(link, shown, cancel.set),
            cancel=cancel,
        )
        return _response(ended, shown)


def read_settings(root: Path, flags: Flags) -> Settings:
    """Return the settings at a root. Raise `RequestError` if they cannot be read."""
    settings = settings_at(root, flags)
    if isinstance(settings, BadConfig):
        raise RequestError(-32602, " ".join(settings.problems))
    for warning in settings.warnings:
        _log.warning("%s", warning)
    return settings


def _response(ended: TurnEnded | NotSent, shown: TurnUpdates) -> PromptResponse:
    reason = _STOP_REASONS.get(ended.stop_reason)
    facts: dict[str, Any] = {
        "stop_reason": ended.stop_reason,
        "message": ended.message,
        "checkpoint_id": shown.checkpoint,
    }
    if reason is not None:
        return PromptResponse(stop_reason=reason, field_meta={"holdfast": facts})

    code = _FAILED
    if ended.stop_reason == "needs_login":
        code = _LOGIN_NEEDED

    raise RequestError(code, ended.message, {"holdfast": facts})
