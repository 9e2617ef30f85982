"""Judge whether a command runs without asking, after asking, or never.

The judgement is lexical: it does not know what a name on disk refers to (a symlink, a script). Two
things run without asking: one plain command that only reads, without a shell; and a command line
whose every command is allowed by the user's rules. Everything else is asked for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from holdfast.guards.shell.destructive_commands import find_harm
from holdfast.guards.shell.read_only_commands import why_not_prepared, why_not_unasked
from holdfast.guards.shell.shell_parser import TOO_DEEP, parse
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.guards.shell.shell_ast import ShellScript, ShellWord, SimpleCommand

_LONGEST = 32_000
_BUILT_INS = re.compile(
    r"[.:]|alias|bg|bind|break|builtin|caller|cd|command|continue|declare|dirs|disown|enable|eval|exec|exit|export|fc|fg|"
    r"getopts|hash|help|history|jobs|let|local|logout|mapfile|popd|pushd|read|readonly|return|set|shift|shopt|source|"
    r"suspend|times|trap|type|typeset|ulimit|umask|unalias|unset|wait"
)


@dataclass(frozen=True, slots=True)
class CommandRules:
    """The user's rules, on top of the built-in ones. A rule is a list of words.

    `npm test`, or `pytest *` for any more words.

    An `allow` rule without a star matches the whole command; an `ask` or `deny` rule matches every
    command that begins with its words. `deny` takes precedence over `ask`, and `ask` over `allow`.
    A rule never matches across an operator.
    """

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Allow:
    """The command may run without asking."""


@dataclass(frozen=True, slots=True)
class Ask:
    """The command needs approval; `why` is part of the question."""

    why: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """The command is never run; `message` is the reason that the model receives."""

    message: str


CommandVerdict: TypeAlias = Allow | Ask | Refuse


def judge_command(command: str, rules: CommandRules) -> CommandVerdict:
    """Return whether a command may run.

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
        return Refuse("the command contains a NUL character, which no shell accepts; leave it out.")
    shown = command if len(command) <= 200 else f"{command[:200]}…"
    if len(command) > _LONGEST:
        return Refuse(f"{shown}: this is too long to check; write a script file and run that.")
    script = parse(command)
    if TOO_DEEP in script.doubts:
        return Refuse(f"{shown}: {TOO_DEEP} to check; use simpler commands, one after the other.")
    harm = find_harm(command, script)
    if harm:
        return Refuse(f"{shown}: {harm}. Commands of this kind are never run; find another way.")
    for rule in rules.deny:
        if any(_begins(simple, rule) for simple in script.commands):
            return Refuse(
                f"{shown}: the rule '{rule}' forbids this; find another way, or say why you need it."
            )
    return _judge_unasked(command, script, rules)


def _judge_unasked(command: str, script: ShellScript, rules: CommandRules) -> Allow | Ask:
    for rule in rules.ask:
        if any(_begins(simple, rule) for simple in script.commands):
            return Ask(f"the rule '{rule}' requires approval")
    # The user has allowed exactly this text, operators included.
    if command.strip() in {rule.strip() for rule in rules.allow}:
        return Allow()
    if script.doubts:
        return Ask(script.doubts[0])
    if not script.commands:
        return Ask("it contains no command")
    if all(_is_granted(simple, rules.allow) for simple in script.commands):
        why = next((why for simple in script.commands if (why := why_not_prepared(simple))), None)
    else:
        why = _why_shell(script) or why_not_unasked(argv(command))
    return Ask(why) if why else Allow()


def only_reads(command: str) -> bool:
    """Return whether this is one plain command that only reads: it changes no file.

    >>> only_reads("git log -3"), only_reads("sed -i s/a/b/ x"), only_reads("ls | wc")
    (True, False, False)
    """
    return _why_shell(parse(command)) is None and why_not_unasked(argv(command)) is None


def _is_granted(simple: SimpleCommand, allow: Iterable[str]) -> bool:
    """Return whether a rule allows the words of this command.

    A rule does not cover redirections.
    """
    return any(_is_covered(simple, rule) for rule in allow)


def _begins(simple: SimpleCommand, rule: str) -> bool:
    """Return whether the command begins with the words of the rule, also without the program's directory."""
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
    """Return whether the rule matches the command.

    All of its words, or with a star its first words.
    """
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
    """Return whether only a shell can run the command; if not, `argv` returns the words to execute.

    >>> needs_shell("pytest -q 'a b'"), needs_shell("ls | wc"), needs_shell("ls *.py"), needs_shell(": now")
    (False, True, True, True)
    """
    return _why_shell(parse(command)) is not None


def _why_shell(script: ShellScript) -> str | None:
    """Return why only a shell can run this, or None if it is one program with its arguments."""
    if script.doubts:
        return script.doubts[0]
    if len(script.commands) != 1:
        return "it is more than one command" if script.commands else "it contains no command"
    simple = script.commands[0]
    if simple.assignments:
        return f"it sets {simple.assignments[0].partition('=')[0].removesuffix('+')}"
    if simple.redirects:
        return f"it redirects with {simple.redirects[0].operator}"
    unknown = next((word.text for word in simple.words if _is_expanded(word)), None)
    if unknown is not None:
        return f"the shell decides what {unknown} expands to"
    if script.operators:
        return "it contains a shell operator"
    if _BUILT_INS.fullmatch(simple.name):
        return f"{simple.name} is a shell built-in"
    return None


def _is_expanded(word: ShellWord) -> bool:
    """Return whether a shell would replace this word by something else."""
    return word.expansion != "none" or word.glob or (word.text.startswith("~") and word.bare)


def argv(command: str) -> tuple[str, ...]:
    """Return the words to execute.

    Those of the command, or `/bin/sh -c` where only a shell can run it.

    >>> argv("pytest -q 'a b'")
    ('pytest', '-q', 'a b')
    >>> argv("ls | wc")
    ('/bin/sh', '-c', 'ls | wc')
    """
    if needs_shell(command):
        return ("/bin/sh", "-c", command)
    return tuple(word.text for word in parse(command).commands[0].words)
