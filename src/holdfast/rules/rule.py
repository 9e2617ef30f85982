"""A rule: the diagnostic it answers, where its pattern fits, and what it rewrites there."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.vocab.diagnostics import Area, Diagnostic, Target
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

Provenance: TypeAlias = Literal["builtin", "extracted", "manual"]
Status: TypeAlias = Literal["proposed", "active", "pinned", "demoted", "rejected"]
PieceSide: TypeAlias = Literal["start", "end", "gap_before", "gap_after", "line"]
"""A side of a piece of text.

A gap is the blank text up to the neighbouring token; `line` is the start of the line.
"""
PatternPlace: TypeAlias = Literal["at", "elsewhere", "tokens", "marks", "lines"]
Spot: TypeAlias = Literal["whole", "start", "inside", "end"]
Key: TypeAlias = tuple[str, str, str, str]

# ----------------------------------------------------------------------------- the pattern


@dataclass(frozen=True, slots=True)
class PatternPiece:
    """One element of a pattern: a node of a syntax tree, or one token of a line.

    `text` is a constant, `arg` the number of an argument of the message, `rest` any run of
    siblings, `children` the patterns of the node's children. A piece with none of them is a
    variable and matches any node of one of the `kinds`. Some kinds belong to no grammar: `*` is any
    kind, `character` the content of a string of one character, `from:…` the place that a name must
    come from.
    """

    kinds: tuple[str, ...] = ()
    text: str | None = None
    arg: int | None = None
    rest: bool = False
    children: tuple[PatternPiece, ...] | None = None


@dataclass(frozen=True, slots=True)
class RulePattern:
    """Where a rule fits.

    `at`: the node of the tree around the position of the diagnostic; the position is at `spot` of
    the piece with that number. `elsewhere`: the only node of the file that contains the names of
    the message. `tokens`: the text does not parse, and each edit has its own context. `marks`: the
    same, with each quote and comment sign a token of its own. `lines`: whole lines are added;
    `tree` may describe the code at the position.
    """

    place: PatternPlace
    tree: PatternPiece | None = None
    spot: tuple[int, Spot] | None = None


# --------------------------------------------------------------------------------- the fix


@dataclass(frozen=True, slots=True)
class Hole:
    """A part of the new text that is filled in when the rule is applied.

    The text is an argument of the message, the last name in an argument (`tail`: `Map` of
    `java.util.Map`), the text matched by a piece of the pattern, or an indentation (`indent`): that
    of the line of a splice, or for an edit of tokens that of the previous line of code.
    """

    of: Literal["arg", "tail", "piece", "indent"]
    number: int = 0
    """For `indent`, 1 is the indentation of the line of the next token, which ends a block."""


TextPart: TypeAlias = str | Hole


@dataclass(frozen=True, slots=True)
class RuleSplice:
    """A replacement of the text between two sides of pieces by `parts`.

    With `lines` the whole lines between them are removed.
    """

    start: tuple[int, PieceSide]
    end: tuple[int, PieceSide]
    parts: tuple[TextPart, ...]
    lines: bool = False


@dataclass(frozen=True, slots=True)
class TokenEdit:
    """A replacement of some tokens by `parts`.

    `anchors` are the ways to find the place on which all examples agree; the first of them is used.
    `removed` are the tokens at that place, `before` and `after` its context. `sides` define how
    much of the blank text around is replaced too. The start is the end of the token before
    (`gap_before`), the start of the line (`line`), or the first removed token (`start`; if none is
    removed, the token after). The end is the last removed token (`end`; if none, the token before)
    or the token after (`gap_after`). From `line` to `line` whole lines are replaced; if none is
    removed, new lines are added below the token before.
    """

    anchors: tuple[str, ...]
    removed: tuple[PatternPiece, ...]
    parts: tuple[TextPart, ...]
    before: PatternPiece
    after: PatternPiece
    sides: tuple[PieceSide, PieceSide]


@dataclass(frozen=True, slots=True)
class AddImport:
    """A line added to the import block; `places` are like `TokenEdit.anchors`.

    Without an import block, `blank` lines follow; None for the number usual above the code there.
    """

    parts: tuple[TextPart, ...]
    places: tuple[str, ...]
    blank: int | None = 1


@dataclass(frozen=True, slots=True)
class AddLines:
    """Lines added before or after the line of the diagnostic, or first in the body around it.

    They are indented like the code there.
    """

    parts: tuple[TextPart, ...]
    place: Literal["before", "after", "body"]


FixEdit: TypeAlias = RuleSplice | TokenEdit | AddImport | AddLines

# -------------------------------------------------------------------------------- the rule


@dataclass(frozen=True, slots=True)
class Example:
    """A text, the diagnostic about it, and the text that the rule makes of it.

    With `after` None, the rule must not change the text.
    """

    before: str
    after: str | None
    message: str
    args: tuple[str, ...]
    area: Area | None


@dataclass(frozen=True, slots=True)
class Rule:
    """A fix for one kind of diagnostic.

    `constants` has the allowed values of each argument on which the fix depends without using it.
    `applied` counts how often the rule helped, `failed` how often its result was refused. `created`
    is a counter or a date of the caller. `confidence` is the lower bound of the rate of success.
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
        """The key under which the rule is indexed."""
        return self.target, self.tool, self.code, self.template

    @property
    def pinned(self) -> bool:
        """Whether a user has pinned the rule."""
        return self.status == "pinned"

    @property
    def in_force(self) -> bool:
        """Whether the rule may be applied."""
        return self.status in {"active", "pinned"}

    @property
    def reviewed(self) -> bool:
        """Whether a person has judged the rule.

        That is so if it is built in, written by hand, approved, pinned or rejected.
        """
        return (
            self.provenance != "extracted"
            or self.priority > 0
            or self.status in {"pinned", "rejected"}
        )


def example_of(before: str, after: str | None, diagnostic: Diagnostic) -> Example:
    """Return an example made of two texts and the diagnostic about the first."""
    return Example(before, after, diagnostic.message, diagnostic.args, diagnostic.area)


def complaint_of(rule: Rule, example: Example) -> Diagnostic:
    """Return the diagnostic that an example of a rule is about."""
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
