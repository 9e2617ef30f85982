"""`holdfast repair` as people see it, without a model."""

from __future__ import annotations

import shutil

import pytest

from tests.cli.project import Project

BAD = "int total(int price) {\n  return price + zzqx;\n}\n"
FIXABLE = "int total(int price) {\n  return price\n}\n"
GOOD = "int total(int price) {\n  return price;\n}\n"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed: install gcc"),
]


def run(project: Project, *words: str) -> tuple[int, str]:
    ran = project.run("repair", *words, "--no-model", "--root", str(project.root))
    return ran.code, ran.out


def test_a_file_that_passes_is_said_with_what_said_so(project: Project) -> None:
    project.write("a.c", GOOD.encode())
    code, out = run(project, "a.c")
    assert (code, out.splitlines()[0]) == (0, "a.c: passes")
    assert "by gcc " in out


def test_a_file_that_fails_is_said_with_the_compilers_words(project: Project) -> None:
    project.write("a.c", BAD.encode())
    code, out = run(project, "a.c")
    assert code == 1
    assert out.startswith(
        "a.c: fails, and there is no model to ask\n  a.c:2:18: error: 'zzqx' undeclared"
    )


def test_a_repair_is_shown_as_a_diff_and_can_be_taken_back(project: Project) -> None:
    file = project.write("a.c", FIXABLE.encode())
    code, out = run(project, "a.c")
    assert (code, out) == (
        0,
        "a.c: repaired by the compiler's own fix-it\n@@ -1,3 +1,3 @@\n int total(int price) {\n-  return price\n+  return price;\n }\n",
    )
    assert file.read_text() == GOOD
    assert project.undo().code == 0
    assert file.read_text() == FIXABLE


def test_a_dry_run_says_would(project: Project) -> None:
    file = project.write("a.c", FIXABLE.encode())
    code, out = run(project, "a.c", "--dry-run")
    assert (code, out.splitlines()[0]) == (0, "a.c: would be repaired by the compiler's own fix-it")
    assert file.read_text() == FIXABLE
    assert list(project.files()) == ["a.c"]


def test_production_says_what_to_do_next(project: Project) -> None:
    project.write("a.c", BAD.encode())
    code, out = run(project, "a.c", "--strictness", "production")
    assert code == 4
    assert "repair it at --strictness development, look at the decision, and pin it" in out


def test_a_tree_is_summed_up(project: Project) -> None:
    for name, text in (
        ("src/a.c", GOOD),
        ("src/b.c", FIXABLE),
        ("src/c.c", BAD),
        ("src/notes.md", "x"),
        ("other.c", BAD),
    ):
        project.write(name, text.encode())
    code, out = run(project, "src")
    assert (code, out.splitlines()[-1]) == (1, "3 files: 1 pass, 1 repaired, 1 still fails.")
    assert "src/a.c: " not in out


def test_a_tree_without_code_has_nothing_to_check(project: Project) -> None:
    project.write("notes.md", b"x")
    assert run(project, ".") == (0, "no file here can be checked.\n")


def test_a_path_may_be_absolute_or_from_the_root(project: Project) -> None:
    file = project.write("src/a.c", GOOD.encode())
    assert (
        run(project, str(file))[0]
        == run(project, "src/a.c")[0]
        == run(project, "./src/../src/a.c")[0]
        == 0
    )


@pytest.mark.parametrize("path", ["../x.c", "/etc/hosts", "no.c", "notes.md"])
def test_a_path_that_cannot_be_repaired_is_wrong_usage(project: Project, path: str) -> None:
    project.write("notes.md", b"x")
    (project.root.parent / "x.c").write_text(GOOD)
    assert run(project, path)[0] == 2


def test_a_file_that_is_no_text_is_reported(project: Project) -> None:
    file = project.write("a.c", b"int a;\0\n")
    code, out = run(project, "a.c")
    assert (code, "binary" in out) == (1, True)
    assert file.read_bytes() == b"int a;\0\n"


def test_a_check_with_an_open_quote_is_wrong_usage(project: Project) -> None:
    project.write("a.c", GOOD.encode())
    project.write(".holdfast/config.toml", b'check = "make \'x"\n')
    assert run(project, "a.c")[0] == 2


def test_rules_that_are_a_link_elsewhere_are_reported_and_nothing_is_done(project: Project) -> None:
    file = project.write("a.c", FIXABLE.encode())
    (project.root / ".holdfast").symlink_to(project.root.parent)
    ran = project.run("repair", "a.c", "--no-model", "--root", str(project.root))
    assert (ran.code, file.read_text()) == (1, FIXABLE)
    assert ran.err or ran.out
