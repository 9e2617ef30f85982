"""Which checks a project has for a file, by what its own files say."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from holdfast.adapters.toolchains.own_code import OwnCode
from holdfast.adapters.toolchains.project_checks import CheckRequest, checks_of_project
from holdfast.repair.ports import Checked
from holdfast.usecases.turns.repair_ports import ProjectCheck
from tests.waiting import LONGEST


def checks_of(
    root: Path, path: str, command: str | None = None, timeout: float = 5
) -> tuple[ProjectCheck, ...]:
    request = CheckRequest(root, timeout, command)
    return checks_of_project(path, request, OwnCode(root), threading.Event())


def found(
    root: Path, path: str, command: str | None = None
) -> list[tuple[str | None, str | None, bool]]:
    checks = checks_of(root, path, command)
    return [(each.command, each.scope, each.last) for each in checks]


def lay_out(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.mark.parametrize(
    ("files", "path", "wanted"),
    [
        ({}, "a.py", None),
        ({"pyproject.toml": ""}, "src/a.py", (None, None)),
        ({"src/pyproject.toml": ""}, "src/a.py", (None, None)),
        ({"src/pyproject.toml": ""}, "other/a.py", None),
        ({"pyproject.toml": ""}, "a.md", None),
        ({"tsconfig.json": "{}"}, "a.ts", (None, "tsc tsconfig.json")),
        (
            {"web/tsconfig.json": '{"include": ["src"]}'},
            "web/src/a.ts",
            (None, "tsc web/tsconfig.json"),
        ),
        ({"web/tsconfig.json": '{"include": ["src"]}'}, "web/tools/a.ts", (None, None)),
        ({"tsconfig.json": "{}"}, "a.js", (None, None)),
        ({"package.json": "{}"}, "a.js", (None, None)),
        ({"package.json": "{}"}, "a.jsx", None),
        ({"package.json": "{}"}, "a.ts", None),
        ({"Cargo.toml": ""}, "src/a.rs", (None, "rust Cargo.toml")),
        ({"Cargo.toml": "", "b/Cargo.toml": ""}, "b/src/a.rs", (None, "rust b/Cargo.toml")),
        ({"go.mod": "module x\n"}, "pkg/a.go", (None, "go go.mod")),
        ({}, "a.go", None),
        ({"Makefile": "all:\ntest: a\n\ncheck:\n"}, "a.c", ("make check", "make check")),
        ({"Makefile": "all:\ntest:\n"}, "a.c", ("make test", "make test")),
        ({"Makefile": "all:\n\tcheck: x\ntest := 1\n"}, "a.c", ("make all", "make all")),
        ({"Makefile": "install:\n\tcheck: x\n"}, "a.c", None),
        ({"Makefile": "check:\n"}, "a.md", None),
        ({"Makefile": "check:\n", "pyproject.toml": ""}, "a.py", (None, None)),
    ],
)
def test_a_check_is_found_where_the_project_says_so(
    tmp_path: Path, files: dict[str, str], path: str, wanted: tuple[str | None, str | None] | None
) -> None:
    lay_out(tmp_path, files)
    assert found(tmp_path, path) == ([] if wanted is None else [(*wanted, False)])


def test_the_command_that_is_set_goes_in_the_makefiles_place_and_after_the_languages_own_check(
    tmp_path: Path,
) -> None:
    lay_out(tmp_path, {"Makefile": "check:\n", "pyproject.toml": ""})
    assert found(tmp_path, "a.md", "./own") == [("./own", "./own", True)]
    assert found(tmp_path, "a.c", "./own") == [("./own", "./own", True)]
    assert found(tmp_path, "a.py", "./own") == [(None, None, False), ("./own", "./own", True)]


def test_a_command_that_names_the_path_is_about_that_file_alone(tmp_path: Path) -> None:
    assert found(tmp_path, "a.md", "./own {path}") == [("./own {path}", None, True)]


def test_a_command_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="No closing quotation"):
        found(tmp_path, "a.md", "./own 'open")


def test_a_check_can_see_the_project_as_it_was(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.txt": "now\n", "b.txt": "now\n", "made.txt": "now\n"})
    [check] = checks_of(tmp_path, "a.txt", "grep -r . .", LONGEST)
    then = check.with_files({"b.txt": b"then\n", "made.txt": None, "sub/gone.txt": b"then\n"})
    was, now = then.run("a.txt", b"now\n"), check.check.run("a.txt", b"now\n")
    assert isinstance(was, Checked)
    assert isinstance(now, Checked)
    assert sorted(was.output.split()) == ["./a.txt:now", "./b.txt:then", "./sub/gone.txt:then"]
    assert sorted(now.output.split()) == ["./a.txt:now", "./b.txt:now", "./made.txt:now"]
    assert sorted(path.name for path in tmp_path.rglob("*.txt")) == ["a.txt", "b.txt", "made.txt"]


@pytest.mark.parametrize(
    "flags", [None, "", "s", " -- ARGS=-vv", "s -- ARGS=-vv", "--no-print-directory"]
)
def test_make_names_every_file_that_fails_and_not_only_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str | None
) -> None:
    # What a make that runs this test hands on, or the user has set.
    monkeypatch.delenv("MAKEFLAGS", raising=False)
    if flags is not None:
        monkeypatch.setenv("MAKEFLAGS", flags)
    if shutil.which("make") is None:
        pytest.skip("make is not installed: apt install make")
    fails = "{0}.o:\n\t@echo '{0}.c:1:1: error: no'; exit 1\n"
    lay_out(
        tmp_path,
        {
            "Makefile": f"check: a.o b.o\n{fails.format('a')}{fails.format('b')}",
            "a.c": "",
            "b.c": "",
        },
    )
    [check] = checks_of(tmp_path, "a.c", timeout=LONGEST)
    said = check.check.run("a.c", b"")
    assert isinstance(said, Checked)
    assert [each.path for each in said.diagnostics if each.area is not None] == ["a.c", "b.c"]
