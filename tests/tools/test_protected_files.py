"""An edit of a file that configures something that runs is asked for as a command is."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast.tools.ports import NoApprover
from holdfast.vocab.tool_calls import ToolCall
from tests.tools.world import Somebody, open_world

CURE = (
    "this needs approval, and this session has no user to ask; leave it to the user, or use a "
    "terminal or --approve auto."
)
PATCH = "--- /dev/null\n+++ b/.envrc\n@@ -0,0 +1 @@\n+touch pwned\n"


@pytest.mark.parametrize(
    ("tool", "arguments", "path", "why"),
    [
        pytest.param(
            "write_file",
            {"path": ".holdfast/config.toml", "text": "check = 'x'\n"},
            ".holdfast/config.toml",
            "it configures Holdfast itself",
            id="write_file",
        ),
        pytest.param(
            "edit_file",
            {"path": ".gitattributes", "old": "", "new": "* filter=x\n"},
            ".gitattributes",
            "git runs what it names",
            id="edit_file",
        ),
        pytest.param(
            "write_patch",
            {"diff": PATCH},
            ".envrc",
            "a shell runs it when somebody enters the directory",
            id="write_patch",
        ),
        pytest.param(
            "write_file",
            {"path": "linked/tasks.json", "text": "{}\n"},
            "linked/tasks.json",
            "an editor may run what it names",
            id="by a link",
        ),
    ],
)
def test_every_tool_asks_for_an_edit_of_a_protected_file(
    tmp_path: Path, tool: str, arguments: dict[str, Any], path: str, why: str
) -> None:
    gate = Somebody(NoApprover())
    with open_world(tmp_path, names=["write_file", "edit_file", "write_patch"], gate=gate) as world:
        (world.root / ".vscode").mkdir()
        (world.root / "linked").symlink_to(".vscode")
        before = world.files()
        outcome = world.toolbox.run(ToolCall("1", tool, arguments), world.cancel)
        assert (outcome.text, outcome.failure) == (f"{path}: {why}: {CURE}", "permission_denied")
        assert outcome.unanswered
        assert world.files() == before
        assert gate.asked == [("protected", path)]


def test_an_ordinary_edit_is_asked_for_as_an_edit(tmp_path: Path) -> None:
    with open_world(tmp_path) as world:
        world.told("write_file", path="a.txt", text="x\n")
        assert world.gate.asked == [("edit", "a.txt")]


def test_an_answer_for_one_file_is_not_one_for_two_files_with_such_names(tmp_path: Path) -> None:
    gate = Somebody("yes")
    patch = "".join(
        f"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n" for name in (".vscode/x", ".husky/y")
    )
    with open_world(tmp_path, names=["write_file", "write_patch"], gate=gate) as world:
        world.told("write_file", path=".vscode/x, .husky/y", text="harmless\n")
        world.told("write_patch", diff=patch)
    one, two = gate.asked
    assert (one, two) == (
        ("protected", '".vscode/x, .husky/y"'),
        ("protected", ".vscode/x, .husky/y"),
    )


def test_what_git_runs_by_its_settings_is_asked_for_and_git_itself_is_refused(
    tmp_path: Path,
) -> None:
    gate = Somebody(NoApprover())
    with open_world(tmp_path, names=["write_file", "write_patch"], gate=gate) as world:
        git = ["git", "-C", str(world.root)]
        subprocess.run(
            [*git, "init", "-q", "--separate-git-dir=gitdata"], check=True, cwd=world.root
        )
        subprocess.run([*git, "config", "core.hooksPath", "hooks"], check=True)
        outcome = world.call("write_file", path="hooks/pre-commit", text="touch pwned\n")
        why = "git reads or runs it: core.hookspath names it"
        assert outcome.text == f"hooks/pre-commit: {why}: {CURE}"
        assert gate.asked == [("protected", "hooks/pre-commit")]
        (world.root / "link").symlink_to("gitdata")
        for path in ("gitdata/hooks/pre-commit", "link/config"):
            message = world.refused("write_file", "permission_denied", path=path, text="x\n")
            assert message == (
                f"{path}: gitdata belongs to git itself; edit the project's files instead."
            )
        patch = "".join(
            f"--- /dev/null\n+++ b/docs/{name}\n@@ -0,0 +1 @@\n+x\n"
            for name in ("HEAD", "objects/x", "refs/x")
        )
        world.refused("write_patch", "permission_denied", diff=patch)
        assert gate.asked[1:] == [("protected", "docs/HEAD, docs/objects/x, docs/refs/x")]
