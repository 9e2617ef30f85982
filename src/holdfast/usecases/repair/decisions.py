"""What people do with decisions: put their own in the place of another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.changes.ports import FileFound, Files
from holdfast.landing.encoding import decode, encode
from holdfast.landing.land import land
from holdfast.repair.decisions.decision_ids import decision_id, sha_of
from holdfast.repair.decisions.reverse_diff import reverse_diff
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import Patch, WriteFile

if TYPE_CHECKING:
    from holdfast.repair.decisions.decision import Decision
    from holdfast.repair.decisions.manifest import Manifest, Pin

_PERSON = "person"
_UNVERIFIED = "a person's own code, recorded unverified: every replay verifies it."


def override_decision(
    old: Decision, code: str, pin: Pin, manifest: Manifest, files: Files
) -> Decision | Refused:
    """Record a person's own code for the text that a decision was about.

    It is pinned, and the old one superseded. No file is written, and nothing is checked: the next
    repair of that text replays it, through `verify()` as ever.
    """
    if not code.strip() or "\0" in code:
        what = "is binary" if code.strip() else "is empty"
        return Refused(
            "malformed",
            f"{old.path}: what you give {what}; give the whole text that the file shall have.",
        )
    before = _text_before(old, files)
    if isinstance(before, Refused):
        return before
    decoded = decode(before)
    landed = land(decoded.text, WriteFile(code), old.path)
    if isinstance(landed, Refused):
        return landed
    try:
        after_sha = sha_of(encode(landed.text, decoded.encoding))
    except UnicodeEncodeError:
        return Refused(
            "conflict", f"{old.path}: the file is {decoded.encoding} and cannot hold this text."
        )
    new = replace(
        old,
        id=decision_id(old.decision_type, old.before_sha, _PERSON, after_sha),
        choice="a person's own code",
        verdict="accepted",
        detail=_UNVERIFIED,
        alternatives=(old.id,),
        reasoning=pin.reason or old.reasoning,
        model_id=_PERSON,
        confidence=None,
        pinned=True,
        pin_reason=pin.reason or None,
        pinned_at=pin.at,
        pinned_by=pin.by,
        superseded_by=None,
        timestamp=pin.at,
        diff=landed.diff,
        after_sha=after_sha,
        oracle="",
        rule_id=None,
        promoted_from=None,
    )
    return manifest.override(old, new)


def _text_before(decision: Decision, files: Files) -> bytes | Refused:
    """Return the bytes that a decision was about.

    Those of the file, or those that it had before the decision.
    """
    found = files.look(decision.path)
    if isinstance(found, FileFound):
        if sha_of(found.data) == decision.before_sha:
            return found.data
        decoded = decode(found.data)
        back = (
            land(decoded.text, Patch(reverse_diff(decision.diff)), decision.path)
            if decision.diff
            else None
        )
        if (
            sha_of(found.data) == decision.after_sha
            and back is not None
            and not isinstance(back, Refused)
        ):
            before = encode(back.text, decoded.encoding)
            if sha_of(before) == decision.before_sha:
                return before
    where = f"{decision.path}: this is neither as before the decision nor as after it"
    return Refused("stale", f"{where}; bring one of them back, and run this again.")
