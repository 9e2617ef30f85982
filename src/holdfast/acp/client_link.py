"""The client of a session, for the thread of a turn: updates, and questions to the user."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
from typing import TYPE_CHECKING, Any

from acp import RequestError
from acp.schema import AllowedOutcome, PermissionOption, RequestPermissionResponse

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable

    from acp.helpers import SessionUpdate
    from acp.interfaces import Client
    from acp.schema import ToolCallUpdate

    from holdfast.vocab.cancellation import Cancel

_TICK = 0.1
_log = logging.getLogger(__name__)


class ClientLink:
    """One session's client; every method is called from a thread that is not the event loop's."""

    def __init__(self, client: Client, session: str, loop: asyncio.AbstractEventLoop) -> None:
        """Join a client and the loop that its connection runs in."""
        self._client = client
        self._session = session
        self._loop = loop

    def update(self, updates: Iterable[SessionUpdate]) -> None:
        """Send updates, and wait until they are written; drop them if the client has gone."""
        for update in updates:
            sending = self._client.session_update(self._session, update)
            try:
                self._start(sending).result()
            except (ConnectionError, concurrent.futures.CancelledError):
                _log.debug("the client has gone")

    def ask(
        self, call: ToolCallUpdate, options: list[PermissionOption], over: Cancel
    ) -> str | None:
        """Return the option that the user chose; None if they chose none, or `over` is set.

        Raise `RequestError` if the client does not answer such questions.
        """
        asking = self._start(self._client.request_permission(self._session, call, options))
        while not over.is_set():
            try:
                answered: RequestPermissionResponse = asking.result(_TICK)
            except concurrent.futures.TimeoutError:
                continue
            except (ConnectionError, concurrent.futures.CancelledError):
                return None
            except RequestError:
                raise
            if isinstance(answered.outcome, AllowedOutcome):
                return answered.outcome.option_id
            return None

        asking.cancel()
        return None

    def _start(self, work: Coroutine[Any, Any, Any]) -> concurrent.futures.Future[Any]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)
