"""The decisions of a project: one file for each, so that git merges two branches by itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
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
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from holdfast.repair.decisions.ports import DecisionFiles

_VERSION = 2
_LIST_VERSION = 1
"""Version 1 had all decisions of a module in one file, which git could not merge."""
_ID = lazy_pattern(r"\.[0-9a-f]{16}$")
_SURROGATE = lazy_pattern("[\ud800-\udfff]")
_Change: TypeAlias = Callable[[Decision | None], Decision]


class BadManifest(Exception):  # noqa: N818 - the word for it
    """A decision cannot be read; the message names its file and the problem."""


@dataclass(frozen=True, slots=True)
class NoSuchDecision:
    """The prefix of an id matches no decision, or more than one (`several`).

    `problems` are of the files that could not be read.
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
    """The decisions that can be read, and the problems of the files that cannot."""

    decisions: tuple[Decision, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pin:
    """A person's approval of a decision."""

    by: str
    at: str
    reason: str = ""


class Manifest:
    """The recorded decisions. Methods raise OSError, or `BadManifest` for a damaged record."""

    def __init__(self, files: DecisionFiles) -> None:
        """Keep the decisions in these files."""
        self._files = files

    # -------------------------------------------------------------------------------------- reading

    def list(self, scope: DecisionScope | None = None) -> tuple[Decision, ...]:
        """Return all decisions by scope, module and id; raise `BadManifest` for a damaged one."""
        survey = self.survey(scope)
        if survey.problems:
            raise BadManifest("\n".join(survey.problems))
        return survey.decisions

    def survey(self, scope: DecisionScope | None = None) -> Survey:
        """Return the decisions like `list`, and the problems of damaged records beside them."""
        scopes = SCOPES
        if scope is not None:
            scopes = (scope,)

        decisions: list[Decision] = []
        problems: list[str] = []
        for each in scopes:
            found = self._read(each)
            decisions += found.decisions
            problems += found.problems

        return Survey(tuple(decisions), tuple(problems))

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

    def _repeatable(self, module: str) -> tuple[Decision, ...]:
        found: list[Decision] = []
        for each in self._of_module("build", module):
            if each.superseded_by is not None:
                continue
            if each.diff:
                found.append(each)

        return tuple(found)

    def _of_module(self, scope: DecisionScope, module: str) -> tuple[Decision, ...]:
        # Only this module is parsed: a damaged record of another one must not block this repair.
        survey = self._read(scope, module)
        if survey.problems:
            raise BadManifest("\n".join(survey.problems))
        return survey.decisions

    def _read(self, scope: DecisionScope, module: str | None = None) -> Survey:
        """Return the decisions of a scope by module and id; with `module`, only those of one."""
        found: dict[str, Decision] = {}
        problems: list[str] = []
        for name, data in self._files.read_all(scope, module or ""):
            if module not in {None, module_of_record(name)}:
                continue
            try:
                decisions = parse(data, name, self._files.place(scope, name))
            except BadManifest as error:
                problems.append(str(error))
                continue
            for each in decisions:
                # A file of its own wins over a list of an older version, which it was made from.
                if name == record_name(each.module, each.id):
                    found[each.id] = each
                found.setdefault(each.id, each)

        ordered = sorted(found.values(), key=lambda each: (each.module, each.id))
        return Survey(tuple(ordered), tuple(problems))

    # -------------------------------------------------------------------------------------- writing

    def record(self, decision: Decision) -> Decision:
        """Record a decision. If it is on record already, update it; its pin and time stay."""

        def renew(old: Decision | None) -> Decision:
            if old is None:
                return decision
            return renewed(old, decision)

        return self._update(decision, renew)

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
        a person. The new one is recorded first: a process that dies in between loses nothing, and
        the same override again completes it.
        """
        decisions = {each.id: each for each in self._of_module(old.scope, old.module)}
        self._update(new, lambda _: new)
        for each in _successors(old.id, decisions) - {new.id}:
            successor = decisions[each].superseded_by
            if each == old.id or successor is None:
                successor = new.id
            self._change(decisions[each], {"superseded_by": successor, "pinned": False})

        return new

    def withdraw(self, module: str, step_id: str, why: str) -> None:
        """Mark a verified step as failed because it could not be written. A pinned step stays."""
        for step in self._of_module("build", module):
            if step.id != step_id or step.pinned:
                continue
            if step.counts:
                self._change(step, {"verdict": "failed", "detail": why})

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
        # In this order: a process that dies in between leaves the decision twice, not lost.
        self._update(promoted, lambda old: old or promoted)
        self._convert(decision.scope, decision.module)
        self._files.update(
            decision.scope, record_name(decision.module, decision.id), lambda _: None
        )
        return promoted

    def _change(self, decision: Decision, fields: dict[str, Any]) -> Decision:
        return self._update(decision, lambda old: replace(old or decision, **fields))

    def _update(self, decision: Decision, change: _Change) -> Decision:
        """Replace the record of a decision by what `change` makes of it; None: no record yet."""
        scope = decision.scope
        self._convert(scope, decision.module)
        name = record_name(decision.module, decision.id)
        changed = decision

        def rewrite(data: bytes | None) -> bytes:
            nonlocal changed
            old = None
            if data is not None:
                [old] = parse(data, name, self._files.place(scope, name))
            changed = change(old)
            return render(changed)

        self._files.update(scope, name, rewrite)
        return changed

    def _convert(self, scope: DecisionScope, module: str) -> None:
        """Write each decision of an older version's list into a file of its own; remove the list.

        A file of its own that is there already is newer than the list.
        """
        data = dict(self._files.read_all(scope, module)).get(module)
        if data is None:
            return

        for each in parse(data, module, self._files.place(scope, module)):
            content = render(each)
            self._files.update(scope, record_name(module, each.id), partial(_first, content))

        self._files.update(scope, module, lambda _: None)


# ------------------------------------------------------------------------------------------- format


def record_name(module: str, decision: str) -> str:
    """Return the name of the file of a decision, without its ending."""
    return f"{module}.{decision}"


def module_of_record(name: str) -> str:
    """Return the module of a file: its name without the id; a list of version 1 has no id.

    >>> module_of_record("src.a.py.0123456789abcdef"), module_of_record("src.a.py")
    ('src.a.py', 'src.a.py')
    """
    return _ID.sub("", name)


def parse(data: bytes, name: str, place: str = "") -> tuple[Decision, ...]:
    """Parse a file of one decision, or a list of an older version.

    Raise `BadManifest`, which names its location `place`.
    """
    what = f"{place or name}: this decision"
    fix = "restore the file from git."
    if not data:
        raise BadManifest(f"{what} is empty, or not in a readable file; {fix}")
    if b"\n<<<<<<< " in b"\n" + data:
        raise BadManifest(f"{what} has the markers of a git conflict; keep one of the two sides.")

    try:
        records = _records(json.loads(data))
        if records is None:
            raise BadManifest(f"{what} has an unknown format; update Holdfast, or {fix}")
        decisions = tuple(map(from_json, records))
    except (ValueError, RecursionError) as error:
        problem = str(error).removesuffix(".")
        raise BadManifest(f"{what} cannot be read: {problem}; {fix}") from error

    for each in decisions:
        if name not in {each.module, record_name(each.module, each.id)}:
            raise BadManifest(f"{what} is {each.id} of {each.module}; rename the file, or {fix}")

    return decisions


def _records(content: object) -> list[Any] | None:
    """Return the records of a file; None if its format is not known."""
    if not isinstance(content, dict):
        return None
    if content.get("version") == _VERSION:
        return [content]

    records = content.get("decisions")
    if content.get("version") == _LIST_VERSION and isinstance(records, list):
        return records

    return None


def render(decision: Decision) -> bytes:
    """Render a decision with a line for each field: the same decision becomes the same bytes."""
    record = {"version": _VERSION, **as_json(decision)}
    text = json.dumps(record, ensure_ascii=False, sort_keys=True, indent=1, allow_nan=False)
    # A byte that is not UTF-8 is a lone surrogate here, which UTF-8 cannot encode, but JSON can.
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text).encode() + b"\n"


def _first(content: bytes, own: bytes | None) -> bytes:
    """Return the bytes that a file has; those of the older list if it has none."""
    return own or content


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
