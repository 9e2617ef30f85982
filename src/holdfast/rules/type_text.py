"""Types as messages spell them: what two of them have in common.

>>> common_type("std::vector<int>", "std::vector<std::string>"), common_type("double[]", "int[]")
('std::vector<_>', '<number>[]')
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ANY: Final = "_"
"""Any type, or any number of type arguments."""
NUMBER: Final = "<number>"
_NUMBERS: Final = frozenset(
    [
        *("int", "long", "short", "float", "double", "unsigned", "signed", "size_t", "byte"),
        *("Integer", "Long", "Short", "Float", "Double", "number", "complex"),
        *("i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128"),
        *("usize", "isize", "f32", "f64"),
    ]
)
"""The types of numbers, in all languages."""
TOP_TYPES: Final = frozenset(
    {"object", "Object", "java.lang.Object", "any", "unknown", "void*", "void *", "interface{}"}
)
"""The types that any value has."""
_RECORDS: Final = frozenset({"<class>", "<struct>", "<record>"})
"""What a language declares either way."""
_NOISE: Final = lazy_pattern(r"\b__cxx11::|[{}]")
"""What a compiler writes into a type and no program does."""
_PART: Final = lazy_pattern(
    r"(?<!\w)<(?:number|function|struct|class|enum|interface|trait|union|record)>|\w+|\S"
)
_CLOSING: Final = {"<": ">", "[": "]"}
_Parts: TypeAlias = tuple["str | _Parts", ...]


def common_type(one: str, other: str) -> str:
    """Return what two types have in common, with `_` for what differs; "" if that is nothing."""
    found = _common(_parse(one), _parse(other))
    if found is None:
        return ""

    if found == (ANY,):
        return ""

    return "".join(_written(found))


def outline(text: str) -> str:
    """Return a type without the types of its elements.

    >>> outline("std::vector<int>"), outline("double[]"), outline("char*")
    ('std::vector<_>', '_[]', 'char*')
    """
    parts = list(_parse(text))
    for number, part in enumerate(parts):
        if isinstance(part, str):
            continue

        if len(part) == len(_CLOSING):
            # An array: what is before the brackets is the type of its elements.
            parts[:number] = [ANY]
            break

        parts[number] = (part[0], ANY, part[-1])

    return "".join(_written(tuple(parts)))


def fits_type(text: str, pattern: str) -> bool:
    """Return whether a type is one that a common type stands for.

    >>> fits_type("std::vector<double>", "std::vector<_>"), fits_type("String", "_[]")
    (True, False)
    """
    wanted = _parse(pattern)
    return any(_common(wanted, _parse(each)) == wanted for each in (text, outline(text)))


def _parse(text: str) -> _Parts:
    """Return the words and signs of a type; what is in brackets is a part with parts."""
    words = _PART.findall(_NOISE.sub("", text))
    stack: list[list[str | _Parts]] = [[]]
    for word in words:
        if word in _CLOSING:
            stack.append([word])
            continue

        stack[-1].append(word)
        if len(stack) > 1 and word == _CLOSING[str(stack[-1][0])]:
            group = tuple(stack.pop())
            stack[-1].append(group)

    if len(stack) > 1:
        return tuple(words)

    return tuple(stack[0])


def _common(one: _Parts, other: _Parts) -> _Parts | None:
    if len(one) != len(other):
        return None

    found = []
    for pair in zip(one, other, strict=True):
        part = _common_part(*pair)
        if part is None:
            return None

        found.append(part)

    return tuple(found)


def _common_part(one: str | _Parts, other: str | _Parts) -> str | _Parts | None:
    if one == other:
        return one

    if isinstance(one, str) and isinstance(other, str):
        return _common_word(one, other)

    if isinstance(one, str):
        return None

    if isinstance(other, str):
        return None

    if one[0] != other[0]:
        return None

    return _common(one, other) or (one[0], ANY, one[-1])


def _common_word(one: str, other: str) -> str | None:
    if _is_number(one) and _is_number(other):
        return NUMBER

    if {one, other} <= _RECORDS:
        return one

    if _is_word(one) and _is_word(other):
        return ANY

    return None


def _is_number(word: str) -> bool:
    if word in _NUMBERS:
        return True

    return word == NUMBER


def _is_word(word: str) -> bool:
    return re.fullmatch(r"\w+|<\w+>", word) is not None


def _written(parts: Sequence[str | _Parts]) -> Iterator[str]:
    before = ""
    for part in parts:
        if not isinstance(part, str):
            yield from _written(part)
            before = ""
            continue

        if _is_word(before) and _is_word(part):
            yield " "

        yield part
        before = part
