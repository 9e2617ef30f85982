"""Turns with a model and a server that fail in every way, drawn from a fixed seed.

Each ends by itself and says honestly why; each transcript is valid; the files are what the recorded changes made of them.
`pytest -s` prints how the turns ended.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from threading import Event as Flag
from typing import Any

import pytest

from holdfast.adapters.models.openai_compatible import OpenAICompatible
from holdfast.adapters.store.database_url import chosen_url
from holdfast.adapters.store.queries.chats import chats_of
from holdfast.adapters.store.store import Store, open_store
from holdfast.config.settings import Settings
from holdfast.loop.context.history import rebuild
from holdfast.testing import FixedClock, RecordedRequest, ScriptedServer, say
from holdfast.usecases.events.event_json import kept_from_json
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.usecases.turns.send_message import UserMessage
from holdfast.vocab.events import (
    CallEnded,
    Event,
    Said,
    SentinelRaised,
    TextArrived,
    TurnEnded,
    TurnStarted,
)
from holdfast.vocab.transcript import AssistantSaid, SystemText, ToolAnswered, UserText
from holdfast.vocab.transcript import Message as Sent
from holdfast.wiring.settings import settings_at
from holdfast.wiring.turns import run_turn_at
from holdfast.wiring.workspaces import open_workspace
from tests.adapters.store.queries import messages_of, parts_of, turn_by_id
from tests.end_to_end.faults.trouble import FILES, Lots
from tests.samples import WHOLE

pytestmark = pytest.mark.slow

# Among these turns every way to end occurs; of other ones it would take more.
NUMBERS = range(200) if WHOLE else range(132, 176)
SEED = 20_261_115


@dataclass
class Turn:
    """One turn as it was seen from outside."""

    session: str
    turn: str
    ended: TurnEnded
    events: list[Event]
    cancelled: bool
    requests: list[RecordedRequest] = field(repr=False)


def make_project(root: Path) -> dict[str, bytes]:
    """Write the project, and give its files."""
    (root / "src").mkdir(parents=True)
    for path in FILES:
        (root / path).write_text("".join(f"VALUE_{n} = {n}\n" for n in range(4)))
    (root / ".env").write_text("SECRET=1\n")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return files_of(root)


def files_of(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(root).parts
    }


def run_one(root: Path, number: int, session: str | None) -> Turn:
    lots = Lots(SEED + number)
    script = lots.script()
    cancel_after = lots.random.randint(1, 40) if lots.random.random() < 0.08 else None
    cancel, events = Flag(), list[Event]()
    context = lots.random.choice((None, None, 6_000, 9_000))
    most = lots.random.choice((40, 40, 40, 3))
    gone = lots.random.random() < 0.03

    def show(event: Event, _seq: int | None) -> None:
        events.append(event)
        if isinstance(event, TextArrived):
            for gate in lots.gates:
                gate.set()
        if len(events) == cancel_after:
            cancel.set()
        if gone and isinstance(event, CallEnded):
            server.close()

    with ScriptedServer(script, otherwise=say("That is all.")) as server:
        clock = FixedClock()

        def find(settings: Settings, tell: Callable[[str], None]) -> OpenAICompatible:
            return OpenAICompatible(server.base_url, "scripted", context=context, sleep=clock.sleep)

        flags = {
            "base_url": server.base_url,
            "model": "scripted",
            "approve": "auto",
            "max_steps": most,
        }
        settings = settings_at(root, flags)
        assert isinstance(settings, Settings)
        message = UserMessage(f"Turn {number}.", session)
        ended = run_turn_at(
            root,
            settings,
            message,
            show=show,
            say=lambda _: None,
            asker=None,
            cancel=cancel,
            find=find,
        )
        assert not isinstance(ended, NotSent), ended
        started = next(event for event in events if isinstance(event, TurnStarted))
        return Turn(started.session, started.turn, ended, events, cancel.is_set(), server.requests)


@pytest.fixture(scope="module")
def played(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, dict[str, bytes], list[Turn], Path]:
    place = tmp_path_factory.mktemp("faults")
    root = place / "project"
    first = make_project(root)
    turns: list[Turn] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOLDFAST_STATE_DIR", str(place / "state"))
        for number in NUMBERS:
            # Each fourth turn goes on with the session of the one before, however that ended.
            session = turns[-1].session if number % 4 == 3 else None
            turns.append(run_one(root, number, session))
    print(
        "\n"
        + ", ".join(f"{reason} {count}" for reason, count in Counter(_reasons(turns)).most_common())
    )
    print(
        f"{sum(len(turn.requests) for turn in turns)} requests, {sum(turn.ended.steps for turn in turns)} steps"
    )
    return root, first, turns, place / "state"


def _reasons(turns: list[Turn]) -> list[str]:
    return [turn.ended.stop_reason for turn in turns]


def test_every_turn_ends_by_itself_and_says_honestly_why(
    played: tuple[Path, dict[str, bytes], list[Turn], Path],
) -> None:
    turns = played[2]
    assert len(turns) == len(NUMBERS)
    for turn in turns:
        assert turn.events[-1] == turn.ended
        assert sum(isinstance(event, TurnEnded) for event in turn.events) == 1
        assert turn.ended.message.endswith((".", "again"))
        assert turn.ended.stop_reason in _HONEST, turn.ended
        assert _HONEST[turn.ended.stop_reason](turn), turn.ended
    assert set(_reasons(turns)) == set(_HONEST)


def _escalated(kind: str) -> Callable[[Turn], bool]:
    def says(turn: Turn) -> bool:
        raised = [event.sentinel for event in turn.events if isinstance(event, SentinelRaised)]
        return (
            bool(raised) and raised[-1].kind == kind and raised[-1].body.get("can_continue") is True
        )

    return says


def _has_answered(turn: Turn) -> bool:
    last = [event for event in turn.events if isinstance(event, Said)][-1]
    return bool(last.text.strip()) and not last.calls


_HONEST: dict[str, Callable[[Turn], bool]] = {
    "done": _has_answered,
    "mistakes": _escalated("mistake_recovery"),
    "loop": _escalated("doom_loop"),
    "cap": _escalated("cap_hit"),
    "cancelled": lambda turn: turn.cancelled,
    "failed": lambda turn: "context" in turn.ended.message or "refus" in turn.ended.message,
    "unreachable": lambda turn: "127.0.0.1" in turn.ended.message,
}


def test_every_transcript_is_valid_and_can_be_rebuilt(
    played: tuple[Path, dict[str, bytes], list[Turn], Path],
) -> None:
    turns, state = played[2], played[3]
    with open_store(chosen_url(state)) as store:
        for turn in turns:
            row = store.query(turn_by_id, turn.turn)
            assert row is not None
            assert (row.stop_reason, row.status == "running") == (turn.ended.stop_reason, False)
        for session in dict.fromkeys(turn.session for turn in turns):
            check_transcript(store, session)


def check_transcript(store: Store, session: str) -> None:
    (chat,) = store.query(chats_of, session)
    stored = store.query(messages_of, chat.id)
    assert [message.seq for message in stored] == list(range(1, len(stored) + 1))
    past: list[Any] = []
    for message in stored:
        parts = store.query(parts_of, message.id)
        assert [part.seq for part in parts] == list(range(1, len(parts) + 1))
        assert message.status != "running"
        for part in parts:
            assert json.loads(json.dumps(part.body)) == part.body
            past.append(
                UserText(part.body["text"])
                if message.role == "user"
                else kept_from_json(part.kind, part.body)
            )
    assert None not in past
    unanswered: list[str] = []
    for fact in past:
        if isinstance(fact, CallEnded):
            assert unanswered.pop(0) == fact.call_id
        elif not isinstance(fact, SentinelRaised):
            assert unanswered == []
            unanswered = [call.id for call in fact.calls] if isinstance(fact, Said) else []
            assert "[Note from Holdfast" not in str(fact)
    assert unanswered == []
    check_payload(
        rebuild(
            [fact for fact in past if not isinstance(fact, SentinelRaised)], SystemText("Rules.")
        ).messages
    )


def check_payload(messages: tuple[Sent, ...]) -> None:
    waiting: list[str] = []
    for message in messages:
        if isinstance(message, ToolAnswered):
            assert message.call_id in waiting
            waiting.remove(message.call_id)
            continue
        assert waiting == []
        if isinstance(message, AssistantSaid):
            waiting = [call.id for call in message.calls]
            assert len(set(waiting)) == len(waiting)
    assert waiting == []


def test_every_question_was_one_that_a_server_can_take(
    played: tuple[Path, dict[str, bytes], list[Turn], Path],
) -> None:
    for turn in played[2]:
        for request in turn.requests:
            waiting: list[str] = []
            for message in request.messages:
                if message["role"] == "tool":
                    assert waiting.pop(0) == message["tool_call_id"]
                    continue
                assert waiting == []
                waiting = [call["id"] for call in message.get("tool_calls", ())]
                for call in message.get("tool_calls", ()):
                    assert isinstance(json.loads(call["function"]["arguments"]), dict)
            assert waiting == []
            roles = [message["role"] for message in request.messages]
            assert roles.count("system") == 1
            assert not any(one == other == "user" for one, other in pairwise(roles))


def test_the_files_are_what_the_recorded_changes_made_of_them(
    played: tuple[Path, dict[str, bytes], list[Turn], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, first, turns, state = played
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(state))
    files = dict(first)
    with open_workspace(root) as workspace:
        applied = sorted(workspace.log.list(state="applied"), key=lambda change: change.seq)
    for change in applied:
        for swap in change.plan.swaps:
            assert files.pop(swap.path, None) == (None if swap.before is None else swap.before.data)
            if swap.after is not None:
                files[swap.path] = swap.after.data
    assert files == files_of(root)
    assert len(applied) > len(NUMBERS) // 2
    assert {change.turn for change in applied} <= {turn.turn for turn in turns}
    assert all("SECRET" not in request.raw.decode() for turn in turns for request in turn.requests)
