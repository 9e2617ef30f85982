"""The record of decisions: sorted, stable, mergeable, and never losing what people said."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.repair.decisions.decision import Decision, as_json, from_json
from holdfast.repair.decisions.gate import judge_gate
from holdfast.repair.decisions.manifest import BadManifest, Manifest, NoSuchDecision, Pin, parse, render
from holdfast.repair.decisions.reverse import reverse_diff
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


@given(st.permutations([decision(number) for number in range(5)]))
def test_the_same_decisions_give_the_same_bytes_in_any_order(order: list[Decision]) -> None:
    assert render("a.py", order) == render("a.py", sorted(order, key=lambda each: each.id))


@given(st.text(), st.text(st.characters(categories=["L", "Cs", "Cc"])), st.one_of(st.none(), st.floats(0, 1)))
def test_what_is_recorded_is_read_again(reasoning: str, diff: str, confidence: float | None) -> None:
    made = decision(
        reasoning=reasoning.encode("utf-8", "replace").decode()[:500],
        diff=diff,
        confidence=confidence,
    )
    [read] = parse(render("a.py", [made]), "a.py").values()
    assert read == made
    assert from_json(as_json(made)) == made


def test_a_manifest_is_sorted_json_with_a_line_a_field(files: MemoryDecisionFiles) -> None:
    Manifest(files).record(decision())
    text = files.files["build", "a.py"].decode()
    assert text == json.dumps(json.loads(text), sort_keys=True, indent=1, ensure_ascii=False) + "\n"


def test_the_same_decision_again_is_updated_and_keeps_its_pin_and_its_time(files: MemoryDecisionFiles) -> None:
    manifest = Manifest(files)
    manifest.record(decision())
    manifest.pin(decision(), PIN)
    manifest.record(decision(timestamp="2027-07-07", oracle="mypy 2"))
    [kept] = manifest.list()
    assert kept == decision(oracle="mypy 2", pinned=True, pinned_by="ann", pinned_at=PIN.at, pin_reason="looked at")


def test_to_record_the_same_twice_changes_no_byte(files: MemoryDecisionFiles) -> None:
    manifest = Manifest(files)
    manifest.record(decision())
    before = dict(files.files)
    manifest.record(decision(timestamp="2028-01-01"))
    assert files.files == before


def test_a_runtime_decision_is_kept_apart_until_it_is_promoted(files: MemoryDecisionFiles) -> None:
    manifest = Manifest(files)
    manifest.record(decision(decision_type="adaptive_recovery"))
    assert list(files.files) == [("runtime", "a.py")]
    promoted = manifest.promote(manifest.list("runtime")[0])
    assert manifest.list("runtime") == ()
    assert manifest.list("build") == (promoted,)
    assert promoted.decision_type == "repair"


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


def test_what_could_not_be_written_is_withdrawn_step_by_step_and_not_a_pin(files: MemoryDecisionFiles) -> None:
    manifest = Manifest(files)
    manifest.record(decision(1, before_sha="a", after_sha="b"))
    manifest.record(decision(2, before_sha="b", after_sha="c"))
    manifest.record(decision(3, before_sha="z", after_sha="a", pinned=True))
    manifest.withdraw("a.py", "c", "the file changed")
    assert [(each.verdict, each.detail) for each in manifest.list()] == [
        ("failed", "the file changed"),
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


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"version": 2, "decisions": []}',
        b'{"version": 1}',
        b'{"version": 1, "decisions": [{}]}',
        b"\xff",
        b"<<<<<<< ours\n{}\n",
    ],
)
def test_what_is_no_manifest_is_said_and_not_overwritten(files: MemoryDecisionFiles, data: bytes) -> None:
    files.files["build", "a.py"] = data
    with pytest.raises(BadManifest, match=r"the decisions of a\.py"):
        Manifest(files).record(decision())
    assert files.files == {("build", "a.py"): data}


def test_a_damaged_manifest_bars_nobody_else(files: MemoryDecisionFiles) -> None:
    files.files["build", "b.py"] = b"{"
    manifest = Manifest(files)
    manifest.record(decision())
    manifest.pin(decision(), PIN)
    assert [each.id for each in manifest.pinned("a.py")] == [decision().id]


@pytest.mark.parametrize("pinned", [1, "true", "false", None, []])
def test_only_true_pins(pinned: object) -> None:
    assert not from_json(as_json(decision()) | {"pinned": pinned}).pinned


@pytest.mark.parametrize("fields", [{"decision_type": "x"}, {"verdict": "maybe"}, {"id": 3}])
def test_a_record_that_is_none_is_refused(files: MemoryDecisionFiles, fields: dict[str, object]) -> None:
    told = {"version": 1, "module": "a.py", "decisions": [as_json(decision()) | fields]}
    files.files["build", "a.py"] = json.dumps(told).encode()
    with pytest.raises(BadManifest):
        Manifest(files).list()


def test_git_merges_what_two_branches_have_recorded(tmp_path: Path) -> None:
    ours, theirs, base = [3, 5], [5, 8], [1, 5, 9]
    names = {"base": base, "ours": base + ours, "theirs": base + theirs}
    for name, numbers in names.items():
        (tmp_path / name).write_bytes(render("a.py", {n: decision(n) for n in numbers}.values()))
    merged = subprocess.run(
        ["git", "merge-file", "-p", "ours", "base", "theirs"], cwd=tmp_path, capture_output=True, check=True
    ).stdout
    assert merged == render("a.py", [decision(number) for number in (1, 3, 5, 8, 9)])


def test_git_merges_a_pin_with_a_new_decision(tmp_path: Path) -> None:
    pinned = decision(5, pinned=True, pinned_by="ann", pinned_at=PIN.at)
    texts = {"base": [decision(5)], "ours": [pinned], "theirs": [decision(5), decision(9)]}
    for name, each in texts.items():
        (tmp_path / name).write_bytes(render("a.py", each))
    merged = subprocess.run(
        ["git", "merge-file", "-p", "ours", "base", "theirs"], cwd=tmp_path, capture_output=True, check=True
    ).stdout
    assert merged == render("a.py", [pinned, decision(9)])


def test_a_diff_is_read_backwards_with_the_last_line_open() -> None:
    diff = "@@ -1,2 +1,2 @@ f\n a\n-b\n+c\n\\ No newline at end of file\n"
    assert reverse_diff(diff) == "@@ -1,2 +1,2 @@ f\n a\n-c\n\\ No newline at end of file\n+b\n"
    assert reverse_diff(reverse_diff(diff)) == diff
