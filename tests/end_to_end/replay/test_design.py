"""The lines of the design, each as a turn with real HTTP, files and store: replies, guards, servers, compaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from holdfast.testing import (
    Call,
    RecordedRequest,
    Reply,
    call,
    calls,
    chunks,
    cut,
    drop,
    fail,
    overflow,
    say,
    text_call,
    think,
    truncated,
    whole,
    wrong_json,
)
from holdfast.vocab.events import CallEnded, Compacted, Retried, Said
from tests.end_to_end.replay.productive import comment, read, rerate, run
from tests.end_to_end.replay.stage import DONE, Played, make_project, play

pytestmark = pytest.mark.slow

NOTE = "[Note from Holdfast"
RATE = "RATE_1 = 501\n"
EDIT = rerate(1, 501)
CHANT = say("I will now fix the rates and then run the check again.\n" * 40)
LONG = [call("read_file", path="src/long.py", start=at, end=at + 199) for at in range(1, 1000, 200)]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    return make_project(tmp_path / "project")


@dataclass(frozen=True)
class Case:
    """A script and what comes of it. `nudged` are the numbers of the questions with a note of ours in them, from 0."""

    name: str
    script: Sequence[Reply]
    requests: int
    stop: str = "done"
    sentinels: tuple[str, ...] = ()
    nudged: tuple[int, ...] = ()
    edited: bool = False


def styled(style: str) -> Case:
    printed = text_call("edit_file", style=style, path="src/m1.py", old="RATE_1 = 1\n", new=RATE)  # type: ignore[arg-type]  # a style
    return Case(f"TEXT_TOOL_CALLS {style}", [printed, DONE], 2, edited=True)


REPLIES = [
    Case("TOOL_CALLS", [calls(read(1), EDIT), DONE], 2, edited=True),
    *map(styled, ("hermes", "function", "mistral", "fenced", "bare")),
    Case("FINAL", [DONE], 1),
    Case("REASONING_ONLY once is asked again without a word", [think("Hmm."), DONE], 2),
    Case("REASONING_ONLY twice is nudged", [think("Hmm."), think("Hm."), EDIT, DONE], 4, nudged=(2,), edited=True),
    Case("EMPTY once is asked again without a word", [say(""), EDIT, DONE], 3, edited=True),
    Case("EMPTY twice is nudged", [say(""), say(""), DONE], 3, nudged=(2,)),
    Case("EMPTY for ever stops", [say("")] * 12, 8, "mistakes", ("mistake_recovery ", "mistake_recovery  stop"), (2, 5)),
    Case("TRUNCATED: a call that changes is not run", [replace(EDIT, finish="length"), DONE, DONE], 3, nudged=(1, 2)),
    Case("TRUNCATED: a call that reads is run", [replace(read(1), finish="length"), DONE], 2),
    Case("TRUNCATED words are asked for in smaller pieces", [replace(say("And so"), finish="length"), DONE], 2, nudged=(1,)),
    Case("NARRATED_INTENT is nudged to act", [say("Now let me edit the file."), EDIT, DONE], 3, nudged=(1,), edited=True),
    Case(
        "NARRATED_INTENT for ever stops after two nudges",
        [say("Now let me edit the file.")] * 9,
        3,
        "mistakes",
        ("mistake_recovery  stop",),
        (1, 2),
    ),
    Case("API_ERROR 500 passes", [fail(500), fail(503), EDIT, DONE], 4, edited=True),
    Case("API_ERROR 429 passes", [fail(429, retry_after=3), EDIT, DONE], 3, edited=True),
    Case("API_ERROR dropped connection passes", [drop(), EDIT, DONE], 3, edited=True),
    Case("API_ERROR a stream cut in a call does not run it", [cut(EDIT, after=4), DONE], 2),
    Case("API_ERROR a last chunk that is no JSON is asked for again", [wrong_json(EDIT), EDIT, DONE], 3, edited=True),
    Case("API_ERROR 404 stops", [fail(404, "no such model")], 1, "failed"),
    Case("API_ERROR 401 stops", [fail(401, "who are you")], 1, "needs_login"),
    Case("a repetition is requested again with changed sampling", [CHANT, EDIT, DONE], 3, sentinels=("chant ",), edited=True),
    Case(
        "endless repetitions stop",
        [CHANT] * 20,
        12,
        "mistakes",
        (*["chant "] * 3, "mistake_recovery ", *["chant "] * 3, "mistake_recovery  stop"),
        # The second try of a step has the note of the first.
        (6, 7),
    ),
]  # fmt: skip

MISSING = [call("read_file", path=f"gone{n}.py") for n in range(9)]
GUARDS = [
    Case("three mistakes are nudged", [*MISSING[:3], EDIT, DONE], 5, "done", ("mistake_recovery ",), (3,), edited=True),
    Case("six mistakes stop", MISSING, 6, "mistakes", ("mistake_recovery ", "mistake_recovery  stop"), (3,)),
    Case(
        "mistakes of all kinds count together",
        [MISSING[0], call("no_such_tool"), call("edit_file", "{{"), DONE, DONE],
        5,
        "done",
        ("mistake_recovery ",),
        # The last one is about the edit that was rejected.
        (3, 4),
    ),
    Case("identical is nudged", [read(1)] * 3 + [EDIT, DONE], 5, "done", ("doom_loop identical",), (3,), edited=True),
    Case("identical stops", [read(1)] * 9, 6, "loop", ("doom_loop identical", "doom_loop identical stop"), (3,)),
    Case("a cycle stops", [read(1), read(2)] * 9, 9, "loop", ("doom_loop cycle", "doom_loop cycle stop"), (6,)),
    Case(
        "a duplicate stops",
        [reply for n in range(3, 20) for reply in (read(1), read(n))],
        15,
        "loop",
        ("doom_loop duplicate", "doom_loop duplicate stop"),
        (11,),
    ),
    Case(
        "no progress stops",
        [call("search", pattern=f"nothing_{n}") for n in range(20)],
        14,
        "loop",
        ("doom_loop no_progress", "doom_loop no_progress stop"),
        (12,),
    ),
    Case(
        "no effect stops",
        [reply for n in range(9) for reply in (comment(2, n), run("false"))],
        12,
        "loop",
        ("doom_loop no_effect", "doom_loop no_effect stop"),
        (8,),
    ),
    Case("a failing command is no mistake", [*[run(f"sh -c 'exit {n}'") for n in range(1, 9)], DONE, DONE], 10, nudged=(9,)),
]  # fmt: skip


def odd_chunks(usage: bool) -> Reply:
    """The id and the name in every piece; the arguments in three."""
    edit = json.dumps({"path": "src/m1.py", "old": "RATE_1 = 1\n", "new": RATE})
    pieces = [edit[:9], edit[9:30], edit[30:]]
    frames: list[dict[str, object]] = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "x", "function": {"name": "edit_file", "arguments": piece}}]}}]}
        for piece in pieces
    ]  # fmt: skip
    end: dict[str, object] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    return chunks(
        *frames, {**end, "usage": {"prompt_tokens": 9, "completion_tokens": 9}} if usage else end
    )


QUIRKS = [
    Case("usage missing in streams", [replace(EDIT, usage="none"), replace(DONE, usage="none")], 2, edited=True),
    Case("id and name repeated in every delta", [odd_chunks(usage=True), DONE], 2, edited=True),
    Case("the same without usage", [odd_chunks(usage=False), DONE], 2, edited=True),
    Case("arguments as an object", [Reply(calls=(replace(EDIT.calls[0], as_object=True),)), DONE], 2, edited=True),
    Case("not streamed at all", [whole(EDIT), whole(DONE)], 2, edited=True),
    Case("no finish reason", [replace(EDIT, finish=""), DONE], 2, edited=True),
    Case("the same id for every call", [Reply(calls=(Call("read_file", '{"path": "src/m1.py"}', id="a"),)), Reply(calls=(replace(EDIT.calls[0], id="a"),)), DONE], 3, edited=True),
]  # fmt: skip


@pytest.mark.parametrize("case", [*REPLIES, *GUARDS, *QUIRKS], ids=lambda case: case.name)
def test_a_line_of_the_design(root: Path, case: Case) -> None:
    played = play(root, case.script, waits=False)
    assert (played.stop_reason, tuple(played.sentinels)) == (case.stop, case.sentinels)
    assert played.requests == case.requests
    assert (
        tuple(n for n, asked in enumerate(played.asked) if NOTE in str(asked.messages))
        == case.nudged
    )
    assert (RATE in (root / "src/m1.py").read_text()) is case.edited
    assert all(
        NOTE not in event.text for event in played.events if isinstance(event, Said | CallEnded)
    )


def test_a_repetition_is_requested_again_with_other_sampling(root: Path) -> None:
    played = play(root, [CHANT, DONE], waits=False)
    assert ["temperature" in asked.body for asked in played.asked] == [False, True]


def test_a_server_that_calls_only_if_a_tool_is_asked_for_is_asked(root: Path) -> None:
    def answer(request: RecordedRequest) -> Reply:
        if "tool_choice" not in request.body:
            return say("I cannot do that.")
        return DONE if request.messages[-1]["role"] == "tool" else EDIT

    assert play(root, answer).stop_reason == "done"
    assert RATE in (root / "src/m1.py").read_text()


@pytest.mark.parametrize("odd", ["minItems", "tool_choice", "stream_options"])
def test_what_a_server_refuses_with_500_is_left_out(root: Path, odd: str) -> None:
    def answer(request: RecordedRequest) -> Reply:
        if f'"{odd}"' in request.raw.decode():
            words = {"minItems": "failed to convert the JSON schema to a grammar"}.get(
                odd, f"{odd}: unknown field"
            )
            return fail(500, words)
        return DONE if request.messages[-1]["role"] == "tool" else EDIT

    played = play(root, answer, waits=False)
    assert played.stop_reason == "done"
    assert RATE in (root / "src/m1.py").read_text()
    # It is left out from then on: nothing is refused twice.
    assert sum(f'"{odd}"' in asked.raw.decode() for asked in played.asked) == 1


def test_a_server_without_tool_support_receives_the_tools_as_text(root: Path) -> None:
    def answer(request: RecordedRequest) -> Reply:
        if "tools" in request.body:
            return fail(400, "this model does not support tools")
        done = "Landed" in request.messages[-1]["content"]
        return (
            DONE if done else text_call("edit_file", path="src/m1.py", old="RATE_1 = 1\n", new=RATE)
        )

    assert play(root, answer, waits=False).stop_reason == "done"
    assert RATE in (root / "src/m1.py").read_text()


def test_the_cap_ends_with_words_and_without_tools(root: Path) -> None:
    played = play(root, [*(read(n) for n in range(6)), say("Six files are read.")], max_steps=6)
    assert (played.stop_reason, played.sentinels) == ("cap", ["cap_hit "])
    assert "tools" not in played.asked[-1].body
    assert [event.text for event in played.events if isinstance(event, Said)][
        -1
    ] == "Six files are read."


def test_the_soft_cap_holds_only_who_brings_nothing_new(root: Path) -> None:
    script = [
        call("read_file", path="src/long.py", start=at, end=at + 4) for at in range(1, 360, 5)
    ]
    played = play(root, [*script, DONE])
    assert (played.stop_reason, played.requests) == ("done", 73)


def test_an_overflow_is_made_shorter_and_asked_again(root: Path) -> None:
    played = play(root, [*LONG, overflow(9000), DONE], waits=False)
    assert played.stop_reason == "done"
    assert played.sentinels == ["compaction "]
    assert any(isinstance(event, Retried) and "too long" in event.reason for event in played.events)


def test_a_prompt_whose_front_was_dropped_in_silence_is_noticed(root: Path) -> None:
    script = [truncated(reply, 4_096) if n > 2 else reply for n, reply in enumerate(LONG)]
    played = play(root, [*script, DONE], waits=False)
    assert played.stop_reason == "done"
    assert "compaction " in played.sentinels


def work_and_summarise(summary: str) -> Callable[[RecordedRequest], Reply]:
    """Read and edit one module after the other; asked for a summary, give this one."""
    script = [reply for n in range(24) for reply in (read(n), rerate(n, n + 500), LONG[n % 5])]
    replies = iter([*script, DONE])

    def answer(request: RecordedRequest) -> Reply:
        return say(summary) if "tools" not in request.body else next(replies)

    return answer


@pytest.mark.parametrize(
    "summary", ["## Goal\nMend it.\n\n## Files Read\n- made/up.py\n", ""], ids=["said", "empty"]
)
def test_the_ledger_survives_compactions_one_after_the_other(root: Path, summary: str) -> None:
    played = play(root, work_and_summarise(summary), kind="llama_cpp", context=8_192)
    assert played.stop_reason == "done"
    done = [event for event in played.events if isinstance(event, Compacted) and event.summary]
    assert len(done) >= 2
    last = done[-1]
    assert list(last.read) == sorted(last.read)
    assert list(last.modified) == sorted(last.modified)
    assert set(last.modified) <= set(last.read)
    assert set(done[-2].read) <= set(last.read)
    assert set(done[-2].modified) <= set(last.modified)
    assert last.summary.count("## Files Read") == last.summary.count("## Files Modified") == 1
    assert "made/up.py" not in last.summary
    assert "Mend it." in last.summary
    assert all(f"- {path}" in last.summary for path in last.modified)
    # What is sent after it begins with it, and no payload is larger than the context.
    assert any(
        asked.messages[1]["content"].startswith(last.summary) for asked in played.asked[-40:]
    )
    assert max(len(asked.raw) for asked in played.asked) < 8_192 * 5
    assert "compaction_off " not in played.sentinels


def test_a_turn_fits_into_the_small_context_of_a_local_server(root: Path) -> None:
    """Ollama's default. Reading and editing goes on, however often room has to be made."""
    played = play(root, work_and_summarise("## Goal\nMend it.\n"), kind="ollama", context=4_096)
    assert played.stop_reason == "done"
    assert (root / "src/m23.py").read_text().count("RATE_23 = 523") == 1


def assert_no_guard_spoke(played: Played) -> None:
    assert not [words for words in played.sentinels if words.startswith(("doom_loop", "mistake"))]


def test_a_long_turn_with_compactions_is_not_taken_for_a_loop(root: Path) -> None:
    assert_no_guard_spoke(
        play(root, work_and_summarise("## Goal\nMend it.\n"), kind="llama_cpp", context=8_192)
    )
