"""A project and a reply of fifty requests: edits, new directories, deletes, renames, odd modes, a symlink."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import TypeAlias

Snapshot: TypeAlias = dict[str, tuple[str, bytes, int]]
"""Path to kind, content and mode, of everything below a directory."""


def build(root: Path) -> None:
    """Make the project below `root`, which must not be there."""
    for name, text in _texts().items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        file.chmod(0o644)
    (root / "edit/7.py").chmod(0o755)
    (root / "edit/8.py").chmod(0o600)
    (root / "move/0.py").chmod(0o750)
    (root / "gone/0.py").chmod(0o705)
    (root / "linked.py").symlink_to("real/target.py")


def reply() -> str:
    """Write the reply, as a git diff."""
    shares = [_edit(f"edit/{n}.py", n) for n in range(30)]
    shares += [_edit("linked.py", 99)]
    shares += [_create(f"made/{n % 2}/deep/{n}.py", n) for n in range(8)]
    shares += [_delete(f"gone/{n}.py", n) for n in range(5)]
    shares += [
        _rename(f"move/{n}.py", f"moved/{n}.py" if n % 2 else f"move/other_{n}.py", n)
        for n in range(6)
    ]
    return "".join(shares)


def snapshot(root: Path) -> Snapshot:
    """Read everything below `root`; {} if it is not there."""
    found: Snapshot = {}
    directories = [""] if root.exists() else []
    while directories:
        directory = directories.pop()
        with os.scandir(root / directory) as entries:
            for entry in entries:
                name = f"{directory}{entry.name}"
                found[name] = _entry(entry)
                if entry.is_dir(follow_symlinks=False):
                    directories.append(f"{name}/")
    return found


def restore(root: Path, kept: Snapshot) -> None:
    """Make everything below `root` as it was when the snapshot was taken; {} leaves no root.

    The root itself stays the same folder: another one at its path would be another project.
    """
    if not kept:
        shutil.rmtree(root, ignore_errors=True)
        return
    root.mkdir(exist_ok=True)
    for entry in root.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink()
    for name in sorted(kept):
        kind, content, mode = kept[name]
        path = root / name
        if kind == "link":
            path.symlink_to(content.decode())
        elif kind == "directory":
            path.mkdir(mode)
        else:
            path.write_bytes(content)
            path.chmod(mode)


def _texts() -> dict[str, str]:
    numbered = [(f"edit/{n}.py", n) for n in range(30)]
    numbered += [(f"gone/{n}.py", n) for n in range(5)]
    numbered += [(f"move/{n}.py", n) for n in range(6)]
    texts = {
        name: f"def f_{n}():\n    x = {n}\n    return x\n"
        for name, n in [*numbered, ("real/target.py", 99)]
    }
    return texts | {"bystander.txt": "not asked for\n"}


def _edit(name: str, n: int) -> str:
    return f"--- a/{name}\n+++ b/{name}\n{_hunk(n)}"


def _create(name: str, n: int) -> str:
    return f"--- /dev/null\n+++ b/{name}\n@@ -0,0 +1,2 @@\n+def made_{n}():\n+    return {n}\n"


def _delete(name: str, n: int) -> str:
    return f"--- a/{name}\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-def f_{n}():\n-    x = {n}\n-    return x\n"


def _rename(name: str, to: str, n: int) -> str:
    head = f"diff --git a/{name} b/{to}\nrename from {name}\nrename to {to}\n"
    return head + (f"--- a/{name}\n+++ b/{to}\n{_hunk(n)}" if n % 3 == 0 else "")


def _hunk(n: int) -> str:
    return f"@@ -1,3 +1,3 @@\n def f_{n}():\n-    x = {n}\n+    x = {n} + 1\n     return x\n"


def _entry(entry: os.DirEntry[str]) -> tuple[str, bytes, int]:
    if entry.is_symlink():
        return "link", os.fsencode(Path(entry).readlink()), 0
    mode = stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode)
    if entry.is_dir():
        return "directory", b"", mode
    return "file", Path(entry).read_bytes(), mode
