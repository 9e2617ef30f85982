"""What holds of any proposal, however strange."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.repair.ports import Checked, Proposal
from tests.preservation.judged import refusals
from tests.repair.pipeline.stage import NamesCheck, Proposing, Stage

LINES = [
    "def total(prices):",
    "    return sum(prices)",
    "    return sum(price)",
    "    pass",
    "prices = []",
    "import os",
    "# noqa",
    "x",
    "total = 1",
    "",
    "...",
    "```",
    "    x = any",
    "\0",
    "\ud800",
    "\udce9",
    "é",
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(LINES), max_size=6).map(lambda lines: "\n".join([*lines, ""])),
    st.text(st.characters()),
)
UNITS = st.lists(st.sampled_from(LINES[:12]), max_size=6).map(lambda lines: "\n".join([*lines, ""]))
CONFIDENCES = st.one_of(st.floats(), st.booleans(), st.none(), st.text(), st.just(0.9))


@given(UNITS, st.lists(st.tuples(TEXTS, CONFIDENCES), min_size=2, max_size=2))
def test_any_proposal_has_an_outcome_and_what_is_accepted_passes_and_loses_nothing(
    unit: str, proposals: list[tuple[str, object]]
) -> None:
    stage = Stage(proposer=Proposing(*(Proposal(text, sure, "", "m") for text, sure in proposals)))
    outcome = stage.repair(unit)
    code = outcome.accepted_code()
    assert (code is not None) is outcome.is_success()
    # Every text is checked at most once.
    assert len(stage.check.runs) == len(set(stage.check.runs)) <= 3
    if code is None or code == unit:
        return
    checked = NamesCheck().run("shop/cart.py", code.encode())
    assert isinstance(checked, Checked)
    assert checked.ok
    assert refusals(unit, code, "shop/cart.py", "python") == ()
    # The record leads from the unit to the code.
    [accepted] = [each for each in stage.decisions if each.verdict == "accepted"]
    assert accepted.diff


@given(UNITS, TEXTS)
def test_the_same_repair_twice_changes_no_byte_of_the_record(unit: str, text: str) -> None:
    stage = Stage(proposer=Proposing(Proposal(text, 0.9, "", "m"), Proposal("x", 0.1, "", "m")))
    stage.repair(unit)
    before = dict(stage.files.files)
    stage.proposer = Proposing(Proposal(text, 0.9, "", "m"), Proposal("x", 0.1, "", "m"))
    stage.answers.clear()
    stage.repair(unit)
    assert stage.files.files == before
