"""What the documents say is so: their examples run, their commands and links exist."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[1]

# Built from parts, so that this file does not hold what it looks for.
REGISTRY_HOSTS = [
    f"{name}.{end}".encode()
    for name, end in [
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("npmmirror", "com"),
        ("anaconda", "org"),
        ("crates", "io"),
    ]
]


def our_files() -> list[Path]:
    """The files that git tracks or would track; without git, all that no tool has made."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=False,
        capture_output=True,
    )
    if listed.returncode == 0:
        paths = [
            ROOT / name
            for name in listed.stdout.decode("utf-8", "surrogateescape").split("\0")
            if name
        ]
    else:
        made = {".git", ".venv", "__pycache__", "node_modules", ".hypothesis", "build", "dist"}
        made |= {".mypy_cache", ".ruff_cache", ".pytest_cache", ".import_linter_cache"}
        paths = [path for path in ROOT.rglob("*") if not made & set(path.relative_to(ROOT).parts)]
    return sorted(path for path in paths if path.is_file())


def our_documents() -> list[Path]:
    """The Markdown files that are ours to read, which the fixtures of scenarios are not."""
    return [path for path in our_files() if path.suffix == ".md" and "scenarios" not in path.parts]


def blocks(document: str, language: str) -> list[tuple[int, str]]:
    """The fenced blocks of one language, each with the line it starts on (0-based)."""
    fence = re.compile(rf"^```{language}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return [
        (document.count("\n", 0, found.start(1)), found[1]) for found in fence.finditer(document)
    ]


@pytest.mark.parametrize("name", ["README.md", "docs/landing.md"])
def test_the_examples_run_and_print_what_they_show(name: str) -> None:
    document = (ROOT / name).read_text(encoding="utf-8")
    examples = blocks(document, "pycon")
    assert examples
    names: dict[str, object] = {}
    report: list[str] = []
    runner = doctest.DocTestRunner()
    for line, source in examples:
        test = doctest.DocTestParser().get_doctest(source, names, name, name, line)
        runner.run(test, out=report.append, clear_globs=False)
        names = test.globs
    assert not report, "".join(report)


@pytest.mark.e2e
@pytest.mark.parametrize("name", ["README.md", "docs/apply.md"])
def test_the_commands_of_a_document_print_what_it_shows(tmp_path: Path, name: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    # The commands of this very environment, and no colour: a pipe is no terminal.
    place = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOLDFAST_STATE_DIR": str(tmp_path / "state"),
    }
    sessions = blocks((ROOT / name).read_text(encoding="utf-8"), "console")
    assert sessions
    for _, session in sessions:
        for step in session.removeprefix("$ ").split("\n$ "):
            command, _, shown = step.rstrip("\n").partition("\n")
            program, *words = command.split()
            if program == "cat" and not (project / words[0]).exists():
                # The first look at a file says what the example starts from.
                (project / words[0]).write_text(f"{shown}\n", encoding="utf-8")
                continue
            done = subprocess.run(
                [program, *words], cwd=project, env=place, check=False, capture_output=True
            )
            printed = (done.stdout + done.stderr).decode().rstrip("\n")
            assert without_ids(printed) == without_ids(shown), command


def without_ids(text: str) -> str:
    """The text with one name for every id: they are made up anew each time."""
    return re.sub(r"\b[0-9a-f]{12}\b", "ID", text)


def test_the_make_targets_that_the_documents_name_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):.*## ", makefile, re.MULTILINE))
    named = {
        f"{path.relative_to(ROOT)}: make {target}"
        for path in our_documents()
        for target in re.findall(
            r"(?:`|^|^\$ )make ([a-z][a-z-]*)", path.read_text(encoding="utf-8"), re.MULTILINE
        )
        if target not in targets
    }
    assert targets >= {
        "setup",
        "run",
        "demo",
        "test",
        "quick",
        "lint",
        "types",
        "imports",
        "props",
        "bench",
        "check",
        "clean",
    }
    assert not named


def test_every_relative_link_leads_somewhere() -> None:
    lost = [
        f"{path.relative_to(ROOT)}: {link}"
        for path in our_documents()
        for link in re.findall(r"\]\(([^)\s]+)\)", without_blocks(path.read_text(encoding="utf-8")))
        if not re.match(r"[a-z]+:", link) and not leads_somewhere(path, link)
    ]
    assert not lost


def leads_somewhere(path: Path, link: str) -> bool:
    """Whether the file of a link exists, and the heading in it."""
    file, _, heading = link.partition("#")
    target = path.parent / file if file else path
    if not target.exists():
        return False
    if not heading:
        return True
    headings = re.findall(
        r"^#+ (.*)$", without_blocks(target.read_text(encoding="utf-8")), re.MULTILINE
    )
    return heading in {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def without_blocks(document: str) -> str:
    """The document without its fenced blocks: what they hold is code."""
    return re.sub(r"^```.*?^```$", "", document, flags=re.MULTILINE | re.DOTALL)


def test_no_file_names_a_package_registry() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {host.decode()}"
        for path in our_files()
        for host in REGISTRY_HOSTS
        if host in path.read_bytes().lower()
    ]
    assert not named
