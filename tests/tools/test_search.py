"""search: lines that match, of files that matter and hold no secrets."""

from __future__ import annotations

import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from holdfast.adapters.project.search import DiskSearcher
from holdfast.tools.ports import Hits, Query
from tests.tools.world import Somebody, World, open_world

SEARCHERS = ["no-such-program", *(["rg"] if shutil.which("rg") else [])]
"""Our own program, and ripgrep where it is installed."""


@pytest.fixture(params=SEARCHERS)
def searcher(request: pytest.FixtureRequest, tmp_path: Path) -> DiskSearcher:
    return DiskSearcher(str(tmp_path), request.param)


def find(searcher: DiskSearcher, pattern: str, **more: object) -> list[tuple[str, int, str]]:
    found = searcher.find(Query(pattern, **more), threading.Event())  # type: ignore[arg-type]
    return [(hit.path, hit.line, hit.text) for hit in found.hits]


def test_lines_that_match_come_by_path_and_line(searcher: DiskSearcher, tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("x = 1\ny = 22\n")
    (tmp_path / "a.py").write_text("z = 333\r\n")
    assert find(searcher, r"= \d+$") == [
        ("a.py", 1, "z = 333"),
        ("b.py", 1, "x = 1"),
        ("b.py", 2, "y = 22"),
    ]


def test_plain_text_is_found_as_it_is(searcher: DiskSearcher, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("f(a\nfa\n")
    assert find(searcher, "f(", literal=True) == [("a.py", 1, "f(a")]


def test_a_directory_a_file_and_a_glob_narrow_it(searcher: DiskSearcher, tmp_path: Path) -> None:
    for name in ("a.py", "src/a.py", "src/a.js", "src/deep/a.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("hit\n")
    assert [path for path, *_ in find(searcher, "hit", under="src")] == [
        "src/a.js",
        "src/a.py",
        "src/deep/a.py",
    ]
    assert [path for path, *_ in find(searcher, "hit", under="src/a.js")] == ["src/a.js"]
    assert [path for path, *_ in find(searcher, "hit", glob="*.js")] == ["src/a.js"]
    assert [path for path, *_ in find(searcher, "hit", glob="src/*.py")] == ["src/a.py"]
    assert [path for path, *_ in find(searcher, "hit", under="src", glob="*/*.py")] == [
        "src/a.py",
        "src/deep/a.py",
    ]


def test_ignored_files_caches_binaries_and_secrets_are_left_out(
    searcher: DiskSearcher, tmp_path: Path
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text("*.out\n")
    for name in ("a.py", "a.out", ".env", "deep/.env", "node_modules/a.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("hit\n")
    (tmp_path / "a.bin").write_bytes(b"hit\n\0")
    found = [path for path, *_ in find(searcher, "hit")]
    assert "a.py" in found
    assert not {"a.out", ".env", "deep/.env", "a.bin"} & set(found)


def test_an_expression_that_only_python_knows_works_everywhere(
    searcher: DiskSearcher, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("foobar\nbar\n")
    assert find(searcher, "(?<!foo)bar") == [("a.py", 2, "bar")]
    assert find(searcher, r"(o)\1") == [("a.py", 1, "foobar")]


def test_a_match_over_lines_is_shown_where_it_begins(
    searcher: DiskSearcher, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("x\nif a:\n  b\n")
    assert find(searcher, r"if a:\n") == [("a.py", 2, "if a:")]


def test_more_than_a_hundred_matches_are_cut(searcher: DiskSearcher, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("hit\n" * 200)
    found = searcher.find(Query("hit"), threading.Event())
    assert (len(found.hits), found.more, found.late) == (100, True, False)


def test_texts_that_are_not_on_the_disk_are_searched_instead(
    searcher: DiskSearcher, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("hit on the disk\n")
    (tmp_path / "gone.py").write_text("hit\n")
    instead = {"a.py": "x\nhit in memory\n", "new.py": "hit\n", "gone.py": None}
    assert find(searcher, "hit", instead=instead) == [
        ("a.py", 2, "hit in memory"),
        ("new.py", 1, "hit"),
    ]


def test_an_expression_that_never_ends_is_ended_by_a_cancel(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a" * 60 + "b\n")
    cancel = threading.Event()
    timer = threading.Timer(0.3, cancel.set)
    timer.start()
    found = DiskSearcher(str(tmp_path), "no-such-program").find(Query("(a+)+$"), cancel)
    timer.join()
    assert found == Hits((), late=True)


def test_an_expression_that_never_ends_is_ended_by_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.adapters.project.search._TIMEOUT", 0.3)
    (tmp_path / "1.txt").write_text("aa\n")
    (tmp_path / "2.txt").write_text("a" * 60 + "b\n")
    found = DiskSearcher(str(tmp_path), "no-such-program").find(Query("(a+)+$"), threading.Event())
    assert found.late


def test_a_search_that_was_late_says_so(world: World) -> None:
    searcher = world.toolbox._context.ports.searcher
    searcher.find = lambda query, cancel: Hits((), late=True)  # type: ignore[method-assign]
    assert world.told("search", pattern="x") == (
        "No match for x. The time was up before all files were read; search a directory, or with a glob."
    )


def test_matches_are_listed_with_path_and_line(world: World) -> None:
    world.write("src/a.py", "def f():\n    return hit\n")
    outcome = world.call("search", pattern="hit")
    assert outcome.text == "1 match:\nsrc/a.py:2:     return hit"
    assert world.call("search", pattern="hit", path="src").read == ("src",)
    assert (
        world.told("search", pattern="nothing", path="src", glob="*.py")
        == "No match for nothing in src (*.py)."
    )


def test_what_is_no_expression_is_searched_for_as_it_is(world: World) -> None:
    world.write("a.py", "f(x\n")
    assert world.told("search", pattern="f(") == (
        "1 match: The pattern is not a regular expression, so it was searched for as plain text.\na.py:1: f(x"
    )


def test_wide_lines_and_many_matches_are_bounded(world: World) -> None:
    world.write("wide.txt", ("hit " + "x" * 5_000 + "\n") * 90)
    output = world.told("search", pattern="hit")
    assert len(output) < 9_000
    assert output.startswith("The first ")
    assert "There are more; narrow the pattern, path or glob." in output


def test_a_search_answers_what_it_cannot_look_for(world: World) -> None:
    assert "empty" in world.refused("search", "schema_reject", pattern="")
    assert "is not a glob" in world.refused("search", "schema_reject", pattern="x", glob="[z-a]")
    assert "no such file or directory" in world.refused(
        "search", "exec_error", pattern="x", path="none"
    )


def test_a_file_with_secrets_is_searched_only_if_somebody_allows_it(tmp_path: Path) -> None:
    with open_world(tmp_path, gate=Somebody()) as world:
        world.write(".env", "KEY=1\n")
        assert world.told("search", pattern="KEY") == "No match for KEY."
        assert world.gate.asked == []
        assert world.told("search", pattern="KEY", path=".env") == "1 match in .env:\n.env:1: KEY=1"
        assert world.gate.asked == [("read", ".env")]


def test_matches_are_shown_up_to_8000_characters(world: World) -> None:
    """Each line of the answer has 200 characters with its line break; the last one may have more."""
    texts = ["x" * (200 - len(f"a:{number}: \n")) for number in range(1, 41)]
    lines = [f"a:{number}: {text}" for number, text in enumerate(texts, 1)]
    world.write("a", "\n".join(texts))
    assert world.told("search", pattern="x") == "\n".join(["40 matches:", *lines])
    world.write("a", "\n".join([*texts, "x"]))
    more = "There are more; narrow the pattern, path or glob."
    assert world.told("search", pattern="x") == "\n".join([f"The first 40 matches: {more}", *lines])
    world.write("a", "\n".join(texts) + "x")
    assert world.told("search", pattern="x") == "\n".join(
        [f"The first 39 matches: {more}", *lines[:39]]
    )
