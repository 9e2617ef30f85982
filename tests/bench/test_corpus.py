"""A corpus on disk becomes cases with our requests."""

from __future__ import annotations

import json
from pathlib import Path

from bench.landing.__main__ import main
from bench.landing.cases import Case
from bench.landing.corpus import load_corpus
from holdfast import LineEdit, LineEdits, Patch, Replace

FILE = "a = 1\nb = 2\n"


def write_corpus(folder: Path) -> None:
    common = {
        "lang": "python",
        "polarity": "land",
        "file_name": "x.py",
        "before": {"ref": "r"},
        "region": [1, 2],
    }
    splice = [{"splice": [10, 11, "3"]}]
    diff = "@@ -2 +2 @@\n-b = 2\n+b = 3\n"
    line = {"start_line": 2, "end_line": 2, "new_text": "b = 3", "old_text": "b = 2"}
    edits = {
        "clean": {"format": "search_replace", "old_string": "b = 2", "new_string": "b = 3"},
        "ud-clean": {"format": "unified_diff", "diff": diff},
        "ud-prose-fence": {"format": "unified_diff", "diff": diff},
        "le-clean": {"format": "line_edits", "edits": [line]},
    }
    rows = [
        {**common, "id": kind, "kind": kind, "edit": edit, "expected": splice}
        for kind, edit in edits.items()
    ]
    (folder / "files.dev.jsonl").write_text(json.dumps({"ref": "r", "text": FILE}) + "\n")
    (folder / "cases.dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_rows_become_cases(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    clean, plain, wrapped, numbered = load_corpus(tmp_path, "dev")
    assert clean == Case(
        id="clean",
        lang="python",
        kind="clean",
        polarity="land",
        file_name="x.py",
        before=FILE,
        edit=Replace("b = 2", "b = 3"),
        expected=("a = 1\nb = 3\n",),
        region=(1, 2),
    )
    diff = "@@ -2 +2 @@\n-b = 2\n+b = 3\n"
    assert plain.edit == Patch(diff)
    assert wrapped.edit == Patch(diff, unwrap=True)
    assert numbered.edit == LineEdits((LineEdit(2, 2, "b = 3", "b = 2"),))


def test_the_command_runs_a_corpus_and_writes_what_it_saw(tmp_path: Path) -> None:
    write_corpus(tmp_path)
    report = tmp_path / "report.json"
    code = main(
        [
            "--corpus",
            str(tmp_path),
            "--kinds",
            "^clean$",
            "--peers",
            "first_hit",
            "--json",
            str(report),
        ]
    )
    assert code == 0
    engines = json.loads(report.read_text())["engines"]
    assert list(engines) == ["holdfast, no path", "holdfast, gate on", "first hit"]
    assert [engine["landed"] for engine in engines.values()] == [1, 1, 1]


def test_the_command_runs_one_case_again_by_its_id(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    assert main(["--case", "7-0-clean,7-0-twin-name", "--no-gate", "--json", str(report)]) == 0
    assert [row["id"] for row in json.loads(report.read_text())["rows"]] == [
        "7-0-clean",
        "7-0-twin-name",
    ]
