"""Every target with its real tools: what is wrong is found, what is right passes, and the project stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.adapters.toolchains.check_step import CheckMode
from holdfast.repair.ports import Checked
from holdfast.vocab.diagnostics import Area
from tests.adapters.toolchains.toolbox import TOOLCHAINS, check, needs, run, snapshot

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def toolchains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_TOOLCHAINS", str(TOOLCHAINS))


def put(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        file = root / name.replace("__", "/").replace("_dot_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


CASES = [
    pytest.param(
        "a.py", "x = undefd\n", "x = 1\n", ("ruff", "F821", ("undefd",)), marks=needs("ruff")
    ),
    pytest.param(
        "a.py",
        'x: int = "é"\n',
        "x: int = 1\n",
        ("mypy", "assignment", ("str", "int")),
        marks=needs("mypy"),
    ),
    pytest.param("a.py", "def f(:\n", "def f(): ...\n", ("python", "SyntaxError", ()), marks=()),
    pytest.param(
        "a.c",
        "int f(void) { return x; }\n",
        "int f(void) { return 1; }\n",
        ("gcc", "", ("x",)),
        marks=needs("gcc"),
    ),
    pytest.param(
        "a.c",
        "int f(void) { return g(); }\n",
        "int g(void); int f(void) { return g(); }\n",
        ("gcc", "-Wimplicit-function-declaration", ("g",)),
        marks=needs("gcc"),
    ),
    pytest.param(
        "a.cpp",
        "auto f() { return x; }\n",
        "auto f() { return 1; }\n",
        ("g++", "", ("x",)),
        marks=needs("g++"),
    ),
    pytest.param(
        "a.rs",
        'fn main() { let x: i32 = "a"; }\n',
        "fn main() {}\n",
        ("rustc", "E0308", ("i32", "&str")),
        marks=needs("rustc"),
    ),
    pytest.param(
        "A.java",
        "class A { int f() { return x; } }\n",
        "class A { int f() { return 1; } }\n",
        ("javac", "compiler.err.cant.resolve.location", ("x", "A")),
        marks=needs("javac"),
    ),
    pytest.param(
        "a.js", "const x = ;\n", "const x = 1;\n", ("node", "SyntaxError", ()), marks=needs("node")
    ),
    pytest.param(
        "a.js",
        "undefd();\n",
        "[].map(String);\n",
        ("tsc", "TS2304", ("undefd",)),
        marks=needs("node", "tsc"),
    ),
    pytest.param(
        "a.ts",
        'let x: number = "a";\n',
        "let x: number = 1;\n",
        ("tsc", "TS2322", ("string", "number")),
        marks=needs("tsc"),
    ),
    pytest.param(
        "a.go",
        "package a\n\nfunc F() int { return x }\n",
        "package a\n\nfunc F() int { return 1 }\n",
        ("go", "", ("x",)),
        marks=needs("go"),
    ),
]


@pytest.mark.parametrize(("path", "wrong", "right", "expected"), CASES)
def test_a_file_alone(
    tmp_path: Path, path: str, wrong: str, right: str, expected: tuple[str, str, tuple[str, ...]]
) -> None:
    (tmp_path / path).write_text("not looked at\n")
    before = snapshot(tmp_path)
    failed = run(tmp_path, path, wrong)
    assert not failed.ok
    assert expected in [(each.tool, each.code, each.args) for each in failed.diagnostics]
    assert {each.path for each in failed.diagnostics} == {path}
    assert all(each.area is not None for each in failed.diagnostics)
    assert expected[0] in failed.oracle
    passed = run(tmp_path, path, right)
    assert passed.ok, passed.diagnostics
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("errors", [200, 201, 1000])
@pytest.mark.parametrize(
    "path", [pytest.param("a.c", marks=needs("gcc")), pytest.param("a.cpp", marks=needs("g++"))]
)
def test_of_many_errors_the_first_two_hundred_are_reported(
    tmp_path: Path, path: str, errors: int
) -> None:
    (tmp_path / path).write_text("not looked at\n")
    text = "".join(f"int f{at}(void) {{ return z{at}; }}\n" for at in range(errors))
    found = [each for each in run(tmp_path, path, text).diagnostics if each.severity == "error"]
    assert [each.args for each in found] == [(f"z{at}",) for at in range(200)]


NEIGHBOURS: list[object] = [
    pytest.param("pkg/b.py", "from pkg.a import one\nx: str = one\n", {"pkg__a_dot_py": "one = 1\n", "pkg____init___dot_py": ""}, marks=needs("mypy")),
    pytest.param("b.c", '#include "a.h"\nint f(void) { return one(2); }\n', {"a_dot_h": "int one(void);\n"}, marks=needs("gcc")),
    pytest.param("src/main.rs", "mod a;\nfn main() { let x: &str = a::one(); }\n", {"src__a_dot_rs": "pub fn one() -> i32 { 1 }\n"}, marks=needs("rustc")),
    pytest.param("p/B.java", "package p; class B { String s = A.one(); }\n", {"p__A_dot_java": "package p; class A { static int one() { return 1; } }\n"}, marks=needs("javac")),
    pytest.param("q/b.go", "package q\n\nfunc Two() string { return One() }\n", {"q__a_dot_go": "package q\n\nfunc One() int { return 1 }\n", "q__c_dot_go": "package q\n\nfunc main() {}\n"}, marks=needs("go")),
    pytest.param("src/b.ts", 'import { one } from "./a";\nconst x: string = one;\n', {"src__a_dot_ts": "export const one = 1;\n"}, marks=needs("tsc")),
]  # fmt: skip


@pytest.mark.parametrize("mode", ["file", "project"])
@pytest.mark.parametrize(("path", "text", "others"), NEIGHBOURS)
def test_a_file_sees_its_neighbours(
    tmp_path: Path, mode: CheckMode, path: str, text: str, others: dict[str, str]
) -> None:
    put(tmp_path, **others)
    before = snapshot(tmp_path)
    checked = run(tmp_path, path, text, mode)
    assert [each.path for each in checked.diagnostics if each.severity == "error"] == [path]
    assert snapshot(tmp_path) == before


@needs("cargo")
def test_a_package_of_rust_is_checked_as_a_whole_and_keeps_its_warm_cache_elsewhere(
    tmp_path: Path,
) -> None:
    put(
        tmp_path,
        Cargo_dot_toml='[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n',
        src__main_dot_rs="mod b;\nfn main() { let _x: i32 = b::one(); }\n",
        src__b_dot_rs="pub fn one() -> i32 { 1 }\n",
    )
    before = snapshot(tmp_path)
    assert run(tmp_path, "src/b.rs", "pub fn one() -> i32 { 2 }\n", "project").ok
    broken = run(tmp_path, "src/b.rs", "pub fn uno() -> i32 { 2 }\n", "project")
    assert ("E0425", "src/main.rs") in {(each.code, each.path) for each in broken.diagnostics}
    assert run(tmp_path, "src/b.rs", "pub fn one() -> i32 { 2 }\n", "project").ok
    assert snapshot(tmp_path) == before


@needs("tsc")
def test_a_project_of_typescript_is_checked_by_its_own_settings(tmp_path: Path) -> None:
    put(
        tmp_path,
        tsconfig_dot_json='{"compilerOptions": {"strict": true, "composite": true, "outDir": "out"}, "include": ["src"]}\n',
        src__a_dot_ts="export const one: number = 1;\n",
        src__b_dot_ts='import { one } from "./a";\nexport const two = one + 1;\n',
    )
    before = snapshot(tmp_path)
    assert run(tmp_path, "src/a.ts", "export const one: number = 1;\n", "project").ok
    broken = run(tmp_path, "src/a.ts", "export const uno = 1;\n", "project")
    assert [(each.code, each.path) for each in broken.diagnostics] == [("TS2305", "src/b.ts")]
    assert snapshot(tmp_path) == before


@needs("javac")
def test_other_files_of_a_java_project_are_named_with_their_folder(tmp_path: Path) -> None:
    put(
        tmp_path,
        src__p__A_dot_java="package p; public class A { public static int one() { return 1; } }\n",
        src__q__B_dot_java="package q; class B { int x = p.A.one(); }\n",
    )
    text = "package p; public class A { public static int uno() { return 1; } }\n"
    broken = run(tmp_path, "src/p/A.java", text, "project")
    assert [each.path for each in broken.diagnostics] == ["src/q/B.java"]


@needs("ruff")
def test_a_project_without_settings_for_ruff_only_gets_what_is_broken(tmp_path: Path) -> None:
    text = "import os\nx = lambda: 1\n"
    assert run(tmp_path, "a.py", text).ok
    put(tmp_path, pyproject_dot_toml='[tool.ruff.lint]\nselect = ["F"]\n')
    found = run(tmp_path, "a.py", text)
    assert [(each.code, each.fixits[0].safe) for each in found.diagnostics] == [("F401", True)]
    assert found.diagnostics[0].fixits[0].edits[0].path == "a.py"
    put(tmp_path, sub__ruff_dot_toml='lint.select = ["E7"]\n')
    assert [each.code for each in run(tmp_path, "sub/a.py", text).diagnostics] == ["E731"]


@needs("mypy")
def test_a_package_that_is_not_installed_here_is_a_warning_unless_the_project_asks(
    tmp_path: Path,
) -> None:
    text = "import no_such_package\n"
    found = run(tmp_path, "a.py", text)
    assert found.ok
    assert [(each.severity, each.code) for each in found.diagnostics] == [
        ("warning", "import-not-found")
    ]
    put(tmp_path, pyproject_dot_toml="[tool.mypy]\nstrict = true\n")
    assert not run(tmp_path, "a.py", text).ok


@needs("mypy")
def test_types_are_looked_at_although_names_are_wrong_but_not_in_what_does_not_parse(
    tmp_path: Path,
) -> None:
    both = run(tmp_path, "a.py", 'x = undefd\ny: int = "a"\n')
    assert {each.code for each in both.diagnostics if each.tool == "mypy"} == {
        "name-defined",
        "assignment",
    }
    assert [
        each.tool for each in run(tmp_path, "a.py", "x = (\n").diagnostics if each.tool == "mypy"
    ] == []


@needs("node", "tsc")
def test_what_node_brings_is_not_missing(tmp_path: Path) -> None:
    text = 'const fs = require("fs");\nconsole.log(process.argv, __dirname, fs);\nmodule.exports = { fs };\n'
    checked = run(tmp_path, "a.js", text)
    assert checked.ok, checked.diagnostics


@needs("gcc")
def test_columns_are_characters_and_line_endings_are_none(tmp_path: Path) -> None:
    text = 'int f(void) {\r\n\tconst char *é = "é"; return undeclaredñ + é[0];\r\n}\r\n'
    (found,) = run(tmp_path, "a.c", text).diagnostics
    assert (found.area, found.args) == (Area(2, 30, 2, 41), ("undeclaredñ",))


@needs("gcc")
def test_the_first_token_of_a_value_is_a_point_and_not_the_whole_value(tmp_path: Path) -> None:
    text = "int f(char **argv) {\n    int n = argv[1];\n    return n;\n}\n"
    (found,) = run(tmp_path, "a.c", text).diagnostics
    assert found.area == Area(2, 13, 2, 13)


@needs("gcc")
def test_a_file_whose_name_looks_like_an_option(tmp_path: Path) -> None:
    (found,) = run(tmp_path, "-o.c", "int f(void) { return x; }\n").diagnostics
    assert found.path == "-o.c"


def test_text_that_is_no_utf8_is_checked_like_any_other(tmp_path: Path) -> None:
    checked = check(tmp_path, "a.py").run("a.py", b'x = "\xff"\n')
    assert "invalid or missing encoding declaration" in str(checked)


@needs("mypy")
def test_a_text_of_the_same_length_is_looked_at_anew(tmp_path: Path) -> None:
    broken = "def f(height: int) -> int:\n    return height\n\n\nprint(f(heigth=1))\n"
    texts = [broken, broken.replace("heigth", "height")] * 2
    (tmp_path / "a.py").write_text(broken)
    checking = check(tmp_path, "a.py")
    results = [checking.run("a.py", text.encode()) for text in texts]
    assert [isinstance(each, Checked) and each.ok for each in results] == [False, True, False, True]


@needs("javac")
def test_a_key_of_javac_with_a_hyphen_is_a_complaint_like_any_other(tmp_path: Path) -> None:
    text = "class A {\n    int x;\n    static int f() { return x; }\n}\n"
    (found,) = run(tmp_path, "A.java", text).diagnostics
    assert (found.code, found.args) == ("compiler.err.non-static.cant.be.ref", ("x",))


@needs("gcc")
def test_a_name_that_happens_to_be_like_the_missing_one_makes_no_other_complaint(
    tmp_path: Path,
) -> None:
    like, alone = (
        run(tmp_path, "a.c", text).diagnostics[0]
        for text in (
            "int f(void) { return sqared; }\nint squared;\n",
            "int f(void) { int squared = 1; return sqared; }\n",
        )
    )
    assert like.template == alone.template == "{0} undeclared (first use in this function)"
    assert "did you mean" in alone.message
