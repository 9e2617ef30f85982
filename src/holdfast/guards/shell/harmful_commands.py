"""Commands that are never run, in no mode: a short list of accidents that nobody can undo.

This is no protection, for a line can be written in many ways: the sandbox protects. The list helps
where there is no sandbox, and it returns a reason at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.guards.shell.words import rough_commands
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NEVER = lazy_pattern(
    r"(?P<user>sudo|su|doas|pkexec|runuser)|(?P<power>shutdown|reboot|halt|poweroff)"
    r"|(?P<disk>mkfs(?:\..+)?|fdisk|sfdisk|parted|wipefs|mkswap|blkdiscard|cryptsetup)"
)
_DOES: Mapping[str | None, str] = {
    "user": "acts as another user",
    "power": "stops the machine",
    "disk": "changes a disk",
}
_VITAL = lazy_pattern(
    r"/?(?:\.\.?/)*\.\./?\*?|/\*?|(?:\./)?\.git/?"
    r"|(?:~|\$HOME|/root|/home(?:/[^/]+)?|/Users(?:/[^/]+)?)(?:/\*?)?"
    r"|/(?:bin|boot|dev|etc|lib\d*|opt|proc|sbin|srv|sys|usr|var|System|Library)(?:/\*?)?"
)
_DEEP = lazy_pattern(r"-[a-zA-Z]*[rR][a-zA-Z]*|--recursive|-delete")
_DEVICE = lazy_pattern(r"of=/dev/")
_FORCE = lazy_pattern(r"--force|--mirror|\+\S+|-\w*f\w*")
# Bounded: otherwise a long command without a bomb would take quadratic time.
_BOMB = lazy_pattern(
    r"(?<![\w:.])(?P<name>[\w:.]{1,40})\s?\(\s?\)\s?\{[^}]{0,200}(?P=name)\s?\|\s?(?P=name)\s?&"
)
_FETCHED = lazy_pattern(r"\b(?:curl|wget)\b[^;&\n]{0,300}\|\s*(?:[\w/]*/)?(?:ba|da|z|k)?sh\b")


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
    never = _NEVER.fullmatch(name)
    if never:
        return f"{name} {_DOES[never.lastgroup]}"

    match name:
        case "dd" if any(map(_DEVICE.match, words)):
            return "dd overwrites a device"
        case "git" if "push" in words and any(map(_FORCE.fullmatch, words)):
            return (
                "a forced push overwrites the work of others; "
                "push without force, or let a person do it"
            )
        case "rm" | "chmod" | "chown" | "chgrp" | "find" if any(map(_DEEP.fullmatch, words)):
            vital = next(filter(_VITAL.fullmatch, words), None)
            if vital is not None:
                return f"{name} changes all of '{vital}'"

    return None
