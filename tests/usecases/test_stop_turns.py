"""The order in which turns are stopped: asked, waited for, ended with their processes, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from holdfast.usecases.sessions.cancel import SENTENCE, SessionCancelled, cancel_session
from holdfast.usecases.sessions.ports import RunningTurn, StopScope, TurnOwner
from holdfast.usecases.sessions.stop_turns import StopRefused, TurnsStopped, stop_turns
from holdfast.vocab.events import TurnEnded

ONE = RunningTurn("t1", "s1", TurnOwner("box", 41, "7"))
TWO = RunningTurn("t2", "s2", TurnOwner("far", 42, "8"))
HERE = StopScope("s1", worktree=True)


@dataclass
class Turns:
    """Turns that end at a step of the stop, and a clock that runs as fast as it is asked (port `RunningTurns`).

    `ends_at` says what ends each turn: `ask`, `processes`, `owner`, or nothing.
    """

    ends_at: dict[RunningTurn, str]
    left_behind: tuple[int, ...] = ()
    recorded: frozenset[str] = frozenset()
    steps: list[str] = field(default_factory=list)
    over: set[str] = field(default_factory=set)
    waited: float = 0.0

    def find_sessions(self, wanted: str) -> tuple[str, ...]:
        found = {turn.session for turn in self.ends_at if turn.session.startswith(wanted)}
        return tuple(sorted(found))[:2]

    def at_work(self, scope: StopScope) -> tuple[RunningTurn, ...]:
        return tuple(
            turn
            for turn in self.ends_at
            if turn.id not in self.over and (scope.worktree or turn.session == scope.session)
        )

    def ask_to_stop(self, turns: Sequence[RunningTurn], sentence: str) -> None:
        self._do(f"ask: {sentence}", "ask", turns)

    def withdraw(self, turns: Sequence[RunningTurn]) -> None:
        self.steps.append(f"withdraw {' '.join(turn.id for turn in turns)}")

    def wait(self, turns: Sequence[RunningTurn], seconds: float) -> tuple[RunningTurn, ...]:
        left = tuple(turn for turn in turns if turn.id not in self.over)
        if left:
            self.waited += seconds
        return left

    def end(self, turn: RunningTurn, ended: TurnEnded) -> bool:
        if turn.id in self.recorded:
            return False
        self.steps.append(f"end {turn.id}: {ended.status}, {ended.message}")
        return True

    def end_processes(self, turns: Sequence[RunningTurn]) -> tuple[int, ...]:
        self._do(f"processes of {' '.join(turn.id for turn in turns)}", "processes", turns)
        return self.left_behind if turns else ()

    def end_left_processes(self, scope: StopScope) -> tuple[int, ...]:
        raise NotImplementedError

    def end_owner(self, turn: RunningTurn) -> None:
        self._do(f"owner of {turn.id}", "owner", [turn])

    def _do(self, words: str, step: str, turns: Sequence[RunningTurn]) -> None:
        self.steps.append(words)
        self.over |= {turn.id for turn in turns if self.ends_at[turn] == step}


def test_a_turn_that_ends_when_asked_loses_nothing_else() -> None:
    turns = Turns({ONE: "ask"}, recorded=frozenset({"t1"}))
    assert stop_turns(HERE, "Stopped.", turns) == TurnsStopped((ONE,))
    assert turns.steps == ["ask: Stopped.", "processes of t1"]
    assert turns.waited == 0


def test_nobody_is_asked_where_nothing_runs() -> None:
    turns = Turns({}, left_behind=(9,))
    stopped = stop_turns(HERE, "Stopped.", turns)
    assert stopped == TurnsStopped()
    assert not stopped.any


def test_what_a_stopped_turn_has_started_is_ended_and_reported() -> None:
    turns = Turns({ONE: "ask"}, left_behind=(9,))
    stopped = stop_turns(HERE, "Stopped.", turns)
    assert stopped == TurnsStopped((ONE,), (9,))
    assert stopped.any


def test_a_stop_of_a_session_alone_leaves_what_other_turns_have_left() -> None:
    turns = Turns({ONE: "ask", TWO: "ask"}, recorded=frozenset({"t1"}))
    assert stop_turns(StopScope("s1"), "Stopped.", turns) == TurnsStopped((ONE,))
    assert turns.steps == ["ask: Stopped.", "processes of t1"]


@pytest.mark.parametrize(
    ("ends_at", "steps", "waited"),
    [("processes", [], 10.0), ("owner", ["owner of t1"], 15.0)],
)
def test_after_ten_seconds_the_processes_of_the_turn_are_ended_then_its_owner(
    ends_at: str, steps: list[str], waited: float
) -> None:
    turns = Turns({ONE: ends_at})
    assert stop_turns(HERE, "Stopped.", turns) == TurnsStopped((ONE,))
    assert turns.waited == waited
    assert turns.steps == [
        "ask: Stopped.",
        "processes of t1",
        *steps,
        "processes of t1",
        "end t1: cancelled, Stopped.",
    ]


def test_a_turn_that_does_not_end_is_refused_by_name_and_not_asked_any_more() -> None:
    turns = Turns({ONE: "ask", TWO: "never"})
    assert stop_turns(HERE, "Stopped.", turns) == StopRefused(
        "turn t2 of session s2 has not stopped in 10 seconds: process 42 on far runs it; end that "
        "process there (kill 42), and run this again. No file was changed."
    )
    assert turns.steps[-1] == "withdraw t2"


def test_a_command_of_the_turn_itself_does_not_stop_it() -> None:
    turns = Turns({replace(ONE, around_us=True): "ask"})
    refused = stop_turns(HERE, "Stopped.", turns)
    assert refused == StopRefused(
        "this command was started by turn t1 of session s1, which would have to stop first; run "
        "this command outside of the turn."
    )
    assert turns.steps == []


def test_cancel_stops_the_turns_of_one_session() -> None:
    turns = Turns({ONE: "ask", TWO: "ask"}, recorded=frozenset({"t1"}))
    assert cancel_session("s1", turns) == SessionCancelled(
        "s1", ("t1",), "session s1: stopped turn t1."
    )
    assert turns.steps[0] == f"ask: {SENTENCE}"
    assert cancel_session("s1", turns) == SessionCancelled(
        "s1", (), "session s1: nothing is running."
    )


def test_cancel_refuses_an_id_that_names_no_session_or_several() -> None:
    turns = Turns({ONE: "ask", TWO: "ask"})
    assert cancel_session("s", turns) == StopRefused(
        "s: several sessions start with this; type more of the id."
    )
    assert cancel_session("x", turns) == StopRefused(
        "x: there is no such session in this project; `holdfast events` names them."
    )


@pytest.mark.parametrize("text", [None, "", "box", "box 41", "box pid 7"])
def test_what_names_no_owner_is_none(text: str | None) -> None:
    assert TurnOwner.parse(text) is None


def test_an_owner_is_read_as_it_was_written() -> None:
    owner = TurnOwner("box", 41, "Mon_Nov_16_15:38:47_2026")
    assert TurnOwner.parse(str(owner)) == owner
