"""The rules and the overview: short, deterministic, about the tools that are there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.adapters.project.directories import DiskDirectories
from holdfast.adapters.project.project_overview import look_over
from holdfast.changes.ports import FileFound
from holdfast.landing.land import land
from holdfast.tools.prompt.system_prompt import ProjectFacts, overview, system_prompt
from holdfast.tools.prompt.tool_profiles import DIFF, JSON, UNKNOWN
from holdfast.vocab.outcomes import Landed
from holdfast.vocab.requests import Patch


def test_the_patch_rules_have_an_example_that_lands() -> None:
    prompt = system_prompt(UNKNOWN.tools(), UNKNOWN)
    assert "# Patch rules" in prompt
    for rule in (
        "raw unified diff",
        "No Markdown fence",
        "no `<tool_call>`",
        "no prose",
        "before the call",
    ):
        assert rule in prompt
    example = (
        prompt.partition("A minimal correct `diff`:\n")[2].partition("\n# ")[0].rstrip("\n") + "\n"
    )
    landed = land("def main():\n    return 1\n", Patch(example))
    assert isinstance(landed, Landed)
    assert landed.text == "def main():\n    return 2\n"


def test_models_that_handle_json_are_asked_to_prefer_it() -> None:
    assert "Prefer `edit_file`" in system_prompt(JSON.tools(), JSON)
    assert "Prefer `edit_file`" not in system_prompt(DIFF.tools(), DIFF)


def test_in_plan_mode_nothing_is_said_about_editing() -> None:
    prompt = system_prompt(JSON.tools(plan=True), JSON)
    assert "# Plan" in prompt
    assert "# Patch rules" not in prompt
    assert "# Editing" not in prompt
    assert "# Plan" not in system_prompt(JSON.tools(), JSON)


def test_the_rules_are_short() -> None:
    assert len(system_prompt(UNKNOWN.tools(), UNKNOWN)) < 2_800


def test_an_overview_tells_languages_check_guide_and_files() -> None:
    facts = ProjectFacts(
        ("AGENTS.md", "src/a.py", "src/b.py", "web/x.ts"),
        "# For agents\n\nBe kind.\n",
        check="make check",
    )
    assert overview(facts) == (
        "The project has 4 files. Languages: Python (2), TypeScript (1).\n"
        "To check it: `make check`.\n\n"
        "AGENTS.md:\n# For agents\n\nBe kind.\n\n"
        "Files:\nAGENTS.md\nsrc/a.py\nsrc/b.py\nweb/x.ts"
    )


def test_a_token_in_the_name_of_a_file_is_not_in_an_overview() -> None:
    token = "ghp_" + "a1B2" * 9
    files = (f"{token}.txt", f"{token}/a.py", f"old_{token}.txt")
    text = overview(ProjectFacts(files, check=f"make KEY={token}"))
    assert text == (
        "The project has 3 files. Languages: Python (1).\n"
        "To check it: `make KEY=[token removed]`.\n\n"
        "Files:\n[token removed].txt\n[token removed]/a.py\nold_[token removed].txt"
    )
    for tokens in range(10, 60):
        assert "ghp_" not in overview(ProjectFacts(files), tokens)


def test_a_large_project_is_cut_to_the_depth_that_fits() -> None:
    files = tuple(sorted(f"src/{a}/{b}.py" for a in "abc" for b in range(300)))
    text = overview(ProjectFacts(files), 200)
    assert text.endswith("Files:\nsrc/a/ (300 files)\nsrc/b/ (300 files)\nsrc/c/ (300 files)")


@given(
    st.lists(st.text("ab/.py", min_size=1, max_size=30), max_size=60),
    st.text(max_size=400) | st.none(),
    st.integers(20, 400),
)
def test_an_overview_keeps_to_its_tokens(files: list[str], guide: str | None, tokens: int) -> None:
    facts = ProjectFacts(tuple(files), guide, check="make")
    text = overview(facts, tokens)
    assert len(text) <= tokens * 4
    assert text == overview(facts, tokens)


def look(root: Path) -> ProjectFacts:
    files = DiskFiles(str(root))
    try:
        return look_over(files, DiskDirectories(str(root)))
    finally:
        files.close()


def test_the_guide_is_agents_md_and_else_claude_md(tmp_path: Path) -> None:
    assert look(tmp_path) == ProjectFacts(())
    (tmp_path / "CLAUDE.md").write_text("claude")
    assert look(tmp_path) == ProjectFacts(("CLAUDE.md",), "claude", "CLAUDE.md")
    (tmp_path / "AGENTS.md").write_text("agents")
    assert look(tmp_path) == ProjectFacts(("AGENTS.md", "CLAUDE.md"), "agents", "AGENTS.md")


def test_a_guide_that_leads_out_of_the_project_is_not_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret").write_text("secret")
    (root / "AGENTS.md").symlink_to(tmp_path / "secret")
    assert look(root).guide is None


def test_a_guide_that_is_a_link_to_a_secret_is_not_read_and_tokens_are_removed(
    tmp_path: Path,
) -> None:
    (tmp_path / ".env").write_text("KEY=hunter2")
    (tmp_path / "AGENTS.md").symlink_to(".env")
    assert look(tmp_path).guide is None
    (tmp_path / "AGENTS.md").unlink()
    (tmp_path / "AGENTS.md").hardlink_to(tmp_path / ".env")
    assert look(tmp_path).guide is None
    (tmp_path / "AGENTS.md").unlink()
    (tmp_path / "AGENTS.md").write_text("token: ghp_" + "a1B2" * 9)
    assert look(tmp_path).guide == "token: [token removed]"


@pytest.mark.parametrize(
    ("name", "text", "check"),
    [
        ("Makefile", "all:\n\ntest: all\n\tx\ncheck:\n\ty\n", "make check"),
        ("Makefile", "test: all\n\tx\n", "make test"),
        ("Makefile", "all:\n\tx\n", None),
        ("package.json", '{"scripts": {"test": "vitest"}}', "npm test"),
        ("package.json", '{"scripts": {"test": "echo no test specified"}}', None),
        ("package.json", "{", None),
        ("package.json", "[]", None),
        ("Cargo.toml", "[package]", "cargo test"),
        ("go.mod", "module x", "go test ./..."),
        ("pyproject.toml", "[tool.pytest.ini_options]\n", "python -m pytest"),
        ("pyproject.toml", "[project]\n", None),
    ],
)
def test_the_check_is_read_from_the_projects_own_files(
    tmp_path: Path, name: str, text: str, check: str | None
) -> None:
    (tmp_path / name).write_text(text)
    assert look(tmp_path).check == check


def test_what_git_ignores_is_not_in_the_overview(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text("*.out\n")
    (tmp_path / "a.py").write_text("")
    (tmp_path / "a.out").write_text("")
    assert look(tmp_path).files == (".gitignore", "a.py")
    files = DiskFiles(str(tmp_path))
    assert isinstance(files.look("a.out"), FileFound)
    files.close()


@pytest.mark.parametrize(("width", "shown"), [(7, 6), (10, 5), (11, 4)])
def test_names_that_do_not_all_fit_are_counted(width: int, shown: int) -> None:
    """100 characters leave 55 for names, each with the line break behind it."""
    names = [f"{number:0{width}}" for number in range(30)]
    tree = "\n".join([*names[:shown], f"({30 - shown} more)"])
    expected = f"The project has 30 files.\n\nFiles:\n{tree}"
    assert overview(ProjectFacts(tuple(names)), tokens=25) == expected
