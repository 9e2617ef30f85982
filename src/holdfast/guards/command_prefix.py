"""The rule that allows every command with the same first words: `pytest -q` is one of `pytest *`."""

from __future__ import annotations

import re
from itertools import takewhile

from holdfast.guards.commands import argv

_WORD = re.compile("[A-Za-z][A-Za-z0-9_:-]*")
"""A word that names what a program does: not an option, a path, a number or a text."""
_PROGRAM = re.compile(r"[\w./+-]+")
_MOST_ACTIONS = 2
_NEVER = re.compile(
    r"(ba|da|z|k|fi|tc|c)?sh|pwsh|(python|pypy|perl|ruby|php|lua|luajit|node|deno|bun|tclsh|guile)[\d.]*|"
    r"java|jshell|kotlin|scala|groovy|Rscript|R|julia|elixir|erl|ghci|runghc|ocaml|sbcl|swift|dotnet|wasmtime|"
    r"[gmn]?awk|sed|sudo|doas|su|env|exec|xargs|parallel|find|fd|nohup|nice|time|timeout|watch|"
    r"ssh|rm|mv|cp|dd|ln|chmod|chown|curl|wget"
)
"""Programs that run their arguments, or write where these say."""
_WITH_COMMANDS = re.compile(
    r"git|hg|svn|jj|npm|pnpm|yarn|npx|uvx|cargo|go|uv|pip[\d.]*|make|just|docker|podman|kubectl"
)
"""Programs of which the next word says what is done."""


def prefix_rule(command: str) -> str | None:
    """Return the rule for a command's first words, or None if none is safe to offer.

    The words are the program and up to two words after it that are no options, paths or texts.

    >>> prefix_rule("pytest -q tests"), prefix_rule("git commit -m 'x y'"), prefix_rule("npm run build")
    ('pytest *', 'git commit *', 'npm run build *')
    >>> prefix_rule("python -c 'print()'"), prefix_rule("pytest | tee log"), prefix_rule("git -C x log")
    (None, None, None)
    """
    program, *rest = _plain_words(command)
    name = program.rpartition("/")[2]
    if not _PROGRAM.fullmatch(program):
        return None
    if _NEVER.fullmatch(name):
        return None

    actions = list(takewhile(_WORD.fullmatch, rest[:_MOST_ACTIONS]))
    if not actions and _WITH_COMMANDS.fullmatch(name):
        return None

    return " ".join([program, *actions, "*"])


def covers(rule: str, command: str) -> bool:
    """Return whether a rule such as `pytest *` covers a command; never one that needs a shell.

    >>> covers("pytest *", "pytest -x"), covers("pytest *", "pytest -x; rm x"), covers("pytest *", "pytester")
    (True, False, False)
    """
    *wanted, star = rule.split() or [""]
    if star != "*":
        return False
    if not wanted:
        return False

    words = _plain_words(command)
    return words[: len(wanted)] == wanted


def _plain_words(command: str) -> list[str]:
    """Return the words of one plain command, or [""] if only a shell can run the line."""
    words = argv(command)
    if words[:2] == ("/bin/sh", "-c"):
        return [""]
    return list(words)
