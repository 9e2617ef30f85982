"""All rules at hand: found by the complaint in one step, however many there are; changed with their files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, assert_never

from holdfast.rules.learn.attribute_edits import shares_of
from holdfast.rules.learn.learn_rule import NotLearned, learn
from holdfast.rules.learn.merge_rules import NotMerged, merge_rules
from holdfast.rules.match.name_usage import USED
from holdfast.rules.match.type_similarity import forms_of
from holdfast.rules.ports import RuleFiles
from holdfast.rules.rank import counted, rank_of
from holdfast.rules.rule import Key, Rule
from holdfast.rules.rule_json import BadRule, dump_rule, parse_rule
from holdfast.vocab.diagnostics import Diagnostic, Target

LearnVerdict: TypeAlias = Literal["approve", "reject", "pin", "unpin", "demote"]
_Slot: TypeAlias = tuple[Key, int, str]
"""Rules are also told apart by the first argument that they hold to a value: thousands may answer one template."""


class RuleBook:
    """The rules that came with holdfast, and the project's own."""

    def __init__(self, rules: Iterable[Rule] = (), files: RuleFiles | None = None) -> None:
        """Hold these; what changes is written to `files`, if there are any."""
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
        """Give the rule of this name."""
        return self._rules.get(rule_id)

    def starting(self, beginning: str) -> tuple[Rule, ...]:
        """Give the rules whose name begins so; the one of just this name alone, if there is one."""
        exact = self._rules.get(beginning)
        return (
            (exact,)
            if exact is not None
            else tuple(rule for rule in self if rule.id.startswith(beginning))
        )

    def candidates(self, diagnostic: Diagnostic, target: Target, text: str) -> list[Rule]:
        """Give the rules in force that may answer a complaint about a text, the best first."""
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

    # ----------------------------------------------------------------------------------------------------- changing it

    def learn(
        self,
        before: str,
        after: str,
        diagnostics: Sequence[Diagnostic],
        target: Target,
        *,
        created: str = "",
    ) -> Rule | NotLearned:
        """Learn from a verified pair: of each part of the fix one rule, by the first complaint that one comes of.

        What another tool says of the same line is learned too: in the next program it may be the only one to complain.
        Gives the first rule; raises OSError.
        """
        reason = NotLearned("there is no complaint to tie the fix to")
        learned: dict[tuple[str, str], Rule] = {}
        lines: set[tuple[int | None, str]] = set()
        for share in shares_of(before, after, diagnostics, target):
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
        """Take a rule in, or widen one that is here so that it covers the new one's examples; raises OSError.

        What somebody has said of the one that is here stays: it is not unpinned, nor taken back into force.
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
        """Count whether what a rule made was verified; raises OSError, and KeyError if there is no such rule."""
        return self._change(rule_id, lambda rule: counted(rule, helped=helped))

    def judge(self, rule_id: str, verdict: LearnVerdict) -> Rule:
        """Do what somebody has decided about a rule; raises OSError, and KeyError if there is no such rule."""
        return self._change(rule_id, lambda rule: judged(rule, verdict))

    def _change(
        self, rule_id: str, change: Callable[[Rule], Rule], new: Rule | None = None
    ) -> Rule:
        """Change a rule as it is in its file now: another process may have changed it since this book was read."""
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


def judged(rule: Rule, verdict: LearnVerdict) -> Rule:
    """Give a rule after what somebody has decided about it."""
    match verdict:
        case "approve":
            # Approved once is approved: a second time raises it no further.
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
    """Read the project's rules over those that came with holdfast; raises OSError.

    A file that is no rule, or is not the rule that its name says, is left out and told in `problems`.
    """
    own: dict[str, Rule] = {}
    problems = []
    for name, data in files.read_all():
        try:
            rule = parse_rule(data)
        except BadRule as error:
            problems.append(f"rules/{name}.json: {error}; mend or remove the file.")
            continue
        if f"{rule.target}/{rule.id}" != name:
            problems.append(
                f"rules/{name}.json: it holds the rule {rule.target}/{rule.id}; rename or remove the file."
            )
            continue
        own[rule.id] = rule
    book = RuleBook([*(rule for rule in builtin if rule.id not in own), *own.values()], files)
    book.problems = tuple(problems)
    return book


def _widened(rule: Rule, new: Rule) -> Rule | None:
    """Give the rule widened so that it covers the examples of a new one; None if that is no rule."""
    merged = merge_rules(rule, new)
    return None if isinstance(merged, NotMerged) else merged


def _slots_of(rule: Rule) -> list[_Slot]:
    # What is said by another argument, or by the code, is no value to look a rule up by.
    plain = [
        number
        for number, values in rule.constants.items()
        if not any("{" in value or value.startswith(USED) for value in values)
    ]
    if not plain:
        return [(rule.key, -1, "")]
    first = min(plain)
    return [(rule.key, first, value) for value in rule.constants[first]]
