"""The decisions of a project: one manifest a module, sorted, stable, merged by git line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from holdfast.repair.decisions.decision import (
    SCOPES,
    Decision,
    DecisionScope,
    as_json,
    from_json,
    renewed,
)
from holdfast.repair.decisions.decision_ids import decision_id
from holdfast.repair.ports import DecisionFiles

_VERSION = 1
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_Changed: TypeAlias = Callable[[dict[str, Decision]], None]


class BadManifest(Exception):  # noqa: N818 - the word for it
    """A manifest cannot be read; the message names it, and what is wrong."""


@dataclass(frozen=True, slots=True)
class NoSuchDecision:
    """The beginning of an id names no decision, or (`several`) more than one; `problems` are manifests not read."""

    asked: str
    several: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """Say it, and the next step."""
        if self.several:
            return f"{self.asked}: this begins the ids {', '.join(self.several)}; give more of one."
        return f"{self.asked}: there is no such decision; `holdfast decisions list` shows those there are."


@dataclass(frozen=True, slots=True)
class Survey:
    """The decisions that can be read, and (`problems`) which manifests cannot."""

    decisions: tuple[Decision, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pin:
    """A person's word on a decision."""

    by: str
    at: str
    reason: str = ""


class Manifest:
    """The decisions on record. Raises OSError for the disk, and `BadManifest` for what is no manifest."""

    def __init__(self, files: DecisionFiles) -> None:
        """Keep them in these files."""
        self._files = files

    def record(self, decision: Decision) -> Decision:
        """Put a decision on record. The same one again is updated: it keeps its pin and its time."""
        kept = decision

        def put(there: dict[str, Decision]) -> None:
            nonlocal kept
            old = there.get(decision.id)
            kept = decision if old is None else renewed(old, decision)
            there[decision.id] = kept

        self._update(decision.scope, decision.module, put)
        return kept

    def list(self, scope: DecisionScope | None = None) -> tuple[Decision, ...]:
        """Give all decisions, by scope, module and id; one manifest that cannot be read is `BadManifest`."""
        return tuple(
            decision
            for each in (SCOPES if scope is None else (scope,))
            for module, data in self._files.read_all(each)
            for decision in self._parse(each, module, data)
        )

    def survey(self, scope: DecisionScope | None = None) -> Survey:
        """Give the decisions as `list` does; a manifest that cannot be read bars nobody from the others."""
        found: list[Decision] = []
        problems: list[str] = []
        for each in SCOPES if scope is None else (scope,):
            for module, data in self._files.read_all(each):
                try:
                    found += self._parse(each, module, data)
                except BadManifest as error:
                    problems.append(str(error))
        return Survey(tuple(found), tuple(problems))

    def pinned(self, module: str) -> tuple[Decision, ...]:
        """Give the pinned build decisions of a module that can be made again, and that none has taken the place of."""
        return tuple(each for each in self._repeatable(module) if each.pinned)

    def unpinned(self, module: str) -> tuple[Decision, ...]:
        """Give the build decisions of a module that passed, could be made again, and wait for somebody's pin."""
        return tuple(each for each in self._repeatable(module) if each.counts and not each.pinned)

    def _repeatable(self, module: str) -> tuple[Decision, ...]:
        # Only this one is parsed: a manifest of another module that is damaged bars nobody else's repair.
        manifests = dict(self._files.read_all("build"))
        there = self._parse("build", module, manifests[module]) if module in manifests else ()
        return tuple(each for each in there if each.superseded_by is None and each.diff)

    def _parse(self, scope: DecisionScope, module: str, data: bytes) -> tuple[Decision, ...]:
        read = parse(data, module, self._files.place(scope, module))
        return tuple(sorted(read.values(), key=lambda one: one.id))

    def find(self, beginning: str) -> Decision | NoSuchDecision:
        """Find a decision by its id, or by a beginning that no other has.

        One that was promoted is found by its old id too: whoever noted that goes on with it.
        """
        survey = self.survey()
        ids = {each.id for each in survey.decisions}
        found = {
            each.id: each
            for each in survey.decisions
            if beginning and each.id.startswith(beginning)
        }
        for each in survey.decisions:
            old = each.promoted_from or ""
            if beginning and old.startswith(beginning) and old not in ids:
                found[each.id] = each
        if beginning in found:
            return found[beginning]
        if len(found) != 1:
            return NoSuchDecision(beginning, tuple(sorted(found)), () if found else survey.problems)
        return next(iter(found.values()))

    def pin(self, decision: Decision, pin: Pin) -> Decision:
        """Have a decision made again from now on, without a model."""
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
        """Take the pin off."""
        return self._change(
            decision, {"pinned": False, "pin_reason": None, "pinned_at": None, "pinned_by": None}
        )

    def override(self, old: Decision, new: Decision) -> Decision:
        """Put a person's decision in the place of another one, which stays on record as superseded.

        Whatever has taken the old one's place before is superseded too: one text has one pinned decision of a person.
        """

        def put(there: dict[str, Decision]) -> None:
            chain = _successors(old.id, there)
            there[new.id] = new
            for each in chain - {new.id}:
                heir = (
                    new.id
                    if each == old.id or there[each].superseded_by is None
                    else there[each].superseded_by
                )
                there[each] = replace(there[each], superseded_by=heir, pinned=False)

        self._update(old.scope, old.module, put)
        return new

    def withdraw(self, module: str, step_id: str, why: str) -> None:
        """Mark a step as failed that was verified, and then could not be written. One that is pinned stays."""

        def put(there: dict[str, Decision]) -> None:
            step = there.get(step_id)
            if step is not None and step.counts and not step.pinned:
                there[step_id] = replace(step, verdict="failed", detail=why)

        self._update("build", module, put)

    def promote(self, decision: Decision) -> Decision:
        """Take a decision of the running program into the project, as a repair that people will review.

        The type is part of the id, so that it gets another one; made of the old, it is the same on every machine.
        """
        result = decision.after_sha or decision.choice
        promoted = replace(
            decision,
            id=decision_id("repair", decision.id, decision.model_id, result),
            decision_type="repair",
            promoted_from=decision.id,
        )

        def put(there: dict[str, Decision]) -> None:
            there.setdefault(promoted.id, promoted)

        def drop(there: dict[str, Decision]) -> None:
            there.pop(decision.id, None)

        # In this order: whoever dies in between has it twice, not lost.
        self._update("build", promoted.module, put)
        self._update("runtime", decision.module, drop)
        return promoted

    def _change(self, decision: Decision, fields: dict[str, Any]) -> Decision:
        changed = decision

        def put(there: dict[str, Decision]) -> None:
            nonlocal changed
            changed = replace(there.get(decision.id, decision), **fields)
            there[decision.id] = changed

        self._update(decision.scope, decision.module, put)
        return changed

    def _update(self, scope: DecisionScope, module: str, change: _Changed) -> None:
        def rewrite(data: bytes | None) -> bytes | None:
            there = {} if data is None else parse(data, module, self._files.place(scope, module))
            change(there)
            return render(module, there.values()) if there else None

        self._files.update(scope, module, rewrite)


def parse(data: bytes, module: str, place: str = "") -> dict[str, Decision]:
    """Read a manifest; raises `BadManifest`, which names the `place` where it is."""
    where, cure = (
        f"{f'{place}: ' if place else ''}the decisions of {module}",
        "restore the file from git.",
    )
    if not data:
        raise BadManifest(f"{where} are empty, or in something that is no file to be read; {cure}")
    if b"\n<<<<<<< " in b"\n" + data:
        raise BadManifest(
            f"{where} hold the marks of a git conflict; settle it, keeping both sides' records."
        )
    try:
        told = json.loads(data)
        decisions = (
            told.get("decisions")
            if isinstance(told, dict) and told.get("version") == _VERSION
            else None
        )
        if not isinstance(decisions, list):
            raise BadManifest(
                f"{where} are not as this version writes them; update Holdfast, or {cure}"
            )
        read = [from_json(each) for each in decisions]
    except (ValueError, RecursionError) as error:
        raise BadManifest(
            f"{where} cannot be read: {str(error).removesuffix('.')}; {cure}"
        ) from error
    return {each.id: each for each in read}


def render(module: str, decisions: Iterable[Decision]) -> bytes:
    """Write a manifest: the same decisions give the same bytes, whatever their order was.

    One field a line, by id, so that git can merge what two branches have recorded.
    """
    told = {
        "version": _VERSION,
        "module": module,
        "decisions": [as_json(each) for each in sorted(decisions, key=lambda one: one.id)],
    }
    text = json.dumps(told, ensure_ascii=False, sort_keys=True, indent=1, allow_nan=False)
    # A byte of a file, or of its name, that is no text stands here as half a pair; UTF-8 has no such thing, JSON has.
    return _HALF_PAIR.sub(lambda half: f"\\u{ord(half[0]):04x}", text).encode() + b"\n"


def _successors(first: str, there: dict[str, Decision]) -> set[str]:
    """Give the ids of a decision and of all that took its place, one after the other, as far as they are there."""
    chain: set[str] = set()
    at: str | None = first
    while at is not None and at in there and at not in chain:
        chain.add(at)
        at = there[at].superseded_by
    return chain
