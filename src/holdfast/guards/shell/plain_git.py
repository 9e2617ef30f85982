"""Recognise lines of git that print contents of files as they are, and write them to their own names.

What git prints for an unattended turn is searched for the values in files with secrets. That finds
them only where nothing has changed their form: no pipe, no program that git starts, no archive.
"""

from __future__ import annotations

import re

from holdfast.guards.shell.options import ParsedOptions, parse_options
from holdfast.guards.shell.read_command import ReadCommand
from holdfast.guards.shell.read_only_git import judge_git
from holdfast.guards.shell.words import split_words
from holdfast.vocab.lazy_pattern import lazy_pattern

_ALSO = lazy_pattern(r"&&|;|\n")
_QUOTED = lazy_pattern(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.""", re.DOTALL)
_SUBCOMMANDS = {
    "add": "-A -u -f -n -v -N --all --update --force --dry-run --verbose --intent-to-add",
    "branch": "-d -D -m -M -c -f -u= -v -a -r -q --delete --move --copy --force --set-upstream-to=",
    "checkout": "-b= -B= -f -q -t --ours --theirs --track --detach --force --quiet --orphan=",
    "cherry-pick": "-x -n -m= --no-commit --continue --abort --skip --quit",
    "clean": "-f -d -n -x -X -q -e=",
    "commit": "-a -m= -q -s -n --all --message= --amend --no-edit --allow-empty --quiet --signoff "
    "--no-verify --author= --date=",
    "fetch": "-q -p -t --all --prune --tags --quiet --depth= --unshallow",
    "init": "-q -b= --quiet --initial-branch=",
    "merge": "-m= -q --no-ff --ff-only --ff --squash --abort --continue --no-commit --no-edit",
    "mv": "-f -k -n -v",
    "pull": "-q -r --rebase --no-rebase --ff-only --quiet --autostash --prune --tags",
    "push": "-u -f -q -n --set-upstream --tags --force-with-lease --delete --quiet --dry-run --all",
    "rebase": "-q --onto= --continue --abort --skip --autostash",
    "reset": "-q --hard --soft --mixed --keep --merge",
    "restore": "-s= -S -W --source= --staged --worktree --ours --theirs",
    "revert": "-n -m= --no-edit --no-commit --continue --abort",
    "rm": "-f -r -n -q --cached --force",
    "stash": "-u -m= -q -k -a --include-untracked --message= --keep-index --index --quiet --all",
    "switch": "-c= -C= -d -f -q --create= --detach --force-create= --orphan= --discard-changes",
    "tag": "-a -m= -d -f --annotate --message= --delete --force",
}
"""The subcommands that change a repository, with options that start no other program."""

_TAKE_FOLDERS = frozenset({"checkout", "reset", "tag"})
_FOLDER = lazy_pattern(r"[:{]|\b[0-9a-f]{4,64}\b")
"""What may name a folder of a commit: git would write its files elsewhere, by no secret name."""

_MARKS_INSIDE = lazy_pattern("--word-diff|--color")
"""Options with which git puts marks inside of a line, so that a value is printed in pieces."""


def shows_contents_as_they_are(line: str) -> bool:
    """Return whether the line is nothing but git that changes the form of no content.

    >>> shows_contents_as_they_are("git add -A && git commit -qm 'a && b'")
    True
    >>> shows_contents_as_they_are("git show | rev"), shows_contents_as_they_are("git archive HEAD")
    (False, False)
    """
    return all(map(_is_plain_git, _commands(line.strip(" \t\n"))))


def _commands(line: str) -> list[str]:
    """Split a line at `&&`, `;` and line ends that are not quoted."""
    unquoted = _QUOTED.sub(lambda found: "x" * len(found[0]), line)
    start, parts = 0, []
    for end in _ALSO.finditer(unquoted):
        parts.append(line[start : end.start()])
        start = end.end()

    return [*parts, line[start:]]


def _is_plain_git(line: str) -> bool:
    words = split_words(line)
    if not isinstance(words, tuple) or words[0] != "git":
        return False
    if isinstance(judge_git(words[1:]), ReadCommand):
        return not any(map(_MARKS_INSIDE.match, words))

    allowed = _SUBCOMMANDS.get("".join(words[1:2]))
    if allowed is None:
        return False

    parsed = parse_options(words[2:], allowed)
    if not isinstance(parsed, ParsedOptions):
        return False
    if words[1] == "restore":
        return not any(map(_FOLDER.search, words[2:]))
    return words[1] not in _TAKE_FOLDERS or not any(map(_FOLDER.search, parsed.operands))
