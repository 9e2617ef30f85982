"""Every folder below `scenarios/landing` through the real command: `holdfast apply`, once more, and `holdfast undo`.

A folder is one behaviour:

- `input/`: the tree before.
- `request.EXT`: the reply of a model. EXT is the `--format` (diff, blocks, patch, json), or txt for automatic format.
- `options.txt`: further options of the command, one a line. Optional.
- `links.txt`: symlinks to create in the input, one a line: `NAME -> TARGET`. Optional; for links with an absolute target,
  which the folder itself cannot have: tools that unpack a source distribution reject such a link.
- `expected/`: the tree after. A refusal has none, as it changes nothing.
- `told.txt`: `landed RUNG` (the loosest rung of all files) or `refused REASON` (the first one), and then what a person
  reads: each line is a part of a line of the output, in this order.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest
import typer.main

from holdfast.cli.app import app
from holdfast.vocab.outcomes import Reason, Rung

FORMATS = {".diff": "diff", ".blocks": "blocks", ".patch": "patch", ".json": "json", ".txt": "auto"}
RUNGS: tuple[Rung, ...] = get_args(Rung)
REASONS: tuple[Reason, ...] = get_args(Reason)
SECOND_TIME: set[Reason] = {"already_applied", "not_found", "conflict", "ambiguous", "no_change"}


# -------------------------------------------------------------------------------------------------------- the folder


@dataclass(frozen=True)
class Scenario:
    folder: Path

    @property
    def request(self) -> Path:
        (request,) = self.folder.glob("request.*")
        return request

    @property
    def format(self) -> str:
        return FORMATS[self.request.suffix]

    @property
    def options(self) -> list[str]:
        file = self.folder / "options.txt"
        return file.read_text().split() if file.exists() else []

    @property
    def links(self) -> Mapping[str, str]:
        file = self.folder / "links.txt"
        lines = file.read_text().splitlines() if file.exists() else []
        return dict(line.split(" -> ") for line in lines)

    @property
    def before(self) -> Tree:
        return {**tree_of(self.folder / "input"), **self.links}

    @property
    def after(self) -> Tree:
        return tree_of(self.folder / "expected") if self.lands else self.before

    @property
    def expected_output(self) -> list[str]:
        # Not splitlines: that would break at a form feed, which is content here.
        return (self.folder / "told.txt").read_bytes().decode().removesuffix("\n").split("\n")

    @property
    def lands(self) -> bool:
        return self.expected_output[0].startswith("landed ")


# What a tree holds: for each path the bytes and whether they can be executed, or where a symlink leads.
Tree = Mapping[str, tuple[bytes, bool] | str]


def tree_of(root: Path) -> Tree:
    """What the tree holds; a directory counts by what is in it, as git keeps no other."""
    return {
        path.relative_to(root).as_posix(): str(path.readlink())
        if path.is_symlink()
        else (path.read_bytes(), bool(path.stat().st_mode & 0o100))
        for path in root.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def modes_of(root: Path) -> Mapping[str, int]:
    """Every name, directories too, and its whole mode."""
    return {path.relative_to(root).as_posix(): path.lstat().st_mode for path in root.rglob("*")}


SCENARIOS = [
    Scenario(folder)
    for folder in sorted((Path(__file__).parent / "scenarios" / "landing").glob("[0-9]*"))
]


# ------------------------------------------------------------------------------------------------------- the command


@dataclass(frozen=True)
class Answer:
    code: int
    out: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def verdict(self) -> str:
        """What the first line of told.txt says."""
        answer = self.json
        if answer["outcome"] == "refused":
            return f"refused {answer['refusals'][0]['reason']}"
        return f"landed {max((file['rung'] for file in answer['files']), key=RUNGS.index)}"


@dataclass(frozen=True)
class Step:
    """What the command said, and what it left behind."""

    answer: Answer
    tree: Tree
    modes: Mapping[str, int]


class Project:
    """A copy of the input, and the command run on it."""

    def __init__(self, scenario: Scenario, home: Path) -> None:
        self.scenario = scenario
        self.root = home / "root"
        self._state = home / "state"
        shutil.copytree(scenario.folder / "input", self.root, symlinks=True)
        for name, target in scenario.links.items():
            (self.root / name).symlink_to(target)

    def apply(self, *options: str, notation: str | None = None) -> Step:
        how = ["--format", notation or self.scenario.format, *self.scenario.options]
        return self.run("apply", str(self.scenario.request), *how, *options)

    def run(self, *words: str) -> Step:
        answer = run_command(*words, "--root", str(self.root), state=self._state)
        return Step(answer, tree_of(self.root), modes_of(self.root))


@dataclass(frozen=True)
class Course:
    """A scenario, and what came of it."""

    scenario: Scenario
    project: Project
    modes_before: Mapping[str, int]
    checked: Step
    checked_as_auto: Step
    applied: Step


@dataclass(frozen=True)
class Encore:
    """What comes after a landing."""

    again: Step
    undone: Step


def follow(scenario: Scenario, home: Path) -> Course:
    project = Project(scenario, home)
    return Course(
        scenario,
        project,
        modes_of(project.root),
        checked=project.apply("--check", "--json"),
        checked_as_auto=project.apply("--check", "--json", notation="auto"),
        applied=project.apply(),
    )


# Not `app` itself: it would build all commands anew each time, which takes longer than running one.
COMMAND = typer.main.get_command(app)


def run_command(*words: str, state: Path) -> Answer:
    """Run `holdfast` in this process: a process of its own for each step would take a minute in all."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
        patch.setenv("HOLDFAST_STATE_DIR", str(state))
        patch.setenv("NO_COLOR", "1")
        # Waiting for the disk is two thirds of the time; what it is for is tested with kill -9.
        patch.setattr(os, "fsync", lambda descriptor: None)
        with pytest.raises(SystemExit) as stopped:
            COMMAND(words)
    out.seek(0)
    return Answer(int(stopped.value.code or 0), out.read())


def missing_lines(wanted: Sequence[str], output: str) -> Sequence[str]:
    """The wanted lines from the first one on that does not stand in the output below the ones before it."""
    lines = iter(output.split("\n"))
    return next(
        (wanted[i:] for i, part in enumerate(wanted) if not any(part in line for line in lines)), []
    )


# --------------------------------------------------------------------------------------------------------- the tests


def name_of(scenario: Scenario) -> str:
    return scenario.folder.name


# One test for each folder, not one for each sentence: pytest itself would take longer than the commands.
@pytest.mark.parametrize("scenario", SCENARIOS, ids=name_of)
def test_a_request_does_what_its_folder_says(scenario: Scenario, tmp_path: Path) -> None:
    course = follow(scenario, tmp_path)
    the_tree_becomes_what_is_expected(course)
    the_output_is_as_expected(course)
    if scenario.lands:
        assert course.checked_as_auto == course.checked, "automatic format reads something else"
        encore = Encore(again=course.project.apply("--json"), undone=course.project.run("undo"))
        the_same_request_a_second_time_is_refused(course, encore)
        undo_gives_the_input_back(course, encore)


def the_tree_becomes_what_is_expected(course: Course) -> None:
    assert course.checked.tree == course.scenario.before
    assert course.applied.tree == course.scenario.after


def the_output_is_as_expected(course: Course) -> None:
    verdict, *lines = course.scenario.expected_output
    answer = course.applied.answer
    assert course.checked.answer.verdict == verdict, answer.out
    assert missing_lines(lines, answer.out) == [], answer.out
    assert answer.code == course.checked.answer.code == (0 if course.scenario.lands else 1)


def the_same_request_a_second_time_is_refused(course: Course, encore: Encore) -> None:
    again = encore.again.answer
    assert again.code == 1, again.out
    assert {refusal["reason"] for refusal in again.json["refusals"]} <= SECOND_TIME
    assert encore.again.tree == course.scenario.after


def undo_gives_the_input_back(course: Course, encore: Encore) -> None:
    assert encore.undone.answer.code == 0, encore.undone.answer.out
    assert encore.undone.tree == course.scenario.before
    assert encore.undone.modes == course.modes_before


def test_there_are_many_scenarios_each_with_a_number_of_its_own() -> None:
    numbers = [scenario.folder.name.partition("_")[0] for scenario in SCENARIOS]
    assert len(numbers) >= 60
    assert all(len(number) == 3 and number.isdigit() for number in numbers)
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=name_of)
def test_a_folder_is_complete(scenario: Scenario) -> None:
    names = {path.name for path in scenario.folder.iterdir()} - {"options.txt", "links.txt"}
    assert names == {"input", scenario.request.name, "told.txt"} | (
        {"expected"} if scenario.lands else set()
    )
    assert scenario.before
    assert (scenario.before != scenario.after) == scenario.lands
    kind, _, what = scenario.expected_output[0].partition(" ")
    assert what in {"landed": RUNGS, "refused": REASONS}[kind]
    assert len(scenario.expected_output) > 1
    assert all(scenario.expected_output)
