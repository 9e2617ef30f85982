"""Which commands may run: unasked, after somebody was asked, or never.

Lexical: what a name on the disk leads to (a symlink, a script) is not known here. Unasked runs one plain command that
only reads, without a shell; or a line each of whose commands the user's rules allow. Whatever else it is, it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from holdfast.guards.shell.destructive_commands import find_harm
from holdfast.guards.shell.read_only_commands import why_not_prepared, why_not_unasked
from holdfast.guards.shell.shell_ast import ShellScript, ShellWord, SimpleCommand
from holdfast.guards.shell.shell_parser import TOO_DEEP, parse

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


CommandVerdict: TypeAlias = Allow | Ask | Refuse


def judge_command(command: str, rules: CommandRules) -> CommandVerdict:
    """Say whether a command may run.

    >>> judge_command("git status", CommandRules()), judge_command("pytest && make", CommandRules(("pytest", "make")))
    (Allow(), Allow())
    >>> judge_command("ls src | head", CommandRules())
    Ask(why='it is more than one command')
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
        return Refuse(
            f"{shown}: {TOO_DEEP} to be looked through; say it in simpler commands, one after the other."
        )
    harm = find_harm(command, script)
    if harm:
        return Refuse(f"{shown}: {harm}. Commands of this kind are never run; find another way.")
    for rule in rules.deny:
        if any(_begins(simple, rule) for simple in script.commands):
            return Refuse(
                f"{shown}: the rule '{rule}' forbids this; find another way, or say what you need it for."
            )
    return _judge_unasked(command, script, rules)


def _judge_unasked(command: str, script: ShellScript, rules: CommandRules) -> Allow | Ask:
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
    if all(_is_granted(simple, rules.allow) for simple in script.commands):
        why = next((why for simple in script.commands if (why := why_not_prepared(simple))), None)
    else:
        why = _why_shell(script) or why_not_unasked(argv(command))
    return Ask(why) if why else Allow()


def _is_granted(simple: SimpleCommand, allow: Iterable[str]) -> bool:
    """Whether a rule allows the words of this command; its redirections are not the rule's."""
    return any(_is_covered(simple, rule) for rule in allow)


def _begins(simple: SimpleCommand, rule: str) -> bool:
    """Whether the command begins with the words of the rule; by the plain name of the program, too."""
    wanted = rule.split()
    if wanted[-1:] == ["*"]:
        wanted = wanted[:-1]
    elif not wanted:
        return False
    words = [word.text for word in simple.words]
    return bool(words) and (
        words[: len(wanted)] == wanted or [simple.name, *words[1:]][: len(wanted)] == wanted
    )


def _is_covered(simple: SimpleCommand, rule: str) -> bool:
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
    return _why_shell(parse(command)) is not None


def _why_shell(script: ShellScript) -> str | None:
    """Return why only a shell can run this; None if it is one program and its words."""
    if script.doubts:
        return script.doubts[0]
    if len(script.commands) != 1:
        return "it is more than one command" if script.commands else "there is no command in it"
    simple = script.commands[0]
    if simple.assignments:
        return f"it sets {simple.assignments[0].partition('=')[0].removesuffix('+')}"
    if simple.redirects:
        return f"it redirects by {simple.redirects[0].operator}"
    unknown = next((word.text for word in simple.words if _is_expanded(word)), None)
    if unknown is not None:
        return f"what {unknown} stands for is not known beforehand"
    if script.operators:
        return "it holds an operator of the shell"
    if _BUILT_INS.fullmatch(simple.name):
        return f"{simple.name} is a command of the shell's own"
    return None


def _is_expanded(word: ShellWord) -> bool:
    """Whether a shell would put something else in the place of this word."""
    return word.expansion != "none" or word.glob or (word.text.startswith("~") and word.bare)


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
