"""read_file, list_dir, find_files: the output for files, and for paths that are no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.adapters.project.directories import DiskDirectories
from holdfast.tools.ports import PathLook
from tests.tools.world import World


def test_a_file_is_read_with_line_numbers(world: World) -> None:
    world.write("src/a.py", "x = 1\ny = 2\n")
    outcome = world.call("read_file", path="src/a.py")
    assert outcome.text == "src/a.py: 2 lines.\n1| x = 1\n2| y = 2"
    assert outcome.read == ("src/a.py",)
    assert outcome.failure is None


def test_a_range_says_how_many_lines_there_are(world: World) -> None:
    world.write("a.txt", "".join(f"{i}\n" for i in range(1, 11)))
    assert (
        world.told("read_file", path="a.txt", start=3, end=4)
        == "a.txt: lines 3 to 4 of 10.\n3| 3\n4| 4"
    )
    assert world.told("read_file", path="a.txt", start=10) == "a.txt: line 10 of 10.\n10| 10"
    assert world.told("read_file", path="a.txt", start=9, end=99).startswith(
        "a.txt: lines 9 to 10 of 10.\n"
    )
    assert world.told("read_file", path="a.txt", start=0, end=-1).startswith("a.txt: 10 lines.\n")


def test_a_long_file_comes_in_parts_and_says_how_to_read_on(world: World) -> None:
    world.write("a.txt", "".join(f"{i}\n" for i in range(1, 1001)))
    first = world.told("read_file", path="a.txt")
    assert first.startswith("a.txt: lines 1 to 400 of 1000. Read on with start=401.\n1| 1\n")
    assert first.endswith("\n400| 400")
    assert world.told("read_file", path="a.txt", start=401).startswith(
        "a.txt: lines 401 to 800 of 1000. Read on with start=801."
    )
    assert "Read on" not in world.told("read_file", path="a.txt", start=801)


def test_wide_lines_are_cut_and_a_part_holds_a_bounded_number_of_characters(world: World) -> None:
    world.write("wide.txt", "x" * 1_000 + "\n" + ("y" * 390 + "\n") * 100)
    output = world.told("read_file", path="wide.txt")
    assert "1| " + "x" * 400 + "… (600 more characters)\n" in output
    assert len(output) < 17_000
    assert "Read on with start=" in output


def test_an_empty_file_is_a_file(world: World) -> None:
    world.write("a.py", "")
    assert world.told("read_file", path="a.py") == "a.py: the file is empty."


def test_lines_that_are_not_there_are_named(world: World) -> None:
    world.write("a.py", "x\n")
    assert world.refused("read_file", "exec_error", path="a.py", start=7) == (
        "a.py: the file has 1 line; there is no line 7."
    )
    world.write("b.py", "x\n" * 9)
    assert world.refused("read_file", "exec_error", path="b.py", start=7, end=2) == (
        "b.py: end=2 is before start=7; send the first line as start, the last as end."
    )


def test_windows_line_ends_and_old_encodings_are_read(world: World) -> None:
    world.write("dos.txt", b"caf\xe9\r\nb\r\n")
    assert world.told("read_file", path="dos.txt") == "dos.txt: 2 lines.\n1| café\n2| b"
    world.write("utf16.txt", "ä\nb\n".encode("utf-16"))
    assert world.told("read_file", path="utf16.txt") == "utf16.txt: 2 lines.\n1| ä\n2| b"
    world.write("odd.txt", "→ ".encode() + b"\xe9\n")
    assert world.told("read_file", path="odd.txt") == "odd.txt: 1 line.\n1| → �"


def test_what_is_no_text_is_said_to_be_none(world: World) -> None:
    world.write("a.bin", b"\x00\x01")
    assert world.refused("read_file", "exec_error", path="a.bin") == (
        "a.bin: this is a binary file (2 bytes); only text can be read."
    )
    (world.root / "src").mkdir()
    assert world.refused("read_file", "exec_error", path="src/") == (
        "src: this is a directory; use list_dir to see what is in it."
    )
    assert "directory" in world.refused("read_file", "exec_error", path=".")
    os.mkfifo(world.root / "pipe")
    assert world.call("read_file", path="pipe").failure == "exec_error"


def test_a_huge_file_is_not_read_into_memory(world: World) -> None:
    with (world.root / "huge.log").open("wb") as file:
        file.truncate(3_000_000_000)
    assert world.call("read_file", path="huge.log").text == (
        "huge.log: this file has 3000 MB, too much to be read; use search to find lines in it."
    )


def test_a_missing_file_comes_with_the_nearest_names(world: World) -> None:
    world.write("src/utils.py", "")
    assert world.refused("read_file", "exec_error", path="src/util.py") == (
        "src/util.py: there is no such file; did you mean src/utils.py?"
    )
    assert world.refused("read_file", "exec_error", path="zzz.q") == (
        "zzz.q: there is no such file; use find_files or list_dir to see what there is."
    )


def test_a_path_that_begins_at_the_roots_own_path_is_one_below_it(world: World) -> None:
    world.write("src/a.py", "x\n")
    assert world.told("read_file", path=str(world.root / "src/a.py")) == "src/a.py: 1 line.\n1| x"
    assert world.told("read_file", path="./src//a.py").endswith("1| x")
    assert world.told("list_dir", path=str(world.root)) == ".: 1 entry.\nsrc/"


def test_a_listing_records_its_directory_as_read_but_not_the_root(world: World) -> None:
    world.write("src/a.py", "x\n")
    assert [world.call("list_dir", path=path).read for path in (".", "src")] == [(), ("src",)]


@pytest.mark.parametrize("path", ["src//a.py", ".//src/a.py", "././/src/a.py", " src/a.py "])
def test_slashes_in_a_row_count_as_one_and_a_dot_in_front_as_nothing(
    world: World, path: str
) -> None:
    world.write("src/a.py", "x\n")
    expected = "src/a.py: 1 line.\n1| x"
    assert world.told("read_file", path=path) == expected
    assert world.told("read_file", path=f"{world.root}//src/a.py") == expected


def test_the_first_entries_of_a_large_directory_are_listed_and_the_others_counted(
    world: World,
) -> None:
    names = [f"{number:03}" for number in range(201)]
    for name in names[:200]:
        world.write(f"many/{name}", "x")
    lines = [f"{name} (1 byte)" for name in names[:200]]
    shown = world.told("list_dir", path="many")
    assert shown == "\n".join(["many: 200 entries.", *lines])
    world.write("many/200", "x")
    more = "(1 more; use find_files to look for a name)"
    shown = world.told("list_dir", path="many")
    assert shown == "\n".join(["many: 201 entries.", *lines, more])


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../secret.txt", "src/../../secret.txt", "~/x", ".git/config", "C:\\x"]
)
@pytest.mark.parametrize("tool", ["read_file", "list_dir", "search", "find_files"])
def test_what_is_outside_is_denied(world: World, tool: str, path: str) -> None:
    (world.root.parent / "secret.txt").write_text("secret")
    (world.root / ".git").mkdir()
    arguments = {
        "read_file": {},
        "list_dir": {},
        "search": {"pattern": "s"},
        "find_files": {"pattern": "s"},
    }[tool]
    assert "secret\n" not in world.refused(tool, "permission_denied", path=path, **arguments)


@pytest.mark.parametrize("tool", ["read_file", "list_dir", "search", "find_files"])
def test_no_symlink_leads_outside(world: World, tool: str) -> None:
    outside = world.root.parent / "outside"
    outside.mkdir()
    (outside / "key.txt").write_text("secret")
    (world.root / "out").symlink_to(outside)
    (world.root / "link.txt").symlink_to(outside / "key.txt")
    arguments = {
        "read_file": {},
        "list_dir": {},
        "search": {"pattern": "s"},
        "find_files": {"pattern": "key"},
    }[tool]
    for path in ("out/key.txt", "out", "link.txt"):
        output = world.refused(tool, "permission_denied", path=path, **arguments)
        assert "leads out of the project" in output


def test_a_walk_does_not_follow_symlinks(world: World) -> None:
    outside = world.root.parent / "outside"
    outside.mkdir()
    (outside / "key.txt").write_text("secret")
    (world.root / "out").symlink_to(outside)
    (world.root / "link.txt").symlink_to(outside / "key.txt")
    assert world.told("search", pattern="secret") == "No match for secret."
    assert "key.txt" not in world.told("find_files", pattern="key.txt").partition(".")[2]
    assert world.told("list_dir") == ".: 2 entries.\nlink.txt (symlink)\nout (symlink)"


def test_symlinks_inside_lead_where_they_lead(world: World) -> None:
    world.write("real/a.py", "x\n")
    (world.root / "link").symlink_to("real")
    assert world.told("read_file", path="link/a.py") == "link/a.py: 1 line.\n1| x"
    assert world.told("list_dir", path="link") == "link: 1 entry.\na.py (2 bytes)"


def test_a_directory_is_listed_with_directories_first(world: World) -> None:
    world.write("b.py", "xx")
    world.write("a/c.py", "x")
    world.write("big.bin", b"x" * 1_500)
    world.write(".hidden", "")
    (world.root / ".git").mkdir()
    outcome = world.call("list_dir")
    assert outcome.text == ".: 4 entries.\na/\n.hidden (0 bytes)\nb.py (2 bytes)\nbig.bin (1.5 KB)"
    assert world.call("list_dir", path="a").read == ("a",)
    (world.root / "a/c.py").unlink()
    assert world.told("list_dir", path="a") == "a: nothing is in it."


def test_a_directory_that_is_none_is_answered_with_a_cure(world: World) -> None:
    world.write("source/a.py", "x")
    assert world.refused("list_dir", "exec_error", path="sources") == (
        "sources: there is no such directory; did you mean source?"
    )
    assert world.refused("list_dir", "exec_error", path="source/a.py") == (
        "source/a.py: this is a file; use read_file to read it."
    )
    assert world.refused("list_dir", "exec_error", path="zzz") == (
        "zzz: there is no such directory; list . to see what there is."
    )
    assert world.refused("list_dir", "exec_error", path="no/where") == (
        "no/where: there is no such directory; list the directory above it to see what there is."
    )


def test_a_long_directory_is_cut(world: World) -> None:
    for i in range(250):
        world.write(f"{i:03}.txt", "")
    output = world.told("list_dir")
    assert output.startswith(".: 250 entries.\n000.txt")
    assert output.endswith("(50 more; use find_files to look for a name)")


def test_odd_names_are_shown_and_read(world: World) -> None:
    names = ["a b.txt", "-rf.txt", "ü.txt", "new\nline.txt", "[x].txt", "$(touch pwned).txt"]
    for name in names:
        world.write(name, "hit\n")
    (world.root / os.fsdecode(b"\xff.txt")).write_text("hit\n")
    for name in names:
        assert world.told("read_file", path=name).endswith("1| hit")
    output = world.told("list_dir")
    assert "�.txt (4 bytes)" in output
    assert output.encode()
    assert world.told("search", pattern="hit").startswith("7 matches:\n")
    assert not (world.root / "pwned").exists()


def test_files_are_found_by_glob_and_by_a_part_of_the_name(world: World) -> None:
    for name in ("a.py", "src/b.py", "src/deep/c.py", "src/b.js", "README.md"):
        world.write(name, "")
    assert world.told("find_files", pattern="*.py") == "3 files:\na.py\nsrc/b.py\nsrc/deep/c.py"
    assert world.told("find_files", pattern="src/*.py") == "1 file:\nsrc/b.py"
    assert world.told("find_files", pattern="**/*.{py,js}", path="src") == (
        "3 files below src:\nsrc/b.js\nsrc/b.py\nsrc/deep/c.py"
    )
    assert (
        world.told("find_files", pattern="*.py", path="src/deep")
        == "1 file below src/deep:\nsrc/deep/c.py"
    )
    assert world.told("find_files", pattern="readme") == "1 file:\nREADME.md"
    assert world.told("find_files", pattern="[ab].py") == "2 files:\na.py\nsrc/b.py"
    assert (
        world.told("find_files", pattern="REDME.md")
        == "No file matches REDME.md. Names like it: README.md."
    )


def test_finding_answers_what_cannot_be_looked_for(world: World) -> None:
    world.write("a.py", "")
    assert "empty" in world.refused("find_files", "schema_reject", pattern=" ")
    assert "is not a glob" in world.refused("find_files", "schema_reject", pattern="[z-a]*")
    assert "no such directory" in world.refused("find_files", "exec_error", pattern="*", path="no")
    assert "this is a file" in world.refused("find_files", "exec_error", pattern="*", path="a.py")


def test_many_finds_are_cut(world: World) -> None:
    for i in range(250):
        world.write(f"{i:03}.txt", "")
    assert world.told("find_files", pattern="*.txt").endswith("(50 more; use a narrower pattern)")


def test_a_file_swapped_for_a_symlink_while_it_is_read_leads_nowhere(
    world: World, tmp_path: Path
) -> None:
    """The directory becomes a way out after the path was judged: the walk by descriptors meets the symlink."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("secret")
    world.write("dir/a.txt", "inside\n")
    folders = world.toolbox._context.ports.folders
    resolve = folders._resolve  # type: ignore[attr-defined]

    def swapped(path: str) -> object:
        at = resolve(path)
        if not (world.root / "dir").is_symlink():
            (world.root / "dir").rename(tmp_path / "away")
            (world.root / "dir").symlink_to(outside)
        return at

    folders._resolve = swapped  # type: ignore[attr-defined]
    assert "secret" not in world.call("list_dir", path="dir").text
    outcome = world.call("read_file", path="dir/a.txt")
    assert outcome.failure == "permission_denied"
    assert "secret" not in outcome.text


def test_a_link_that_changes_while_it_is_read_shows_no_other_file(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command of another session changes it between the judgement and the reading."""
    world.write("a.txt", "plain\n")
    world.write(".env", "KEY=hunter2\n")
    link = world.root / "link"
    link.symlink_to("a.txt")
    place = DiskDirectories.place

    def place_and_change(directories: DiskDirectories, path: str) -> PathLook:
        found = place(directories, path)
        link.unlink()
        link.symlink_to(".env")
        return found

    monkeypatch.setattr(DiskDirectories, "place", place_and_change)
    outcome = world.call("read_file", path="link")
    assert outcome.text == "link: this was changed while it was read; read it again."
    assert outcome.failure == "exec_error"
