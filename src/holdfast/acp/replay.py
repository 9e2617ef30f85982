"""The transcript of a session, as updates: what is still in the conversation, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.acp.file_diffs import FileDiffs
from holdfast.acp.turn_updates import TurnUpdates
from holdfast.usecases.events.event_json import event_from_json
from holdfast.usecases.events.fold import fold
from holdfast.vocab.events import TurnStarted
from holdfast.wiring.events import open_event_log

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from acp.helpers import SessionUpdate


def replay(root: Path, session: str) -> Iterator[SessionUpdate]:
    """Yield the updates of a session's turns, but for those that a restore took out.

    Raise `EventsUnavailable`.
    """
    with open_event_log(root) as log:
        events = [each for each in log.after(0, session=session) if each.session == session]

    state = fold(events)
    messages = set().union(*state.messages.values())
    turns: dict[str, TurnUpdates] = {}
    diffs = FileDiffs(root)
    for logged in events:
        event = event_from_json(logged.kind, logged.body)
        if event is None or logged.turn is None:
            continue
        # The checkpoint of a turn is that before the answer: a restore leaves the prompt.
        is_prompt = isinstance(event, TurnStarted) and event.prompt_message_id in messages
        if is_prompt or logged.turn in state.turns:
            shown = turns.setdefault(logged.turn, TurnUpdates(diffs, settled=True))
            yield from shown.of(event)
