"""The traits of a place that a fix depends on: one that no example has makes a rule uncertain.

A rule is learned from places with certain traits: a loop around, a variable that is set later, a
function of the program that is called. Each row of `TRAITS` finds the values of one trait. A place
with a value that no example has may need another fix, and is left alone.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final, get_args

from holdfast.rules.match.alternatives import (
    data_with_length,
    has_special_result,
    is_named_like_function,
    names_in_quotes,
    sources_returned,
)
from holdfast.rules.match.destination import (
    constants_in,
    form_of_result,
    is_fraction,
    kind_beside,
    numbers_beside,
    other_calls,
    passed_functions,
    types_missing,
    uses_of_target,
)
from holdfast.rules.match.loops import (
    counters_given,
    counts_for_another,
    is_overwritten,
)
from holdfast.rules.match.mutation import has_idle_variable, is_write_lost
from holdfast.rules.match.own_functions import (
    conversions_named,
    functions_at,
    guarded_calls,
    has_own_conversion,
)
from holdfast.rules.match.surroundings import NewContent, has_copy_before
from holdfast.rules.match.token_pattern import is_before_operator
from holdfast.rules.match.unread import has_unread_variable
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.rules.match.surroundings import Site

_ANY: Final = frozenset[NewContent](get_args(NewContent))
_CONTENT: Final = _ANY - {"nothing"}
_CONVERSION: Final = frozenset[NewContent]({"conversion"})
_VALUE: Final = frozenset[NewContent]({"operand", "argument"})
_ARGUMENT: Final = frozenset[NewContent]({"argument"})
_CALL: Final = frozenset[NewContent]({"call"})


@dataclass(frozen=True, slots=True)
class Trait:
    """A trait of a place, and why a rule does not apply where it differs from the examples.

    `find` returns the values, or whether the place has the trait. `contents` are the kinds of fixes
    that depend on the trait. With `choice`, it is only for rules whose fix is a choice. With
    `shared`, one common value is enough, and so is none at all.
    """

    find: Callable[[Site], Iterable[str] | bool]
    reason: str
    contents: frozenset[NewContent] = _ANY
    choice: bool = False
    shared: bool = False

    def differs(self, site: Site, known: Sequence[Site]) -> bool:
        """Return whether a place has a value of the trait that no example has."""
        found = self._values(site)
        seen = frozenset[str]().union(*map(self._values, known))
        if self.shared:
            if not bool(found and seen):
                return False

            return found.isdisjoint(seen)

        return not found <= seen

    def _values(self, site: Site) -> frozenset[str]:
        found = self.find(site)
        if isinstance(found, bool):
            return frozenset({"yes"} if found else ())

        return frozenset(found)


TRAITS: Final = (
    Trait(has_unread_variable, "nothing reads a variable that may be what is meant"),
    Trait(counts_for_another, "the loop takes its end from one thing and counts for another"),
    Trait(functions_at, "the function is one that no example is like"),
    Trait(is_overwritten, "each turn of the loop sets the variable anew", _CONTENT),
    Trait(constants_in, "a constant is where the examples have a variable"),
    Trait(passed_functions, "the function is passed on, and in the examples it is not"),
    Trait(is_before_operator, "an operator follows, and none follows in the examples"),
    Trait(form_of_result, "the value is for something that is declared otherwise", shared=True),
    Trait(is_fraction, "the value is for a fraction, and in the examples it is not", _CONVERSION),
    Trait(types_missing, "no operand has the type that one has in the examples", _CONVERSION),
    Trait(has_copy_before, "a copy that is made in between may be what is meant"),
    Trait(conversions_named, "a name speaks of another conversion", _CONVERSION),
    Trait(has_own_conversion, "the program has a function for this conversion"),
    Trait(
        guarded_calls,
        "the guarded block calls nothing that the examples call",
        _CONTENT,
        shared=True,
    ),
    Trait(attrgetter("around.modules"), "a module relies on the form of the value", _CONTENT),
    Trait(numbers_beside, "numbers that no example has are beside the one of the fix", _VALUE),
    Trait(other_calls, "the program calls the function with other arguments", _CONTENT),
    Trait(kind_beside, "the value is combined with something else", _CONVERSION, shared=True),
    Trait(uses_of_target, "the value is used in another way than in the examples"),
    Trait(is_write_lost, "nothing reads what is changed, and in the examples something does"),
    Trait(has_idle_variable, "another variable that nothing changes may be the one to set"),
    Trait(
        counters_given, "the variable counts the turns of a loop, and in the examples it does not"
    ),
    Trait(names_in_quotes, "the text in quotes is also the name of a variable", _CONVERSION),
    Trait(is_named_like_function, "the program has a function that is named after the variable"),
    Trait(data_with_length, "a number beside the pointer may be its length", _CALL),
    Trait(has_special_result, "a special result of a function may need another value", _CONVERSION),
    Trait(sources_returned, "the value that is dropped may be what is to be returned"),
    Trait(
        attrgetter("around.role"),
        "the code is in another kind of callback than in the examples",
        choice=True,
    ),
    Trait(
        attrgetter("around.assigned"),
        "a variable is set, or not set, other than in the examples",
        choice=True,
    ),
    Trait(
        attrgetter("around.unused"),
        "a variable that nothing uses may be what is meant",
        _VALUE,
        choice=True,
    ),
    Trait(
        attrgetter("around.types"),
        "a variable of a type that no example has may be what is meant",
        _VALUE,
        choice=True,
    ),
    Trait(
        attrgetter("around.parameters"),
        "a parameter of a type that no example has may be meant",
        _ARGUMENT,
        choice=True,
    ),
)


def difference(site: Site, known: Sequence[Site], *, content: NewContent, choice: bool) -> str:
    """Return why a place may need another fix than the examples; "" if nothing says so."""
    for trait in TRAITS:
        if content not in trait.contents:
            continue

        if trait.choice and not choice:
            continue

        if trait.differs(site, known):
            return trait.reason

    return ""
