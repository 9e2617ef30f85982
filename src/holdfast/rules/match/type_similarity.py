"""Similar types in the arguments of a message, between which a fix makes no difference.

An argument is compared in forms, from the strict to the loose one. A rule keeps the form that its
fix allows.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

OWN: Final = "@own"
"""A type that the program itself declares: in the next program it has another name."""
_INTEGERS = """
i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 usize isize int long short byte unsigned
signed size_t ssize_t
int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr int8_t int16_t int32_t int64_t
uint8_t uint16_t uint32_t uint64_t Integer Long Short Byte
"""
_FLOATS = "f32 f64 float double float32 float64 Float Double"
_FAMILIES: Final = {
    **dict.fromkeys(_INTEGERS.split(), "@integer"),
    **dict.fromkeys(_FLOATS.split(), "@float"),
    "{integer}": "@integer",
    "{float}": "@float",
}
_WORD = re.compile(r"\{(?:integer|float)\}|[^\W\d]\w*")
_DECLARES = re.compile(
    r"\b(?:class|struct|union|enum|interface|record|trait|protocol|type)\s+(?:class\s+)?([^\W\d]\w*)"
)
_NAMED_TYPE = re.compile(
    r"\}\s*([^\W\d]\w*)\s*;|\btypedef\b[^;{}]*?([^\W\d]\w*)\s*;|\busing\s+([^\W\d]\w*)\s*="
)
_LEADING = re.compile(r"\b(?:const|volatile|struct|class|enum|union)\s+|\s+const\b")
_LENGTH = re.compile(r"\[\s*\d*\s*\]")
_RUN = re.compile(r"(@integer)(?:\s+@integer)+")
_FAMILY_WORDS: Final = {
    "@integer": re.compile(
        r"int|long|short|byte|itoa|atoi|atol|strtol|stoi|stol|size|\b[iu](?:8|16|32|64)\b"
    ),
    "@float": re.compile(r"float|double|strtod|atof|stod|stof|\bf(?:32|64)\b"),
}
_NUMBER = re.compile(r"@integer|@float")
_BRACED = re.compile(r"\{[^{}]*[:;,][^{}]*\}")
_ITEM = re.compile(r"[\w.]+(?=\[\])")


def forms_of(value: str, text: str) -> tuple[str, ...]:
    """Return the forms of a value: as it is, without program-specific parts, and by number family.

    >>> forms_of("const char [8]", "")
    ('const char [8]', 'char []')
    >>> forms_of("std::vector<int>&", "")
    ('std::vector<int>&', 'std::vector<>&')
    >>> forms_of("java.lang.String[]", ""), forms_of("number[][]", "")
    (('java.lang.String[]', '[]'), ('number[][]', '[][]'))
    >>> forms_of("Option<Point>", "struct Point;"), forms_of("Point", "struct Point;")
    (('Option<Point>', 'Option<>'), ('Point', '@own'))
    >>> forms_of("f64: Ord", "")
    ('f64: Ord', '@float: Ord', '@number: Ord')
    """
    plain = shape(value, text)
    loose = family(plain)
    return tuple(dict.fromkeys((value, plain, loose, _NUMBER.sub("@number", loose))))


def shape(value: str, text: str) -> str:
    """Return the value without qualifiers, lengths, own names and the text in brackets."""
    own = declared(text)
    while (outer := _BRACED.sub("{}", value)) != value:
        value = outer
    value = _WORD.sub(lambda word: OWN if word[0] in own else word[0], value)
    return _ITEM.sub("", _without_arguments(_LENGTH.sub("[]", _LEADING.sub("", value))))


def loosest_form(value: str, text: str, words: Iterable[str]) -> str:
    """Return the loosest form of a value for which a fix with these words is the same.

    >>> [loosest_form("int", "", (word,)) for word in ("valueOf", "doubleValue", "parseInt")]
    ['@number', '@integer', 'int']
    """
    plain = shape(value, text)
    families = {family for word in words for family in _families_of(word)}
    own = {_FAMILIES[word] for word in _WORD.findall(plain) if word in _FAMILIES}
    if families & own:
        return plain
    return family(plain) if families else _NUMBER.sub("@number", family(plain))


def family(value: str) -> str:
    """Return the value with each number type replaced by its family."""
    loose = _WORD.sub(lambda word: _FAMILIES.get(word[0], word[0]), value)
    return _RUN.sub(r"\1", loose)


def _families_of(word: str) -> set[str]:
    low = word.casefold()
    return {family for family, pattern in _FAMILY_WORDS.items() if pattern.search(low)}


@lru_cache(maxsize=8)
def declared(text: str) -> frozenset[str]:
    """Return the types that a program declares.

    >>> sorted(declared("typedef struct {int x;} Point; class Cart: pass"))
    ['Cart', 'Point']
    """
    named = (name for found in _NAMED_TYPE.findall(text) for name in found if name)
    return frozenset((*_DECLARES.findall(text), *named))


def _without_arguments(value: str) -> str:
    """Remove the text within `<…>` and within `[…]` after a name; the brackets stay."""
    made: list[str] = []
    depth = 0
    for at, sign in enumerate(value):
        opens = sign == "<" or (sign == "[" and (depth or (at > 0 and value[at - 1].isalnum())))
        closes = depth > 0 and (sign == "]" or (sign == ">" and value[at - 1] not in "-="))
        if closes:
            depth -= 1
        if depth == 0:
            made.append(sign)
        if opens:
            depth += 1
    # A sign that only compares, or half a type: then nothing is removed.
    return "".join(made) if depth == 0 else value
