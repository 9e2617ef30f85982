"""Which code of a project is trusted: by the hash of exactly what a person has seen."""

from __future__ import annotations

from holdfast.usecases.trust.project_trust import (
    ProjectTrust,
    describe_items,
    judge_items,
    name_items,
)
from holdfast.vocab.trust import CodeItem, JudgedItem
from tests.usecases.memory_trust import MemoryTrust

OLD = CodeItem("plugin", "own.py", "1", "a\nb\n")
NEW = CodeItem("plugin", "own.py", "2", "a\nc\n")
TOOL = CodeItem("tool", ".venv/bin/ruff", "3")


def test_an_item_is_trusted_new_or_changed() -> None:
    assert judge_items([OLD, TOOL], []) == (JudgedItem(OLD, "new"), JudgedItem(TOOL, "new"))
    assert judge_items([OLD], [TOOL, OLD]) == (JudgedItem(OLD, "trusted"),)
    assert judge_items([NEW], [OLD, TOOL]) == (JudgedItem(NEW, "changed", "a\nb\n"),)


def test_the_same_file_as_another_kind_is_not_trusted() -> None:
    build = CodeItem("build", "own.py", "1")
    assert judge_items([build], [OLD]) == (JudgedItem(build, "new"),)


def test_what_was_trusted_before_it_changed_is_still_trusted() -> None:
    assert judge_items([OLD], [OLD, NEW]) == (JudgedItem(OLD, "trusted"),)


def test_what_is_accepted_is_trusted_from_then_on_and_no_more_when_it_is_revoked() -> None:
    trust = ProjectTrust(MemoryTrust())
    trust.accept(trust.untrusted([OLD, TOOL]))
    assert trust.untrusted([OLD, TOOL]) == ()
    assert trust.untrusted([NEW]) == (JudgedItem(NEW, "changed", "a\nb\n"),)
    trust.revoke()
    assert trust.untrusted([OLD]) == (JudgedItem(OLD, "new"),)


def test_everything_is_trusted_for_one_process_and_kept_nowhere() -> None:
    store = MemoryTrust()
    assert ProjectTrust(store, everything=True).untrusted([OLD]) == ()
    assert store.read() == ()


def test_a_file_that_the_check_runs_is_not_checked_with_texts_that_nobody_has_seen() -> None:
    store = MemoryTrust(OLD, TOOL)
    trust = ProjectTrust(store)
    assert trust.allows([OLD, TOOL], "a.py")
    assert not trust.allows([OLD, TOOL], "own.py")
    assert not trust.allows([NEW, TOOL], "a.py")
    assert ProjectTrust(store, everything=True).allows([NEW, TOOL], "own.py")


def test_an_answer_that_no_person_has_given_is_not_kept() -> None:
    store = MemoryTrust()
    ProjectTrust(store, remembers=False).accept([JudgedItem(OLD, "new")])
    assert store.read() == ()


def test_a_change_is_shown_as_a_diff_and_a_new_text_whole() -> None:
    judged = [JudgedItem(NEW, "changed", "a\nb\n"), JudgedItem(OLD, "new"), JudgedItem(TOOL, "new")]
    assert describe_items(judged).split("\n") == [
        "plugin own.py: changed, sha256 2",
        "@@ -1,3 +1,3 @@",
        " a",
        "-b",
        "+c",
        " ",
        "plugin own.py: new, sha256 1",
        "@@ -1 +1,3 @@",
        "+a",
        "+b",
        " ",
        "tool .venv/bin/ruff: new, sha256 3",
    ]
    assert name_items([JudgedItem(TOOL, "new")] * 6).endswith(
        ".venv/bin/ruff (tool, new) and 2 more"
    )
    assert name_items(judged[1:]) == "own.py (plugin, new), .venv/bin/ruff (tool, new)"
