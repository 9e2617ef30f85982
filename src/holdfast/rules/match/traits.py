"""The traits of a place that a fix depends on: one that no example has makes a rule uncertain.

A rule is learned from places with certain traits: a loop around, a variable that is set later, a
function of the program that is called. Each row of `TRAITS` finds the values of one trait. A place
with a value that no example has may need another fix, and is left alone.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, get_args

from holdfast.rules.match.destination import (
    constants_in,
    form_of_result,
    is_overwritten,
    is_result_dropped,
    kind_beside,
    other_calls,
    passed_functions,
    uses_of_target,
)
from holdfast.rules.match.own_functions import functions_at, guarded_calls, has_own_conversion
from holdfast.rules.match.surroundings import (
    NewContent,
    Surroundings,
    has_copy_before,
    is_in_idle_loop,
    surroundings_of,
)
from holdfast.rules.match.token_pattern import operators_after
from holdfast.rules.rule import TreeRewrite
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holdfast.rules.rule import Rewrite
    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic


class Site:
    """A place that a rule fits, in a program or in an example.

    `span` is the span of the pattern, `changed` that of what changes; `holes` has the texts of
    the holes.
    """

    def __init__(
        self,
        rewrite: Rewrite,
        source: ParsedSource,
        diagnostic: Diagnostic,
        *,
        span: tuple[int, int],
        changed: tuple[int, int],
        holes: Mapping[str, str],
    ) -> None:
        """Note where a rewrite fits."""
        self.rewrite = rewrite
        self.source = source
        self.diagnostic = diagnostic
        self.span = span
        self.start, self.end = changed
        self.holes = holes

    @cached_property
    def around(self) -> Surroundings:
        """The function around the place."""
        return surroundings_of(self.source, self.span, self.holes)


def _if(name: str, *, holds: bool) -> frozenset[str]:
    return frozenset({name}) if holds else frozenset()


def _idle_loop(site: Site) -> frozenset[str]:
    return _if("idle loop", holds=is_in_idle_loop(site.source, site.span[0]))


def _functions(site: Site) -> frozenset[str]:
    return functions_at(site.rewrite, site.source, site.holes)


def _guarded(site: Site) -> frozenset[str]:
    return guarded_calls(site.rewrite, site.holes)


def _form(site: Site) -> frozenset[str]:
    form = form_of_result(site.source, site.span)
    return _if(form, holds=form in {"pointer", "value"} and site.source.language in _POINTERS)


def _fraction(site: Site) -> frozenset[str]:
    form = form_of_result(site.source, site.span)
    return _if(form, holds=form == "fraction")


def _beside(site: Site) -> frozenset[str]:
    kind = kind_beside(site.source, site.start)
    return _if(kind, holds=bool(kind))


def _dropped(site: Site) -> frozenset[str]:
    return _if("dropped", holds=is_result_dropped(site.source, site.span))


def _overwritten(site: Site) -> frozenset[str]:
    return _if("overwritten", holds=is_overwritten(site.source, site.span))


def _constants(site: Site) -> frozenset[str]:
    return frozenset(constants_in(site.holes))


def _passed(site: Site) -> frozenset[str]:
    return frozenset(passed_functions(site.source, site.holes))


def _calls(site: Site) -> frozenset[str]:
    return frozenset(other_calls(site.rewrite, site.source))


def _operators(site: Site) -> frozenset[str]:
    return operators_after(site.rewrite, site.source, site.span[1])


def _copy(site: Site) -> frozenset[str]:
    return _if("copy", holds=has_copy_before(site.source, site.end, site.diagnostic))


def _conversion(site: Site) -> frozenset[str]:
    return _if("conversion", holds=has_own_conversion(site.source, site.diagnostic))


def _modules(site: Site) -> frozenset[str]:
    return site.around.modules


def _target(site: Site) -> frozenset[str]:
    return frozenset(uses_of_target(site.source, site.span))


def _callback(site: Site) -> frozenset[str]:
    return frozenset({f"in {site.around.role}"})


def _assigned(site: Site) -> frozenset[str]:
    return site.around.assigned if isinstance(site.rewrite, TreeRewrite) else frozenset()


def _uses(site: Site) -> frozenset[str]:
    return site.around.uses


def _nesting(site: Site) -> frozenset[str]:
    return site.around.inside


def _unused(site: Site) -> frozenset[str]:
    return _if("unused", holds=bool(site.around.unused))


def _types(site: Site) -> frozenset[str]:
    return site.around.types


def _parameters(site: Site) -> frozenset[str]:
    return site.around.parameters


_POINTERS: Final = frozenset({"c", "cpp"})
_ANY: Final = frozenset[NewContent](get_args(NewContent))
_CONTENT: Final = _ANY - {"nothing"}
_CONVERSION: Final = frozenset[NewContent]({"conversion"})
_VALUE: Final = frozenset[NewContent]({"operand", "argument"})
_ARGUMENT: Final = frozenset[NewContent]({"argument"})


@dataclass(frozen=True, slots=True)
class Trait:
    """A trait of a place, and why a rule does not apply where it differs from the examples.

    `contents` are the kinds of fixes that depend on the trait. With `choice`, it is only for rules
    whose fix is a choice. With `shared`, one common value is enough, and so is none at all.
    """

    values: Callable[[Site], frozenset[str]]
    reason: str
    contents: frozenset[NewContent] = _ANY
    choice: bool = False
    shared: bool = False

    def differs(self, site: Site, known: Sequence[Site]) -> bool:
        """Return whether a place has a value of the trait that no example has."""
        found = self.values(site)
        seen = frozenset[str]().union(*map(self.values, known))
        if self.shared:
            return bool(found and seen) and found.isdisjoint(seen)
        return not found <= seen


TRAITS: Final = (
    Trait(_idle_loop, "the loop around counts for something that its body does not do"),
    Trait(_functions, "the function is one that no example is like"),
    Trait(_overwritten, "each turn of the loop sets the variable anew", _CONTENT),
    Trait(_constants, "a constant is where the examples have a variable"),
    Trait(_passed, "the function is passed on, and in the examples it is not"),
    Trait(_operators, "an operator follows, and none follows in the examples"),
    Trait(_form, "the value is for something that is declared otherwise", shared=True),
    Trait(_fraction, "the value is for a fraction, and in the examples it is not", _CONVERSION),
    Trait(_copy, "a copy that is made in between may be what is meant"),
    Trait(_conversion, "the program has a function for this conversion"),
    Trait(
        _guarded, "the guarded block calls nothing that the examples call", _CONTENT, shared=True
    ),
    Trait(_modules, "a module relies on the form of the value", _CONTENT),
    Trait(_calls, "the program calls the function with other arguments", _CONTENT),
    Trait(_beside, "the value is combined with something else", _CONVERSION, shared=True),
    Trait(_dropped, "nothing uses the result, and in the examples something does", _CONVERSION),
    Trait(_target, "the value is used in another way than in the examples"),
    Trait(_callback, "the code is in another kind of callback than in the examples", choice=True),
    Trait(_assigned, "a variable is set, or not set, other than in the examples", choice=True),
    Trait(_uses, "a name is used in another way than in the examples", _CONTENT, choice=True),
    Trait(_nesting, "the code is in a loop or a handler", frozenset({"statement"}), choice=True),
    Trait(_unused, "a variable that nothing uses may be what is meant", _VALUE, choice=True),
    Trait(
        _types, "a variable of a type that no example has may be what is meant", _VALUE, choice=True
    ),
    Trait(
        _parameters,
        "a parameter of a type that no example has may be meant",
        _ARGUMENT,
        choice=True,
    ),
)


def difference(site: Site, known: Sequence[Site], *, content: NewContent, choice: bool) -> str:
    """Return why a place may need another fix than the examples; "" if nothing says so."""
    for trait in TRAITS:
        if content not in trait.contents or (trait.choice and not choice):
            continue
        if trait.differs(site, known):
            return trait.reason
    return ""
