"""`holdfast repair` as a job in CI: what is paid for, what is checked again, and what is reported."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from holdfast.testing import RecordedRequest, Reply
from tests.end_to_end.repair.workshop import Workshop, fix, need

pytestmark = pytest.mark.slow

ASK = """\
#include <stdio.h>

int ask_{0}(char *line{0}) {{
    return fgets(line{0}, {1}) != NULL;
}}
"""
GREET = """\
#include <stdio.h>

void greet_{0}(const char *name{0}) {{
    fputs(name{0});
}}
"""


@pytest.fixture(autouse=True)
def _gcc() -> None:
    need("gcc")


def need_beside(tool: str) -> None:
    """Skip if a tool is neither on the PATH nor beside our Python, where holdfast looks, too."""
    if shutil.which(tool) is None and not Path(sys.executable).with_name(tool).exists():
        pytest.skip(f"{tool} is not installed: install {tool}")


def answer(request: RecordedRequest, end: str = "") -> Reply:
    """The fix of a model for the file in its question."""
    question = request.body["messages"][-1]["content"]
    found = re.search(r"^```\n(.*?)^```", question, re.DOTALL | re.MULTILINE)
    assert found is not None
    code = re.sub(r"(fgets\(\w+, \d+)\)", r"\1, stdin)", found[1].rstrip("\n") + "\n")
    return fix(re.sub(r"(fputs\(\w+)\)", r"\1, stdout)", code) + end)


# ------------------------------------------------------------------------------------------- paid for once


@pytest.mark.parametrize("end", ["", "\n"], ids=["exact", "one blank line more"])
def test_eight_files_with_one_error_cost_one_question_with_two_workers(
    workshop: Workshop, end: str
) -> None:
    for number in range(8):
        workshop.write(f"src/m{number}.c", ASK.format(number, 80 + number))
    ran = workshop.repair("src", "--workers", "2", script=lambda request: answer(request, end))
    assert (ran.code, ran.questions) == (0, 1), (ran.out, ran.err)
    assert ran.told["counts"] == {"Repaired": 1, "RuleRepaired": 7}
    for number in range(8):
        fixed = (
            ASK.format(number, 80 + number).replace(")", ", stdin)", 2).replace(", stdin)", ")", 1)
        )
        assert (workshop.root / f"src/m{number}.c").read_text() == fixed


def test_two_kinds_of_error_cost_a_question_each(workshop: Workshop) -> None:
    for number in range(4):
        workshop.write(f"src/a{number}.c", ASK.format(number, 80))
        workshop.write(f"src/b{number}.c", GREET.format(number))
    ran = workshop.repair("src", "--workers", "4", script=answer)
    assert (ran.code, ran.questions) == (0, 2), (ran.out, ran.err)
    assert ran.told["counts"] == {"Repaired": 2, "RuleRepaired": 6}


def test_an_error_that_no_rule_was_learned_from_is_asked_for_in_each_file(
    workshop: Workshop,
) -> None:
    for number in range(3):
        workshop.write(f"src/m{number}.c", ASK.format(number, 80))
    ran = workshop.repair("src", "--workers", "2", script=lambda _: fix("not C", 0.1))
    assert (ran.code, ran.questions) == (1, 3)
    assert ran.told["counts"] == {"RejectedLowConfidence": 3}


# ------------------------------------------------------------------------------------------------- reports

GOOD = "int twice(int x) {\n    return 2 * x;\n}\n"
BROKEN = "int twice(int x) {\n    return 2 * zzqx;\n}\n"


def test_json_has_a_line_for_each_file_as_it_ends_and_all_in_the_last_line(
    workshop: Workshop,
) -> None:
    workshop.write("src/a.c", GOOD)
    workshop.write("src/b.c", BROKEN)
    (workshop.root / "src/c.c").write_bytes(b"\0")
    ran = workshop.repair("src")
    *events, last = [json.loads(line) for line in ran.out.splitlines()]
    assert [(each["event"], each["done"], each["total"]) for each in events] == [
        ("file", 1, 3),
        ("file", 2, 3),
        ("file", 3, 3),
    ]
    files = [each["file"] for each in events if "file" in each]
    assert sorted(files, key=lambda each: each["path"]) == last["files"]
    assert [each["skipped"] for each in events if "skipped" in each] == last["skipped"]
    assert (last["outcome"], len(last["files"]), len(last["skipped"])) == ("failing", 2, 1)
    assert "event" not in last


def test_json_of_one_file_is_one_line(workshop: Workshop) -> None:
    workshop.write("a.c", GOOD)
    assert len(workshop.repair("a.c").out.splitlines()) == 1


def test_every_outcome_has_the_diagnostics_of_the_file_as_it_was_found(workshop: Workshop) -> None:
    workshop.write("a.c", BROKEN)
    place = {"tool": "gcc", "code": "", "severity": "error", "path": "a.c", "line": 2, "column": 16}
    for words, script, outcome in (
        ([], None, "NoProvider"),
        (["--strictness", "production"], None, "ProductionBlocked"),
        ([], [fix(GOOD, 0.2)], "RejectedLowConfidence"),
        ([], [fix(BROKEN)] * 2, "NoProgress"),
        (["--dry-run"], [fix(BROKEN.replace("zzqx", "x"))], "Repaired"),
    ):
        [told] = workshop.repair("a.c", *words, script=script).told["files"]
        assert told["outcome"] == outcome
        first = told["diagnostics"][0]
        assert "undeclared" in first.pop("message")
        assert first == place


@pytest.mark.parametrize("form", [["--json"], []])
def test_a_long_run_prints_its_progress_on_standard_error(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, form: list[str]
) -> None:
    monkeypatch.setattr("holdfast.cli.render.repair._SECONDS_BETWEEN", 0.2)
    workshop.compiler("gcc", 'sleep 1\nexec $REAL "$@"')
    workshop.write("src/a.c", GOOD)
    workshop.write("src/b.c", BROKEN)
    ran = workshop.run("repair", "src", "--no-model", "--root", str(workshop.root), *form)
    lines = [line for line in ran.err.splitlines() if " of 2 files after " in line]
    assert re.fullmatch(
        r"holdfast: 0 of 2 files after \d+ s: 0 pass, 0 repaired, 0 still fail", lines[0]
    )
    assert len(lines) > 1


def test_what_still_fails_is_written_as_sarif(workshop: Workshop) -> None:
    workshop.write("src/a b.c", BROKEN)
    workshop.write("src/good.c", GOOD)
    file = workshop.root.parent / "out.sarif"
    ran = workshop.repair("src", "--sarif", str(file))
    assert ran.code == 1
    log = json.loads(file.read_text())
    check_sarif(log)
    (run,) = log["runs"]
    assert run["tool"]["driver"]["name"] == "gcc"
    error = next(each for each in run["results"] if each["level"] == "error")
    where = error["locations"][0]["physicalLocation"]
    assert where["artifactLocation"] == {"uri": "src/a%20b.c"}
    assert (where["region"]["startLine"], where["region"]["startColumn"]) == (2, 16)
    assert "undeclared" in error["message"]["text"]


def test_a_clean_run_writes_a_sarif_file_without_results(workshop: Workshop) -> None:
    workshop.write("a.c", GOOD)
    file = workshop.root.parent / "out.sarif"
    assert workshop.repair("a.c", "--sarif", str(file)).code == 0
    log = json.loads(file.read_text())
    check_sarif(log)
    assert [run["results"] for run in log["runs"]] == [[]]


def test_a_sarif_file_that_cannot_be_written_fails_the_run_with_the_reason(
    workshop: Workshop,
) -> None:
    workshop.write("a.c", GOOD)
    ran = workshop.repair("a.c", "--sarif", str(workshop.root / "none/out.sarif"))
    assert (ran.code, "none/out.sarif: No such file or directory" in ran.err) == (1, True)


def test_what_still_fails_is_printed_as_annotations_of_github(workshop: Workshop) -> None:
    workshop.write("src/a.c", BROKEN)
    words = ("src/a.c", "--annotations", "github")
    plain = workshop.run("repair", *words, "--no-model", "--root", str(workshop.root))
    found = [line for line in plain.out.splitlines() if line.startswith("::error ")]
    assert len(found) == 1
    assert re.fullmatch(
        r"::error file=src/a\.c,line=2,col=16,title=gcc::'zzqx' undeclared.*", found[0]
    )
    streamed = workshop.repair(*words)
    assert found[0] in streamed.err.splitlines()
    assert streamed.told["outcome"] == "failing"


def test_no_line_of_a_project_is_a_command_of_github(workshop: Workshop) -> None:
    """GitHub ignores all lines between `::stop-commands::X` and `::X::`."""
    workshop.write("a\n::error::b.c", BROKEN.replace("\n", "\n::add-mask::x\n", 1))
    words = (".", "--annotations", "github", "--no-model", "--root", str(workshop.root))
    lines = workshop.run("repair", *words).out.splitlines()
    end = lines[0].removeprefix("::stop-commands::")
    assert len(end) == 32
    stop = lines.index(f"::{end}::")
    behind = lines[stop + 1 :]
    assert behind != []
    assert all(line.startswith("::error file=a%0A") for line in behind)


def check_sarif(log: dict[str, Any]) -> None:
    """Check what the schema of SARIF 2.1.0 asks of the properties that are used here.

    With `HOLDFAST_SARIF_SCHEMA`, a file with the schema of OASIS, check all of that too.
    """
    schema = os.environ.get("HOLDFAST_SARIF_SCHEMA")
    if schema:
        jsonschema_rs.validate(json.loads(Path(schema).read_text()), log)
    assert log.keys() == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    for run in log["runs"]:
        assert run.keys() == {"tool", "columnKind", "results"}
        assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
        driver = run["tool"]["driver"]
        assert driver.keys() <= {"name", "version", "rules"}
        assert isinstance(driver["name"], str)
        ids = [rule["id"] for rule in driver["rules"]]
        assert len(ids) == len(set(ids))
        for result in run["results"]:
            check_sarif_result(result, ids)


def check_sarif_result(result: dict[str, Any], ids: list[str]) -> None:
    assert result.keys() == {"ruleId", "level", "message", "locations"}
    assert result["ruleId"] in ids
    assert result["level"] in {"none", "note", "warning", "error"}
    assert result["message"].keys() == {"text"}
    (location,) = result["locations"]
    physical = location["physicalLocation"]
    assert re.fullmatch(r"[\w%./~-]+", physical["artifactLocation"]["uri"])
    region = physical.get("region", {})
    assert region.keys() <= {"startLine", "startColumn", "endLine", "endColumn"}
    assert all(isinstance(number, int) and number >= 1 for number in region.values())


# ----------------------------------------------------------------------------------- not checked again


def test_a_file_that_passed_is_checked_again_only_after_a_change(workshop: Workshop) -> None:
    workshop.counted("gcc")
    workshop.write("include/size.h", "#define SIZE 2\n")
    workshop.write("a.c", '#include "size.h"\nint size(void) {\n    return SIZE;\n}\n')
    workshop.write("b.c", GOOD)
    first = workshop.repair(".")
    assert (first.code, workshop.runs()) == (0, 3)
    again = workshop.repair(".")
    assert (again.told["files"], workshop.runs()) == (first.told["files"], 3)
    workshop.write("b.c", GOOD + "\n")
    assert (workshop.repair(".").code, workshop.runs()) == (0, 4)
    workshop.write("include/size.h", '#define SIZE "two"\n')
    # The header itself passes; what includes it does not.
    assert (workshop.repair(".").code, workshop.runs()) == (1, 6)


def test_a_file_is_checked_again_with_another_compiler_or_other_flags(workshop: Workshop) -> None:
    workshop.counted("gcc")
    workshop.write("a.c", GOOD)
    workshop.repair("a.c")
    entry = {"directory": ".", "file": "a.c", "arguments": ["cc", "-DX", "-c", "a.c"]}
    workshop.write("compile_commands.json", json.dumps([entry]))
    assert (workshop.repair("a.c").code, workshop.runs()) == (0, 2)
    workshop.compiler("gcc", f'echo gcc >> {workshop.log}\nexec $REAL -Wall "$@"')
    assert (workshop.repair("a.c").code, workshop.runs()) == (0, 3)
    assert (workshop.repair("a.c").code, workshop.runs()) == (0, 3)


def test_a_file_that_fails_is_always_checked_again(workshop: Workshop) -> None:
    workshop.counted("gcc")
    workshop.write("a.c", BROKEN)
    assert [workshop.repair("a.c").code for _ in range(2)] == [1, 1]
    assert workshop.runs() == 2


def test_a_repaired_file_is_not_checked_again(workshop: Workshop) -> None:
    workshop.counted("gcc")
    workshop.write("a.c", GOOD.replace("x;", "x"))
    assert workshop.repair("a.c").outcomes == {"a.c": "FixItRepaired"}
    runs = workshop.runs()
    assert workshop.repair("a.c").outcomes == {"a.c": "FirstTrySuccess"}
    assert workshop.runs() == runs


def test_python_files_are_checked_together(workshop: Workshop) -> None:
    for tool in ("python3", "ruff", "mypy"):
        need_beside(tool)
        workshop.counted(tool)
    workshop.write(
        "pyproject.toml", '[tool.ruff.lint]\nselect = ["F"]\n[tool.mypy]\nstrict = true\n'
    )
    for number in range(6):
        workshop.write(f"m{number}.py", f"def f(n: int) -> int:\n    return n + {number}\n")
    ran = workshop.repair(".", "--workers", "1")
    assert ran.outcomes == {f"m{number}.py": "FirstTrySuccess" for number in range(6)}
    assert sorted(workshop.log.read_text().split()) == ["mypy", "python3", "ruff"]
    workshop.write("m1.py", "import os\n\n\ndef f(n: int) -> int:\n    return n\n")
    workshop.write("m2.py", "from m0 import f\n\nx: str = f(1)\n")
    ran = workshop.repair(".", "--workers", "1")
    outcomes = ran.outcomes
    assert (outcomes.pop("m1.py"), outcomes.pop("m2.py")) == ("FixItRepaired", "NoProvider")
    assert set(outcomes.values()) == {"FirstTrySuccess"}
    [told] = [each for each in ran.told["files"] if each["path"] == "m2.py"]
    assert [(each["tool"], each["code"], each["line"]) for each in told["diagnostics"]] == [
        ("mypy", "assignment", 3)
    ]
    for _ in range(2):
        assert workshop.repair(".", "--workers", "1").outcomes["m2.py"] == "NoProvider"


def test_a_syntax_error_in_one_python_file_does_not_hide_what_is_in_another(
    workshop: Workshop,
) -> None:
    need_beside("mypy")
    workshop.counted("mypy")
    workshop.write("a.py", ")(\n")
    workshop.write("b.py", "def g(n: int) -> str:\n    return n\n")
    workshop.write("c.py", "x = 1\n")
    ran = workshop.repair(".", "--workers", "1", "--dry-run")
    assert ran.outcomes["c.py"] == "FirstTrySuccess"
    found = {each["path"]: each["diagnostics"] for each in ran.told["files"]}
    assert [(each["tool"], each["code"]) for each in found["b.py"]] == [("mypy", "return-value")]
    assert {each["path"] for each in found["a.py"]} == {"a.py"}
    # Without the file that does not compile: mypy would stop there.
    assert workshop.runs() == 1


def test_a_package_of_rust_is_compiled_once_for_all_its_files(workshop: Workshop) -> None:
    need("rustc")
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed: install cargo")
    workshop.counted("cargo")
    workshop.write("Cargo.toml", '[package]\nname = "unit"\nversion = "0.1.0"\nedition = "2021"\n')
    workshop.write("src/lib.rs", "pub mod a;\npub mod b;\n")
    for name in "ab":
        workshop.write(f"src/{name}.rs", "pub fn one() -> u32 {\n    1\n}\n")
    ran = workshop.repair(".", "--workers", "1", "--trust")
    assert set(ran.outcomes.values()) == {"FirstTrySuccess"}, ran.out
    assert workshop.runs() == 1


def test_a_compiler_that_does_not_name_its_headers_is_always_run(workshop: Workshop) -> None:
    script = f'echo gcc >> {workshop.log}\nshift=$(echo "$@" | sed "s/-MD -MF [^ ]*//")\nexec $REAL $shift'
    workshop.compiler("gcc", script)
    workshop.write("a.c", GOOD)
    assert [workshop.repair("a.c").code for _ in range(2)] == [0, 0]
    assert workshop.runs() == 2
