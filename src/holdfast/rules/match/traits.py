"""The traits of a place that a fix depends on: one that no example has makes a rule uncertain.

A rule is learned from places with certain traits: a loop around, a variable that is set later, a
function of the program that is called. Each row of `TRAITS` finds the values of one trait. A place
with a value that no example has may need another fix, and is left alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, get_args

from holdfast.rules.match.site import SETTING, TARGET, NewContent, Region
from holdfast.rules.match.variables import (
    has_unread_variable,
    has_unused_parameter,
    is_given_away_again,
    is_write_lost,
    kind_beside,
    position_of,
)
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from holdfast.rules.match.site import Site

_ANY: Final = frozenset[NewContent](get_args(NewContent))
_CONTENT: Final = _ANY - {"nothing"}
_CONVERSION: Final = frozenset[NewContent]({"conversion"})


@dataclass(frozen=True, slots=True)
class Trait:
    """A trait of a place, and why a rule does not apply where it differs from the examples.

    `find` returns the values, or whether the place has the trait. `contents` are the kinds of fixes
    that depend on the trait. With `shared`, one common value is enough, and so is none at all.
    """

    find: Callable[[Site], Iterable[str] | bool]
    reason: str
    contents: frozenset[NewContent] = _ANY
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


@dataclass(frozen=True, slots=True)
class Sign:
    """A pattern in a text around a place; in it, `NAME` is each name of the place.

    The names are those in holes, or what `names` finds in the text `named_in`. With `fix`, a name
    in a hole counts only if the fix writes that pattern anew; there `HOLE` is the hole. A fix that
    has the pattern `without` does not depend on the sign.
    """

    region: Region
    pattern: str
    named_in: Region | None = None
    names: str = r"[^\W\d]\w*"
    fix: str = ""
    without: str = r"(?!)"

    def __call__(self, site: Site) -> Iterator[str]:
        """Yield what each name is that the text has the pattern with, and the groups of it."""
        if re.search(self.without, site.rewrite.fix):
            return

        text = site.texts[self.region]
        for what, name in self._names_at(site):
            found = re.search(self.pattern.replace("NAME", re.escape(name)), text, re.MULTILINE)
            if found is not None and self._is_written(site, what):
                yield " ".join([what, *found.groups()])

    def _names_at(self, site: Site) -> Iterable[tuple[str, str]]:
        if self.named_in is None:
            return site.names.items()

        found = re.findall(self.names, site.texts[self.named_in], re.MULTILINE)
        return [(self.named_in, name) for name in found]

    def _is_written(self, site: Site, hole: str) -> bool:
        if not self.fix:
            return True

        found = re.search(self.fix.replace("HOLE", hole), site.rewrite.fix)
        return found is not None and found[0] not in site.rewrite.pattern


_RELYING: Final = (
    r"\b((?:make|push|pop|sort|is)_heap|lower_bound|upper_bound|equal_range|binary_search)"
)
"""Functions of C++ that rely on the order of what they get."""
_DECIMALS: Final = r"(?:%\d*\.\d+[efg]|:[^{}]*\.\d+[efg]?\}|\.toFixed\()"
_SET: Final = r"\bNAME\s*(?:[-+*/%|&^?]{0,2}=(?!=)|\+\+|--)"
_POINTER: Final = r"\w\s*\*\s*(?:const\s+)?NAME\s*[,)=;]"
_NOTICED: Final = (
    r"\bif\s*\(\s*(?:!\s*NAME|NAME\s*==\s*(?:null|NULL|nullptr|nil|undefined))\s*\)"
    r"\s*\{(?:(?!\b(?:return|throw|continue|break|exit|abort|panic)\b)[^{}])*\}"
)
"""A block that only notices that a value is missing: it does not leave the function or the loop."""
_NEVER_SET: Final = rf"\A(?![\s\S]*(?<!let )(?<![.>]){_SET})"
_OPERATION_IN_CALL: Final = r"\w\((?:[^()]|\([^()]*\))* (?:[-+*/%<>]|[!=<>]=) [\w(][^()]*\W*$"
"""A call that is not closed, with an operator in it."""
_CHECKED: Final = r"(?:!\s*NAME\b|\bif\s*\(\s*NAME\b|\bNAME\.has_value|\bNAME\s*[!=]=)"
_SPECIAL: Final = r"(?:-\s*\d|\w+(?:::|\.)(?:MAX|MIN|MAX_VALUE|MIN_VALUE)\b)"
"""A value that stands for none: nothing was found, or there is no limit."""
_PASSED: Final = r"&(?:mut )?\$"
"""The address of a variable: the function does not compute its result in another way."""
_TO_DECIMALS: Final = r"\b(?:float|double|f32|f64|float32|float64)\b"
_TO_UNSIGNED: Final = r"\b(?:usize|u8|u16|u32|u64|size_t|unsigned|uint\d*)\b"
_COMPARED_WITH_NOTHING: Final = (
    r"\bNAME\s*[!=]==?\s*(?:null|nil|NULL|nullptr|undefined|None)\b|\bNAME is (?:not )?None\b"
)
_CHANGING_FUNCTION: Final = (
    r"\bNAME\s*\([^()]*\)[^;{}()=]*\{[^{}]*(?:[^-+*/=!<>][-+*/]?=(?!=)|\+\+|--)"
)
"""A function of the program that sets something in its first block."""
_WHOLE_NUMBER: Final = (
    r"(?:unsigned |signed )?(?:char|short|int|long|long long|size_t|unsigned|u?int\d+_t)"
)
_CONSTANT: Final = (
    r"^[ \t]*(?:(?:public|private|export|static|final|constexpr|const)[ \t]+)*"
    r"(?:[\w<>:]+[ \t]+)?(k?[A-Z]\w+)[ \t]*(?::[^=\n]*)?="
)
"""The declaration of a constant: its name begins with a capital, or with a `k` before one."""
_OTHER_USE: Final = "the value is used in another way than in the examples"
_RELIES: Final = "a module relies on the form of the value"
TRAITS: Final = (
    Trait(has_unread_variable, "nothing reads a variable that may be what is meant"),
    Trait(
        Sign(
            "program",
            r"\A(?=[\s\S]*\b(?:def|fn|func|function)\s+NAME\b)[\s\S]*[(,]\s*NAME\s*[,)]",
            without=r"\A\$\w+\(\)\Z",
        ),
        "the function is passed on, and in the examples it is not",
    ),
    Trait(
        Sign(
            "behind broken",
            r"\A\s*(?:[=!<>]=|[-+*/%<>&|^]+)",
            fix=r"(?<![A-Z\d] )(?:\bnot|!|-|~|\*|&|\bawait|\btypeof)\s*\$HOLE\b",
        ),
        "an operator follows, and none follows in the examples",
    ),
    Trait(
        Sign("function", r"\bNAME\s*(?::[^=\n]*)?=(?!=)[^;\n]*\w\s*\("),
        "a call computes the value, and in the examples none does",
        _CONTENT,
    ),
    Trait(
        Sign("program", r"\A(?![\s\S]*\}\s*NAME\s*;)", "message", r"^&?([^\W\d]\w*)$"),
        "the program does not declare the type that the message names, as the examples do",
    ),
    Trait(
        Sign(
            "program",
            r"\A[\s\S]*?^\s*(?:import|from|use|using)\b.*\b(\w+)\b[\s\S]*\b\1\.\w+\(\s*NAME\b",
        ),
        _RELIES,
        _CONTENT,
    ),
    Trait(Sign("program", rf"{_RELYING}\(\s*NAME\b"), _RELIES, _CONTENT),
    Trait(
        Sign("program", r"\bNAME\([^()]*,", "fix", r"(?<![\w$])(\w+)\(\$\w+\)"),
        "the program calls the function with other arguments",
        _CONTENT,
    ),
    Trait(kind_beside, "the value is combined with something else", _CONVERSION, shared=True),
    Trait(Sign("after", r"\bNAME\s*(?:&(?!&)|>>)", "head", TARGET, without=_PASSED), _OTHER_USE),
    Trait(Sign("after", r"\bNAME\s*[!=]=\s*0\b", "head", TARGET, without=_PASSED), _OTHER_USE),
    Trait(
        Sign(
            "after",
            rf"^(?=.*\bNAME\b).*{_DECIMALS}",
            "head",
            TARGET,
            without=rf"{_TO_DECIMALS}|{_PASSED}",
        ),
        _OTHER_USE,
    ),
    Trait(Sign("after", _COMPARED_WITH_NOTHING, "head", TARGET), _OTHER_USE),
    Trait(
        Sign("after", SETTING),
        "the variable is set afterwards, and in the examples it is not",
        _CONTENT,
    ),
    Trait(
        Sign("function", r"\bNAME\b[^=\n]*=[^=\n;]*[\w)\]] / [\w(]", fix=_TO_DECIMALS),
        "a division computes the value, and in the examples none does",
        _CONVERSION,
    ),
    Trait(
        Sign("program", _CHANGING_FUNCTION, "holes", r"(\w+)$", fix=r"\$\w+\("),
        "the function that is called changes something",
    ),
    Trait(
        Sign("holes", "", "holes", r"[ ][\"'`]$"),
        "a text ends with a blank: what follows may be a part of it",
    ),
    Trait(
        Sign(
            "program",
            r"\b(?!self\b|this\b)\w+(?:\.|->)NAME\b(?!\()",
            fix=r"\b(?:self|this)(?:\.|->)\$HOLE",
        ),
        "another object has a member of that name",
    ),
    Trait(
        Sign("function", _NOTICED),
        "that the value is missing is noticed, and the function goes on",
    ),
    Trait(
        Sign("function", _NEVER_SET, "function", r"\blet\s+(?!mut\b)(\w+)\b[^=\n]*=", r"\blet \$"),
        "another variable may be set, and never is",
    ),
    Trait(
        Sign("message", r"^(?:int|long)$", "lines", r"=\s*\d*\.\d*[1-9]"),
        "a number is a fraction, and in the examples none is",
    ),
    Trait(
        Sign("function", r"\bNAME\b[^=\n]*=[^=\n;]*[\w)\]] - [\w(]", fix=_TO_UNSIGNED),
        "a difference may be negative, and in the examples there is none",
        _CONVERSION,
    ),
    Trait(
        Sign("function", r"\bmut\s+NAME\b", fix=r"\$HOLE\.clone\(\)"),
        "the variable that is copied may change, and the copy does not",
    ),
    Trait(
        Sign("program", r"\A(?:[\s\S]*\bNAME\s*\(){3}", fix=r"\Apub\b"),
        "the function has a caller beside it, which may be what is meant",
    ),
    Trait(
        Sign("broken lines", _OPERATION_IN_CALL, "fix", r"\)"),
        "the operator in the call may be meant to follow it",
    ),
    Trait(
        Sign("function", r"[\w)\]]\s*[<>]=?\s*NAME\b(?![.(\[])", "message", r"^([^\W\d]\w*)$"),
        "something is compared with the variable, and in the examples nothing is",
        _ANY - _CONTENT,
    ),
    Trait(
        Sign("function", rf"\bNAME\b[^=\n]*=\s*{_SPECIAL}"),
        "a special value may stand for none",
        _CONVERSION,
    ),
    Trait(
        Sign("program", "", "program", r"\d[.:]\d+[\"'`]", fix=r"\b(?:parseInt|int|Number|atoi)\("),
        "a text of the program is no whole number",
    ),
    Trait(
        Sign(
            "function", rf"\A[^({{]*{_TO_DECIMALS}[^{{]*\{{[\s\S]*\breturn\s+NAME\b", "head", TARGET
        ),
        "the function returns the value with its fraction",
        _CONVERSION,
    ),
    Trait(
        Sign(
            "function",
            r"\bNAME\s*\+\s*[\"'`]|[\"'`]\s*\+\s*NAME\b",
            fix=r"\b(?:Number|parseInt|parseFloat|int|float)\(\$HOLE\)",
        ),
        "the value is also used as a text",
        _CONVERSION,
    ),
    Trait(
        Sign(
            "program",
            r"(?:[=(,\[{]|\breturn|\bin)\s*NAME\(",
            "function",
            r"\A(?:async\s+)?def\s+(\w+)(?![\s\S]*\b(?:return|yield)\b)",
            without=r"\A(?!\$A\Z)",
        ),
        "the program uses the result of the function, which returns nothing",
    ),
    Trait(
        Sign(
            "program",
            r"\bfn\s+NAME\b[^{;]*->",
            "lines",
            r"^\s*(\w+)\([^;]*\);\s*$",
            fix=r"\.clone\(\)",
        ),
        "nothing uses what the function returns",
    ),
    Trait(
        Sign("program", r"\bfn\s+(?:NAME_\w+|\w+_NAME)\b", fix=r"\$HOLE\(\)"),
        "the program has a function that is named after the member",
    ),
    Trait(
        Sign("holes", "", "holes", r"'(?:[^'\\]|\\.)'"),
        "a character is a part of the value, and in the examples none is",
        _CONVERSION,
    ),
    Trait(
        Sign("function", rf"\A(?![\s\S]*{_CHECKED})", fix=r"\*\$HOLE\b|\$HOLE(?:!|\.value)"),
        "nothing looks whether there is a value",
    ),
    Trait(
        Sign("function", _POINTER, fix=r"\bsizeof\W*\$HOLE\b"),
        "the size of a pointer is not that of what it points to",
    ),
    Trait(is_given_away_again, "a loop around gives the same value away again"),
    Trait(position_of, "something else takes the result than in the examples"),
    Trait(
        Sign("after", r"\w\[\d+\]", fix=r"\A_\Z"),
        "a number is written where the unused variable may be meant",
    ),
    Trait(
        Sign("head", r"^[ \t]*(?:virtual )?(void)\b", fix=r"\Aconst\b"),
        "the function returns nothing: what else than a change is it for?",
    ),
    Trait(
        Sign(
            "function",
            r"\A(?:async\s+|def\s+)*(toString|valueOf|toJSON|constructor|__\w+__)\b",
            fix=r"\basync\b",
        ),
        "the language itself calls the function",
    ),
    Trait(
        Sign("holes", r"^\w+(?:\.\w+)+$", fix=r"\blet (?:mut )?\$HOLE\b"),
        "the variable has a copy of what an object has",
    ),
    Trait(is_write_lost, "nothing reads what is changed, and in the examples something does"),
    Trait(
        Sign(
            "function",
            r"\bfor\s*\([^;{}]*;[^;{}]*;[^{}()]*\bNAME\b|\bfor\b[^;{}\n]*\bNAME\s*(?::=\s*range|in)\b",
            fix=r"&(?:mut )?\$HOLE\b",
        ),
        "the variable counts the turns of a loop, and in the examples it does not",
    ),
    Trait(
        Sign("function", r"(?<![\"'`\w])NAME(?![\"'`\w])", "holes", r"^[\"'`](\w+)[\"'`]$"),
        "the text in quotes is also the name of a variable",
        _CONVERSION,
    ),
    Trait(
        Sign(
            "program",
            r"\b(?:NAME[A-Z_]\w*|\w+_NAME)\s*\([^;()]*\)[^;(){}]*[{:]",
            "from place",
            r"\A([^\W\d]\w*)\s*\(",
        ),
        "the program has a function that is named after the variable",
    ),
    Trait(
        Sign(
            "function",
            rf"\A(?![\s\S]*\bstrlen\(\s*NAME\b)[\s\S]*\*\s*NAME\s*,\s*{_WHOLE_NUMBER} +\w+\s*[,)]",
        ),
        "a number beside the pointer may be its length",
        _CONTENT,
    ),
    Trait(
        Sign(
            "program",
            r"\b(\w+)\([^;{}]*\)[^;{}()]*[{:]\s*\n(?:[ \t].*\n|\n)*?"
            r"[ \t]+(?:return\s+)?-\s*\d+;?\s*\n[\s\S]*?\bNAME\b[^=\n]*=\s*\1\(",
        ),
        "a special result of a function may need another value",
        _CONVERSION,
    ),
    Trait(
        Sign("function", r"\breturn\s+NAME\s*;?\s*$", "kept"),
        "the value that is dropped may be what is to be returned",
    ),
    Trait(
        Sign("function", _POINTER),
        "the variable is a pointer, and in the examples it is none",
        _CONVERSION,
    ),
    Trait(has_unused_parameter, "nothing uses a parameter that may be what is meant"),
    Trait(
        Sign("program", r"\A(?!(?:[\s\S]*?\bNAME\b){2})", "program", _CONSTANT),
        "nothing uses a constant that may be what is meant",
    ),
    Trait(
        Sign("after", r"\A(?![\s\S]*\bNAME\b)", fix=r"&(?:mut )?\$HOLE\b"),
        "nothing reads afterwards what the function is to change",
    ),
    Trait(
        Sign(
            "after",
            rf"\A(?![\s\S]*{_SET})",
            fix=r"\blet \$HOLE\b",
        ),
        "nothing sets the variable afterwards",
    ),
    Trait(
        Sign("function", r"\bNAME\s*(?:<|>=)\s*(?:0\b|-)"),
        "the value may be negative",
        _CONVERSION,
    ),
    Trait(
        Sign(
            "program",
            r"(\b(?:if|while)\b|[=({,])[ !(]*NAME\([^(){}]*\)(?!\s*\{|\s*\.then\b)",
            "function",
            r"\A(?:async\s+)?function\s+(\w+)",
            fix=r"\basync\b|\bPromise\b",
        ),
        "the program uses the result of the function at once",
    ),
    Trait(
        Sign(
            "broken lines",
            r"&&.*\|\||\|\|.*&&|\band\b.*\bor\b|\bor\b.*\band\b"
            r"|\b(?:if|while)\b.*\w\s*=(?!=).*[!=<>]=|\([^()]*[\w)\]] (?:[-+*/%<>]|[!=<>]=) [\w(]"
            r"|\w\([^()]*\w\([^()]*,[^()]*\)\W*$",
            "fix",
            r"\)",
        ),
        "the place of the bracket decides which operator comes first",
    ),
    Trait(
        Sign("next line", r"\A([ \t]*)[-+*/%&|?:.<>=].*\n\1[ \t]*\S", "fix", r";"),
        "the next line may go on with the expression",
    ),
)


def difference(site: Site, known: Sequence[Site], content: NewContent) -> str:
    """Return why a place may need another fix than the examples; "" if nothing says so."""
    for trait in TRAITS:
        if content in trait.contents and trait.differs(site, known):
            return trait.reason

    return ""
