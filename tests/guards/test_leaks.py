"""Lines of secrets in what a command prints."""

from __future__ import annotations

import pytest

from holdfast.guards.redact_secret_lines import without_secrets


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (".env:KEY=1", ".env"),
        ("./app/.env.local:12:KEY=1", "app/.env.local"),
        (".env-12-KEY=1", ".env"),
        ("a-1-b/.env:KEY=1", "a-1-b/.env"),
        ("certs/server.pem:1:-----BEGIN", "certs/server.pem"),
        ("config/secrets.yaml:3:token: abc", "config/secrets.yaml"),
    ],
)
def test_a_line_that_a_search_found_in_a_file_of_secrets_is_left_out(line: str, name: str) -> None:
    assert without_secrets(f"src/a.py:1:x\n{line}\nsrc/b.py:2:y\n") == (
        "src/a.py:1:x\nsrc/b.py:2:y\n",
        (name,),
    )


@pytest.mark.parametrize(
    "line",
    [
        "src/a.py:1:load('.env:local')",
        "README.md:3:copy .env: it holds the key",
        ".env.example:1:KEY=",
        "read .env: it is needed",
        "./.env",
        "12:30:45 started",
        "",
        "https://example.test/x.key?y",
    ],
)
def test_a_line_that_only_speaks_of_one_stays(line: str) -> None:
    assert without_secrets(f"{line}\n") == (f"{line}\n", ())


def test_a_diff_of_secrets_is_left_out_up_to_the_next_file_or_commit() -> None:
    diff = "diff --git a/.env b/.env\n@@ -1 +1 @@\n-KEY=1\n+KEY=2\n"
    other = "diff --git a/a.py b/a.py\n@@ -1 +1 @@\n-x\n+y\n"
    assert without_secrets(diff + other) == ("diff --git a/.env b/.env\n" + other, (".env",))
    assert without_secrets(diff + "commit 0123456789\nAuthor: a\n")[0].endswith(
        "commit 0123456789\nAuthor: a\n"
    )


def test_sections_of_head_and_tail_are_known() -> None:
    shown = '==> config/a.json <==\n{}\n\n==> config/secrets.json <==\n{"key": 1}\n'
    assert without_secrets(shown) == (
        "==> config/a.json <==\n{}\n\n==> config/secrets.json <==\n",
        ("config/secrets.json",),
    )
