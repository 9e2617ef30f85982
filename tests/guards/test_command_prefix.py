"""The rule that an answer `always` can make, and what it covers."""

from __future__ import annotations

import pytest

from holdfast.guards.command_prefix import covers, prefix_rule


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("pytest", "pytest *"),
        ("pytest -q tests/x.py", "pytest *"),
        ("git commit -m 'a b'", "git commit *"),
        ("npm run build:web --silent", "npm run build:web *"),
        ("cargo test --offline", "cargo test *"),
        ("make check -j4", "make check *"),
        ("ruff check src", "ruff check *"),
        ("ruff --version", "ruff *"),
        ("uv run pytest -q", "uv run pytest *"),
        ("uv run ruff check .", "uv run ruff check *"),
        (".venv/bin/mypy src", ".venv/bin/mypy *"),
        ("go test ./...", "go test *"),
        ("cargo nextest run x", "cargo nextest run *"),
        # The program alone says nothing.
        ("git -C x status", None),
        ("make", None),
        ("make -j4 test", None),
        # It runs its arguments, or writes where these say.
        ("python -m pytest", None),
        ("python3.12 x.py", None),
        ("/usr/bin/bash x", None),
        ("sudo make", None),
        ("env A=1 make", None),
        ("rm x", None),
        ("java -jar x.jar", None),
        ("Rscript x.R", None),
        ("uv run python -c x", None),
        ("uv run --with x pytest", None),
        ("npx tsx x.ts", None),
        ("npm exec sh", None),
        ("go run x.go", None),
        ("busybox sh -c x", None),
        ("docker run alpine sh", None),
        ("git bisect run sh", None),
        ("git rebase -x sh", None),
        ("git diff --output=x", None),
        ("setsid sh x", None),
        ("tee x", None),
        ("chroot . sh", None),
        ("coverage run x", None),
        # Nobody knows what it does, or may be any file of the project.
        ("./tools/check.sh fast", None),
        ("./pytest", None),
        ("unheard-of x", None),
        ("'npm test' x", None),
        # A shell is needed.
        ("pytest | tail", None),
        ("pytest && rm x", None),
        ("pytest > log", None),
        ("pytest $(rm x)", None),
        ("pytest *.py", None),
        ("A=1 pytest", None),
        ("pytest\nrm x", None),
        ("'my tool' x", None),
        ("pytest (outside the sandbox)", None),
    ],
)
def test_the_rule_for_the_first_words(command: str, rule: str | None) -> None:
    assert prefix_rule(command) == rule
    if rule is not None:
        assert covers(rule, command)


@pytest.mark.parametrize(
    "command",
    [
        "pytest; rm x",
        "pytest & rm x",
        "pytest -q || rm x",
        "pytest `rm x`",
        "pytest <(rm x)",
        "pytest\nrm x",
        "pytest $HOME",
        "pytest > a.py",
        "A=1 pytest",
        "pytester",
        "./pytest",
        "py test",
        "",
        " ",
    ],
)
def test_a_rule_covers_one_plain_command_that_begins_so(command: str) -> None:
    assert not covers("pytest *", command)
    assert covers("pytest *", "pytest -q 'a b; c'")


def test_no_rule_covers_what_a_shell_runs() -> None:
    assert not covers("/bin/sh *", "ls | wc")
    assert not covers("/bin/sh *", "/bin/sh -c ls")


@pytest.mark.parametrize("rule", ["", "*", "pytest", "pytest x"])
def test_a_rule_without_words_or_without_a_star_covers_nothing(rule: str) -> None:
    assert not covers(rule, "pytest x")
