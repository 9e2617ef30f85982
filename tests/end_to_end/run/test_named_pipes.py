"""Named pipes with the names of files that git or Holdfast reads: nothing waits for them."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.end_to_end.run.project import Project

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes", ".git/info/attributes"])
def test_a_checkpoint_that_git_cannot_read_for_a_pipe_is_refused(
    project: Project, name: str
) -> None:
    project.write("sub/b.txt", "text\n")
    identity = ("-c", "user.name=A", "-c", "user.email=a@b.c")
    for words in (["add", "-A"], [*identity, "commit", "-qm", "1"]):
        subprocess.run(["git", *words], cwd=project.root, check=True)
    project.write("sub/b.txt", "changed\n")
    (project.root / name).parent.mkdir(exist_ok=True)
    os.mkfifo(project.root / name)
    ran = project.holdfast("checkpoint", "create")
    assert ran.code == 1
    assert "it waits for a named pipe" in ran.out + ran.err


@pytest.mark.parametrize("target", ["pipe", "/dev/zero"])
def test_settings_of_a_project_that_have_no_end_are_refused(project: Project, target: str) -> None:
    (project.root / ".holdfast").mkdir()
    os.mkfifo(project.root / ".holdfast/pipe")
    (project.root / ".holdfast/config.toml").symlink_to(target)
    ran = project.holdfast("config", "show")
    assert ran.code == 1
    assert "this is no file but a pipe or a device; correct this, or remove it." in ran.err
