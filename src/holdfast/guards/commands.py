"""Judge whether a command runs without asking, after asking, or never.

Two things run without asking: one plain command that only reads, without a shell and in a sandbox
that can write nothing; and what the user's rules allow. Everything else is asked for. What a
command can do is decided by the sandbox, not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from holdfast.guards.shell.harmful_commands import find_harm
from holdfast.guards.shell.read_command import NotRead, ReadCommand
from holdfast.guards.shell.read_only_programs import judge_words
from holdfast.guards.shell.words import NeedsShell, rough_commands, split_words
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST = 32_000
_SHOWN = 200
"""How many characters of a command a message shows."""
_GIT = lazy_pattern(r"(?<![\w./-])git(?![\w.-])")


@dataclass(frozen=True, slots=True)
class CommandRules:
    """The user's rules, on top of the built-in ones. A rule is a list of words.

    `npm test`, or `pytest *` for any more words.

    An `allow` rule matches one plain command, and without a star all of it; or it is the exact text
    of a line, with operators and all. An `ask` or `deny` rule matches every command that begins
    with its words, anywhere in a line. `deny` takes precedence over `ask`, and `ask` over `allow`.
    """

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Allow:
    """The command may run without asking: the user's rules say so."""


@dataclass(frozen=True, slots=True)
class AllowRead:
    """The command only reads: it may run without asking in the level `read`, and in no other.

    Whether it may read that is decided by where its paths lead.
    """

    command: ReadCommand


@dataclass(frozen=True, slots=True)
class Ask:
    """The command needs approval; `why` is part of the question."""

    why: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """The command is never run; `message` is the reason that the model receives."""

    message: str


CommandVerdict: TypeAlias = Allow | AllowRead | Ask | Refuse


def judge_command(command: str, rules: CommandRules) -> CommandVerdict:
    """Return whether a command may run.

    >>> judge_command("wc -l a.py", CommandRules())
    AllowRead(command=ReadCommand(argv=('wc', '-l', 'a.py'), paths=('a.py',), prints=True, git=None, revisions=()))
    >>> judge_command("pytest -q", CommandRules(("pytest *",)))
    Allow()
    >>> judge_command("ls src | head", CommandRules())
    Ask(why='it is more than one command')
    >>> judge_command("rm -rf /", CommandRules())
    Refuse(message="rm -rf /: rm changes all of '/'. Commands of this kind are never run; find another way.")
    """
    if not command.strip():
        return Refuse("the command is empty; send the command to run.")
    if "\0" in command:
        return Refuse("the command contains a NUL character, which no shell accepts; leave it out.")

    why = _why_refused(command, rules.deny)
    if why is not None:
        shown = command
        if len(command) > _SHOWN:
            shown = f"{command[:_SHOWN]}…"
        return Refuse(f"{shown}: {why}")

    asked = _matching_rule(command, rules.ask)
    if asked is not None:
        return Ask(f"the rule '{asked}' requires approval")

    return _judge_unasked(command, rules.allow)


def _why_refused(command: str, deny: Sequence[str]) -> str | None:
    if len(command) > _LONGEST:
        return "this is too long to check; write a script file and run that."

    harm = find_harm(command)
    if harm:
        return f"{harm}. Commands of this kind are never run; find another way."

    denied = _matching_rule(command, deny)
    if denied is not None:
        return f"the rule '{denied}' forbids this; find another way, or say why you need it."

    return None


def _judge_unasked(command: str, allow: Sequence[str]) -> Allow | AllowRead | Ask:
    # The user has allowed exactly this text, operators included.
    if command.strip() in {rule.strip() for rule in allow}:
        return Allow()

    words = split_words(command)
    if isinstance(words, NeedsShell):
        return Ask(words.why)
    if any(covers_words(rule, words) for rule in allow):
        return Allow()

    judged = judge_words(words)
    if isinstance(judged, NotRead):
        return Ask(judged.why)

    return AllowRead(judged)


def covers_words(rule: str, words: Sequence[str]) -> bool:
    """Return whether an `allow` rule matches all words, or with a star the first ones."""
    wanted = rule.split()
    if wanted[-1:] == ["*"]:
        return list(words[: len(wanted) - 1]) == wanted[:-1]
    return list(words) == wanted


def _matching_rule(command: str, rules: Sequence[str]) -> str | None:
    """Return the first rule with which a command in the line begins, or None."""
    found = rough_commands(command)
    plain = split_words(command)
    if isinstance(plain, tuple):
        found = [list(plain), *found]

    for rule in rules:
        wanted = rule.split()
        if any(_begins(words, wanted) for words in found):
            return rule

    return None


def _begins(words: Sequence[str], wanted: list[str]) -> bool:
    """Return whether a command begins with these words, also without the program's directory."""
    if not wanted:
        return False

    if wanted[-1] == "*":
        wanted = wanted[:-1]

    begin = list(words[: len(wanted)])
    name = words[0].rpartition("/")[2]
    return wanted in (begin, [name, *begin[1:]])


def argv(command: str) -> tuple[str, ...]:
    """Return the words to execute.

    Those of the command, or `/bin/sh -c` where only a shell can run it.

    >>> argv("pytest -q 'a b'")
    ('pytest', '-q', 'a b')
    >>> argv("ls | wc")
    ('/bin/sh', '-c', 'ls | wc')
    """
    words = split_words(command)
    if isinstance(words, NeedsShell):
        return ("/bin/sh", "-c", command)
    return words


def only_reads(command: str) -> bool:
    """Return whether this is one plain command that only reads: it changes no file.

    >>> only_reads("git log -3"), only_reads("sed -i s/a/b/ x"), only_reads("ls | wc")
    (True, False, False)
    """
    return isinstance(_judge_unasked(command, allow=()), AllowRead)


def runs_git(command: str) -> bool:
    """Return whether the line names git, which may have to write into the git directory.

    >>> runs_git("git add -A && git commit -m x"), runs_git("cat .gitignore")
    (True, False)
    """
    return _GIT.search(command) is not None
