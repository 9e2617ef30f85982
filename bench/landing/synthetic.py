"""Sources written here: for languages that a Python installation does not carry, and as repetitive as real code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from bench.landing import words


@dataclass(frozen=True, slots=True)
class Routine:
    """One function to print in any language."""

    name: str
    about: str
    arg: str
    local: str
    call: str
    limit: int
    code: int
    item: str


def routine(rng: Random) -> Routine:
    """A function with names and numbers of its own."""
    return Routine(
        name=words.name(rng),
        about=words.sentence(rng),
        arg=words.noun(rng),
        local=words.noun(rng) + "_" + rng.choice(("state", "view", "count", "total", "cache")),
        call=words.name(rng),
        limit=rng.randint(2, 999),
        code=rng.randint(100, 9999),
        item=rng.choice(("entry", "item", "part", "child", "node")),
    )


def _python(it: Routine) -> list[str]:
    return [
        f"def {it.name}({it.arg}, limit={it.limit}):",
        f'    """{it.about}."""',
        f"    {it.local} = {it.call}({it.arg}.root, limit)",
        f"    if {it.local} is None or {it.local}.size > {it.limit}:",
        f'        raise ValueError("{it.arg} is too large", {it.code})',
        f"    # {it.about.lower()}",
        f"    for {it.item} in {it.local}.entries():",
        f"        {it.item}.refresh({it.code}, force=True)",
        "",
        f"    return {it.local}.close()",
        "",
        "",
    ]


def _go(it: Routine) -> list[str]:
    name, call, local = words.camel(it.name), words.camel(it.call), words.camel(it.local)
    return [
        f"// {name} will {it.about.lower()}.",
        f"func {name}({it.arg} *Source, limit int) (int, error) {{",
        f"\t{local}, err := {call}({it.arg}.Root, limit)",
        "\tif err != nil {",
        f'\t\treturn 0, fmt.Errorf("{it.arg} failed with code {it.code}: %w", err)',
        "\t}",
        "",
        f"\tfor _, {it.item} := range {local}.Entries() {{",
        f"\t\tif {it.item}.Size > {it.limit} && !{it.item}.Done {{",
        f"\t\t\t{it.item}.Refresh({it.code})",
        "\t\t}",
        "\t}",
        f"\treturn {local}.Close()",
        "}",
        "",
    ]


def _rust(it: Routine) -> list[str]:
    return [
        f"/// {it.about}.",
        f"pub fn {it.name}({it.arg}: &Source, limit: usize) -> Result<usize, Error> {{",
        f"    let {it.local} = {it.call}(&{it.arg}.root, limit)?;",
        f"    if {it.local}.size() > {it.limit} {{",
        f'        return Err(Error::new("{it.arg} is too large", {it.code}));',
        "    }",
        f"    // {it.about.lower()}",
        f"    for {it.item} in {it.local}.entries() {{",
        f"        {it.item}.refresh({it.code}, true);",
        "    }",
        "",
        f"    Ok({it.local}.close())",
        "}",
        "",
    ]


def _java(it: Routine) -> list[str]:
    name, call, local = words.camel(it.name), words.camel(it.call), words.camel(it.local)
    return [
        "    /**",
        f"     * {it.about}.",
        "     */",
        f"    public int {name}(Source {it.arg}, int limit) throws IOException {{",
        f"        View {local} = {call}({it.arg}.root(), limit);",
        f"        if ({local} == null || {local}.size() > {it.limit}) {{",
        f'            throw new IOException("{it.arg} is too large: " + {it.code});',
        "        }",
        f"        for (Entry {it.item} : {local}.entries()) {{",
        f"            {it.item}.refresh({it.code}, true);",
        "        }",
        "",
        f"        return {local}.close();",
        "    }",
        "",
    ]


def _typescript(it: Routine) -> list[str]:
    name, call, local = words.camel(it.name), words.camel(it.call), words.camel(it.local)
    return [
        f"// {it.about}.",
        f"export async function {name}({it.arg}: Source, limit = {it.limit}): Promise<number> {{",
        f"  const {local} = await {call}({it.arg}.root, limit);",
        f"  if ({local} === null || {local}.size > {it.limit}) {{",
        f"    throw new Error(`{it.arg} is too large: ${{{it.arg}.id}}`);",
        "  }",
        "",
        f"  for (const {it.item} of {local}.entries()) {{",
        f'    {it.item}.refresh({it.code}, {{ force: true, mode: "{it.arg}" }});',
        "  }",
        f"  return {local}.close();",
        "}",
        "",
    ]


def _c(it: Routine) -> list[str]:
    return [
        f"/* {it.about}. */",
        "static int",
        f"{it.name}(struct source *{it.arg}, size_t limit)",
        "{",
        f"\tstruct view *{it.local};",
        "",
        f"\t{it.local} = {it.call}({it.arg}->root, limit);",
        f"\tif ({it.local} == NULL || {it.local}->size > {it.limit})",
        f"\t\treturn (-{it.code});",
        f"\tfor (size_t i = 0; i < {it.local}->count; i++)",
        f"\t\trefresh_{it.item}(&{it.local}->entries[i], {it.code});",
        f"\treturn (close_view({it.local}));",
        "}",
        "",
    ]


def _css(it: Routine) -> list[str]:
    return [
        f"/* {it.about}. */",
        f".{it.name.replace('_', '-')} {{",
        f"  max-width: {it.limit}px;",
        f"  z-index: {it.code};",
        f"  animation: {it.call.replace('_', '-')} 1s linear infinite;",
        f'  content: "{it.arg}";',
        "  color: var(--foreground);",
        "}",
        "",
    ]


def _yaml(it: Routine) -> list[str]:
    return [
        f"  # {it.about.lower()}",
        f"  {it.name}:",
        f"    image: registry/{it.arg}:{it.limit}",
        "    restart: always",
        "    environment:",
        f"      LIMIT: {it.code}",
        f"      MODE: {it.call}",
        "    ports:",
        f"      - {it.code}:{it.limit}",
        "",
    ]


@dataclass(frozen=True, slots=True)
class Language:
    """How a source of this language begins, continues and ends."""

    suffix: str
    head: tuple[str, ...]
    body: Callable[[Routine], list[str]]
    tail: tuple[str, ...] = ()


LANGUAGES: Final[dict[str, Language]] = {
    "python": Language(".py", ("import logging", "from pathlib import Path", "", ""), _python),
    "go": Language(
        ".go", ("package store", "", "import (", '\t"fmt"', '\t"io"', '\t"strings"', ")", ""), _go
    ),
    "rust": Language(
        ".rs", ("use std::fmt;", "use std::io;", "use crate::source::Source;", ""), _rust
    ),
    "java": Language(
        ".java", ("import java.io.IOException;", "", "public class Store {", ""), _java, ("}",)
    ),
    "typescript": Language(
        ".ts",
        ('import { Source } from "./source";', 'import { log } from "./log";', ""),
        _typescript,
    ),
    "c": Language(
        ".c", ("#include <stddef.h>", "#include <stdio.h>", "", '#include "source.h"', ""), _c
    ),
    "css": Language(".css", (":root {", "  --foreground: #1a1b1c;", "}", ""), _css),
    "yaml": Language(".yml", ('version: "3"', "services:"), _yaml),
}


def write_source(rng: Random, lang: str) -> tuple[str, list[str]]:
    """A file name and its lines."""
    language = LANGUAGES[lang]
    lines = list(language.head)
    for _ in range(rng.randint(4, 40)):
        lines += language.body(routine(rng))
    while lines and not lines[-1].strip():
        lines.pop()
    return f"src/{words.noun(rng)}_{words.noun(rng)}{language.suffix}", [*lines, *language.tail]
