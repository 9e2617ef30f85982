"""Projects that say how they are built, with the real tools: what they say counts, and no file passes unseen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.adapters.toolchains.check_step import CheckMode
from holdfast.adapters.toolchains.installed_tool import ToolProgram
from holdfast.adapters.toolchains.languages import python
from holdfast.repair.ports import CheckCrashed, Checked
from tests.adapters.toolchains.toolbox import TOOLCHAINS, needs, run, snapshot

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def toolchains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_TOOLCHAINS", str(TOOLCHAINS))


def put(root: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def errors(checked: Checked) -> list[tuple[str, str, tuple[str, ...]]]:
    return [
        (each.path, each.code, each.args)
        for each in checked.diagnostics
        if each.severity == "error"
    ]


# ------------------------------------------------------------------------------------------------------------- pyright


@needs("pyright")
@pytest.mark.parametrize(
    "settings", ["{}", '{ // with a comment\n"typeCheckingMode": "standard",}']
)
def test_a_project_with_settings_for_pyright_is_checked_by_it_and_by_them(
    tmp_path: Path, settings: str
) -> None:
    put(tmp_path, {"sub/pyrightconfig.json": settings, "sub/other.py": "one = 1\n"})
    before = snapshot(tmp_path)
    found = run(
        tmp_path,
        "sub/a.py",
        'from other import one\ns = "𝒳"; x: str = one\nimport no_such_package\n',
    )
    assert "pyright" in found.oracle
    assert "mypy" not in found.oracle
    assert errors(found) == [
        ("sub/a.py", "reportAssignmentType", ("Literal[1]", "str")),
        ("sub/a.py", "reportMissingImports", ("no_such_package",)),
    ]
    assert next(
        (each.area.column, each.area.end_column) for each in found.diagnostics if each.area
    ) == (19, 22)
    assert run(tmp_path, "sub/a.py", "from other import one\nx: int = one\n").ok
    assert snapshot(tmp_path) == before


@needs("pyright")
def test_pyright_in_a_project_without_settings_does_not_mind_what_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(python, "MYPY", ToolProgram("no-such-mypy", ""))
    found = run(tmp_path, "a.py", "import no_such_package\n")
    assert found.ok
    assert [(each.severity, each.code) for each in found.diagnostics] == [
        ("warning", "reportMissingImports")
    ]


@needs("ruff")
@pytest.mark.parametrize("name", ["ruff.toml", ".ruff.toml"])
def test_settings_of_ruff_in_a_file_of_their_own_count(tmp_path: Path, name: str) -> None:
    put(tmp_path, {name: 'lint.select = ["F401"]\n'})
    assert [code for _, code, _ in errors(run(tmp_path, "a.py", "import os\n"))] == ["F401"]


# ------------------------------------------------------------------------------------------------------------------ go

MODULE = {
    "m/go.mod": "module example.com/m\n\ngo 1.19\n",
    "m/main.go": 'package main\n\nimport "example.com/m/sub"\n\nfunc main() { println(sub.One()) }\n',
    "m/sub/a.go": "package sub\n\nfunc One() int { return 1 }\n",
    "m/sub/a_test.go": 'package sub\n\nimport "testing"\n\nfunc TestOne(t *testing.T) { if One() != 1 { t.Fail() } }\n',
}


@needs("go")
@pytest.mark.parametrize("top", ["", "m"])
def test_a_module_of_go_is_checked_with_its_tests_and_all_who_use_the_package(
    tmp_path: Path, top: str
) -> None:
    put(tmp_path, MODULE)
    before = snapshot(tmp_path)
    root, path = tmp_path / top, "sub/a.go" if top else "m/sub/a.go"
    folder = "" if top else "m/"
    assert run(root, path, MODULE["m/sub/a.go"], "project").ok
    assert errors(run(root, path, "package sub\n\nfunc Uno() int { return 1 }\n", "project")) == [
        (f"{folder}main.go", "", ("sub.One",)),
        (f"{folder}sub/a_test.go", "", ("One",)),
    ]
    alone = run(root, path, "package sub\n\nfunc Uno() int { return 1 }\n", "file")
    assert [name for name, _, _ in errors(alone)] == [f"{folder}sub/a_test.go"]
    assert snapshot(tmp_path) == before


@needs("go")
def test_all_errors_of_a_package_are_reported_at_once_and_then_what_vet_finds(
    tmp_path: Path,
) -> None:
    names = [f"a{number}" for number in range(12)]
    broken = run(tmp_path, "a.go", f"package a\n\nvar x = {' + '.join(names)}\n")
    assert [args for _, _, args in errors(broken)] == [(name,) for name in names]
    odd = run(tmp_path, "a.go", 'package a\n\nimport "fmt"\n\nfunc F() { fmt.Printf("%d", "é") }\n')
    assert errors(odd) == [("a.go", "", ("fmt.Printf", "%d", '"é"', "string"))]


@needs("go")
def test_no_code_of_a_go_project_runs(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    text = f'package a\n\nimport ("os"; "testing")\n\nfunc init() {{ os.WriteFile("{ran}", nil, 0o600) }}\n\nfunc TestX(t *testing.T) {{ init2() }}\nfunc init2() {{}}\n'
    put(tmp_path, {"p/go.mod": "module example.com/p\n", "p/a.go": "package a\n"})
    assert run(tmp_path / "p", "a_test.go", text, "project").ok
    assert not ran.exists()


@needs("go")
def test_a_module_that_is_not_here_is_not_fetched_and_no_mistake_of_the_code(
    tmp_path: Path,
) -> None:
    put(
        tmp_path, {"go.mod": "module example.com/m\n\ngo 1.19\n\nrequire example.org/none v1.0.0\n"}
    )
    with pytest.raises(CheckCrashed, match="module lookup disabled by GOPROXY=off"):
        run(
            tmp_path,
            "a.go",
            'package m\n\nimport "example.org/none"\n\nvar X = none.X\n',
            "project",
        )


@needs("go")
def test_go_needs_no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "GOCACHE", "XDG_CACHE_HOME", "GOPATH"):
        monkeypatch.delenv(name, raising=False)
    assert run(tmp_path, "a.go", "package a\n\nvar X = 1\n").ok
    monkeypatch.setenv("HOME", "/proc/nowhere")
    assert run(tmp_path, "a.go", "package a\n\nvar X = 1\n").ok


# ---------------------------------------------------------------------------------------------------------- c and c++


def database(root: Path, words: str, *, file: str = "../src/a.c", joined: bool = True) -> None:
    invocation = {"command": words} if joined else {"arguments": words.split()}
    put(
        root,
        {
            "build/compile_commands.json": json.dumps(
                [{"directory": str(root / "build"), "file": file, **invocation}]
            )
        },
    )


@needs("gcc")
@pytest.mark.parametrize("joined", [True, False])
def test_a_file_of_c_is_checked_with_the_flags_that_it_is_compiled_with(
    tmp_path: Path, *, joined: bool
) -> None:
    put(
        tmp_path,
        {
            "gen/gen.h": "#define GEN 1\n",
            "lib/inc/lib.h": "#define LIB 2\n",
            "src/first.h": "static int first;\n",
        },
    )
    text = '#include <lib.h>\n#include "gen.h"\nint f(void) { int unused; return GEN + LIB + FOO + first; }\n'
    assert not run(tmp_path, "src/a.c", text).ok
    words = "cc -I../gen -isystem ../lib/inc -DFOO=3 -include ../src/first.h -std=c99 -Wall -Werror=unused-variable -c ../src/a.c"
    database(tmp_path, words, joined=joined)
    assert errors(run(tmp_path, "src/a.c", text)) == [("src/a.c", "-Wunused-variable", ("unused",))]
    # One that is not named is compiled as its neighbours are.
    assert errors(run(tmp_path, "src/new.c", text)) == [
        ("src/new.c", "-Wunused-variable", ("unused",))
    ]


@needs("gcc")
def test_the_command_is_not_run_and_no_flag_loads_code_or_writes(tmp_path: Path) -> None:
    made = tmp_path / "made"
    database(
        tmp_path,
        f"/usr/bin/touch {made} -fplugin={tmp_path}/evil.so -fdump-go-spec={made} -Wp,-MD,{made} -wrapper touch,{made} @x -o {made}",
    )
    assert run(tmp_path, "src/a.c", "int f(void) { return 1; }\n").ok
    assert not made.exists()


@needs("gcc")
@pytest.mark.parametrize(
    "database",
    [
        "{",
        "[]",
        '[{"directory": 1}, 3]',
        '{"a": 1}',
        '[{"directory": ".", "file": "a.c", "command": "cc \\"open"}]',
    ],
)
def test_a_broken_database_is_none(tmp_path: Path, database: str) -> None:
    put(tmp_path, {"compile_commands.json": database, "include/a.h": "#define A 1\n"})
    assert run(tmp_path, "a.c", '#include "include/a.h"\nint f(void) { return A; }\n').ok


@needs("gcc")
def test_a_flag_that_gcc_does_not_know_is_no_mistake_of_the_code_and_those_of_clang_are_left_out(
    tmp_path: Path,
) -> None:
    database(tmp_path, "gcc -Wzork -c ../src/a.c")
    with pytest.raises(CheckCrashed, match="unrecognized command-line option"):
        run(tmp_path, "src/a.c", "int x;\n")
    database(tmp_path, "/usr/bin/clang-15 -Wzork -c ../src/a.c")
    assert run(tmp_path, "src/a.c", "int x;\n").ok


@needs("gcc", "g++")
def test_a_header_is_c_or_cpp_by_what_it_says_and_who_uses_it(tmp_path: Path) -> None:
    assert run(tmp_path, "a.h", "#pragma once\nint new(int class);\n").ok
    assert errors(run(tmp_path, "a.h", "#pragma once\nint f(zork x);\n"))[0][2] == ("zork",)
    assert run(
        tmp_path, "b.h", "#pragma once\nnamespace n { template <class T> T f(T x) { return x; } }\n"
    ).oracle.startswith("g++")
    put(tmp_path, {"c.cpp": '#include "c.h"\n'})
    assert run(tmp_path, "c.h", "struct S { int f() const; };\n").ok
    database(tmp_path, "g++ -std=c++17 -Werror -c ../src/a.cc", file="../src/a.cc")
    assert run(tmp_path, "src/d.h", "#pragma once\nstruct S { int f() const; };\n").ok
    assert not list(tmp_path.rglob("*.gch"))


# ---------------------------------------------------------------------------------------------------------------- rust


@needs("rustc")
@pytest.mark.parametrize("manifest", [True, False])
def test_a_module_finds_its_crate(tmp_path: Path, *, manifest: bool) -> None:
    put(
        tmp_path,
        {
            "src/main.rs": "mod foo;\nmod util;\nfn main() { foo::bar::b(); util::u(); }\n",
            "src/foo/mod.rs": "pub mod bar;\n",
            "src/util.rs": "pub fn u() {}\n",
        },
    )
    if manifest:
        put(
            tmp_path, {"Cargo.toml": '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2018"\n'}
        )
    right = "use crate::util::u;\npub fn b() { u(); super::super::util::u(); }\n"
    assert run(tmp_path, "src/foo/bar.rs", right).ok
    assert errors(run(tmp_path, "src/foo/bar.rs", right.replace("util::u;", "util::v as u;")))[0][
        :2
    ] == (
        "src/foo/bar.rs",
        "E0432",
    )
    # One that no crate names stands alone.
    assert run(tmp_path, "src/other.rs", "pub fn f() {}\n").ok


@needs("rustc")
@pytest.mark.parametrize(
    ("manifest", "ok"),
    [
        ('edition = "2021"', True),
        ("", False),
        ("edition.workspace = true", True),
        ('edition = "2015"', False),
    ],
)
def test_the_edition_is_what_the_package_says_or_its_workspace(
    tmp_path: Path, manifest: str, *, ok: bool
) -> None:
    put(
        tmp_path,
        {
            "Cargo.toml": '[workspace]\nmembers = ["p"]\n[workspace.package]\nedition = "2021"\n',
            "p/Cargo.toml": f'[package]\nname = "p"\nversion = "0.1.0"\n{manifest}\n',
        },
    )
    assert run(tmp_path, "p/src/lib.rs", "pub async fn f() {}\n").ok is ok


@needs("cargo")
def test_users_of_a_package_of_the_workspace_are_checked_with_it_and_each_error_is_reported_once(
    tmp_path: Path,
) -> None:
    package = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2021"\n'
    put(
        tmp_path,
        {
            "ws/Cargo.toml": '[workspace]\nmembers = ["a", "b"]\nresolver = "2"\n',
            "ws/a/Cargo.toml": package.format("a"),
            "ws/b/Cargo.toml": package.format("b") + '[dependencies]\na = { path = "../a" }\n',
            "ws/a/src/lib.rs": "pub fn one() -> i32 { 1 }\n",
            "ws/b/src/lib.rs": "pub fn two() -> i32 { a::one() }\n",
        },
    )
    before = snapshot(tmp_path)
    assert errors(run(tmp_path, "ws/a/src/lib.rs", "pub fn uno() -> i32 { 1 }\n", "project")) == [
        ("ws/b/src/lib.rs", "E0425", ("one", "a"))
    ]
    assert snapshot(tmp_path) == before


# ---------------------------------------------------------------------------------------------------------------- java


@needs("javac")
@pytest.mark.parametrize("mode", ["file", "project"])
def test_a_test_of_java_sees_what_it_tests_and_errors_elsewhere_have_their_folder(
    tmp_path: Path, mode: CheckMode
) -> None:
    put(
        tmp_path,
        {
            "src/main/java/p/A.java": "package p; public class A { public static int one() { return zork; } }\n",
            "src/test/java/p/util/Help.java": "package p.util; public class Help { public static int two() { return 2; } }\n",
        },
    )
    text = "package p; class ATest { String s = A.one() + p.util.Help.two(); }\n"
    found = run(tmp_path, "src/test/java/p/ATest.java", text, mode)
    assert sorted(path for path, _, _ in errors(found)) == [
        "src/main/java/p/A.java",
        "src/test/java/p/ATest.java",
    ]


@needs("javac")
def test_java_beside_a_name_beyond_ascii(tmp_path: Path) -> None:
    put(tmp_path, {"src/café.txt": ""})
    text = 'class A { String f() { return "é"; } int g() { return zork; } }\n'
    found = run(tmp_path, "src/A.java", text, "file")
    assert [path for path, _, _ in errors(found)] == ["src/A.java"]
    assert "zork" in found.diagnostics[0].message


@needs("javac")
@pytest.mark.parametrize("mode", ["file", "project"])
def test_a_file_of_a_java_module(tmp_path: Path, mode: CheckMode) -> None:
    put(
        tmp_path,
        {
            "src/module-info.java": "module m { exports p; }\n",
            "src/p/B.java": "package p; class B {}\n",
        },
    )
    assert run(tmp_path, "src/p/A.java", "package p; public class A { B b; }\n", mode).ok
    assert [
        path
        for path, _, _ in errors(
            run(tmp_path, "src/p/A.java", "package p; public class A { C c; }\n", mode)
        )
    ] == ["src/p/A.java"]


# ----------------------------------------------------------------------------------------------------------- typescript

STRICT = (
    '{"compilerOptions": {"strict": true, "module": "esnext", "moduleResolution": "bundler"%s}%s}'
)
WRONG = "export const x: string = 1;\n"


@needs("tsc")
def test_paths_of_tsconfig_lead_to_files(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "tsconfig.json": STRICT % (', "paths": {"@lib/*": ["./lib/*"]}', ""),
            "lib/one.ts": "export const one = 1;\n",
        },
    )
    text = 'import { one } from "@lib/one";\nexport const x: string = one;\n'
    assert errors(run(tmp_path, "src/a.ts", text, "project")) == [
        ("src/a.ts", "TS2322", ("number", "string"))
    ]


@needs("tsc")
def test_a_file_that_the_settings_leave_out_is_checked_all_the_same_and_alone(
    tmp_path: Path,
) -> None:
    put(tmp_path, {"tsconfig.json": STRICT % ("", ', "include": ["src"]'), "src/broken.ts": WRONG})
    assert errors(run(tmp_path, "tools/a.ts", WRONG, "project")) == [
        ("tools/a.ts", "TS2322", ("number", "string"))
    ]


@needs("tsc")
def test_a_part_of_a_project_with_references_reads_the_other_parts_as_they_are_now(
    tmp_path: Path,
) -> None:
    part = ', "composite": true, "outDir": "dist", "rootDir": "."'
    put(
        tmp_path,
        {
            "tsconfig.json": '{"files": [], "references": [{"path": "./core"}, {"path": "./tsconfig.app.json"}]}',
            "core/tsconfig.json": STRICT % (part, ', "include": ["*.ts"]'),
            "tsconfig.app.json": STRICT
            % (
                part.replace('"."', '"./app"'),
                ', "include": ["app"], "references": [{"path": "./core"}]',
            ),
            "core/c.ts": "export const one: number = 1;\n",
        },
    )
    before = snapshot(tmp_path)
    text = 'import { one } from "../core/c";\nexport const x: string = one;\n'
    assert errors(run(tmp_path, "app/a.ts", text, "project")) == [
        ("app/a.ts", "TS2322", ("number", "string"))
    ]
    assert run(tmp_path, "app/a.ts", text.replace("string", "number"), "project").ok
    assert snapshot(tmp_path) == before


@needs("node", "tsc")
def test_the_types_of_a_project_say_nothing_of_its_scripts_unless_they_are_part_of_it(
    tmp_path: Path,
) -> None:
    put(tmp_path, {"tsconfig.json": STRICT % ("", ""), "src/broken.ts": WRONG})
    assert run(tmp_path, "a.js", "export const x = 1;\n", "project").ok
    put(tmp_path, {"tsconfig.json": STRICT % (', "allowJs": true', "")})
    assert (
        errors(run(tmp_path, "a.js", "export const x = 1;\n", "project"))[0][0] == "src/broken.ts"
    )


@needs("tsc")
def test_settings_that_tsc_cannot_read_are_reported_by_it(tmp_path: Path) -> None:
    put(
        tmp_path,
        {"tsconfig.json": '{"extends": "./none.json", "compilerOptions": {"strict": "maybe"}}'},
    )
    assert not run(tmp_path, "a.ts", "export const x = 1;\n", "project").ok


# ---------------------------------------------------------------------------------------------------------------- node


@needs("node")
@pytest.mark.parametrize(
    ("package", "path", "text", "ok"),
    [
        (None, "a.js", 'import fs from "fs";\nexport const a = fs;\n', True),
        (None, "a.js", 'import fs from "fs";\nexport const a = ;\n', False),
        (None, "a.js", 'const fs = require("fs");\nreturn;\n', True),
        (None, "a.js", 'import a form "fs";\n', False),
        (None, "a.js", "const a = `\nimport it\n`;\nmodule.exports = a;\nwith (a) {}\n", True),
        (None, "a.mjs", "export const a = ;\n", False),
        (None, "a.mjs", "export const a = await 1;\n", True),
        ("module", "a.js", "export const a = await 1;\n", True),
        ("module", "a.js", "with (1) {}\n", False),
        ("module", "a.cjs", 'module.exports = require("fs");\nreturn;\n', True),
        ("commonjs", "a.js", "export const a = 1;\n", False),
    ],
)  # fmt: skip
def test_node_reads_a_module_as_a_module_and_a_script_as_a_script(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    package: str | None,
    path: str,
    text: str,
    *,
    ok: bool,
) -> None:
    monkeypatch.delenv("HOLDFAST_TOOLCHAINS")
    if package is not None:
        put(tmp_path, {"package.json": json.dumps({"type": package})})
    checked = run(tmp_path, path, text)
    assert checked.ok is ok, checked
    assert {each.path for each in checked.diagnostics if each.severity == "error"} == (
        set() if ok else {path}
    )
