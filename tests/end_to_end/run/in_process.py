"""A project whose commands run in this process, except those that `running` starts: no start of Python for each."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from typer.testing import CliRunner

from holdfast.adapters.places.worktree_folder import worktree_folder
from holdfast.cli.app import app
from holdfast.testing import ScriptedServer
from tests.end_to_end.run.project import COMMAND, Project, Ran


class QuickProject(Project):
    """A project with refs; `gc` is for all projects unless a root is named."""

    def words(self, *words: str, server: ScriptedServer | None = None) -> list[str]:
        found = super().words(*words, server=server)
        if words[0] == "gc":
            at = len(found) - 1 - found[::-1].index("--root")
            del found[at : at + 2]
        return found

    def holdfast(
        self, *words: str, server: ScriptedServer | None = None, given: str = "", **more: str
    ) -> Ran:
        """Run a command to its end; without a terminal."""
        arguments = self.words(*words, server=server)[len(COMMAND) :]
        return self.plain_command(*arguments, given=given, **more)

    def plain_command(self, *words: str, given: str = "", **more: str) -> Ran:
        """Run a command with these words alone."""
        ran = CliRunner().invoke(app, list(words), input=given, env=self.environment(**more))
        assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
        return Ran(ran.exit_code, ran.stdout, ran.stderr)

    def private_git(self, *words: str) -> str:
        """Run git in the private repository."""
        repository = worktree_folder(self.state, self.root) / "checkpoints.git"
        command = ["git", "--git-dir", str(repository), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def refs(self) -> dict[str, str]:
        """Return the commits of the refs of checkpoints, by their names."""
        told = self.private_git(
            "for-each-ref", "--format=%(refname) %(objectname)", "refs/holdfast/"
        )
        return dict(line.split(" ") for line in told.splitlines())

    def put_back(self, refs: dict[str, str], act: Callable[[], object]) -> None:
        """Run what removes refs, and put these back, as if it had been killed before it removed them."""
        for number, commit in enumerate(refs.values()):
            self.private_git("update-ref", f"refs/kept/{number}", commit)
        act()
        for name, commit in refs.items():
            self.private_git("update-ref", name, commit)
        for number in range(len(refs)):
            self.private_git("update-ref", "-d", f"refs/kept/{number}")
