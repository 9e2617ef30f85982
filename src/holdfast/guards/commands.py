"""Which commands may run: unasked, after somebody was asked, or never.

Lexical: what a name on the disk leads to (a symlink, a script) is not known here. Every simple command that a shell
would find has to be allowed for the whole to be; whatever is not understood is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from holdfast.guards.harm import find_harm
from holdfast.guards.reading import why_not_prepared, why_not_unasked
from holdfast.guards.script import Script, Simple
from holdfast.guards.shell import TOO_DEEP, parse

_LONGEST = 32_000
_BUILT_INS = re.compile(
    r"[.:]|alias|bg|bind|break|builtin|caller|cd|command|continue|declare|dirs|disown|enable|eval|exec|exit|export|fc|fg|"
    r"getopts|hash|help|history|jobs|let|local|logout|mapfile|popd|pushd|read|readonly|return|set|shift|shopt|source|"
    r"suspend|times|trap|type|typeset|ulimit|umask|unalias|unset|wait"
)


@dataclass(frozen=True, slots=True)
class CommandRules:
    """Rules of a user on top of what is built in. A rule is words, such as `npm test`; `pytest *` takes any more.

    An `allow` rule without a star is the whole command; an `ask` or `deny` rule matches whatever begins with its words.
    `deny` goes before `ask`, and `ask` before `allow`. A rule never reaches across an operator.
    """

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Allow:
    """It may run unasked."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Somebody has to say yes first; `why` is part of the question."""

    why: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """It is never run; `message` is what the model is told."""

    message: str


Verdict: TypeAlias = Allow | Ask | Refuse


def judge_command(command: str, rules: CommandRules) -> Verdict:
    """Say whether a command may run.

    >>> judge_command("git status && ls src | head", CommandRules())
    Allow()
    >>> judge_command("pytest -q && make", CommandRules(allow=("pytest *",)))
    Ask(why='make is not on the list of commands that run unasked')
    >>> judge_command("rm -rf /", CommandRules())
    Refuse(message="rm -rf /: it deletes all of '/'. Commands of this kind are never run; find another way.")
    """
    if not command.strip():
        return Refuse("the command is empty; give the command to run.")
    if "\0" in command:
        return Refuse("the command holds a NUL character, which no shell takes; leave it out.")
    shown = command if len(command) <= 200 else f"{command[:200]}…"
    if len(command) > _LONGEST:
        return Refuse(f"{shown}: this is too long to be looked through; write a file and run that.")
    script = parse(command)
    if TOO_DEEP in script.doubts:
        return Refuse(f"{shown}: {TOO_DEEP} to be looked through; say it in simpler commands, one after the other.")
    harm = find_harm(command, script)
    if harm:
        return Refuse(f"{shown}: {harm}. Commands of this kind are never run; find another way.")
    for rule in rules.deny:
        if any(_begins(simple, rule) for simple in script.commands):
            return Refuse(f"{shown}: the rule '{rule}' forbids this; find another way, or say what you need it for.")
    return _judge_unasked(command, script, rules)


def _judge_unasked(command: str, script: Script, rules: CommandRules) -> Allow | Ask:
    for rule in rules.ask:
        if any(_begins(simple, rule) for simple in script.commands):
            return Ask(f"the rule '{rule}' wants it to be asked")
    # Somebody has allowed this very text, operators and all.
    if command.strip() in {rule.strip() for rule in rules.allow}:
        return Allow()
    if script.doubts:
        return Ask(script.doubts[0])
    if not script.commands:
        return Ask("there is no command in it")
    why = next((why for simple in script.commands if (why := _why_ask(simple, rules.allow))), None)
    return Ask(why) if why else Allow()


def _why_ask(simple: Simple, allow: Iterable[str]) -> str | None:
    """Say why one simple command has to be asked; a rule frees its words, not its redirections."""
    if any(_is_covered(simple, rule) for rule in allow):
        return why_not_prepared(simple)
    return why_not_unasked(simple)


def _begins(simple: Simple, rule: str) -> bool:
    """Whether the command begins with the words of the rule; by the plain name of the program, too."""
    wanted = rule.split()
    if wanted[-1:] == ["*"]:
        wanted = wanted[:-1]
    elif not wanted:
        return False
    words = [word.text for word in simple.words]
    return bool(words) and (words[: len(wanted)] == wanted or [simple.name, *words[1:]][: len(wanted)] == wanted)


def _is_covered(simple: Simple, rule: str) -> bool:
    """Whether the words of the rule are those of the command: all of them, or, with a star, its first ones."""
    wanted = rule.split()
    open_ended = wanted[-1:] == ["*"]
    wanted = wanted[:-1] if open_ended else wanted
    words = simple.words[: len(wanted)]
    if not (wanted or open_ended) or [word.text for word in words] != wanted:
        return False
    if any(word.expansion != "none" or word.glob for word in words):
        return False
    return open_ended or len(simple.words) == len(wanted)


def needs_shell(command: str) -> bool:
    """Whether only a shell can run it; if not, `argv` is all there is to run.

    >>> needs_shell("pytest -q 'a b'"), needs_shell("ls | wc"), needs_shell("ls *.py"), needs_shell(": now")
    (False, True, True, True)
    """
    script = parse(command)
    if script.doubts or script.operators or len(script.commands) != 1:
        return True
    simple = script.commands[0]
    if not simple.words or simple.assignments or simple.redirects or _BUILT_INS.fullmatch(simple.name):
        return True
    return any(w.expansion != "none" or w.glob or (w.text.startswith("~") and w.bare) for w in simple.words)


def argv(command: str) -> tuple[str, ...]:
    """Give the words to run: those of the command, or a shell with the command where only a shell can run it.

    >>> argv("pytest -q 'a b'")
    ('pytest', '-q', 'a b')
    >>> argv("ls | wc")
    ('/bin/sh', '-c', 'ls | wc')
    """
    if needs_shell(command):
        return ("/bin/sh", "-c", command)
    return tuple(word.text for word in parse(command).commands[0].words)
