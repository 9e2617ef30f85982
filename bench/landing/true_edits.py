"""Edits as people make them: each gives the lines it changes, marked, or None where it does not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, TypeAlias

from bench.landing import words
from bench.landing.grammar import (
    BRACED,
    COMMENT_MARK,
    defined_name,
    identifiers,
    indent_of,
    is_code,
    is_comment,
    numbers,
    other_name,
    other_number,
    swap_at,
)
from bench.landing.scene import Script, added, kept, removed


@dataclass(frozen=True, slots=True)
class Change:
    """`script` is what becomes of the lines from `start` (0-based) on."""

    start: int
    script: Script

    @property
    def end(self) -> int:
        """The line behind the change."""
        return self.start + sum(line.mark != "+" for line in self.script)


TrueEdit: TypeAlias = Callable[[Sequence[str], int, Random, str], Change | None]
"""(lines, at, rng, lang) -> the change at that line."""


def replace_number(lines: Sequence[str], at: int, rng: Random, lang: str) -> Change | None:
    """A constant changes."""
    del lang
    found = numbers(lines[at])
    if not found:
        return None
    one = rng.choice(found)
    return _reworded(lines, at, swap_at(lines[at], one, other_number(rng, one.group())))


def replace_name(lines: Sequence[str], at: int, rng: Random, lang: str) -> Change | None:
    """Another function, variable or word is used."""
    del lang
    found = identifiers(lines[at])
    if not found:
        return None
    one = rng.choice(found)
    return _reworded(lines, at, swap_at(lines[at], one, other_name(rng, one.group())))


def replace_line(lines: Sequence[str], at: int, rng: Random, lang: str) -> Change | None:
    """A statement becomes one to three others."""
    if not is_code(lines[at], lang) or lines[at].rstrip().endswith(
        (":", "{", "(", ",", "[", "}", ")")
    ):
        return None
    indent = indent_of(lines[at])
    new = [statement(rng, lang, indent) for _ in range(rng.randint(1, 3))]
    return Change(at, removed([lines[at]]) + added(new))


def insert_lines(lines: Sequence[str], at: int, rng: Random, lang: str) -> Change | None:
    """One to five lines come before line `at`."""
    if not lines[at].strip():
        return None
    indent = indent_of(lines[at])
    new = [statement(rng, lang, indent) for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5)))]
    return Change(at, added(new))


def insert_block(lines: Sequence[str], at: int, rng: Random, lang: str) -> Change | None:
    """A condition with a body comes before line `at`."""
    if lang not in BRACED | {"python"} or not lines[at].strip():
        return None
    indent = indent_of(lines[at])
    step = _step(lines)
    opening, closing = _condition(rng, lang)
    body = [statement(rng, lang, indent + step) for _ in range(rng.randint(1, 2))]
    return Change(at, added([indent + opening, *body, *(indent + line for line in closing)]))


def delete_lines(lines: Sequence[str], at: int, rng: Random, lang: str) -> Change | None:
    """One to three lines go."""
    del lang
    size = rng.choice((1, 1, 2, 3))
    gone = lines[at : at + size]
    if len(gone) < size or not all(line.strip() for line in gone):
        return None
    return Change(at, removed(gone))


def change_signature(lines: Sequence[str], at: int, rng: Random, lang: str) -> Change | None:
    """A function takes one more argument."""
    line = lines[at]
    if (
        defined_name(line) is None
        or "()" in line
        or "(" not in line
        or lang not in BRACED | {"python"}
    ):
        return None
    # A line that ends in the bracket gets no blank behind the comma: a model's trailing blanks are drift.
    return _reworded(
        lines,
        at,
        line.replace("(", f"({words.noun(rng)}_{rng.choice(words.ADJECTIVES)}, ", 1).rstrip(),
    )


def wrap_in_if(lines: Sequence[str], at: int, rng: Random, lang: str) -> Change | None:
    """One to three lines come under a condition."""
    size = rng.randint(1, 3)
    body = lines[at : at + size]
    if len(body) < size or not all(is_code(line, lang) for line in body):
        return None
    indent = indent_of(body[0])
    if any(indent_of(line) != indent for line in body) or body[-1].rstrip().endswith(
        (":", "{", "(", ",")
    ):
        return None
    step = _step(lines)
    opening, closing = _condition(rng, lang)
    new = [indent + opening, *(step + line for line in body), *(indent + line for line in closing)]
    return Change(at, removed(body) + added(new))


def swap_lines(lines: Sequence[str], at: int, rng: Random, lang: str) -> Change | None:
    """Two lines change places."""
    del rng, lang
    pair = lines[at : at + 2]
    if len(pair) < 2 or not all(line.strip() for line in pair) or pair[0] == pair[1]:
        return None
    return Change(at, removed(pair[:1]) + kept(pair[1:]) + added(pair[:1]))


def edit_comment(lines: Sequence[str], at: int, rng: Random, lang: str) -> Change | None:
    """A comment says something else."""
    if not is_comment(lines[at], lang):
        return None
    return _reworded(
        lines, at, f"{indent_of(lines[at])}{COMMENT_MARK[lang]} {words.sentence(rng)}."
    )


def rename_local(lines: Sequence[str], at: int, rng: Random, lang: str) -> Change | None:
    """A name changes on two and more lines near each other."""
    del lang
    found = identifiers(lines[at])
    if not found:
        return None
    old = rng.choice(found).group()
    new = other_name(rng, old)
    near = lines[at : at + 8]
    hits = [
        i for i, line in enumerate(near) if any(one.group() == old for one in identifiers(line))
    ]
    if len(hits) < 2:
        return None
    script: Script = ()
    for line in near[: hits[-1] + 1]:
        changed = _renamed(line, old, new)
        script += kept([line]) if changed == line else removed([line]) + added([changed])
    return Change(at, script)


STEADY: Final[tuple[TrueEdit, ...]] = (
    replace_number,
    replace_name,
    replace_name,
    replace_line,
    insert_lines,
    insert_lines,
    insert_block,
    delete_lines,
    change_signature,
    edit_comment,
    rename_local,
)
"""Edits whose changed lines are the same in whatever way old and new are compared."""

ALL: Final[tuple[TrueEdit, ...]] = (*STEADY, wrap_in_if, wrap_in_if, swap_lines)
INSERTIONS: Final[tuple[TrueEdit, ...]] = (insert_lines, insert_block)
REPLACEMENTS: Final[tuple[TrueEdit, ...]] = (
    replace_number,
    replace_name,
    replace_line,
    change_signature,
)


def statement(rng: Random, lang: str, indent: str) -> str:
    """A line that this language allows in most places."""
    name, thing, number = words.name(rng), words.noun(rng), rng.randint(1, 9999)
    forms = {
        "python": (
            f"{name}({number})",
            f'{thing}_{number} = {name}("{thing}")',
            f'log.debug("{name} {number}", {thing})',
        ),
        "javascript": (
            f"{words.camel(name)}({number});",
            f'const {thing}{number} = {words.camel(name)}("{thing}");',
        ),
        "typescript": (
            f"{words.camel(name)}({number});",
            f'const {thing}{number} = {words.camel(name)}("{thing}");',
        ),
        "go": (
            f"{words.camel(name)}({number})",
            f'{thing}{number} := {words.camel(name)}("{thing}")',
        ),
        "rust": (f"{name}({number});", f'let {thing}_{number} = {name}("{thing}");'),
        "java": (
            f"{words.camel(name)}({number});",
            f'var {thing}{number} = {words.camel(name)}("{thing}");',
        ),
        "c": (f"{name}({number});", f'{thing}_{number} = {name}("{thing}");'),
        "css": (f"--{name.replace('_', '-')}: {number}px;",),
        "html": (f'<p class="{thing}">{name} {number}</p>',),
        "json": (f'"{name}": {number},',),
        "toml": (f"{name} = {number}",),
        "yaml": (f"{name}: {number}",),
        "markdown": (f"{words.sentence(rng)} {number}.",),
    }
    return indent + rng.choice(forms[lang])


def _reworded(lines: Sequence[str], at: int, new: str) -> Change | None:
    return Change(at, removed([lines[at]]) + added([new])) if new != lines[at] else None


def _renamed(line: str, old: str, new: str) -> str:
    for found in reversed([one for one in identifiers(line) if one.group() == old]):
        line = swap_at(line, found, new)
    return line


def _condition(rng: Random, lang: str) -> tuple[str, list[str]]:
    subject, number = words.noun(rng), rng.randint(1, 99)
    if lang == "python":
        return f"if {subject}_count > {number}:", []
    if lang in {"go", "rust"}:
        return f"if {subject}Count > {number} {{", ["}"]
    return f"if ({subject}Count > {number}) {{", ["}"]


def _step(lines: Sequence[str]) -> str:
    """One level of the file's indentation."""
    indents = [indent_of(line) for line in lines if line.strip() and indent_of(line)]
    if any(indent.startswith("\t") for indent in indents):
        return "\t"
    return min(indents, key=len, default="    ")
