"""What the build of the page must keep: its size, its types, a renderer for every kind, nothing from elsewhere."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.server.app import make_app
from holdfast.server.document import describe
from web import build, make_types

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
PAGE = ROOT / "src" / "holdfast" / "server" / "page"
BUILT = pytest.mark.skipif(
    not (PAGE / "index.html").exists(), reason="the page is not built: `make page` builds it"
)


@BUILT
def test_the_entry_of_the_page_is_at_most_350_kb_gzip() -> None:
    index = (PAGE / "index.html").read_text(encoding="utf-8")
    files = set(re.findall(r'(?:src|href)="\./(assets/[^"]+)"', index))
    # What the entry imports at once is loaded with it.
    for name in [*files]:
        if name.endswith(".js"):
            files |= {
                f"assets/{each}"
                for each in re.findall(
                    r'from"\./([^"]+\.js)"', (PAGE / name).read_text(encoding="utf-8")
                )
            }
    size = sum(len(gzip.compress((PAGE / name).read_bytes())) for name in files)
    assert any(name.endswith(".js") for name in files)
    assert size <= 350_000, size


@BUILT
def test_the_page_loads_nothing_from_elsewhere_and_has_no_inline_script() -> None:
    index = (PAGE / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'(?:src|href)="(?!\./)[^"]*"', index) == []
    assert re.findall(r"<script[^>]*>[^<]+</script>", index) == []
    for style in PAGE.glob("assets/*.css"):
        assert re.findall(r"url\(\s*['\"]?(?:https?:)?//", style.read_text(encoding="utf-8")) == []


def test_the_lock_file_has_no_addresses() -> None:
    lock = (WEB / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock
    packages = json.loads(lock)["packages"]
    assert all(each.get("version") for name, each in packages.items() if name)


def test_the_types_of_the_page_are_those_of_the_server() -> None:
    assert make_types.SCHEMA.read_text(encoding="utf-8") == make_types.types_of(
        describe(make_app())
    )


def test_stale_types_fail_the_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = describe(make_app())
    document["components"]["schemas"]["Session"]["properties"]["of_tomorrow"] = {"type": "string"}
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    assert make_types.main(["--check", "--document", str(file)]) == 1
    assert "make page-types" in capsys.readouterr().err


@pytest.mark.slow
def test_a_kind_without_a_renderer_does_not_compile(tmp_path: Path) -> None:
    node = build.find_node()
    if node is None or not (WEB / "node_modules" / "typescript").exists():
        pytest.skip("the packages of the page are not installed: `make page` installs them")
    for name in ("tsconfig.json", "vite.config.ts"):
        shutil.copy(WEB / name, tmp_path)
    shutil.copytree(WEB / "src", tmp_path / "src")
    (tmp_path / "node_modules").symlink_to(WEB / "node_modules")
    document = describe(make_app())
    schemas = document["components"]["schemas"]
    body = {"type": "object", "properties": {}}
    fields = {"kind": {"const": "of_tomorrow"}, "text": {"type": "string"}, "body": body}
    fields |= {name: {"type": "string"} for name in ("at", "session", "turn")}
    fields |= {name: {"type": "integer"} for name in ("v", "seq")}
    schemas["Tomorrow"] = {"type": "object", "properties": fields, "required": [*fields]}
    for union in ("Event", "Sentinel"):
        schemas[union]["oneOf"].append({"$ref": "#/components/schemas/Tomorrow"})
    made = make_types.types_of(document)
    (tmp_path / "src" / "api" / "schema.ts").write_text(made, encoding="utf-8")
    command = [node.program, build.package_file("typescript", "bin/tsc"), "--noEmit"]
    compiled = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert compiled.returncode != 0
    for wanted in ("reduce.ts", "parts.tsx"):
        errors = [line for line in compiled.stdout.splitlines() if wanted in line]
        assert any("omorrow" in line for line in errors), compiled.stdout


@pytest.mark.slow
def test_the_unit_tests_of_the_page_pass() -> None:
    if build.find_node() is None or not (WEB / "node_modules" / "typescript").exists():
        pytest.skip("the packages of the page are not installed: `make page` installs them")
    done = subprocess.run(
        [sys.executable, str(WEB / "build.py"), "test"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_sources_that_changed_are_built_again_and_others_are_not() -> None:
    files = build.source_files()
    digest = build.digest_of(files)
    assert digest == build.digest_of(build.source_files())
    assert digest != build.digest_of(files[:-1])
