"""The turns that the server runs, each in a thread of its own.

A message is first on record in the queue of its session, with the ids that its turn will have. One
thread at a time works on the queue of a session. A session whose turn runs in another process
waits until that one has ended.
"""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

from holdfast.server.problems import ApiError
from holdfast.server.rejections import settle_rejections
from holdfast.server.turn_cancel import TurnCancel
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.vocab.events import TurnStarted
from holdfast.wiring.projects.session_turns import run_session_turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.server.project_list import ServedProject
    from holdfast.usecases.approvals.answer import PersonsAnswer
    from holdfast.usecases.sessions.message_ports import QueuedMessage
    from holdfast.usecases.turns.approvals import Question
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import ApprovalGiven, Event, TurnEnded

STEP_SECONDS = 10.0
"""How long a running step may take to end when the server stops."""
_END_SECONDS = 15.0
"""How long turns may take to end after that."""
_TICK = 0.1
_FOREIGN_TICK = 0.5
_log = logging.getLogger(__name__)


class RecordAsker:
    """Waits until a question is answered on record (port `Asker`)."""

    def ask(self, question: Question, over: Cancel) -> PersonsAnswer | None:  # noqa: ARG002 - the port
        """Return None as soon as the question is over; the answer is on record then."""
        while not over.is_set():
            time.sleep(_TICK)
        return None

    def show_other_answer(self, given: ApprovalGiven) -> None:
        """Show nothing: followers see the event."""


class TurnThreads:
    """The turns of this server."""

    def __init__(self) -> None:
        """Begin without turns."""
        self._lock = threading.Lock()
        self._workers: dict[str, threading.Thread] = {}
        self._cancels: dict[str, TurnCancel] = {}
        self._again: set[str] = set()
        """Sessions whose thread has to look at the queue once more before it ends."""
        self._unsettled: set[str] = set()
        """Sessions whose thread has to look at the rejections once more before it ends."""
        self._ending: set[str] = set()
        self._first: dict[str, str] = {}
        self.is_stopping = False

    @property
    def count(self) -> int:
        """How many turns run."""
        return len(self._cancels)

    def runs(self, session: str) -> bool:
        """Return whether this server works on a session."""
        return session in self._workers

    def sessions_of(self, project: ServedProject) -> tuple[str, ...]:
        """Return the sessions of a project that this server works on."""
        with self._lock:
            sessions = tuple(self._workers)
        return tuple(each for each in sessions if each in project.sessions.find(each))

    def work_on_queue(self, project: ServedProject, session: str, first: str | None = None) -> None:
        """Let a thread send the messages that wait in a session, unless one does already.

        `first` is the id of the message to begin with. Raise `ApiError` if the server stops.
        """
        with self._lock:
            if self.is_stopping:
                raise ApiError(503, "stopping", "The server stops; the message stays in the queue.")
            if first is not None:
                self._first[session] = first
            if session not in self._workers:
                self._start(project, session, lambda: self._send_waiting(project, session))
            elif first is not None or session not in self._cancels or session in self._ending:
                # The thread may have looked at the queue for the last time.
                self._again.add(session)

    def expect_end(self, session: str) -> None:
        """Note that a turn is cancelled: what waited during the turn waits on."""
        with self._lock:
            if session in self._cancels:
                self._ending.add(session)

    def go_on(self, project: ServedProject, session: str) -> Future[TurnStarted | NotSent]:
        """Begin a turn without a prompt, and return what becomes of it. Raise `ApiError`."""
        begun: Future[TurnStarted | NotSent] = Future()
        with self._lock:
            if self.is_stopping:
                raise ApiError(503, "stopping", "The server stops.")
            if session in self._workers:
                raise ApiError(409, "turn_running", "A turn of this session runs already.")

            def work() -> None:
                try:
                    ended = self._run(project, session, None, begun)
                    if isinstance(ended, NotSent):
                        begun.set_result(ended)
                        return
                finally:
                    if not begun.done():
                        begun.set_result(NotSent("the turn has not begun; see the server's log."))

                if _goes_on(ended):
                    self._send_waiting(project, session)

            self._start(project, session, work)

        return begun

    def settle_after_turn(self, project: ServedProject, session: str) -> None:
        """Do the rejections that wait in a session when its turn has ended, wherever that runs."""
        with self._lock:
            if self.is_stopping:
                # They are on record: the next start does them.
                return
            if session in self._workers:
                self._unsettled.add(session)
            else:
                self._start(project, session, lambda: self._settle(project, session))

    def stop(self) -> None:
        """Let the running steps end, then end every turn, and return when all have ended."""
        with self._lock:
            self.is_stopping = True
            cancels = tuple(self._cancels.values())
            workers = tuple(self._workers.values())

        for cancel in cancels:
            cancel.end_after_step()

        if not _join(workers, STEP_SECONDS):
            for cancel in cancels:
                cancel.end_now()
            if not _join(workers, _END_SECONDS):
                _log.error("turns have not ended in %s s", STEP_SECONDS + _END_SECONDS)

    def _start(self, project: ServedProject, session: str, work: Callable[[], None]) -> None:
        """Start the thread of a session; the caller has the lock."""

        def run() -> None:
            now = work
            while True:
                try:
                    now()
                except Exception:  # noqa: BLE001 - logged; nobody above could
                    # The turn is on record as ended; the session must be able to go on.
                    _log.exception("session %s: the turn has failed", session)
                with self._lock:
                    if self.is_stopping or session not in self._again | self._unsettled:
                        del self._workers[session]
                        return
                    sends = session in self._again
                    self._again.discard(session)
                    self._unsettled.discard(session)
                now = partial(self._send_waiting if sends else self._settle, project, session)

        thread = threading.Thread(target=run, name=f"turn-{session[:8]}", daemon=True)
        self._workers[session] = thread
        thread.start()

    def _send_waiting(self, project: ServedProject, session: str) -> None:
        while (message := self._next(project, session)) is not None:
            ended = self._run(project, session, message, None)
            if not isinstance(ended, NotSent) and not _goes_on(ended):
                # Whoever stops a turn wants to look first.
                return

    def _next(self, project: ServedProject, session: str) -> QueuedMessage | None:
        """Return the message to send next, when no other process works on the session."""
        while not self.is_stopping:
            waiting = [each for each in project.queue.waiting(session) if each.state == "waiting"]
            if not waiting:
                return None
            if self._is_quiet(project, session):
                settle_rejections(project, session)
                first = self._first.pop(session, None)
                waiting.sort(key=lambda each: each.id != first)
                return waiting[0]
            time.sleep(_FOREIGN_TICK)

        return None

    def _settle(self, project: ServedProject, session: str) -> None:
        """Do the rejections that wait, when no process works on the session."""
        while not self.is_stopping:
            if self._is_quiet(project, session):
                settle_rejections(project, session)
                return
            time.sleep(_FOREIGN_TICK)

    @staticmethod
    def _is_quiet(project: ServedProject, session: str) -> bool:
        return project.session(session).state not in {"running", "waiting"}

    def _run(
        self,
        project: ServedProject,
        session: str,
        message: QueuedMessage | None,
        begun: Future[TurnStarted | NotSent] | None,
    ) -> TurnEnded | NotSent:
        cancel = TurnCancel()

        def show(event: Event, *_: object) -> None:
            if begun is not None and isinstance(event, TurnStarted):
                begun.set_result(event)

        with self._lock:
            self._cancels[session] = cancel

        try:
            return run_session_turn(
                project,
                session,
                message=message,
                asker=RecordAsker(),
                cancel=cancel,
                say=_log.info,
                show=show,
            )
        finally:
            with self._lock:
                del self._cancels[session]
                self._ending.discard(session)
            if self._is_quiet(project, session):
                settle_rejections(project, session)


def _goes_on(ended: TurnEnded) -> bool:
    """Return whether the next message is sent after such an end."""
    return ended.stop_reason not in {"cancelled", "interrupted"}


def _join(threads: tuple[threading.Thread, ...], seconds: float) -> bool:
    """Wait for threads together; return whether all have ended."""
    end = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return not any(thread.is_alive() for thread in threads)
