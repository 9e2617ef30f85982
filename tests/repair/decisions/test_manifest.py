"""The record of decisions: sorted, stable, mergeable, and never losing what people said."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.repair.decisions.decision import Decision, as_json, from_json
from holdfast.repair.decisions.decision_ids import decision_id
from holdfast.repair.decisions.manifest import (
    BadManifest,
    Manifest,
    NoSuchDecision,
    Pin,
    parse,
    render,
)
from holdfast.repair.decisions.production_gate import judge_gate
from holdfast.repair.decisions.reverse_diff import reverse_diff
from tests.repair.pipeline.stage import MemoryDecisionFiles

PIN = Pin("ann", "2026-02-02T00:00:00+00:00", "looked at")


def decision(number: int = 1, **fields: object) -> Decision:
    made = Decision(
        id=f"{number:016x}",
        module="a.py",
        path="a.py",
        target="python",
        decision_type="repair",
        choice="the model's proposal",
        reasoning="a.py:1:1: error: no",
        timestamp="2026-01-01T00:00:00+00:00",
        diff="@@ -1 +1 @@\n-a\n+b\n",
        diagnostic={"tool": "ruff", "code": "F821"},
    )
    return replace(made, **fields)  # type: ignore[arg-type]


@pytest.fixture
def files() -> MemoryDecisionFiles:
    return MemoryDecisionFiles()


@given(
    st.text(),
    st.text(st.characters(categories=["L", "Cs", "Cc"])),
    st.one_of(st.none(), st.floats(0, 1)),
)
def test_what_is_recorded_is_read_again(
    reasoning: str, diff: str, confidence: float | None
) -> None:
    made = decision(
        reasoning=reasoning.encode("utf-8", "replace").decode()[:500],
        diff=diff,
        confidence=confidence,
    )
    [read] = parse(render(made), "a.py")
    assert read == made
    assert from_json(as_json(made)) == made


def test_a_decision_is_a_file_of_sorted_json_with_a_line_a_field(
    files: MemoryDecisionFiles,
) -> None:
    Manifest(files).record(decision())
    text = files.files["build", f"a.py.{decision().id}"].decode()
    assert text == json.dumps(json.loads(text), sort_keys=True, indent=1, ensure_ascii=False) + "\n"


def test_the_same_decision_again_is_updated_and_keeps_its_pin_and_its_time(
    files: MemoryDecisionFiles,
) -> None:
    manifest = Manifest(files)
    manifest.record(decision())
    manifest.pin(decision(), PIN)
    manifest.record(decision(timestamp="2027-07-07", oracle="mypy 2"))
    [kept] = manifest.list()
    assert kept == decision(
        oracle="mypy 2", pinned=True, pinned_by="ann", pinned_at=PIN.at, pin_reason="looked at"
    )


def test_to_record_the_same_twice_changes_no_byte(files: MemoryDecisionFiles) -> None:
    manifest = Manifest(files)
    manifest.record(decision())
    before = dict(files.files)
    manifest.record(decision(timestamp="2028-01-01"))
    assert files.files == before


def test_a_runtime_decision_is_kept_apart_until_it_is_promoted(files: MemoryDecisionFiles) -> None:
    manifest = Manifest(files)
    manifest.record(decision(decision_type="adaptive_recovery"))
    assert list(files.files) == [("runtime", f"a.py.{decision().id}")]
    promoted = manifest.promote(manifest.list("runtime")[0])
    assert manifest.list("runtime") == ()
    assert manifest.list("build") == (promoted,)
    assert promoted.decision_type == "repair"


def test_a_promoted_decision_has_the_id_of_its_new_type_and_is_found_by_its_old_one(
    files: MemoryDecisionFiles,
) -> None:
    manifest = Manifest(files)
    old = manifest.record(decision(decision_type="adaptive_recovery"))
    promoted = manifest.promote(old)
    assert promoted.id == decision_id("repair", old.id, old.model_id, old.choice)
    assert (manifest.find(old.id), manifest.find(promoted.id)) == (promoted, promoted)
    # The program does the same again, and somebody promotes that again: it is the same decision.
    again = manifest.record(old)
    assert manifest.find(old.id) == again
    manifest.pin(promoted, PIN)
    manifest.promote(again)
    assert [(each.id, each.pinned) for each in manifest.list()] == [(promoted.id, True)]


def test_a_decision_without_a_diff_shuts_the_gate_until_somebody_agrees_to_it(
    files: MemoryDecisionFiles,
) -> None:
    manifest = Manifest(files)
    promoted = manifest.promote(
        manifest.record(decision(decision_type="adaptive_recovery", diff=""))
    )
    assert judge_gate(manifest.list("build")).unpinned == (promoted,)
    manifest.pin(promoted, PIN)
    assert judge_gate(manifest.list("build")).open
    assert manifest.pinned("a.py") == ()


def test_a_decision_is_found_by_a_beginning_that_no_other_has(files: MemoryDecisionFiles) -> None:
    manifest = Manifest(files)
    for number in (0x10, 0x11):
        manifest.record(decision(number))
    whole = f"{0x11:016x}"
    assert manifest.find(whole) == decision(0x11)
    assert manifest.find("0" * 14) == NoSuchDecision("0" * 14, (f"{0x10:016x}", whole))
    assert manifest.find("f") == NoSuchDecision("f")
    assert manifest.find("") == NoSuchDecision("")


def test_pin_and_unpin(files: MemoryDecisionFiles) -> None:
    manifest = Manifest(files)
    manifest.record(decision())
    assert manifest.pin(decision(), PIN).pinned
    assert [each.id for each in manifest.pinned("a.py")] == [decision().id]
    assert manifest.unpin(decision()) == decision()
    assert manifest.pinned("a.py") == ()


def test_an_override_supersedes_and_unpins_the_old(files: MemoryDecisionFiles) -> None:
    manifest = Manifest(files)
    manifest.record(decision())
    manifest.pin(decision(), PIN)
    manifest.override(decision(), decision(2, pinned=True))
    old, new = manifest.list()
    assert (old.superseded_by, old.pinned, new.pinned) == (new.id, False, True)
    assert manifest.pinned("a.py") == (new,)


def test_an_override_takes_the_place_of_the_one_before_it(files: MemoryDecisionFiles) -> None:
    manifest = Manifest(files)
    manifest.record(decision())
    for number in (2, 3):
        manifest.override(decision(), decision(number, pinned=True))
    assert [(each.pinned, each.superseded_by) for each in manifest.list()] == [
        (False, decision(3).id),
        (False, decision(3).id),
        (True, None),
    ]
    # To come back to an earlier one, and to override one that is superseded, are overrides as well.
    manifest.override(decision(), decision(2, pinned=True))
    manifest.override(decision(3), decision(4, pinned=True))
    assert [each.id for each in manifest.list() if each.pinned or each.superseded_by is None] == [
        decision(4).id
    ]


def test_what_could_not_be_written_is_withdrawn_and_what_led_there_before_and_a_pin_stay(
    files: MemoryDecisionFiles,
) -> None:
    manifest = Manifest(files)
    manifest.record(decision(1, before_sha="a", after_sha="b"))
    manifest.record(decision(2, before_sha="b", after_sha="c"))
    manifest.record(decision(3, before_sha="z", after_sha="a", pinned=True))
    for number in (2, 3, 4):
        manifest.withdraw("a.py", decision(number).id, "the file changed")
    assert [(each.verdict, each.detail) for each in manifest.list()] == [
        ("accepted", ""),
        ("failed", "the file changed"),
        ("accepted", ""),
    ]


def test_the_gate_is_shut_by_any_decision_that_counts_and_is_not_pinned() -> None:
    shut = decision(1)
    others = [
        decision(2, pinned=True),
        decision(3, verdict="rejected"),
        decision(4, verdict="failed"),
        decision(5, superseded_by="x"),
        decision(6, decision_type="adaptive_recovery"),
    ]
    assert judge_gate([shut, *others]).unpinned == (shut,)
    assert judge_gate(others).open


DAMAGED = [
    b"",
    b"{",
    b"[]",
    b'{"version": 3, "decisions": []}',
    b'{"version": 1}',
    b'{"version": 1, "decisions": [{}]}',
    b'{"version": 2}',
    b"\xff",
    b"<<<<<<< ours\n{}\n",
]


@pytest.mark.parametrize("name", ["a.py", f"a.py.{decision().id}"])
@pytest.mark.parametrize("data", DAMAGED)
def test_what_is_no_decision_is_said_and_not_overwritten(
    files: MemoryDecisionFiles, data: bytes, name: str
) -> None:
    files.files["build", name] = data
    with pytest.raises(BadManifest, match=rf"^build/{name}\.json: this decision .*\.$"):
        Manifest(files).record(decision())
    assert files.files == {("build", name): data}


def test_a_file_with_the_name_of_another_decision_is_said(files: MemoryDecisionFiles) -> None:
    other = f"a.py.{decision(2).id}"
    files.files["build", other] = render(decision(1))
    [problem] = Manifest(files).survey().problems
    assert problem == (
        f"build/{other}.json: this decision is {decision(1).id} of a.py; "
        "rename the file, or restore the file from git."
    )


def as_list(*decisions: Decision) -> bytes:
    """Return a file of version 1: all decisions of a module."""
    records = [as_json(each) for each in decisions]
    return json.dumps({"version": 1, "module": "a.py", "decisions": records}).encode()


def test_a_list_of_an_older_version_is_read_and_becomes_files_when_something_is_recorded(
    files: MemoryDecisionFiles,
) -> None:
    files.files["build", "a.py"] = as_list(decision(1), decision(2, pinned=True))
    manifest = Manifest(files)
    assert manifest.list() == (decision(1), decision(2, pinned=True))
    assert list(files.files) == [("build", "a.py")]
    manifest.pin(decision(1), PIN)
    assert sorted(name for _, name in files.files) == [
        f"a.py.{decision(number).id}" for number in (1, 2)
    ]
    assert [each.pinned for each in manifest.list()] == [True, True]


def test_a_file_of_its_own_is_newer_than_the_list_it_came_from(files: MemoryDecisionFiles) -> None:
    files.files["build", "a.py"] = as_list(decision(1), decision(2))
    files.files["build", f"a.py.{decision(1).id}"] = render(decision(1, pinned=True))
    manifest = Manifest(files)
    expected = (decision(1, pinned=True), decision(2))
    assert manifest.list() == expected
    manifest.record(decision(2))
    assert manifest.list() == expected
    assert ("build", "a.py") not in files.files


def test_a_damaged_manifest_bars_nobody_else(files: MemoryDecisionFiles) -> None:
    files.files["build", "b.py"] = b"{"
    manifest = Manifest(files)
    manifest.record(decision())
    manifest.pin(decision(), PIN)
    assert [each.id for each in manifest.pinned("a.py")] == [decision().id]
    survey = manifest.survey()
    assert [each.id for each in survey.decisions] == [decision().id]
    assert [problem.partition(":")[0] for problem in survey.problems] == ["build/b.py.json"]
    assert manifest.find(decision().id) in survey.decisions
    assert manifest.find("f") == NoSuchDecision("f", (), survey.problems)
    with pytest.raises(BadManifest, match=r"^build/b\.py\.json: "):
        manifest.list()


@pytest.mark.parametrize("pinned", [1, "true", "false", None, []])
def test_only_true_pins(pinned: object) -> None:
    assert not from_json(as_json(decision()) | {"pinned": pinned}).pinned


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"decision_type": "x"}, "there is no decision type x"),
        ({"verdict": "maybe"}, "there is no verdict maybe"),
        ({"id": 3}, "a decision has no `id`"),
    ],
)
def test_a_record_that_is_none_is_refused(
    files: MemoryDecisionFiles, fields: dict[str, object], problem: str
) -> None:
    content = {"version": 2, **as_json(decision()), **fields}
    files.files["build", f"a.py.{decision().id}"] = json.dumps(content).encode()
    with pytest.raises(BadManifest, match=problem):
        Manifest(files).list()


def test_a_diff_is_read_backwards_with_the_last_line_open() -> None:
    diff = "@@ -1,2 +1,2 @@ f\n a\n-b\n+c\n\\ No newline at end of file\n"
    assert reverse_diff(diff) == "@@ -1,2 +1,2 @@ f\n a\n-c\n\\ No newline at end of file\n+b\n"
    assert reverse_diff(reverse_diff(diff)) == diff
