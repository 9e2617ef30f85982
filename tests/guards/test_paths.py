from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.guards.paths import Barred, judge_path
from tests.world_off import world_off


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "~/x",
        "~",
        "C:\\x",
        "c:/x",
        "..",
        "../x",
        "a/../b",
        "a/..",
        ".",
        "a/",
        "a/.",
        "a\0b",
        "\ud800",
        ".git/config",
        "sub/.git/hooks/pre-commit",
        ".GIT/config",
        ".git",
    ],
)
def test_a_path_that_leaves_the_project_or_is_no_file_is_barred(path: str) -> None:
    assert isinstance(judge_path(path), Barred)


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("a.py", "a.py"),
        ("./a//b.py", "a/b.py"),
        (".gitignore", ".gitignore"),
        (".github/x.yml", ".github/x.yml"),
        ("..a/b..", "..a/b.."),
        ("-dash", "-dash"),
        ("a b\n.py", "a b\n.py"),
        ("\udce9.py", "\udce9.py"),
    ],
)
def test_odd_names_are_names(path: str, plain: str) -> None:
    assert judge_path(path) == plain


@given(st.text(alphabet="./ab~", max_size=12))
def test_what_is_not_barred_has_no_part_that_leads_up(path: str) -> None:
    plain = judge_path(path)
    if not isinstance(plain, Barred):
        assert judge_path(plain) == plain
        assert not plain.startswith("/")
        assert ".." not in plain.split("/")


def test_the_judge_looks_at_no_disk() -> None:
    with world_off():
        assert judge_path("src/a.py") == "src/a.py"
        assert isinstance(judge_path("../a.py"), Barred)
