"""Commands that are never run: their effect cannot be undone, or reaches outside the project."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.guards.shell.path_risk import is_protected, is_vital
from holdfast.guards.shell.shell_parser import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.guards.shell.shell_ast import ShellScript, ShellWord, SimpleCommand

_DEEPEST = 4
_ROOT = frozenset({"sudo", "su", "doas", "pkexec", "runuser"})
_DISKS = re.compile(
    r"mkfs(?:\..+)?|fdisk|sfdisk|parted|wipefs|mkswap|blkdiscard|cryptsetup|diskutil"
)
_POWER = frozenset({"shutdown", "reboot", "halt", "poweroff", "telinit"})
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "fish", "ash"})
_INTERPRETERS = re.compile(r"(?:python|perl|ruby|node|php|lua|osascript|deno|bun)[\d.]*")
_FETCHERS = frozenset({"curl", "wget", "fetch", "nc", "ncat", "aria2c"})
_WRITERS = frozenset(
    {"tee", "cp", "mv", "ln", "install", "rsync", "scp", "truncate", "touch", "dd", "sed"}
)
# Programs that run the words after them, and how many words of their own come first (not counting
# options).
_WRAPPERS: dict[str, int] = {
    **dict.fromkeys(
        ("command", "builtin", "exec", "nohup", "nice", "ionice", "time", "env", "xargs", "setsid"),
        0,
    ),
    **dict.fromkeys(
        ("stdbuf", "parallel", "busybox", "caffeinate", "unbuffer", "watch", "strace"), 0
    ),
    "timeout": 1,
    "chroot": 1,
    "flock": 1,
}
_WITH_VALUE = frozenset({"-u", "-C", "-I", "-s", "-k", "-n", "-d", "-E", "-L", "-P", "-a", "-w"})
# Bounded: otherwise a long command without a bomb would take quadratic time.
_BOMB = re.compile(
    r"(?<![\w:.])(?P<name>[\w:.]{1,40})\s?\(\s?\)\s?\{[^}]{0,200}(?P=name)\s?\|\s?(?P=name)\s?&"
)


def find_harm(command: str, script: ShellScript) -> str | None:
    """Return why a command must never be run, or None.

    >>> find_harm("cd / && sudo ls", parse("cd / && sudo ls"))
    'sudo acts as another user'
    """
    if _BOMB.search(command):
        return "it starts itself endlessly"
    return _find(script, 0)


def _find(script: ShellScript, depth: int) -> str | None:
    fed = _run_what_was_fetched(script) or _find_fed(script, depth)
    if fed:
        return fed
    for simple in script.commands:
        for redirect in simple.redirects:
            if ">" in redirect.operator and is_protected(redirect.target.text):
                return f"it writes to {redirect.target.text}"
        for unwrapped in _unwrapped(simple):
            why = _judge(unwrapped) or _find_inside(unwrapped, depth)
            if why:
                return why
    return None


def _find_inside(simple: SimpleCommand, depth: int) -> str | None:
    """Check a command that is passed as text: `bash -c '…'`, `eval '…'`."""
    if depth >= _DEEPEST:
        return None
    texts = [word.text for word in simple.words[1:]]
    if simple.name == "eval":
        return _find(parse(" ".join(texts)), depth + 1)
    if simple.name in {"env", "watch", "parallel"}:
        texts = [text for text in texts if " " in text]
    elif simple.name not in _SHELLS:
        return None
    else:
        texts += [
            redirect.target.text for redirect in simple.redirects if redirect.operator == "<<<"
        ]
    return next((why for text in texts if (why := _find(parse(text), depth + 1))), None)


def _find_fed(script: ShellScript, depth: int) -> str | None:
    """Check the input of a shell: a here-document, or the words of `echo … | sh`."""
    shells = {
        simple.pipeline
        for simple in script.commands
        if any(one.name in _SHELLS for one in _unwrapped(simple))
    }
    if not shells or depth >= _DEEPEST:
        return None
    said = (
        simple
        for simple in script.commands
        if simple.name in {"echo", "printf"} and simple.pipeline in shells
    )
    texts = [*script.bodies, *(" ".join(word.text for word in simple.words[1:]) for simple in said)]
    return next((why for text in texts if (why := _find(parse(text), depth + 1))), None)


def _unwrapped(simple: SimpleCommand) -> list[SimpleCommand]:
    """Return the command and the commands that it runs: `env X=1 timeout 5 rm` has three."""
    found = [simple]
    while len(found) < 8:
        words = found[-1].words
        if not words:
            break
        if found[-1].name == "find":
            starts = [
                at
                for at, word in enumerate(words)
                if word.text in {"-exec", "-execdir", "-ok", "-okdir"}
            ]
            rest: Sequence[ShellWord] = words[starts[0] + 1 :] if starts else ()
        elif found[-1].name in _WRAPPERS:
            rest = _after_options(words[1:], _WRAPPERS[found[-1].name])
        else:
            break
        if not rest:
            break
        found.append(replace(found[-1], words=tuple(rest)))
    return found


def _after_options(words: Sequence[ShellWord], own: int) -> Sequence[ShellWord]:
    at = 0
    while at < len(words) and (words[at].text.startswith("-") or "=" in words[at].text):
        at += 2 if words[at].text in _WITH_VALUE else 1
    return words[at + own :]


def _run_what_was_fetched(script: ShellScript) -> str | None:
    why = "it runs code that it downloads, unseen"
    within = {simple.inside for simple in script.commands if simple.name in _FETCHERS}
    fetching = {simple.pipeline for simple in script.commands if simple.name in _FETCHERS}
    for index, simple in enumerate(script.commands):
        runs = any(_runs_text(one) for one in _unwrapped(simple))
        if runs and simple.pipeline in fetching and simple.name not in _FETCHERS:
            return why
        if (runs or simple.name in {"eval", "source", "."}) and index in within:
            return why
    return None


def _runs_text(simple: SimpleCommand) -> bool:
    """Return whether the command runs its input.

    A shell does, and an interpreter without a program argument.
    """
    if simple.name in _SHELLS or simple.name in {"source", "eval"}:
        return True
    own = [
        word.text for word in simple.words[1:] if word.text == "-c" or not word.text.startswith("-")
    ]
    return _INTERPRETERS.fullmatch(simple.name) is not None and (
        not own or own[0].startswith(("/dev/stdin", "<("))
    )


# ------------------------------------------------------------------------------------- each program


def _judge(simple: SimpleCommand) -> str | None:
    name, words = simple.name, [word.text for word in simple.words[1:]]
    if name in _ROOT:
        return f"{name} acts as another user"
    if _DISKS.fullmatch(name):
        return f"{name} changes a disk"
    if name in _POWER or (name == "init" and words[:1] in (["0"], ["6"])):
        return f"{name} stops the machine"
    if name in _WRITERS:
        why = _write(name, words)
        if why:
            return why
    judge = _JUDGES.get(name)
    return judge(words) if judge else None


def _write(name: str, words: Sequence[str]) -> str | None:
    targets = [word.removeprefix("of=") for word in words if not word.startswith(("-", "if="))]
    # `cp` and similar commands write only to the last path, unless a target directory is named.
    directory = any(word.startswith(("-t", "--target")) for word in words)
    if name in {"cp", "install", "rsync", "scp", "ln"} and not directory:
        targets = targets[-1:]
    if name == "sed" and not any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in words):
        return None
    return next((f"{name} writes to {target}" for target in targets if is_protected(target)), None)


def _remove(words: Sequence[str]) -> str | None:
    deep = any(
        re.fullmatch(r"-[a-zA-Z]*[rR][a-zA-Z]*|--recursive|--no-preserve-root", word)
        for word in words
    )
    targets = [word for word in words if not word.startswith("-")]
    vital = next((word for word in targets if is_vital(word)), None)
    if deep and vital:
        return f"it deletes all of '{vital}'"
    # A stale `.git/index.lock` may be removed.
    return next(
        (
            f"it deletes {word}"
            for word in targets
            if is_protected(word) and ".git" not in word.split("/")
        ),
        None,
    )


def _open_up(words: Sequence[str]) -> str | None:
    deep = any(re.fullmatch(r"-[a-zA-Z]*R[a-zA-Z]*|--recursive", word) for word in words)
    targets = (word for word in words if not word.startswith(("-", ".")) or word.startswith(".."))
    vital = next((word for word in targets if is_vital(word)), None)
    return f"it changes the permissions of all of '{vital}'" if deep and vital else None


def _find_and_delete(words: Sequence[str]) -> str | None:
    place = words[0] if words else "."
    acts = any(word == "-delete" for word in words) or ("-exec" in words and "rm" in words)
    return f"it deletes all of '{place}'" if acts and is_vital(place) and place != "." else None


def _git(words: Sequence[str]) -> str | None:
    if "push" not in words:
        return None
    rest = words[list(words).index("push") + 1 :]
    forced = any(re.fullmatch(r"--force|--mirror|\+\S+|-\w*f\w*", word) for word in rest)
    return (
        "a forced push overwrites the work of others; push without force, or let a person do it"
        if forced
        else None
    )


def _kill(words: Sequence[str]) -> str | None:
    everything = any(word in {"-1", "1", "0"} for word in words[1:]) or words == ["1"]
    return "it ends all processes" if everything else None


def _crontab(words: Sequence[str]) -> str | None:
    return "it changes the machine's scheduled jobs" if words and words[0] != "-l" else None


def _systemctl(words: Sequence[str]) -> str | None:
    acts = {"poweroff", "reboot", "halt", "kexec", "suspend", "hibernate", "rescue", "emergency"}
    return "it stops the machine" if any(word in acts for word in words) else None


_JUDGES: dict[str, Callable[[Sequence[str]], str | None]] = {
    "rm": _remove,
    "chmod": _open_up,
    "chown": _open_up,
    "chgrp": _open_up,
    "find": _find_and_delete,
    "git": _git,
    "kill": _kill,
    "crontab": _crontab,
    "systemctl": _systemctl,
    "mv": lambda words: next(
        (f"it moves {word}" for word in words[:-1] if is_vital(word) and word != "."), None
    ),
    "shred": lambda words: next(
        (f"it overwrites {word}" for word in words if is_protected(word)), None
    ),
}
