"""All rules in use, indexed by the diagnostic they answer and stored in files."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING, Literal, TypeAlias, assert_never

from holdfast.rules.learn.attribute_edits import attribute_edits
from holdfast.rules.learn.learn_rule import NotLearned, learn
from holdfast.rules.learn.merge_rules import NotMerged, merge_rules
from holdfast.rules.match.name_usage import USED
from holdfast.rules.match.type_similarity import forms_of
from holdfast.rules.rule import Key, Rule
from holdfast.rules.rule_json import BadRule, dump_rule, parse_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holdfast.rules.ports import RuleFiles
    from holdfast.vocab.diagnostics import Diagnostic, Target

LearnVerdict: TypeAlias = Literal["approve", "reject", "pin", "unpin", "demote"]
Rank: TypeAlias = tuple[int, bool, float, str, str]
_Z = 1.96
_Slot: TypeAlias = tuple[Key, int, str]
"""A key of the index.

It includes the first argument that a rule limits to a value: thousands of rules may answer the same
message template.
"""


class RuleBook:
    """The built-in rules and those of the project."""

    def __init__(self, rules: Iterable[Rule] = (), files: RuleFiles | None = None) -> None:
        """Index these rules; changes are written to `files`, if given."""
        self._files = files
        self._rules: dict[str, Rule] = {}
        self._slots: dict[_Slot, dict[str, None]] = {}
        self._held: dict[Key, set[int]] = {}
        self.problems: tuple[str, ...] = ()
        for rule in rules:
            self._put(rule)

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(
            sorted(
                self._rules.values(), key=lambda rule: (rule.target, rule.tool, rule.code, rule.id)
            )
        )

    def get(self, rule_id: str) -> Rule | None:
        """Return the rule with this id, or None."""
        return self._rules.get(rule_id)

    def starting(self, beginning: str) -> tuple[Rule, ...]:
        """Return the rules whose id begins with `beginning`.

        If there is a rule with exactly this id, return only that one.
        """
        exact = self._rules.get(beginning)
        return (
            (exact,)
            if exact is not None
            else tuple(rule for rule in self if rule.id.startswith(beginning))
        )

    def candidates(self, diagnostic: Diagnostic, target: Target, text: str) -> list[Rule]:
        """Return the active rules that may answer a diagnostic of a text, the best first."""
        key = target, diagnostic.tool, diagnostic.code, diagnostic.template
        forms = {number: forms_of(value, text) for number, value in enumerate(diagnostic.args)}
        slots: list[_Slot] = [
            (key, number, form)
            for number in sorted(self._held.get(key, ()))
            for form in forms.get(number, ("",))
        ]
        names = dict.fromkeys(name for slot in slots for name in self._slots.get(slot, ()))
        rules = (self._rules[name] for name in names)
        return sorted((rule for rule in rules if rule.in_force), key=rank_of, reverse=True)

    # --------------------------------------------------------------------------------- changes

    def learn(
        self,
        before: str,
        after: str,
        diagnostics: Sequence[Diagnostic],
        target: Target,
        *,
        created: str = "",
    ) -> Rule | NotLearned:
        """Learn a rule from each part of a verified fix, by the first diagnostic that fits.

        The diagnostics of other tools about the same line are learned too: in the next program one
        of them may be the only one. Returns the first rule; raises OSError.
        """
        reason = NotLearned("there is no diagnostic to tie the fix to")
        learned: dict[tuple[str, str], Rule] = {}
        lines: set[tuple[int | None, str]] = set()
        for share in attribute_edits(before, after, diagnostics, target):
            diagnostic = share.diagnostic
            here = diagnostic.area.line if diagnostic.area is not None else None
            elsewhere = here is None or (here, share.after) not in lines
            mended = any(part == share.after for _, part in learned)
            if (diagnostic.tool, share.after) in learned or (mended and elsewhere):
                continue
            rule = learn(before, share.after, diagnostic, target, created=created)
            if isinstance(rule, Rule):
                learned[diagnostic.tool, share.after] = self.add(rule)
                lines.add((here, share.after))
            else:
                reason = rule
        return next(iter(learned.values()), reason)

    def add(self, rule: Rule) -> Rule:
        """Add a rule, or widen an existing one to cover the new examples; raises OSError.

        The verdict of a user on the existing rule stays: it is neither unpinned nor activated.
        """
        same = self._rules.get(rule.id)
        fellows = [
            each for each in self._rules.values() if each.key == rule.key and each.id != rule.id
        ]
        for fellow in [*([same] if same else []), *sorted(fellows, key=rank_of, reverse=True)]:
            if _widened(fellow, rule) is not None:
                return self._change(fellow.id, lambda found: _widened(found, rule) or found)
        return self._change(rule.id, lambda found: found, rule)

    def record(self, rule_id: str, *, helped: bool) -> Rule:
        """Count a verified or refused result; raises OSError, and KeyError for an unknown rule."""
        return self._change(rule_id, lambda rule: with_result(rule, helped=helped))

    def judge(self, rule_id: str, verdict: LearnVerdict) -> Rule:
        """Apply a user's verdict to a rule; raises OSError, and KeyError for an unknown rule."""
        return self._change(rule_id, lambda rule: with_verdict(rule, verdict))

    def _change(
        self, rule_id: str, change: Callable[[Rule], Rule], new: Rule | None = None
    ) -> Rule:
        """Change a rule as it is in its file now: another process may have changed it meanwhile."""
        known = self._rules.get(rule_id, new)
        if known is None:
            raise KeyError(rule_id)
        changed = change(known)
        if self._files is not None:
            kept: list[Rule] = []

            def rewrite_file(data: bytes | None) -> bytes:
                kept.append(change(known if data is None else parse_rule(data)))
                return dump_rule(kept[-1])

            self._files.update(f"{known.target}/{rule_id}", rewrite_file)
            changed = kept[-1]
        self._put(changed)
        return changed

    def _put(self, rule: Rule) -> None:
        old = self._rules.get(rule.id)
        if old is not None:
            for slot in _slots_of(old):
                self._slots[slot].pop(rule.id, None)
        self._rules[rule.id] = rule
        for slot in _slots_of(rule):
            self._slots.setdefault(slot, {})[rule.id] = None
            self._held.setdefault(rule.key, set()).add(slot[1])


def wilson(helped: int, failed: int) -> float:
    """Return the lower bound of the rate of success at 95 %: a short record promises little.

    >>> [round(wilson(*record), 3) for record in ((0, 0), (1, 0), (10, 0), (10, 10))]
    [0.0, 0.207, 0.722, 0.299]
    """
    count = helped + failed
    if count == 0:
        return 0.0
    share = helped / count
    middle = share + _Z * _Z / (2 * count)
    spread = _Z * sqrt(share * (1 - share) / count + _Z * _Z / (4 * count * count))
    return max(0.0, (middle - spread) / (1 + _Z * _Z / count))


def rank_of(rule: Rule) -> Rank:
    """Return the sort key of a rule; the largest wins. The id makes the order total."""
    return rule.priority, rule.pinned, rule.confidence, rule.created, rule.id


def with_result(rule: Rule, *, helped: bool) -> Rule:
    """Return the rule with one more result with_result; demote one that fails more than it helps.

    The program from which it was learned counts as one success: otherwise a single refusal would
    end a rule that was never needed yet, and its fix would be paid for again. A pinned rule is
    not demoted: a user has approved it, and a production build must not lose it by itself.
    """
    applied = rule.applied + helped
    failed = rule.failed + (not helped)
    status = rule.status
    if failed > max(applied, 1) and status in {"active", "proposed"}:
        status = "demoted"
    confidence = round(wilson(applied, failed), 6)
    return replace(rule, applied=applied, failed=failed, confidence=confidence, status=status)


def with_verdict(rule: Rule, verdict: LearnVerdict) -> Rule:
    """Return a rule with a user's verdict applied."""
    match verdict:
        case "approve":
            # A second approval changes nothing.
            status = rule.status if rule.pinned else "active"
            return replace(rule, status=status, priority=max(rule.priority, 1))
        case "reject":
            return replace(rule, status="rejected")
        case "pin":
            return replace(rule, status="pinned")
        case "unpin":
            return replace(rule, status="active") if rule.pinned else rule
        case "demote":
            return replace(rule, status="demoted")
        case _:
            assert_never(verdict)


def read_book(files: RuleFiles, builtin: Iterable[Rule] = ()) -> RuleBook:
    """Read the rules of the project, over the built-in ones; raises OSError.

    A file that is not a valid rule, or not the rule of its name, is left out and reported in
    `problems`.
    """
    own: dict[str, Rule] = {}
    problems = []
    for name, data in files.read_all():
        try:
            rule = parse_rule(data)
        except BadRule as error:
            problems.append(f"rules/{name}.json: {error}; fix or remove the file.")
            continue
        if f"{rule.target}/{rule.id}" != name:
            problems.append(
                f"rules/{name}.json: it contains the rule {rule.target}/{rule.id};"
                " rename or remove the file."
            )
            continue
        own[rule.id] = rule
    book = RuleBook([*(rule for rule in builtin if rule.id not in own), *own.values()], files)
    book.problems = tuple(problems)
    return book


def _widened(rule: Rule, new: Rule) -> Rule | None:
    """Return the rule widened to cover the examples of a new one; None if that is no rule."""
    merged = merge_rules(rule, new)
    return None if isinstance(merged, NotMerged) else merged


def _slots_of(rule: Rule) -> list[_Slot]:
    # A value that refers to another argument, or to the code, is no key.
    plain = [
        number
        for number, values in rule.constants.items()
        if not any("{" in value or value.startswith(USED) for value in values)
    ]
    if not plain:
        return [(rule.key, -1, "")]
    first = min(plain)
    return [(rule.key, first, value) for value in rule.constants[first]]
