"""A rule: the diagnostic that it answers, the code that it fits, and what it writes there."""

from __future__ import annotations

import re
from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.syntax.tokens import COMMON
from holdfast.vocab.diagnostics import Area, Diagnostic, Target
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

Provenance: TypeAlias = Literal["builtin", "extracted", "manual", "model"]
Status: TypeAlias = Literal["proposed", "active", "pinned", "demoted", "rejected"]
Key: TypeAlias = tuple[str, str, str, str]

HOLE = lazy_pattern(r"\$(?:\$\$)?([A-Z_][A-Z0-9_]*)")
"""A hole in a pattern or in a fix.

`$ARG0` is the first name in the message. `$$$A` is any number of nodes, with the blanks around.
"""
END_OF_LINE = "EOL"
"""The hole of a token pattern that stands for the end of a line."""


@dataclass(frozen=True, slots=True)
class TreeRewrite:
    """A rewrite of one node of the syntax tree, in the notation of ast-grep.

    `kinds` has the node kinds that a hole may stand for; a hole without an entry may be any node.
    `inside` has the kinds that the parent of the node may have; empty, it may be any. With
    `elsewhere` the node is not at the diagnostic: it is the only one in the file that fits. `uses`
    has how the function around may use a variable in a hole; `mentions` has the holes whose text
    must be a part of a hole. `needs` has texts that the program must have elsewhere already. `kind`
    is the node kind of a pattern that could also be read as another: `$A: $B` is a parameter or a
    variable.
    """

    pattern: str
    fix: str
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    uses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    mentions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inside: tuple[str, ...] = ()
    elsewhere: bool = False
    needs: tuple[str, ...] = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class TokenRewrite:
    """A rewrite of neighbouring tokens, for a text that does not parse.

    `kinds` has the token kinds (name, number, string, …) of the holes. `inside` names the construct
    around the place: a keyword that begins the line, or an open bracket with what is before it.
    """

    pattern: str
    fix: str
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    inside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HeaderRewrite:
    """Words that are added to the header of a function or a type, whatever else is in it.

    `pattern` is the kind of the node, `fix` the words, `place` where they go. It is the node around
    the diagnostic; with `named`, the only one that the message names, or the code that the message
    is about. `inside` has the kinds that may be around a function without a name.
    """

    pattern: str
    fix: str
    place: str
    named: bool = False
    inside: tuple[str, ...] = ()

    @property
    def kinds(self) -> Mapping[str, tuple[str, ...]]:
        """The kinds of its holes: there are none."""
        return {}


Rewrite: TypeAlias = TreeRewrite | TokenRewrite | HeaderRewrite


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

    `values` has the values that a name in the message may have, by its number. `imports` are lines
    for the import block. A rule that is not `safe` is applied only if the user allows it.
    `widened` means that a person has freed what one example cannot free. An `uncommented` rule is
    only for code without a comment about it, apart from the comments of its examples. `helped` and
    `failed` count how often the result was accepted and refused; they are not part of the file.
    """

    id: str
    target: Target
    tool: str
    code: str
    template: str
    rewrite: Rewrite | None = None
    imports: tuple[str, ...] = ()
    values: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    safe: bool = True
    provenance: Provenance = "extracted"
    status: Status = "active"
    approved: bool = False
    widened: bool = False
    uncommented: bool = False
    examples: tuple[Example, ...] = ()
    counter_examples: tuple[Example, ...] = ()
    model: str = ""
    helped: int = 0
    failed: int = 0

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
        if self.status not in {"active", "pinned"}:
            return False

        return not self.fails_too_often

    @property
    def fails_too_often(self) -> bool:
        """Whether the rule failed more often than it helped; a pinned rule is kept.

        The program from which it was learned counts as one success.
        """
        if self.pinned:
            return False

        return self.failed > max(self.helped, 1)

    @property
    def reviewed(self) -> bool:
        """Whether a person has judged the rule, or written it."""
        if self.provenance in {"builtin", "manual"}:
            return True

        if self.approved:
            return True

        return self.status in {"pinned", "rejected"}

    @property
    def disabled(self) -> bool:
        """Whether a person has said that the rule must not be applied."""
        return self.status in {"demoted", "rejected"}

    @property
    def allowed(self) -> bool:
        """Whether a person has judged the rule, or written it, and lets it be applied."""
        return self.reviewed and self.status in {"active", "pinned"}


def example_of(before: str, after: str | None, diagnostic: Diagnostic) -> Example:
    """Return an example made of two texts and the diagnostic about the first."""
    return Example(before, after, diagnostic.message, diagnostic.args, diagnostic.area)


def diagnostic_of(rule: Rule, example: Example) -> Diagnostic:
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


def fill(template: str, texts: Mapping[str, str]) -> str:
    """Return a template with its holes filled; a hole without a text stays as it is."""
    return HOLE.sub(lambda found: texts.get(found[1], found[0]), template)


def argument_texts(args: tuple[str, ...]) -> dict[str, str]:
    """Return the texts of the holes that the message fills."""
    return {f"ARG{number}": text for number, text in enumerate(args)}


def plain_type(text: str) -> str:
    """Return a type of a message without `const` and the like, which no fix depends on.

    >>> plain_type("const std::string&"), plain_type("struct item")
    ('std::string', 'item')
    """
    return _QUALIFIERS.sub("", text).rstrip(" &")


def value_in(text: str, program: str, line: str = "") -> str:
    """Return how a program knows a type: `<struct>` if the program itself declares that struct.

    Of a text with several words, those that are also in `line` are `_`: names, not types.

    >>> value_in("struct point", "struct point { int x; };"), value_in("int", "int f(void);")
    ('<struct>', 'int')
    >>> value_in("char [80]", ""), value_in("vec<row>", "", "row = 1"), value_in("3", "")
    ('char [0]', 'vec<_>', '3')
    """
    plain = plain_type(text)
    names = set(re.findall(r"\w+", line)) - COMMON
    if plain.isdigit():
        # How many arguments, or which one.
        return plain

    if re.fullmatch(r"\w+", plain):
        names = set()

    known = re.sub(r"\w+", lambda found: _known_word(found, program, names), plain)
    # A type within a type of the program: `Weather.Day`.
    return re.sub(r"<\w+>(?:\.|::)(?=<)", "", known)


def _known_word(found_word: re.Match[str], program: str, names: set[str]) -> str:
    word = found_word[0]
    if word.isdigit():
        return "0"

    if word in names and not found_word.string.startswith(("::", "<"), found_word.end()):
        return "_"

    # Before a function: a constructor looks like one.
    record = rf"\btypedef\s+({_DECLARING})\b[^;{{]*\{{[^}}]*\}}\s*{word}\s*;"
    found = (
        re.search(rf"\b({_DECLARING})\s+{word}\b", program)
        or re.search(record, program)
        or re.search(rf"\btype\s+{word}\s+(struct|interface)\b", program)
    )
    if found is not None:
        return f"<{found[1]}>"

    if re.search(_FUNCTION.format(word), program):
        return "<function>"

    return word


_DECLARING = "class|struct|enum|interface|trait|union|record"
_FUNCTION = (
    r"\b(?:def|fn|func|function|(?!return\b)[\w>\]]+[\s&*]+){}"
    r"\s*\([^;{{}}]*\)[^;(){{}}]*[{{:]"
)
"""How a program declares a function of its own."""
_QUALIFIERS = lazy_pattern(r"\b(?:const|class|struct|volatile)\s+")
