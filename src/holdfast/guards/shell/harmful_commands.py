"""Commands that are never run, in no mode: a short list of accidents that nobody can undo.

This is no protection, for a line can be written in many ways: the sandbox protects. The list helps
where there is no sandbox, and it returns a reason at once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.guards.shell.words import rough_commands

if TYPE_CHECKING:
    from collections.abc import Sequence

_OTHER_USER = frozenset({"sudo", "su", "doas", "pkexec", "runuser"})
_DISKS = re.compile(r"mkfs(?:\..+)?|fdisk|sfdisk|parted|wipefs|mkswap|blkdiscard|cryptsetup")
_POWER = frozenset({"shutdown", "reboot", "halt", "poweroff"})
_VITAL = re.compile(
    r"/?(?:\.\.?/)*\.\./?\*?|/\*?|(?:\./)?\.git/?"
    r"|(?:~|\$HOME|/root|/home(?:/[^/]+)?|/Users(?:/[^/]+)?)(?:/\*?)?"
    r"|/(?:bin|boot|dev|etc|lib\d*|opt|proc|sbin|srv|sys|usr|var|System|Library)(?:/\*?)?"
)
_DEEP = re.compile(r"-[a-zA-Z]*[rR][a-zA-Z]*|--recursive|-delete")
_REMOVERS = frozenset({"rm", "chmod", "chown", "chgrp", "find"})
_FORCE = re.compile(r"--force|--mirror|\+\S+|-\w*f\w*")
# Bounded: otherwise a long command without a bomb would take quadratic time.
_BOMB = re.compile(
    r"(?<![\w:.])(?P<name>[\w:.]{1,40})\s?\(\s?\)\s?\{[^}]{0,200}(?P=name)\s?\|\s?(?P=name)\s?&"
)
_FETCHED = re.compile(r"\b(?:curl|wget)\b[^;&\n]{0,300}\|\s*(?:[\w/]*/)?(?:ba|da|z|k)?sh\b")


def find_harm(line: str) -> str | None:
    """Return why a line must never be run, or None.

    >>> find_harm("cd / && sudo ls"), find_harm("rm -rf build")
    ('sudo acts as another user', None)
    """
    if _BOMB.search(line):
        return "it starts itself endlessly"
    if _FETCHED.search(line):
        return "it runs code that it downloads, unseen"
    for words in rough_commands(line.replace("${HOME}", "$HOME")):
        why = _judge(words[0].rpartition("/")[2], words[1:])
        if why:
            return why
    return None


def _judge(name: str, words: Sequence[str]) -> str | None:
    if name in _OTHER_USER:
        return f"{name} acts as another user"
    if _DISKS.fullmatch(name):
        return f"{name} changes a disk"
    if name in _POWER:
        return f"{name} stops the machine"
    if name == "dd" and any(word.startswith("of=/dev/") for word in words):
        return "dd overwrites a device"
    if name == "git" and "push" in words and any(map(_FORCE.fullmatch, words)):
        return (
            "a forced push overwrites the work of others; push without force, or let a person do it"
        )
    if name in _REMOVERS and any(map(_DEEP.fullmatch, words)):
        return _judge_targets(name, words)
    return None


def _judge_targets(name: str, words: Sequence[str]) -> str | None:
    for word in words:
        if _VITAL.fullmatch(word):
            return f"{name} changes all of '{word}'"
    return None
