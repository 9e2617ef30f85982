"""A rule: which complaint it answers, where it fits, and what is rewritten there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from holdfast.vocab.diagnostics import Area, Diagnostic, Target

Provenance: TypeAlias = Literal["builtin", "extracted", "manual"]
Status: TypeAlias = Literal["proposed", "active", "pinned", "demoted", "rejected"]
PieceSide: TypeAlias = Literal["start", "end", "gap_before", "gap_after", "line"]
"""A side of a piece of text; a gap is the blank text up to the neighbouring token, `line` where the line begins."""
PatternPlace: TypeAlias = Literal["at", "elsewhere", "tokens", "marks", "lines"]
Spot: TypeAlias = Literal["whole", "start", "inside", "end"]
Key: TypeAlias = tuple[str, str, str, str]

# ------------------------------------------------------------------------------------------------------- what must fit


@dataclass(frozen=True, slots=True)
class PatternPiece:
    """One element of a pattern: a node of a syntax tree, or one token of a line.

    `text` is a constant, `arg` a hole for an argument of the message, `rest` any run of siblings, `children` a node
    that is looked into. With none of them it is a variable: whatever is of one of the `kinds`. Of these some are no
    grammar's: `*` is any, `character` what a string of one character holds, `from:…` where a name must come from.
    """

    kinds: tuple[str, ...] = ()
    text: str | None = None
    arg: int | None = None
    rest: bool = False
    children: tuple[PatternPiece, ...] | None = None


@dataclass(frozen=True, slots=True)
class RulePattern:
    """Where a rule fits.

    `at`: the tree's node around the diagnostic's position, which stands at `spot` of the piece with that number.
    `elsewhere`: the one node of the file that holds the message's names. `tokens`: the text has no tree worth the name,
    and each edit brings its own context. `marks`: the same, with each quote and comment sign a token of its own.
    `lines`: whole lines are added; `tree` may say what stands at the position.
    """

    place: PatternPlace
    tree: PatternPiece | None = None
    spot: tuple[int, Spot] | None = None


# --------------------------------------------------------------------------------------------------- what is rewritten


@dataclass(frozen=True, slots=True)
class Hole:
    """A part of the new text.

    It is an argument of the new message, the last name in one (`tail`: `Map` of `java.util.Map`), what a piece of the
    pattern has matched, or (`indent`) blanks: those that a splice's line begins with, in an edit of tokens those of
    the line of code before.
    """

    of: Literal["arg", "tail", "piece", "indent"]
    number: int = 0
    """Of an `indent` 1 is that of the line of the token after, for what ends a block."""


TextPart: TypeAlias = str | Hole


@dataclass(frozen=True, slots=True)
class RuleSplice:
    """Between two sides of pieces the text becomes `parts`; with `lines` the whole lines there are taken out."""

    start: tuple[int, PieceSide]
    end: tuple[int, PieceSide]
    parts: tuple[TextPart, ...]
    lines: bool = False


@dataclass(frozen=True, slots=True)
class TokenEdit:
    """Some tokens become `parts`.

    `anchors` are the ways to find the place that the examples agree on; the first one counts. `removed` are the tokens
    there, `before` and `after` the context. `sides` say how much of the blank text around them is replaced too: from
    the token before (`gap_before`), the beginning of the line, or the first removed one (`start`; if none is removed,
    the one after); to the last removed one (`end`; if none, the one before), or the token after (`gap_after`). From
    `line` to `line` they are the whole lines; if none is removed, new ones below the token before.
    """

    anchors: tuple[str, ...]
    removed: tuple[PatternPiece, ...]
    parts: tuple[TextPart, ...]
    before: PatternPiece
    after: PatternPiece
    sides: tuple[PieceSide, PieceSide]


@dataclass(frozen=True, slots=True)
class AddImport:
    """A line for the import block; `places` as in `TokenEdit.anchors`.

    Without a block `blank` lines are to follow; None: as many as is usual above what comes then.
    """

    parts: tuple[TextPart, ...]
    places: tuple[str, ...]
    blank: int | None = 1


@dataclass(frozen=True, slots=True)
class AddLines:
    """Lines before or after the diagnostic's line, or first in the body around it, indented as it is there."""

    parts: tuple[TextPart, ...]
    place: Literal["before", "after", "body"]


FixEdit: TypeAlias = RuleSplice | TokenEdit | AddImport | AddLines

# ------------------------------------------------------------------------------------------------------------ the rule


@dataclass(frozen=True, slots=True)
class Example:
    """A text, the complaint about it, and what the rule makes of it; `after` None: it must leave this alone."""

    before: str
    after: str | None
    message: str
    args: tuple[str, ...]
    area: Area | None


@dataclass(frozen=True, slots=True)
class Rule:
    """A fix for one kind of complaint.

    `constants` holds, for an argument that the fix depends on without using it, the values it was seen with.
    `applied` counts how often it helped, `failed` how often its text was refused. `created` is the caller's counter or
    date. `confidence` is the lower bound of its record.
    """

    id: str
    target: Target
    tool: str
    code: str
    template: str
    node_kind: str
    pattern: RulePattern
    fix: tuple[FixEdit, ...]
    constants: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    provenance: Provenance = "extracted"
    status: Status = "active"
    confidence: float = 0.0
    priority: int = 0
    examples: tuple[Example, ...] = ()
    counter_examples: tuple[Example, ...] = ()
    applied: int = 0
    failed: int = 0
    created: str = ""

    @property
    def key(self) -> Key:
        """What it is looked up by."""
        return self.target, self.tool, self.code, self.template

    @property
    def pinned(self) -> bool:
        """Whether somebody has pinned it."""
        return self.status == "pinned"

    @property
    def in_force(self) -> bool:
        """Whether it may be applied at all."""
        return self.status in {"active", "pinned"}

    @property
    def reviewed(self) -> bool:
        """Whether somebody has judged it: it came with holdfast, was written by hand, approved, pinned or rejected."""
        return (
            self.provenance != "extracted"
            or self.priority > 0
            or self.status in {"pinned", "rejected"}
        )


def example_of(before: str, after: str | None, diagnostic: Diagnostic) -> Example:
    """Make an example of a pair and the complaint."""
    return Example(before, after, diagnostic.message, diagnostic.args, diagnostic.area)


def complaint_of(rule: Rule, example: Example) -> Diagnostic:
    """Give the diagnostic that an example of a rule is about."""
    return Diagnostic(
        tool=rule.tool,
        tool_version="",
        code=rule.code,
        severity="error",
        message=example.message,
        template=rule.template,
        args=example.args,
        path="",
        area=example.area,
    )
