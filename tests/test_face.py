"""`import holdfast`: few names, and light."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import resources

import pytest

import holdfast

NAMES = {
    "land",
    "land_reply",
    "ReplyLanded",
    "OneOf",
    "decode",
    "encode",
    "locate",
    "parse",
    "explain",
    "FileRequest",
    "Replace",
    "Patch",
    "LineEdits",
    "LineEdit",
    "WriteFile",
    "Landed",
    "Refused",
    "Exact",
    "Fuzzy",
    "Ambiguous",
    "NotFound",
}

# What costs tens of milliseconds to import. The engine asks for the first two when an edit needs them.
HEAVY = {
    "ast_grep_py",
    "rapidfuzz",
    "asyncio",
    "platformdirs",
    "pydantic",
    "rich",
    "typer",
    "click",
    "sqlite3",
}


def test_the_public_names_are_exactly_these() -> None:
    assert len(holdfast.__all__) == len(NAMES)
    assert set(holdfast.__all__) == NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_public_name_is_there_and_says_what_it_is(name: str) -> None:
    assert getattr(holdfast, name).__doc__


# The verbs may be loaded on first use, so they are asked for by name.
WHOLE_FACE = "from holdfast import " + ", ".join(sorted(NAMES))


def test_importing_the_whole_face_loads_nothing_heavy() -> None:
    assert not _modules_after(WHOLE_FACE) & HEAVY


def test_the_check_for_heavy_modules_can_fail() -> None:
    assert "rich" in _modules_after("import rich")


def test_importing_the_whole_face_loads_only_landing_syntax_and_vocab_of_ours() -> None:
    ours = {
        name.split(".")[1] for name in _modules_after(WHOLE_FACE) if name.startswith("holdfast.")
    }
    assert ours == {"landing", "syntax", "vocab"}


def test_the_package_says_it_is_typed() -> None:
    assert resources.files("holdfast").joinpath("py.typed").is_file()


def _modules_after(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after `statement` and had not before."""
    script = f"import json, sys; before = set(sys.modules); {statement}; print(json.dumps(sorted(set(sys.modules) - before)))"
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, encoding="utf-8"
    )
    return set(json.loads(done.stdout))
