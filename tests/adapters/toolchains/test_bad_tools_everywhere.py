"""Whatever a compiler does instead of compiling: the exact bytes stay, nobody is left, and the answer says who did what."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from holdfast.adapters.toolchains import installed_tool as tool_module
from holdfast.adapters.toolchains import project_copy, run_tool
from holdfast.adapters.toolchains.registry import check_for
from holdfast.repair.ports import CheckCrashed, Checked, CheckTimedOut
from tests.adapters.toolchains.toolbox import check, pretend, snapshot, starts
from tests.waiting import FOREVER, LONGEST, has_text, limit_to_begin, wait_until_gone

pytestmark = pytest.mark.slow

OWN = b"the project's own bytes \xff\r\n"
TEXT = b"what shall be checked\n"


@pytest.fixture(
    params=[("gcc", "src/a.c"), ("rustc", "src/a.rs"), ("node", "src/a.js")],
    ids=["gcc", "rustc", "node"],
)
def tool(request: pytest.FixtureRequest) -> tuple[str, str]:
    name, path = request.param
    return name, path


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is first on the PATH; no other tool than what is there and in the system is found."""
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("HOLDFAST_TOOLCHAINS", raising=False)
    return folder


@pytest.fixture
def root(tmp_path: Path, tool: tuple[str, str]) -> Path:
    made = tmp_path / "project"
    (made / "src").mkdir(parents=True)
    (made / tool[1]).write_bytes(OWN)
    (made / "src/neighbour.h").write_bytes(OWN)
    (made / "top.txt").write_bytes(OWN)
    return made


def outcome(root: Path, path: str, timeout: float = LONGEST) -> Checked | CheckTimedOut | str:
    """What a check gave, or what was said when it could not be; the project is as it was, either way."""
    before = snapshot(root)
    try:
        return check(root, path, timeout=timeout).run(path, TEXT)
    except CheckCrashed as crashed:
        return str(crashed)
    finally:
        assert snapshot(root) == before


def test_one_that_hangs_deaf_to_friendly_words_is_ended_with_its_children(
    tools: Path, root: Path, tool: tuple[str, str]
) -> None:
    name, path = tool
    pids = tools / "pids"
    hang = f"while :; do {FOREVER}; done"
    pretend(tools, name, f"trap '' TERM\n({hang}) & echo $! $$ > {pids}\n{hang}")
    limit, result = limit_to_begin(
        lambda limit: outcome(root, path, timeout=limit), lambda _: has_text(pids), shortest=0.5
    )
    assert result == CheckTimedOut(f"{name} 1.2.3", limit)
    assert all(wait_until_gone(int(pid)) for pid in pids.read_text().split())


def test_one_that_floods_is_ended(
    tools: Path, root: Path, tool: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name, path = tool
    monkeypatch.setattr(run_tool, "LARGEST_OUTPUT", 200_000)
    pretend(tools, name, f"echo $$ > {tools}/pid\nwhile :; do echo flood flood flood flood; done")
    result = outcome(root, path)
    assert isinstance(result, str)
    assert result.startswith(f"{name} 1.2.3 wrote more than ")
    assert "and was ended; it began with:\nflood" in result
    assert wait_until_gone(int((tools / "pid").read_text()))


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("kill -SEGV $$", "was ended by SIGSEGV; it printed nothing."),
        ("echo out of memory; kill -KILL $$", "was ended by SIGKILL; its last output:\nout of memory"),
        ("kill -ABRT $$", "was ended by SIGABRT; it printed nothing."),
        ("exit 1", "failed with exit code 1 and named no error in the code; it printed nothing."),
        ("exec /no/such/program", "failed with exit code 127 and named no error in the code; its last output:\n"),
        ("printf '\\377\\376 oops \\303'; exit 1", "failed with exit code 1 and named no error in the code; its last output:\n�� oops �"),
        ("echo '{]['; exit 3", "failed with exit code 3 and named no error in the code; its last output:\n{]["),
    ],
)  # fmt: skip
def test_one_that_breaks_says_so_with_its_last_words(
    tools: Path, root: Path, tool: tuple[str, str], script: str, said: str
) -> None:
    name, path = tool
    program = pretend(tools, name, script)
    result = outcome(root, path)
    assert isinstance(result, str)
    assert result.startswith(f"{name} 1.2.3 {said}")
    assert starts(program) == 1


def test_bytes_that_are_no_text_among_its_words_do_not_hide_that_it_ended_well(
    tools: Path, root: Path, tool: tuple[str, str]
) -> None:
    name, path = tool
    pretend(tools, name, "printf '\\377\\376 a note \\303\\n'")
    result = outcome(root, path)
    assert isinstance(result, Checked)
    assert (result.ok, result.diagnostics, result.output) == (True, (), "�� a note �\n")


@pytest.mark.parametrize("few", [True, False], ids=["small", "large"])
def test_one_that_writes_around_itself_writes_into_the_copy(
    tools: Path, root: Path, tool: tuple[str, str], monkeypatch: pytest.MonkeyPatch, *, few: bool
) -> None:
    name, path = tool
    monkeypatch.setattr(project_copy, "_FEW_FILES", 300 if few else 0)
    neighbours = (
        "echo spoilt > src/neighbour.h; rm -f top.txt; mkdir -p src/new; echo x > src/new/file"
        if few
        else ""
    )
    pretend(
        tools, name, f"echo spoilt > {path}; echo x > made.o; echo y > src/made.d; {neighbours}"
    )
    result = outcome(root, path)
    assert isinstance(result, Checked)
    # And for the next run all is whole again.
    pretend(tools, name, f"cat {path} src/neighbour.h top.txt >&2; exit 1")
    again = outcome(root, path)
    assert isinstance(again, str)
    own = "the project's own bytes \N{REPLACEMENT CHARACTER}"
    assert again.endswith(f"{TEXT.decode()}{own}\r\n{own}")


def test_one_that_leaves_a_daemon_with_its_output_open_is_not_waited_for(
    tools: Path, root: Path, tool: tuple[str, str]
) -> None:
    name, path = tool
    pretend(tools, name, f"{FOREVER} & echo $! > {tools}/pid\necho done")
    result = outcome(root, path)
    assert isinstance(result, Checked)
    assert result.output == "done\n"
    assert wait_until_gone(int((tools / "pid").read_text()))


def test_one_that_leaves_its_group_with_its_output_open_is_not_waited_for_either(
    tools: Path, root: Path, tool: tuple[str, str]
) -> None:
    name, path = tool
    pretend(
        tools,
        name,
        f"setsid sh -c 'echo $$ > {tools}/pid; exec {FOREVER}' & while [ ! -s {tools}/pid ]; do :; done; echo done",
    )
    result = outcome(root, path)
    assert isinstance(result, Checked)
    assert result.output == "done\n"
    os.kill(int((tools / "pid").read_text()), 9)


def test_one_that_hangs_when_asked_for_its_version_is_ended_when_somebody_cancels(
    tools: Path, root: Path, tool: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name, path = tool
    monkeypatch.setattr(tool_module, "_PROBE_SECONDS", 300.0)
    program = tools / name
    program.write_text(f"#!/bin/sh\nexec {FOREVER}\n")
    program.chmod(0o755)
    cancelled = threading.Event()
    cancelled.set()
    found = check_for(path, root, mode="file", timeout=600.0, own_code=True, cancel=cancelled)
    assert found is not None
    assert found.run(path, TEXT) == CheckTimedOut(f"{name} unknown", 600.0)
