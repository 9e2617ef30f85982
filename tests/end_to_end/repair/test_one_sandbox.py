"""Files whose tool takes one at a time are checked in one sandbox; each result is that of the file alone."""

from __future__ import annotations

import shutil

import pytest

from tests.end_to_end.repair.workshop import Workshop, need
from tests.waiting import limit_to_begin

pytestmark = pytest.mark.integration

GOOD = '#include "sizes.h"\nint size_{0}(int n) {{ return n * SIZE; }}\n'
BROKEN = "int size_{0}(int n) {{ return n * 3 }}\n"


@pytest.fixture
def project(workshop: Workshop) -> Workshop:
    need("gcc")
    workshop.write("src/sizes.h", "#define SIZE 3\n")
    for number in range(6):
        text = '#include "sizes.h"\n' + BROKEN if number == 4 else GOOD
        workshop.write(f"src/m{number}.c", text.format(number))
    return workshop


def outcomes(workshop: Workshop, *words: str) -> list[str]:
    return list(workshop.repair("src", *words).outcomes.values())


PASSES = "FirstTrySuccess"


def test_each_file_has_its_own_result_and_only_the_broken_one_is_changed(
    project: Workshop,
) -> None:
    before = {file.name: file.read_text() for file in (project.root / "src").iterdir()}
    ran = project.repair("src", "--workers", "2")
    assert list(ran.outcomes.values()).count(PASSES) == 6  # the header, too
    assert ran.outcomes["src/m4.c"] == "FixItRepaired"
    after = {file.name: file.read_text() for file in (project.root / "src").iterdir()}
    assert after.pop("m4.c") == before.pop("m4.c").replace("3 }", "3; }")
    assert after == before


def test_what_passed_is_checked_again_only_when_a_header_of_it_changes(project: Workshop) -> None:
    project.counted("gcc")
    project.write("src/alone.c", "int alone(void) { return 1; }\n")
    assert outcomes(project).count(PASSES) == 7
    project.log.unlink()
    assert set(outcomes(project)) == {PASSES}
    assert project.runs() <= 1  # what was repaired is checked by the tool, not found

    project.log.unlink(missing_ok=True)
    project.write("src/sizes.h", "#define SIZE (3 +\n")
    told = project.repair("src").outcomes
    failing = {path for path, outcome in told.items() if outcome != PASSES}
    assert failing == {f"src/m{number}.c" for number in (0, 1, 2, 3, 5)}


def test_one_file_that_makes_the_compiler_crash_costs_the_others_nothing(
    project: Workshop,
) -> None:
    crash = 'case "$*" in *m2.c*) kill -SEGV $$;; esac\nexec $REAL "$@"'
    project.compiler("gcc", f"echo gcc >> {project.log}\n{crash}")
    told = project.repair("src", "--workers", "1")
    assert told.outcomes["src/m2.c"] == "Trouble"
    assert "SIGSEGV" in next(f["message"] for f in told.told["files"] if f["path"] == "src/m2.c")
    assert list(told.outcomes.values()).count(PASSES) == 5
    # Each once together, the one that crashed once more alone, the broken one once repaired.
    assert project.runs() == 7 + 1 + 1


def test_one_file_that_hangs_is_given_up_and_those_behind_it_are_checked(
    project: Workshop,
) -> None:
    hang = 'case "$*" in *m2.c*) exec sleep 600;; esac\nexec $REAL "$@"'
    project.compiler("gcc", hang)

    def attempt(limit: float) -> dict[str, str]:
        return project.repair("src", "--workers", "1", "--timeout", f"{limit:.0f}").outcomes

    def begun(told: dict[str, str]) -> bool:
        return list(told.values()).count(PASSES) >= 5

    _, told = limit_to_begin(attempt, begun, shortest=2.0)
    assert told["src/m2.c"] == "TimedOut"
    assert [path for path, outcome in told.items() if outcome == "TimedOut"] == ["src/m2.c"]


def test_modules_and_scripts_of_node_are_told_apart_in_one_sandbox(workshop: Workshop) -> None:
    need("node")
    if shutil.which("tsc") is not None:
        pytest.skip("tsc is installed, and checks JavaScript too")
    workshop.write("src/script.js", "const a = require('fs');\nmodule.exports = a;\n")
    workshop.write("src/module.js", "import { b } from './b.js';\nexport const c = b;\n")
    workshop.write("src/broken.js", "export function f(a) {\n  return a +;\n}\n")
    workshop.write("src/plain.mjs", "export default 1;\n")
    ran = workshop.repair("src")
    assert ran.outcomes == {
        "src/broken.js": "NoProvider",
        "src/module.js": PASSES,
        "src/plain.mjs": PASSES,
        "src/script.js": PASSES,
    }
    [broken] = [file for file in ran.told["files"] if file["path"] == "src/broken.js"]
    assert (broken["diagnostics"][0]["path"], broken["diagnostics"][0]["line"]) == (
        "src/broken.js",
        2,
    )


def test_a_name_with_blanks_and_quotes_is_checked_like_any_other(project: Workshop) -> None:
    name = 'src/it\'s a "name".c'
    project.write(name, BROKEN.format("x"))
    told = project.repair("src")
    assert told.outcomes[name] == "FixItRepaired"
    assert (project.root / name).read_text() == "int size_x(int n) { return n * 3; }\n"
