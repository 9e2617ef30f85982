"""Every event is read back from its JSON as it was written."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import get_args

import pytest

from holdfast.usecases.events.event_json import event_from_json, is_transcript, kept_from_json
from holdfast.usecases.events.event_to_json import event_to_json
from holdfast.vocab.agent_events import (
    AgentCall,
    AgentNote,
    AgentStateChanged,
    PlanEntry,
    PlanStated,
)
from holdfast.vocab.change_events import (
    ChangeMoved,
    ChangesRemoved,
    EditLanded,
    EditObserved,
    Recovered,
)
from holdfast.vocab.events import (
    ApprovalAsked,
    ApprovalGiven,
    BaselineChange,
    BaselineChat,
    BaselineCheckpoint,
    BaselineTurn,
    CallEnded,
    CallStarted,
    CheckpointMissed,
    CheckpointRestored,
    CheckpointsRemoved,
    CheckpointTaken,
    CommandRan,
    Compacted,
    EditRefused,
    Event,
    GarbageCollected,
    LogBaseline,
    ModelAwaited,
    OpenMatter,
    ReasoningArrived,
    RepairEnded,
    Retried,
    Said,
    SentinelRaised,
    SessionDeleted,
    SkippedPath,
    StepStarted,
    TextArrived,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from holdfast.vocab.session_events import MessageQueued, RejectionQueued, SessionChanged
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.transcript import Sentinel
from holdfast.vocab.worktree_events import WorktreeChanged

CALL = ToolCall("1", "write_file", {"path": "a", "lines": [1, {"deep": None}]}, "renamed")
EVENTS: list[Event] = [
    TurnStarted("s", "t", "m", "Go.", True, "other", "c", "m1", "m2"),
    CheckpointTaken("k", (SkippedPath("big", "too large"),), "m2", "label", "turn", "c"),
    CheckpointMissed("no git"),
    CheckpointsRemoved(("k1", "k2")),
    CheckpointRestored(
        "undo", "both", "k", "u", 1, 2, True, False, "c", ("m1",), ("m2", "m3"), ("k1",), ("k2",)
    ),
    StepStarted(1),
    TextArrived("a\0\ud800"),
    ReasoningArrived("b"),
    Retried("cut"),
    Said("text", "why", (CALL,)),
    CallStarted(CALL),
    CallEnded("1", "write_file", "ok", "exec_error", ("a",), ("b",)),
    EditLanded("a", "rename", "similar", 0.9, "diff", "ch", "b", True),
    EditObserved("a", "edit", None, "diff", "ch"),
    EditRefused("a", "not_found", "no"),
    ChangeMoved("ch", "proposed", "other"),
    ChangesRemoved(("ch",)),
    CommandRan("ls", None, "out"),
    ApprovalAsked("edit", "a", "why", "q", ("once", "deny")),
    ApprovalGiven("a", "deny", "q", "not now"),
    SentinelRaised(Sentinel("cap_hit", "Stopped.", {"steps": [1, 2]})),
    Compacted("sum", 1, 2, 3, 4, ("a",), ("b",)),
    RepairEnded("a", "Repaired", True, "fixed", ("r1",), "ch"),
    UsageReported(1, 2, True),
    ModelAwaited(10.5),
    AgentCall("c1", "Edit a.py", "edit", "done", ("a.py",), "ok", "-x\n+y\n"),
    PlanStated((PlanEntry("read", "completed"), PlanEntry("edit"))),
    AgentStateChanged("qwen", "acp", "warm", fresh=True, message="started"),
    AgentNote("usage_update", {"used": 3, "deep": {"list": [1]}}),
    WorktreeChanged("removed", "s", "/w", "holdfast/s/work", "c0ffee", "k", "ch"),
    Recovered("batch", "ch", "dropped", "why", ("a",)),
    TurnEnded(
        "cancelled",
        "Stopped.",
        1,
        2,
        3,
        ("a",),
        "restore",
        ("a",),
        (OpenMatter("edit", "a", "no", 2),),
    ),
    SessionChanged("forked", "s", "t", "qwen", "m", "ask", True, "s0", "k", "c", ("m1", "m2")),
    MessageQueued("m", "t", "refused", "words", ("a.txt",), "mine", "why"),
    RejectionQueued("ch", "refused", (1, 2), "no", "why"),
    SessionDeleted("s", ("c",), ("t",), ("ch",)),
    GarbageCollected(1, 2, 3),
    LogBaseline(
        ("s",),
        (BaselineChat("c", ("m1", "m2")),),
        (BaselineChange("ch", "applied"),),
        (BaselineCheckpoint("k", None, True),),
        (BaselineTurn("t", "done"),),
    ),
]


def test_there_is_an_example_of_every_event() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(Event))


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_an_event_is_read_as_it_was_written(event: Event) -> None:
    body = json.loads(json.dumps(event_to_json(event)))
    assert body["kind"] == event.kind
    assert event_from_json(event.kind, body) == event


def test_what_an_older_store_has_not_is_the_default_and_what_a_newer_one_adds_is_left_out() -> None:
    old = {"session": "s", "turn": "t", "model": "m", "prompt": "", "kind": "turn_started"}
    assert event_from_json("turn_started", old) == TurnStarted("s", "t", "m", "")
    new = event_to_json(StepStarted(1)) | {"later": 1}
    assert event_from_json("step_started", new) == StepStarted(1)
    assert event_from_json("of another year", {}) is None


def test_only_the_transcript_is_kept_in_parts() -> None:
    kept = [event for event in EVENTS if kept_from_json(event.kind, event_to_json(event))]
    assert [type(event) for event in kept] == [
        Said,
        CallEnded,
        SentinelRaised,
        Compacted,
        RepairEnded,
        AgentCall,
    ]
    assert [event for event in EVENTS if is_transcript(event)] == kept
    assert not is_transcript(AgentCall("c1", "Edit a.py", "edit", "running"))


def test_every_event_has_its_kind_as_a_field() -> None:
    for event in EVENTS:
        assert fields(event)[-1].name == "kind"
