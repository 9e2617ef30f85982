"""The hook that the purity tests trust can itself fail."""

from __future__ import annotations

import ast
import contextlib
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.world_off import WorldTouchedError, world_off

if TYPE_CHECKING:
    from collections.abc import Callable


TOUCHES: dict[str, Callable[[], object]] = {
    # On a syntax error CPython's parser looks for the line in a file of the name it was given.
    "a parser": lambda: ast.parse("def f(:", filename=__file__),
    "open": lambda: Path(__file__).read_bytes(),
    "listdir": lambda: os.listdir("."),  # noqa: PTH208 - os itself is the subject
    "mkdtemp": tempfile.mkdtemp,
    "remove": lambda: Path("there-is-no-such-file").unlink(),
    "rename": lambda: Path("there-is-no-such-file").rename("nor-this"),
    "subprocess": lambda: subprocess.run([sys.executable, "-c", ""], check=False),
    "system": lambda: os.system("true"),  # noqa: S605 - os itself is the subject
    "socket": socket.socket,
    "sqlite": lambda: sqlite3.connect(":memory:"),
}


@pytest.mark.parametrize("name", TOUCHES)
def test_a_touch_of_the_world_fails(name: str) -> None:
    with pytest.raises(WorldTouchedError), world_off():
        TOUCHES[name]()


def test_a_touch_that_is_swallowed_fails_all_the_same() -> None:
    with (
        pytest.raises(WorldTouchedError, match="swallowed"),
        world_off(),
        contextlib.suppress(BaseException),
    ):
        Path(__file__).read_bytes()


def test_computing_is_allowed() -> None:
    with world_off():
        assert sorted("world") == ["d", "l", "o", "r", "w"]


def test_the_world_is_back_on_afterwards() -> None:
    with pytest.raises(WorldTouchedError), world_off():
        Path(__file__).read_bytes()
    assert Path(__file__).read_bytes()
