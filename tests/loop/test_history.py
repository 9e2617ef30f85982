from __future__ import annotations

from holdfast.loop.context.history import INTERRUPTED, History, HistoryRecord, rebuild
from holdfast.loop.context.ledger import Ledger
from holdfast.vocab.agent_events import AgentCall
from holdfast.vocab.events import (
    CallEnded,
    CallStarted,
    Compacted,
    RepairEnded,
    Retried,
    Said,
    StepStarted,
)
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.transcript import AssistantSaid, SystemText, ToolAnswered, UserText

RULES = SystemText("rules")
ONE = ToolCall("1", "read_file", {"path": "a.py"})
TWO = ToolCall("2", "write_file", {"path": "a.py", "text": "x"})


def test_a_session_becomes_the_messages_that_were_sent() -> None:
    records: list[HistoryRecord] = [
        UserText("Mend it."),
        StepStarted(1),
        Retried("the server was busy"),
        Said("Let me look.", "hm", (ONE, TWO)),
        CallStarted(ONE),
        CallEnded("1", "read_file", "x = 1", read=("a.py",)),
        CallEnded("2", "write_file", "Written.", modified=("a.py",)),
        Said("Done."),
        UserText("And the tests?"),
    ]
    assert rebuild(records, RULES) == History(
        (
            RULES,
            UserText("Mend it."),
            AssistantSaid("Let me look.", (ONE, TWO), "hm"),
            ToolAnswered("1", "read_file", "x = 1"),
            ToolAnswered("2", "write_file", "Written."),
            AssistantSaid("Done."),
            UserText("And the tests?"),
        ),
        Ledger(frozenset({"a.py"}), frozenset({"a.py"})),
        ("Mend it.", "And the tests?"),
    )


def test_a_call_that_was_interrupted_is_answered_in_its_place() -> None:
    records: list[HistoryRecord] = [
        UserText("Mend it."),
        Said("", calls=(ONE, TWO)),
        CallEnded("1", "read_file", "x = 1"),
    ]
    answered = (
        ToolAnswered("1", "read_file", "x = 1"),
        ToolAnswered("2", "write_file", INTERRUPTED),
    )
    assert rebuild(records).messages[2:] == answered
    assert rebuild([*records, UserText("Go on.")]).messages[2:] == (*answered, UserText("Go on."))
    assert rebuild([*records, Said("Done.")]).messages[2:] == (*answered, AssistantSaid("Done."))


def test_two_messages_of_the_user_in_a_row_become_one() -> None:
    history = rebuild([UserText("Mend it."), UserText("Please.")])
    assert history.messages == (UserText("Mend it.\n\nPlease."),)
    assert history.prompts == ("Mend it.", "Please.")


def test_what_a_failed_call_has_read_is_not_in_the_ledger() -> None:
    records: list[HistoryRecord] = [
        Said("", calls=(ONE,)),
        CallEnded("1", "read_file", "a.py: no such file", "exec_error", read=("a.py",)),
    ]
    assert rebuild(records).ledger == Ledger()


def test_an_answer_to_a_call_nobody_made_is_left_out() -> None:
    assert rebuild([UserText("Mend it."), CallEnded("9", "search", "x")]).messages == (
        UserText("Mend it."),
    )


def test_a_compaction_is_carried_out_again() -> None:
    records: list[HistoryRecord] = [
        UserText("Mend it."),
        Said("", calls=(ONE,)),
        CallEnded("1", "read_file", "x = 1", read=("a.py",)),
        Said("", calls=(TWO,)),
        CallEnded("2", "write_file", "Written."),
        Compacted("What happened so far.", 2, 3, 900, 90, ("b.py",), ("c.py",)),
        Said("Done."),
    ]
    assert rebuild(records, RULES) == History(
        (
            RULES,
            UserText("What happened so far."),
            AssistantSaid("", (TWO,)),
            ToolAnswered("2", "write_file", "Written."),
            AssistantSaid("Done."),
        ),
        Ledger(frozenset({"a.py", "b.py"}), frozenset({"c.py"})),
        ("Mend it.",),
    )


def test_an_answer_that_was_pruned_is_pruned_again_and_the_tail_is_not() -> None:
    long = "x" * 1000
    records: list[HistoryRecord] = [
        UserText("Mend it."),
        Said("", calls=(ONE,)),
        CallEnded("1", "read_file", long),
        Said("", calls=(TWO,)),
        CallEnded("2", "write_file", long),
        Compacted("", 2, 3, 900, 600),
    ]
    stub = (
        "[1000 characters of old output dropped to save room; call read_file again if you need it]"
    )
    assert rebuild(records).messages == (
        UserText("Mend it."),
        AssistantSaid("", (ONE,)),
        ToolAnswered("1", "read_file", stub),
        AssistantSaid("", (TWO,)),
        ToolAnswered("2", "write_file", long),
    )


def test_with_the_next_prompt_the_model_hears_what_became_of_its_edits() -> None:
    records: list[HistoryRecord] = [
        UserText("Do it."),
        Said("Done."),
        RepairEnded(
            "a.py", "RuleRepaired", success=True, message="by r1", rule_ids=("r1",), change_id="c1"
        ),
        RepairEnded("b.py", "Exhausted", success=False, message="b.py:1:1: error: no"),
        RepairEnded("c.py", "FirstTrySuccess", success=True, message="by ruff"),
        RepairEnded("d.py", "NotRun", success=False, message="nobody is there"),
    ]
    history = rebuild([*records, UserText("Well?"), Said("Yes."), UserText("Good.")])
    repaired = "[a.py failed the check after your turn and was repaired; read it again before you edit it.]"
    failing = "[b.py fails the check since your turn:\nb.py:1:1: error: no]"
    assert history.messages == (
        UserText("Do it."),
        AssistantSaid("Done."),
        UserText(f"{repaired}\n\n{failing}\n\nWell?"),
        AssistantSaid("Yes."),
        UserText("Good."),
    )
    assert history.prompts == ("Do it.", "Well?", "Good.")
    assert rebuild(records).messages[-1] == AssistantSaid("Done.")


def test_an_agents_turn_is_one_message_with_a_line_for_each_call() -> None:
    history = rebuild(
        [
            UserText("Do it."),
            Said("I begin.", calls=(ONE,)),
            AgentCall("c1", "a.py", "edit", "done"),
            Said("Now the tests."),
            AgentCall("c2", "pytest", "execute", "failed"),
            UserText("Well?"),
            Said("Yes."),
            Said("Really."),
        ]
    )
    assert history.messages == (
        UserText("Do it."),
        AssistantSaid("I begin.", (ONE,)),
        ToolAnswered("1", "read_file", INTERRUPTED),
        AssistantSaid("[edit: a.py]\n\nNow the tests.\n\n[execute: pytest: failed]"),
        UserText("Well?"),
        AssistantSaid("Yes."),
        AssistantSaid("Really."),
    )


def test_an_agent_that_begins_with_a_call_adds_to_what_it_has_said_without_calls() -> None:
    history = rebuild([UserText("Go."), Said("I begin."), AgentCall("c1", "a.py", "edit", "done")])
    assert history.messages[1:] == (AssistantSaid("I begin.\n\n[edit: a.py]"),)
    empty = rebuild([UserText("Go."), Said(""), AgentCall("c1", "a.py", "edit", "done")])
    assert empty.messages[1:] == (AssistantSaid("[edit: a.py]"),)
