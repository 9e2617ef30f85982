"""The same as a user who is not root: then the kernel grants namespaces only with one of users."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.processes.sandbox.probe import SandboxChoice
from tests.adapters.sandbox.attempt import attempt
from tests.adapters.sandbox.conftest import fill

pytestmark = pytest.mark.slow  # seconds together: `make quick` does without

NOBODY = 65534
SOURCES = Path(__file__).parents[3]
PYTHON = "/usr/bin/python3"


@pytest.fixture
def their_place() -> Iterator[Path]:
    """A place of that user; not below the directory of the tests, which only root may enter."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become another user, by setpriv")
    reason = can_import()
    if reason:
        pytest.skip(f"the system's Python cannot run this: {reason}")
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    fill(place)
    for path in (place, *place.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    yield place
    shutil.rmtree(place)


def as_nobody(*words: str) -> subprocess.CompletedProcess[str]:
    site = Path(pytest.__file__).parents[1]
    return subprocess.run(
        [
            "setpriv",
            f"--reuid={NOBODY}",
            f"--regid={NOBODY}",
            "--clear-groups",
            PYTHON,
            "-B",
            *words,
        ],
        cwd=SOURCES,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{SOURCES}/src:{SOURCES}:{site}"},
        capture_output=True,
        text=True,
        check=False,
    )


def can_import() -> str:
    ran = as_nobody("-c", "import tests.adapters.sandbox.attempt")
    return ran.stderr.strip().rpartition("\n")[2]


def attempt_as_nobody(
    place: Path, kind: SandboxChoice, command: str, **options: Any
) -> dict[str, Any]:
    request = json.dumps({"place": str(place), "kind": kind, "command": command, **options})
    ran = as_nobody("-m", "tests.adapters.sandbox.attempt", request)
    assert ran.returncode == 0, ran.stderr
    done: dict[str, Any] = json.loads(ran.stdout)
    if done["kind"] != kind:
        pytest.skip(f"there is no {kind} for an ordinary user here")
    return done


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
def test_an_ordinary_user_is_confined_as_well(their_place: Path, kind: SandboxChoice) -> None:
    root = their_place / "root"
    done = attempt_as_nobody(
        their_place,
        kind,
        f"id -u; cat .env ~/notes.txt {their_place}/outside/c.txt; echo x >> a.txt; cat a.txt",
    )
    assert done["output"].startswith(f"{NOBODY}\n")
    assert "hunter2" not in done["output"]
    assert (root / "a.txt").read_text() == "text\n"
    done = attempt_as_nobody(
        their_place,
        kind,
        f"echo x >> a.txt; touch {their_place}/outside/new; cat ~/notes.txt; cat /proc/$PPID/environ",
        level="write",
    )
    assert "hunter2" not in done["output"]
    assert (root / "a.txt").read_text() == "text\nx\n"
    assert not (their_place / "outside/new").exists()


@pytest.mark.parametrize("mode", ["000", "311", "444"])
def test_secrets_in_a_folder_that_cannot_be_looked_at_are_not_read(
    their_place: Path, mode: str
) -> None:
    sub = their_place / "root/sub"
    (sub / ".env").write_text("KEY=hunter2\n")
    os.chown(sub / ".env", NOBODY, NOBODY)
    sub.chmod(int(mode, 8))
    command = "cat sub/.env; chmod 700 sub; cat sub/.env"
    done = attempt_as_nobody(their_place, "bubblewrap", command, level="write")
    assert "hunter2" not in done["output"]
    assert "No such file or directory" in done["output"]


def test_an_ordinary_user_configures_no_git(their_place: Path) -> None:
    before = (their_place / "root/.git/config").read_text()
    attempt_as_nobody(
        their_place,
        "bubblewrap",
        "echo x >> .git/config; echo x > .git/hooks/pre-commit; mkdir .holdfast/x",
        level="write",
    )
    assert (their_place / "root/.git/config").read_text() == before
    assert not (their_place / "root/.git/hooks/pre-commit").exists()
    assert not (their_place / "root/.holdfast").exists()


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
def test_a_link_is_put_back_also_where_nothing_may_be_removed(
    their_place: Path, kind: SandboxChoice
) -> None:
    link = their_place / "root/.holdfast"
    link.symlink_to("sub")
    command = "rm .holdfast; mkdir -p .holdfast/x/y; chmod 0 .holdfast/x .holdfast; chmod 555 ."
    attempt_as_nobody(their_place, kind, command, level="write")
    assert link.readlink() == Path("sub")
    names = sorted(path.name for path in link.parent.iterdir())
    assert names == [".env", ".git", ".holdfast", "a.txt", "sub"]


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
def test_root_works_in_the_project_of_another_user(
    their_place: Path, kind: SandboxChoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root without a capability for files could not change a file there."""
    monkeypatch.setenv("HOME", str(their_place / "home"))
    (their_place / "root/a.txt").chmod(0o600)
    done = attempt(
        kind,
        their_place,
        f'echo x >> a.txt; cat .env; touch {their_place}/outside/new; p=/proc/sys/kernel/core_pattern; echo "$(cat $p)" > $p && echo written',
        "write",
    )
    assert (their_place / "root/a.txt").read_text() == "text\nx\n", done.output
    assert not (their_place / "outside/new").exists()
    assert "written" not in done.output
    assert "hunter2" not in done.output or kind == "landlock"
