"""A command that fails because of the sandbox says so, with the way to have it approved."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.adapters.processes.sandbox.probe import SandboxChoice
from holdfast.vocab.sandbox import SandboxLevel
from tests.adapters.sandbox.attempt import attempt

UNASKED = 'a command that runs unasked can change nothing; ask for it with access="all".'
OUTSIDE = 'writing outside the project, or to .git and .holdfast, is not allowed here; ask for it with access="all".'
NETWORK = 'the network is off here; ask for it with access="network".'


@pytest.mark.parametrize(
    ("command", "level", "sentence"),
    [
        ("touch {place}/root/new", "read", UNASKED),
        ("touch /etc/new-file", "write", OUTSIDE),
        (
            "cat {place}/home/notes.txt",
            "write",
            '{place}/home/notes.txt is hidden here; ask for it with access="all".',
        ),
        (
            "python3 -c \"import urllib.request as u; u.urlopen('http://example.com')\"",
            "write",
            NETWORK,
        ),
        ("echo x > a.txt; exit 1", "write", ""),
        ("cat no-such-file", "write", ""),
        ("cat /no/such/file", "write", ""),
        ("touch {place}/root/new; true", "read", ""),
    ],
)
def test_what_was_forbidden_is_told(
    kind: SandboxChoice, place: Path, command: str, level: SandboxLevel, sentence: str
) -> None:
    done = attempt(kind, place, command.format(place=place), level)
    assert done.blocked == sentence.format(place=place), done


def test_nothing_is_told_where_nothing_is_forbidden(kind: SandboxChoice, place: Path) -> None:
    assert attempt(kind, place, "echo Read-only file system; exit 1", "full").blocked == ""


def test_what_configures_git_is_named(bubblewrap: SandboxChoice, place: Path) -> None:
    assert attempt(bubblewrap, place, "git config x.y z", "write").blocked == OUTSIDE


def test_a_secret_that_a_line_names_behind_the_program_is_told_as_hidden(
    landlock: SandboxChoice, place: Path
) -> None:
    (place / "root" / ".env").write_text("TOKEN=1\n")

    done = attempt(landlock, place, "/usr/bin/grep -r TOKEN .", "read")

    assert done.blocked == f'{place}/root/.env is hidden here; ask for it with access="all".', done


@pytest.mark.parametrize(
    "command",
    ["git worktree add inner", "git remote add origin /elsewhere", "git submodule add ./. lib"],
)
def test_git_that_would_configure_something_says_why_it_cannot(
    bubblewrap: SandboxChoice, place: Path, command: str
) -> None:
    done = attempt(bubblewrap, place, command, "write", git="write")
    assert done.exit_code != 0
    assert "(modules, worktrees in .git)" in done.blocked, done.output


def test_what_was_put_back_is_told(bubblewrap: SandboxChoice, place: Path) -> None:
    (place / "root/settings").mkdir()
    (place / "root/.holdfast").symlink_to("settings")
    done = attempt(bubblewrap, place, "rm .holdfast; mkdir .holdfast", "write")
    assert done.blocked == (
        'it may not change .holdfast, which was put back as it was before; ask for it with access="all".'
    )
