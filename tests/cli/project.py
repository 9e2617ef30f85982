"""A project for the tests of commands, which run in this process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from holdfast.cli.app import app


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> dict[str, Any]:
        """The JSON object that is all of standard output."""
        answer = json.loads(self.out)
        assert isinstance(answer, dict)
        return answer


class Project:
    """A root with files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.state = root.parent / "state"
        root.mkdir()

    def write(self, name: str, data: bytes, mode: int = 0o644) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(mode)
        return file

    def files(self) -> dict[str, bytes]:
        """Give every file, or the name of the link it is."""
        paths = [path for path in self.root.rglob("*") if not path.is_dir()]
        return {str(path.relative_to(self.root)): path.read_bytes() for path in paths}

    def run(self, *words: str, reply: bytes | str = b"") -> Ran:
        ran = CliRunner().invoke(app, list(words), input=reply, env={"NO_COLOR": "1"})
        assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
        return Ran(ran.exit_code, ran.stdout, ran.stderr)

    def apply(self, reply: bytes | str, *options: str) -> Ran:
        return self.run("apply", "--root", str(self.root), *options, reply=reply)

    def undo(self, *options: str) -> Ran:
        return self.run("undo", "--root", str(self.root), *options)


def block(path: str, old: str, new: str) -> str:
    return f"{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"
