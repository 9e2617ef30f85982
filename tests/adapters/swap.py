"""A link that is put into the place of an entry in the middle of an operation, right before one of its system calls."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

CALLS = ("open", "stat", "lstat", "access", "chmod", "rename", "replace", "unlink", "readlink")
ALSO = ("mkdir", "rmdir", "symlink")
MOST_CALLS = 100


class Swap:
    """Puts a link into the place of an entry, right before one of the calls that are counted."""

    def __init__(self, place: Path, outside: Path, calls: int) -> None:
        # By a descriptor: what the entry is in may be renamed before.
        self.folder = os.open(place.parent, os.O_DIRECTORY)
        self.name, self.outside, self.calls = place.name, outside, calls
        self.is_armed = False
        self._rename, self._symlink = os.rename, os.symlink

    def counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*words: Any, **named: Any) -> Any:
            self.calls -= self.is_armed
            if self.is_armed and self.calls == 0:
                self.is_armed = False
                own = f"{self.name}.own"
                with suppress(FileNotFoundError):
                    self._rename(self.name, own, src_dir_fd=self.folder, dst_dir_fd=self.folder)
                self._symlink(self.outside, self.name, dir_fd=self.folder)
            return call(*words, **named)

        return run


def with_swap(swap: Swap, operation: Callable[[Swap], None]) -> bool:
    """Run an operation, which arms the swap; return whether the link was made on the way."""
    with pytest.MonkeyPatch.context() as patch:
        for name in (*CALLS, *ALSO):
            patch.setattr(os, name, swap.counted(getattr(os, name)))
        # That something is gone by then, or in the way, is no harm.
        with suppress(OSError):
            operation(swap)
    os.close(swap.folder)
    return swap.calls <= 0
