"""Install the wheel and the source distribution in fresh environments, with pip and with uv, and run what was installed.

`make dist-check` runs this. It needs a package index: the newest dependencies that pyproject.toml allows are installed, as
they are for a user. Where there is no uv, that half is left out and the output says so. No Node is on the PATH: the page is
in the distributions, and is served.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

REPLY = """\
greet.py
<<<<<<< SEARCH
  return "Hello, " + name
=======
  return "Hello, " + name.strip()
>>>>>>> REPLACE
"""
BEFORE = 'def greet(name):\n    return "Hello, " + name\n'
NODE = {"node", "nodejs", "npm", "npx", "corepack", "yarn", "pnpm"}
AFTER = 'def greet(name):\n    return "Hello, " + name.strip()\n'


def main() -> int:
    """Check each distribution with each installer; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "dist",
        type=Path,
        nargs="?",
        default=Path("dist"),
        help="the folder with both distributions",
    )
    folder = parser.parse_args().dist
    files = [*folder.glob("*.whl"), *folder.glob("*.tar.gz")]
    if len(files) != 2:
        print(
            f"{folder} has {len(files)} distributions instead of 2: run `make dist`.",
            file=sys.stderr,
        )
        return 1
    uv = shutil.which("uv")
    if uv is None:
        print("uv is not installed: only pip is checked.")
    for file in files:
        for installer in ("pip", "uv") if uv else ("pip",):
            print(f"{installer} install {file.name} ...", flush=True)
            with tempfile.TemporaryDirectory(prefix="holdfast-dist-") as place:
                check(file.resolve(), installer, Path(place))
    print("Both distributions install and run.")
    return 0


def check(file: Path, installer: str, place: Path) -> None:
    """Install `file` in a new environment below `place` and run its commands there."""
    environment = place / "venv"
    python = environment / "bin" / "python"
    for command in installing(file, installer, environment, python):
        run(command, place)
    holdfast = str(environment / "bin" / "holdfast")
    version = run([holdfast, "--version"], place).split()[1]
    assert f"-{version}" in file.name, f"{file.name} installs version {version}"
    run([holdfast, "--help"], place)
    project = place / "project"
    project.mkdir()
    source = project / "greet.py"
    source.write_text(BEFORE, encoding="utf-8")
    run([holdfast, "apply", "--root", str(project)], place, REPLY)
    assert source.read_text(encoding="utf-8") == AFTER, "`holdfast apply` has not written the edit"
    run([holdfast, "undo", "--root", str(project)], place)
    assert source.read_text(encoding="utf-8") == BEFORE, "`holdfast undo` has not restored the file"
    run([holdfast, "demo"], place)
    check_page(holdfast, project, place)


def check_page(holdfast: str, project: Path, place: Path) -> None:
    """Serve the project, and load the page with its script as a browser does."""
    command = [holdfast, "serve", "--no-open", "--root", str(project)]
    with subprocess.Popen(command, cwd=place, env=clean(place), stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        address = server.stdout.readline().decode().strip()
        try:
            visitor = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            page = visitor.open(address).read().decode()
            script = re.search(r'<script type="module"[^>]* src="([^"]+)"', page)
            assert script is not None, f"the page has no script: {page[:500]}"
            origin = address.partition("/?")[0]
            loaded = visitor.open(f"{origin}/{script[1].lstrip('./')}")
            assert "javascript" in loaded.headers["content-type"]
            assert len(loaded.read()) > 10_000
            health = json.load(visitor.open(f"{origin}/api/health"))
            assert health["status"] == "ok", health
        finally:
            server.terminate()
    assert server.returncode == 0, f"`holdfast serve` ended with {server.returncode}"
    print("  the page is served", flush=True)


def installing(file: Path, installer: str, environment: Path, python: Path) -> Iterator[list[str]]:
    """Yield the commands that make an environment with `file` in it."""
    if installer == "uv":
        yield ["uv", "venv", "--quiet", "--python", sys.executable, str(environment)]
        yield ["uv", "pip", "install", "--quiet", "--python", str(python), f"{file}[server]"]
        return
    yield [sys.executable, "-m", "venv", str(environment)]
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    yield [*pip, f"{file}[server]"]


def run(command: list[str], place: Path, text: str = "") -> str:
    """Run `command` as a new user would, without this checkout; return its output, or exit with it if it fails."""
    done = subprocess.run(
        command,
        cwd=place,
        env=clean(place),
        input=text,
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    return done.stdout


def clean(place: Path) -> dict[str, str]:
    """Return the environment of a new user who has no Node."""
    unset = ("PYTHONPATH", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    programs = place / "programs"
    if not programs.exists():
        programs.mkdir()
        for folder in environment["PATH"].split(os.pathsep):
            for program in Path(folder).glob("*"):
                link = programs / program.name
                if program.name not in NODE and not link.is_symlink():
                    link.symlink_to(program)
    assert shutil.which("node", path=str(programs)) is None
    return environment | {"PATH": str(programs), "HOLDFAST_STATE_DIR": str(place / "state")}


if __name__ == "__main__":
    sys.exit(main())
