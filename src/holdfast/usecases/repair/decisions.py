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


def pin_decision(found: Decision, pin: Pin, manifest: Manifest) -> Decision | Refused:
    """Let later repairs replay a decision; refuse if there is nothing to replay.

    Raise `BadManifest` or OSError if the manifest cannot be written.
    """
    heir = found.superseded_by
    if heir is not None:
        message = f"{found.id}: {heir} has replaced it; pin that one, or override it."
        return Refused("conflict", message)
    # A decision accepted without a diff closes the gate like any other, so it can be pinned too.
    if not found.diff and not found.counts:
        message = f"{found.id}: it led to no code, so there is nothing to replay."
        return Refused("conflict", message)

    return manifest.pin(found, pin)


def override_decision(
    old: Decision, code: str, pin: Pin, manifest: Manifest, files: Files
) -> Decision | Refused:
    """Record a person's own code for the text that a decision was about.

    It is pinned, and the old one superseded. No file is written, and nothing is checked: the next
    repair of that text replays it, through `verify()` as ever.
    """
    if not code.strip():
        return _unusable(old, "is empty")
    if "\0" in code:
        return _unusable(old, "is binary")

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


def _unusable(old: Decision, problem: str) -> Refused:
    message = f"{old.path}: your text {problem}; send the whole text that the file should have."
    return Refused("malformed", message)


def _text_before(decision: Decision, files: Files) -> bytes | Refused:
    """Return the bytes that a decision was about.

    Those of the file, or those that it had before the decision.
    """
    found = files.look(decision.path)
    if isinstance(found, FileFound):
        if sha_of(found.data) == decision.before_sha:
            return found.data
        reversed_data = _reverse(decision, found.data)
        if reversed_data is not None:
            return reversed_data

    where = f"{decision.path}: this is neither as before the decision nor as after it"
    return Refused("stale", f"{where}; bring one of them back, and run this again.")


def _reverse(decision: Decision, data: bytes) -> bytes | None:
    """Return the bytes before the decision, or None if `data` are not the bytes after it."""
    if not decision.diff or sha_of(data) != decision.after_sha:
        return None

    decoded = decode(data)
    landed = land(decoded.text, Patch(reverse_diff(decision.diff)), decision.path)
    if isinstance(landed, Refused):
        return None

    before = encode(landed.text, decoded.encoding)
    if sha_of(before) != decision.before_sha:
        return None

    return before
