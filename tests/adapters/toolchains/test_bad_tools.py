"""Tools that hang, flood, crash, lie or are missing: a clear answer, no process left, and the project as it was."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from holdfast.adapters.toolchains import run_tool
from holdfast.adapters.toolchains.registry import check_for, target_of
from holdfast.repair.ports import CheckCrashed, Checked, CheckTimedOut, ToolchainMissing
from tests.adapters.toolchains.toolbox import check, pretend, run, snapshot, starts
from tests.waiting import FOREVER, has_text, limit_to_begin, wait_until_gone

TEXT = b"int f(void) { return 1; }\n"
ERROR = '[{"kind": "error", "message": "bad ‘x’", "locations": [{"caret": {"file": "./a.c", "line": 1, "byte-column": 5}}]}]'


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is first on the PATH."""
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    (made / "a.c").write_bytes(b"the project's own text\n")
    return made


def test_each_run_starts_the_tool_once(tools: Path, root: Path) -> None:
    gcc = pretend(tools, "gcc", f"echo '{ERROR}' >&2; exit 1")
    checked = check(root, "a.c").run("a.c", TEXT)
    assert starts(gcc) == 1
    assert isinstance(checked, Checked)
    assert (checked.ok, checked.oracle) == (False, "gcc 1.2.3")
    (found,) = checked.diagnostics
    assert (found.path, found.template, found.args) == ("a.c", "bad {0}", ("x",))
    check(root, "a.c").run("a.c", TEXT)
    assert starts(gcc) == 2


def test_a_tool_that_hangs_is_ended_with_all_its_processes(tools: Path, root: Path) -> None:
    pretend(tools, "gcc", f'{FOREVER} & echo $! > "{tools}/child"; echo $$ > "{tools}/self"; wait')
    before = snapshot(root)
    limit, outcome = limit_to_begin(
        lambda limit: check(root, "a.c", timeout=limit).run("a.c", TEXT),
        lambda _: has_text(tools / "self"),
    )
    assert outcome == CheckTimedOut("gcc 1.2.3", limit)
    assert wait_until_gone(int((tools / "child").read_text()))
    assert wait_until_gone(int((tools / "self").read_text()))
    assert snapshot(root) == before


@pytest.mark.slow
def test_a_tool_that_hangs_even_when_asked_for_its_version_is_ended_in_time(
    tools: Path, root: Path
) -> None:
    program = tools / "gcc"
    program.write_text(f"#!/bin/sh\nexec {FOREVER}\n")
    program.chmod(0o755)
    assert check(root, "a.c", timeout=0.5).run("a.c", TEXT) == CheckTimedOut("gcc unknown", 0.5)


def test_a_tool_that_floods_is_ended(
    tools: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_tool, "LARGEST_OUTPUT", 200_000)
    pretend(
        tools,
        "gcc",
        f'echo $$ > "{tools}/self"; while :; do echo flood flood flood flood flood flood; done',
    )
    with pytest.raises(
        CheckCrashed, match=r"gcc 1\.2\.3 wrote more than .* and was ended; it began with:\nflood"
    ):
        check(root, "a.c").run("a.c", TEXT)
    assert wait_until_gone(int((tools / "self").read_text()))


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("kill -SEGV $$", "gcc 1.2.3 was ended by SIGSEGV; it printed nothing."),
        (
            "echo 'internal compiler error: in foo'; exit 4",
            "gcc 1.2.3 failed with exit code 4 and named no error in the code; its last output:\ninternal compiler error: in foo",
        ),
        (
            "exit 1",
            "gcc 1.2.3 failed with exit code 1 and named no error in the code; it printed nothing.",
        ),
    ],
)
def test_a_tool_that_crashes_says_so_with_its_last_words(
    tools: Path, root: Path, script: str, said: str
) -> None:
    pretend(tools, "gcc", script)
    before = snapshot(root)
    with pytest.raises(CheckCrashed) as raised:
        check(root, "a.c").run("a.c", TEXT)
    assert str(raised.value) == said
    assert snapshot(root) == before


def test_a_tool_that_ends_well_with_nonsense_is_not_believed(tools: Path, root: Path) -> None:
    pretend(tools, "ruff", "echo all is fine")
    pretend(tools, "mypy", "")
    with pytest.raises(CheckCrashed, match=r"ruff 1\.2\.3 succeeded, but its output is incomplete"):
        check(root, "a.py").run("a.py", b"x = 1\n")


def test_a_tool_that_cannot_be_run_is_a_crash_of_it(tools: Path, root: Path) -> None:
    program = tools / "gcc"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    with pytest.raises(CheckCrashed, match="this cannot be run"):
        check(root, "a.c").run("a.c", TEXT)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.c", "gcc"),
        ("a.cc", "g++"),
        ("a.rs", "rustc"),
        ("A.java", "javac"),
        ("a.go", "go"),
        ("a.ts", "tsc"),
        ("a.js", "node"),
    ],
)
def test_a_tool_that_is_missing_is_named_with_the_way_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, name: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.delenv("HOLDFAST_TOOLCHAINS", raising=False)
    with pytest.raises(
        ToolchainMissing,
        match=rf"^{path}: {name.replace('+', '[+]')} is not installed.* [Ii]nstall",
    ):
        check(tmp_path, path).run(path, b"")


@pytest.fixture
def bare_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No tool is installed, not even beside our own Python."""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.delenv("HOLDFAST_TOOLCHAINS", raising=False)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin/python"))


@pytest.mark.usefixtures("bare_python")
def test_python_needs_nothing_but_itself(root: Path) -> None:
    checked = run(root, "a.py", "x = (\n")
    assert [(each.tool, each.message) for each in checked.diagnostics] == [
        ("python", "'(' was never closed")
    ]


@pytest.mark.usefixtures("bare_python")
@pytest.mark.parametrize(
    ("file", "text", "name"),
    [
        ("pyproject.toml", "[tool.mypy]\nstrict = true\n", "mypy"),
        ("mypy.ini", "[mypy]\n", "mypy"),
        ("pyproject.toml", "[tool.pyright]\n", "pyright"),
        ("pyproject.toml", "[tool.ruff]\n", "ruff"),
    ],
)
def test_a_checker_that_is_configured_and_missing_is_named_and_nothing_passes(
    root: Path, file: str, text: str, name: str
) -> None:
    (root / file).write_text(text)
    with pytest.raises(
        ToolchainMissing,
        match=rf"^a.py: the project has settings for {name}, which is not installed; "
        r"without it this is not checked\. Install",
    ):
        check(root, "a.py").run("a.py", b"x: int = 'a'\n")


@pytest.mark.usefixtures("bare_python")
def test_what_other_steps_find_is_reported_though_a_checker_is_missing(root: Path) -> None:
    (root / "mypy.ini").write_text("[mypy]\n")
    checked = run(root, "a.py", "x = (\n")
    assert [each.message for each in checked.diagnostics] == ["'(' was never closed"]


@pytest.mark.usefixtures("bare_python")
def test_a_checker_with_settings_is_not_replaced_by_another(root: Path, tools: Path) -> None:
    pretend(tools, "pyright", "echo all is fine")
    (root / "mypy.ini").write_text("[mypy]\n")
    with pytest.raises(ToolchainMissing, match="settings for mypy, which is not installed"):
        check(root, "a.py").run("a.py", b"x = 1\n")


def test_a_tool_of_the_project_comes_first_and_a_toolchain_folder_last(
    tools: Path, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = tmp_path / "toolchains"
    (ours / "node_modules").mkdir(parents=True)
    (root / "node_modules").mkdir()
    last = pretend(ours / "node_modules/.bin", "tsc", "")
    monkeypatch.setenv("HOLDFAST_TOOLCHAINS", str(ours))
    monkeypatch.setenv("PATH", "/bin")
    assert run(root, "a.ts", "").ok
    path = pretend(tools, "tsc", "")
    monkeypatch.setenv("PATH", f"{tools}:/bin")
    assert run(root, "a.ts", "").ok
    first = pretend(root / "node_modules/.bin", "tsc", "")
    assert run(root, "a.ts", "").ok
    assert [starts(last), starts(path), starts(first)] == [1, 1, 1]


def test_a_tool_gets_nothing_of_our_environment_but_what_it_needs(
    tools: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(tools, "gcc", f'env > "{tools}/env"')
    monkeypatch.setenv("HOLDFAST_API_KEY", "secret")
    monkeypatch.setenv("OTHER_TOKEN", "secret")
    monkeypatch.setenv("GCC_COLORS", "error=01;31")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    check(root, "a.c").run("a.c", TEXT)
    environment = (tools / "env").read_text().splitlines()
    assert "LC_ALL=C" in environment
    assert "NO_COLOR=1" in environment
    assert not [line for line in environment if "secret" in line or line.startswith("GCC_COLORS")]


def test_a_new_version_of_a_tool_is_asked_anew(tools: Path, root: Path) -> None:
    gcc = pretend(tools, "gcc", "")
    assert run(root, "a.c", "").oracle == "gcc 1.2.3"
    gcc.write_text(gcc.read_text().replace("1.2.3", "10.20.30"))
    assert run(root, "a.c", "").oracle == "gcc 10.20.30"


def test_many_checks_at_once_do_not_meet(tools: Path, root: Path) -> None:
    pretend(tools, "gcc", "cat a.c >&2; exit 1")
    messages: dict[int, str] = {}

    def one(number: int) -> None:
        message = f'[{{"kind": "error", "message": "{number}", "locations": []}}]'
        checked = check(root, "a.c").run("a.c", message.encode())
        assert isinstance(checked, Checked)
        messages[number] = checked.diagnostics[0].message

    threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert messages == {number: str(number) for number in range(8)}


@pytest.mark.parametrize("path", ["/etc/passwd.c", "../a.c", "a/../../b.c"])
def test_a_path_out_of_the_root_is_a_mistake_of_the_caller(root: Path, path: str) -> None:
    with pytest.raises(ValueError, match="below the root"):
        check(root, path).run(path, b"")


# ------------------------------------------------------------------------------------------------------------ commands


def test_a_command_is_the_check_of_any_file_and_sees_the_project(root: Path) -> None:
    (root / "other.txt").write_text("neighbour")
    script = "cat {path} other.txt; echo; echo {path}:2:3: warning: odd; echo {path}:1:1: error: bad \\`x\\`; exit 1"
    (root / "check.sh").write_text(f"#!/bin/sh\n{script.replace('{path}', '$1')}\n")
    (root / "check.sh").chmod(0o755)
    checked = run(root, "a.xyz", "text ", command="./check.sh {path}")
    assert checked.output.startswith("text neighbour\n")
    assert [
        (each.severity, each.template, each.args, each.path) for each in checked.diagnostics
    ] == [
        ("warning", "odd", (), "a.xyz"),
        ("error", "bad {0}", ("x",), "a.xyz"),
    ]


def test_a_command_that_fails_without_a_place_is_a_failure_all_the_same(root: Path) -> None:
    checked = run(root, "a.xyz", "", command="sh -c 'echo 3 tests failed; exit 2'")
    assert not checked.ok
    (found,) = checked.diagnostics
    assert (found.template, found.args, found.path, found.area) == (
        "the check failed with exit code {0}",
        ("2",),
        "a.xyz",
        None,
    )
    assert "3 tests failed" in found.message


def test_a_command_that_writes_writes_into_the_copy(root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub/b.txt").write_text("b")
    before = snapshot(root)
    command = "sh -c 'echo spoilt > a.c; echo spoilt > sub/b.txt; mkdir -p new; echo x > new/file; rm -f {path}'"
    assert run(root, "unit.txt", "u", command=command).ok
    assert snapshot(root) == before
    # And what it spoilt is whole again for the next.
    assert (
        run(root, "unit.txt", "u", command="sh -c 'cat a.c sub/b.txt'").output
        == "the project's own text\nb"
    )


def test_the_copy_follows_the_project(root: Path) -> None:
    show = "sh -c 'cat *.txt'"
    (root / "b.txt").write_text("b")
    assert run(root, "a.txt", "1", command=show).output == "1b"
    (root / "b.txt").write_text("changed")
    (root / "c.txt").write_text("c")
    assert run(root, "a.txt", "2", command=show).output == "2changedc"
    (root / "b.txt").unlink()
    assert run(root, "d.txt", "3", command=show).output == "c3"


def test_a_command_that_is_none_or_is_not_installed(root: Path) -> None:
    with pytest.raises(ValueError, match="empty command"):
        check_for("a.c", root, mode="file", timeout=1.0, command=" ")
    with pytest.raises(ToolchainMissing, match="no-such-program: no such program"):
        run(root, "a.c", "", command="no-such-program --all")


# ------------------------------------------------------------------------------------------------------------ registry


def test_the_suffix_says_the_language() -> None:
    assert [
        target_of(path) for path in ("a.py", "b/c.TS", "d.hpp", "e.h", "f.mjs", "g.txt", "Makefile")
    ] == [
        "python",
        "typescript",
        "cpp",
        "c",
        "javascript",
        None,
        None,
    ]
    assert check_for("a.txt", "/", mode="file", timeout=1.0) is None


def test_the_scratch_folder_is_not_in_what_is_said(tools: Path, root: Path) -> None:
    script = """printf '[{"kind": "error", "message": "in ‘%s/a.c’", "locations": []}]' "$PWD" >&2; exit 1"""
    pretend(tools, "gcc", script)
    checked = run(root, "a.c", "")
    (found,) = checked.diagnostics
    assert (found.message, found.args) == ("in ‘a.c’", ("a.c",))
    assert "holdfast-scratch-" not in checked.output
