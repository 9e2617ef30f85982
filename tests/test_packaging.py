"""The distributions that `make dist` builds. `make dist-check` installs them, which needs a package index."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import holdfast

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a source distribution and a wheel of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, check=True
    )
    return folder


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


@pytest.mark.slow
def test_every_member_of_the_source_distribution_can_be_unpacked(dist: Path) -> None:
    refused: dict[str, str] = {}
    with tarfile.open(only(dist, "*.tar.gz")) as archive:
        for member in archive:
            try:
                # The rule of pip, uv and build: no absolute link, no way out of the folder.
                tarfile.data_filter(member, "/unpacked")
            except tarfile.FilterError as error:
                refused[member.name] = str(error)
    assert refused == {}


@pytest.mark.slow
def test_the_source_distribution_has_what_a_packager_needs(dist: Path) -> None:
    top = f"holdfast-{holdfast.__version__}"
    wanted = {
        "pyproject.toml",
        "LICENSE",
        "README.md",
        "Makefile",
        "constraints.txt",
        "docs/terminal.svg",
        "web/src/reduce.ts",
        "src/holdfast/server/page/index.html",
    }
    wanted |= {"src/holdfast/__init__.py", "tests/test_packaging.py", "bench/__init__.py"}
    with tarfile.open(only(dist, "*.tar.gz")) as archive:
        names = {name.removeprefix(f"{top}/") for name in archive.getnames()}
    assert wanted - names == set()
    not_ours = (".venv", "dist/", ".git/", "web/node_modules")
    assert not [name for name in names if name.startswith(not_ours)]


@pytest.mark.slow
def test_the_wheel_has_the_whole_package_and_nothing_else(dist: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "src/holdfast"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    ours = {
        name.removeprefix("src/")
        for name in listed.stdout.split("\0")
        if name and (ROOT / name).exists()
    }
    info = f"holdfast-{holdfast.__version__}.dist-info/"
    with zipfile.ZipFile(only(dist, "*.whl")) as wheel:
        names = {name for name in wheel.namelist() if not name.startswith(info)}
    page = {name for name in names if name.startswith("holdfast/server/page/")}
    assert names - page == ours
    assert {"holdfast/server/page/index.html", "holdfast/server/page/built-from.txt"} <= page
    assert [name for name in page if name.endswith(".js")]


@pytest.mark.parametrize(
    ("target", "wanted"),
    [
        ("run", ["hatchling", "'.[sandbox,server]'", "'.[page]'"]),
        ("lint", ["hatchling", "'.[sandbox,server]'", "'.[dev]'"]),
    ],
)
def test_only_targets_that_need_them_install_development_tools(
    target: str, wanted: list[str]
) -> None:
    # As if nothing were installed: every recipe on the way, printed and not run.
    ours = {
        name: value
        for name, value in os.environ.items()
        if name not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}
    }
    shown = subprocess.run(
        ["make", "-n", "-B", target], cwd=ROOT, env=ours, check=True, capture_output=True, text=True
    )
    assert re.findall(r"--no-build-isolation (?:--editable )?(\S+);", shown.stdout) == wanted
