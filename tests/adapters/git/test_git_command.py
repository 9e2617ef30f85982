"""How git is called."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from holdfast.adapters.git.file_modes import update_modes, usual_modes
from holdfast.adapters.git.git_command import (
    Git,
    GitFailed,
    join_names,
    split_names,
    to_bytes,
    to_text,
)
from holdfast.adapters.processes.git_environment import INHERITED, environment
from holdfast.checkpoints.ports import CheckpointFailed


def test_the_callers_git_variables_are_gone_and_ours_are_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_SSH_COMMAND", "/their/program")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/my/config")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hunter2")
    given = environment({"GIT_INDEX_FILE": "x"}, Path("/nowhere"))
    ours = {name: value for name, value in given.items() if name.startswith("GIT_")}
    assert ours == {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "",
        "GIT_CONFIG_GLOBAL": "/my/config",
        "GIT_EDITOR": "true",
        "GIT_PAGER": "cat",
        "GIT_AUTHOR_NAME": "Holdfast",
        "GIT_AUTHOR_EMAIL": "holdfast@localhost",
        "GIT_COMMITTER_NAME": "Holdfast",
        "GIT_COMMITTER_EMAIL": "holdfast@localhost",
        "GIT_INDEX_FILE": "x",
    }
    assert "sk-hunter2" not in given.values()


def test_no_local_variable_of_git_and_no_key_reaches_git_and_what_says_whose_files_it_reads_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = Git(tmp_path).run("rev-parse", "--local-env-vars").decode("ascii").split()
    assert "GIT_DIR" in local
    for name in (*local, "GIT_TOKEN", *INHERITED):
        monkeypatch.setenv(name, "from outside")
    given = environment({}, tmp_path)
    outside = {name for name, value in given.items() if value == "from outside"}
    assert outside == set(INHERITED)


def test_no_protocol_is_allowed_also_not_one_that_the_repository_allows(tmp_path: Path) -> None:
    git = Git(tmp_path)
    git.run("init", "-q")
    git.run("config", "protocol.ext.allow", "always")
    ran = tmp_path / "ran"
    with pytest.raises(GitFailed, match="transport 'ext' not allowed"):
        git.run("ls-remote", f"ext::touch {ran}")
    assert not ran.exists()


def test_a_failure_says_what_git_said(tmp_path: Path) -> None:
    with pytest.raises(
        GitFailed, match=r"git rev-parse failed: fatal: not a git repository"
    ) as caught:
        Git(tmp_path).with_variables(dir=tmp_path / "none").run("rev-parse", "HEAD")
    assert caught.value.code == 128


def test_a_git_that_does_not_know_an_option_is_called_too_old(tmp_path: Path) -> None:
    with pytest.raises(
        GitFailed, match=r"unknown option .* too old: checkpoints need git 2\.18 or later"
    ) as caught:
        Git(tmp_path).run("config", "--no-git-has-this-option")
    assert caught.value.code == 129


def test_a_call_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    git = Git(tmp_path, deadline=time.monotonic() + 0.1)
    os.mkfifo(tmp_path / "pipe")
    # Git waits for the end of a pipe that stays open.
    held = os.open(tmp_path / "pipe", os.O_RDWR)
    with pytest.raises(CheckpointFailed, match="took longer"):
        git.run("hash-object", "--no-filters", str(tmp_path / "pipe"))
    os.close(held)


def test_git_that_waits_for_somebody_to_open_a_pipe_is_ended(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(GitFailed, match="it waits for a named pipe"):
        Git(tmp_path).run("hash-object", "--no-filters", str(tmp_path / "pipe"))


def test_names_of_any_bytes_come_back() -> None:
    odd = (b"a\nb", b"\xff\xfe", "é".encode(), b" ")
    assert split_names(b"\0".join(odd) + b"\0") == tuple(to_text(name) for name in odd)
    assert join_names([to_text(name) for name in odd]) == b"".join(name + b"\0" for name in odd)
    assert to_bytes(to_text(bytes(range(1, 256)))) == bytes(range(1, 256))


def test_all_but_the_usual_modes_are_noted() -> None:
    usual = usual_modes({0o644: 2, 0o600: 1, 0o755: 1}, {0o755: 2, 0o700: 1})
    assert usual == [0o644, 0o755, 0o755]
    seen = [("a", 0o600), ("b", 0o644), ("c", 0o700), ("d", 0o755), ("was", 0o644), ("gone", None)]
    assert update_modes({"was": 0o600, "gone": 0o600}, seen, usual) == {"a": 0o600, "c": 0o700}
