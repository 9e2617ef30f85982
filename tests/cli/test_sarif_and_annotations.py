"""What still fails is written for other programs."""

from __future__ import annotations

from dataclasses import replace

from holdfast.cli.render.sarif_and_annotations import github_annotations, sarif_of, what_fails
from holdfast.repair.outcomes import FirstTrySuccess, NoProvider
from holdfast.usecases.repair.file_repair import FileRepair
from holdfast.vocab.diagnostics import Area, Diagnostic

SAID = Diagnostic(
    "mypy", "2", "arg-type", "error", "wrong: 1, 2\nsee", "wrong", (), "a.py", Area(3, 5, 3, 9)
)
REPAIRS = (
    FileRepair("a.py", "python", NoProvider("x"), diagnostics=(SAID,)),
    FileRepair("b.py", "python", FirstTrySuccess("", "mypy"), diagnostics=(SAID,)),
)


def test_sarif_has_a_result_with_its_place_for_each_error_that_is_left() -> None:
    log = sarif_of(REPAIRS)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert run["tool"]["driver"] == {
        "name": "mypy",
        "rules": [{"id": "arg-type"}],
        "version": "2",
    }
    assert run["results"] == [
        {
            "ruleId": "arg-type",
            "level": "error",
            "message": {"text": "wrong: 1, 2\nsee"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "a.py"},
                        "region": {
                            "startLine": 3,
                            "startColumn": 5,
                            "endLine": 3,
                            "endColumn": 9,
                        },
                    }
                }
            ],
        }
    ]


def test_without_an_error_the_log_has_one_run_without_results() -> None:
    (run,) = sarif_of(REPAIRS[1:])["runs"]
    assert (run["tool"]["driver"]["name"], run["results"]) == ("holdfast", [])


def test_an_annotation_of_github_escapes_what_would_end_it() -> None:
    assert list(github_annotations(REPAIRS)) == [
        "::error file=a.py,line=3,col=5,title=mypy arg-type::wrong: 1, 2%0Asee"
    ]


def test_an_annotation_has_no_escape_sequence_of_a_file_name_or_a_message() -> None:
    said = replace(SAID, path="a\x1b]0;b\x07.py", message="\u202ewrong")
    (line,) = github_annotations([replace(REPAIRS[0], path=said.path, diagnostics=(said,))])
    assert line == (r"::error file=a\x1b]0;b\x07.py,line=3,col=5,title=mypy arg-type::\u202ewrong")


def test_what_a_project_check_reports_twice_or_of_a_repaired_file_is_left_out() -> None:
    other = replace(SAID, path="b.py")
    both = FileRepair("c.py", "python", NoProvider("x"), diagnostics=(SAID, other))
    assert what_fails([*REPAIRS, both]) == [SAID]


def test_a_file_that_fails_without_an_error_has_the_reason() -> None:
    late = FileRepair("a b.py", "python", None, trouble="a b.py: mypy is not installed.")
    (run,) = sarif_of([late])["runs"]
    assert run["tool"]["driver"]["name"] == "holdfast"
    (result,) = run["results"]
    assert (result["ruleId"], result["message"]["text"]) == ("Trouble", late.trouble)
    where = result["locations"][0]["physicalLocation"]
    assert where == {"artifactLocation": {"uri": "a%20b.py"}}
