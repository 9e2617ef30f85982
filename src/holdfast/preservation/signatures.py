"""How a function is called: its parameters by position and by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ast_grep_py import SgNode

_MANY: Final = 1_000
_REST: Final = frozenset(
    {
        "list_splat_pattern",
        "rest_pattern",
        "variadic_parameter",
        "spread_parameter",
        "variadic_parameter_declaration",
        "optional_variadic_parameter",
    }
)
_DEFAULTS: Final = frozenset(
    {
        "default_parameter",
        "typed_default_parameter",
        "optional_parameter",
        "optional_parameter_declaration",
        "assignment_pattern",
    }
)
_MARKS: Final = frozenset(
    {"keyword_separator", "positional_separator", "comment", "line_comment", "block_comment"}
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter."""

    name: str
    optional: bool
    by_name_only: bool = False


@dataclass(frozen=True, slots=True)
class FunctionSignature:
    """All parameters of a function.

    `most` is how many arguments a call can pass by position; `results` is how many values a Go
    function returns.
    """

    taken: tuple[Parameter, ...]
    more: bool = False
    more_by_name: bool = False
    results: int = 0

    @property
    def by_place(self) -> tuple[Parameter, ...]:
        """The parameters that a call passes by position."""
        return tuple(each for each in self.taken if not each.by_name_only)

    @property
    def least(self) -> int:
        """How many arguments a call must pass by position."""
        return sum(1 for each in self.by_place if not each.optional)

    @property
    def most(self) -> int:
        """How many arguments a call can pass by position."""
        return _MANY if self.more else len(self.by_place)


def still_callable(old: FunctionSignature, new: FunctionSignature) -> bool:
    """Return whether every valid call, by number and by required names, is still valid."""
    if new.least > old.least or new.most < old.most:
        return False
    names = {each.name for each in new.taken}
    kept = all(each.name in names or new.more_by_name for each in old.taken if each.by_name_only)
    known = {each.name for each in old.taken}
    asks_more = any(
        each.by_name_only and not each.optional and each.name not in known for each in new.taken
    )
    had = {each.name: each for each in old.taken}
    asks_again = any(
        each.by_name_only and not each.optional and had[each.name].optional
        for each in new.taken
        if each.name in had
    )
    return kept and not asks_more and not asks_again


def renamed(old: FunctionSignature, new: FunctionSignature) -> list[tuple[str, str]]:
    """Return the old and new names of the parameters renamed at the same position."""
    pairs = zip(old.by_place, new.by_place, strict=False)
    return [(one.name, other.name) for one, other in pairs if one.name != other.name]


def signature_of(node: SgNode, language: str) -> FunctionSignature | None:
    """Return the signature of a function; None if it cannot be parsed."""
    listed = _listed(node)
    if (
        listed is None
        or listed.find(kind="ERROR") is not None
        or listed.find(regex="^$") is not None
    ):
        return None
    if listed.kind() == "identifier":  # x => x
        return FunctionSignature((Parameter(listed.text(), optional=False),))
    taken: list[Parameter] = []
    more = more_by_name = by_name_only = False
    for each in listed.named_children():
        kind = each.kind()
        inner = each.named_children()
        if kind == "keyword_separator":
            by_name_only = True
        elif kind == "dictionary_splat_pattern" or (
            inner and inner[0].kind() == "dictionary_splat_pattern"
        ):
            more_by_name = True
        elif kind in _REST or (inner and inner[0].kind() in _REST):
            more = by_name_only = True
        elif kind not in _MARKS and not _is_void(each):
            taken += _read(each, language, by_name_only=by_name_only)
    # Only Python has parameters that are passed by name alone.
    if language != "python":
        taken = [Parameter(each.name, each.optional) for each in taken]
    more = more or any(child.text() == "..." for child in listed.children())
    return FunctionSignature(
        tuple(taken), more, more_by_name, _results(node) if language == "go" else 0
    )


def _listed(node: SgNode) -> SgNode | None:
    direct = node.field("parameters") or node.field("parameter")
    inner = node.field("declarator")
    while direct is None and inner is not None:
        direct = inner.field("parameters")
        inner = inner.field("declarator") or next(
            (child for child in inner.named_children() if "declarator" in child.kind()), None
        )
    return direct


def _read(node: SgNode, language: str, *, by_name_only: bool) -> list[Parameter]:
    optional = (
        node.kind() in _DEFAULTS
        or node.field("value") is not None
        or node.field("default_value") is not None
    )
    if language == "go":
        names = [child.text() for child in node.named_children() if child.kind() == "identifier"]
        return [Parameter(name, optional=False) for name in names or ["_"]]
    return [Parameter(_name(node), optional, by_name_only)]


def _name(node: SgNode) -> str:
    if node.kind() in {"identifier", "self_parameter", "self"}:
        return node.text().lstrip("&").removeprefix("mut ").strip()
    found = node.field("name") or node.field("pattern") or node.field("left")
    if found is None:
        found = node.find(kind="identifier")
    return found.text() if found is not None else ""


def _is_void(node: SgNode) -> bool:
    return node.kind() == "parameter_declaration" and node.text() == "void"


def _results(node: SgNode) -> int:
    result = node.field("result")
    if result is None:
        return 0
    if result.kind() != "parameter_list":
        return 1
    return sum(len(_read(each, "go", by_name_only=False)) for each in result.named_children())
