"""All rules in use, indexed by the diagnostic they answer and stored in files."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, TypeAlias, assert_never

from holdfast.rules.fix_shares import split_fix
from holdfast.rules.learn_rule import NotLearned, explains, learn, learn_from, suggested_rule
from holdfast.rules.rule import (
    Example,
    Key,
    Rule,
    TokenRewrite,
    TreeRewrite,
    diagnostic_of,
    plain_type,
    value_in,
)
from holdfast.rules.rule_yaml import BadRule, dump_rule, parse_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holdfast.rules.ports import RuleCounters, RuleFiles
    from holdfast.vocab.diagnostics import Diagnostic, Target

LearnVerdict: TypeAlias = Literal["approve", "reject", "pin", "unpin", "demote", "widen"]
Rank: TypeAlias = tuple[bool, bool, float, str]
_Z = 1.96
_Slot: TypeAlias = tuple[Key, int, str]
"""A key of the index.

It includes the first name that a rule is limited to: thousands of rules may answer the same message
template.
"""


class RuleBook:
    """The built-in rules and those of the project."""

    def __init__(
        self,
        rules: Iterable[Rule] = (),
        files: RuleFiles | None = None,
        counters: RuleCounters | None = None,
    ) -> None:
        """Index these rules; changes are written to `files`, results to `counters`."""
        self._files = files
        self._counters = counters
        self._rules: dict[str, Rule] = {}
        self._slots: dict[_Slot, set[str]] = {}
        self.problems: tuple[str, ...] = ()
        counts = counters.read() if counters is not None else {}
        for rule in rules:
            helped, failed = counts.get(rule.id, (0, 0))
            self._put(replace(rule, helped=helped, failed=failed))

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        rules = self._rules.values()
        return iter(sorted(rules, key=lambda rule: (rule.target, rule.tool, rule.code, rule.id)))

    def get(self, rule_id: str) -> Rule | None:
        """Return the rule with this id, or None."""
        return self._rules.get(rule_id)

    def starting(self, beginning: str) -> tuple[Rule, ...]:
        """Return the rules whose id begins with `beginning`.

        If there is a rule with exactly this id, return only that one.
        """
        if beginning in self._rules:
            return (self._rules[beginning],)

        found: list[Rule] = []
        for rule in self:
            name = rule.id
            if name.startswith(beginning):
                found.append(rule)

        return tuple(found)

    def candidates(self, diagnostic: Diagnostic, target: Target) -> list[Rule]:
        """Return the active rules that may answer a diagnostic, the best first."""
        key = target, diagnostic.tool, diagnostic.code, diagnostic.template
        slots: list[_Slot] = [(key, -1, "")]
        for number, text in enumerate(diagnostic.args):
            spelled = map(_unspaced, (plain_type(text), value_in(text, "")))
            slots += ((key, number, each) for each in spelled)

        found = set[str]().union(*(self._slots.get(slot, ()) for slot in slots))
        rules = filter(attrgetter("in_force"), map(self._rules.__getitem__, found))
        return sorted(rules, key=rank_of, reverse=True)

    # --------------------------------------------------------------------------------- changes

    def learn(
        self,
        before: str,
        after: str,
        diagnostics: Sequence[Diagnostic],
        target: Target,
        *,
        model: str = "",
    ) -> Rule | NotLearned:
        """Learn a rule from each part of a verified fix, one for each tool that reported it.

        Returns the first rule that a person has not disabled, if there is one; raises OSError.
        """
        reason = NotLearned("there is no diagnostic to tie the fix to")
        learned: list[Rule] = []
        for share in split_fix(before, after, diagnostics, target):
            tools: set[str] = set()
            for diagnostic in share.diagnostics:
                if diagnostic.tool in tools:
                    continue

                rule = learn(before, share.after, diagnostic, target, model=model)
                if isinstance(rule, Rule):
                    tools.add(diagnostic.tool)
                    learned.append(self.add(rule))
                else:
                    reason = rule

        if learned:
            # `min` returns the first of several equal ones.
            return min(learned, key=attrgetter("disabled"))

        return reason

    def propose(
        self,
        before: str,
        after: str,
        diagnostics: Sequence[Diagnostic],
        target: Target,
        suggested: tuple[str, str],
        *,
        model: str = "",
    ) -> Rule | None:
        """Keep a rule that a model suggests as proposed if it repeats a verified fix.

        The verdict of a user on the same rule stays. Returns None if the rule does not repeat the
        fix; raises OSError.
        """
        for share in split_fix(before, after, diagnostics, target):
            for diagnostic in share.diagnostics:
                rule = suggested_rule(before, share.after, diagnostic, target, suggested)
                if rule is not None:
                    new = replace(rule, model=model)
                    return self._change(rule.id, lambda found: found, new)

        return None

    def add(self, rule: Rule) -> Rule:
        """Add a rule, or widen a rule of the project so that it covers the new examples too.

        The verdict of a user on the other rule stays. Raises OSError.
        """
        others = self._like(rule)
        for other in others:
            if all(explains(other, example) for example in rule.examples):
                if other.safe or other.allowed:
                    return other

                return self._confirm(other, rule.examples)

        for other in sorted(others, key=attrgetter("allowed")):
            wider = self._widen(other, rule.examples)
            if wider is not None:
                return wider

        return self._change(rule.id, lambda found: found, rule)

    def _confirm(self, rule: Rule, examples: Sequence[Example]) -> Rule:
        """Add the examples of another program to a hint that explains them: two fixes agree."""
        return self._widen(rule, examples) or rule

    def _widen(self, rule: Rule, examples: Sequence[Example]) -> Rule | None:
        """Make a rule wide enough for new examples and return it; None if that is no rule.

        A rule that a person allows stays as the person saw it; the wider one is a rule of its own.
        """
        wider = _widened_by(rule, examples)
        if wider is None:
            return None

        if rule.allowed:
            return self._change(wider.id, lambda found: found, wider)

        def widen(now: Rule) -> Rule:
            if now.allowed:
                return now
            return _widened_by(now, examples) or now

        changed = self._change(rule.id, widen)
        if changed.allowed:
            # A person has allowed the rule since this process read it.
            return self._widen(changed, examples)

        return changed

    def _like(self, rule: Rule) -> list[Rule]:
        """Return the rules for the same kind of diagnostic, the best first.

        What waits for a user is left out: it does not do what was learned.
        """
        found: list[Rule] = []
        for each in self._rules.values():
            is_hint = each.provenance == "builtin" and not each.safe
            waits = is_hint or each.status == "proposed"
            if each.key == rule.key and not waits:
                found.append(each)

        return sorted(found, key=rank_of, reverse=True)

    def put_written(self, rule: Rule) -> Rule:
        """Add a rule that a person has written, or replace its text; raises OSError.

        The verdict of a user on the rule that is there stays, unless the new text has one. Raises
        `BadRule` if the file of that rule cannot be read.
        """
        return self._change(rule.id, lambda found: _with_verdict_of(found, rule), rule)

    def record(self, rule_id: str, *, helped: bool) -> Rule:
        """Count a verified or refused result; raises OSError, and KeyError for an unknown rule."""
        rule = self._rules[rule_id]
        now = rule.helped + helped, rule.failed + (not helped)
        if self._counters is not None:
            now = self._counters.add(rule_id, helped=helped)

        counted = replace(rule, helped=now[0], failed=now[1])
        self._put(counted)
        return counted

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

        if self._files is None:
            changed = change(known)
        else:
            written: list[Rule] = []

            def rewrite_file(data: bytes | None) -> bytes:
                current = known if data is None else parse_rule(data)
                written.append(change(current))
                return dump_rule(written[-1])

            self._files.update(f"{known.target}/{rule_id}", rewrite_file)
            changed = replace(written[-1], helped=known.helped, failed=known.failed)

        self._put(changed)
        return changed

    def _put(self, rule: Rule) -> None:
        old = self._rules.get(rule.id, rule)
        for slot in _slots_of(old):
            self._slots.setdefault(slot, set()).discard(rule.id)

        self._rules[rule.id] = rule
        for slot in _slots_of(rule):
            self._slots.setdefault(slot, set()).add(rule.id)


def _widened_by(rule: Rule, examples: Sequence[Example]) -> Rule | None:
    """Return a learned rule made wide enough for new examples; None if that is no rule.

    For a rule that a person allows, return a new one that begins with the new examples.
    """
    if rule.provenance != "extracted" or rule.widened or not rule.examples:
        return None

    together = (*rule.examples, *examples)
    if rule.allowed:
        # The first example is a part of the id.
        together = (*examples, *rule.examples)

    together = tuple(dict.fromkeys(together))
    diagnostic = diagnostic_of(rule, together[0])
    made = learn_from(together, diagnostic, rule.target, model=rule.model)
    if isinstance(made, NotLearned):
        return None

    if not all(explains(made, example) for example in rule.counter_examples):
        return None

    if rule.safe and not made.safe:
        # A wider rule that is only a hint must not replace a narrow one that is certain.
        return None

    if rule.allowed:
        return replace(made, counter_examples=rule.counter_examples)

    return replace(
        rule,
        rewrite=made.rewrite,
        imports=made.imports,
        values=made.values,
        safe=rule.safe or made.safe,
        uncommented=made.uncommented,
        examples=together,
    )


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


def confidence_of(rule: Rule) -> float:
    """Return how sure a rule is: the examples that it was made of count as successes."""
    return round(wilson(rule.helped + len(rule.examples), rule.failed), 6)


def confidence_of_file(rule: Rule) -> float:
    """Return how sure a rule is by its file alone, without what this machine has counted."""
    return round(wilson(len(rule.examples), 0), 6)


def rank_of(rule: Rule) -> Rank:
    """Return the sort key of a rule; the largest wins. The id makes the order total."""
    return rule.approved or rule.provenance == "manual", rule.pinned, confidence_of(rule), rule.id


def with_verdict(rule: Rule, verdict: LearnVerdict) -> Rule:
    """Return a rule with a user's verdict applied."""
    match verdict:
        case "approve":
            # A second approval changes nothing.
            status = rule.status if rule.pinned else "active"
            return replace(rule, status=status, approved=True, safe=True)
        case "reject":
            return replace(rule, status="rejected")
        case "pin":
            return replace(rule, status="pinned", safe=True)
        case "unpin":
            return replace(rule, status="active") if rule.pinned else rule
        case "demote":
            return replace(rule, status="demoted")
        case "widen":
            return widened(rule)
        case _:
            assert_never(verdict)


def _with_verdict_of(found: Rule, rule: Rule) -> Rule:
    """Return a rule with the verdict on another text of it; a verdict of its own stays."""
    if rule.approved:
        return rule

    if rule.status != "active":
        return rule

    if found.status == "proposed":
        return rule

    judged = replace(rule, status=found.status, approved=found.approved)
    # An approval and a pin make a hint a rule that is applied.
    if found.approved or found.pinned:
        return replace(judged, safe=rule.safe or found.safe)

    return judged


def widened(rule: Rule) -> Rule:
    """Return a rule for operands of any kind and any name in the message.

    Names that the fix itself contains stay as they are.
    """
    made = rule.rewrite
    is_open = made is not None and "$" in made.pattern.strip("$")
    if is_open and isinstance(made, TreeRewrite | TokenRewrite):
        made = replace(made, kinds={})

    if isinstance(made, TreeRewrite):
        made = replace(made, uses={}, mentions={})

    values = {} if made is not None else rule.values
    return replace(
        rule,
        rewrite=made,
        values=values,
        widened=True,
        approved=True,
        uncommented=False,
        safe=True,
    )


def read_book(
    files: RuleFiles, builtin: Iterable[Rule] = (), counters: RuleCounters | None = None
) -> RuleBook:
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
            problems.append(f"rules/{name}.yaml: {error}; {error.cure} or remove the file.")
            continue

        if f"{rule.target}/{rule.id}" != name:
            problems.append(
                f"rules/{name}.yaml: it contains the rule {rule.target}/{rule.id};"
                " rename or remove the file."
            )
            continue

        own[rule.id] = rule

    rules = {rule.id: rule for rule in builtin}
    rules.update(own)
    book = RuleBook(rules.values(), files, counters)
    book.problems = tuple(problems)
    return book


def _slots_of(rule: Rule) -> list[_Slot]:
    if not rule.values:
        return [(rule.key, -1, "")]

    first = min(rule.values)
    values = rule.values[first]
    # With such a sign, it depends on the program what fits.
    if not set("<_").isdisjoint("".join(values)):
        return [(rule.key, -1, "")]

    return [(rule.key, first, _unspaced(value)) for value in values]


def _unspaced(text: str) -> str:
    """Return a type without blanks: a compiler writes `int *`, and a common type is `int*`."""
    return "".join(text.split())
