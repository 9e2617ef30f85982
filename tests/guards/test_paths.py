from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.guards.paths import Barred, judge_path
from tests.world_off import world_off

ELSEWHERE = "this path is not relative to the project's root; give it from there, such as src/a.py."
UP = "'..' leads out of the project; give the path relative to the project's root."
DIRECTORY = "this names a directory; name a file."
GIT = "this belongs to git itself; edit the project's files instead."


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/etc/passwd", ELSEWHERE),
        ("~/x", ELSEWHERE),
        ("~", ELSEWHERE),
        ("C:\\x", ELSEWHERE),
        ("c:/x", ELSEWHERE),
        ("..", UP),
        ("../x", UP),
        ("a/../b", UP),
        ("a/..", UP),
        (".", DIRECTORY),
        ("a/", DIRECTORY),
        ("a/.", DIRECTORY),
        ("a\0b", "a file name cannot contain a NUL."),
        ("\ud800", "a file name cannot contain half of a surrogate pair."),
        (".git/config", GIT),
        ("sub/.git/hooks/pre-commit", GIT),
        (".GIT/config", GIT),
        (".git", GIT),
        (".git /config", GIT),
        (".git./config", GIT),
        (".git . ./config", GIT),
        ("GIT~1/config", GIT),
        ("sub/git~2/config", GIT),
        (".git::$INDEX_ALLOCATION/config", GIT),
        (".git\\config", GIT),
        ("a\\.git\\hooks\\pre-commit", GIT),
        (".g\u200cit/config", GIT),
        (".git\ufeff/config", GIT),
        ("\u206f.GI\u202eT", GIT),
    ],
)
def test_a_path_that_leaves_the_project_or_is_no_file_is_barred(path: str, why: str) -> None:
    assert judge_path(path) == Barred(f"{path}: {why}")


def test_a_path_that_is_empty_is_barred() -> None:
    assert judge_path("") == Barred(
        "a file is named without a path; give its path relative to the project's root."
    )


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("a.py", "a.py"),
        ("./a//b.py", "a/b.py"),
        (".gitignore", ".gitignore"),
        ("git~/a", "git~/a"),
        ("git/a", "git/a"),
        ("a\\b", "a\\b"),
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
        assert judge_path("../a.py") == Barred(f"../a.py: {UP}")
