"""The decisions of a project: one manifest a module, sorted, stable, merged by git line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from holdfast.repair.decisions.decision import (
    SCOPES,
    BadDecision,
    Decision,
    Scope,
    as_json,
    from_json,
    renewed,
)
from holdfast.repair.ports import DecisionFiles

_VERSION = 1
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_Changed: TypeAlias = Callable[[dict[str, Decision]], None]


class BadManifest(Exception):  # noqa: N818 - the word for it
    """A manifest cannot be read; the message names it, and what is wrong."""


@dataclass(frozen=True, slots=True)
class NoSuchDecision:
    """The beginning of an id names no decision, or (`several`) more than one."""

    asked: str
    several: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """Say it, and the next step."""
        if self.several:
            return f"{self.asked}: this begins the ids {', '.join(self.several)}; give more of one."
        return f"{self.asked}: there is no such decision; `holdfast decisions list` shows those there are."


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

    def list(self, scope: Scope | None = None) -> tuple[Decision, ...]:
        """Give all decisions, by scope, module and id."""
        return tuple(
            decision
            for each in (SCOPES if scope is None else (scope,))
            for module, data in self._files.read_all(each)
            for decision in sorted(parse(data, module).values(), key=lambda one: one.id)
        )

    def pinned(self, module: str) -> tuple[Decision, ...]:
        """Give the pinned build decisions of a module that can be made again, and that none has taken the place of."""
        # Only this one is parsed: a manifest of another module that is damaged bars nobody else's repair.
        manifests = dict(self._files.read_all("build"))
        there = parse(manifests[module], module).values() if module in manifests else ()
        usable = (each for each in there if each.pinned and each.superseded_by is None and each.diff)
        return tuple(sorted(usable, key=lambda one: one.id))

    def find(self, beginning: str) -> Decision | NoSuchDecision:
        """Find a decision by its id, or by a beginning that no other has."""
        found = {each.id: each for each in self.list() if beginning and each.id.startswith(beginning)}
        if beginning in found:
            return found[beginning]
        if len(found) != 1:
            return NoSuchDecision(beginning, tuple(sorted(found)))
        return next(iter(found.values()))

    def pin(self, decision: Decision, pin: Pin) -> Decision:
        """Have a decision made again from now on, without a model."""
        return self._change(
            decision, {"pinned": True, "pin_reason": pin.reason or None, "pinned_at": pin.at, "pinned_by": pin.by}
        )

    def unpin(self, decision: Decision) -> Decision:
        """Take the pin off."""
        return self._change(decision, {"pinned": False, "pin_reason": None, "pinned_at": None, "pinned_by": None})

    def override(self, old: Decision, new: Decision) -> Decision:
        """Put a person's decision in the place of another one, which stays on record as superseded."""

        def put(there: dict[str, Decision]) -> None:
            there[new.id] = new
            if old.id in there and old.id != new.id:
                there[old.id] = replace(there[old.id], superseded_by=new.id, pinned=False)

        self._update(old.scope, old.module, put)
        return new

    def withdraw(self, module: str, after_sha: str, why: str) -> None:
        """Mark the steps that led to these bytes as failed: they were verified, and then could not be written."""

        def put(there: dict[str, Decision]) -> None:
            sha = after_sha
            for _ in range(len(there)):
                led = [each for each in there.values() if each.after_sha == sha and each.counts and not each.pinned]
                if not led:
                    return
                there[led[0].id] = replace(led[0], verdict="failed", detail=why)
                sha = led[0].before_sha

        self._update("build", module, put)

    def promote(self, decision: Decision) -> Decision:
        """Take a decision of the running program into the project, as a repair that people will review."""
        promoted = replace(decision, decision_type="repair")

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

    def _update(self, scope: Scope, module: str, change: _Changed) -> None:
        def rewrite(data: bytes | None) -> bytes | None:
            there = {} if data is None else parse(data, module)
            change(there)
            return render(module, there.values()) if there else None

        self._files.update(scope, module, rewrite)


def parse(data: bytes, module: str) -> dict[str, Decision]:
    """Read a manifest; raises `BadManifest`."""
    where = f"the decisions of {module}"
    if b"\n<<<<<<< " in b"\n" + data:
        raise BadManifest(f"{where} hold the marks of a git conflict; settle it, keeping both sides' records.")
    try:
        told = json.loads(data)
        decisions = told["decisions"] if isinstance(told, dict) and told.get("version") == _VERSION else None
        if not isinstance(decisions, list):
            raise BadManifest(f"{where} are not as this version writes them; update Holdfast, or restore the file.")
        read = [from_json(each) for each in decisions]
    except (ValueError, BadDecision, KeyError) as error:
        raise BadManifest(f"{where} cannot be read: {error} Restore the file from git.") from error
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
