"""What is put back after a command is put back in the project, whatever another process does there meanwhile."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from holdfast.adapters.processes.sandbox.agent_confinement import _put_back
from holdfast.adapters.processes.sandbox.cleanup.restoration import restored
from holdfast.adapters.processes.sandbox.layout import Layout
from holdfast.adapters.processes.sandbox.view import View
from tests.adapters.swap import CALLS, MOST_CALLS, Swap, with_swap

TRIES = 5000
RACER = """
import os, sys
def rename(old, new):
    try:
        os.rename(old, new)
    except OSError:
        pass
place, outside = sys.argv[1:]
os.symlink(outside, place + ".link")
print("ready", flush=True)
while True:
    rename(place, place + ".own")
    rename(place + ".link", place)
    rename(place, place + ".link")
    rename(place + ".own", place)
"""


def forbidden(path: str) -> Layout:
    return Layout(View(), forbidden=[path])


def rebase_list(path: str) -> Layout:
    return Layout(View(), rebase_lists=[path])


def strategy(path: str) -> Layout:
    return Layout(View(), strategy_files=[path])


def outside_of(tmp_path: Path) -> Path:
    """Make a folder outside of the project, with files of the names that are put back."""
    folder = tmp_path / "outside"
    folder.mkdir(0o755)
    for name in ("alternates", "git-rebase-todo", "strategy"):
        (folder / name).write_text("exec precious\n")
    return folder


def state_of(folder: Path) -> dict[str, tuple[int, str]]:
    files = {path.name: (path.stat().st_mode, path.read_text()) for path in folder.iterdir()}
    return {**files, ".": (folder.stat().st_mode, "")}


@pytest.mark.parametrize(
    ("layout_of", "name"),
    [(forbidden, "alternates"), (rebase_list, "git-rebase-todo"), (strategy, "strategy")],
)
def test_nothing_is_put_back_by_a_link_that_is_made_before_any_of_our_calls(
    tmp_path: Path, layout_of: Callable[[str], Layout], name: str
) -> None:
    outside = outside_of(tmp_path)
    before = state_of(outside)
    for number in range(1, MOST_CALLS):
        place = tmp_path / str(number) / "folder"
        place.mkdir(parents=True)

        def put_back(swap: Swap, path: Path = place / name) -> None:
            with restored(layout_of(str(path))):
                path.write_text("exec evil\n")
                swap.is_armed = True

        was_swapped = with_swap(Swap(place, outside, number), put_back)
        assert state_of(outside) == before, number
        if not was_swapped:
            assert number > len(CALLS)
            return


def test_no_mode_is_changed_by_a_link_that_is_made_before_any_of_our_calls(tmp_path: Path) -> None:
    outside = outside_of(tmp_path)
    before = state_of(outside)
    for number in range(1, MOST_CALLS):
        place = tmp_path / str(number) / "alternates"
        (place / "inner").mkdir(parents=True)

        def put_back(swap: Swap, path: Path = place) -> None:
            with restored(forbidden(str(path))):
                swap.is_armed = True

        was_swapped = with_swap(Swap(place / "inner", outside, number), put_back)
        assert state_of(outside) == before, number
        if not was_swapped:
            assert number > len(CALLS)
            return


def test_what_is_put_back_for_an_agent_is_not_written_by_a_link_that_is_made_meanwhile(
    tmp_path: Path,
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    for number in range(1, MOST_CALLS):
        head = tmp_path / str(number) / "HEAD"
        head.parent.mkdir()
        head.write_text("ref: refs/heads/other\n")

        def put_back(swap: Swap, path: Path = head) -> None:
            swap.is_armed = True
            _put_back(str(path), b"ref: refs/heads/own\n")

        was_swapped = with_swap(Swap(head, precious, number), put_back)
        assert precious.read_text() == "precious", number
        _put_back(str(head), b"ref: refs/heads/own\n")
        assert (head.is_symlink(), head.read_text()) == (False, "ref: refs/heads/own\n")
        if not was_swapped:
            return


def test_nothing_is_removed_by_a_link_that_another_process_makes_meanwhile(tmp_path: Path) -> None:
    outside = outside_of(tmp_path)
    before = state_of(outside)
    place = tmp_path / "project/folder"
    place.mkdir(parents=True)
    words = [sys.executable, "-I", "-S", "-c", RACER, str(place), str(outside)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as racer:
        assert racer.stdout is not None
        racer.stdout.readline()
        try:
            for _ in range(TRIES):
                with suppress(FileNotFoundError), restored(forbidden(str(place / "alternates"))):
                    pass
                if state_of(outside) != before:
                    break
        finally:
            racer.kill()
    assert state_of(outside) == before


def test_a_folder_that_nobody_may_read_is_removed(tmp_path: Path) -> None:
    place = tmp_path / "project/alternates"
    (place / "a/b").mkdir(parents=True)
    (place / "a/b/c").write_text("")
    for path in (place / "a/b", place / "a", place, place.parent):
        path.chmod(0)
    with restored(forbidden(str(place))) as changed:
        pass
    assert (changed, list(place.parent.iterdir())) == ([str(place)], [])
