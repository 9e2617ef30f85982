"""Forty turns as sequences of calls: twenty long productive ones, twenty that get stuck. For the guard, and for replays.

A sequence is written by a small world: files, a tree that is their digest, and calls that read, edit and run. What the
model asks for is `calls`; `stuck_at` is the index of the first call of the loop (None: it never gets stuck).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Call:
    """One call of a turn, with what came of it and the tree after it."""

    name: str
    arguments: Mapping[str, Any]
    result: str
    tree: str


@dataclass(frozen=True)
class Sequence:
    """A turn. Within 15 calls of `stuck_at` it has to be stopped."""

    name: str
    calls: tuple[Call, ...]
    stuck_at: int | None = None


@dataclass
class World:
    """A project that answers calls as the tools would."""

    files: dict[str, str] = field(
        default_factory=lambda: {f"src/m{i}.py": f"x = {i}\n" for i in range(40)}
    )
    calls: list[Call] = field(default_factory=list)
    stuck_at: int | None = None

    def tree(self) -> str:
        return hashlib.sha256(json.dumps(self.files, sort_keys=True).encode()).hexdigest()

    def call(self, name: str, result: str, **arguments: Any) -> None:
        self.calls.append(Call(name, arguments, result, self.tree()))

    def read(self, path: str, first: int = 1) -> None:
        self.call(
            "read_file",
            f"{path} from line {first}\n{self.files.get(path, 'no such file')}",
            path=path,
            first=first,
        )

    def edit(self, path: str, old: str, new: str) -> None:
        before = self.files.get(path, "")
        self.files[path] = before.replace(old, new, 1)
        result = f"{path}: edited" if old in before else f"{path}: the old text is not in the file"
        self.call("edit_file", result, path=path, old=old, new=new)

    def write(self, path: str, content: str) -> None:
        self.files[path] = content
        self.call("write_file", f"{path}: written", path=path, content=content)

    def run(self, command: str, output: str, code: int = 0) -> None:
        self.call("run_command", f"exit code {code}\n{output}", command=command)

    def search(self, pattern: str, result: str) -> None:
        self.call("search", result, pattern=pattern)

    def get_stuck(self) -> None:
        self.stuck_at = len(self.calls)

    def work(self, times: int = 6) -> None:
        """Do some honest work first: a turn seldom begins stuck."""
        for i in range(times):
            self.read(f"src/m{i}.py")
            self.edit(f"src/m{i}.py", f"x = {i}", f"x = {i} + 1")
            self.run("pytest -q", f"{9 - i} failed in 0.{i}1s", 1)


# ---------------------------------------------------------------------------------------------------------- productive


def fix_one_test_after_the_other(world: World) -> None:
    for i in range(15):
        world.run("pytest -q", f"{15 - i} failed, {i} passed in 1.{i}2s", 1)
        world.read(f"src/m{i}.py")
        world.edit(f"src/m{i}.py", f"x = {i}", f"x = {i + 100}")


def three_tries_for_each_failure(world: World) -> None:
    for i in range(8):
        for attempt in range(3):
            world.edit(f"src/m{i}.py", "\n", f"  # try {attempt}\n")
            world.run(
                "pytest -q",
                f"FAILED test_m{i} - assert {i} == {i + 1}\n1 failed in 0.{attempt}3s",
                1,
            )


def refactor_under_green_tests(world: World) -> None:
    for i in range(22):
        world.edit(f"src/m{i}.py", "x", "value")
        world.run("pytest -q", f"12 passed in 0.{i}7s")


def lint_says_nothing(world: World) -> None:
    for i in range(22):
        world.edit(f"src/m{i}.py", "x", "value")
        world.run("ruff check -q .", "")


def read_the_same_file_after_each_edit(world: World) -> None:
    for i in range(22):
        world.edit("src/m0.py", "\n", f"\ny{i} = {i}\n")
        world.read("src/m0.py")


def read_many_files(world: World) -> None:
    for path in list(world.files)[:38]:
        world.read(path)
    world.read("src/m0.py")
    world.read("src/m1.py")
    world.edit("src/m1.py", "x", "z")


def read_ranges_of_a_long_file(world: World) -> None:
    for i in range(45):
        text = "\n".join(f"{line}  line {line}" for line in range(i * 50, i * 50 + 50))
        world.call("read_file", text, path="src/long.py", first=i * 50)


def poll_a_build_with_percentages(world: World) -> None:
    for i in range(45):
        world.run("make status", f"[12:{i % 60:02}:07] building: {i * 2} %")


def poll_with_a_counter_and_rests(world: World) -> None:
    done = 0
    for i in range(44):
        done += i % 2
        world.run("cat build.log", f"elapsed {i * 5}s, {done} of 22 targets done")


def poll_with_sleeps_between(world: World) -> None:
    for i in range(24):
        world.run("sleep 5", "")
        world.run("tail -n 1 build.log", f"step {i} of 24")


def poll_a_server_until_it_is_up(world: World) -> None:
    world.work(12)
    for word in (
        "connection refused",
        "connection refused",
        "503 starting",
        "503 starting",
        "200 ok",
    ):
        world.run("curl -s localhost:8080/health", word)
    world.work(2)


def searches_without_a_match_in_between(world: World) -> None:
    for i in range(12):
        world.search(f"handler_{i}", f"no matches for handler_{i}")
        world.search(f"handle{i}", f"no matches for handle{i}")
        world.search(f"m{i}", f"src/m{i}.py:1: x = {i}")
        world.read(f"src/m{i}.py")


def refused_edits_that_are_corrected(world: World) -> None:
    for i in range(12):
        world.edit(f"src/m{i}.py", "not there", "y")
        world.edit(f"src/m{i}.py", "not there either", "y")
        world.read(f"src/m{i}.py")
        world.edit(f"src/m{i}.py", "x", "y")


def look_at_git_again_and_again(world: World) -> None:
    for i in range(12):
        world.edit("src/m0.py", "\n", f"\ny{i} = {i}\n")
        world.run("git status --short", " M src/m0.py")
        world.run("git add -A", "")
        world.run(f"git commit -qm 'step {i}'", "")


def compile_errors_that_change(world: World) -> None:
    for i in range(14):
        world.run(
            "cargo check", f"error[E{300 + i}]: mismatched types\n  --> src/m{i}.rs:{i}:5", 101
        )
        world.run(
            "cargo check", f"error[E{300 + i}]: mismatched types\n  --> src/m{i}.rs:{i}:5", 101
        )
        world.edit(f"src/m{i}.py", "x", "y")


def write_new_files(world: World) -> None:
    for i in range(22):
        world.write(f"docs/{i}.md", f"# Page {i}\n")
        world.call("list_dir", "\n".join(f"docs/{n}.md" for n in range(i + 1)), path="docs")


def go_back_once_and_try_another_way(world: World) -> None:
    for i in range(11):
        world.edit(f"src/m{i}.py", f"x = {i}", "x = wrong")
        world.run("pytest -q", f"FAILED test_m{i}: NameError: wrong\n1 failed in 0.21s", 1)
        world.edit(f"src/m{i}.py", "x = wrong", f"x = {i}")
        world.edit(f"src/m{i}.py", f"x = {i}", f"x = {i} + 0")


def a_hard_bug_with_other_evidence(world: World) -> None:
    world.work(8)
    for i in range(8):
        world.run("pytest -q test_hard.py", "assert 3 == 4\n1 failed", 1)
        world.read(f"src/m{i + 20}.py")
        if i % 3 == 2:
            world.edit(f"src/m{i + 20}.py", "x", "y")
            world.run("pytest -q test_hard.py", f"assert {i} == 4\n1 failed", 1)


def two_commands_by_turns(world: World) -> None:
    for i in range(15):
        world.edit(f"src/m{i}.py", "x", "y")
        world.run("mypy src", f"Found {15 - i} errors in {15 - i} files", 1)
        world.run("pytest -q", "40 passed, 2 warnings in 3.02s")


def read_again_after_the_context_was_cut(world: World) -> None:
    for i in range(9):
        world.read(f"src/m{i}.py")
    for i in range(9):
        world.read(f"src/m{i}.py")
    world.work(10)


# --------------------------------------------------------------------------------------------------------------- stuck


def the_same_read(world: World) -> None:
    world.read("src/m0.py")


def the_same_failing_command(world: World) -> None:
    world.run("npm test", "Error: no test specified", 1)


def the_same_green_command(world: World) -> None:
    world.run("pytest -q", "12 passed in 0.1s")


def the_same_command_with_other_times(world: World) -> None:
    i = len(world.calls)
    world.run(
        "./check.sh",
        f"2026-02-0{i % 9 + 1} 10:{i % 60:02}:11 pid {4000 + i} failed after {i}.5s at 0x7f00{i:04x}aa",
        1,
    )


def the_same_refused_edit(world: World) -> None:
    world.edit("src/m0.py", "not there", "y")


def a_cycle_of_two_reads(world: World) -> None:
    world.read(f"src/m{len(world.calls) % 2 + 30}.py")


def a_cycle_of_three(world: World) -> None:
    world.read(f"src/m{len(world.calls) % 3 + 30}.py")


def a_cycle_of_four(world: World) -> None:
    world.read(f"src/m{len(world.calls) % 4 + 30}.py")


def search_and_read_by_turns(world: World) -> None:
    if len(world.calls) % 2:
        world.search("handler", "no matches for handler")
    else:
        world.call("list_dir", "src", path=".")


def edits_to_and_fro(world: World) -> None:
    old, new = ("left", "right") if "left" in world.files["src/m0.py"] else ("right", "left")
    if old not in world.files["src/m0.py"]:
        old = "x"
    world.edit("src/m0.py", old, new)


def edits_to_and_fro_with_a_test(world: World) -> None:
    if world.calls[-1].name == "edit_file":
        world.run("pytest -q", "FAILED test_side\n1 failed in 0.2s", 1)
    else:
        edits_to_and_fro(world)


def two_versions_of_a_file(world: World) -> None:
    world.write("src/m0.py", f"side = {len(world.calls) % 2}\n")


def the_same_file_written_again(world: World) -> None:
    world.write("src/m0.py", "side = 0\n")


def empty_commands_that_differ(world: World) -> None:
    world.run(f": commit now {len(world.calls)}", "")


def empty_commands_that_are_echoed(world: World) -> None:
    command = f": commit now, attempt {len(world.calls)}"
    world.run(command, f"$ {command}\n(no output)")


def files_that_do_not_exist(world: World) -> None:
    path = f"src/missing_{len(world.calls)}.py"
    world.call("read_file", f"{path}: no such file", path=path)


def searches_that_find_nothing(world: World) -> None:
    pattern = f"handler_{len(world.calls)}"
    world.search(pattern, f"no matches for {pattern}")


def edits_that_do_not_help(world: World) -> None:
    if world.calls[-1].name == "edit_file":
        world.run("pytest -q", "FAILED test_x - assert 1 == 2\n1 failed in 0.2s", 1)
    else:
        world.edit("src/m0.py", "\n", f"\n# {len(world.calls)}\n")


def a_script_that_prints_the_wrong_thing(world: World) -> None:
    if world.calls[-1].name == "write_file":
        world.run("python app.py", "undefined")
    else:
        world.write("app.py", f"print('undefined')  # {len(world.calls)}\n")


def one_call_between_new_ones(world: World) -> None:
    at = len(world.calls)
    if at % 2 == 0:
        world.call("list_dir", "src\ntests", path=".")
    else:
        world.read(f"src/m{at % 40}.py", first=at)


PRODUCTIVE: tuple[Callable[[World], None], ...] = (
    fix_one_test_after_the_other,
    three_tries_for_each_failure,
    refactor_under_green_tests,
    lint_says_nothing,
    read_the_same_file_after_each_edit,
    read_many_files,
    read_ranges_of_a_long_file,
    poll_a_build_with_percentages,
    poll_with_a_counter_and_rests,
    poll_with_sleeps_between,
    poll_a_server_until_it_is_up,
    searches_without_a_match_in_between,
    refused_edits_that_are_corrected,
    look_at_git_again_and_again,
    compile_errors_that_change,
    write_new_files,
    go_back_once_and_try_another_way,
    a_hard_bug_with_other_evidence,
    two_commands_by_turns,
    read_again_after_the_context_was_cut,
)
STUCK: tuple[Callable[[World], None], ...] = (
    the_same_read,
    the_same_failing_command,
    the_same_green_command,
    the_same_command_with_other_times,
    the_same_refused_edit,
    a_cycle_of_two_reads,
    a_cycle_of_three,
    a_cycle_of_four,
    search_and_read_by_turns,
    edits_to_and_fro,
    edits_to_and_fro_with_a_test,
    two_versions_of_a_file,
    the_same_file_written_again,
    empty_commands_that_differ,
    empty_commands_that_are_echoed,
    files_that_do_not_exist,
    searches_that_find_nothing,
    edits_that_do_not_help,
    a_script_that_prints_the_wrong_thing,
    one_call_between_new_ones,
)


def productive() -> Iterator[Sequence]:
    """Twenty turns of at least forty calls that must not be stopped."""
    for build in PRODUCTIVE:
        world = World()
        build(world)
        yield Sequence(build.__name__, tuple(world.calls))


def stuck(before: int = 6) -> Iterator[Sequence]:
    """Twenty turns that work for `before` rounds and then get stuck for good."""
    for build in STUCK:
        world = World()
        world.work(before)
        world.get_stuck()
        for _ in range(40):
            build(world)
        yield Sequence(build.__name__, tuple(world.calls), world.stuck_at)
