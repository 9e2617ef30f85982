"""A person's own code in the place of a decision: recorded, or refused with the reason."""

from __future__ import annotations

import pytest

from holdfast.repair.decisions.decision import Decision
from holdfast.repair.decisions.decision_ids import sha_of
from holdfast.repair.decisions.manifest import Manifest, Pin
from holdfast.testing import MemoryFiles
from holdfast.usecases.repair.decisions import override_decision
from holdfast.vocab.outcomes import Refused
from tests.repair.pipeline.stage import MemoryDecisionFiles

PIN = Pin("ann", "2026-02-02T00:00:00+00:00", "looked at")
BEFORE, AFTER = b"a\n", b"b\n"
OLD = Decision(
    id=f"{1:016x}",
    module="a.py",
    path="a.py",
    target="python",
    decision_type="repair",
    choice="the model's proposal",
    reasoning="a.py:1:1: error: no",
    timestamp="2026-01-01T00:00:00+00:00",
    diff="@@ -1 +1 @@\n-a\n+b\n",
    diagnostic={"tool": "ruff", "code": "F821"},
    before_sha=sha_of(BEFORE),
    after_sha=sha_of(AFTER),
)


def override(code: str, present: bytes | None) -> Decision | Refused:
    manifest = Manifest(MemoryDecisionFiles())
    manifest.record(OLD)
    files = MemoryFiles({} if present is None else {"a.py": present})
    return override_decision(OLD, code, PIN, manifest, files)


@pytest.mark.parametrize("present", [BEFORE, AFTER])
def test_the_text_that_the_decision_was_about_is_that_before_it(present: bytes) -> None:
    made = override("c\n", present)
    assert isinstance(made, Decision)
    assert (made.before_sha, made.after_sha) == (sha_of(BEFORE), sha_of(b"c\n"))
    assert (made.pinned, made.pinned_by, made.alternatives) == (True, "ann", (OLD.id,))


@pytest.mark.parametrize("present", [b"another\n", None])
def test_a_file_that_is_neither_as_before_nor_as_after_is_refused(present: bytes | None) -> None:
    assert override("c\n", present) == Refused(
        "stale",
        "a.py: this is neither as before the decision nor as after it; bring one of them back, "
        "and run this again.",
    )


@pytest.mark.parametrize(("code", "problem"), [(" \n", "is empty"), ("c\0\n", "is binary")])
def test_a_text_that_no_file_should_have_is_refused(code: str, problem: str) -> None:
    message = f"a.py: your text {problem}; send the whole text that the file should have."
    assert override(code, BEFORE) == Refused("malformed", message)
