"""A Python with our packages and, beside it, one tool alone: no type checker that happens to be installed here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def find_tool(tool: str) -> str | None:
    """Give the program of this name on the PATH or beside our Python."""
    return shutil.which(tool) or shutil.which(tool, path=str(Path(sys.executable).parent))


def bare_python(place: Path, tool: str) -> str:
    """Make the Python in a folder below `place`, and give its path."""
    folder = place / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    ours = [path for path in sys.path if path.endswith("site-packages")]
    lines = [f"import site; site.addsitedir({path!r})\n" for path in ours]
    (packages / "ours.pth").write_text("".join(lines))
    found = find_tool(tool)
    if found is not None:
        (folder / "bin" / tool).symlink_to(found)
    return str(folder / "bin/python")
