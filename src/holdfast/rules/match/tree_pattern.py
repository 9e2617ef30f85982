"""Match an ast-grep pattern against the syntax tree of a text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from holdfast.rules.match.context import uses_of
from holdfast.rules.match.node_classes import (
    construct_around,
    fits_kind,
    is_callee_or_member,
    kind_around,
    node_kinds,
)
from holdfast.rules.rule import HOLE, TreeRewrite, argument_texts
from holdfast.syntax.source import ParsedSource
from holdfast.syntax.tree import MOST_CHARACTERS, all_nodes, span_of
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ast_grep_py import SgNode

_PLAIN: Final = ("{}", "{};")
_FRAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "python": ("{}", "def q():\n {}", "class Q:\n {}", "x = {}", "def q({}): pass"),
    "c": ("void q(void) {{ {}; }}", "{}", "struct Q {{ {} }};", "void q({});"),
    "cpp": ("void q() {{ {}; }}", "{}", "struct Q {{ {} }};", "void q({});"),
    "rust": ("fn q() {{ {}; }}", "fn q() {{ {} }}", "{}", "impl Q {{ {} }}", "fn q({}) {{}}"),
    "java": (
        "class Q {{ void q() {{ {}; }} }}",
        "class Q {{ {} }}",
        "class Q {{ void q() {{ x = {}; }} }}",
        "{}",
    ),
    "go": ("func q() {{ {} }}", "{}"),
    "javascript": (*_PLAIN, "x = {}", "class Q {{ {} }}", "async function q() {{ {} }}"),
    "typescript": (*_PLAIN, "x = {}", "class Q {{ {} }}", "function q({}) {{}}", "let x: {};"),
}
"""The code around a pattern that makes it parse, by language."""
_STATEMENT_END: Final = {"c": ";", "cpp": ";", "java": ";"}
_VARIABLE: Final = "zz"
_BODY: Final = lazy_pattern(r"\)[^;()]*\{")
"""What follows the parameters of a function."""


@dataclass(frozen=True, slots=True)
class TreeMatch:
    """A node that fits a pattern: its offsets, and the texts of the holes."""

    start: int
    end: int
    texts: Mapping[str, str]

    def covers(self, start: int, end: int) -> bool:
        """Return whether a span that begins in the node ends there, too."""
        if not self.start <= start <= self.end:
            return False

        return end <= self.end


def find_matches(
    rewrite: TreeRewrite, source: ParsedSource, args: tuple[str, ...]
) -> list[TreeMatch]:
    """Return all nodes that fit a pattern; the holes of the message must have its `args`."""
    root = source.root
    if root is None:
        return []

    if len(source.text) > MOST_CHARACTERS:
        return []

    alone = HOLE.fullmatch(rewrite.pattern)
    if alone is not None:
        return _nodes_of_kinds(alone[1], rewrite, source, args)

    frame = _frame_of(rewrite.pattern, source.language, rewrite.kind)
    if frame is None:
        return []

    context, kind = frame
    config: Any = {"rule": {"pattern": {"context": context, "selector": kind, "strictness": "cst"}}}
    if rewrite.pattern.isidentifier():
        # The first name in the frame may be that of the frame.
        config = {"rule": {"kind": kind, "regex": f"^{rewrite.pattern}$"}}

    found: list[TreeMatch] = []
    for node in root.find_all(config):
        if not _is_inside(node, rewrite.inside):
            continue

        texts = _texts_of_holes(node, rewrite, source, args)
        if texts is not None:
            found.append(TreeMatch(*span_of(node), texts))

    return found


def _nodes_of_kinds(
    name: str, rewrite: TreeRewrite, source: ParsedSource, args: tuple[str, ...]
) -> list[TreeMatch]:
    """Return the nodes that fit a pattern that is only a hole."""
    found: list[TreeMatch] = []
    kinds = rewrite.kinds.get(name, ())
    is_converted = not name.startswith("ARG")
    for kind in node_kinds(kinds, is_named=not is_converted):
        for node in source.find(kind):
            if not fits_kind(node, kinds):
                continue

            if is_converted and is_callee_or_member(node):
                continue

            texts = {name: node.text()}
            if not _is_inside(node, rewrite.inside):
                continue

            if not _names_agree(texts, rewrite, args):
                continue

            if _has_context(name, node.text(), node, rewrite, source):
                found.append(TreeMatch(*span_of(node), texts))

    return found


def _is_inside(node: SgNode, kinds: tuple[str, ...]) -> bool:
    around = kind_around(node), construct_around(node)
    if not kinds:
        return True

    return not set(kinds).isdisjoint(around)


def _texts_of_holes(
    node: SgNode, rewrite: TreeRewrite, source: ParsedSource, args: tuple[str, ...]
) -> dict[str, str] | None:
    texts: dict[str, str] = {}
    for hole in HOLE.finditer(rewrite.pattern):
        name = hole[1]
        text = _text_of_hole(node, hole, rewrite, source)
        if text is None:
            return None

        if not _has_context(name, text, node, rewrite, source):
            return None

        texts[name] = text

    if _names_agree(texts, rewrite, args):
        return texts

    return None


def _names_agree(texts: Mapping[str, str], rewrite: TreeRewrite, args: tuple[str, ...]) -> bool:
    """Return whether holes have the names of the message, or have them in them."""
    known = argument_texts(args)
    named = {name: text for name, text in texts.items() if name.startswith("ARG")}
    if not named.items() <= known.items():
        return False

    known.update(texts)
    for name, mentioned in rewrite.mentions.items():
        words = re.findall(r"\w+", known.get(name, ""))
        if not set(map(known.get, mentioned)).issubset(words):
            return False

    return True


def _text_of_hole(
    node: SgNode, hole: re.Match[str], rewrite: TreeRewrite, source: ParsedSource
) -> str | None:
    name = hole[1]
    if hole[0].startswith("$$$"):
        return _text_of_run(node.get_multiple_matches(name), source)

    return _text_of_node(node.get_match(name), rewrite.kinds.get(name))


def _has_context(
    name: str, text: str, node: SgNode, rewrite: TreeRewrite, source: ParsedSource
) -> bool:
    """Return whether a variable is used as a rule asks for."""
    uses = rewrite.uses.get(name)
    return uses is None or set(uses).issuperset(uses_of(source, text, *span_of(node)))


def _text_of_node(node: SgNode | None, kinds: tuple[str, ...] | None) -> str | None:
    if node is None:
        return None

    if kinds and not fits_kind(node, kinds):
        return None

    return node.text()


def _text_of_run(nodes: list[SgNode], source: ParsedSource) -> str:
    """Return the text of neighbouring nodes, with the blanks around them."""
    if not nodes:
        return ""

    start, _ = span_of(nodes[0])
    _, end = span_of(nodes[-1])
    return source.text[source.gap_before(start) : source.gap_after(end)]


def kind_of_pattern(pattern: str, language: str, wanted: str = "") -> str | None:
    """Return the kind of the node that a pattern describes; None if the pattern does not parse.

    With `wanted`, a pattern that may be of several kinds is of that kind, or None.
    """
    frame = _frame_of(pattern, language, wanted)
    if frame is None:
        return None

    return frame[1]


@lru_cache(maxsize=4096)
def _frame_of(pattern: str, language: str, wanted: str = "") -> tuple[str, str] | None:
    """Return a text with the pattern in it, and the kind of the node that is the pattern."""
    code = HOLE.sub(lambda found: _sample_code(found, language), pattern)
    for frame in _FRAMES.get(language, _PLAIN):
        framed = frame.format(code)
        kind = _kind_at(framed, framed.index(code), len(code), language)
        if kind is not None and wanted in {"", kind}:
            return frame.format(pattern), kind

    return None


def _sample_code(hole: re.Match[str], language: str) -> str:
    """Return code that may be where a hole is: a name, or a statement in a block."""
    name = f"{_VARIABLE}{hole[1]}"
    before = hole.string[: hole.start()].rstrip()
    after = hole.string[hole.end() :]
    if hole[0].startswith("$$$") and before.endswith("{"):
        # A list of statements.
        return name + _STATEMENT_END.get(language, "")

    if language == "java" and before.endswith("(") and _BODY.match(after):
        # A list of parameters.
        return f"int {name}"

    return name


def _kind_at(text: str, start: int, length: int, language: str) -> str | None:
    """Return the kind of the innermost node with exactly this span."""
    root = ParsedSource(text, language).root
    if root is None:
        return None

    if root.find_all(kind="ERROR"):
        return None

    kind = None
    for node in all_nodes(root):
        # `f(x)` alone is a statement around a call: the pattern means the call.
        if span_of(node) == (start, start + length) and node.is_named():
            kind = node.kind()

    return kind
