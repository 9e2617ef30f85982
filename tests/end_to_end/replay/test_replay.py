"""Forty turns and more, replayed with real files, commands, HTTP and store: nobody who works is stopped, and whoever is
stuck is stopped within 15 replies. `pytest -s` prints after how many.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from holdfast.testing import Reply, call
from tests.end_to_end.replay.productive import PRODUCTIVE, Script, read, rerate, run
from tests.end_to_end.replay.stage import EXITS, Played, endless, make_project, play, play_command
from tests.end_to_end.replay.stuck import LATE, STUCK, Tail
from tests.samples import WHOLE, sample

pytestmark = [pytest.mark.slow, pytest.mark.e2e]

WITHIN = 15
PLAYED_PRODUCTIVE = sample(PRODUCTIVE, 6)
PLAYED_STUCK = sample(STUCK, 6)
STUCK_LATE = random.Random(4).sample(STUCK, 14)
PRODUCTIVE_COMMANDS = [
    "a_day_of_mixed_work",
    "fix_one_failure_after_the_other",
    "compile_after_each_edit",
]
STUCK_COMMANDS = [
    ("edits_to_and_fro", "loop"),
    ("malformed_arguments", "mistakes"),
    ("commit_now_in_other_words", "loop"),
    ("edits_that_do_not_help", "loop"),
    ("nothing_at_all", "mistakes"),
    ("nothing_but_announcements", "mistakes"),
]
if not WHOLE:
    del STUCK_LATE[3:]
    # `make soak` plays each of these without the command too.
    del PRODUCTIVE_COMMANDS[1:]
    del STUCK_COMMANDS[2:]
BEFORE = [read(20), rerate(20, 520), run("sh check.sh"), read(21), rerate(21, 521)]


def name_of(case: object) -> str:
    return getattr(case, "__name__", str(case))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    return make_project(tmp_path / "project")


def stuck_for(played_requests: int, before: list[Reply]) -> int:
    return played_requests - len(before)


def replay(root: Path, before: list[Reply], tail: Tail) -> tuple[Played, int]:
    played = play(root, endless(before, tail))
    replies = stuck_for(played.requests, before)
    print(f"\n{tail.__name__}: {played.stop_reason} after {replies} replies, {played.sentinels}")
    return played, replies


def test_there_are_at_least_twenty_of_each() -> None:
    assert len(PRODUCTIVE) >= 20
    assert len(STUCK) >= 20


@pytest.mark.parametrize("productive", PLAYED_PRODUCTIVE, ids=name_of)
def test_a_long_productive_turn_comes_to_its_end(root: Path, productive: type[Script]) -> None:
    script = productive()
    assert len(script) >= 40
    played = play(root, script)
    requests = len(script) + 1 + played.has_open_matters
    assert (played.stop_reason, played.requests) == ("done", requests), played.sentinels


@pytest.mark.parametrize("tail", PLAYED_STUCK, ids=name_of)
def test_a_stuck_turn_is_stopped_within_15_replies(root: Path, tail: Tail) -> None:
    played, replies = replay(root, BEFORE, tail)
    assert played.stop_reason in {"loop", "mistakes"}
    assert replies <= WITHIN


@pytest.mark.parametrize(
    ("tail", "within"), LATE.items(), ids=lambda each: getattr(each, "__name__", None)
)
def test_a_loop_whose_first_round_is_new_is_stopped_later_than_wanted(
    root: Path, tail: Tail, within: int
) -> None:
    played, replies = replay(root, BEFORE, tail)
    assert played.stop_reason in {"loop", "mistakes"}
    assert replies <= within


@pytest.mark.parametrize("tail", STUCK_LATE, ids=name_of)
def test_whoever_gets_stuck_late_is_stopped_within_15_replies_too(root: Path, tail: Tail) -> None:
    """Thirty replies of a turn that gets on, picked by the tail's name, and then the tail."""
    productive = random.Random(tail.__name__).choice(PRODUCTIVE)
    played, replies = replay(root, productive()[:30], tail)
    assert played.stop_reason in {"loop", "mistakes"}
    assert replies <= WITHIN


@pytest.mark.parametrize("name", PRODUCTIVE_COMMANDS)
def test_the_command_ends_a_productive_turn_with_0(root: Path, tmp_path: Path, name: str) -> None:
    script = next(each for each in PRODUCTIVE if each.__name__ == name)()
    code, requests, lines = play_command(root, tmp_path / "state", script)
    # One more where a command that failed is open at the end: the model is asked about that.
    assert (code, requests) == (0, len(script) + 1 + bool(lines[-1]["unresolved"]))
    assert (lines[-1]["kind"], lines[-1]["stop_reason"], lines[-1]["exit_code"]) == (
        "turn_ended",
        "done",
        0,
    )


@pytest.mark.parametrize(("name", "reason"), STUCK_COMMANDS)
def test_the_command_ends_a_stuck_turn_with_10_or_11(
    root: Path, tmp_path: Path, name: str, reason: str
) -> None:
    tail = next(each for each in STUCK if each.__name__ == name)
    code, requests, lines = play_command(root, tmp_path / "state", endless(BEFORE, tail))
    assert (code, lines[-1]["stop_reason"]) == (EXITS[reason], reason)
    assert stuck_for(requests, BEFORE) <= WITHIN
    assert lines[-1]["continue"] == lines[0]["session"]


def test_whoever_does_something_else_after_a_nudge_goes_on(root: Path) -> None:
    """Six times the same call thrice; after each nudge the model does something else for a while."""
    script: list[Reply] = []
    for n in range(6):
        script += [call("read_file", path="src/m39.py")] * 3
        script += [rerate(n, n + 500), run("sh check.sh"), read(n)]
        script += [
            call("read_file", path="src/long.py", start=at, end=at + 4)
            for at in range(n * 120 + 1, n * 120 + 111, 5)
        ]
    played = play(root, script)
    assert played.stop_reason == "done"
    assert played.sentinels == ["doom_loop identical"] * 6
