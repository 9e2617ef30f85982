"""The public names of `holdfast.testing`, and the examples of its page."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast.testing

PAGE = Path(__file__).parents[2] / "docs" / "testing.md"


@pytest.mark.parametrize("name", holdfast.testing.__all__)
def test_a_public_name_is_there_and_says_what_it_is(name: str) -> None:
    assert getattr(holdfast.testing, name).__doc__
    assert name in dir(holdfast.testing)


def test_a_name_that_is_not_there_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'sey'"):
        holdfast.testing.sey  # noqa: B018 - this is what is tested


def test_the_examples_of_the_page_are_true() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")

    assert failed == 0
    assert tried > 20


def test_the_page_names_every_public_name() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert [name for name in holdfast.testing.__all__ if f"`{name}" not in text] == []


@pytest.mark.parametrize(
    "statement",
    [
        "import holdfast.testing",
        "from holdfast.adapters.models import openai_compatible, discovery",
        "import holdfast.cli.app",
    ],
)
def test_what_is_only_imported_does_not_load_the_http_client(statement: str) -> None:
    script = f"import json, sys; {statement}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, encoding="utf-8"
    )

    assert not {"httpx", "httpcore", "jiter"} & set(json.loads(done.stdout))
