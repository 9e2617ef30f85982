"""Lines of git that print contents of files as they are."""

from __future__ import annotations

import pytest

from holdfast.guards.shell.plain_git import shows_contents_as_they_are


@pytest.mark.parametrize(
    "line",
    [
        "git log -3",
        "git show HEAD",
        "git diff && git status",
        "git add -A; git commit -m 'a; b'",
        'git commit -m "a && b"\ngit push',
        "  git status\n",
        "git log\\\n -3",
        "git checkout -b new",
    ],
)
def test_git_that_changes_the_form_of_no_content(line: str) -> None:
    assert shows_contents_as_they_are(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "git",
        "ls",
        "git show | rev",
        "git show && rev a",
        "git show; ",
        "rev a; git show",
        "git archive HEAD",
        "git commit --template=x",
        "git -c core.pager=rev log",
        "git log > a",
        "git log -p --word-diff",
        "git show --word-diff=porcelain",
        "git diff --color-words",
        "git grep --color=always -n KEY",
        "echo git log",
        # The files of a folder, which have no secret names where git writes them.
        "git restore --source=HEAD~1:.aws -- .",
        "git restore -s 1a2b3c4 .",
        "git checkout HEAD~1:.aws -- .",
        "git checkout 1a2b3c4d -- config",
        "git reset HEAD~1:.aws -- .",
        "git tag x HEAD~1:.aws",
        "git tag x 'HEAD^{tree}'",
    ],
)
def test_what_may_change_the_form_of_contents(line: str) -> None:
    assert not shows_contents_as_they_are(line)
