"""The benchmark of checkpoints runs, at a tiny size, and its limits can be broken; the times are not tested."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from rich.console import Console

from bench.checkpoints.__main__ import _judge, _parser, main
from bench.checkpoints.measure import CASES, Figures, Sample
from bench.checkpoints.recipes import RECIPES
from bench.checkpoints.scene import Size, find_scene, nested_repositories, sizes


@pytest.fixture(autouse=True)
def _keep_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The benchmark sets these for its whole process."""
    for name in ("HOME", "HOLDFAST_STATE_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, os.environ.get(name, ""))


@pytest.mark.slow
def test_every_recipe_takes_a_snapshot_and_gives_the_files_back(tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    words = [
        "--sizes",
        "20+3+3",
        "--reps",
        "1",
        "--firsts",
        "1",
        "--place",
        str(tmp_path / "place"),
    ]
    # In so small a repository a process counts more than the files.
    assert main([*words, "--no-limits", "--json", str(told)]) == 0
    figures = json.loads(told.read_text())
    assert [each["recipe"] for each in figures] == [
        "holdfast", "holdfast, on record", "holdfast, the command", "naive", "opencode", "Roo", "cline",
    ]  # fmt: skip
    for each in figures:
        # The other recipes keep no ignored files.
        is_ours = each["recipe"].startswith("holdfast")
        cases = [case for case in CASES if is_ours or case != "ignored"]
        assert list(each["samples"]) == cases
    assert [each["undoes"] for each in figures] == [True, True, True, False, False, False, False]


def test_the_scene_has_as_many_files_of_each_kind_as_it_says(tmp_path: Path) -> None:
    scene = find_scene(tmp_path, Size(30, 4, 5))
    assert len(scene.git("ls-files").splitlines()) == 31
    assert len(scene.git("ls-files", "-o", "--exclude-standard").splitlines()) == 4
    assert len(scene.git("ls-files", "-o", "-i", "--exclude-standard").splitlines()) == 5
    scene.change()
    assert len(scene.git("diff", "--name-only").splitlines()) == 10
    assert find_scene(tmp_path, Size(30, 4, 5)).git("diff", "--name-only") == ""


def test_sizes_are_read_with_and_without_their_parts() -> None:
    assert sizes("100000+5000+20000,5000") == [
        Size(100_000, 5_000, 20_000),
        Size(5_000, 250, 1_000),
    ]


def test_a_recipe_that_is_not_there_is_wrong_usage() -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--recipes", "ours,none"])
    assert caught.value.code == 2
    assert "none" not in RECIPES


def cpu(ratio: float) -> Sample:
    return Sample(took=9.0, status=1.0, cpu=ratio, status_cpu=1.0)


def test_a_limit_is_broken_by_the_median() -> None:
    figures = Figures("holdfast", "1", undoes=True)
    figures.samples["ten"] = [cpu(2.1), cpu(9.0), cpu(2.2)]
    assert figures.broken() == []
    figures.samples["ten"] += [cpu(2.3), cpu(2.3)]
    assert figures.broken() == ["holdfast, 1, ten: 2.30 times `git status`, and 2.2 is the limit"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 1),
        (("--no-limits",), 0),
        (("--sizes", "5000"), 1),
    ],
)
def test_a_broken_limit_is_the_exit_code_where_limits_hold(
    words: tuple[str, ...], code: int
) -> None:
    options = _parser().parse_args(list(words))
    ours = Figures("holdfast", options.sizes[0].name, undoes=True, samples={"ten": [cpu(2.3)]})
    peer = Figures("naive", options.sizes[0].name, undoes=False, samples={"ten": [cpu(9.0)]})
    assert _judge(options, [ours, peer], Console(quiet=True)) == code
    assert _judge(options, [peer], Console(quiet=True)) == 0


def test_nested_repositories_are_found_and_the_root_is_none(tmp_path: Path) -> None:
    for name in (".git", "a/.git", "b/c/.git"):
        (tmp_path / name).mkdir(parents=True)
    assert sorted(nested_repositories(tmp_path)) == [tmp_path / "a/.git", tmp_path / "b/c/.git"]
