"""Run one command in a sandbox, also as another user: `python -m tests.adapters.sandbox.attempt JSON` prints how it ended."""

from __future__ import annotations

import json
import os
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

from holdfast.adapters.processes.commands import OsCommands
from holdfast.adapters.processes.sandbox.probe import SandboxChoice, open_sandbox
from holdfast.adapters.processes.sandbox.sandbox import Sandbox
from holdfast.adapters.project.secret_files import find_secret_files
from holdfast.tools.ports import CommandDone
from holdfast.vocab.sandbox import GitAccess, SandboxLevel


def open_at(kind: SandboxChoice, place: Path) -> Sandbox:
    return open_sandbox(kind, place / "root", place / "state", find_secrets=find_secret_files)


def attempt(
    kind: SandboxChoice,
    place: Path,
    command: str,
    level: SandboxLevel = "read",
    *,
    limit: float = 600.0,
    cancel: threading.Event | None = None,
    network: bool = False,
    git: GitAccess = "read",
) -> CommandDone:
    root = str(place / "root")
    commands = OsCommands(root, open_at(kind, place))
    return commands.run(
        ["/bin/sh", "-c", command],
        level,
        cwd=root,
        timeout=limit,
        cancel=cancel or threading.Event(),
        network=network,
        git=git,
    )


def files_below(place: Path) -> dict[str, bytes]:
    """Return the bytes of all files, git's too, but for our own state."""
    names = (path for path in place.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in names if "state" not in path.parts}


def main() -> None:
    request: dict[str, Any] = json.loads(sys.argv[1])
    place = Path(request.pop("place"))
    os.environ["HOME"] = str(place / "home")
    sandbox = open_at(request["kind"], place)
    done = attempt(place=place, **request)
    print(json.dumps({"kind": sandbox.status.kind, **asdict(done)}))


if __name__ == "__main__":
    main()
