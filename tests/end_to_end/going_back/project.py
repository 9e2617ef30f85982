"""A project for the tests of going back: real commands, each in a process of its own, and one that dies halfway."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.end_to_end.checkpoints.repo import Folder, Ran, clean_environment

_HOLDFAST = [sys.executable, "-m", "holdfast.cli.main"]
DYING = """
import os, sys
from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.cli.app import app
put, left = DiskFiles.put, [int(sys.argv.pop(1))]

def die(*arguments):
    done = put(*arguments)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), 9)
    return done

DiskFiles.put = die
app(sys.argv[1:])
"""
"""A command that dies after it has written as many files as its first word says."""
# A restore that dies when its journal is written, before it changes a file.
_DYING_RESTORE = """
import os, sys
from holdfast.adapters.git.checkout import TreeCheckout
from holdfast.cli.app import app
TreeCheckout.apply = lambda *_: os.kill(os.getpid(), 9)
app(sys.argv[1:])
"""


class Project(Folder):
    """A root with a state directory beside it."""

    def __init__(self, place: Path, name: str = "root") -> None:
        self.state = place / "state"
        self.home = place / "home"
        self.home.mkdir(exist_ok=True)
        super().__init__(place / name)

    def init(self) -> Project:
        super().init()
        self.write("a.txt", "one\n")
        self.write("b.txt", "one\n")
        self.commit()
        return self

    @property
    def environment(self) -> dict[str, str]:
        here = {"HOLDFAST_STATE_DIR": str(self.state), "HOME": str(self.home)}
        return {**clean_environment(), **here, "PYTHONPATH": os.pathsep.join(sys.path)}

    def holdfast(self, *words: str, given: str = "", root: Path | None = None) -> Ran:
        """Run a command in a process of its own."""
        return self._run([*_HOLDFAST, *words], given, root)

    def told(self, *words: str, given: str = "") -> dict[str, Any]:
        """Run a command with --json that must succeed."""
        ran = self.holdfast(*words, "--json", given=given)
        assert ran.code == 0, (ran.out, ran.err)
        return ran.told

    def die_after(self, files: int, *words: str, given: str = "", root: Path | None = None) -> None:
        """Run a command that is killed when it has written so many files."""
        ran = self._run([sys.executable, "-c", DYING, str(files), *words], given, root)
        assert ran.code == -signal.SIGKILL, (ran.out, ran.err)

    def die_in_restore(self, checkpoint: str) -> None:
        """Run a restore that is killed before it changes a file."""
        words = [sys.executable, "-c", _DYING_RESTORE, "checkpoint", "restore", checkpoint]
        ran = self._run(words, "", None)
        assert ran.code == -signal.SIGKILL, (ran.out, ran.err)

    def _run(self, command: list[str], given: str, root: Path | None) -> Ran:
        ran = subprocess.run(
            command,
            cwd=root or self.root,
            env=self.environment,
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    def texts(self, *names: str) -> list[str]:
        return [self.path(name).read_text() for name in names or ("a.txt", "b.txt")]


def reply(text: str, *names: str) -> str:
    """Return a reply that replaces whole files."""
    return json.dumps([{"path": name, "content": text} for name in names or ("a.txt", "b.txt")])
