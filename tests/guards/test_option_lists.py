"""The lists of options that run unasked say what the programs themselves do with the next word."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from holdfast.guards.shell import plain_git, read_only_git, read_only_programs

NEXT = "--no-such-option"
"""The word after an option: a program either takes it for the value or says that it has no such option."""
# Usage of these comes for an unknown option only; others have it for other reasons too.
UNKNOWN = re.compile(
    r"(?:(?:unknown|unrecognized) (?:option|argument|switch)|invalid option)(?: --)?[: '`\"]*(?P<word>[\w-]+)"
    r"|usage: git (?:cherry-pick|revert|diff)|Illegal option"
    r"|Invalid argument `"
)
# Options that stand for themselves only, or with another one, so that the program looks at no more words.
NOT_TOGETHER = re.compile(
    "conflicting matchers|cannot be used together|exactly one pathspec|used in invalid context|requires a value"
)
LISTS = [
    *((f"git {name}", each.options) for name, each in read_only_git._SUBCOMMANDS.items()),
    *((f"git {name}", options) for name, options in plain_git._SUBCOMMANDS.items()),
    *((name, each.options) for name, each in read_only_programs._PROGRAMS.items()),
]
# They print unknown options, or ignore them.
CANNOT_BE_ASKED = {"git rev-parse", "echo", "true", "pwd"}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    (root / "a").write_text("a\n")
    for words in (["init", "-q"], ["add", "a"], ["commit", "-qm", "one"]):
        said(root, "git", *words)
    return root


def said(root: Path, *words: str) -> str:
    who = {
        f"GIT_{role}_{part}": "a" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
    }
    done = subprocess.run(
        words,
        cwd=root,
        env={**os.environ, **who, "GIT_EDITOR": "true", "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.stdout + done.stderr


def takes_next(root: Path, words: list[str], option: str) -> bool:
    text = said(root, *words, option, NEXT)
    return not UNKNOWN.search(text) and not NOT_TOGETHER.search(text)


@pytest.mark.parametrize(("command", "options"), LISTS)
def test_a_list_says_for_which_options_the_next_word_is_the_value(
    repository: Path, command: str, options: str
) -> None:
    words = command.split()
    if command in CANNOT_BE_ASKED or not shutil.which(words[0]):
        pytest.skip("it does not say which options it does not know")

    listed = {word.rstrip("=?") for word in options.split() if re.search(r"\w=\Z", word)}
    names = [word.rstrip("=?") for word in options.split()]
    assert listed == {
        name for name in names if takes_next(repository, words, name.replace("#", "3"))
    }
