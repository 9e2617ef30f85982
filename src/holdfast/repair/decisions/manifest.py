"""The decisions of a project: one manifest per module, sorted, so that git can merge it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from holdfast.repair.decisions.decision import (
    SCOPES,
    Decision,
    DecisionScope,
    as_json,
    from_json,
    renewed,
)
from holdfast.repair.decisions.decision_ids import decision_id
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.repair.decisions.ports import DecisionFiles

_VERSION = 1
_SURROGATE = re.compile("[\ud800-\udfff]")
_Change: TypeAlias = Callable[[dict[str, Decision]], None]


class BadManifest(Exception):  # noqa: N818 - the word for it
    """A manifest cannot be read; the message names the manifest and the problem."""


@dataclass(frozen=True, slots=True)
class NoSuchDecision:
    """The prefix of an id matches no decision, or more than one (`several`).

    `problems` are the manifests that could not be read.
    """

    prefix: str
    several: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The problem and the next step."""
        if self.several:
            return (
                f"{self.prefix}: this begins the ids {', '.join(self.several)}; type more of one."
            )
        return (
            f"{self.prefix}: there is no such decision; list them with `holdfast decisions list`."
        )


@dataclass(frozen=True, slots=True)
class Survey:
    """The decisions that can be read, and the problems of the manifests that cannot."""

    decisions: tuple[Decision, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pin:
    """A person's approval of a decision."""

    by: str
    at: str
    reason: str = ""


class Manifest:
    """The recorded decisions. Methods raise OSError, or `BadManifest` for a damaged manifest."""

    def __init__(self, files: DecisionFiles) -> None:
        """Keep the decisions in these files."""
        self._files = files

    # -------------------------------------------------------------------------------------- reading

    def list(self, scope: DecisionScope | None = None) -> tuple[Decision, ...]:
        """Return all decisions by scope, module and id; raise `BadManifest` for a damaged one."""
        found: list[Decision] = []
        for each, module, data in self._manifests(scope):
            found += self._parse(each, module, data)
        return tuple(found)

    def survey(self, scope: DecisionScope | None = None) -> Survey:
        """Return the decisions like `list`, and the problems of damaged manifests beside them."""
        found: list[Decision] = []
        problems: list[str] = []
        for each, module, data in self._manifests(scope):
            try:
                found += self._parse(each, module, data)
            except BadManifest as error:
                problems.append(str(error))
        return Survey(tuple(found), tuple(problems))

    def pinned(self, module: str) -> tuple[Decision, ...]:
        """Return the pinned build decisions of a module that can be replayed."""
        return tuple(each for each in self._repeatable(module) if each.pinned)

    def unpinned(self, module: str) -> tuple[Decision, ...]:
        """Return the accepted build decisions of a module that can be replayed once pinned."""
        found: list[Decision] = []
        for each in self._repeatable(module):
            if each.pinned:
                continue
            if each.counts:
                found.append(each)
        return tuple(found)

    def find(self, prefix: str) -> Decision | NoSuchDecision:
        """Find a decision by its id, or by a prefix that no other id has.

        A promoted decision is found by its old id too, which a user may have noted.
        """
        survey = self.survey()
        found = _match_ids(survey.decisions, prefix)
        if prefix in found:
            return found[prefix]
        if not found:
            return NoSuchDecision(prefix, problems=survey.problems)
        if len(found) > 1:
            return NoSuchDecision(prefix, tuple(sorted(found)))
        return next(iter(found.values()))

    def _manifests(self, scope: DecisionScope | None) -> Iterator[tuple[DecisionScope, str, bytes]]:
        """Yield scope, module and bytes of each manifest; None means every scope."""
        scopes = SCOPES
        if scope is not None:
            scopes = (scope,)
        for each in scopes:
            for module, data in self._files.read_all(each):
                yield each, module, data

    def _repeatable(self, module: str) -> tuple[Decision, ...]:
        # Only this manifest is parsed: a damaged one of another module must not block this repair.
        data = dict(self._files.read_all("build")).get(module)
        if data is None:
            return ()
        found: list[Decision] = []
        for each in self._parse("build", module, data):
            if each.superseded_by is not None:
                continue
            if each.diff:
                found.append(each)
        return tuple(found)

    def _parse(self, scope: DecisionScope, module: str, data: bytes) -> tuple[Decision, ...]:
        decisions = parse(data, module, self._files.place(scope, module))
        return tuple(sorted(decisions.values(), key=lambda each: each.id))

    # -------------------------------------------------------------------------------------- writing

    def record(self, decision: Decision) -> Decision:
        """Record a decision. If it is on record already, update it; its pin and time stay."""
        stored = decision

        def put(decisions: dict[str, Decision]) -> None:
            nonlocal stored
            stored = decision
            old = decisions.get(decision.id)
            if old is not None:
                stored = renewed(old, decision)
            decisions[decision.id] = stored

        self._update(decision.scope, decision.module, put)
        return stored

    def pin(self, decision: Decision, pin: Pin) -> Decision:
        """Pin a decision: later repairs replay it without a model."""
        return self._change(
            decision,
            {
                "pinned": True,
                "pin_reason": pin.reason or None,
                "pinned_at": pin.at,
                "pinned_by": pin.by,
            },
        )

    def unpin(self, decision: Decision) -> Decision:
        """Remove the pin."""
        return self._change(
            decision, {"pinned": False, "pin_reason": None, "pinned_at": None, "pinned_by": None}
        )

    def override(self, old: Decision, new: Decision) -> Decision:
        """Replace a decision by a person's own; the old one stays on record as superseded.

        Earlier replacements of the old one are superseded too: one text has one pinned decision of
        a person.
        """

        def put(decisions: dict[str, Decision]) -> None:
            chain = _successors(old.id, decisions)
            decisions[new.id] = new
            for each in chain - {new.id}:
                successor = decisions[each].superseded_by
                if each == old.id or successor is None:
                    successor = new.id
                decisions[each] = replace(decisions[each], superseded_by=successor, pinned=False)

        self._update(old.scope, old.module, put)
        return new

    def withdraw(self, module: str, step_id: str, why: str) -> None:
        """Mark a verified step as failed because it could not be written. A pinned step stays."""

        def put(decisions: dict[str, Decision]) -> None:
            step = decisions.get(step_id)
            if step is None or step.pinned:
                return
            if step.counts:
                decisions[step_id] = replace(step, verdict="failed", detail=why)

        self._update("build", module, put)

    def promote(self, decision: Decision) -> Decision:
        """Move a decision of a running program into the project, as a repair for people to review.

        The type is part of the id, so the id changes. The new id is derived from the old one, so it
        is the same on every machine.
        """
        result = decision.after_sha or decision.choice
        promoted = replace(
            decision,
            id=decision_id("repair", decision.id, decision.model_id, result),
            decision_type="repair",
            promoted_from=decision.id,
        )

        def put(decisions: dict[str, Decision]) -> None:
            decisions.setdefault(promoted.id, promoted)

        def drop(decisions: dict[str, Decision]) -> None:
            decisions.pop(decision.id, None)

        # In this order: a process that dies in between leaves the decision twice, not lost.
        self._update("build", promoted.module, put)
        self._update("runtime", decision.module, drop)
        return promoted

    def _change(self, decision: Decision, fields: dict[str, Any]) -> Decision:
        changed = decision

        def put(decisions: dict[str, Decision]) -> None:
            nonlocal changed
            changed = replace(decisions.get(decision.id, decision), **fields)
            decisions[decision.id] = changed

        self._update(decision.scope, decision.module, put)
        return changed

    def _update(self, scope: DecisionScope, module: str, change: _Change) -> None:
        def rewrite(data: bytes | None) -> bytes | None:
            decisions: dict[str, Decision] = {}
            if data is not None:
                decisions = parse(data, module, self._files.place(scope, module))
            change(decisions)
            if not decisions:
                return None
            return render(module, decisions.values())

        self._files.update(scope, module, rewrite)


# ------------------------------------------------------------------------------------------- format


def parse(data: bytes, module: str, place: str = "") -> dict[str, Decision]:
    """Parse a manifest; raise `BadManifest`, which names its location `place`."""
    what = f"the decisions of {module}"
    if place:
        what = f"{place}: {what}"
    fix = "restore the file from git."
    if not data:
        raise BadManifest(f"{what} are empty, or not in a readable file; {fix}")
    if b"\n<<<<<<< " in b"\n" + data:
        raise BadManifest(
            f"{what} have the markers of a git conflict; resolve it, keeping both sides' records."
        )
    try:
        records = _records(json.loads(data))
        if records is None:
            raise BadManifest(f"{what} have an unknown format; update Holdfast, or {fix}")
        decisions = [from_json(each) for each in records]
    except (ValueError, RecursionError) as error:
        problem = str(error).removesuffix(".")
        raise BadManifest(f"{what} cannot be read: {problem}; {fix}") from error
    return {each.id: each for each in decisions}


def _records(manifest: object) -> list[Any] | None:
    """Return the records of a manifest; None if its format is not that of this version."""
    if not isinstance(manifest, dict) or manifest.get("version") != _VERSION:
        return None
    records = manifest.get("decisions")
    if not isinstance(records, list):
        return None
    return records


def render(module: str, decisions: Iterable[Decision]) -> bytes:
    """Render a manifest: the same decisions become the same bytes, in any order.

    Each field has a line, and the records are sorted by id, so that git can merge two branches.
    """
    manifest = {
        "version": _VERSION,
        "module": module,
        "decisions": [as_json(each) for each in sorted(decisions, key=lambda each: each.id)],
    }
    text = json.dumps(manifest, ensure_ascii=False, sort_keys=True, indent=1, allow_nan=False)
    # A byte that is not UTF-8 is a lone surrogate here, which UTF-8 cannot encode, but JSON can.
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text).encode() + b"\n"


def _match_ids(decisions: tuple[Decision, ...], prefix: str) -> dict[str, Decision]:
    """Return the decisions whose id, or id before the promotion, starts with the prefix."""
    if not prefix:
        return {}
    ids = {each.id for each in decisions}
    found: dict[str, Decision] = {}
    for each in decisions:
        known_as = [each.id]
        if each.promoted_from not in ids:
            known_as.append(each.promoted_from or "")
        for known_id in known_as:
            if known_id.startswith(prefix):
                found[each.id] = each
    return found


def _successors(first: str, decisions: dict[str, Decision]) -> set[str]:
    """Return the ids of a decision and of those that superseded it, one after the other."""
    chain: set[str] = set()
    at: str | None = first
    while at is not None and at in decisions and at not in chain:
        chain.add(at)
        at = decisions[at].superseded_by
    return chain
