"""Which code of a project its checks would run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from holdfast.adapters.git.git_command import Git
from holdfast.adapters.processes.project_programs import path_outside, program_outside
from holdfast.adapters.toolchains.check_step import CheckedFile
from holdfast.adapters.toolchains.installed_tool import locate
from holdfast.adapters.toolchains.languages import go
from holdfast.adapters.toolchains.languages.rust import build_files
from holdfast.adapters.toolchains.own_code import OwnCode
from holdfast.adapters.toolchains.registry import check_for
from holdfast.adapters.toolchains.scratch_dir import borrow
from holdfast.adapters.trust.git_filters import filters_of
from holdfast.repair.ports import CheckCrashed, Checked
from holdfast.vocab.trust import CodeItem
from tests.waiting import LONGEST


def lay_out(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
        if "/bin/" in name or "/.bin/" in name:
            (root / name).chmod(0o755)


def names(items: tuple[CodeItem, ...]) -> list[tuple[str, str]]:
    return [(item.kind, item.path) for item in items]


PLUGIN = {"pyproject.toml": '[tool.mypy]\nplugins = ["tools/own.py"]\n', "tools/own.py": "1\n"}
MACRO = '[package]\nname = "m"\n[lib]\nproc-macro = true\n'
MEMBERS = {
    "Cargo.toml": '[workspace]\nmembers = ["a", "b"]\n',
    "a/Cargo.toml": '[package]\nname = "a"\n',
    "b/Cargo.toml": '[package]\nname = "b"\n',
    "b/build.rs": "fn main() {}\n",
}


@pytest.mark.parametrize(
    ("files", "path", "wanted"),
    [
        pytest.param({"pyproject.toml": ""}, "a.py", [], id="nothing"),
        pytest.param({".venv/bin/mypy": "x"}, "a.py", [("tool", ".venv/bin/mypy")], id="python"),
        pytest.param(
            {"node_modules/.bin/go": "x"}, "a.go", [("tool", "node_modules/.bin/go")], id="go"
        ),
        pytest.param(
            {"sub/node_modules/.bin/gcc": "x"},
            "sub/a.c",
            [("tool", "sub/node_modules/.bin/gcc")],
            id="c",
        ),
        pytest.param({"venv/bin/javac": "x"}, "A.java", [("tool", "venv/bin/javac")], id="java"),
        pytest.param({"venv/bin/rustc": "x"}, "a.rs", [("tool", "venv/bin/rustc")], id="rust"),
        pytest.param(
            {"node_modules/.bin/tsc": "x"}, "a.ts", [("tool", "node_modules/.bin/tsc")], id="tsc"
        ),
        pytest.param(
            PLUGIN,
            "a.py",
            [("configuration", "pyproject.toml"), ("plugin", "tools/own.py")],
            id="plugin",
        ),
        pytest.param(
            {"mypy.ini": "[mypy]\nplugins = own\n", "own/__init__.py": ""},
            "a.py",
            [("configuration", "mypy.ini"), ("plugin", "own/__init__.py")],
            id="plugin by its module",
        ),
        pytest.param(
            {"sub/mypy.ini": "[mypy]\n", "mypy.ini": "[mypy]\nplugins = own.py\n"},
            "sub/a.py",
            [],
            id="the nearest settings are those that mypy reads",
        ),
        pytest.param(
            {"setup.cfg": "[mypy]\nhtml_report = /tmp/x\n"},
            "a.py",
            [("configuration", "setup.cfg")],
            id="a report is written",
        ),
        pytest.param(
            {"pyrightconfig.json": '{"venvPath": "."}'},
            "a.py",
            [("configuration", "pyrightconfig.json")],
            id="pyright starts a Python",
        ),
        pytest.param(
            {"pyrightconfig.json": '{"venvPath": ".",} // x'},
            "a.py",
            [("configuration", "pyrightconfig.json")],
            id="settings that only pyright reads",
        ),
        pytest.param(
            {"tsconfig.json": '{"compilerOptions": {"plugins": [{"transform": "./x"}]}}'},
            "a.ts",
            [("configuration", "tsconfig.json")],
            id="plugins of tsc",
        ),
        pytest.param(
            {"Cargo.toml": '[package]\nname = "a"\n'}, "src/main.rs", [], id="plain crate"
        ),
        pytest.param({"Cargo.toml": MACRO}, "src/lib.rs", [("build", "Cargo.toml")], id="macro"),
        *(
            pytest.param({"Cargo.toml": text}, "src/lib.rs", [("build", "Cargo.toml")], id=text)
            for text in (
                '[project]\nname = "a"\nbuild = "evil.rs"\n',
                '[package]\nname = "a"\n[lib]\ncrate-type = ["proc-macro"]\n',
                '[package]\nname = "a"\n[lib]\ncrate_type = ["proc-macro"]\n',
                '[package]\nname = "a"\n[[example]]\nname = "b"\ncrate-type = ["proc-macro"]\n',
                '[package]\nname = "a"\nworkspace = "../ws"\n',
                '[package]\nname = "a"\n[workspace]\nmembers = ["../sib"]\n',
                '[package]\nname = "a"\n[of-tomorrow]\nruns = "x"\n',
            )
        ),
        pytest.param(
            {
                "Cargo.toml": '[package]\nname = "a"\nversion = "1.0.0"\nedition = "2021"\n'
                '[lib]\nname = "a"\npath = "src/a.rs"\ncrate-type = ["cdylib", "rlib"]\n'
                '[[bin]]\nname = "b"\npath = "src/b.rs"\n[features]\nx = []\n[profile.release]\nlto = true\n'
            },
            "src/a.rs",
            [],
            id="a crate with targets",
        ),
        pytest.param(
            {"Cargo.toml": '[dependencies]\nx = "1"\n', "Cargo.lock": ""},
            "src/lib.rs",
            [("build", "Cargo.toml"), ("build", "Cargo.lock")],
            id="dependencies",
        ),
        pytest.param(
            {"rust-toolchain.toml": "[toolchain]\npath = 'x'\n"},
            "a.rs",
            [("build", "rust-toolchain.toml")],
            id="toolchain",
        ),
        pytest.param(
            MEMBERS,
            "a/src/lib.rs",
            [("build", "b/Cargo.toml"), ("build", "b/build.rs")],
            id="a build script of another member",
        ),
        pytest.param(
            {
                "Cargo.toml": '[package]\nname = "p"\n',
                "build.rs": 'mod own;\ninclude!("gen/more.rs");\nfn main() {}\n',
                "own.rs": "mod deep;\n",
                "deep.rs": "",
                "gen/more.rs": "",
                "src/main.rs": "fn main() {}\n",
                "other.rs": "",
            },
            "src/main.rs",
            [
                ("build", "build.rs"),
                ("build", "gen/more.rs"),
                ("build", "own.rs"),
                ("build", "deep.rs"),
                ("build", "Cargo.toml"),
            ],
            id="what a build script brings in",
        ),
        pytest.param(
            {
                "Cargo.toml": '[package]\nname = "p"\n[dependencies]\na = { path = "a" }\n',
                "a/Cargo.toml": '[package]\nname = "a"\n[dependencies]\nm = { path = "../m" }\n',
                "a/build.rs": "fn main() {}\n",
                "a/src/lib.rs": "",
                "m/Cargo.toml": MACRO,
                "m/src/lib.rs": "mod parts;\n",
                "m/src/parts.rs": "",
                "src/main.rs": "fn main() {}\n",
            },
            "src/main.rs",
            [
                ("build", "Cargo.toml"),
                ("build", "a/Cargo.toml"),
                ("build", "a/build.rs"),
                ("build", "m/Cargo.toml"),
                ("build", "m/src/lib.rs"),
                ("build", "m/src/parts.rs"),
            ],
            id="a build script and a macro of packages that others depend on",
        ),
        pytest.param(
            {
                "Cargo.toml": '[package]\nname = "p"\n[build-dependencies]\ng = { path = "g" }\n',
                "g/Cargo.toml": '[package]\nname = "g"\n[dependencies]\nh = { path = "../h" }\n',
                "g/src/lib.rs": "",
                "h/Cargo.toml": '[package]\nname = "h"\nlicense-file = "L"\n[lib]\npath = "h.rs"\n',
                "h/h.rs": "",
                "h/build.rs": "",
            },
            "src/main.rs",
            [
                ("build", "Cargo.toml"),
                ("build", "g/Cargo.toml"),
                ("build", "g/src/lib.rs"),
                ("build", "h/Cargo.toml"),
                ("build", "h/build.rs"),
                ("build", "h/h.rs"),
            ],
            id="libraries that a build script uses",
        ),
        pytest.param(
            {
                "mypy.ini": "[mypy]\nplugins = pk/own.py\n",
                "pk/own.py": "import helper\nfrom kit import parts\nfrom app.rules import x\n",
                "pk/helper.py": "",
                "pk/unused.py": "",
                "pk/colorsys.py": "",
                "kit/__init__.py": "",
                "kit/parts.py": "",
                "app/rules.py": "",
                "a.py": "",
            },
            "a.py",
            [
                ("configuration", "mypy.ini"),
                ("plugin", "pk/own.py"),
                ("plugin", "pk/colorsys.py"),
                ("plugin", "pk/helper.py"),
                ("plugin", "app/rules.py"),
                ("plugin", "kit/__init__.py"),
                ("plugin", "kit/parts.py"),
            ],
            id="what a plugin imports, and a module that comes before one of the library",
        ),
        pytest.param(
            {
                "mypy.ini": "[mypy]\nplugins = tools/plugins/own.py\n",
                "tools/plugins/own.py": (
                    "import os, near as n\nfrom shared import helper\nfrom lib.part import (\n    x,\n    y)\n"
                    "import a.b.c\nimportlib.import_module('late')\nfrom .. import up\n"
                ),
                "tools/shared.py": "import deep\n",
                "elsewhere/deep.py": "",
                "elsewhere/near/__init__.py": "",
                "src/lib/part/__init__.py": "",
                "src/lib/part/y.py": "",
                "src/lib/part/z.py": "",
                "src/part.py": "",
                "src/late.py": "",
                "src/helper.py": "",
                "tools/up.py": "",
                "x/a/b/c.py": "",
                "node_modules/shared.py": "",
                ".venv/shared.py": "",
                "a.py": "",
            },
            "a.py",
            [
                ("configuration", "mypy.ini"),
                ("plugin", "tools/plugins/own.py"),
                ("plugin", "a.py"),
                ("plugin", "x/a/b/c.py"),
                ("plugin", "src/late.py"),
                ("plugin", "src/lib/part/__init__.py"),
                ("plugin", "src/lib/part/y.py"),
                ("plugin", "elsewhere/near/__init__.py"),
                ("plugin", "tools/shared.py"),
                ("plugin", "tools/up.py"),
                ("plugin", "elsewhere/deep.py"),
            ],
            id="what a plugin imports from anywhere",
        ),
        pytest.param(
            {
                "app/Cargo.toml": '[package]\nname = "p"\n',
                "app/build.rs": (
                    'include!("../shared/gen.rs");\n'
                    'include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/more.rs"));\n'
                ),
                "app/src/main.rs": "",
                "shared/gen.rs": "",
                "shared/more.rs": "",
                "shared/other.rs": "",
            },
            "app/src/main.rs",
            [
                ("build", "app/build.rs"),
                ("build", "shared/gen.rs"),
                ("build", "shared/more.rs"),
                ("build", "app/Cargo.toml"),
            ],
            id="what a build script brings in from the folder above",
        ),
        pytest.param(
            {
                "mypy.ini": "[mypy]\nplugins = pk.own\n",
                "pk/__init__.py": "",
                "pk/own.py": "",
                "a.py": "",
            },
            "a.py",
            [("configuration", "mypy.ini"), ("plugin", "pk/own.py"), ("plugin", "pk/__init__.py")],
            id="the package of a plugin",
        ),
    ],
)
def test_the_code_that_the_check_of_a_file_runs(
    tmp_path: Path, files: dict[str, str], path: str, wanted: list[tuple[str, str]]
) -> None:
    lay_out(tmp_path, files)
    assert names(OwnCode(tmp_path).of_file(path)) == wanted


@pytest.mark.parametrize(
    ("files", "command", "wanted"),
    [
        pytest.param({"Makefile": "x:\n"}, "make check", [("build", "Makefile")], id="make"),
        pytest.param(
            {"Makefile": "include more.mk\n", "more.mk": ""},
            "make",
            [("build", "Makefile"), ("build", "more.mk")],
            id="include",
        ),
        pytest.param(
            {"Makefile": "include a.mk\n", "a.mk": "-include b.mk a.mk\n", "b.mk": ""},
            "make",
            [("build", "Makefile"), ("build", "a.mk"), ("build", "b.mk")],
            id="include of an included file",
        ),
        pytest.param(
            {"Makefile": "", "other.mk": "include more.mk\n", "more.mk": "", "x.mk": ""},
            "make -f other.mk --file=x.mk check",
            [
                ("build", "Makefile"),
                ("build", "other.mk"),
                ("build", "x.mk"),
                ("build", "more.mk"),
            ],
            id="makefiles by name",
        ),
        pytest.param(
            {"tool.py": "", "kit/__init__.py": "", "kit/__main__.py": ""},
            "python3 -m kit",
            [("plugin", "kit/__init__.py"), ("plugin", "kit/__main__.py")],
            id="a package that is run",
        ),
        pytest.param({"tool.py": ""}, "python3 -m tool", [("plugin", "tool.py")], id="module"),
        pytest.param(
            {"package.json": '{"scripts": {"test": "x"}}'},
            "npm test",
            [("build", "package.json")],
            id="npm",
        ),
        pytest.param(
            {"conftest.py": "", "pytest.ini": ""},
            "python3 -m pytest -q",
            [("configuration", "pytest.ini"), ("plugin", "conftest.py")],
            id="pytest",
        ),
        pytest.param(
            {"eslint.config.mjs": ""},
            "uv run eslint .",
            [("configuration", "eslint.config.mjs")],
            id="eslint",
        ),
        pytest.param({"run.sh": ""}, "sh -e run.sh", [("plugin", "run.sh")], id="script"),
        pytest.param({"run.sh": ""}, "./run.sh {path}", [("tool", "run.sh")], id="program"),
        pytest.param({"a.txt": ""}, "grep x b.txt", [], id="nothing of the project"),
        pytest.param({"a.txt": ""}, "grep x a.txt", [("plugin", "a.txt")], id="any file"),
        *(
            pytest.param({"run.sh": ""}, command, [("plugin", "run.sh")], id=command)
            for command in (
                "timeout -k 5 5m sh run.sh",
                "bash -ec 'true;sh run.sh'",
                """bash -c "sh 'run.sh' && x" """,
                "stdbuf -oL sh run.sh",
                "env -u X -S 'sh run.sh'",
                "setsid sh ./run.sh",
                "xargs -a /etc/hostname sh run.sh",
                "unheard-of --with=x,run.sh",
                "sh -c 'exec $PWD/run.sh'",
                'sh -c "${HERE}/run.sh"',
                "sh -c '\"$(pwd)/run.sh\"'",
                "tool -frun.sh",
                "sh -c 'for x in r*.sh; do sh $x; done'",
            )
        ),
        pytest.param(
            {"sub/run.sh": ""},
            "sh -c 'cd sub && ./run.sh'",
            [("plugin", "sub/run.sh")],
            id="a file in a folder that the command names",
        ),
        pytest.param(
            {"sub/package.json": "{}", "package.json": "{}"},
            "npm --prefix=sub test",
            [("build", "package.json"), ("build", "sub/package.json")],
            id="npm in a folder",
        ),
        pytest.param(
            {"sub/Makefile": "include x.mk\n", "sub/x.mk": "", "x.mk": ""},
            "nice make -Csub check",
            [("build", "sub/Makefile"), ("build", "x.mk"), ("build", "sub/x.mk")],
            id="make in a folder",
        ),
        pytest.param(
            {"Makefile": "ifdef X\n  include a.mk\\\n\tb.mk\nendif\n", "a.mk": "", "b.mk": ""},
            "make",
            [("build", "Makefile"), ("build", "a.mk"), ("build", "b.mk")],
            id="indented and continued include",
        ),
        pytest.param(
            {
                "Makefile": "D := in\ninclude $(D)/x.inc # a\n",
                "in/x.inc": "",
                "other/y.mk": "",
                "a.c": "",
                "node_modules/x.inc": "",
            },
            "make",
            [("build", "Makefile"), ("build", "in/x.inc"), ("build", "other/y.mk")],
            id="include by a variable",
        ),
        pytest.param(
            {
                "Makefile": "SRC = a.c\nOBJ = $(SRC:.c=.o)\nDEPS = $(OBJ:.o=.d)\n-include $(DEPS)\n",
                "a.c": "",
                "a.o": "",
                "out/a.d": "",
            },
            "make",
            [("build", "Makefile"), ("build", "out/a.d")],
            id="include of files that a build makes",
        ),
        pytest.param(
            {"Makefile": "include $(wildcard in/*.inc)\n", "in/x.inc": "", "in/x.h": ""},
            "make",
            [("build", "Makefile"), ("build", "in/x.inc")],
            id="include by a pattern",
        ),
        pytest.param(
            {
                "Makefile": "check:\n\tcd sub && $(MAKE) -f rules check\n",
                "rules": "",
                "sub/Makefile": "",
                "sub/GNUmakefile": "",
            },
            "make",
            [
                ("build", "Makefile"),
                ("build", "rules"),
                ("build", "sub/GNUmakefile"),
                ("build", "sub/Makefile"),
            ],
            id="a makefile that starts another make",
        ),
    ],
)
def test_the_code_that_a_command_runs(
    tmp_path: Path, files: dict[str, str], command: str, wanted: list[tuple[str, str]]
) -> None:
    lay_out(tmp_path, files)
    assert names(OwnCode(tmp_path).of_command(command)) == wanted


def test_a_virtual_environment_is_what_its_python_runs_when_it_starts(tmp_path: Path) -> None:
    packages = ".venv/lib/python3.11/site-packages"
    lay_out(
        tmp_path,
        {
            ".venv/pyvenv.cfg": "home = /usr/bin\n",
            f"{packages}/own.pth": "import os\n",
            f"{packages}/sitecustomize.py": "",
            ".venv/bin/x": "",
        },
    )
    (tmp_path / ".venv/bin/python3").symlink_to(shutil.which("python3") or "/bin/sh")
    assert names(OwnCode(tmp_path).of_file("a.py")) == [
        ("tool", ".venv/bin/python3"),
        ("configuration", ".venv/pyvenv.cfg"),
        ("plugin", f"{packages}/sitecustomize.py"),
        ("plugin", f"{packages}/own.pth"),
    ]


def test_only_what_loads_code_counts_and_not_the_whole_file(tmp_path: Path) -> None:
    lay_out(tmp_path, PLUGIN)
    before = OwnCode(tmp_path).of_file("a.py")
    text = PLUGIN["pyproject.toml"]
    lay_out(tmp_path, {"pyproject.toml": f"{text}strict = true\n[project]\nversion = '2'\n"})
    assert OwnCode(tmp_path).of_file("a.py") == before
    lay_out(tmp_path, {"tools/own.py": "2\n"})
    assert OwnCode(tmp_path).of_file("a.py") != before


def test_a_tool_is_found_outside_the_project_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    lay_out(root, {".venv/bin/tool": "x", "node_modules/.bin/tool": "x", "own/tool": "x"})
    (root / "own/tool").chmod(0o755)
    outside.mkdir()
    (outside / "tool").symlink_to(root / "own/tool")
    folders = [root / ".venv/bin", outside]
    monkeypatch.setenv("PATH", os.pathsep.join(["", *map(str, folders)]))
    assert locate("tool", root, "a", own_code=True) == str(root / "node_modules/.bin/tool")
    assert locate("tool", root, "a", own_code=False) is None
    assert path_outside(root) == str(outside)
    monkeypatch.chdir(root)
    assert path_outside(Path()) == str(outside)


@pytest.mark.parametrize(
    ("name", "text", "is_used"),
    [
        (".tool-versions", "nodejs path:./evil\n", False),
        (".tool-versions", "# a/b\nnodejs path:evil\n", False),
        (".node-version", "/proc/self/cwd/evil\n", False),
        (".java-version", "../../evil\n", False),
        ("sub/.tool-versions", "nodejs path:./evil\n", False),
        ("other/.tool-versions", "nodejs path:./evil\n", True),
        (".tool-versions", "nodejs 20.0.0  # see a/b\npython 3.11.7 system\n", True),
        (".python-version", "3.11.7\n", True),
    ],
)
def test_a_version_manager_starts_no_program_that_the_project_names_by_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, is_used: bool
) -> None:
    root = tmp_path / "root"
    lay_out(tmp_path, {f"root/{name}": text, "shims/node": "x", "bin/node": "x", "links/a": "x"})
    for program in tmp_path.glob("*/node"):
        program.chmod(0o755)
    (tmp_path / "links/node").symlink_to(tmp_path / "shims/node")
    found = [tmp_path / name / "node" for name in ("shims", "links", "bin")]
    monkeypatch.setenv("PATH", os.pathsep.join(str(program.parent) for program in found))
    expected = str(found[0] if is_used else found[2])
    for own_code in (False, True):
        assert locate("node", root, "sub/a.js", own_code=own_code) == expected
    if "/" not in name:
        assert (str(found[0].parent) in path_outside(root).split(os.pathsep)) == is_used
        assert program_outside("node", root) == (expected if is_used else None)


def test_programs_of_every_worktree_of_the_repository_are_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main, linked, other = tmp_path / "main", tmp_path / "linked", tmp_path / "other"
    lay_out(main, {".venv/bin/mypy": "x", "bin/git": "x"})
    lay_out(tmp_path, {"outside/git": "x", "another/.git/HEAD": "x", "another/git": "x"})
    for program in tmp_path.glob("**/git"):
        program.chmod(0o755)
    Git(main).run("init", "-q")
    Git(main).run("commit", "-qm", "one", "--allow-empty")
    for worktree in (linked, other):
        Git(main).run("worktree", "add", "-q", str(worktree))
    (tmp_path / "link").symlink_to(main / "bin")
    own = [main / "bin", main / ".venv/bin", linked / "bin", other / "bin", tmp_path / "link"]
    outside = [tmp_path / "outside", tmp_path / "another"]
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, [*own, *outside])))
    expected = os.pathsep.join(map(str, outside))
    assert [path_outside(root) for root in (main, linked, other)] == [expected] * 3
    assert locate("git", linked, "a", own_code=False) == str(tmp_path / "outside/git")
    # Whoever trusts the tool in the main worktree need not do so again in the worktree of a session.
    assert OwnCode(linked).of_file("a.py") == OwnCode(main).of_file("a.py") != ()


@pytest.mark.parametrize("path", ["@a.py", "@d/a.py", "-a.py"])
def test_the_name_of_a_file_is_no_option_of_a_tool(tmp_path: Path, path: str) -> None:
    mark = tmp_path / "pwned"
    lay_out(
        tmp_path / "root",
        {
            path: "--config-file=evil.ini\n",
            path.removeprefix("@"): "--config-file=evil.ini\n",
            "evil.ini": "[mypy]\nplugins = evil.py\n",
            "evil.py": f"open({str(mark)!r}, 'w')\n",
        },
    )
    check = check_for(path, tmp_path / "root", mode="file", timeout=LONGEST)
    assert check is not None
    with pytest.raises(CheckCrashed, match=r"would read the name .* as an option"):
        check.run(path, b"x = 1\n")
    assert not mark.exists()


def test_filters_of_a_repository_are_one_item(tmp_path: Path) -> None:
    assert filters_of(tmp_path) == ()
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert filters_of(tmp_path) == ()
    git = ["git", "-C", str(tmp_path), "config", "filter.x.clean", "touch pwned"]
    subprocess.run(git, check=True)
    [item] = filters_of(tmp_path)
    assert (item.kind, item.path, item.text) == (
        "filter",
        ".git/config",
        "filter.x.clean = touch pwned\n",
    )


@pytest.mark.parametrize(
    "command", ["./tools/clean.sh %f", "sh 'tools/clean.sh'", "env A=b sh tools/clean.sh '"]
)
@pytest.mark.parametrize("program", ["filter.x.clean", "filter.x.process", "merge.x.driver"])
def test_the_files_that_a_filter_runs_are_items_too(
    tmp_path: Path, program: str, command: str
) -> None:
    script = ". ./tools/more.sh; cat\n"
    lay_out(tmp_path, {"tools/clean.sh": script, "tools/more.sh": "", "other.sh": ""})
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "config", program, command], check=True)
    before = filters_of(tmp_path)
    paths = [".git/config", "tools/clean.sh", "tools/more.sh"]
    assert [item.path for item in before] == paths
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)
    assert filters_of(tmp_path, ["HEAD"]) == before
    lay_out(tmp_path, {"tools/more.sh": "touch pwned\n", "other.sh": "x"})
    after = filters_of(tmp_path)
    assert after[:2] == before[:2]
    assert after[2] != before[2]
    assert filters_of(tmp_path, ["HEAD"]) == (*after, before[2])


def test_a_workspace_with_more_crates_than_are_looked_at_counts_as_code(tmp_path: Path) -> None:
    (tmp_path / "Cargo.toml").write_text('[workspace]\nmembers = ["*"]\n')
    for n in range(501):
        (tmp_path / f"c{n}").mkdir()
        (tmp_path / f"c{n}" / "Cargo.toml").write_text(f'[package]\nname = "c{n}"\n')
    assert "Cargo.toml" in list(build_files(tmp_path, "c0/src/lib.rs"))


def test_a_member_of_a_workspace_behind_a_link_is_looked_at(tmp_path: Path) -> None:
    """Cargo follows the link, and runs the build script there."""
    package = '[package]\nname = "e"\nversion = "0.1.0"\n'
    (tmp_path / "ws/src").mkdir(parents=True)
    (tmp_path / "ws/Cargo.toml").write_text(f'[workspace]\nmembers = ["link"]\n{package}')
    (tmp_path / "other").mkdir()
    (tmp_path / "other/Cargo.toml").write_text(package)
    (tmp_path / "ws/link").symlink_to("../other")
    (tmp_path / "ws/again").symlink_to(".")
    assert list(build_files(tmp_path, "ws/src/main.rs")) == []
    (tmp_path / "other/build.rs").write_text("fn main() {}")
    assert list(build_files(tmp_path, "ws/src/main.rs")) == [
        "ws/link/Cargo.toml",
        "ws/link/build.rs",
    ]


@pytest.mark.skipif(shutil.which("javac") is None, reason="there is no javac")
@pytest.mark.parametrize("place", ["", "lib/"])
def test_no_plugin_of_javac_on_the_class_path_is_started(tmp_path: Path, place: str) -> None:
    plugin = """
package p;
public class Evil implements com.sun.source.util.Plugin {
    public String getName() { return "Evil"; }
    public boolean autoStart() { return true; }
    public void init(com.sun.source.util.JavacTask task, String... words) { System.exit(3); }
}
"""
    made = tmp_path / "made"
    made.mkdir()
    (made / "Evil.java").write_text(plugin)
    subprocess.run(["javac", "-d", ".", "Evil.java"], cwd=made, check=True)
    (made / "Evil.java").unlink()
    (made / "META-INF/services").mkdir(parents=True)
    (made / "META-INF/services/com.sun.source.util.Plugin").write_text("p.Evil\n")
    root = tmp_path / "root"
    root.mkdir()
    if place:
        (root / place).mkdir()
        shutil.make_archive(str(tmp_path / "e"), "zip", made)
        shutil.move(tmp_path / "e.zip", root / place / "e.jar")
    else:
        shutil.copytree(made, root, dirs_exist_ok=True)
    check = check_for("A.java", root, mode="file", timeout=LONGEST)
    assert check is not None
    checked = check.run("A.java", b"class A { int x = 1; }\n")
    assert isinstance(checked, Checked)
    assert checked.ok, checked.output


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
@pytest.mark.parametrize(("name", "program"), [("a.c", "gcc"), ("a.cpp", "g++")])
def test_a_precompiled_header_of_the_project_is_not_loaded(
    tmp_path: Path, name: str, program: str
) -> None:
    header = tmp_path / "x.h"
    header.write_text("int precompiled;\n")
    language = "c-header" if name == "a.c" else "c++-header"
    subprocess.run([program, "-x", language, "x.h", "-o", "x.h.gch"], cwd=tmp_path, check=True)
    header.write_text("int plain;\n")
    check = check_for(name, tmp_path, mode="file", timeout=LONGEST)
    assert check is not None
    for word, is_right in (("precompiled", False), ("plain", True)):
        source = f'#include "x.h"\nint f(void) {{ return {word}; }}\n'.encode()
        (tmp_path / name).write_bytes(source)
        checked = check.run(name, source)
        assert isinstance(checked, Checked)
        assert checked.ok is is_right, checked.output


def test_tests_of_go_are_run_by_no_program_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are given to `true`, so that none of them runs."""
    lay_out(tmp_path, {"root/bin/true": "#!/bin/sh\n", "out/bin/go": "#!/bin/sh\necho go1.22\n"})
    own, outside = tmp_path / "root/bin", tmp_path / "out/bin"
    monkeypatch.setenv("PATH", f"{own}:{outside}:{os.environ['PATH']}")
    root = tmp_path / "root"
    with borrow(root) as scratch:
        unit = CheckedFile(root, "a.go", b"package a\n", "file", scratch, float("inf"))
        [step] = go.plan(unit)
    [program] = [word for word in step.argv if word.startswith("-exec=")]
    assert not program.startswith(f"-exec={root}")
    assert program.endswith("/true")
